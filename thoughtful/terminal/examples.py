"""Examples in the help of commands."""

from collections.abc import Callable
from typing import TypeVar

Command = TypeVar("Command", bound=Callable[..., None])

_examples: dict[Callable[..., None], tuple[str, ...]] = {}


def examples(*lines: str) -> Callable[[Command], Command]:
    """Have the help of a command end with these command lines, which a test runs unchanged."""

    def mark(command: Command) -> Command:
        _examples[command] = lines
        return command

    return mark


def examples_of(command: Callable[..., None]) -> tuple[str, ...]:
    """The examples of a command."""
    return _examples[command]
