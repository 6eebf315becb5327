"""The players of Klondike with hidden cards: nothing hidden tells them anything; their twins."""

import random
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import chisquare

from catalogue.pipe import solve_all
from engine.bits import CARD_OF_BIT
from engine.cards import build_cards, suit
from engine.dealers import get_dealer
from engine.deals import KlondikeDeal
from engine.draws import seed_draws
from engine.errors import BadInput
from engine.formats import InputDeal
from engine.kplus import CARD, COLUMN, FOUNDATION, STRAIGHT, State, new_table, set_up
from engine.moves import unpack_solution
from engine.observation import deal_to, imagine, new_croupier, new_view, observe, shuffle
from engine.referee import Position, proves_win
from engine.rulesets import PRESETS, KlondikeRules, parse_ruleset
from engine.uniformity import card_by_place, uniformity
from solvers.hidden_game import FACE_DOWN, Game, seen_at_start
from solvers.hidden_play import (
    _MOST_STATES,
    GREEDY,
    LOST,
    NO_MEMORY,
    NO_ROOM,
    RANDOM,
    RANDOM_CLASS,
    STATES,
    WON,
    Mind,
    allowed,
    finishes,
    forget,
    go_on,
    new_memory,
    remember,
    remembers,
    uncovers,
)
from solvers.hidden_tree import GROWN, Growth, Settings, grow, new_growth
from solvers.hop_kernel import arrange, wins_in_hindsight
from solvers.kplus_actions import FIRST_MOVE, NEEDED, SECOND, act
from solvers.kplus_values import H2, weigh
from solvers.multistage import Rollouts
from solvers.outcome import Outcome, Result
from solvers.planners import HindsightPlayer, TreePlayer
from solvers.registry import parse_solver
from solvers.search_tree import WINS, Tree, choose, new_tree

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).parents[1] / "engine"))

from naive_kplus import read
from naive_planners import (
    Edge,
    NaiveHindsight,
    NaivePlayer,
    NaiveTrees,
    Node,
    covered,
    draws_of,
    lay_out,
)
from naive_planners import allowed as naive_allowed
from naive_rollouts import Action, Macro, settled
from naive_yan import NaiveDraws

DRAW3 = PRESETS["klondike-draw3"]
DRAW1 = PRESETS["klondike-draw1"]
YAN = PRESETS["klondike-yan"]
RULES = [DRAW3, DRAW1, YAN, KlondikeRules(draw=5)]
THOUGHTFUL = get_dealer("thoughtful-1")

# Small ones of every kind.
SOLVERS = [
    "random(random_seed=3)",
    "greedy",
    "hop(samples=2,level=0)",
    "hop(samples=1,level=1)",
    "uct(trajectories=15,c=2)",
    "sparse-uct(trajectories=15,width=2)",
    "hop-uct(trajectories=6,trees=2)",
    "ensemble-uct(trajectories=6,trees=2)",
    "ensemble-sparse-uct(trajectories=6,trees=2,width=2)",
]


def macro_of(move: int) -> Macro:
    """A macro move of the kernels in the referee's cards."""
    bit, destination = move & CARD, move >> 6
    card = int(CARD_OF_BIT[bit])
    if destination == FOUNDATION:
        return card, "foundation"
    if destination == COLUMN:
        return card, "column"
    lower, upper = sorted(build_cards(card), key=suit)
    return card, lower if (destination == STRAIGHT) == (suit(card) < 2) else upper


def action_of(action: int) -> Action:
    first = macro_of(action & FIRST_MOVE)
    return (first, macro_of((action >> SECOND) - 1)) if action >> SECOND else (first,)


def deals(first: int, count: int) -> list[KlondikeDeal]:
    return [KlondikeDeal.of(row) for row in THOUGHTFUL.deal_block(first, count)]


def permuted(
    cards: NDArray[np.uint8], chooser: random.Random, count: int = 21
) -> NDArray[np.uint8]:
    """A deal that looks the same, with so many hidden cards elsewhere."""
    places = chooser.sample(FACE_DOWN.tolist(), count)
    others = cards.copy()
    others[places] = cards[places[1:] + places[:1]]
    return others


class Table:
    """A game that is played by hand: the kernels' side of it, and the referee's.

    Attributes:
        truths: the croupier's states so far.
    """

    def __init__(self, deal: KlondikeDeal, rules: KlondikeRules, random_seed: int = 0) -> None:
        self.deal = deal
        self.rules = rules
        self.game = Game(rules, random_seed)
        self.truths = [self.game.begin(deal.as_array())]
        forget(self.mind.game)
        remember(self.truth, self.mind.game)

    @property
    def mind(self) -> Mind:
        return self.game.mind

    @property
    def truth(self) -> State:
        return self.truths[-1]

    @property
    def seen(self) -> Position:
        return covered(read(self.truth, self.deal, self.rules))

    @property
    def visited(self) -> set[Position]:
        return {covered(read(truth, self.deal, self.rules)) for truth in self.truths}

    def observe(self) -> Any:
        return observe(self.truth, self.game.croupier)

    def allowed(self) -> list[int]:
        state = imagine(self.observe(), self.mind.own)
        scratch = self.mind.scratch
        table, actions = self.mind.own.table, scratch.actions
        return actions[
            : allowed(state, table, NEEDED, self.mind.game, scratch, actions, 0)
        ].tolist()

    def play(self, action: int) -> None:
        after = act(self.truth, self.game.croupier.table, action)
        go_on(self.truth, after, self.mind.game)
        self.truths.append(after)

    def walk(self, chooser: random.Random, most: int) -> Iterator["Table"]:
        """Itself, throughout a random game."""
        for _ in range(most):
            yield self
            choices = self.allowed()
            if not choices or int(self.truth.up).bit_count() == 52:
                return
            # The first ones open the game, so that late positions are met, too.
            self.play(choices[0] if chooser.random() < 0.6 else chooser.choice(choices))


