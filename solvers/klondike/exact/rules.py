"""Rulesets and pruning rules of the exact search, each of which can be switched off alone.

Names in brackets in the other modules, such as [reveals], are sections of `docs/search.md`.
"""

# mypy: allow-untyped-defs, allow-untyped-calls

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from engine.kernels import inlined_kernel
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
    BRING,
    USE,
    STOCKS,
    REVEALS,
    RELAXATION,
    PAIRS,
    DRAW_ONE,
    RESTARTS,
) = (1 << bit for bit in range(13))
RULES: Mapping[str, int] = MappingProxyType(
    {
        "safe": SAFE,
        "rise": RISE,
        "waste": WASTE,
        "extra reach": EXTRA,
        "worrying back": ORDER,
        "bringing": BRING,
        "use": USE,
        "stock dominance": STOCKS,
        "reveals": REVEALS,
        "relaxation": RELAXATION,
        "pairs": PAIRS,
        "draw one": DRAW_ONE,
        "restarts": RESTARTS,
    }
)


class Mode(NamedTuple):
    """Mode of a search, which follows from the draw count and the rules switched off.

    draw: cards turned at once.
    off: rules switched off, bits of `RULES`.
    each_waste: whether the table keeps every waste apart [waste].
    by_stocks: whether the store of stocks takes the place of the table [stock dominance].
    brings_stock: whether a STOCK_DOWN only brings a card [bringing].
    drops_reveals: whether reveals that were tried before are dropped [reveals].
    asks: whether positions on the path are searched at draw 1 [draw one].
    """

    draw: int
    off: int
    each_waste: bool
    by_stocks: bool
    brings_stock: bool
    drops_reveals: bool
    asks: bool


def has_usual_rules(rules: KlondikeRules) -> bool:
    """Whether a ruleset is one of `USUAL_RULESETS`."""
    return (
        rules.has_usual_tableau
        and rules.redeals is None
        and rules.partial_runs
        and rules.worrying_back
    )


@inlined_kernel
def mode_of(draw, off, asks):
    """Return the mode of a draw count with rules switched off."""
    return Mode(
        draw,
        off,
        draw > 3 or off & WASTE != 0,
        draw == 1 and off & (STOCKS | BRING) == 0,
        draw == 1 and off & BRING == 0,
        off & (REVEALS | RISE) == 0,
        asks,
    )
