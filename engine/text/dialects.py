"""Dialects of tables of deals: what separates their columns, and the fields of their lines."""

import csv

from engine.errors import BadInput

# Columns of a table that name a deal together.
COLUMNS = ({"tableau", "stock"}, {"dealer", "seed"})


def dialect_of(text: str) -> str | None:
    """The separator of the columns that a line heads; None if it heads no table."""
    if "\n" in text:
        return None
    for between in (",", ";", "\t", "|"):
        words = {word.strip().strip("\"'").lower() for word in text.split(between)}
        if between in text and (words & {"deal", "board"} or any(map(words.issuperset, COLUMNS))):
            return between
    return "," if text.strip().strip("\"'").lower() == "deal" else None


def fields_of(line: str, between: str) -> list[str]:
    """The fields of a line of a table.

    Raises:
        BadInput: it is no such line.
    """
    try:
        (fields,) = csv.reader([line], strict=True, delimiter=between, skipinitialspace=True)
    except (csv.Error, ValueError) as error:
        raise BadInput(f"the line is no line of a table: {error}") from None
    return [field.strip() for field in fields]
