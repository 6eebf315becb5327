"""Rulesets: which moves are legal and what wins, named by a slug.

A slug is a preset's name or is composed of the options that differ from the default:
``klondike-draw2``, ``klondike-draw3-redeals2``, ``klondike-draw1-whole-runs``,
``klondike-draw3-redeals0-whole-runs-no-worrying-back``.
"""

import re
from dataclasses import dataclass

from engine.errors import BadInput

MAX_DRAW = 24
MAX_REDEALS = 1000


@dataclass(frozen=True, slots=True)
class KlondikeRules:
    """The options of Klondike.

    Attributes:
        draw: cards turned from stock to waste at once (fewer when fewer are left), 1..24.
        redeals: how often the waste may be turned over into a new stock; None is unlimited.
        partial_runs: any face-up part of a column may move; if not, only all its face-up cards.
        worrying_back: the top card of a foundation may return to the tableau.
    """

    draw: int = 3
    redeals: int | None = None
    partial_runs: bool = True
    worrying_back: bool = True

    def __post_init__(self) -> None:
        if not 1 <= self.draw <= MAX_DRAW:
            raise BadInput(f"draw {self.draw} is out of range: expected 1 to {MAX_DRAW}")
        if self.redeals is not None and not 0 <= self.redeals <= MAX_REDEALS:
            raise BadInput(
                f"redeals {self.redeals} is out of range: expected 0 to {MAX_REDEALS}, "
                "or none named for unlimited"
            )

    @property
    def slug(self) -> str:
        """The preset's name where these options have one, else the composed name."""
        for name, rules in PRESETS.items():
            if rules == self:
                return name
        parts = [f"klondike-draw{self.draw}"]
        if self.redeals is not None:
            parts.append(f"redeals{self.redeals}")
        if not self.partial_runs:
            parts.append("whole-runs")
        if not self.worrying_back:
            parts.append("no-worrying-back")
        return "-".join(parts)

    def __str__(self) -> str:
        return self.slug


PRESETS = {
    "klondike-draw3": KlondikeRules(draw=3),
    "klondike-draw1": KlondikeRules(draw=1),
    "klondike-draw2": KlondikeRules(draw=2),
    # Yan et al. 2004, section 2: all face-up cards of a build stack move together.
    "klondike-yan": KlondikeRules(draw=3, partial_runs=False),
    # Casino rules: three passes through the stock by threes, or one pass card by card.
    "klondike-vegas": KlondikeRules(draw=3, redeals=2),
    "klondike-vegas1": KlondikeRules(draw=1, redeals=0),
}

_SLUG = re.compile(
    r"klondike-draw(?P<draw>[1-9][0-9]?)(-redeals(?P<redeals>0|[1-9][0-9]{0,3}))?"
    r"(?P<whole>-whole-runs)?(?P<noback>-no-worrying-back)?",
    re.ASCII,
)


def parse_ruleset(slug: str) -> KlondikeRules:
    """The rules a slug names.

    Raises:
        BadInput: no such ruleset.
    """
    if slug in PRESETS:
        return PRESETS[slug]
    match = _SLUG.fullmatch(slug)
    if match is None:
        raise BadInput(
            f"unknown ruleset {slug!r}: expected one of {', '.join(PRESETS)}, or "
            "klondike-drawN[-redealsK][-whole-runs][-no-worrying-back]"
        )
    redeals = match["redeals"]
    return KlondikeRules(
        draw=int(match["draw"]),
        redeals=None if redeals is None else int(redeals),
        partial_runs=match["whole"] is None,
        worrying_back=match["noback"] is None,
    )
