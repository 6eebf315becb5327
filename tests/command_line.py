"""A command run in the process of a test: what it printed, and errors of one sentence."""

import json
from collections.abc import Callable
from typing import Any, NamedTuple

import pytest

from thoughtful import command_line


class Ran(NamedTuple):
    code: int
    out: str
    err: str

    @property
    def lines(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.out.splitlines()]


Thoughtful = Callable[..., Ran]


def command_runner(capfd: pytest.CaptureFixture[str]) -> Thoughtful:
    """Runs commands in this process."""

    def run(*arguments: str) -> Ran:
        capfd.readouterr()
        code = command_line.run(arguments)
        return Ran(code, *capfd.readouterr())

    return run


def assert_one_sentence(ran: Ran, *fragments: str) -> None:
    assert ran.code == 2
    assert ran.out == ""
    assert ran.err.startswith("thoughtful: ")
    assert ran.err.count("\n") == 1
    assert "? " not in ran.err
    assert ". " not in ran.err
    assert "Traceback" not in ran.err
    for fragment in fragments:
        assert fragment in ran.err


def commands(group: Any, path: tuple[str, ...] = ()) -> list[tuple[str, ...]]:
    """Every command of the program, in the order of the help."""
    found: list[tuple[str, ...]] = []
    for name, command in group.commands.items():
        inner = (*path, name)
        found += commands(command, inner) if hasattr(command, "commands") else [inner]
    return found