def naive_draws(draws: NDArray[np.int64]) -> NaiveDraws:
    """A generator that goes on as this one will."""
    return NaiveDraws(int(draws[0]), int(draws[1]))


def state_of(draws: NaiveDraws) -> list[int]:
    return [draws.shifted, draws.counter]


# What a person sees.


def visible(position: Position) -> tuple[Any, ...]:
    depths = tuple(len(down) for down in position.down)
    return depths, position.up, position.foundations, position.stock, position.waste


def moves_of(outcome: Outcome) -> bytes:
    assert (outcome.moves is None) == (outcome.result is Result.LOST)
    assert (outcome.played is None) == (outcome.result is Result.WON)
    moves = outcome.played if outcome.moves is None else outcome.moves
    assert moves is not None
    return moves


def positions(cards: NDArray[np.uint8], rules: KlondikeRules, moves: bytes) -> Iterator[Position]:
    """From the start of a deal."""
    position = Position.start(KlondikeDeal.of(cards), rules)
    yield position
    for move in unpack_solution(moves):
        position = position.play(move)
        yield position


def common_moves(
    first: tuple[NDArray[np.uint8], Outcome],
    second: tuple[NDArray[np.uint8], Outcome],
    rules: KlondikeRules,
) -> tuple[int, bool]:
    """In how many positions two games looked the same, in all of which the moves must be equal;
    and whether they never looked different.
    """
    lines = [moves_of(outcome) for _, outcome in (first, second)]
    games = positions(first[0], rules, lines[0]), positions(second[0], rules, lines[1])
    at = 0
    for one, other in zip(*games, strict=False):
        if visible(one) != visible(other):
            return at, False
        assert lines[0][at : at + 1] == lines[1][at : at + 1]
        at += 1
    assert lines[0] == lines[1]
    return at, True


@pytest.mark.parametrize("solver", SOLVERS)
def test_deals_that_look_alike_are_played_alike(solver: str) -> None:
    """Until a card that differs is turned up."""
    chooser = random.Random(solver)
    method = parse_solver(solver)
    compared = parted = 0
    for rules, first in ((DRAW3, 200_000), (DRAW1, 201_000)):
        cards = THOUGHTFUL.deal_block(first, 5)
        outcomes = method.solve(cards, rules)
        # Few other cards are met late.
        for count in (21, 2):
            others = np.array([permuted(row, chooser, count) for row in cards])
            for given in zip(
                zip(cards, outcomes, strict=True),
                zip(others, method.solve(others, rules), strict=True),
                strict=True,
            ):
                same, whole = common_moves(*given, rules)
                compared += same
                parted += not whole
                if whole:
                    assert given[0][1].nodes == given[1][1].nodes
                    assert given[0][1].result == given[1][1].result
    assert compared > 200
    assert 5 < parted < 20


def arrays(thing: Any) -> Iterator[NDArray[Any]]:
    """All arrays that something holds."""
    if isinstance(thing, np.ndarray):
        yield thing
    elif isinstance(thing, tuple):
        for part in thing:
            yield from arrays(part)
    elif hasattr(thing, "__dict__"):
        yield from arrays(tuple(vars(thing).values()))


def players(game: Game) -> list[Any]:
    """What is told of a game to every kind of player."""
    return [
        TreePlayer(Settings(NEEDED, 1, 5, 2, 1.0)),
        HindsightPlayer(NEEDED, 1, 0, game.mind.own),
    ]


def test_players_share_no_memory_with_what_only_the_croupier_knows() -> None:
    game = Game(DRAW3, 0)
    held = [*arrays(game.mind), *arrays(tuple(players(game)))]
    assert len(held) > 30
    for secret in (game.croupier.table.below, game.croupier.level):
        assert not any(np.shares_memory(array, secret) for array in held)


def test_minds_of_deals_that_look_alike_hold_the_same() -> None:
    """All that a player has after it has been handed an observation and has chosen."""
    chooser = random.Random("minds")
    compared = 0
    for number, deal in enumerate(deals(202_000, 12)):
        games = Game(DRAW3, number), Game(DRAW3, number)
        rows = deal.as_array(), permuted(deal.as_array(), chooser, 2)
        truths = [game.begin(row) for game, row in zip(games, rows, strict=True)]
        rivals = [players(game) for game in games]
        for game, truth in zip(games, truths, strict=True):
            forget(game.mind.game)
            remember(truth, game.mind.game)
        while truths[0] == truths[1]:
            handed = [observe(truths[0], game.croupier) for game in games]
            assert handed[0] == handed[1]
            chosen = []
            for game, (trees, hindsight) in zip(games, rivals, strict=True):
                chosen.append(
                    (trees.choose(handed[0], game.mind), hindsight.choose(handed[0], game.mind))
                )
            assert chosen[0] == chosen[1]
            for one, other in zip(
                arrays((games[0].mind, *rivals[0])),
                arrays((games[1].mind, *rivals[1])),
                strict=True,
            ):
                assert np.array_equal(one, other)
            compared += 1
            action = chosen[0][0]
            if action < 0:
                break
            for which, game in enumerate(games):
                after = act(truths[which], game.croupier.table, action)
                go_on(truths[which], after, game.mind.game)
                truths[which] = after
    assert compared > 100


