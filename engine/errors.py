"""Exceptions that every entry point reports as one sentence, and warnings of renamed things."""

import re
import warnings
from collections.abc import Iterable
from difflib import get_close_matches
from typing import Any

_LISTED = 12  # names that are listed whole
_LONG_WORD = re.compile(r"\S{301,}")  # longer than most paths
_HEAD, _TAIL = 80, 20  # what is left of it


class BadInput(ValueError):
    """Invalid input from a user.

    The message is one sentence that names the value, what was expected and where; the command line
    and the dashboard print it unchanged.

    Workers raise it too: a subclass whose constructor takes something else hands all of it on as
    `args`, by which an exception is pickled, and makes its sentence in ``__str__``.
    """

    def __str__(self) -> str:
        return without_long_words(super().__str__())


class BadMove(BadInput):
    """Text or bytes that are not a move of the notation."""


class IllegalMove(BadInput):
    """A well-formed move that the rules forbid in the position.

    Attributes:
        move: the move.
        reason: why it is illegal.
    """

    def __init__(self, move: Any, reason: str) -> None:
        super().__init__(move, reason)
        self.move = move
        self.reason = reason

    def __str__(self) -> str:
        return f"{self.move} ({self.move.kind.value}) is illegal: {self.reason}"


class Renamed(FutureWarning):
    """Warning that a former name was used; it still works."""


def note_renamed(what: str, old: str, new: str) -> None:
    """Warn that something has a new name; the former name still works."""
    warnings.warn(f"the {what} {old} is now called {new}", Renamed, stacklevel=3)


def without_long_words(sentence: str) -> str:
    """The sentence, with the middle of words left out that are longer than 300 characters."""
    return _LONG_WORD.sub(lambda word: f"{word[0][:_HEAD]}…{word[0][-_TAIL:]}", sentence)


def one_of(names: Iterable[str], given: object) -> str:
    """The words for the names that were expected: all, or of many those most like a wrong one."""
    known = list(names)
    if len(known) <= _LISTED:
        return f"one of {', '.join(known)}"
    near = get_close_matches(str(given)[:100].lower(), known, 5, 0.5) or known[:5]
    return f"one of {len(known)}, such as {', '.join(near)}"
