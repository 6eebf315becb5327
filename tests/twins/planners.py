"""Naive twins of the players of Bjarnason, Fern, Tadepalli 2009 on the referee.

`solvers.klondike.players.planners` says how the paper is read. The draws are those of the kernels,
in their order.

What a player sees is a *covered* position: a settled one (`twins.rollouts`) in which the cards that
nobody has seen lie in increasing order. All deals that look alike have the same.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from math import log, sqrt

from engine.cardset import BIT_OF_CARD
from engine.klondike.deal import KlondikeDeal
from engine.klondike.referee import KlondikePosition
from engine.klondike.rules import KlondikeRules
from solvers.klondike.kplus.actions import NEEDED
from solvers.klondike.kplus.values import H2
from solvers.klondike.players.planners import PRUNED
from twins.rollouts import (
    Action,
    NaiveRollouts,
    hidden,
    macros,
    naive_actions,
    naive_is_dead_end,
    ordered_macros,
    settled,
)
from twins.yan import NaiveRng

# An action, and the position it leads to.
Option = tuple[Action, KlondikePosition]
Chooser = Callable[[KlondikePosition, set[KlondikePosition]], Action | None]

UNSEEN = 255


def covered(position: KlondikePosition) -> KlondikePosition:
    """The one position that stands for all that look like this one."""
    unseen = iter(sorted(hidden(position)))
    columns = sorted((len(down), up) for down, up in zip(position.down, position.up, strict=True))
    return settled(
        replace(
            position,
            down=tuple(tuple(next(unseen) for _ in range(depth)) for depth, _ in columns),
            up=tuple(up for _, up in columns),
        )
    )


def with_card(
    before: KlondikePosition, after: KlondikePosition, card: int | None
) -> KlondikePosition:
    """What follows, if this is the card that turned up; None if none did."""
    turned = hidden(before) - hidden(after)
    if card is None:
        assert not turned
        return covered(after)
    (other,) = turned
    names = {other: card, card: other}

    def renamed(piles: tuple[tuple[int, ...], ...]) -> tuple[tuple[int, ...], ...]:
        return tuple(tuple(names.get(each, each) for each in pile) for pile in piles)

    return covered(replace(after, down=renamed(after.down), up=renamed(after.up)))


def by_bit(cards: set[int]) -> list[int]:
    return sorted(cards, key=lambda card: int(BIT_OF_CARD[card]))


def allowed(position: KlondikePosition, visited: set[KlondikePosition]) -> list[Option]:
    """The actions whose results have not been visited."""
    options = naive_actions(position, NEEDED)
    return [(action, after) for action, after in options if covered(after) not in visited]


def rng_of(deal: KlondikeDeal, random_seed: int) -> NaiveRng:
    """The draws of a player, set by what it sees at the start."""
    seen = [card if card == column[-1] else UNSEEN for column in deal.tableau for card in column]
    mixed = NaiveRng.mix(random_seed)
    for place, card in enumerate([*seen, *deal.stock]):
        mixed = NaiveRng.mix((mixed + 53 * place + card + 1) % 2**32)
    return NaiveRng(mixed | 1, NaiveRng.mix(2**32 - 1 - mixed))


@dataclass
class Edge:
    """An action of a node.

    Attributes:
        action: which.
        after: where it leads, whatever card turns up.
        times: how often it was taken.
        wins: how often that won.
        drawn: the cards that turned up, as often as they were drawn.
        children: the nodes by the card that turned up; None where none does.
    """

    action: Action
    after: KlondikePosition
    times: int = 0
    wins: int = 0
    drawn: list[int] = field(default_factory=list)
    children: dict[int | None, "Node"] = field(default_factory=dict)

    @property
    def newest(self) -> list[int]:
        """The cards drawn, each once, the one that was drawn for the first time last first."""
        return list(dict.fromkeys(self.drawn))[::-1]


@dataclass
class Node:
    """A position in a tree."""

    edges: list[Edge]
    visits: int = 0

    @classmethod
    def of(cls, position: KlondikePosition, visited: set[KlondikePosition]) -> "Node":
        return cls([Edge(action, after) for action, after in allowed(position, visited)])


class NaivePlayer:
    """What all players share.

    Attributes:
        draws: of the player.
        entered: positions entered, in the game and in the player's mind.
    """

    def __init__(self, rng: NaiveRng) -> None:
        self.rng = rng
        self.entered = 0

    def random_card(self, unseen: set[int]) -> int:
        return by_bit(unseen)[self.rng.below(len(unseen))]

    def finish(self, position: KlondikePosition) -> list[Action] | None:
        """The actions that win if the first that is allowed is taken again and again."""
        visited, line = {position}, []
        while not position.is_won:
            options = allowed(position, visited)
            if not options:
                return None
            action, after = options[0]
            position = covered(after)
            self.entered += 1
            visited.add(position)
            line.append(action)
        return line

    def play(
        self, deal: KlondikeDeal, rules: KlondikeRules, choose: Chooser
    ) -> tuple[bool, list[Action]]:
        """Whether a game is won, and its actions."""
        truth = settled(KlondikePosition.start(deal, rules))
        visited, line = {covered(truth)}, []
        while not truth.is_won:
            seen = covered(truth)
            rest = None if hidden(seen) else self.finish(seen)
            if rest is not None:
                return True, line + rest
            action = choose(seen, visited)
            if action is None:
                return False, line
            for macro in action:
                truth = macros(truth)[macro]
            self.entered += 1
            visited.add(covered(truth))
            line.append(action)
        return True, line

    def choose_any(self, seen: KlondikePosition, visited: set[KlondikePosition]) -> Action | None:
        """`random`."""
        options = allowed(seen, visited)
        return options[self.rng.below(len(options))][0] if options else None

    def choose_class(self, seen: KlondikePosition, visited: set[KlondikePosition]) -> Action | None:
        """Any class, then any action of it."""
        number_of = {macro: number for number, macro, _ in ordered_macros(seen)}
        options = [action for action, _ in allowed(seen, visited)]
        if not options:
            return None
        classes = sorted({number_of[action[0]] for action in options})
        drawn = classes[self.rng.below(len(classes))]
        of_it = [action for action in options if number_of[action[0]] == drawn]
        return of_it[self.rng.below(len(of_it))]

    def choose_first(self, seen: KlondikePosition, visited: set[KlondikePosition]) -> Action | None:
        """`greedy`."""
        options = allowed(seen, visited)
        return options[0][0] if options else None


class NaiveTrees(NaivePlayer):
    """Trees of Algorithm 1, averaged; a width of 0 is any number of outcomes."""

    def __init__(
        self, rng: NaiveRng, trees: int, trajectories: int, width: int, exploration: float
    ) -> None:
        super().__init__(rng)
        self.trees = trees
        self.trajectories = trajectories
        self.width = width
        self.exploration = exploration

    def choose(self, seen: KlondikePosition, visited: set[KlondikePosition]) -> Action | None:
        """The action that wins most, the first of them."""
        options = allowed(seen, visited)
        if len(options) <= 1:
            return options[0][0] if options else None
        values = self.values(seen, visited, len(options))
        return options[values.index(max(values))][0]

    def values(
        self, seen: KlondikePosition, visited: set[KlondikePosition], count: int
    ) -> list[float]:
        """Of each of so many actions, summed over trees."""
        values = [0.0] * count
        for _ in range(self.trees):
            for number, edge in enumerate(self.grow(seen, visited).edges):
                if edge.times:
                    values[number] += edge.wins / edge.times
        return values

    def grow(self, seen: KlondikePosition, visited: set[KlondikePosition]) -> Node:
        """A tree's root: Algorithm 1."""
        root = Node.of(seen, visited)
        for _ in range(self.trajectories):
            position, path, node = seen, set(visited), root
            trail: list[Edge] = []
            won = False
            while node.edges and not won:
                edge = self.choose_edge(node)
                node.visits += 1
                edge.times += 1
                trail.append(edge)
                card = self.outcome(edge, position)
                position = with_card(position, edge.after, card)
                self.entered += 1
                path.add(position)
                won = position.is_won
                if not won and not hidden(position):
                    won = self.finish(position) is not None
                if not won:
                    if card not in edge.children:
                        edge.children[card] = Node.of(position, path)
                    node = edge.children[card]
            for edge in trail:
                edge.wins += won
        return root

    def choose_edge(self, node: Node) -> Edge:
        """Lines 5 to 8; a single action needs no draw."""
        if len(node.edges) == 1:
            return node.edges[0]
        fresh = [edge for edge in node.edges if edge.times == 0]
        if fresh:
            return fresh[self.rng.below(len(fresh))]

        def bound(edge: Edge) -> float:
            return edge.wins / edge.times + self.exploration * sqrt(log(node.visits) / edge.times)

        return max(node.edges, key=bound)

    def outcome(self, edge: Edge, position: KlondikePosition) -> int | None:
        """Lines 9 to 14: the card that turns up."""
        if hidden(edge.after) == hidden(position):
            return None
        if self.width and len(edge.drawn) == self.width:
            return sorted(edge.drawn, key=edge.newest.index)[self.rng.below(self.width)]
        card = self.random_card(hidden(position))
        edge.drawn.append(card)
        return card


