"""Deals and positions out of any text that we can read, whatever its form.

A deal's name, each text format of a game (`engine.formats`), the JSON of a position, or the text of
a position that a person types.
"""

import re
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from engine.cards import HIDDEN
from engine.dealing.dealers import deal_by_id
from engine.errors import BadInput
from engine.game import Deal, Game, Position, Rules
from engine.games import game_of, games
from engine.rulesets import parse_ruleset
from engine.text.strict_json import parse_json

# Characters of a text; the largest, a JSON position of two decks, has some 1,500.
MOST = 20_000

# Lines that the board of a starting deal has not, or only with nothing in them.
_IN_PLAY = re.compile(
    r"^\s*(waste:\s*\S|foundations:.*-(?!0)\S|completed:\s*[CDSH]|-\s*$)", re.I | re.M | re.A
)
_NAME = re.compile(r"[a-z][a-z0-9-]*:[0-9_]+", re.ASCII)


@dataclass(frozen=True, slots=True)
class Detected:
    """What a text was found to be.

    Attributes:
        form: what the text is, in words.
        deal: the starting deal, or None.
        name: its name, if the text is one.
        position: the position, at its start if it is a deal; None if a card of it is not known.
        observation: the JSON of a position with ``??`` for cards that are not known, or None.
    """

    form: str
    deal: Deal | None = None
    name: str | None = None
    position: Position | None = None
    observation: dict[str, Any] | None = None


def detect(text: str, rules: Rules) -> Detected:
    """Find out what a text is, and read it.

    Args:
        text: a deal or a position of the game of the rules.
        rules: the ruleset that is played.

    Raises:
        BadInput: it is none, or has an error; the sentence is that of the form that it looks like.
    """
    if len(text) > MOST:
        raise BadInput(f"the text has {len(text):,} characters: {MOST:,} at most are read")
    text = text.strip().lstrip("\ufeff")
    game = game_of(rules)
    if not text:
        raise BadInput("there is no text: expected the name of a deal, its cards, or a position")
    if _NAME.fullmatch(text):
        deal = deal_by_id(text, game)
        return Detected("the name of a deal", deal, text, game.start(deal, rules))
    problem: BadInput | None = None
    # No format of other programs has cards that are not known.
    seen_only = HIDDEN in text and not text.startswith("{") and game.read_table is not None
    for codec in () if seen_only else game.codecs:
        if codec.looks(text):
            try:
                deal = codec.read(text)
            except BadInput as error:
                problem = error
            else:
                return Detected(codec.summary, deal, None, game.start(deal, rules))
    other = None if problem is None else _game_of_deal(text)
    if other is not None:
        raise BadInput(
            f"this is a deal of {other.name}, and {rules.slug} is a ruleset of {game.name}: "
            f"expected one of {', '.join(other.rulesets.presets)}"
        )
    if text.startswith("{"):
        data = parse_json(text)
        if problem is not None:
            raise problem
        return _position(data, "the JSON of a position", rules)
    # Whoever tells face-down cards from others shows a position; else it is a start with an error.
    marks = ("<",) if problem is not None else ("<", ":")
    if game.read_table is not None and (
        seen_only or any(mark in text for mark in marks) or _IN_PLAY.search(text)
    ):
        return _position(game.read_table(text), "the text of a position", rules)
    if problem is not None:
        raise problem
    raise not_readable(text, game)


def not_readable(text: str, game: Game) -> BadInput:
    """The error for a text that looks like nothing that can be read."""
    forms = "; ".join(codec.summary for codec in game.codecs)
    return BadInput(
        f"{text.splitlines()[0][:60]!r} does not begin anything that can be read: expected the "
        f"name of a deal, such as thoughtful-1:42, or a deal of {game.name} as {forms}"
    )


def _game_of_deal(text: str) -> Game | None:
    """The game of which a text is a deal in one of its formats; None if it is of none."""
    for game in games():
        for codec in game.codecs:
            if codec.looks(text):
                with suppress(BadInput):
                    codec.read(text)
                    return game
    return None


def _position(data: Any, form: str, rules: Rules) -> Detected:
    game = game_of(rules)
    if isinstance(data, dict) and isinstance(data.get("position"), dict):
        data = data["position"]  # as `thoughtful replay --json` prints it
    named = data.get("rules") if isinstance(data, dict) else None
    if isinstance(named, str) and game_of(parse_ruleset(named)) != game:
        raise BadInput(
            f"the position is one of {named}, and {rules.slug} is a ruleset of {game.name}"
        )
    if isinstance(data, dict) and _has_unknown(data):
        return Detected(form, observation=data)
    return Detected(form, position=game.position_from_json(data, rules))


def _has_unknown(data: dict[str, Any]) -> bool:
    """Whether a card of the columns or of the stock of a position is not known."""
    piles = [data.get("stock")]
    for key in ("down", "stock"):
        if isinstance(data.get(key), list):
            piles += data[key]
    return any(isinstance(pile, list) and HIDDEN in pile for pile in piles)
