"""Moves as arguments of commands."""

from typing import TYPE_CHECKING, Any

from engine.errors import BadInput

if TYPE_CHECKING:
    from engine.game import Move, Position


def _parsed(text: str, place: str) -> Any:
    import json

    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise BadInput(f"{place} is not JSON: {error}") from None


def moves_of(
    text: str, deal: str | None, place: str, start: "Position", notation: str | None
) -> "tuple[Move, ...]":
    """Parse moves, or find the moves of a deal in results written as JSON lines."""
    from engine.notations import read_moves

    try:
        if not text.lstrip().startswith("{"):
            return read_moves(text, start, notation)
        for number, line in enumerate(text.splitlines(), start=1):
            if not line.strip():
                continue
            result = _parsed(line, f"line {number}")
            if not isinstance(result, dict):
                raise BadInput(f"line {number} is not a result of `thoughtful solve --json`")
            if deal is None or result.get("id") == deal:
                moves, named = result.get("moves"), result.get("notation", notation)
                if isinstance(moves, list):
                    odd = [move for move in moves if not isinstance(move, str)]
                    if odd:
                        raise BadInput(f"{odd[0]!r} is not a move")
                    moves = "\n".join(moves)
                if not isinstance(moves, str) or not isinstance(named, str | None):
                    raise BadInput(f"line {number} has no list of moves: only a win has one")
                return read_moves(moves, start, named)
        raise BadInput(f"no line has the id {deal}")
    except BadInput as error:
        raise BadInput(f"{place}: {error}") from None
