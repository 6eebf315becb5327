"""Pruning rules of the exact search, each of which can be switched off alone.

Names in brackets in the other modules, such as [reveals], are sections of `docs/search.md`.
"""

# mypy: allow-untyped-defs, allow-untyped-calls

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from engine.kernels import inlined_kernel

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
    HAND,
    RESTARTS,
    PAIRS,
) = (1 << bit for bit in range(11))
RULES: Mapping[str, int] = MappingProxyType(
    {
        "safe": SAFE,
        "rise": RISE,
        "waste": WASTE,
        "extra reach": EXTRA,
        "worrying back": ORDER,
        "use": USE,
        "reveals": REVEALS,
        "relaxation": RELAXATION,
        "hand": HAND,
        "restarts": RESTARTS,
        "pairs": PAIRS,
    }
)

# What may be built on what, and what may go into an empty column, as kernels take them.
ALTERNATING, ANY_SUIT, SAME_SUIT = range(3)
KINGS_ONLY, ANY_CARD, NOTHING = range(3)
BUILDING = {"alternating": ALTERNATING, "any-suit": ANY_SUIT, "same-suit": SAME_SUIT}
SPACES = {"kings": KINGS_ONLY, "any": ANY_CARD, "none": NOTHING}


class RulesetMode(NamedTuple):
    """Mode of a search, which follows from the ruleset and the rules switched off.

    Those of None or 1 are told apart when the search is compiled: for each ruleset it is compiled
    by itself, so that what serves others costs it nothing. Ask of them only whether they are None.

    draw: cards turned at once.
    off: rules switched off, bits of `RULES`.
    building: ALTERNATING, ANY_SUIT or SAME_SUIT.
    spaces: KINGS_ONLY, ANY_CARD or NOTHING.
    each_waste: whether the table keeps every waste apart [waste].
    by_remainder: whether it keeps the smallest waste of each remainder in entries of their own.
    drops_reveals: whether reveals that were tried before are dropped [reveals].
    last_pass: whether no redeal is left at the start [last pass].
    general: None if building is ALTERNATING and spaces are KINGS_ONLY.
    forward: None if cards may come back from the foundations.
    limited: None if redeals are unlimited.
    whole: None if parts of runs may move.
    """

    draw: int
    off: int
    building: int
    spaces: int
    each_waste: bool
    by_remainder: bool
    drops_reveals: bool
    last_pass: bool
    general: int | None
    forward: int | None
    limited: int | None
    whole: int | None


@inlined_kernel
def mode_of(draw, off, building, spaces, general, forward, limited, whole, last_pass):
    """Return the mode of a ruleset with rules switched off."""
    if general is not None and spaces == ANY_CARD:
        off |= ORDER | USE | REVEALS
    drops = off & REVEALS == 0
    if forward is None:
        drops = drops and off & RISE == 0
    return RulesetMode(
        draw,
        off,
        building,
        spaces,
        off & WASTE != 0,
        draw > 3 and off & WASTE == 0,
        drops,
        last_pass,
        general,
        forward,
        limited,
        whole,
    )
