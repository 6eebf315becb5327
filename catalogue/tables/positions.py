"""Puzzles as a table of positions, each with the one play that keeps its win."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from catalogue.difficulty.puzzles import THEMES, Puzzle
from catalogue.tables.columns import SHORT, TEXT, CatalogueTable, TableColumn, columns
from catalogue.tables.formats import format_named, writing

_SOURCE = "catalogue.difficulty.puzzles"
_THEMES = "; ".join(f"{slug}: {words[0].lower()}{words[1:]}" for slug, words in THEMES.items())
_OWN = (
    ("key", TEXT, "", "which names the puzzle under its ruleset", _SOURCE),
    ("line", TEXT, "", "moves from the start of the deal to the position", _SOURCE),
    ("position", TEXT, "", "the position after the line, as JSON", "the referee"),
    (
        "answer",
        TEXT,
        "",
        "moves of the play that keeps the win: turns of the stock and moves that can be taken "
        "back, then the move for good",
        _SOURCE,
    ),
    ("rest", TEXT, "", "moves of a win after the answer", "the solver that decides positions"),
    (
        "candidates",
        SHORT,
        "plays",
        "to choose from, which move different cards for good; a complete search proves of all but "
        "one that they lose",
        _SOURCE,
    ),
    (
        "puzzle_level",
        SHORT,
        "",
        "how seldom players who see no face-down card find the play, 1 (easiest) to 10, "
        "tenths of the puzzles of the fit; empty if the ruleset has no model of puzzles",
        "catalogue.difficulty.puzzle_rating",
    ),
    ("puzzle_themes", TEXT, "", f"words separated by spaces: {_THEMES}", "the game's own module"),
)


def positions_table() -> CatalogueTable:
    """The table; its first columns are those of other tables."""
    known = columns()
    shared = tuple(known[name] for name in ("deal", "game", "ruleset"))
    return CatalogueTable(
        "positions",
        "Positions of games in which one play of several keeps the win.",
        (*shared, *(TableColumn(*each) for each in _OWN)),
    )


def row_of(puzzle: Puzzle, key: str) -> dict[str, Any]:
    """The values of a puzzle's row, by the names of columns."""
    return {
        "deal": puzzle.deal,
        "game": puzzle.position.rules.game,
        "ruleset": puzzle.ruleset,
        "key": key,
        "line": " ".join(puzzle.moves),
        "position": json.dumps(puzzle.position.to_json()),
        "answer": " ".join(puzzle.solution),
        "rest": " ".join(puzzle.rest),
        "candidates": puzzle.plays,
        "puzzle_level": puzzle.level,
        "puzzle_themes": " ".join(puzzle.themes),
    }


def write_positions(rows: Iterable[dict[str, Any]], file: Path) -> int:
    """Write rows of `row_of` to a file, in the format of its name's ending; returns their number.

    Raises:
        BadInput: the name does not end with a format.
    """
    form, table = format_named(file.suffix.removeprefix(".")), positions_table()
    count = 0
    with writing(file, form, table.schema) as writer:
        for row in rows:
            writer.write(table.batch({name: [value] for name, value in row.items()}))
            count += 1
    return count