class NaiveHindsight(NaivePlayer):
    """Nested rollouts on shuffled hidden cards."""

    def __init__(self, rng: NaiveRng, samples: int, level: int) -> None:
        super().__init__(rng)
        self.samples = samples
        self.level = level

    def choose(self, seen: KlondikePosition, visited: set[KlondikePosition]) -> Action | None:
        """The action that wins most, the first of them."""
        options = allowed(seen, visited)
        if len(options) <= 1:
            return options[0][0] if options else None
        wins = self.wins(seen, options)
        return options[wins.index(max(wins))][0]

    def wins(self, seen: KlondikePosition, options: list[Option]) -> list[int]:
        """How often each action is found to win."""
        return [sum(self.sample(seen, after) for _ in range(self.samples)) for _, after in options]

    def sample(self, seen: KlondikePosition, after: KlondikePosition) -> bool:
        """Whether the planner that is shown all cards wins after an action."""
        turns = hidden(seen) != hidden(after)
        position = with_card(seen, after, self.random_card(hidden(seen)) if turns else None)
        self.entered += 1
        shown = self.arranged(position)
        if shown.is_won:
            return True
        if naive_is_dead_end(shown):
            return False
        planner = NaiveRollouts((self.level,), H2, PRUNED)
        won, _ = planner.play(shown)
        self.entered += planner.nodes
        return won

    def arranged(self, position: KlondikePosition) -> KlondikePosition:
        """The position with its hidden cards shuffled."""
        order = by_bit(hidden(position))
        for last in range(len(order) - 1, 0, -1):
            other = self.rng.below(last + 1)
            order[last], order[other] = order[other], order[last]
        return lay_out(position, order)


def lay_out(position: KlondikePosition, order: list[int]) -> KlondikePosition:
    """The position with these cards face down: column by column, the uppermost first."""
    left = iter(order)
    down: list[tuple[int, ...]] = [()] * 7
    for column in sorted(
        (column for column in range(7) if position.down[column]),
        key=lambda column: int(BIT_OF_CARD[position.up[column][0]]),
    ):
        down[column] = tuple(next(left) for _ in position.down[column])[::-1]
    assert next(left, None) is None
    return settled(replace(position, down=tuple(down)))
