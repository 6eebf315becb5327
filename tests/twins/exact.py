"""Naive twin of the parts of the exact search: a position as sets and lists of cards.

What a position is and which steps are tried is said in `solvers.klondike.exact.position`; here the
same is written card by card, with nothing precomputed and no bit tricks.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cache, cached_property

from engine.cards import DECK, KING, is_red, make_card, rank, suit, twin
from engine.cardset import BIT_OF_CARD, CARD_OF_BIT
from engine.klondike.referee import KlondikePosition
from solvers.klondike.exact import position as exact

Cards = frozenset[int]


def as_bits(cards: Iterable[int]) -> int:
    return sum(1 << int(BIT_OF_CARD[card]) for card in cards)


def as_cards(bits: int) -> set[int]:
    return {int(CARD_OF_BIT[bit]) for bit in range(52) if int(bits) >> bit & 1}


@cache
def parents(card: int) -> set[int]:
    return {c for c in DECK if rank(c) == rank(card) + 1 and is_red(c) != is_red(card)}


@cache
def children(card: int) -> set[int]:
    return {c for c in DECK if rank(c) + 1 == rank(card) and is_red(c) != is_red(card)}


def offered(stock: list[int], waste: int, draw: int) -> set[int]:
    """The cards that turning the stock, and the waste over, brings to the top of the waste."""
    found = set()
    # A first pass from here and a fresh one: redeals bring nothing more.
    for start in (waste, 0):
        if start > 0:
            found.add(stock[start - 1])
        while start < len(stock):
            start = min(start + draw, len(stock))
            found.add(stock[start - 1])
    return found


@dataclass(frozen=True)
class Sets:
    """A position of the exact search.

    Attributes:
        draw: cards turned at once.
        up: cards on the foundations.
        loose: loose cards.
        columns: the locked cards of each column, bottom to top.
        stock: the cards left in stock and waste, in drawing order.
        waste: how many of them lie in the waste; 0 where it offers no more than a fresh pass.
        places: the stock's cards as they were at first, which give its places their numbers.
        brought: the card just brought, or None.
        from_stock: whether it came from the stock.
    """

    draw: int
    up: Cards
    loose: Cards
    columns: tuple[tuple[int, ...], ...]
    stock: tuple[int, ...]
    waste: int
    places: tuple[int, ...]
    brought: int | None = None
    from_stock: bool = False

    @classmethod
    def of(cls, position: KlondikePosition) -> "Sets":
        locked: list[tuple[int, ...]] = []
        loose: list[int] = []
        for down, up in zip(position.down, position.up, strict=True):
            alone = not down and bool(up) and rank(up[0]) == KING
            locked.append(down if alone else down + up[:1])
            loose += up if alone else up[1:]
        talon = position.waste + position.stock
        start = cls(
            position.rules.draw,
            frozenset(c for c in DECK if rank(c) < position.foundations[suit(c)]),
            frozenset(loose),
            tuple(locked),
            talon,
            0,
            talon,
        )
        return start.with_stock(talon, len(position.waste))

    def with_stock(self, stock: tuple[int, ...], waste: int) -> "Sets":
        """The position with that stock instead; a waste that offers nothing is none."""
        nothing = waste % self.draw == 0 or waste == len(stock)
        return replace(self, stock=stock, waste=0 if nothing else waste)

    @cached_property
    def heads(self) -> Cards:
        return frozenset(column[-1] for column in self.columns if column)

    @cached_property
    def visible(self) -> Cards:
        return self.loose | self.heads

    @cached_property
    def reach(self) -> set[int]:
        return offered(list(self.stock), self.waste, self.draw)

    @cached_property
    def tops(self) -> Cards:
        return frozenset(
            c for c in self.up if rank(c) == KING or make_card(rank(c) + 1, suit(c)) not in self.up
        )

    def numbers(self) -> tuple[int, int, int, int, int]:
        """The position as the kernels take it, without `place`."""
        mask = sum(1 << self.places.index(card) for card in self.stock)
        edge = self.places.index(self.stock[self.waste - 1]) + 1 if self.waste else 0
        columns = sum(len(column) << 4 * k for k, column in enumerate(self.columns))
        return (
            as_bits(self.up), as_bits(self.loose), as_bits(self.heads), columns, mask | edge << 24
        )  # fmt: skip

    def follows(self, card: int) -> bool:
        """Whether it is the next card of its foundation."""
        before = rank(card) == 0 or make_card(rank(card) - 1, suit(card)) in self.up
        return before and card not in self.up

    def bare(self, card: int) -> bool:
        """Whether a visible card of this one's pair can be made to carry nothing."""
        return len(children(card) & self.loose) < len({card, twin(card)} & self.visible)

    def has_place(self, card: int) -> bool:
        """Whether the tableau has a place for a card."""
        if rank(card) == KING:
            empty = sum(1 for column in self.columns if not column)
            return empty > sum(1 for c in self.loose if rank(c) == KING)
        return self.bare(min(parents(card)))

    def safe(self, card: int) -> bool:
        """Whether the card never serves as a parent again once it is up."""
        ready = {c for c in DECK if c in self.up or self.follows(c)}
        two_below = make_card(rank(card) - 2, suit(twin(card))) if rank(card) >= 2 else None
        return children(card) <= ready and (two_below is None or two_below in ready)

    def before(self) -> "Sets":
        """The position with the brought card neither up nor in the tableau."""
        assert self.brought is not None
        return replace(self, loose=self.loose - {self.brought}, brought=None)

    def play(self, step: tuple[int, int]) -> "Sets":
        """The position after a step."""
        kind, card = step
        columns = tuple(c[:-1] if c and c[-1] == card else c for c in self.columns)
        goes_up = kind in (exact.HEAD_UP, exact.STOCK_UP, exact.LOOSE_UP)
        brings = kind == exact.DOWN or (kind == exact.STOCK_DOWN and self.draw == 1)
        after = replace(
            self,
            up=self.up | {card} if goes_up else self.up - {card},
            loose=self.loose - {card} if goes_up else self.loose | {card},
            columns=columns,
            brought=card if brings else None,
            from_stock=kind == exact.STOCK_DOWN and brings,
        )
        if card in self.stock:
            at = self.stock.index(card)
            after = after.with_stock(tuple(c for c in self.stock if c != card), at)
        return after


