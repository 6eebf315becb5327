"""JSON lines of deals, as `thoughtful solve` reads and `thoughtful deal --json` writes them."""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeGuard

from engine.dealing.dealers import get_dealer
from engine.errors import BadInput, one_of
from engine.game import Deal, Game
from engine.games import DEFAULT_GAME, default_game, game_of_deal, games, get_game
from engine.text.strict_json import parse_json


@dataclass(frozen=True, slots=True)
class InputDeal:
    """One line of a file of deals.

    Attributes:
        id: the name that the line gives to the deal; without one, ``dealer:seed`` or, for a deal
            given by its cards alone, the number of the line.
        deal: the deal.
        dealer: slug of the dealer; None if the line names no dealer.
        seed: seed of the dealer; None if the line names no dealer.
        rules: slug of the ruleset that the line states; None if it states none.
    """

    id: str | int
    deal: Deal
    dealer: str | None = None
    seed: int | None = None
    rules: str | None = None


def read_deal_lines(
    stream: Iterable[str] | Iterable[bytes], game: Game | None = None
) -> Iterator[InputDeal]:
    """Read the deals of a stream of JSON lines, one at a time.

    A line has the zones of its game, such as ``{"id": …, "tableau": [[bottom … top] × 7], "stock":
    [first drawn … last drawn]}``, or ``{"id": …, "dealer": …, "seed": …}``; if it has
    both, they must give the same deal. The key ``"game"`` may name the game. Other keys and blank
    lines are ignored.

    Args:
        stream: text, or bytes of UTF-8.
        game: the game of every line; if None, the game that a line names, else the game that has
            the zones of the line, else the default game.

    Raises:
        BadInput: a line is malformed or of another game; the message begins with its number.
    """
    for number, text in _numbered_lines(stream):
        try:
            if text.strip():
                yield input_deal(parse_json(text), number, game)
        except BadInput as error:
            raise BadInput(f"line {number}: {error}") from None


def _numbered_lines(stream: Iterable[str] | Iterable[bytes]) -> Iterator[tuple[int, str]]:
    number = 0
    try:
        for line in stream:
            text = line.decode() if isinstance(line, bytes) else line
            number += 1
            yield number, text.removeprefix("\ufeff")
    except UnicodeDecodeError:
        # A text stream decodes ahead, so the bad byte may lie in a later line.
        raise BadInput(f"line {number + 1} or a later line is not UTF-8 text") from None


def input_deal(data: Any, number: int, wanted: Game | None) -> InputDeal:
    """The deal of the JSON of a line, as `read_deal_lines` reads it.

    Args:
        data: the JSON.
        number: of the line, the deal's name if it has no other.
        wanted: the game of the line, or None.

    Raises:
        BadInput: it is no such deal, or one of another game.
    """
    if not isinstance(data, dict):
        raise BadInput("not a JSON object")
    game = _game_of_line(data, wanted) or wanted or default_game()
    if wanted is not None and game != wanted:
        raise BadInput(f"this is a deal of {game.name}: expected one of {wanted.name}")
    dealer, seed = data.get("dealer"), data.get("seed")
    has_cards = any(zone.name in data for zone in game.zones)
    deal = game.deal_from_json(data) if has_cards else None
    if dealer is not None or seed is not None:
        if not isinstance(dealer, str) or not _is_whole(seed):
            raise BadInput(
                f'"dealer" must be a name and "seed" a whole number, not {dealer!r} and {seed!r}'
            )
        dealt = get_dealer(dealer).deal(seed, game)
        if deal is not None and deal != dealt:
            raise BadInput(f"these are not the cards of {dealer}:{seed}")
        deal = dealt
    if deal is None:
        zones = " and ".join(f'"{zone.name}"' for zone in game.zones)
        raise BadInput(f'a deal needs {zones}, or "dealer" and "seed"')
    own_id = data.get("id")
    if own_id is None:
        own_id = number if dealer is None else f"{dealer}:{seed}"
    elif not isinstance(own_id, str) and not _is_whole(own_id):
        raise BadInput(f'"id" must be text or a whole number, not {own_id!r}')
    return InputDeal(own_id, deal, dealer, seed)


def _game_of_line(data: Mapping[str, Any], wanted: Game | None) -> Game | None:
    """The game that a line names or whose zones it has; None without either."""
    name = data.get("game")
    if name is not None:
        if not isinstance(name, str):
            known = one_of((game.slug for game in games()), name)
            raise BadInput(f'"game" must be {known}, not {name!r}')
        return get_game(name)
    if wanted is not None and wanted.is_deal_json(data):
        return wanted
    return game_of_deal(data)


def _is_whole(value: object) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool)


def write_deal_line(item: InputDeal) -> str:
    """Write a deal as one line without its line end; `read_deal_lines` is the inverse."""
    line: dict[str, Any] = {"id": item.id}
    if item.deal.game != DEFAULT_GAME:
        line["game"] = item.deal.game
    if item.dealer is not None:
        line |= {"dealer": item.dealer, "seed": item.seed}
    return json.dumps(line | item.deal.to_json(), separators=(",", ":"))
