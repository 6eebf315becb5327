"""Tests of the search of `multistage` and `nested-rollout` against plain Python."""

import random
from collections import Counter
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, NamedTuple

import pytest

from engine.klondike.kplus import set_up
from engine.klondike.moves import KlondikeKind, unpack_solution
from engine.klondike.referee import KlondikePosition
from engine.klondike.rules import PRESETS, KlondikeRules
from kplus_games import DRAW3, RULES, THOUGHTFUL, YAN, Kernels, Start, beginnings, late_starts
from solvers.klondike.dead_ends.method import shows_pair
from solvers.klondike.kplus.actions import ANY, MOST_ACTIONS, NONE, SINGLE
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
    push,
    run,
    state_at,
)
from twins.rollouts import Action, Macro, NaiveRollouts, Step, action_of, naive_is_dead_end

UNLIMITED = 2**62


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
        (DRAW3, [(0,), (0, 0)], 60, UNLIMITED),
        (DRAW3, [(1,), (0, 1), (1, 0), (1, 1)], 16, 2_500),
        (DRAW3, [(2,), (2, 1), (1, 2), (3, 1)], 10, 2_000),
        (PRESETS["klondike-draw1"], [(0,), (1,), (0, 0), (0, 1), (1, 1)], 12, 1_500),
        (YAN, [(0,), (1,), (0, 0), (0, 1), (1, 1), (2, 1)], 12, 2_000),
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


@pytest.mark.parametrize(("count", "most_nodes"), [(80, 2_500)])
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
    assert min(seen["levels", levels] for levels in LEVELS) > count / 100
    assert min(seen["reading", reading] for reading in READINGS) > count / 100


@pytest.mark.parametrize("levels", [(0,), (1,), (2,), (0, 1), (1, 1), (2, 1)], ids=str)
def test_every_step_agrees(levels: tuple[int, ...]) -> None:
    """What is explored, in which order, at which nesting, with which value."""
    count = 15
    chooser = random.Random(7)
    rollouts = Rollouts(DRAW3, *plan(levels))
    answer = found = 0
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
        answer += len(steps)
        found += len(twin.trace)
    assert answer > 0.5 * found


@pytest.mark.parametrize("capacity", [0, 5, 300, 5_000])
def test_rollouts_that_are_known_change_nothing(capacity: int) -> None:
    """Longer games, with and without them; the more often caches are full, the more are known."""
    count = 4

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


@pytest.mark.parametrize("count", [3, 10])
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