def test_what_is_seen_at_the_start() -> None:
    for deal in deals(203_000, 20):
        seen = seen_at_start(deal.as_array())
        up = [column[-1] for column in deal.tableau]
        assert [int(card) for card in seen if card != 255] == [*up, *deal.stock]
        assert [n for n, card in enumerate(deal.cards) if card != seen[n]] == FACE_DOWN.tolist()


# What a player remembers.


def test_a_memory_is_a_set_of_states() -> None:
    chooser = random.Random("memory")
    memory = new_memory()
    # All alike but for a few cards, so that many want the same place.
    pool = [chooser.getrandbits(52) for _ in range(24)]
    clashes = 0
    for size in (3_000, 10, 3_000):
        forget(memory)
        known: set[tuple[int, int, int]] = set()
        for _ in range(size):
            sets = chooser.choice(pool), chooser.choice(pool), chooser.choice(pool)
            state = State(sets[0], 0, sets[1], sets[2], 0, 0)
            assert bool(remembers(state, memory)) == (sets in known)
            clashes += sets in known
            remember(state, memory)
            known.add(sets)
            assert remembers(state, memory)
    assert clashes > 100


@pytest.mark.parametrize("part", ["up", "straight", "crossed"])
def test_states_that_differ_in_one_set_are_told_apart(part: str) -> None:
    """So many that some want the same place."""
    chooser = random.Random(part)
    memory = new_memory()
    forget(memory)
    for sets in {chooser.getrandbits(52) for _ in range(8_000)}:
        state = State(5, 0, 6, 7, 0, 0)._replace(**{part: sets})
        assert not remembers(state, memory)
        remember(state, memory)
        assert remembers(state, memory)


def test_a_memory_that_is_full_says_so() -> None:
    memory = new_memory()
    forget(memory)
    for number in range(_MOST_STATES):
        assert remember(State(number, 0, 0, 0, 0, 0), memory)
    assert not remember(State(_MOST_STATES, 0, 0, 0, 0, 0), memory)
    for number in range(0, _MOST_STATES, 97):
        assert remembers(State(number, 0, 0, 0, 0, 0), memory)
    assert not remembers(State(_MOST_STATES, 0, 0, 0, 0, 0), memory)


def test_what_cannot_be_taken_back_is_forgotten() -> None:
    memory = new_memory()
    forget(memory)
    first = State(1, 0, 2, 3, 6, 7)
    remember(first, memory)
    second = first._replace(up=2)
    assert go_on(first, second, memory)
    assert remembers(first, memory)
    for changed in (second._replace(up=4, down=4), second._replace(up=4, stock=3)):
        other = new_memory()
        forget(other)
        remember(first, other)
        assert go_on(second, changed, other)
        assert remembers(changed, other)
        assert not remembers(first, other)
        assert other.counts[1] == 1


@pytest.mark.parametrize("rules", RULES, ids=str)
def test_actions_that_repeat_nothing(rules: KlondikeRules) -> None:
    """Those whose results the game has not been in, of the actions of `naive_rollouts`."""
    chooser = random.Random(f"repeat {rules}")
    left_out = compared = 0
    for deal in deals(210_000, 5):
        for table in Table(deal, rules).walk(chooser, 60):
            seen = table.seen
            options = naive_allowed(seen, table.visited)
            assert [action_of(action) for action in table.allowed()] == [a for a, _ in options]
            left_out += len(naive_allowed(seen, set())) - len(options)
            compared += len(options)
    assert left_out > 0
    assert compared > 100


class Witness:
    """A player that notes what it is handed."""

    def __init__(self, player: Any) -> None:
        self.player = player
        self.pairs = player.pairs
        self.handed: list[State] = []

    def choose(self, observation: Any, mind: Mind) -> int:
        self.handed.append(State(*(int(part) for part in observation.state)))
        return int(self.player.choose(observation, mind))


@pytest.mark.parametrize("rules", RULES, ids=str)
def test_no_game_is_twice_in_a_state(rules: KlondikeRules) -> None:
    game = Game(rules, 1)
    handed = finished = 0
    for row in THOUGHTFUL.deal_block(211_000, 15):
        for player in players(game):
            witness = Witness(player)
            won, length = game.play(row, witness)
            truth = State(*(int(part) for part in deal_to(row, game.croupier)))
            states = [truth]
            for action in game.line[:length]:
                truth = act(truth, game.croupier.table, action)
                states.append(State(*(int(part) for part in truth)))
            chosen = len(witness.handed)
            assert witness.handed == states[:chosen]
            assert len(set(states[:chosen])) == chosen
            # The greedy finish begins where nothing is hidden, and remembers itself alone.
            rest = states[chosen:] if won else []
            assert len(set(rest)) == len(rest)
            assert all(state.down == 0 for state in rest)
            assert chosen + len(rest) == len(states)
            handed += chosen
            finished += len(rest)
    assert handed > 300
    assert finished > 0


# The players that do not plan.


