"""Tests of `multistage` and `nested-rollout`: kernels against plain Python, and wins."""

import random
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import pytest

from catalogue.pipe import solve_all
from engine.cards import DECK, build_cards, make_card, suit
from engine.cardset import BIT_OF_CARD
from engine.dealing.dealers import get_dealer
from engine.errors import BadInput
from engine.klondike.deal import KlondikeDeal
from engine.klondike.kplus import MOST_MOVES, State, new_table, set_up
from engine.klondike.moves import KlondikeKind, unpack_solution
from engine.klondike.referee import KlondikePosition, proves_win
from engine.klondike.rules import PRESETS, KlondikeRules
from engine.rulesets import parse_ruleset
from engine.text.deal_lines import InputDeal
from samples import sizes
from solvers.klondike.dead_ends import method as dead_end
from solvers.klondike.dead_ends.method import shows_pair
from solvers.klondike.kplus.actions import (
    ANY,
    MOST_ACTIONS,
    NEEDED,
    NONE,
    SECOND,
    SINGLE,
    act,
    actions,
)
from solvers.klondike.kplus.relaxation import is_dead_end
from solvers.klondike.kplus.values import H1, H2, value, weigh
from solvers.klondike.rollouts import multistage
from solvers.klondike.rollouts import search as multistage_kernel
from solvers.klondike.rollouts.multistage import THE_PAPER, RolloutReading, Rollouts
from solvers.klondike.rollouts.search import (
    DEPTH,
    ENTRY,
    LENGTH,
    LOSE,
    LOST_AT_ONCE,
    NO_ROOM,
    NODES,
    PATH,
    PAUSED,
    PLAYS,
    UNTESTED,
    WON,
    RolloutWorkspace,
    action_gain,
    push,
    run,
    state_at,
)
from solvers.outcome import Outcome, Result
from solvers.registry import parse_solver
from twins.kplus import read
from twins.rollouts import (
    Action,
    Macro,
    NaiveRollouts,
    Step,
    action_of,
    naive_actions,
    naive_is_dead_end,
    naive_value,
    settled,
)
from twins.search import naive_verdict, random_late_position

DRAW3 = PRESETS["klondike-draw3"]
YAN = PRESETS["klondike-yan"]
THOUGHTFUL = get_dealer("thoughtful-1")
RULES = [DRAW3, PRESETS["klondike-draw1"], YAN, KlondikeRules(draw=5)]
UNLIMITED = 2**62


class Start(NamedTuple):
    """A position to play from, as a state of the kernels.

    `deal` has the position's face-down cards and its stock where they are; where the position is
    none that a deal leads to, the rest of it is made up.
    """

    deal: KlondikeDeal
    rules: KlondikeRules
    state: State

    @property
    def position(self) -> KlondikePosition:
        return settled(read(self.state, self.deal, self.rules))


def set_of(cards: Iterable[int]) -> int:
    return sum(1 << int(BIT_OF_CARD[card]) for card in cards)


def start_of(position: KlondikePosition) -> Start:
    """A start in mid-game."""
    order = position.waste + position.stock
    dealt = [[*down, *up[:1]] for down, up in zip(position.down, position.up, strict=True)]
    rest = [card for card in DECK if card not in {*order, *(c for column in dealt for c in column)}]
    columns = [
        column + [rest.pop() for _ in range(k + 1 - len(column))] for k, column in enumerate(dealt)
    ]
    straight: list[int] = []
    crossed: list[int] = []
    for up in position.up:
        for parent, card in pairwise(up):
            lower_parent = min(build_cards(card), key=suit)
            (straight if (parent == lower_parent) == (suit(card) < 2) else crossed).append(card)
    edge = len(position.waste)
    if edge % position.rules.draw == 0 or not position.stock:
        edge = 0
    state = State(
        set_of(make_card(r, s) for s in range(4) for r in range(position.foundations[s])),
        set_of(card for up in position.up for card in up),
        set_of(straight),
        set_of(crossed),
        set_of(card for down in position.down for card in down),
        edge << 24 | (1 << len(order)) - 1,
    )
    start = Start(KlondikeDeal.from_piles(columns, [*order, *rest]), position.rules, state)
    assert start.position == settled(position)
    return start


