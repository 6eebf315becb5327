"""Rulesets and pruning rules of the exact search, each of which can be switched off alone.

Names in brackets in the other modules, such as [reveals], are sections of `docs/search/`.
"""

# mypy: allow-untyped-defs, allow-untyped-calls

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from engine.kernels.decorators import inlined_kernel
from engine.klondike.rules import KlondikeRules

USUAL_RULESETS = (
    "rulesets with unlimited redeals, partial runs, worrying back, alternating colours and kings "
    "alone in empty columns, any draw count"
)

# Bits of `off`, the rules that are switched off.
(
    SAFE,
    RISE,
    WASTE,
    EXTRA,
    ORDER,
    USE,
    REVEALS,
    RELAXATION,
    RESTARTS,
    PAIRS,
    HAND,
    BRING,
    STOCKS,
    DRAW_ONE,
) = (1 << bit for bit in range(14))
_BOTH: Mapping[str, int] = {
    "safe": SAFE,
    "rise": RISE,
    "waste": WASTE,
    "extra reach": EXTRA,
    "worrying back": ORDER,
    "use": USE,
    "reveals": REVEALS,
    "relaxation": RELAXATION,
    "restarts": RESTARTS,
    "pairs": PAIRS,
}
# The rules of each search.
RULES_BY_HAND: Mapping[str, int] = MappingProxyType({**_BOTH, "hand": HAND})
RULES_BY_STOCKS: Mapping[str, int] = MappingProxyType(
    {**_BOTH, "bringing": BRING, "stock dominance": STOCKS, "draw one": DRAW_ONE}
)

# What may be built on what, and what may go into an empty column, as kernels take them.
ALTERNATING, ANY_SUIT, SAME_SUIT = range(3)
KINGS_ONLY, ANY_CARD, NOTHING = range(3)
BUILDING = {"alternating": ALTERNATING, "any-suit": ANY_SUIT, "same-suit": SAME_SUIT}
SPACES = {"kings": KINGS_ONLY, "any": ANY_CARD, "none": NOTHING}


class Mode(NamedTuple):
    """Mode of a search, which follows from the ruleset and the rules switched off.

    Those of None or 1 are told apart when the search is compiled: for each ruleset it is compiled
    by itself, so that what serves others costs it nothing. Ask of them only whether they are None.

    draw: cards turned at once.
    off: rules switched off, bits of `RULES_BY_HAND` or `RULES_BY_STOCKS`.
    building: ALTERNATING, ANY_SUIT or SAME_SUIT.
    spaces: KINGS_ONLY, ANY_CARD or NOTHING.
    each_waste: whether the table keeps every waste apart [waste].
    by_remainder: whether it keeps the smallest waste of each remainder in entries of their own.
    drops_reveals: whether reveals that were tried before are dropped [reveals].
    last_pass: whether no redeal is left at the start [last pass].
    store_alone: whether the store of stocks takes the place of the table [stock dominance].
    brings_stock: whether a STOCK_DOWN only brings a card [bringing].
    asks: whether positions on the path are searched at draw 1 [draw one].
    general: None if building is ALTERNATING and spaces are KINGS_ONLY.
    forward: None if cards may come back from the foundations.
    limited: None if redeals are unlimited.
    whole: None if parts of runs may move.
    by_stocks: None if lost positions are found in the game by hand [hand]; else they are found by
        the stocks of others, at draw 1. Then all before it are None.
    """

    draw: int
    off: int
    building: int
    spaces: int
    each_waste: bool
    by_remainder: bool
    drops_reveals: bool
    last_pass: bool
    store_alone: bool
    brings_stock: bool
    asks: bool
    general: int | None
    forward: int | None
    limited: int | None
    whole: int | None
    by_stocks: int | None


def has_usual_rules(rules: KlondikeRules) -> bool:
    """Whether a ruleset is one of `USUAL_RULESETS`."""
    return (
        rules.has_usual_tableau
        and rules.redeals is None
        and rules.partial_runs
        and rules.worrying_back
    )


@inlined_kernel
def mode_by_hand(draw, off, building, spaces, general, forward, limited, whole, last_pass):
    """Return the mode of a ruleset with rules switched off, for the search by hand."""
    if general is not None and spaces == ANY_CARD:
        off |= ORDER | USE | REVEALS
    drops = off & REVEALS == 0
    if forward is None:
        drops = drops and off & RISE == 0
    return Mode(
        draw,
        off,
        building,
        spaces,
        off & WASTE != 0,
        draw > 3 and off & WASTE == 0,
        drops,
        last_pass,
        False,
        False,
        False,
        general,
        forward,
        limited,
        whole,
        None,
    )


@inlined_kernel
def mode_by_stocks(draw, off, asks):
    """Return the mode of a draw count with rules switched off, for the search by stocks."""
    return Mode(
        draw,
        off,
        ALTERNATING,
        KINGS_ONLY,
        draw > 3 or off & WASTE != 0,
        False,
        off & (REVEALS | RISE) == 0,
        False,
        draw == 1 and off & (STOCKS | BRING) == 0,
        draw == 1 and off & BRING == 0,
        asks,
        None,
        None,
        None,
        None,
        1,
    )