@pytest.mark.parametrize("rules", RULES, ids=str)
def test_finishes_agree(rules: KlondikeRules) -> None:
    line = np.zeros(4_096, dtype=np.int64)
    game = Game(rules, 1)
    ended: Counter[bool] = Counter()
    for number, deal in enumerate(deals(212_000, 250)):
        _, length = game.play_simple(deal.as_array(), (GREEDY, RANDOM)[number % 2], NEEDED)
        truth = State(*(int(part) for part in deal_to(deal.as_array(), game.croupier)))
        for action in game.line[:length].tolist():
            if truth.down == 0:
                break
            truth = act(truth, game.croupier.table, action)
        if truth.down != 0:
            continue
        player = NaivePlayer(NaiveDraws(1, 0))
        rest = player.finish(covered(read(truth, deal, rules)))
        game.mind.counts[STATES] = 0
        state = imagine(observe(truth, game.croupier), game.mind.own)
        how, last = finishes(state, NEEDED, game.mind, line, 7)
        assert how == (LOST if rest is None else WON)
        assert game.mind.counts[STATES] == player.entered
        if rest is not None:
            assert [action_of(action) for action in line[7:last]] == rest
            # Without room for the last action nobody knows whether it wins.
            short = finishes(state, NEEDED, game.mind, line[: last - 1], 7)
            assert short == (NO_ROOM, last - 1)
        ended[how == WON] += 1
    assert ended[True] > 1


@pytest.mark.parametrize("rules", RULES, ids=str)
@pytest.mark.parametrize(
    "policy", [RANDOM, GREEDY, RANDOM_CLASS], ids=["random", "greedy", "class"]
)
def test_simple_players_agree(policy: int, rules: KlondikeRules) -> None:
    game = Game(rules, 77)
    wins = 0
    for deal in deals(213_000, 5 if rules == DRAW1 else 8):
        won, length = game.play_simple(deal.as_array(), policy, NEEDED)
        player = NaivePlayer(draws_of(deal, 77))
        choose = (player.choose_any, player.choose_first, player.choose_class)[policy]
        expected = player.play(deal, rules, choose)
        assert (won, [action_of(action) for action in game.line[:length]]) == expected
        assert game.mind.counts[STATES] == player.entered
        assert game.mind.draws.tolist() == state_of(player.draws)
        wins += won
    assert wins < 5


def test_a_line_that_is_too_short_grows() -> None:
    """In the midst of a game and in its finish; what is played stays the same."""
    grown = 0
    for deal in deals(214_000, 40):
        cards = deal.as_array()
        games = Game(DRAW3, 5), Game(DRAW3, 5)
        games[1].line = games[1].line[:2].copy()
        ends = [game.play_simple(cards, GREEDY, NEEDED) for game in games]
        assert ends[0] == ends[1]
        length = ends[0][1]
        assert games[0].line[:length].tolist() == games[1].line[:length].tolist()
        games[1].line = games[1].line[:2].copy()
        player = TreePlayer(Settings(NEEDED, 1, 2, 1, 1.0))
        if grown < 5:
            ends = [game.play(cards, player) for game in games]
            assert ends[0] == ends[1]
            grown += len(games[1].line) > 2
    assert grown == 5


def test_a_memory_without_room_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not a reason to ask for ever more room, and nothing that loses a game."""
    monkeypatch.setattr("solvers.hidden_game.play_simple", lambda *_: (NO_MEMORY, 0))
    with pytest.raises(RuntimeError, match="states entered since a step that cannot be taken back"):
        Game(DRAW3, 0).play_simple(deals(0, 1)[0].as_array(), RANDOM, NEEDED)
    monkeypatch.setattr("solvers.hidden_tree.plan", lambda *_: -NO_MEMORY)
    with pytest.raises(RuntimeError, match="states entered since a step that cannot be taken back"):
        Game(DRAW3, 0).play(deals(0, 1)[0].as_array(), TreePlayer(Settings(NEEDED, 1, 2, 0, 1.0)))


# The players that grow trees.


def check_node(tree: Tree, number: int, node: Node, seen: Counter[str]) -> None:
    """A node of the kernel's tree and all under it."""
    first, count, visits, taken = tree.nodes[number].tolist()
    assert (count, visits) == (len(node.edges), node.visits)
    assert taken == sum(edge.times > 0 for edge in node.edges)
    for at, edge in enumerate(node.edges):
        check_edge(tree, first + at, edge, seen)
    seen["nodes"] += 1


def check_edge(tree: Tree, number: int, edge: Edge, seen: Counter[str]) -> None:
    action, times, wins, outcome, drawn = tree.edges[number].tolist()
    assert (action_of(action), times, wins) == (edge.action, edge.times, edge.wins)
    assert drawn == len(edge.drawn)
    # Where nothing turns up, there is one outcome, and it is not drawn.
    expected = [(card, edge.drawn.count(card)) for card in edge.newest]
    if times and not edge.drawn:
        expected = [(-1, 0)]
    outcomes = []
    while outcome >= 0:
        child, bit, weight, outcome = tree.outcomes[outcome].tolist()
        card = int(CARD_OF_BIT[bit]) if bit >= 0 else None
        outcomes.append((-1 if card is None else card, weight))
        assert (child >= 0) == (card in edge.children)
        if child >= 0:
            check_node(tree, child, edge.children[card], seen)
        seen["outcomes drawn again"] += weight > 1
    assert outcomes == expected
    seen["wins"] += wins
    seen["drawn by width"] += 0 < drawn < times


def some_table(chooser: random.Random, number: int, rules: KlondikeRules) -> Table:
    """A game somewhere in its middle."""
    (deal,) = deals(220_000 + number, 1)
    table = Table(deal, rules, random_seed=number)
    for _ in table.walk(chooser, chooser.randint(1, 45)):
        pass
    return table


