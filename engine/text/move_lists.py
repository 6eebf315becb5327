"""Text of move lists, for every game."""

from collections.abc import Callable
from typing import TypeVar

from engine.errors import BadMove

M = TypeVar("M")


def parse_words(text: str, parse: Callable[[str], M]) -> tuple[M, ...]:
    """Parse moves separated by blanks, commas or line ends, with the parser of one game.

    Raises:
        BadMove: a word is not a move; the message gives its number.
    """
    moves = []
    for number, word in enumerate(text.replace(",", " ").split(), start=1):
        try:
            moves.append(parse(word))
        except BadMove as error:
            raise BadMove(f"move {number}: {error}") from None
    return tuple(moves)