def step_is_tried(p: Sets, kind: int, card: int) -> bool:
    """Whether the search tries a step, by the words of `docs/search/`; no rule switched off."""
    if kind in (exact.STOCK_UP, exact.STOCK_DOWN):
        possible = card in p.reach
    elif kind == exact.DOWN:
        possible = card in p.tops
    elif kind == exact.LOOSE_UP:
        possible = card in p.loose
    else:
        possible = card in p.heads
    if kind in (exact.STOCK_DOWN, exact.DOWN, exact.REVEAL):
        possible = possible and p.has_place(card)
    else:
        possible = possible and p.follows(card)
        if kind != exact.STOCK_UP:
            possible = possible and p.bare(card)
    if not possible:
        return False

    # Steps that are left out wherever they stand.
    if kind == exact.DOWN and (p.safe(card) or not _may_be_needed(p, card)):
        return False
    if kind == exact.REVEAL:
        if p.follows(card) and p.bare(card):
            return False
        if rank(card) == KING and (card,) in p.columns:
            return False
    if kind == exact.STOCK_DOWN:
        if p.draw > 1 and p.follows(card):
            return False
        if p.draw == 1 and not _is_needed_next(p, card):
            return False
    if p.brought is None:
        return True

    # What is left out after a card was brought, because it needs that card for nothing.
    before = p.before()
    placed_before = before.has_place(card)
    if kind == exact.STOCK_UP:
        return False
    if kind == exact.LOOSE_UP:
        return card != p.brought and not before.bare(card)
    if kind == exact.HEAD_UP:
        return not before.bare(card)
    if kind == exact.STOCK_DOWN and p.draw == 1 and not p.from_stock:
        return True
    if kind == exact.DOWN and not p.from_stock:
        was_top = card in replace(before, up=p.up | {p.brought}).tops
        in_order = BIT_OF_CARD[card] > BIT_OF_CARD[p.brought]
        return bool(in_order) or not (was_top and placed_before)
    return not placed_before


def _is_needed_next(p: Sets, card: int) -> bool:
    """Whether the stock card starts a row of brought cards, each on the one before, to an end.

    The end is a step that was impossible: a head or a card of the foundations finds a place on the
    last of the row, or its twin can go up.
    """
    other = twin(card)
    if other in p.visible and p.follows(other) and not p.bare(other):
        return True
    for child in children(card):
        if p.has_place(child):
            continue
        if child in p.tops and not p.safe(child):
            return True
        if child in p.heads and not (p.follows(child) and p.bare(child)):
            return True
        if child in p.reach and _is_needed_next(p, child):
            return True
    return False


