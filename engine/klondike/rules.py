"""Rulesets of Klondike.

A slug is a preset's name or is composed of the options that differ from the default:
``klondike-draw2``, ``klondike-draw3-redeals2``, ``klondike-draw1-whole-runs``,
``klondike-draw3-redeals0-whole-runs-no-worrying-back``,
``klondike-draw3-build-same-suit-spaces-any``.
"""

import re
from dataclasses import dataclass, replace
from typing import ClassVar

from engine.cards import KING, is_red, make_card, rank, suit
from engine.errors import BadInput
from engine.game import Option, Rulesets

MAX_DRAW = 24
MAX_REDEALS = 1000
# The default of each stands first.
BUILDINGS = ("alternating", "any-suit", "same-suit")
SPACES = ("kings", "any", "none")


@dataclass(frozen=True, slots=True)
class KlondikeRules:
    """The options of Klondike.

    Attributes:
        draw: cards turned from stock to waste at once (fewer when fewer are left), 1..24.
        redeals: number of times the waste may be turned over into a new stock; None is unlimited.
        partial_runs: any face-up part of a column may move; if not, only all its face-up cards.
        worrying_back: the top card of a foundation may return to the tableau.
        building: which card one rank lower may be built on a card of the tableau: one of the other
            colour (``alternating``), any (``any-suit``) or the one of its suit (``same-suit``).
        spaces: what may go to an empty column, alone or with the run that lies on it: a king
            (``kings``), any card (``any``) or nothing (``none``).
    """

    game: ClassVar[str] = "klondike"

    draw: int = 3
    redeals: int | None = None
    partial_runs: bool = True
    worrying_back: bool = True
    building: str = "alternating"
    spaces: str = "kings"

    def __post_init__(self) -> None:
        if not 1 <= self.draw <= MAX_DRAW:
            raise BadInput(f"draw {self.draw} is out of range: expected 1 to {MAX_DRAW}")
        if self.redeals is not None and not 0 <= self.redeals <= MAX_REDEALS:
            raise BadInput(
                f"redeals {self.redeals} is out of range: expected 0 to {MAX_REDEALS}, "
                "or none named for unlimited"
            )
        if self.building not in BUILDINGS:
            raise BadInput(
                f"building {self.building!r} is unknown: expected one of {', '.join(BUILDINGS)}"
            )
        if self.spaces not in SPACES:
            raise BadInput(
                f"spaces {self.spaces!r} is unknown: expected one of {', '.join(SPACES)}"
            )

    @property
    def slug(self) -> str:
        """The name of the preset with these options, else the composed name."""
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
        if self.building != "alternating":
            parts.append(f"build-{self.building}")
        if self.spaces != "kings":
            parts.append(f"spaces-{self.spaces}")
        return "-".join(parts)

    @property
    def has_usual_tableau(self) -> bool:
        """Whether colours alternate in the tableau and only kings go to empty columns."""
        return self.building == "alternating" and self.spaces == "kings"

    def builds(self, card: int, host: int) -> bool:
        """Whether a card may be built on another one in the tableau."""
        if rank(host) != rank(card) + 1:
            return False
        if self.building == "alternating":
            return is_red(host) != is_red(card)
        return self.building == "any-suit" or suit(host) == suit(card)

    def hosts(self, card: int) -> tuple[int, ...]:
        """The cards of the tableau that a card may be built on, in order."""
        above = (make_card(rank(card) + 1, each) for each in range(4) if rank(card) != KING)
        return tuple(host for host in above if self.builds(card, host))

    def fills(self, card: int) -> bool:
        """Whether a card may go to an empty column."""
        return self.spaces == "any" or (self.spaces == "kings" and rank(card) == KING)

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
    r"klondike-draw(?P<draw>[1-9][0-9]?)(-redeals(?P<redeals>0|[1-9][0-9]{0,8}))?"
    r"(?P<whole>-whole-runs)?(?P<noback>-no-worrying-back)?"
    r"(-build-(?P<building>any-suit|same-suit))?(-spaces-(?P<spaces>any|none))?",
    re.ASCII,
)


def parse_rules(slug: str) -> KlondikeRules | None:
    """Parse the slug of a ruleset; None if it is not one of Klondike.

    Raises:
        BadInput: an option is out of range.
    """
    preset = PRESETS.get(slug)
    if preset is not None:
        return preset
    match = _SLUG.fullmatch(slug)
    if match is None:
        return None
    redeals = match["redeals"]
    return KlondikeRules(
        draw=int(match["draw"]),
        redeals=None if redeals is None else int(redeals),
        partial_runs=match["whole"] is None,
        worrying_back=match["noback"] is None,
        building=match["building"] or "alternating",
        spaces=match["spaces"] or "kings",
    )


def parse_klondike(slug: str) -> KlondikeRules:
    """Parse the slug of a ruleset of Klondike.

    Raises:
        BadInput: not a ruleset of Klondike.
    """
    rules = parse_rules(slug)
    if rules is None:
        raise BadInput(f"{slug} is not a ruleset of Klondike: expected one such as klondike-draw3")
    return rules


_BUILDING_WORDS = {
    "alternating": "cards are built in alternating colours",
    "any-suit": "cards are built in any suit",
    "same-suit": "cards are built in their own suit",
}
_SPACES_WORDS = {
    "kings": "only kings go to empty columns",
    "any": "any card goes to an empty column",
    "none": "empty columns stay empty",
}


