"""Tests of the tree-search players of Klondike with hidden cards against their twins."""

import random
from collections import Counter

import numpy as np
import pytest

from engine.cardset import CARD_OF_BIT
from engine.klondike.observation import determinize
from engine.klondike.referee import KlondikePosition
from engine.klondike.rules import KlondikeRules
from klondike_tables import (
    DRAW1,
    DRAW3,
    RULES,
    THOUGHTFUL,
    YAN,
    Table,
    deals,
    late_table,
    moves_of,
    naive_rng,
    some_table,
    state_of,
)
from solvers.klondike.kplus.actions import NEEDED, act
from solvers.klondike.players.game import GameRunner
from solvers.klondike.players.planners import TreePlayer
from solvers.klondike.players.play import GREEDY, RANDOM, STATES, uncovers
from solvers.klondike.players.tree import GROWN, TreeBuffers, TreeSettings, grow, new_tree_buffers
from solvers.outcome import Result
from solvers.search_tree import (
    NODE,
    PARTS,
    SAMPLED,
    TIMES,
    VISITS,
    WINS,
    Tree,
    choose,
    new_tree,
)
from solvers.solver import parse_solver
from twins.planners import Edge, NaiveTrees, Node, rng_of
from twins.planners import allowed as naive_allowed
from twins.rollouts import action_of
from twins.yan import NaiveRng


def check_node(tree: Tree, number: int, node: Node, seen: Counter[str]) -> None:
    """A node of the kernel's tree and all under it."""
    first, count, visits, taken = tree.nodes[number].tolist()
    assert (count, visits) == (len(node.edges), node.visits)
    assert taken == sum(edge.times > 0 for edge in node.edges)
    for at, edge in enumerate(node.edges):
        check_edge(tree, first + at, edge, seen)
    seen["nodes"] += 1


def check_edge(tree: Tree, number: int, edge: Edge, seen: Counter[str]) -> None:
    action, times, wins, outcome, drawn, rating = tree.edges[number].tolist()
    assert (action_of(action), times, wins) == (edge.action, edge.times, PARTS * edge.wins)
    assert (drawn, rating) == (len(edge.drawn), 0)
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
    seen["wins"] += edge.wins
    seen["drawn by width"] += 0 < drawn < times


def narrow_table(chooser: random.Random, number: int, rules: KlondikeRules) -> Table:
    """A game with little choice, in which an action that turns a card up is taken often."""
    for deal in deals(222_000 + 100 * number, 100):
        for table in Table(deal, rules, random_seed=number).walk(chooser, 45):
            choices = table.allowed()
            state = determinize(table.observe(), table.work.world)
            turning = any(uncovers(state, table.work.world, action) >= 0 for action in choices)
            if turning and len(choices) in (2, 3):
                return table
    raise AssertionError("there is such a game")


def is_quick(tree: Tree, by_width: bool) -> bool:
    """Whether a tree is small; with `by_width`, one in which outcomes were drawn again."""
    times, drawn = tree.edges[: tree.counts[1], [TIMES, SAMPLED]].T
    return tree.counts[0] < 130 and (not by_width or bool(((drawn > 0) & (drawn < times)).any()))


def check_tree(table: Table, twin: NaiveTrees, buffers: TreeBuffers, seen: Counter[str]) -> None:
    """Grow a tree and its twin, which draws the same."""
    settings = TreeSettings(NEEDED, twin.trees, twin.trajectories, twin.width, twin.exploration)
    table.work.counts[STATES] = 0
    assert grow(table.observe(), settings, table.work, buffers) == GROWN
    tree = buffers.tree
    root = twin.grow(table.seen, table.visited)
    before = seen["nodes"]
    check_node(tree, 0, root, seen)
    assert tree.counts[0] == seen["nodes"] - before
    assert table.work.rng.tolist() == state_of(twin.rng)
    assert table.work.counts[STATES] == twin.entered


@pytest.mark.parametrize("exploration", [0.0, 1.0, 2.0])
@pytest.mark.parametrize("width", [0, 1, 2, 5])
def test_trees_agree(width: int, exploration: float) -> None:
    """Visits, wins and outcomes of every edge, and what is drawn."""
    chooser = random.Random(10 * width + exploration)
    seen: Counter[str] = Counter()
    buffers = new_tree_buffers(1 << 14)
    checked = number = 0
    while checked < 3:
        number += 1
        rules = chooser.choice(RULES)
        kinds = (some_table, narrow_table, late_table)
        table = kinds[checked % 3](chooser, number, rules)
        trajectories = 40 if checked % 3 else chooser.choice([1, 10])
        settings = TreeSettings(NEEDED, 1, trajectories, width, exploration)
        rng = table.work.rng.copy()
        assert grow(table.observe(), settings, table.work, buffers) == GROWN
        tree = buffers.tree
        wins = int(tree.edges[: tree.counts[1], WINS].sum()) // PARTS
        if is_quick(tree, checked % 3 == 1 and width > 0) and (checked % 3 < 2 or wins > 5):
            table.work.rng[:] = rng
            twin = NaiveTrees(naive_rng(rng), 1, trajectories, width, exploration)
            check_tree(table, twin, buffers, seen)
            checked += 1
    assert seen["nodes"] > 30
    assert seen["wins"] > 5
    if width:
        assert seen["drawn by width"] > 0