def narrow_table(chooser: random.Random, number: int, rules: KlondikeRules) -> Table:
    """A game with little choice, in which an action that turns a card up is taken often."""
    for deal in deals(222_000 + 100 * number, 100):
        for table in Table(deal, rules, random_seed=number).walk(chooser, 45):
            choices = table.allowed()
            state = imagine(table.observe(), table.mind.own)
            turning = any(uncovers(state, table.mind.own, action) >= 0 for action in choices)
            if turning and len(choices) in (2, 3):
                return table
    raise AssertionError("there is such a game")


def late_table(chooser: random.Random, number: int, rules: KlondikeRules) -> Table:
    """A game with few hidden cards that `greedy` will win."""
    game = Game(rules, number)
    for deal in deals(221_000 + 100 * number, 100):
        won, length = game.play_simple(deal.as_array(), GREEDY, NEEDED)
        if won:
            break
    hidden_cards = chooser.randint(1, 3)
    table = Table(deal, rules, random_seed=number)
    for action in game.line[:length].tolist():
        if int(table.truth.down).bit_count() <= hidden_cards:
            break
        table.play(action)
    return table


def is_quick(tree: Tree, by_width: bool) -> bool:
    """Whether a tree is small; with `by_width`, one in which outcomes were drawn again."""
    _, times, _, _, drawn = tree.edges[: tree.counts[1]].T
    return tree.counts[0] < 130 and (not by_width or bool(((drawn > 0) & (drawn < times)).any()))


def check_tree(table: Table, twin: NaiveTrees, growth: Growth, seen: Counter[str]) -> None:
    """Grow a tree and its twin, which draws the same."""
    settings = Settings(NEEDED, twin.trees, twin.trajectories, twin.width, twin.exploration)
    table.mind.counts[STATES] = 0
    assert grow(table.observe(), settings, table.mind, growth) == GROWN
    tree = growth.tree
    root = twin.grow(table.seen, table.visited)
    before = seen["nodes"]
    check_node(tree, 0, root, seen)
    assert tree.counts[0] == seen["nodes"] - before
    assert table.mind.draws.tolist() == state_of(twin.draws)
    assert table.mind.counts[STATES] == twin.entered


@pytest.mark.parametrize("exploration", [0.0, 1.0, 2.0])
@pytest.mark.parametrize("width", [0, 1, 2, 5])
def test_trees_agree(width: int, exploration: float) -> None:
    """Visits, wins and outcomes of every edge, and what is drawn."""
    chooser = random.Random(10 * width + exploration)
    seen: Counter[str] = Counter()
    growth = new_growth(1 << 14)
    checked = number = 0
    while checked < 3:
        number += 1
        rules = chooser.choice(RULES)
        kinds = (some_table, narrow_table, late_table)
        table = kinds[checked % 3](chooser, number, rules)
        trajectories = 40 if checked % 3 else chooser.choice([1, 10])
        settings = Settings(NEEDED, 1, trajectories, width, exploration)
        draws = table.mind.draws.copy()
        assert grow(table.observe(), settings, table.mind, growth) == GROWN
        tree = growth.tree
        wins = int(tree.edges[: tree.counts[1], WINS].sum())
        if is_quick(tree, checked % 3 == 1 and width > 0) and (checked % 3 < 2 or wins > 5):
            table.mind.draws[:] = draws
            twin = NaiveTrees(naive_draws(draws), 1, trajectories, width, exploration)
            check_tree(table, twin, growth, seen)
            checked += 1
    assert seen["nodes"] > 30
    assert seen["wins"] > 5
    if width:
        assert seen["drawn by width"] > 0


def test_actions_are_taken_by_the_upper_bound() -> None:
    """Of nodes as they come up in long trajectories, all of whose actions were taken before."""
    chooser = random.Random("bound")
    tree = new_tree(64)
    draws = np.ones(2, dtype=np.int64)
    position = Position.start(deals(0, 1)[0], DRAW3)
    chosen: Counter[int] = Counter()
    for _ in range(20_000):
        exploration = chooser.choice([0.0, 0.5, 1.0, 2.0])
        twin = NaiveTrees(NaiveDraws(1, 1), 1, 1, 0, exploration)
        edges = []
        for at in range(chooser.randint(1, 5)):
            times = chooser.randint(1, 12)
            wins = chooser.randint(0, times)
            edges.append(Edge((), position, times, wins))
            tree.edges[7 + at] = 0, times, wins, -1, 0
        node = Node(edges, sum(edge.times for edge in edges))
        tree.nodes[3] = 7, len(edges), node.visits, len(edges)
        best = int(choose(3, exploration, tree, draws)) - 7
        assert edges[best] is twin.choose_edge(node)
        chosen[best] += 1
    assert len(chosen) == 5
    assert draws.tolist() == [1, 1]


def test_trees_agree_one_after_another() -> None:
    """The second begins with what the first one left of the draws."""
    chooser = random.Random("after")
    growth = new_growth(1 << 14)
    seen: Counter[str] = Counter()
    table = late_table(chooser, 1, DRAW3)
    twin = NaiveTrees(naive_draws(table.mind.draws), 1, 10, 2, 1.0)
    for _ in range(4):
        twin.entered = 0
        check_tree(table, twin, growth, seen)
    assert seen["wins"] > 0


