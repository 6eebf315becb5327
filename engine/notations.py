"""Moves as text: our own notation, and those of other programs.

A game brings the notations of other programs (`engine.game.Notation`); its own is that of
`Game.parse_solution`.
"""

from collections.abc import Iterable

from engine.errors import BadInput, BadMove
from engine.game import Game, Move, Notation, Position
from engine.games import game_of, games
from engine.replay import replay

OWN = "thoughtful"


def notations() -> dict[str, str]:
    """The summary of each notation by its slug, our own first."""
    found = {OWN: "Thoughtful's own moves"}
    for game in games():
        for notation in game.notations:
            found.setdefault(notation.slug, notation.summary)
    return found


def check_notation(slug: str, game: Game) -> None:
    """Raise BadInput unless the moves of a game can be written in a notation."""
    if slug != OWN:
        _notation(slug, game)


def read_moves(text: str, start: Position, slug: str | None = None) -> tuple[Move, ...]:
    """Read moves, in the notation that they look like if none is named.

    Args:
        text: the moves.
        start: where the first of them is made.
        slug: the notation.

    Raises:
        BadInput: an unknown notation, a word that is no move, or, in a notation of another
            program, a move that is illegal.
    """
    game = game_of(start.rules)
    if slug == OWN:
        return game.parse_solution(text)
    if slug is not None:
        return _notation(slug, game).read(start, text)
    try:
        return game.parse_solution(text)
    except BadMove:
        for notation in game.notations:
            if notation.looks(text):
                return notation.read(start, text)
        raise


def write_moves(moves: Iterable[Move], start: Position, slug: str = OWN) -> str:
    """Write moves in a notation; `read_moves` is the inverse.

    Raises:
        BadInput: an unknown notation, one without a sign for a move, or an illegal move.
    """
    listed = tuple(moves)
    if slug == OWN:
        replay(start, listed)
        return " ".join(map(str, listed))
    return _notation(slug, game_of(start.rules)).write(start, listed)


def list_moves(moves: Iterable[Move], start: Position, slug: str = OWN) -> list[str]:
    """List moves in a notation, whose signs may stand for several moves or for none.

    Raises:
        BadInput: an unknown notation, one without a sign for a move, or an illegal move.
    """
    text = write_moves(moves, start, slug)
    separator = " " if slug == OWN else _notation(slug, game_of(start.rules)).separator
    return text.split(separator) if text else []


def _notation(slug: str, game: Game) -> Notation:
    for notation in game.notations:
        if notation.slug == slug:
            return notation
    if slug not in notations():
        raise BadInput(f"unknown notation {slug!r}: expected one of {', '.join(notations())}")
    able = ", ".join([OWN, *(notation.slug for notation in game.notations)])
    raise BadInput(f"the notation {slug} does not support {game.name}: expected one of {able}")