def describe(rules: KlondikeRules) -> str:
    """Describe the options in one sentence."""
    cards = "one card" if rules.draw == 1 else f"{rules.draw} cards"
    redeals = "unlimited redeals" if rules.redeals is None else _redeals(rules.redeals)
    runs = "parts of a run may move" if rules.partial_runs else "only whole runs move"
    back = (
        "cards may return from the foundations"
        if rules.worrying_back
        else "cards never leave the foundations"
    )
    parts = [f"Klondike, {cards} turned at a time, {redeals}; {runs}, {back}"]
    # What every book takes for granted is not said.
    if not rules.has_usual_tableau:
        parts.append(f"{_BUILDING_WORDS[rules.building]}, {_SPACES_WORDS[rules.spaces]}")
    return f"{'; '.join(parts)}."


def _redeals(number: int) -> str:
    return "1 redeal" if number == 1 else f"{number or 'no'} redeal{'s' if number else ''}"


def title(rules: KlondikeRules) -> str:
    """The name of rules for players: the draw, and what else is not as usual."""
    parts = [f"Klondike, draw {rules.draw}"]
    if rules.redeals is not None:
        parts.append(_redeals(rules.redeals))
    if not rules.partial_runs:
        parts.append("whole runs only")
    if not rules.worrying_back:
        parts.append("nothing back from the foundations")
    if rules.building != "alternating":
        parts.append(f"built in {rules.building.replace('-', ' ')}")
    if rules.spaces != "kings":
        parts.append(_SPACES_WORDS[rules.spaces])
    return ", ".join(parts)


def implies(strict: KlondikeRules, lax: KlondikeRules) -> bool:
    """Whether every deal that can be won under the first ruleset can be won under the second.

    The moves of a game under the first are played under the second one by one, as
    `engine.klondike.translation` writes them:

    - a move of cards that is legal without partial runs, or without worrying back, is legal with
      them, since these options forbid nothing and what a move does is the same;
    - a redeal is legal if the number of redeals so far is below the limit, so a game within a limit
      is within a higher one, or none;
    - a turn of `strict.draw` cards is played as turns of `lax.draw` cards, if that number divides
      it: the cards come to the waste one by one and in the same order, and after as many turns as
      it takes the same cards have been turned, whether or not the stock has run out. Between these
      turns nothing else is played, and a redeal is legal when the stock is empty, which it is at
      the same moments. A turn is never limited.

    - a move onto a card is legal where any suit may be built, if it is where only some may; what
      it does is the same, since the rank of the card it goes on says which card leads the run;
    - a move to an empty column is legal where any card may go there, if it is where only kings or
      no cards may. Written otherwise (see `engine.klondike.moves`) it goes to the first of the
      empty columns, and the columns have changed their numbers from then on. A run of thirteen,
      for which there is no such move, goes without its ace, which goes to its foundation before;
      no card is built on an ace, so nothing that follows needs it in the tableau.

    Everything else in the two games is the same, position by position.
    """
    return (
        strict.draw % lax.draw == 0
        and (lax.redeals is None or (strict.redeals is not None and strict.redeals <= lax.redeals))
        and (lax.partial_runs or not strict.partial_runs)
        and (lax.worrying_back or not strict.worrying_back)
        and lax.building in (strict.building, "any-suit")
        and (lax.spaces in (strict.spaces, "any") or strict.spaces == "none")
    )


def without(rules: KlondikeRules) -> dict[str, KlondikeRules]:
    """The stricter rules that show whether a deal needs cards brought back from the foundations."""
    return {"worrying-back": replace(rules, worrying_back=False)} if rules.worrying_back else {}


def further(rules: KlondikeRules) -> list[KlondikeRules]:
    """The rulesets that differ from these in one more option, draw left alone."""
    return [
        *(replace(rules, redeals=redeals) for redeals in range(4) if rules.redeals is None),
        *(replace(rules, partial_runs=False) for _ in range(rules.partial_runs)),
        *(replace(rules, worrying_back=False) for _ in range(rules.worrying_back)),
        *(replace(rules, building=word) for word in BUILDINGS if rules.building == BUILDINGS[0]),
        *(replace(rules, spaces=word) for word in SPACES if rules.spaces == SPACES[0]),
    ]


def _yes(value: bool) -> str:
    return "yes" if value else "no"


RULESETS = Rulesets(
    presets=PRESETS,
    default="klondike-draw3",
    parse=parse_rules,
    pattern="klondike-drawN[-redealsK][-whole-runs][-no-worrying-back]"
    "[-build-any-suit|-build-same-suit][-spaces-any|-spaces-none]",
    options=(
        Option("draw", lambda rules: str(rules.draw), is_number=True),
        Option(
            "redeals", lambda rules: "unlimited" if rules.redeals is None else str(rules.redeals)
        ),
        Option("partial runs", lambda rules: _yes(rules.partial_runs)),
        Option("worrying back", lambda rules: _yes(rules.worrying_back)),
        Option("building", lambda rules: rules.building.replace("-", " ")),
        Option("spaces", lambda rules: rules.spaces),
    ),
    describe=describe,
    title=title,
    basics="One deck of 52 cards. Seven columns have 1 to 7 cards, of which the last lies face up; "
    "the other 24 are the stock. A card, or cards that lie face up on each other, go onto the last "
    "card of another column if that is one rank higher, in alternating colours unless said "
    "otherwise; a king goes to an empty column. A face-down card with nothing on it is turned up. "
    "Cards of the stock are turned to the waste, whose top card may be played; once the stock is "
    "empty, a redeal turns the waste over. The game is won when all cards lie on the four "
    "foundations, each built in suit from ace to king.",
    implies=implies,
    without=without,
    further=further,
)