def test_values_of_several_trees_agree() -> None:
    chooser = random.Random("several")
    told_apart = 0
    for number in range(6):
        table = late_table(chooser, 40 + number, RULES[number % len(RULES)])
        while len(table.allowed()) < 2:
            table.play(table.allowed()[0])
        player = TreePlayer(Settings(NEEDED, 3, 4, number % 3, 1.0))
        twin = NaiveTrees(naive_draws(table.mind.draws), 3, 4, number % 3, 1.0)
        action = player.choose(table.observe(), table.mind)
        actions = [option for option, _ in naive_allowed(table.seen, table.visited)]
        values = twin.values(table.seen, table.visited, len(actions))
        assert player.growth.values[: len(actions)].tolist() == values
        assert action_of(action) == actions[values.index(max(values))]
        told_apart += len(set(values)) > 1
    assert told_apart > 2


@pytest.mark.parametrize(
    ("trees", "trajectories", "width", "exploration", "rules"),
    [
        (1, 4, 0, 1.0, DRAW3),
        (1, 3, 0, 0.0, DRAW1),
        (1, 4, 2, 2.0, YAN),
        (2, 2, 1, 1.0, DRAW3),
        (2, 2, 5, 1.0, DRAW3),
        (2, 2, 0, 2.0, KlondikeRules(draw=5)),
    ],
    ids=str,
)
def test_games_by_trees_agree(
    trees: int, trajectories: int, width: int, exploration: float, rules: KlondikeRules
) -> None:
    game = Game(rules, 5)
    player = TreePlayer(Settings(NEEDED, trees, trajectories, width, exploration))
    games = 0
    for deal in deals(230_000, 60):
        won, length = game.play(deal.as_array(), player)
        # Those that are neither very short nor very long.
        if length < 8 or game.mind.counts[STATES] > 800 or games == 1:
            continue
        twin = NaiveTrees(draws_of(deal, 5), trees, trajectories, width, exploration)
        expected = twin.play(deal, rules, twin.choose)
        assert (won, [action_of(action) for action in game.line[:length]]) == expected
        assert game.mind.counts[STATES] == twin.entered
        assert game.mind.draws.tolist() == state_of(twin.draws)
        games += 1
    assert games == 1


@pytest.mark.parametrize(
    ("text", "settings"),
    [
        ("uct(trajectories=9,c=3)", (1, 9, 0, 3.0)),
        ("sparse-uct(trajectories=9,width=2)", (1, 9, 2, 1.0)),
        ("hop-uct(trajectories=9,trees=2)", (2, 9, 1, 1.0)),
        ("ensemble-uct(trajectories=9,trees=2)", (2, 9, 0, 1.0)),
        ("ensemble-sparse-uct(trajectories=9,trees=2,width=3)", (2, 9, 3, 1.0)),
    ],
)
def test_methods_are_the_trees_of_the_paper(
    text: str, settings: tuple[int, int, int, float]
) -> None:
    cards = THOUGHTFUL.deal_block(231_000, 6)
    outcomes = parse_solver(f"{text[:-1]},random_seed=4)").solve(cards, DRAW3)
    game = Game(DRAW3, 4)
    player = TreePlayer(Settings(NEEDED, *settings))
    for row, outcome in zip(cards, outcomes, strict=True):
        won, length = game.play(row, player)
        assert moves_of(outcome) == game.moves(row, length)
        assert (outcome.result is Result.WON, outcome.nodes) == (won, game.mind.counts[STATES])


def test_trees_without_room_are_grown_again() -> None:
    grown = 0
    for number in range(12):
        table = some_table(random.Random(number), number, DRAW3)
        chosen = []
        for nodes in (1 << 14, 1):
            table.mind.draws[:] = 9, number
            table.mind.counts[STATES] = 0
            player = TreePlayer(Settings(NEEDED, 2, 30, 2, 1.0))
            player.growth = new_growth(nodes)
            action = player.choose(table.observe(), table.mind)
            draws = table.mind.draws.tolist()
            chosen.append((action, draws, int(table.mind.counts[STATES])))
            grown += nodes == 1 < len(player.growth.tree.nodes)
        assert chosen[0] == chosen[1]
    assert grown > 5


# The player that asks in hindsight.


def hindsight(table: Table, samples: int, level: int) -> HindsightPlayer:
    return HindsightPlayer(NEEDED, samples, level, table.mind.own)


@pytest.mark.parametrize(("samples", "level"), [(3, 0), (1, 1)])
def test_wins_in_hindsight_agree(samples: int, level: int) -> None:
    chooser = random.Random(f"hindsight {level}")
    seen: Counter[str] = Counter()
    for number in range(20):
        table = some_table(chooser, 1_000 + number, RULES[number % len(RULES)])
        if number % 3 == 2:
            table = late_table(chooser, number, RULES[number % len(RULES)])
        player = hindsight(table, samples, level)
        twin = NaiveHindsight(naive_draws(table.mind.draws), samples, level)
        table.mind.counts[STATES] = 0
        options = naive_allowed(table.seen, table.visited)
        action = player.choose(table.observe(), table.mind)
        if table.mind.counts[STATES] > 1_500:
            continue
        if len(options) > 1:
            wins = twin.wins(table.seen, options)
            assert player.planner.wins[: len(options)].tolist() == wins
            assert action_of(action) == options[wins.index(max(wins))][0]
            seen["won"] += sum(wins)
            seen["lost"] += samples * len(wins) - sum(wins)
        else:
            assert [action_of(action)] == [a for a, _ in options] if options else action == -1
        assert table.mind.counts[STATES] == twin.entered
        assert table.mind.draws.tolist() == state_of(twin.draws)
    assert min(seen["won"], seen["lost"]) > 5