def deals(first: int, count: int) -> list[KlondikeDeal]:
    return [KlondikeDeal.of(row) for row in THOUGHTFUL.deal_block(first, count)]


def beginnings(first: int, count: int, rules: KlondikeRules) -> Iterator[Start]:
    table = new_table(rules.draw, rules.partial_runs)
    for deal in deals(first, count):
        yield Start(deal, rules, set_up(deal.as_array(), table))


def late_starts(
    chooser: random.Random, rules: KlondikeRules, most: int, count: int
) -> Iterator[Start]:
    """Positions with at most so many cards off the foundations, scattered at random."""
    for _ in range(count):
        yield start_of(random_late_position(chooser, rules, chooser.randint(3, most)))


class Kernels:
    """The kernels on one deal under some rules, at a state that an action may be played in."""

    def __init__(self, start: Start) -> None:
        self.start = start
        self.table = new_table(start.rules.draw, start.rules.partial_runs)
        self.turning = np.zeros((2, 52), dtype=np.int64)
        set_up(start.deal.as_array(), self.table)
        weigh(start.deal.as_array(), self.turning)
        self.state = start.state

    @property
    def position(self) -> KlondikePosition:
        return self.start._replace(state=self.state).position

    def actions(self, pairs: int) -> list[int]:
        moves = np.zeros(MOST_MOVES + 1, dtype=np.int64)
        out = np.zeros(MOST_ACTIONS, dtype=np.int64)
        return out[: actions(self.state, self.table, pairs, moves, out, 0)].tolist()

    def value(self, which: int) -> int:
        return int(value(self.state, self.table, self.turning, which))

    def gain(self, which: int, action: int) -> int:
        return int(action_gain(self.state, self.table, self.turning, which, action))

    def is_dead_end(self) -> bool:
        return bool(is_dead_end(self.state, self.table))

    def play(self, action: int) -> None:
        self.state = act(self.state, self.table, action)

    def walk(self, chooser: random.Random, most: int) -> Iterator["Kernels"]:
        """Itself, in each state of a random game, as long as there is an action."""
        for _ in range(most):
            if int(self.state.up).bit_count() == 52:
                return
            yield self
            choices = self.actions(SINGLE)
            if not choices:
                return
            # The first ones open the game, so that late positions are met, too.
            self.play(choices[0] if chooser.random() < 0.6 else chooser.choice(choices))


def check_state(kernels: Kernels, seen: Counter[str]) -> None:
    """Values, gains, actions and the relaxed game of a state."""
    position = kernels.position
    for pairs in (NONE, NEEDED, ANY, SINGLE):
        ours = kernels.actions(pairs)
        theirs = naive_actions(position, pairs)
        assert [action_of(action) for action in ours] == [action for action, _ in theirs]
        if pairs in (NEEDED, SINGLE):
            here = kernels.state
            values = [naive_value(position, which) for which in (H1, H2)]
            assert [kernels.value(which) for which in (H1, H2)] == values
            for action, (_, after) in zip(ours, theirs, strict=True):
                gains = [kernels.gain(which, action) for which in (H1, H2)]
                kernels.play(action)
                assert kernels.position == after
                assert [kernels.value(which) for which in (H1, H2)] == [
                    naive_value(after, which) for which in (H1, H2)
                ]
                assert gains == [naive_value(after, w) - values[w] for w in (H1, H2)]
                kernels.state = here
        if pairs == NEEDED:
            seen["pairs"] += sum(action >> SECOND > 0 for action in ours)
    assert kernels.is_dead_end() == naive_is_dead_end(position)
    seen["dead" if kernels.is_dead_end() else "alive"] += 1


