"""Naive twin of `exact-uct` in plain Python: the tree, the halving and the croupier.

Steps and their pruning are those of the exact search, which has twins of its own, and so is what it
says of a deal that it is shown. All else is written here again.
"""

from dataclasses import dataclass, field
from math import log, sqrt

import numpy as np
from numpy.typing import NDArray

from engine.cards import suit
from engine.cardset import BIT_OF_CARD, CARD_OF_BIT
from engine.kernels.rng import random_below, seed_rng
from engine.klondike.stock_turns import every_table, index_stock, take_from_stock, within_reach
from solvers.klondike.exact.by_stocks import search
from solvers.klondike.exact.layout import new_layout
from solvers.klondike.exact.nodes import Node as ExactNode
from solvers.klondike.exact.nodes import rising_cards
from solvers.klondike.exact.position import (
    COLUMN_WEIGHT,
    DOWN,
    HEAD_UP,
    HEIGHT_WEIGHT,
    LOOSE_UP,
    REVEAL,
    STOCK_DOWN,
    STOCK_UP,
)
from solvers.klondike.exact.rules import mode_by_stocks
from solvers.klondike.exact.search import PAUSED, UNWINNABLE, WON
from solvers.klondike.exact.steps import steps
from solvers.klondike.exact.workspace import new_workspaces
from twins.step_policy import naive_logit, naive_position, naive_step

KING = 12

# What tells positions apart that have the same columns and stock.
Key = tuple[frozenset[int], frozenset[int], int]


@dataclass(frozen=True)
class Table:
    """What can be seen; cards by bit.

    columns: of each, its head, −1 before it turns up, and how many face-down cards lie under it;
        None if it has no head.
    """

    up: frozenset[int]
    loose: frozenset[int]
    columns: tuple[tuple[int, int] | None, ...]
    stock: int
    brought: int = -1

    @property
    def heads(self) -> frozenset[int]:
        return frozenset(column[0] for column in self.columns if column and column[0] >= 0)


@dataclass
class Edge:
    step: int
    times: int = 0
    wins: float = 0
    children: dict[int, "Node | bool"] = field(default_factory=dict)


@dataclass
class Node:
    edges: list[Edge]
    visits: int = 0
    ratings: list[int] = field(default_factory=list)


def as_set(cards: frozenset[int]) -> int:
    return sum(1 << card for card in cards)