def test_games_in_hindsight_agree() -> None:
    for rules, deal in zip((DRAW3, YAN), deals(240_000, 2), strict=True):
        game = Game(rules, 6)
        player = HindsightPlayer(NEEDED, 1, 0, game.mind.own)
        won, length = game.play(deal.as_array(), player)
        twin = NaiveHindsight(draws_of(deal, 6), 1, 0)
        expected = twin.play(deal, rules, twin.choose)
        assert (won, [action_of(action) for action in game.line[:length]]) == expected
        assert game.mind.counts[STATES] == twin.entered
        assert game.mind.draws.tolist() == state_of(twin.draws)


@pytest.mark.parametrize("level", [0, 1])
def test_hindsight_at_the_start_is_a_nested_rollout_of_another_deal(level: int) -> None:
    """The hidden cards lie as they are shown, and `nested-rollout` is what is asked."""
    chooser = random.Random(level)
    rollouts = Rollouts(DRAW3, (level,), H2)
    results: Counter[bool] = Counter()
    for deal in deals(241_000, 40):
        table = Table(deal, DRAW3)
        planner = hindsight(table, 1, level).planner
        draws = np.array([chooser.getrandbits(32) | 1, 0], dtype=np.int64)
        order = np.zeros(52, dtype=np.int64)
        count = shuffle(table.truth.down, order, draws.copy())
        shown = lay_out(table.seen, [int(CARD_OF_BIT[bit]) for bit in order[:count]])
        state = imagine(table.observe(), table.mind.own)
        won = wins_in_hindsight(state, table.mind.own, planner, draws)
        columns = sorted((*down, *up) for down, up in zip(shown.down, shown.up, strict=True))
        other = KlondikeDeal.from_piles(sorted(columns, key=len), deal.stock)
        game = rollouts.play(other.as_array())
        # That one asks for a pattern of starting deals, too, before it searches.
        if game.nodes:
            assert (game.won, game.nodes) == (won == 1, planner.room.meta[2])
            results[game.won] += 1
        else:
            assert won == 0
    assert min(results.values()) > 3


def true_order(position: Position) -> list[int]:
    """The cards face down, the uppermost of each column first."""
    columns = sorted(
        (int(np.flatnonzero(up[0] == CARD_OF_BIT)[0]), down[::-1])
        for down, up in zip(position.down, position.up, strict=True)
        if down
    )
    return [int(np.flatnonzero(card == CARD_OF_BIT)[0]) for _, down in columns for card in down]


def test_the_true_arrangement_weighs_what_the_deal_does() -> None:
    chooser = random.Random("weighs")
    states = 0
    for number, deal in enumerate(deals(242_000, 30)):
        rules = RULES[number % len(RULES)]
        weighed = np.zeros((2, 52), dtype=np.int64)
        weigh(deal.as_array(), weighed)
        table = Table(deal, rules)
        arranged = new_table(rules.draw, rules.partial_runs)
        turning = np.zeros((2, 52), dtype=np.int64)
        order = np.zeros(52, dtype=np.int64)
        for _ in table.walk(chooser, 40):
            position = settled(read(table.truth, deal, rules))
            cards = true_order(position)
            order[:] = 0
            order[: len(cards)] = cards
            turning[:] = 99
            arranged.below[:] = 99
            state = imagine(table.observe(), table.mind.own)
            arrange(state, table.mind.own, order, arranged, turning)
            assert (turning[:, cards] == weighed[:, cards]).all()
            # Under what is face down, and under what lies on that, lies what was dealt there.
            own = table.game.croupier.table.below & table.truth.down
            in_tableau = table.truth.tableau | table.truth.down
            for bit in range(52):
                expected = own[bit] if int(in_tableau) >> bit & 1 else 0
                assert arranged.below[bit] == expected
            states += 1
    assert states > 400


def test_any_arrangement_weighs_what_its_deal_does() -> None:
    chooser = random.Random("any")
    for deal in deals(243_000, 40):
        other = permuted(deal.as_array(), chooser)
        weighed, turning = np.zeros((2, 2, 52), dtype=np.int64)
        weigh(other, weighed)
        table = new_table(3)
        set_up(other, table)
        cards = true_order(Position.start(KlondikeDeal.of(other), DRAW3))
        order = np.zeros(52, dtype=np.int64)
        order[:21] = cards
        # The player has been handed the deal that looks the same.
        seat = Table(deal, DRAW3)
        arranged = new_table(3)
        state = imagine(seat.observe(), seat.mind.own)
        arrange(state, seat.mind.own, order, arranged, turning)
        assert (turning[:, cards] == weighed[:, cards]).all()
        assert (arranged.below == table.below).all()


def test_hidden_cards_are_shuffled_with_the_same_chance() -> None:
    draws = np.zeros(2, dtype=np.int64)
    seed_draws(np.arange(52, dtype=np.uint8), 1, draws)
    order = np.zeros(52, dtype=np.int64)
    counts = dict.fromkeys(permutations([2, 11, 30, 51]), 0)
    for _ in range(24_000):
        assert shuffle(1 << 2 | 1 << 11 | 1 << 30 | 1 << 51, order, draws) == 4
        counts[tuple(order[:4].tolist())] += 1
    assert len(counts) == 24
    assert chisquare(list(counts.values())).pvalue > 0.01
    unseen = np.array(sorted(random.Random(1).sample(range(52), 21)))
    together = sum(1 << int(bit) for bit in unseen)
    orders = np.zeros((20_000, 21), dtype=np.uint8)
    for row in orders:
        assert shuffle(together, order, draws) == 21
        row[:] = np.searchsorted(unseen, order[:21])
    assert uniformity(card_by_place(orders)).p_value > 0.01


