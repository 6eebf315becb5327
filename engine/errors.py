"""The exceptions that every entry point turns into one clear sentence, and notes of new names."""

import warnings
from typing import Any


class BadInput(ValueError):
    """Wrong input from a user.

    The message is one sentence that names the value, what was expected and where;
    command line and dashboard print it as it stands.
    """


class BadMove(BadInput):
    """A text or byte that is no move of the notation."""


class IllegalMove(BadInput):
    """A well-formed move that the rules forbid in the position it was tried in.

    Attributes:
        move: the move.
        reason: why it is illegal.
    """

    def __init__(self, move: Any, reason: str) -> None:
        super().__init__(f"{move} ({move.kind.value}) is illegal: {reason}")
        self.move = move
        self.reason = reason


class Renamed(FutureWarning):
    """A name that still works and should be replaced by a newer one."""


def note_renamed(what: str, old: str, new: str) -> None:
    """Warn that a thing is called by a new name; the old one goes on working."""
    warnings.warn(f"the {what} {old} is now called {new}", Renamed, stacklevel=3)
