"""Deals and positions laid out as rows of `patience-exact`."""

# Kernels carry no annotations; everything else here is typed.
# mypy: allow-untyped-defs, allow-untyped-calls

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from engine.kernels.decorators import kernel
from engine.kernels.filling import fill_part
from engine.patience.layout import layout_of
from engine.patience.referee import PatiencePosition
from engine.patience.rules import RANDOM, UNLIMITED, Options
from solvers.patience import plan as at
from solvers.patience.plan import DOWN, NONE, UP

_UNSEEN = -3
ZONES = ("cells", "reserve", "stock", "foundations")


def places_of(options: Options) -> NDArray[np.int64]:
    """Where the zones of a deal begin and end, and of the columns sizes and cards face down."""
    layout = layout_of(options)
    zones = [layout.places(zone) for zone in ZONES]
    ends = [end for zone in zones for end in (zone.start, zone.stop)]
    columns = *layout.column_sizes, *layout.face_down
    return np.array([*ends, int(options.base == RANDOM), *columns], dtype=np.int64)


@kernel
def load_deal(deals, number, places, rows, plan):
    """Lay a deal out as the first row, and count ranks from its base.

    Args:
        deals: uint8[n, cards], in flat order.
        number: which of them.
        places: of `places_of`.
        rows: int8[...].
        plan: int64[PLAN].
    """
    deal = deals[number]
    fill_part(rows, 0, plan[at.ROW], NONE)
    fill_part(rows, 0, plan[at.CARDS], _UNSEEN)
    fill_part(rows, plan[at.HEIGHTS], plan[at.HEIGHTS] + 8, 0)
    counts = plan[at.COUNTS]
    if places[8]:
        set_base(plan, deal[places[6]] >> 2)
    next_card = 0
    for column in range(plan[at.COLUMNS]):
        under = NONE
        down = places[9 + plan[at.COLUMNS] + column]
        for level in range(places[9 + column]):
            card = _new_card(rows, deal[next_card])
            next_card += 1
            rows[card] = under
            rows[plan[at.COLUMN] + card] = DOWN if level < down else column
            under = card
        rows[plan[at.TOP] + column] = under
    for zone, part in enumerate((plan[at.CELLS], plan[at.RESERVE], plan[at.STOCK])):
        for place in range(places[2 * zone], places[2 * zone + 1]):
            rows[part + place - places[2 * zone]] = _new_card(rows, deal[place])
    rows[counts + at.RESERVE_LEFT] = places[3] - places[2]
    rows[counts + at.LEFT] = places[5] - places[4]
    rows[counts + at.WASTE] = 0
    rows[counts + at.REDEALS_LEFT] = plan[at.REDEALS]
    for place in range(places[6], places[7]):
        card = _new_card(rows, deal[place])
        pile = (card & 3) + (4 if card >= 52 else 0)
        rows[card] = UP + pile
        rows[plan[at.HEIGHTS] + pile] = 1


@kernel
def _new_card(rows, face):
    """The card of a face, or its twin where that lies already; marked as seen."""
    card = face + 0
    if rows[card] != _UNSEEN:
        card += 52
    rows[card] = NONE
    return card


@kernel
def set_base(plan, base):
    """Count ranks from a base, 0 for an ace."""
    plan[at.BASE] = base
    for card in range(104):
        plan[at.RANK + card] = (card % 52 // 4 - base) % plan[at.MAX_RANK]


def load_position(
    position: PatiencePosition, rows: NDArray[np.int8], plan: NDArray[np.int64]
) -> None:
    """Lay a position out as the first row, and count ranks from its base.

    Args:
        position: the position.
        rows: int8[...].
        plan: int64[PLAN] of its ruleset.
    """
    o = position.rules.options
    set_base(plan, position.base)
    rows[: plan[at.ROW]] = NONE
    seen: set[int] = set()

    def new(face: int) -> int:
        card = face + 52 if face in seen else face
        seen.add(card)
        return card

    heights = plan[at.HEIGHTS]
    rows[heights : heights + 8] = 0
    for pile, height in enumerate(position.foundations):
        rows[heights + pile] = height
        for level in range(height):
            face = (level + position.base) % o.max_rank * 4 + pile % 4
            rows[new(face)] = UP + pile
    for column, (cards, down) in enumerate(zip(position.columns, position.down, strict=True)):
        under = NONE
        for level, face in enumerate(cards):
            card = new(face)
            rows[card] = under
            rows[plan[at.COLUMN] + card] = DOWN if level < down else column
            under = card
        rows[plan[at.TOP] + column] = under
    if o.reserve_stacked:
        reserve: Sequence[int | None] = position.reserve[0]
    else:
        reserve = [pile[0] if pile else None for pile in position.reserve]
    drawn = position.waste + position.stock
    for part, places in ((at.CELLS, position.cells), (at.RESERVE, reserve), (at.STOCK, drawn)):
        for place, taken in enumerate(places):
            rows[plan[part] + place] = NONE if taken is None else new(taken)
    redeals = at.ENDLESS if o.redeals == UNLIMITED else o.redeals - position.redealt
    counts = len(drawn), len(position.waste), redeals, len(reserve)
    rows[plan[at.COUNTS] : plan[at.COUNTS] + 4] = counts
