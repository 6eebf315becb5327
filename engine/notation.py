"""Lists of moves as text."""

from collections.abc import Callable
from typing import TypeVar

from engine.errors import BadMove

M = TypeVar("M")


def parse_words(text: str, parse: Callable[[str], M]) -> tuple[M, ...]:
    """Read moves of any game separated by blanks, commas or line ends.

    Raises:
        BadMove: one of them is no move; the sentence says which.
    """
    moves = []
    for number, word in enumerate(text.replace(",", " ").split(), start=1):
        try:
            moves.append(parse(word))
        except BadMove as error:
            raise BadMove(f"move {number}: {error}") from None
    return tuple(moves)
