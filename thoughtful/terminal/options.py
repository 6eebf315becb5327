"""Options shared by several commands."""

from collections.abc import Callable
from contextvars import ContextVar
from typing import Annotated

import typer

from engine.rulesets import read_rules
from thoughtful.terminal import completing
from thoughtful.terminal.files import read_text


def whole(low: int, high: int) -> Callable[[str | int], int]:
    """Make a parser of whole numbers in a range; its error message names the wrong value."""

    def parse(text: str | int) -> int:
        digits = str(text)
        if digits.isascii() and digits.isdigit() and len(digits) <= 20:
            number = int(digits)
            if low <= number <= high:
                return number
        raise typer.BadParameter(f"{text!r}, expected a whole number from {low} to {high}")

    return parse


def integer(text: str | int) -> int:
    """Parse a whole number of any size; its range is checked by what takes it."""
    digits = str(text).removeprefix("-")
    if not (digits.isascii() and digits.isdigit() and len(digits) <= 100):
        raise typer.BadParameter(f"{text!r}, expected a whole number")
    return int(text)


def number(text: str | float) -> float:
    """Parse a number; its range is checked by what takes it."""
    try:
        return float(text)
    except ValueError:
        raise typer.BadParameter(f"{text!r}, expected a number") from None


def share(text: str | float) -> float:
    """Parse a share, 0 to 1."""
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value <= 1:
        raise typer.BadParameter(f"{text!r}, expected a share from 0 to 1")
    return value


_rules_are_named: ContextVar[bool] = ContextVar("rules_are_named", default=True)


def slug_of_rules(given: str) -> str:
    """The slug of a ruleset; a path that ends with ``.json`` is a file of rules.

    Raises:
        BadInput: the file cannot be read, or it has no such rules.
    """
    if not given.lower().endswith(".json"):
        return given
    return read_rules(read_text(given)).slug


def _slug_if_given(given: str | None) -> str | None:
    return None if given is None else slug_of_rules(given)


def _note_rules(context: typer.Context, value: str) -> str:
    source = context.get_parameter_source("rules")
    _rules_are_named.set(source is None or source.name != "DEFAULT")
    return slug_of_rules(value)


def names_rules() -> bool:
    """Whether the command line itself names the ruleset; what is read may state another if not."""
    return _rules_are_named.get()


Rules = Annotated[
    str,
    typer.Option(
        "--rules",
        "-r",
        metavar="RULESET",
        autocompletion=completing.rulesets,
        callback=_note_rules,
        help="The ruleset, see `thoughtful rulesets`; or a file of rules, such as my-game.json",
    ),
]
OnlyRules = Annotated[
    str | None,
    typer.Option(
        "--rules",
        "-r",
        metavar="RULESET",
        autocompletion=completing.rulesets,
        callback=_slug_if_given,
        help="Only under this ruleset",
    ),
]
OnlySample = Annotated[
    str | None,
    typer.Option(
        "--sample",
        metavar="SAMPLE",
        autocompletion=completing.deals,
        help="Only this sample: dealer:first-last",
    ),
]
Database = Annotated[
    str | None,
    typer.Option(
        "--database",
        metavar="URL",
        help="The catalogue to use; by default THOUGHTFUL_DATABASE_URL, or else a SQLite file in "
        "your data directory",
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON instead of text")]
Workers = Annotated[
    int | None,
    typer.Option(
        "--workers", "-w", metavar="N", parser=whole(1, 4096), help="Number of processes that solve"
    ),
]