class NaiveExactUct:
    """The player; it is told what is seen at the start, and each card that turns up."""

    def __init__(
        self,
        draw: int,
        trajectories: int,
        nodes: int,
        weights: NDArray[np.float64] | None = None,
        prior: int = 0,
        undecided: float = 0,
        inner_prior: int = 0,
    ) -> None:
        self.draw, self.trajectories, self.nodes = draw, trajectories, nodes
        self.weights, self.prior, self.undecided = weights, prior, undecided
        self.inner_prior = inner_prior
        self.every = every_table(draw)
        self.outer, self.inner = new_workspaces(draw, 64)

    def begin(self, seen: NDArray[np.uint8], random_seed: int) -> None:
        self.rng = np.zeros(2, dtype=np.int64)
        seed_rng(seen, random_seed, self.rng)
        self.deal = new_layout()
        self.stock_cards = [int(card) for card in seen[28:]]
        index_stock(seen[28:], 24, self.deal.stock_sets, self.deal.stock_index)
        columns: list[tuple[int, int] | None] = []
        loose: frozenset[int] = frozenset()
        place = 0
        for column in range(7):
            top = int(seen[place + column])
            place += column + 1
            bit = int(BIT_OF_CARD[top])
            if column == 0 and top >> 2 == KING:
                columns.append(None)
                loose = frozenset({bit})
            else:
                columns.append((bit, column))
        self.table = Table(frozenset(), loose, tuple(columns), (1 << 24) - 1)
        self.game = [self.key(self.table)]
        self.node = Node(self.edges(self.table, self.game))

    # --- the rules, over what is seen ------------------------------------------------------------

    @staticmethod
    def key(table: Table) -> Key:
        return table.up, table.loose, table.brought

    def column_of(self, table: Table, bit: int) -> int:
        return next(n for n, column in enumerate(table.columns) if column and column[0] == bit)

    def in_stock(self, table: Table) -> set[int]:
        return {int(BIT_OF_CARD[c]) for n, c in enumerate(self.stock_cards) if table.stock >> n & 1}

    def unseen(self, table: Table) -> list[int]:
        return sorted(set(range(52)) - table.up - table.loose - table.heads - self.in_stock(table))

    def take(self, table: Table, step: int, card: int) -> Table:
        kind, bit = step >> 6, step & 63
        up, loose = set(table.up), set(table.loose)
        columns, stock = list(table.columns), table.stock
        if kind in (HEAD_UP, REVEAL):
            column = self.column_of(table, bit)
            place = columns[column]
            assert place is not None
            hidden = place[1]
            columns[column] = (card, hidden - 1) if hidden else None
        if kind in (STOCK_UP, STOCK_DOWN):
            index = self.stock_cards.index(int(CARD_OF_BIT[bit]))
            stock = int(take_from_stock(stock, index, self.draw))
        loose.discard(bit)
        up.discard(bit)
        (up if kind in (HEAD_UP, STOCK_UP, LOOSE_UP) else loose).add(bit)
        brought = bit if kind == DOWN else -1
        return Table(frozenset(up), frozenset(loose), tuple(columns), stock, brought)

    def exact_node(self, table: Table) -> ExactNode:
        """The position as the exact search has it; writes the columns of its heads."""
        up, loose, heads = as_set(table.up), as_set(table.loose), as_set(table.heads)
        columns = 0
        self.deal.column_of[:] = -1
        for number, column in enumerate(table.columns):
            if column:
                columns |= (column[1] + 1) << (4 * number)
            if column and column[0] >= 0:
                self.deal.column_of[column[0]] = number
        return ExactNode(up, loose, heads, columns, table.stock, 0, table.brought, 0, 0, 0)

    def every_step(self, table: Table) -> list[int]:
        """The steps of a table, repeated positions and all."""
        moves = np.zeros(128, dtype=np.int64)
        reach = within_reach(table.stock, self.draw, self.every)
        mode = mode_by_stocks(self.draw, 0, False)
        count = steps(self.exact_node(table), reach, mode, self.deal, moves, 0)
        return [int(step) for step in moves[:count]]

    def edges(
        self, table: Table, past: list[tuple[frozenset[int], frozenset[int], int]]
    ) -> list[Edge]:
        position = self.exact_node(table)
        mode = mode_by_stocks(self.draw, 0, False)
        if table.brought < 0:
            rising = int(rising_cards(position, mode, self.deal))
            if rising:
                bit = (rising & -rising).bit_length() - 1
                kind = STOCK_UP
                if bit in table.loose:
                    kind = LOOSE_UP
                elif bit in table.heads:
                    kind = HEAD_UP
                return [Edge(kind << 6 | bit)]
        found = []
        for step in self.every_step(table):
            if step >> 6 in (DOWN, LOOSE_UP) and self.key(self.take(table, step, -1)) in past:
                continue
            found.append(Edge(step))
        return found

    # --- one arrangement of the hidden cards, and the tree ---------------------------------------

    def arrangement(self) -> list[list[int]]:
        cards = self.unseen(self.table)
        for last in range(len(cards) - 1, 0, -1):
            other = int(random_below(self.rng, last + 1))
            cards[last], cards[other] = cards[other], cards[last]
        rest = iter(cards)
        return [[next(rest) for _ in range(c[1] if c else 0)] for c in self.table.columns]

    def verdict(self, table: Table, hidden: list[list[int]], nodes: int) -> bool | None:
        """What the exact search says of a table once it is shown what is hidden."""
        deal = new_layout()
        index_stock(
            np.array(self.stock_cards, dtype=np.uint8), 24, deal.stock_sets, deal.stock_index
        )
        columns = place = 0
        for number, column in enumerate(table.columns):
            if not column:
                continue
            under = 0
            locked = [*hidden[number][: column[1]], column[0]]
            for bit in locked:
                deal.below[bit], deal.column_of[bit] = under, number
                under = 1 << bit
            columns |= len(locked) << (4 * number)
            place += len(locked) * int(COLUMN_WEIGHT[number])
        for which, height in enumerate(suits(table.up)):
            place += height * int(HEIGHT_WEIGHT[which])
        up, loose, heads = as_set(table.up), as_set(table.loose), as_set(table.heads)
        start = np.array([up, loose, heads, columns, table.stock, place], dtype=np.int64)
        report = np.zeros(2, dtype=np.int64)
        ended = PAUSED
        for goes_on in (False, True):
            if ended == PAUSED:
                ended = search(
                    start, self.draw, 0, nodes, goes_on, deal, self.outer, self.inner, report
                )
        return {WON: True, UNWINNABLE: False}.get(ended)

    def winnable(self, table: Table, hidden: list[list[int]], nodes: int) -> bool:
        return self.verdict(table, hidden, nodes) is True

    def choose(self, node: Node) -> Edge:
        if len(node.edges) == 1:
            return node.edges[0]
        fresh = [edge for edge in node.edges if not edge.times]
        if fresh:
            return fresh[int(random_below(self.rng, len(fresh)))]

        def bound(edge: Edge) -> float:
            return edge.wins / edge.times + 0.5 * sqrt(log(node.visits) / edge.times)

        return max(node.edges, key=bound)

    def choose_by_rating(self, node: Node, table: Table) -> Edge:
        """As if the policy had played `inner_prior` trajectories through each edge."""
        if len(node.edges) == 1:
            return node.edges[0]
        if not node.visits:
            assert self.weights is not None
            said = [naive_logit(self.features(e.step, table), self.weights) for e in node.edges]
            node.ratings = [int(20_000 * each) - int(20_000 * max(said)) for each in said]
        share = (sum(edge.wins for edge in node.edges) + 0.6) / (node.visits + 1)
        bounds = []
        for edge, rated in zip(node.edges, node.ratings, strict=True):
            times = edge.times + self.inner_prior
            mean = (edge.wins + self.inner_prior * (share + rated / 1e6)) / times
            bounds.append(mean + 0.5 * sqrt(log(node.visits + 2) / times))
        return node.edges[bounds.index(max(bounds))]

    def features(self, step: int, table: Table) -> NDArray[np.float64]:
        """The features of a step of a table."""
        kind, bit = step >> 6, step & 63
        after, depth = self.take(table, step, -1), 0
        if kind in (HEAD_UP, REVEAL):
            place = table.columns[self.column_of(table, bit)]
            assert place is not None
            depth = place[1] + 1
        found = self.every_step(after)
        down, stock = set(self.unseen(after)), self.in_stock(after)
        of_position = naive_position(after, found, down, stock)
        return np.concatenate([of_position, naive_step(step, depth)])

    def worth(self, table: Table, hidden: list[list[int]]) -> float:
        """What a leaf is worth."""
        verdict = self.verdict(table, hidden, self.nodes)
        return self.undecided if verdict is None else verdict

    def grow(self, first: Edge, hidden: list[list[int]]) -> float:
        table, node = self.table, self.node
        past = list(self.game)
        trail = []
        won: float = False
        while node.edges:
            if not trail:
                edge = first
            elif self.inner_prior and table.brought < 0:
                edge = self.choose_by_rating(node, table)
            else:
                edge = self.choose(node)
            trail.append((node, edge))
            card = -1
            if edge.step >> 6 in (HEAD_UP, REVEAL):
                column = self.column_of(table, edge.step & 63)
                place = table.columns[column]
                assert place is not None
                left = place[1]
                card = hidden[column][left - 1] if left else -1
            after = self.take(table, edge.step, card)
            if (after.columns, after.stock) != (table.columns, table.stock):
                past = []
            past.append(self.key(after))
            table = after
            if len(table.up) == 52:
                won = True
                break
            child = edge.children.get(card)
            if child is None and len(self.unseen(table)) <= 1:
                child = edge.children[card] = self.winnable(table, hidden, 1000 * self.nodes)
            elif child is None:
                child = edge.children[card] = Node(self.edges(table, past))
                if len(child.edges) > 1 and table.brought < 0:
                    won = self.worth(table, hidden)
                    break
            if isinstance(child, bool):
                won = child
                break
            node = child
        for passed, edge in trail:
            passed.visits += 1
            edge.times += 1
            edge.wins += won
        return won

    def think(self) -> Edge:
        alive = list(self.node.edges)
        wins = dict.fromkeys((edge.step for edge in alive), 0.0)
        if self.weights is not None and (self.table.brought < 0 or self.trajectories == 0):
            for step in wins if len(alive) > 1 else ():
                said = naive_logit(self.features(step, self.table), self.weights)
                wins[step] = int(self.prior * 64 * 0.02 * said) / 64
        rounds = (len(alive) - 1).bit_length()
        while len(alive) > 1:
            least = min(1, self.trajectories)
            for _ in range(max(least, self.trajectories // (rounds * len(alive)))):
                hidden = self.arrangement()
                for edge in alive:
                    wins[edge.step] += self.grow(edge, hidden)
            alive.sort(key=lambda edge: -wins[edge.step])
            alive = alive[: (len(alive) + 1) // 2]
        return alive[0]

    def go_on(self, edge: Edge, card: int) -> None:
        after = self.take(self.table, edge.step, card)
        if (after.columns, after.stock) != (self.table.columns, self.table.stock):
            self.game = []
        self.game.append(self.key(after))
        self.table = after
        child = edge.children.get(card)
        if not isinstance(child, Node):
            child = edge.children[card] = Node(self.edges(after, self.game))
        self.node = child


def suits(cards: frozenset[int]) -> list[int]:
    """How many cards of each suit are up."""
    heights = [0] * 4
    for bit in cards:
        heights[suit(int(CARD_OF_BIT[bit]))] += 1
    return heights
