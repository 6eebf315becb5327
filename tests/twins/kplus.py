"""K+ on the referee: positions with folded stock turns, and the kernel's states decoded."""

from collections.abc import Iterator

from engine.cards import build_cards, rank, suit
from engine.cardset import CARD_OF_BIT
from engine.klondike.deal import KlondikeDeal
from engine.klondike.kplus import State
from engine.klondike.moves import REDEAL, TURN, KlondikeKind, KlondikeMove
from engine.klondike.referee import KlondikePosition
from engine.klondike.rules import KlondikeRules

# What cannot be told apart in K+: the columns in no order, and every stock and waste that turns
# and redeals lead to.
Folded = tuple[
    frozenset[tuple[tuple[int, ...], tuple[int, ...]]],
    tuple[int, int, int, int],
    frozenset[tuple[tuple[int, ...], tuple[int, ...]]],
]


def turned(position: KlondikePosition) -> list[KlondikePosition]:
    """The position and every one that turns and redeals alone lead to, in that order."""
    found = [position]
    seen = {(position.stock, position.waste)}
    while True:
        move = TURN if position.stock else REDEAL
        if position.why_illegal(move) is not None:
            return found
        position = position.play(move)
        if (position.stock, position.waste) in seen:
            return found
        seen.add((position.stock, position.waste))
        found.append(position)


def fold(position: KlondikePosition) -> Folded:
    """What K+ sees of a position."""
    columns = [(d, u) for d, u in zip(position.down, position.up, strict=True) if d or u]
    assert len(set(columns)) == len(columns)
    return (
        frozenset(columns),
        position.foundations,
        frozenset((each.stock, each.waste) for each in turned(position)),
    )


def plays(position: KlondikePosition) -> Iterator[tuple[KlondikeMove, KlondikePosition]]:
    """Every play, from every position that turns lead to; the earliest turn of each comes first."""
    for number, each in enumerate(turned(position)):
        for move in each.legal_moves():
            if move in (TURN, REDEAL):
                continue
            # A play that leaves the stock alone is the same play before any turn.
            if number == 0 or move.kind in (KlondikeKind.WASTE_UP, KlondikeKind.WASTE_DOWN):
                yield move, each.play(move)


def successors(position: KlondikePosition) -> dict[Folded, KlondikePosition]:
    """The positions one macro move away that differ from this one and from each other in K+."""
    found = {}
    here = fold(position)
    for _, after in plays(position):
        found.setdefault(fold(after), after)
    found.pop(here, None)
    return found


def cards_of(cards: int) -> set[int]:
    """The cards of a set of `engine.cardset`."""
    return {int(CARD_OF_BIT[bit]) for bit in range(52) if cards >> bit & 1}


def read(state: State, deal: KlondikeDeal, rules: KlondikeRules) -> KlondikePosition:
    """A position that the state stands for."""
    up, tableau, straight, crossed, down = (cards_of(int(cards)) for cards in state[:5])
    stock, edge = int(state.stock) & 0xFFFFFF, int(state.stock) >> 24
    heights = [0, 0, 0, 0]
    for card in sorted(up):
        assert heights[suit(card)] == rank(card)
        heights[suit(card)] += 1
    on: dict[int, int] = {}
    for card in straight | crossed:
        # The lower bit of a pair is the card of the lower suit: clubs, diamonds.
        lower = suit(card) < 2
        parent = build_cards(card)[0 if lower == (card in straight) else 1]
        assert parent not in on
        on[parent] = card
    downs, ups = [], []
    unplaced = tableau - straight - crossed
    for column in deal.tableau:
        hidden = tuple(card for card in column if card in down)
        assert hidden == column[: len(hidden)]
        base = column[len(hidden)] if len(hidden) < len(column) else None
        if base in unplaced:
            unplaced.discard(base)
            run = [base]
        else:
            assert not hidden
            run = []
        downs.append(hidden)
        ups.append(run)
    for king in sorted(unplaced):
        ups[ups.index([])] = [king]
    for run in ups:
        while run and run[-1] in on:
            run.append(on.pop(run[-1]))
    assert not on
    remaining = [(at, card) for at, card in enumerate(deal.stock) if stock >> at & 1]
    return KlondikePosition(
        rules,
        tuple(downs),
        tuple(tuple(run) for run in ups),
        (heights[0], heights[1], heights[2], heights[3]),
        tuple(card for at, card in remaining if at >= edge),
        tuple(card for at, card in remaining if at < edge),
    )