def unfinished_table(chooser: random.Random, number: int, rules: KlondikeRules) -> Table | None:
    """A game with one hidden card that is lost though that card turned up."""
    (deal,) = deals(221_000 + number, 1)
    game = GameRunner(rules, number)
    won, length = game.play_simple(deal.as_array(), chooser.choice([RANDOM, GREEDY]), NEEDED)
    table = Table(deal, rules, random_seed=number)
    for action in [] if won else game.line[:length].tolist():
        after = act(table.truth, game.croupier.table, action)
        if after.down == 0:
            return table
        table.play(action)
    return None


def test_greedy_finishes_that_lose_are_counted_each_time() -> None:
    chooser = random.Random("finishes")
    checked = number = 0
    while checked < 2:
        number += 1
        rules = RULES[number % len(RULES)]
        table = unfinished_table(chooser, number, rules)
        if table is None:
            continue
        buffers = new_tree_buffers(1 << 12)
        tree = buffers.tree
        rng = table.work.rng.copy()
        assert (
            grow(table.observe(), TreeSettings(NEEDED, 1, 12, 0, 1.0), table.work, buffers) == GROWN
        )
        nodes = tree.outcomes[: tree.counts[2], NODE]
        lost = (nodes >= 0) & (buffers.steps[: len(nodes)] > 0)
        if is_quick(tree, False) and (tree.nodes[nodes[lost], VISITS] > 1).any():
            table.work.rng[:] = rng
            twin = NaiveTrees(naive_rng(rng), 1, 12, 0, 1.0)
            check_tree(table, twin, buffers, Counter())
            checked += 1


def test_actions_are_taken_by_the_upper_bound() -> None:
    """Of nodes as they come up in long trajectories, all of whose actions were taken before."""
    chooser = random.Random("bound")
    tree = new_tree(64)
    rng = np.ones(2, dtype=np.int64)
    position = KlondikePosition.start(deals(0, 1)[0], DRAW3)
    chosen: Counter[int] = Counter()
    for _ in range(20_000):
        exploration = chooser.choice([0.0, 0.5, 1.0, 2.0])
        twin = NaiveTrees(NaiveRng(1, 1), 1, 1, 0, exploration)
        edges = []
        for at in range(chooser.randint(1, 5)):
            times = chooser.randint(1, 12)
            wins = chooser.randint(0, times)
            edges.append(Edge((), position, times, wins))
            tree.edges[7 + at] = 0, times, PARTS * wins, -1, 0, 0
        node = Node(edges, sum(edge.times for edge in edges))
        tree.nodes[3] = 7, len(edges), node.visits, len(edges)
        best = int(choose(3, exploration, tree, rng)) - 7
        assert edges[best] is twin.choose_edge(node)
        chosen[best] += 1
    assert len(chosen) == 5
    assert rng.tolist() == [1, 1]


def test_trees_agree_one_after_another() -> None:
    """The second begins with what the first one left of the draws."""
    chooser = random.Random("after")
    buffers = new_tree_buffers(1 << 14)
    seen: Counter[str] = Counter()
    table = late_table(chooser, 1, DRAW3)
    twin = NaiveTrees(naive_rng(table.work.rng), 1, 10, 2, 1.0)
    for _ in range(4):
        twin.entered = 0
        check_tree(table, twin, buffers, seen)
    assert seen["wins"] > 0


def test_values_of_several_trees_agree() -> None:
    chooser = random.Random("several")
    told_apart = 0
    for number in range(6):
        table = late_table(chooser, 40 + number, RULES[number % len(RULES)])
        while len(table.allowed()) < 2:
            table.play(table.allowed()[0])
        player = TreePlayer(TreeSettings(NEEDED, 3, 4, number % 3, 1.0))
        twin = NaiveTrees(naive_rng(table.work.rng), 3, 4, number % 3, 1.0)
        action = player.choose(table.observe(), table.work)
        actions = [option for option, _ in naive_allowed(table.seen, table.visited)]
        values = twin.values(table.seen, table.visited, len(actions))
        assert player.buffers.values[: len(actions)].tolist() == values
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
    game = GameRunner(rules, 5)
    player = TreePlayer(TreeSettings(NEEDED, trees, trajectories, width, exploration))
    games = 0
    for deal in deals(230_000, 60):
        won, length = game.play(deal.as_array(), player)
        # Those that are neither very short nor very long.
        if length < 8 or game.work.counts[STATES] > 800 or games == 1:
            continue
        twin = NaiveTrees(rng_of(deal, 5), trees, trajectories, width, exploration)
        expected = twin.play(deal, rules, twin.choose)
        assert (won, [action_of(action) for action in game.line[:length]]) == expected
        assert game.work.counts[STATES] == twin.entered
        assert game.work.rng.tolist() == state_of(twin.rng)
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
    game = GameRunner(DRAW3, 4)
    player = TreePlayer(TreeSettings(NEEDED, *settings))
    for row, outcome in zip(cards, outcomes, strict=True):
        won, length = game.play(row, player)
        assert moves_of(outcome) == game.moves(row, length)
        assert (outcome.result is Result.WON, outcome.nodes) == (won, game.work.counts[STATES])


def test_trees_without_room_are_grown_again() -> None:
    grown = 0
    for number in range(12):
        table = some_table(random.Random(number), number, DRAW3)
        chosen = []
        for nodes in (1 << 14, 1):
            table.work.rng[:] = 9, number
            table.work.counts[STATES] = 0
            player = TreePlayer(TreeSettings(NEEDED, 2, 30, 2, 1.0))
            player.buffers = new_tree_buffers(nodes)
            action = player.choose(table.observe(), table.work)
            rng = table.work.rng.tolist()
            chosen.append((action, rng, int(table.work.counts[STATES])))
            grown += nodes == 1 < len(player.buffers.tree.nodes)
        assert chosen[0] == chosen[1]
    assert grown > 5
