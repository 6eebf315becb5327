"""Tests that tables and helps fit a narrow terminal, and that nothing is cut."""

from collections.abc import Iterator, Sequence

import pytest
from typer.main import get_command

from command_line import Thoughtful
from thoughtful import command_line
from thoughtful.terminal import console

WIDTHS = (40, 60, 80, 120)


@pytest.fixture(params=WIDTHS)
def width(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int:
    monkeypatch.setenv("COLUMNS", str(request.param))
    return int(request.param)


def every_command() -> Iterator[list[str]]:
    def walk(command: object, path: list[str]) -> Iterator[list[str]]:
        yield path
        for name, each in getattr(command, "commands", {}).items():
            yield from walk(each, [*path, name])

    return walk(get_command(command_line.application()), [])


ROWS: Sequence[Sequence[object]] = (
    ("short", 1, "one two three", None),
    ("a-word-of-thirty-five-characters-xyz", 1234567, " ".join(["many words"] * 12), "x"),
    ("solver(nodes=1000, memory_mib=768)", 2, "", 3.5),
)


def test_a_table_fits_and_holds_every_word(width: int, capsys: pytest.CaptureFixture[str]) -> None:
    console.show_table(("name", "number", "about", "more"), ROWS, numbers=("number",), title="T")
    out = capsys.readouterr().out
    assert max(map(len, out.splitlines())) <= width
    assert "…" not in out
    wanted = [
        word for row in ROWS for cell in row if cell is not None for word in str(cell).split()
    ]
    printed = out.split()
    assert all(printed.count(word) >= wanted.count(word) for word in wanted)


@pytest.mark.parametrize("command", ["rulesets", "dealers", "solvers"])
def test_lists_fit(command: str, width: int, thoughtful: Thoughtful) -> None:
    out = thoughtful(command).out
    assert max(map(len, out.splitlines())) <= width
    assert "…" not in out
    for line in thoughtful(command, "--json").lines:
        assert line["slug"] in out


def test_tables_of_the_catalogue_fit(
    thoughtful: Thoughtful, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    solver = "yan-heuristic"
    thoughtful("job", "submit", "thoughtful-1:0-9", "--solver", "dead-end", "--solver", solver)
    thoughtful("runner")
    for command in (
        ("job", "list"),
        ("job", "show", "1"),
        ("bounds",),
        ("compare", "dead-end", solver, "--rules", "klondike-draw3"),
        ("difficulty", "show"),
        ("find",),
        ("hint", "thoughtful-1:42", "--seconds", "1"),
    ):
        ran = thoughtful(*command)
        lines = ran.out.splitlines()
        if command[0] == "difficulty":
            # A terminal wraps the sentences of the report; its tables must fit.
            lines = [line for line in lines if line.startswith("|")]
            assert len(lines) > 10
        long = [line for line in lines if len(line) > 80]
        assert long == [], command
        assert "…" not in ran.out


def test_examples_of_helps_are_not_wrapped(
    thoughtful: Thoughtful, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    begun = 0
    for path in every_command():
        out = thoughtful(*path, "--help").out
        assert max(map(len, out.splitlines())) <= 80
        # Up to the first box with options.
        _, heading, listed = out.partition("╭")[0].partition("Examples:")
        lines = [line.strip() for line in listed.splitlines() if line.strip()]
        assert bool(lines) == bool(heading)
        assert [line for line in lines if not line.startswith(("thoughtful ", "echo "))] == []
        begun += len(lines)
    assert begun > 60
