"""`puzzle`: positions in which one play alone keeps the win."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from engine.errors import BadInput
from engine.games import DEFAULT_RULESET
from thoughtful.terminal import completing, console, options
from thoughtful.terminal.examples import examples

if TYPE_CHECKING:
    from catalogue.difficulty.puzzles import Puzzle

_MOST = 100_000


@examples(
    "thoughtful puzzle",
    "thoughtful puzzle -r klondike-draw1 --theme king --key monday --solution",
    "thoughtful puzzle --key monday --json",
    "thoughtful puzzle --key mine --count 5 --output puzzles.csv",
)
def puzzle(
    rules: options.Rules = DEFAULT_RULESET,
    theme: Annotated[
        str | None,
        typer.Option(
            "--theme",
            metavar="THEME",
            autocompletion=completing.themes,
            help="Only puzzles in which the play does this, such as king or hold-back",
        ),
    ] = None,
    key: Annotated[
        str | None,
        typer.Option(
            "--key", metavar="TEXT", help="The same key gives the same puzzle; else a random one"
        ),
    ] = None,
    solution: Annotated[
        bool, typer.Option("--solution", help="Print the play that keeps the win, and a win")
    ] = False,
    count: Annotated[
        int,
        typer.Option(
            "--count",
            metavar="N",
            parser=options.whole(1, _MOST),
            help="Puzzles, of the keys TEXT 0, TEXT 1 and so on where there are several",
        ),
    ] = 1,
    output: Annotated[
        str | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="Write a table to a file that ends with .parquet, .csv or .jsonl",
        ),
    ] = None,
    json: options.AsJson = False,
) -> None:
    """Print a puzzle: a position in which one play alone keeps the win.

    All cards are known, face-down ones stand in brackets. A play is a card moved for good, after
    turns of the stock and after moves that can be taken back; a complete search proves of all other
    plays that they lose. --output writes puzzles with their solutions as a table.
    """
    import secrets

    from catalogue.difficulty.puzzles import puzzle as puzzle_of
    from catalogue.difficulty.puzzles import puzzle_plays
    from engine.rulesets import parse_ruleset
    from engine.text.numbers import counted

    if output is not None and (json or solution):
        raise BadInput("--output writes solutions to a file: expected no --json and no --solution")
    ruleset = parse_ruleset(rules).slug
    puzzle_plays(parse_ruleset(rules))
    word = secrets.token_hex(4) if key is None else key
    keys = [word] if count == 1 else [f"{word} {number}" for number in range(count)]
    found = ((each, puzzle_of(ruleset, theme, each)) for each in keys)
    if output is not None:
        from catalogue.tables.positions import row_of, write_positions

        with console.progress("finding puzzles") as advance:

            def rows() -> Iterator[dict[str, Any]]:
                for number, (each, one) in enumerate(found, start=1):
                    yield row_of(one, each)
                    advance(number, one.deal)

            written = write_positions(rows(), Path(output))
        print(f"{counted(written, 'puzzle')} in {output}")
        return
    for number, (each, one) in enumerate(found):
        if json:
            console.emit(one.to_json() | {"key": each})
        else:
            print(f"{chr(10) if number else ''}{_as_text(one, each, solution)}")


def _as_text(found: "Puzzle", key: str, solution: bool) -> str:
    from catalogue.difficulty.puzzles import THEMES

    position = found.position
    level = "" if found.level is None else f", level {found.level}: {found.level_name}"
    lines = [str(position), ""]
    if position.to_come:
        lines += [position.to_come, ""]
    lines.append(f"One of {found.plays} plays keeps the win{level}. Which?")
    lines.append(f"{found.deal} after {len(found.moves)} moves, {found.ruleset}, key {key}")
    if solution:
        words = "; ".join(THEMES[theme] for theme in found.themes)
        lines += ["", f"{' '.join(found.solution)}{f' ({words})' if words else ''}"]
        lines.append(f"then {' '.join(found.rest)}")
    return "\n".join(lines)