@pytest.mark.parametrize("count", sizes(10, 40))
@pytest.mark.parametrize("rules", RULES, ids=str)
def test_states_of_random_games(rules: KlondikeRules, count: int) -> None:
    chooser = random.Random(f"games {rules}")
    seen: Counter[str] = Counter()
    starts = [*beginnings(100_000, count, rules), *late_starts(chooser, rules, 40, count)]
    for start in starts:
        for kernels in Kernels(start).walk(chooser, 80):
            if chooser.random() < 0.15:
                check_state(kernels, seen)
    assert seen["dead"] > 2 * count
    assert seen["alive"] > 3 * count
    assert seen["pairs"] > 4 * count


@pytest.mark.parametrize("count", sizes(40, 200))
def test_values_of_many_games(count: int) -> None:
    """All that makes up a value changes throughout a game that wins."""
    chooser = random.Random(2)
    parts: Counter[tuple[int, bool]] = Counter()
    for start in beginnings(101_000, count, DRAW3):
        for kernels in Kernels(start).walk(chooser, 80):
            position = kernels.position
            values = [naive_value(position, which) for which in (H1, H2)]
            assert [kernels.value(which) for which in (H1, H2)] == values
            parts[int(kernels.state.down).bit_count() // 3, values[0] > values[1]] += 1
    assert {hidden // 3 for hidden in range(22)} == {thirds for thirds, _ in parts}


@pytest.mark.parametrize("count", sizes(1_000, 4_000))
@pytest.mark.parametrize("rules", RULES, ids=str)
def test_the_relaxed_game_of_starting_deals(rules: KlondikeRules, count: int) -> None:
    """The same as `dead-end` finds in another way; and as it is under the widest rules."""
    cards = THOUGHTFUL.deal_block(102_000, count)
    relaxed = [dead_end._standstill(row, rules.draw, (1 << 52) - 1)[0] != 0 for row in cards]
    table = new_table(rules.draw, rules.partial_runs)
    assert [bool(is_dead_end(set_up(row, table), table)) for row in cards] == relaxed
    assert count / 80 < sum(relaxed) < count / 4


def test_what_follows_a_dead_end_is_one() -> None:
    chooser = random.Random(3)
    followed = 0
    for start in [start for rules in RULES for start in beginnings(104_000, 100, rules)]:
        was_dead = False
        for kernels in Kernels(start).walk(chooser, 60):
            dead = kernels.is_dead_end()
            assert dead or not was_dead
            followed += was_dead
            was_dead = dead
    assert followed > 1_000


@pytest.mark.parametrize("count", sizes(40, 120))
def test_no_dead_end_can_be_won_by_exhaustive_search(count: int) -> None:
    """With many cards turned at once, few positions follow; whole runs are among them."""
    chooser = random.Random(4)
    verdicts: Counter[tuple[bool, bool, bool | None]] = Counter()
    for number in range(count):
        runs = number % 2 == 0
        rules = KlondikeRules(draw=chooser.choice([3, 4, 6, 8, 12]), partial_runs=runs)
        starts = [*beginnings(105_000 + number, 1, rules), *late_starts(chooser, rules, 30, 1)]
        for start in starts:
            for kernels in Kernels(start).walk(chooser, 40):
                dead = kernels.is_dead_end()
                if dead or chooser.random() < 0.02:
                    here = read(kernels.state, start.deal, rules)
                    verdicts[runs, dead, naive_verdict(here, 300)] += 1
                if dead:
                    # What follows is dead, too; the first one is the hardest to tell.
                    break
    for runs in (True, False):
        assert not verdicts[runs, True, True]
        assert verdicts[runs, True, False] > count / 5
        assert verdicts[runs, False, True] >= count / 40


@pytest.mark.parametrize("count", sizes(30, 100))
def test_no_dead_end_can_be_won_by_exact(count: int) -> None:
    chooser = random.Random(5)
    exact = parse_solver("exact(nodes=20000)")
    results: Counter[Result] = Counter()
    for rules in (DRAW3, PRESETS["klondike-draw1"], KlondikeRules(draw=2)):
        for start in beginnings(103_000, count, rules):
            for kernels in Kernels(start).walk(chooser, 60):
                if kernels.is_dead_end():
                    here = read(kernels.state, start.deal, rules)
                    results[exact.solve_position(here).result] += 1
                    break
    assert not results[Result.WON]
    assert results[Result.UNWINNABLE] > count


class Played(NamedTuple):
    """What the kernels did from a state."""

    won: bool
    nodes: int
    plays: int
    line: list[Action]


def play_out(
    rollouts: Rollouts,
    start: Start,
    *,
    time_is_up: bool = False,
    pause: Callable[[Rollouts], None] | None = None,
) -> Played:
    """Search from any state with the kernels; `pause` is called before every step."""
    search, table = rollouts.search, rollouts.table
    rollouts.games += 1
    rollouts.work.meta[:] = 0
    set_up(start.deal.as_array(), table)
    weigh(start.deal.as_array(), rollouts.work.turning)
    own = int(value(start.state, table, rollouts.work.turning, search.first))
    push(start.state, 0, int(search.levels[0]), own, search, table, rollouts.work, rollouts.games)
    while True:
        limit = UNLIMITED
        if pause is not None:
            pause(rollouts)
            limit = int(rollouts.work.meta[NODES]) + 1
        work = rollouts.work
        ended = run(search, table, work, rollouts.games, limit, time_is_up, MOST_ACTIONS)
        if ended == NO_ROOM:
            rollouts.work = multistage.with_more_room(rollouts.work)
        elif ended != PAUSED:
            break
    taken = work.path[: work.meta[LENGTH], PATH - 1].tolist()
    return Played(
        bool(ended == WON),
        int(work.meta[NODES]),
        int(work.meta[PLAYS]),
        [action_of(action) for action in taken if action >= 0] if ended == WON else [],
    )


def note_step(start: Start, steps: list[Step], rollouts: Rollouts) -> None:
    """Note the state on top of the path, if it has just been begun."""
    work = rollouts.work
    frame = work.frames[work.meta[DEPTH] - 1]
    if frame[multistage_kernel._NEXT] == frame[multistage_kernel._ACTIONS]:
        state = state_at(work.path, work.meta[LENGTH] - 1)
        steps.append(
            Step(
                int(work.meta[NODES]),
                int(frame[multistage_kernel._STAGE]),
                int(frame[multistage_kernel._LEVEL]),
                int(frame[multistage_kernel._VALUE]),
                start._replace(state=state).position,
            )
        )


def plan(levels: tuple[int, ...]) -> tuple[tuple[int, ...], int]:
    """Two levels are those of `multistage`, one is that of `nested-rollout`."""
    return levels, H1 if len(levels) == 2 else H2


def check_game(
    rollouts: Rollouts,
    start: Start,
    levels: tuple[int, ...],
    reading: RolloutReading,
    time_is_up: bool,
) -> Played:
    """The kernels and plain Python do the same from a start."""
    ours = play_out(rollouts, start, time_is_up=time_is_up)
    twin = NaiveRollouts(*plan(levels), reading, time_is_up)
    won, line = twin.play(start.position)
    assert ours == Played(won, twin.nodes, twin.plays, line)
    return ours


def line_of(start: Start, moves: bytes) -> list[Macro]:
    """Standard moves from the start of a deal as macro moves."""
    position = KlondikePosition.start(start.deal, start.rules)
    line: list[Macro] = []
    for move in unpack_solution(moves):
        after = position.play(move)
        match move.kind:
            case KlondikeKind.WASTE_UP:
                line.append((position.waste[-1], "foundation"))
            case KlondikeKind.UP:
                line.append((position.up[move.source][-1], "foundation"))
            case KlondikeKind.TURN | KlondikeKind.REDEAL:
                pass
            case _:
                pile = position.up[move.target]
                line.append((after.up[move.target][len(pile)], pile[-1] if pile else "column"))
        position = after
    assert position.is_won
    return line


def agree_on_deals(
    starts: Iterable[Start],
    all_levels: list[tuple[int, ...]],
    reading: RolloutReading = THE_PAPER,
    most_nodes: int = UNLIMITED,
) -> Counter[tuple[tuple[int, ...], str]]:
    """The solver itself and plain Python, on every deal that takes it so many nodes at most."""
    searches: dict[tuple[int, ...], Rollouts] = {}
    seen: Counter[tuple[tuple[int, ...], str]] = Counter()
    for start in starts:
        cards = start.deal.as_array()
        for levels in all_levels:
            if levels not in searches:
                searches[levels] = Rollouts(start.rules, *plan(levels), reading=reading)
            game = searches[levels].play(cards)
            assert not game.expired
            if naive_is_dead_end(start.position) or shows_pair(cards):
                assert (game.won, game.nodes, game.plays) == (False, 0, 0)
                seen[levels, "dead"] += 1
            elif game.nodes <= most_nodes:
                twin = NaiveRollouts(*plan(levels), reading)
                won, line = twin.play(start.position)
                assert (game.won, game.nodes, game.plays) == (won, twin.nodes, twin.plays)
                assert (game.moves is not None) == won
                if game.moves is not None:
                    assert line_of(start, game.moves) == [m for action in line for m in action]
                seen[levels, "won" if won else "lost"] += 1
    return seen


@pytest.mark.parametrize(
    ("rules", "all_levels", "count", "most_nodes"),
    [
        (DRAW3, [(0,), (0, 0)], 200, UNLIMITED),
        (DRAW3, [(1,), (0, 1), (1, 0), (1, 1)], 40, 2_500),
        (DRAW3, [(2,), (2, 1), (1, 2), (3, 1)], 20, 2_000),
        (PRESETS["klondike-draw1"], [(0,), (1,), (0, 0), (0, 1), (1, 1)], 12, 1_500),
        (YAN, [(0,), (1,), (0, 0), (0, 1), (1, 1), (2, 1)], 30, 2_000),
        (KlondikeRules(draw=2, partial_runs=False), [(1,), (1, 1)], 15, 2_000),
    ],
    ids=lambda value: None if isinstance(value, int) else str(value),
)
def test_whole_games_agree(
    rules: KlondikeRules, all_levels: list[tuple[int, ...]], count: int, most_nodes: int
) -> None:
    starts = beginnings(110_000, count, rules)
    seen = agree_on_deals(starts, all_levels, most_nodes=most_nodes)
    assert all(seen[levels, "won"] > 1 for levels in all_levels)


READINGS = [
    RolloutReading(pairs=ANY),
    RolloutReading(pairs=NONE),
    RolloutReading(pairs=SINGLE),
    RolloutReading(loops=LOSE),
    RolloutReading(loops=LOSE, pairs=SINGLE, plateaus=0),
    RolloutReading(dead=LOST_AT_ONCE),
    RolloutReading(dead=UNTESTED),
    RolloutReading(plateaus=0),
    RolloutReading(capacity=0),
    RolloutReading(capacity=1),
    RolloutReading(capacity=5),
    RolloutReading(pairs=ANY, loops=LOSE, dead=LOST_AT_ONCE, plateaus=0, capacity=20),
]


@pytest.mark.parametrize("most_nodes", [1_000])
@pytest.mark.parametrize("reading", READINGS, ids=str)
def test_every_reading_agrees(reading: RolloutReading, most_nodes: int) -> None:
    all_levels = [(0,), (1,), (2,), (0, 1), (1, 1), (2, 1)]
    seen = agree_on_deals(beginnings(111_000, 8, DRAW3), all_levels, reading, most_nodes)
    assert sum(seen[levels, "won"] + seen[levels, "lost"] for levels in all_levels) > 6


LEVELS = [(0,), (1,), (2,), (3,), (0, 0), (0, 1), (1, 0), (1, 1), (0, 2), (2, 0), (2, 1), (3, 1)]


def middle(chooser: random.Random, rules: KlondikeRules, number: int) -> Start:
    """A state somewhere in a game that is no dead end, or a late position."""
    starts = beginnings(120_000 + 10 * number, 10, rules)
    if number % 3 == 0:
        starts = late_starts(chooser, rules, 40, 10)
    last = start = next(start for start in starts if not Kernels(start).is_dead_end())
    for kernels in Kernels(start).walk(chooser, chooser.randint(1, 50)):
        if kernels.is_dead_end():
            break
        last = start._replace(state=kernels.state)
    return last


@pytest.mark.parametrize(("count", "most_nodes"), [(200, 2_500)])
def test_games_agree_from_anywhere(count: int, most_nodes: int) -> None:
    """Random rules, nesting, reading, start."""
    chooser = random.Random(6)
    seen: Counter[tuple[str, Any]] = Counter()
    searches: dict[Any, Rollouts] = {}
    for number in range(count):
        rules, levels = chooser.choice(RULES), chooser.choice(LEVELS)
        reading = chooser.choice([*READINGS, *[THE_PAPER] * 6])
        time_is_up = chooser.random() < 0.1
        key = rules, levels, reading
        if key not in searches:
            searches[key] = Rollouts(rules, *plan(levels), reading=reading)
        start = middle(chooser, rules, number)
        if play_out(searches[key], start, time_is_up=time_is_up).nodes > most_nodes:
            seen["too long", levels] += 1
            continue
        found = check_game(searches[key], start, levels, reading, time_is_up)
        seen["levels", levels] += 1
        seen["reading", reading] += 1
        seen["won", found.won] += 1
    assert min(seen["won", True], seen["won", False]) > count / 4
    assert min(seen["levels", levels] for levels in LEVELS) > count / 70
    assert min(seen["reading", reading] for reading in READINGS) > count / 70


@pytest.mark.parametrize("count", sizes(15, 40))
@pytest.mark.parametrize("levels", [(0,), (1,), (2,), (0, 1), (1, 1), (2, 1)], ids=str)
def test_every_step_agrees(levels: tuple[int, ...], count: int) -> None:
    """What is explored, in which order, at which nesting, with which value."""
    chooser = random.Random(7)
    rollouts = Rollouts(DRAW3, *plan(levels))
    told = found = 0
    for number in range(count):
        start = middle(chooser, DRAW3, number)
        if play_out(rollouts, start).nodes > 1_000:
            continue
        steps: list[Step] = []
        play_out(rollouts, start, pause=partial(note_step, start, steps))
        twin = NaiveRollouts(*plan(levels), THE_PAPER)
        twin.play(start.position)
        rest = iter(twin.trace)
        # Of some that follow one another without a node between, only the first one is seen; and
        # rollouts that are known are not made again.
        assert all(step in rest for step in steps)
        told += len(steps)
        found += len(twin.trace)
    assert told > 0.5 * found


@pytest.mark.parametrize("count", sizes(4, 10))
@pytest.mark.parametrize("capacity", [0, 5, 300, 5_000])
def test_rollouts_that_are_known_change_nothing(capacity: int, count: int) -> None:
    """Longer games, with and without them; the more often caches are full, the more are known."""

    def forget(rollouts: Rollouts) -> None:
        """Let the caches pass for those of another game, so that rollouts of this one do not."""
        games = rollouts.work.cache[:, :, ENTRY - 1]
        games[games == rollouts.games] += 1
        rollouts.games += 1

    compared = 0
    for levels in [(1,), (2,), (1, 1), (2, 1), (1, 2)]:
        rollouts = Rollouts(DRAW3, *plan(levels), reading=RolloutReading(capacity=capacity))
        for start in beginnings(130_000, count, DRAW3):
            found = play_out(rollouts, start)
            if found.nodes < 20_000:
                assert play_out(rollouts, start, pause=forget) == found
                compared += found.nodes
    assert compared > 2_000 * count


def achieved(outcomes: Iterable[Outcome]) -> list[tuple[Result, int, bytes | None]]:
    return [(outcome.result, outcome.nodes, outcome.moves) for outcome in outcomes]


SOLVERS = [
    "nested-rollout(n=0)",
    "nested-rollout(n=1)",
    "multistage(n0=0,n1=0)",
    "multistage(n0=0,n1=1)",
    "multistage(n0=1,n1=0)",
]


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("rules", RULES, ids=str)
def test_wins_replay(solver: str, rules: KlondikeRules) -> None:
    cards = THOUGHTFUL.deal_block(140_000, 100)
    outcomes = parse_solver(solver).solve(cards, rules)
    won = 0
    for row, outcome in zip(cards, outcomes, strict=True):
        assert outcome.result in (Result.WON, Result.LOST)
        assert (outcome.moves is not None) == (outcome.result is Result.WON)
        if outcome.moves is not None:
            assert proves_win(KlondikeDeal.of(row), rules, unpack_solution(outcome.moves))
            won += 1
    assert 0 < won < 100


def test_an_outcome_depends_on_cards_and_levels_only() -> None:
    cards = THOUGHTFUL.deal_block(141_000, 60)
    for text in [*SOLVERS, "nested-rollout(n=2,seconds=3600)"]:
        solver = parse_solver(text)
        straight = achieved(solver.solve(cards, DRAW3))
        assert achieved(solver.solve(cards, DRAW3)) == straight
        assert achieved(solver.solve(cards[::-1], DRAW3)) == straight[::-1]
        with ThreadPoolExecutor(4) as pool:
            parts = pool.map(lambda row, s=solver: s.solve(row[None], DRAW3)[0], cards[:20])
            assert achieved(parts) == straight[:20]


def test_two_workers_do_what_one_does() -> None:
    given = [
        InputDeal(f"{seed}", KlondikeDeal.of(row), THOUGHTFUL.slug, seed)
        for seed, row in enumerate(THOUGHTFUL.deal_block(0, 30))
    ]
    for text in ("multistage(n0=0,n1=1)", "nested-rollout(n=1)"):
        solver = parse_solver(text)
        found = [
            achieved(solved.outcome for solved in solve_all(given, DRAW3, solver, workers=workers))
            for workers in (1, 2)
        ]
        assert found[0] == found[1]
        assert {result for result, _, _ in found[0]} == {Result.WON, Result.LOST}


def test_room_grows(monkeypatch: pytest.MonkeyPatch) -> None:
    cards = THOUGHTFUL.deal_block(142_000, 15)
    searches = [(levels, Rollouts(DRAW3, *plan(levels))) for levels in [(0,), (1,), (1, 1)]]
    new_rollout_workspace = multistage.new_rollout_workspace

    def tiny_room() -> RolloutWorkspace:
        work = new_rollout_workspace()
        return work._replace(
            path=work.path[:2],
            actions=work.actions[:MOST_ACTIONS],
            scores=work.scores[:MOST_ACTIONS],
        )

    monkeypatch.setattr(multistage, "new_rollout_workspace", tiny_room)
    for levels, roomy in searches:
        tight = Rollouts(DRAW3, *plan(levels))
        assert tight.work.path.shape[0] == 2
        for row in cards:
            expected = roomy.play(row)._replace(seconds=0)
            assert tight.play(row)._replace(seconds=0) == expected
        assert tight.work.path.shape[0] >= 32
        assert tight.work.actions.shape == tight.work.scores.shape
        assert tight.work.actions.shape[0] >= 2 * MOST_ACTIONS


def test_time_limit() -> None:
    """Games that would take hours end soon after a second, and what they win is a win."""
    cards = THOUGHTFUL.deal_block(0, 400)
    quick = parse_solver("nested-rollout(n=1)").solve(cards, DRAW3)
    hard = cards[[outcome.nodes > 15_000 for outcome in quick]][:3]
    results = set()
    for text in ("nested-rollout(n=6,seconds=1)", "multistage(n0=6,n1=4,seconds=1)"):
        for row, outcome in zip(hard, parse_solver(text).solve(hard, DRAW3), strict=True):
            assert (outcome.moves is not None) == (outcome.result is Result.WON)
            if outcome.moves is not None:
                assert proves_win(KlondikeDeal.of(row), DRAW3, unpack_solution(outcome.moves))
            assert outcome.result is Result.WON or outcome.cpu_ms >= 1_000
            assert outcome.cpu_ms < 4_000
            results.add(outcome.result)
    assert results <= {Result.WON, Result.GAVE_UP}
    assert Result.GAVE_UP in results


def test_a_game_lost_in_time_is_lost() -> None:
    cards = THOUGHTFUL.deal_block(143_000, 40)
    limited = parse_solver("multistage(n0=0,n1=1,seconds=3600)").solve(cards, DRAW3)
    assert achieved(limited) == achieved(parse_solver("multistage(n0=0,n1=1)").solve(cards, DRAW3))


@pytest.mark.parametrize("count", [3, 25])
def test_compiled_and_interpreted_agree(
    count: int,
    with_and_without_compiler: Callable[[str], tuple[Any, Any]],
) -> None:
    program = (
        "from engine.dealing.dealers import get_dealer\n"
        "from engine.rulesets import parse_ruleset\n"
        "from solvers.klondike.rollouts.multistage import RolloutReading, Rollouts\n"
        "cards = get_dealer('thoughtful-1').deal_block(150_000, 25)\n"
        "found = []\n"
        "for slug, levels, first, reading, count in [\n"
        "    ('klondike-draw3', (0,), 1, RolloutReading(), 25),\n"
        "    ('klondike-draw3', (0, 0), 0, RolloutReading(plateaus=0), 25),\n"
        "    ('klondike-draw1', (0,), 1, RolloutReading(), 5),\n"
        "    ('klondike-draw3', (1,), 1, RolloutReading(), 6),\n"
        "    ('klondike-yan', (1, 1), 0, RolloutReading(), 6),\n"
        "    ('klondike-draw3', (1, 1), 0, RolloutReading(2, 1, 1, 1, 3), 4),\n"
        "]:\n"
        "    rollouts = Rollouts(parse_ruleset(slug), levels, first, 0, reading)\n"
        f"    for row in cards[:min(count, {count})]:\n"
        "        game = rollouts.play(row)\n"
        "        found.append((game.won, game.nodes, game.plays, (game.moves or b'').hex()))\n"
    )
    compiled, interpreted = with_and_without_compiler(program)
    assert compiled == interpreted
    assert {won for won, _, _, _ in compiled} == {True, False}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("nested-rollout(n=7)", "n=7 of nested-rollout is out of range: expected 0 to 6"),
        ("nested-rollout(n=-1)", "n=-1 of nested-rollout is out of range: expected 0 to 6"),
        ("nested-rollout(n0=1)", "nested-rollout has no parameter 'n0'"),
        ("nested-rollout(n=1.5)", "is not a parameter"),
        ("multistage(n0=7)", "n0=7 of multistage is out of range: expected 0 to 6"),
        ("multistage(n1=-1)", "n1=-1 of multistage is out of range: expected 0 to 6"),
        ("multistage(n=1)", "multistage has no parameter 'n'"),
        ("multistage(seconds=-1)", "seconds=-1 of multistage is out of range"),
        ("multistage(seconds=86401)", "seconds=86401 of multistage is out of range"),
    ],
)
def test_bad_parameters(text: str, said: str) -> None:
    with pytest.raises(BadInput) as caught:
        parse_solver(text)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("solver", ["nested-rollout", "multistage"])
@pytest.mark.parametrize(
    "slug", ["klondike-vegas", "klondike-vegas1", "klondike-draw3-no-worrying-back"]
)
def test_other_rulesets_are_refused(solver: str, slug: str) -> None:
    with pytest.raises(BadInput) as caught:
        parse_solver(solver).solve(THOUGHTFUL.deal_block(0, 1), parse_ruleset(slug))
    assert str(caught.value) == (
        f"{solver} does not play {slug}: "
        "it plays every Klondike ruleset with unlimited redeals and worrying back"
    )


@pytest.mark.parametrize("solver", ["nested-rollout(n={})", "multistage(n0={},n1={})"])
def test_pieces_of_work_have_a_deal_at_least(solver: str) -> None:
    chunks = [parse_solver(solver.format(n, n)).chunk for n in range(7)]
    assert chunks == sorted(chunks, reverse=True)
    assert chunks[-1] == 1
