"""Deals and positions out of any text that we can read, whatever its form.

A deal's name, each text format of a game (`engine.formats`), the JSON of a position, or the text of
a position that a person types. The content alone decides whether it is a deal or a position: a
position before the first move is the deal that it starts.
"""

import re
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from engine.cards import HIDDEN
from engine.dealing.dealers import deal_by_id
from engine.errors import BadInput
from engine.game import Deal, Game, Position, Rules
from engine.games import family_of, game_of, games, get_game
from engine.rulesets import parse_ruleset
from engine.text.normal import normal_text, plain_text
from engine.text.strict_json import looks_like_json, parse_json

# Characters of a text; the largest, a JSON position of two decks, has some 1,500.
MOST = 20_000

POSITION = "the text of a position"
_NAME = re.compile(r"[a-z][a-z0-9-]*:[0-9_]+", re.ASCII)


@dataclass(frozen=True, slots=True)
class Detected:
    """The form and the contents of a text.

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
    text = plain_text(text).strip()
    game = game_of(rules)
    if not text:
        raise BadInput("there is no text: expected the name of a deal, its cards, or a position")
    if _NAME.fullmatch(text):
        deal = deal_by_id(text, game)
        return Detected("the name of a deal", deal, text, game.start(deal, rules))
    if looks_like_json(text):
        try:
            return _of_json(text, rules)
        except BadInput:
            _check_game(text, game, rules)
            raise
    problem: BadInput | None = None
    for codec in game.codecs:
        if codec.looks(text):
            try:
                deal = codec.read(text)
            except BadInput as error:
                problem = error
            else:
                return Detected(codec.summary, deal, None, game.start(deal, rules))
    if game.read_table is not None and _shows_cards(text):
        try:
            return of_data(game.read_table(text), POSITION, rules)
        except BadInput as error:
            problem = error
    _check_game(text, game, rules)
    raise problem or not_readable(text, game)


def of_data(data: Any, form: str, rules: Rules) -> Detected:
    """The contents of data of `Position.to_json`, with ``??`` for cards that are not known.

    Raises:
        BadInput: they show no position of the game of the rules.
    """
    game = game_of(rules)
    named = data.get("rules") if isinstance(data, dict) else None
    if isinstance(named, str) and game_of(parse_ruleset(named.lower())) != game:
        raise BadInput(
            f"the position is one of {named}, and {rules.slug} is a ruleset of {game.name}"
        )
    if isinstance(data, dict) and _has_unknown(data):
        return Detected(form, observation=data)
    position = game.position_from_json(data, rules)
    return Detected(form, game.deal_of(position), None, position)


def not_readable(text: str, game: Game) -> BadInput:
    """The error for a text that looks like nothing that can be read."""
    forms = "; ".join(codec.summary for codec in game.codecs)
    return BadInput(
        f"{text.splitlines()[0][:60]!r} is neither a deal nor a position that can be read: "
        f"expected the name of a deal, such as thoughtful-1:42, or a deal of {game.name} as {forms}"
    )


def _of_json(text: str, rules: Rules) -> Detected:
    game = game_of(rules)
    data = parse_json(text)
    if not isinstance(data, dict):
        raise not_readable(text, game)
    if data.get("game", game.slug) != game.slug:
        raise not_readable(text, game)  # `_check_game` says of which it is
    if isinstance(data.get("position"), dict):
        data = data["position"]  # as `thoughtful replay --json` prints it
    codec = next((each for each in game.codecs if each.looks(text)), None)
    form = "the JSON of a position" if codec is None else codec.summary
    shown = game.normal_json(data)
    if shown is not None:
        return of_data(shown, form, rules)
    if codec is not None and "down" not in data and "up" not in data:
        deal = codec.read(text)
        return Detected(form, deal, None, game.start(deal, rules))
    return of_data(data, form, rules)


def _shows_cards(text: str) -> bool:
    """Whether a text can be that of a position: it has several lines, or a heading."""
    normal = normal_text(text).strip()
    return "\n" in normal or ":" in normal or "<" in normal


def _check_game(text: str, game: Game, rules: Rules) -> None:
    """Raise BadInput if a text is a deal of another game in one of its formats."""
    named = _named_game(text)
    known = games() if named is None else [named]
    others = [each for each in known if each != game and _is_deal_of(text, each)]
    # A deal of a game with rules of its own may look like one of many others: it is that one.
    others = [each for each in others if family_of(each.slug) == each.slug] or others
    if others:
        names = " or ".join(other.name for other in others)
        slugs = ", ".join(slug for other in others for slug in other.rulesets.presets)
        raise BadInput(
            f"this is a deal of {names}, and {rules.slug} is a ruleset of {game.name}: "
            f"expected one of {slugs}"
        )


def _named_game(text: str) -> Game | None:
    """The game that a JSON object names; None if it names none."""
    with suppress(BadInput):
        data = parse_json(text)
        if isinstance(data, dict) and isinstance(data.get("game"), str):
            return get_game(data["game"])
    return None


def _is_deal_of(text: str, game: Game) -> bool:
    for codec in game.codecs:
        if codec.looks(text):
            with suppress(BadInput):
                codec.read(text)
                return True
    return False


def _has_unknown(data: Any) -> bool:
    """Whether a card of a position is not known."""
    if isinstance(data, dict):
        return any(map(_has_unknown, data.values()))
    return any(map(_has_unknown, data)) if isinstance(data, list) else bool(data == HIDDEN)