def _may_be_needed(p: Sets, card: int) -> bool:
    """Whether something may need the card in the tableau: places are not counted."""
    other = twin(card)
    if other in p.visible and p.follows(other):
        return True
    if rank(card) > 0:
        lower = make_card(rank(card) - 1, suit(card))
        if lower in p.up and _may_be_needed(p, lower):
            return True
    for child in children(card):
        if child in p.heads or (p.draw > 1 and child in p.reach):
            return True
        if (child in p.up or child in p.reach) and _may_be_needed(p, child):
            return True
    return False


def naive_steps(p: Sets) -> set[tuple[int, int]]:
    """The steps, kind and card, that the search tries."""
    return {(kind, c) for kind in range(6) for c in DECK if step_is_tried(p, kind, c)}


class Relaxed:
    """The tableau of the relaxed game, where nothing used is ever used up."""

    def __init__(self, p: Sets) -> None:
        self.up, self.seen, self.loose = set(p.up), set(p.visible), p.loose
        self.free = self.up | self.seen
        self.columns = [list(column) for column in p.columns]
        self.open_column = p.has_place(make_card(KING, 0))

    def placeable(self, card: int) -> bool:
        if rank(card) == KING:
            return self.open_column
        # A child that lies there and can never go up keeps one of the two places.
        sitting = any(c in self.loose and c not in self.up for c in (card, twin(card)))
        return len(parents(card) & self.seen) > sitting

    def can_leave(self, card: int) -> bool:
        return card in self.up or self.placeable(card)

    def grow(self, shown: Iterable[int] = ()) -> None:
        """Everything that cards free or shown allow at once."""
        free = self.free | set(shown)
        self.up |= {c for c in free if rank(c) == 0 or make_card(rank(c) - 1, suit(c)) in self.up}
        self.open_column |= any(rank(c) == KING for c in self.up & self.loose)
        self.seen |= {card for card in free if self.placeable(card)}
        for column in self.columns:
            if column and self.can_leave(column[-1]):
                column.pop()
                if column:
                    self.seen.add(column[-1])
                    self.free.add(column[-1])
                else:
                    self.open_column = True

    def measure(self) -> tuple[int, ...]:
        """Numbers that grow with what can be had."""
        locked = sum(map(len, self.columns))
        return len(self.up), len(self.seen), len(self.free), -locked, self.open_column


def naive_is_dead_end(p: Sets, only: Cards | None = None) -> bool:
    """The relaxation on sets of cards, written from its definition.

    With `only`: whether none of these cards of the stock can ever be the next that is taken.
    """
    draw, stock, waste = p.draw, p.stock, p.waste
    game = Relaxed(p)
    taken: set[int] = set()
    while True:
        before = game.measure(), len(taken)
        game.grow()
        if only is not None:
            game.free |= only
            if any(map(game.can_leave, only)):
                return False
        for at, card in enumerate(stock if only is None else ()):
            below = sum(1 for other in stock[:at] if other in taken)
            within = (
                (at + 1) % draw <= below
                or at == len(stock) - 1
                or (waste > 0 and at >= waste - 1 and (at - waste + 1) % draw == 0)
                or stock[at + 1] in taken
            )
            if within:
                game.free.add(card)
                if game.can_leave(card):
                    taken.add(card)
        if before == (game.measure(), len(taken)):
            return len(game.up) < 52


def naive_is_dead_by_passes(position: KlondikePosition) -> bool:
    """The relaxation with the stock turned card by card and redealt as often as the rules allow."""
    game = Relaxed(Sets.of(position))
    waste, ahead = list(position.waste), list(position.stock)
    assert position.rules.redeals is not None
    for _ in range(position.rules.redeals - position.redeals_used + 1):
        while True:
            before = None
            while before != (game.measure(), len(waste)):
                before = game.measure(), len(waste)
                game.grow(waste[-1:])
                if waste and game.can_leave(waste[-1]):
                    game.free.add(waste.pop())
            if not ahead:
                break
            waste += ahead[: position.rules.draw]
            del ahead[: position.rules.draw]
        waste, ahead = [], waste
    return len(game.up) < 52


def goes_up_when_shown(p: Sets, card: int, comes_back: bool) -> bool:
    """Whether a card of the stock goes up as it shows in the last pass.

    Where cards may come back from the foundations, it is the card below it that must never.
    """
    if not p.follows(card):
        return False
    if not comes_back:
        return p.safe(card)
    return rank(card) == 0 or p.safe(make_card(rank(card) - 1, suit(card)))