@pytest.mark.parametrize("level", [0, 1])
def test_hidden_cards_lie_anywhere_with_the_same_chance(level: int) -> None:
    """As the planner is shown them: a card of each column, over many shuffles."""
    (deal,) = deals(244_000, 1)
    croupier = new_croupier(3)
    truth = deal_to(deal.as_array(), croupier)
    view = new_view(croupier)
    state = imagine(observe(truth, croupier), view)
    draws = np.zeros(2, dtype=np.int64)
    seed_draws(deal.as_array(), level, draws)
    table, turning = new_table(3), np.zeros((2, 52), dtype=np.int64)
    order = np.zeros(52, dtype=np.int64)
    unseen = [bit for bit in range(52) if int(truth.down) >> bit & 1]
    bases = [bit for bit in range(52) if view.depth[bit] > level]
    counts = np.zeros((len(bases), 52), dtype=np.int64)
    for _ in range(10_000):
        shuffle(state.down, order, draws)
        arrange(state, view, order, table, turning)
        for number, base in enumerate(bases):
            card = int(table.below[base]).bit_length() - 1
            for _ in range(level):
                card = int(table.below[card]).bit_length() - 1
            counts[number, card] += 1
    assert counts.sum() == counts[:, unseen].sum()
    assert [chisquare(row).pvalue > 0.002 for row in counts[:, unseen]] == [True] * len(bases)


# Outcomes.


def achieved(outcomes: Iterable[Outcome]) -> list[tuple[Any, ...]]:
    return [(each.result, each.nodes, each.moves, each.played) for each in outcomes]


@pytest.mark.parametrize("solver", SOLVERS)
def test_wins_replay(solver: str) -> None:
    results: Counter[Result] = Counter()
    for rules, count in zip(RULES, (12, 8, 3, 3), strict=True):
        # Those that do not plan are quick, and seldom win.
        cards = THOUGHTFUL.deal_block(250_000, 4 * count if solver in SOLVERS[:2] else count)
        for row, outcome in zip(cards, parse_solver(solver).solve(cards, rules), strict=True):
            moves = unpack_solution(moves_of(outcome))
            won = proves_win(KlondikeDeal.of(row), rules, moves)
            assert outcome.result is (Result.WON if won else Result.LOST)
            assert outcome.nodes > 0 or not moves
            results[outcome.result] += 1
    assert min(results[Result.WON], results[Result.LOST]) > 1


@pytest.mark.parametrize("solver", SOLVERS)
def test_an_outcome_depends_on_deal_and_parameters_only(solver: str) -> None:
    cards = THOUGHTFUL.deal_block(251_000, 5)
    method = parse_solver(solver)
    straight = achieved(method.solve(cards, DRAW3))
    assert achieved(method.solve(cards[::-1], DRAW3)) == straight[::-1]
    with ThreadPoolExecutor(4) as pool:
        parts = pool.map(lambda row: method.solve(row[None], DRAW3)[0], cards[:3])
        assert achieved(parts) == straight[:3]
    if solver != "greedy":
        name, _, rest = solver.replace(",random_seed=3", "").rstrip(")").partition("(")
        rest = rest.replace("random_seed=3", "")
        other = parse_solver(f"{name}({rest}{',' if rest else ''}random_seed=9)")
        assert achieved(other.solve(cards, DRAW3)) != straight


def test_two_workers_do_what_one_does() -> None:
    given = [
        InputDeal(f"{seed}", KlondikeDeal.of(row), THOUGHTFUL.slug, seed)
        for seed, row in enumerate(THOUGHTFUL.deal_block(0, 12))
    ]
    solver = parse_solver("ensemble-sparse-uct(trajectories=6,trees=2,width=2)")
    found = [
        achieved(solved.outcome for solved in solve_all(given, DRAW3, solver, workers=workers))
        for workers in (1, 2)
    ]
    assert found[0] == found[1]


def test_compiled_and_interpreted_agree(
    with_and_without_compiler: Callable[[str], tuple[Any, Any]],
) -> None:
    program = (
        "from engine.dealers import get_dealer\n"
        "from engine.rulesets import parse_ruleset\n"
        "from solvers.registry import parse_solver\n"
        "cards = get_dealer('thoughtful-1').deal_block(260_000, 10)\n"
        "found = []\n"
        "for slug, text, which in [\n"
        "    ('klondike-draw3', 'random', slice(10)),\n"
        "    ('klondike-draw1', 'greedy', slice(10)),\n"
        "    ('klondike-draw3', 'hop(samples=1,level=0)', slice(6, 7)),\n"
        "    ('klondike-draw3', 'uct(trajectories=2,c=2)', slice(1)),\n"
        "    ('klondike-yan', 'sparse-uct(trajectories=2,width=1)', slice(1)),\n"
        "    ('klondike-draw3', 'hop-uct(trajectories=1,trees=2)', slice(1)),\n"
        "]:\n"
        "    for each in parse_solver(text).solve(cards[which], parse_ruleset(slug)):\n"
        "        moves = each.moves or each.played or b''\n"
        "        found.append((each.result, each.nodes, moves.hex()))\n"
    )
    compiled, interpreted = with_and_without_compiler(program)
    assert compiled == interpreted
    assert {result for result, _, _ in compiled} == {"won", "lost"}


@pytest.mark.parametrize("solver", ["random", "greedy", "hop", "uct", "hop-uct"])
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
