"""The thinned game: a relaxation of a deal in which all cards but a few are never in the way.

**The thinned game.** Keep some cards of a deal, the set S, and let all others be wherever they are
wanted and never in the way: they offer every place they could ever offer, with room for any number
of cards, lie on nothing, are up whenever a foundation needs them, have left every column, and may
have left the stock. What remains is a game with the cards of S alone. In a position of it each card
of S is still where it was *dealt*, or *up*, or else *loose*. The topmost dealt card of a column is
its *head*. Heads and loose cards are *visible*.

- A head, or a card of the stock in reach, may become loose if there is room for it, or go up.
- A loose card may go up. An up card may become loose again if there is room for it and no higher
  card of S in its suit is up.
- *Going up* needs all lower cards of S in the suit to be up, and the card to be bare: if its twin
  (same rank and colour) is in S as well, fewer loose cards of S belong on the two than are visible
  of them. A card of the stock needs not be bare.
- *Room*: a card is built on one of its two parents (next rank, other colour). If one of these is
  not in S, there is room. Else fewer loose cards of S must belong on the two than are visible of
  them. For a king, fewer kings of S must be loose than columns hold no dealt card of S any more.
- *In reach* is a card of the stock if it is the last one; or if the one after it is not in S or not
  dealt any more; or, if it is number i = 0, 1, 2 …, once at least (i + 1) mod draw of those before
  it are not in S or not dealt any more.

It is won if all of S can be up.

**Claim.** If the thinned game cannot be won, the deal is lost. Take a play of the deal by the
widest rules, and look only at what it does with S, dealt meaning that a card has not yet left its
column or the stock. Each move either changes nothing or is a step of the thinned game:

- Moves of other cards, turning the stock, and moving a loose card elsewhere change nothing.
- A card that leaves its column has no dealt card above it: it was face down while it had one.
- A card laid onto a parent is laid on one that is visible with nothing on it. If both parents are
  in S, the other loose cards that belong on the two lie on the other one, so on none or on one that
  is visible, and are one at most: there is room. The parent is not a card that the move uncovers.
- A king is laid into an empty column. All other loose kings lie in columns of their own, whose
  dealt cards have all left; so have those of this column: there is room.
- A card that goes up has nothing on it, so the loose cards that belong on it or its twin lie on the
  twin, and are one at most. From the stock it goes up without having been visible. All lower cards
  of its suit are up already.
- A card that comes down from its foundation is the highest one up.
- Which stock cards can be reached is argued in `engine.klondike.dead_ends`, of those "that may have
  been taken"; that a card outside S is always among these makes more cards reachable, never fewer.

So the positions of a play are positions of the thinned game, and a play that wins wins it.
"""

from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import NamedTuple

from engine.cards import KING, build_cards, rank, suit, twin
from engine.klondike.deal import KlondikeDeal


class ThinnedPosition(NamedTuple):
    """A position: the kept cards still in the place where they were dealt, and those up."""

    dealt: frozenset[int]
    up: frozenset[int]


class ThinnedGame:
    """The thinned game of a deal, with `draw` stock cards turned at once.

    Attributes:
        kept: the cards that take part.
        columns: the kept cards of each column, bottom first.
        stock: the kept cards of the stock, in drawing order.
        lower: kept card -> the kept card before it in its suit, where there is one.
        higher: kept card -> the kept card after it in its suit, where there is one.
        parents: kept card -> the two cards it is built on, where both are kept.
        children: two twins -> the kept cards that are built on them, where both are kept.
        waits: card of the stock -> the condition for its being in reach, if there is one: the card
            after it must leave, or this many of the kept cards before it.
    """

    def __init__(self, deal: KlondikeDeal, draw: int, kept: Iterable[int]) -> None:
        self.kept = frozenset(kept)
        self.columns = [[c for c in column if c in self.kept] for column in deal.tableau]
        self.stock = [c for c in deal.stock if c in self.kept]
        self.lower: dict[int, int] = {}
        self.higher: dict[int, int] = {}
        for one_suit in range(4):
            cards = sorted(c for c in self.kept if suit(c) == one_suit)
            self.lower.update((card, low) for low, card in pairwise(cards))
            self.higher.update(pairwise(cards))
        self.parents: dict[int, tuple[int, ...]] = {}
        self.children: dict[tuple[int, ...], set[int]] = {}
        for card in self.kept:
            two = build_cards(card)
            if two and self.kept.issuperset(two):
                self.parents[card] = two
                self.children.setdefault(two, set()).add(card)
        self.waits: dict[int, tuple[int, int, list[int]]] = {}
        for place, card in enumerate(deal.stock[:-1]):
            before = [c for c in deal.stock[:place] if c in self.kept]
            enough = (place + 1) % draw - (place - len(before))
            after = deal.stock[place + 1]
            if card in self.kept and after in self.kept and enough > 0:
                self.waits[card] = (after, enough, before)

    def start(self) -> ThinnedPosition:
        return ThinnedPosition(self.kept, frozenset())

    def steps(self, position: ThinnedPosition) -> Iterator[ThinnedPosition]:
        """The positions one step away."""
        dealt, up = position
        loose = self.kept - dealt - up
        left = [[c for c in column if c in dealt] for column in self.columns]
        heads = {column[-1] for column in left if column}
        visible = loose | heads

        def can_take(twins: tuple[int, ...]) -> bool:
            """Whether one of two twins, if both are kept, is visible with nothing on it."""
            on_them = self.children.get(twins)
            return on_them is None or len(loose & on_them) < len(visible.intersection(twins))

        def has_room(card: int) -> bool:
            if rank(card) == KING:
                return sum(rank(c) == KING for c in loose) < left.count([])
            return card not in self.parents or can_take(self.parents[card])

        def can_rise(card: int) -> bool:
            return card not in self.lower or self.lower[card] in up

        def is_bare(card: int) -> bool:
            return can_take(tuple(sorted((card, twin(card)))))

        for card in heads:
            if has_room(card):
                yield ThinnedPosition(dealt - {card}, up)
            if can_rise(card) and is_bare(card):
                yield ThinnedPosition(dealt - {card}, up | {card})
        for card in dealt.intersection(self.stock):
            if card in self.waits:
                after, enough, before = self.waits[card]
                if after in dealt and sum(c not in dealt for c in before) < enough:
                    continue
            if has_room(card):
                yield ThinnedPosition(dealt - {card}, up)
            if can_rise(card):
                yield ThinnedPosition(dealt - {card}, up | {card})
        for card in loose:
            if can_rise(card) and is_bare(card):
                yield ThinnedPosition(dealt, up | {card})
        for card in up:
            if self.higher.get(card) not in up and has_room(card):
                yield ThinnedPosition(dealt, up - {card})

    def positions(self, most: int) -> set[ThinnedPosition] | None:
        """The reachable positions; None if there are more than `most`."""
        found = {self.start()}
        waiting = [self.start()]
        while waiting:
            for position in self.steps(waiting.pop()):
                if position not in found:
                    if len(found) == most:
                        return None
                    found.add(position)
                    waiting.append(position)
        return found
