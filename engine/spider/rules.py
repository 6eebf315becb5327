"""Rulesets of Spider, all of which are named: ``spider-4``, ``spider-2-relaxed``."""

from dataclasses import dataclass
from typing import ClassVar

from engine.cards import is_red, make_card, rank
from engine.errors import BadInput
from engine.game import Option, Rulesets

_SPADES, _HEARTS = 2, 3


@dataclass(frozen=True, slots=True)
class SpiderRules:
    """The options of Spider.

    Attributes:
        suits: number of suits that count, 1, 2 or 4. With 1 all cards count as spades, with 2
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
        """The name of these options."""
        return next(name for name, rules in PRESETS.items() if rules == self)

    def __str__(self) -> str:
        return self.slug

    def shown(self, card: int) -> int:
        """The card that a card of a deal counts as."""
        if self.suits == 4:
            return card
        return make_card(rank(card), _HEARTS if self.suits == 2 and is_red(card) else _SPADES)


PRESETS = {
    "spider-4": SpiderRules(4),
    "spider-2": SpiderRules(2),
    "spider-1": SpiderRules(1),
    # Introduction to the Monkey Algorithm: a row may be dealt even if columns are empty.
    "spider-4-relaxed": SpiderRules(4, deal_onto_empty=True),
    "spider-2-relaxed": SpiderRules(2, deal_onto_empty=True),
    "spider-1-relaxed": SpiderRules(1, deal_onto_empty=True),
}
# The name after the effect of the option, and the former name.
_RENAMED = {
    f"{slug.removesuffix('-relaxed')}{ending}": slug
    for slug in PRESETS
    if slug.endswith("-relaxed")
    for ending in ("-monkey", "-deal-onto-empty")
}


def parse_rules(slug: str) -> SpiderRules | None:
    """Parse the slug of a ruleset; None if it is not one of Spider."""
    return PRESETS.get(_RENAMED.get(slug, slug))


def title(rules: SpiderRules) -> str:
    """The name of rules for players."""
    name = f"Spider, {rules.suits} suit{'' if rules.suits == 1 else 's'}"
    return f"{name}, rows onto empty columns" if rules.deal_onto_empty else name


def describe(rules: SpiderRules) -> str:
    """Describe the options in one sentence."""
    suits = {
        1: "all cards count as spades",
        2: "black cards count as spades and red ones as hearts",
        4: "all four suits count",
    }[rules.suits]
    onto = "may be dealt" if rules.deal_onto_empty else "is not dealt"
    return f"Spider, {suits}; a row {onto} while a column is empty."


def implies(strict: SpiderRules, lax: SpiderRules) -> bool:
    """Whether every deal that can be won under the first ruleset can be won under the second.

    With as many suits: a row that may be dealt when no column is empty may be dealt under the
    relaxed rules too, every other move is legal in both, and a move does the same; so a game is
    played move for move. Fewer suits are not compared: runs would be completed, and leave the
    table, at other moments.
    """
    return strict.suits == lax.suits and (lax.deal_onto_empty or not strict.deal_onto_empty)


RULESETS = Rulesets(
    presets=PRESETS,
    default="spider-4",
    parse=parse_rules,
    pattern="",
    options=(
        Option("suits", lambda rules: str(rules.suits), is_number=True),
        Option("a row onto empty columns", lambda rules: "yes" if rules.deal_onto_empty else "no"),
    ),
    describe=describe,
    title=title,
    basics="Two decks of 52 cards. Four columns have 6 cards and six have 5, of which the last "
    "lies face up; the other 50 are dealt later in five rows, a card to each column. A card, or a "
    "run of one suit in descending order, goes onto a card that is one rank higher, of any suit, "
    "or to an empty column. A face-down card with nothing on it is turned up. A run of one suit "
    "from king to ace leaves the table; the game is won when all eight have.",
    implies=implies,
    renamed=_RENAMED,
)
