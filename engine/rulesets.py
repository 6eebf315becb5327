"""Rulesets: which moves are legal and what wins, named by a slug.

A slug is a preset's name or is composed of the options that differ from the default:
``klondike-draw2``, ``klondike-draw3-redeals2``, ``klondike-draw1-whole-runs``,
``klondike-draw3-redeals0-whole-runs-no-worrying-back``; ``spider-4``, ``spider-2-monkey``.
"""

import re
from dataclasses import dataclass
from typing import ClassVar

from engine.cards import is_red, make_card, rank
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

    game: ClassVar[str] = "klondike"

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


_SPADES, _HEARTS = 2, 3


@dataclass(frozen=True, slots=True)
class SpiderRules:
    """The options of Spider.

    Attributes:
        suits: how many suits are told apart, 1, 2 or 4. With 1 all cards count as spades, with 2
            black ones as spades and red ones as hearts; so a deal can be played with any number.
        deal_onto_empty: whether a row may be dealt while a column is empty; the usual rule says no.
    """

    game: ClassVar[str] = "spider"

    suits: int = 4
    deal_onto_empty: bool = False

    def __post_init__(self) -> None:
        if self.suits not in (1, 2, 4):
            raise BadInput(f"Spider is played with 1, 2 or 4 suits, not {self.suits}")

    @property
    def slug(self) -> str:
        """The name of these options, which all have one."""
        return next(name for name, rules in SPIDER_PRESETS.items() if rules == self)

    def __str__(self) -> str:
        return self.slug

    def shown(self, card: int) -> int:
        """What a card of a deal counts as."""
        if self.suits == 4:
            return card
        return make_card(rank(card), _HEARTS if self.suits == 2 and is_red(card) else _SPADES)


SPIDER_PRESETS = {
    "spider-4": SpiderRules(4),
    "spider-2": SpiderRules(2),
    "spider-1": SpiderRules(1),
    # Introduction to the Monkey Algorithm: a row may be dealt even if columns are empty.
    "spider-4-monkey": SpiderRules(4, deal_onto_empty=True),
    "spider-2-monkey": SpiderRules(2, deal_onto_empty=True),
    "spider-1-monkey": SpiderRules(1, deal_onto_empty=True),
}
_ONTO_EMPTY = "-deal-onto-empty"

Rules = KlondikeRules | SpiderRules
# Every ruleset that has a name of its own, of every game.
NAMED: dict[str, Rules] = {**PRESETS, **SPIDER_PRESETS}


def parse_ruleset(slug: str) -> Rules:
    """The rules a slug names.

    Raises:
        BadInput: no such ruleset.
    """
    preset = NAMED.get(slug) or SPIDER_PRESETS.get(slug.replace(_ONTO_EMPTY, "-monkey"))
    if preset is not None:
        return preset
    match = _SLUG.fullmatch(slug)
    if match is None:
        raise BadInput(
            f"unknown ruleset {slug!r}: expected one of {', '.join(NAMED)}, "
            "or klondike-drawN[-redealsK][-whole-runs][-no-worrying-back]"
        )
    redeals = match["redeals"]
    return KlondikeRules(
        draw=int(match["draw"]),
        redeals=None if redeals is None else int(redeals),
        partial_runs=match["whole"] is None,
        worrying_back=match["noback"] is None,
    )


def parse_klondike(slug: str) -> KlondikeRules:
    """The rules of Klondike a slug names.

    Raises:
        BadInput: no such ruleset, or one of another game.
    """
    rules = parse_ruleset(slug)
    if not isinstance(rules, KlondikeRules):
        raise BadInput(f"{slug} is a ruleset of {rules.game}: expected one of Klondike")
    return rules
