"""Tables of an export: columns with their meaning, and the columns that several tables have."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
from sqlalchemy import Select

from catalogue.exports.selection import Selection
from catalogue.reading.references import reference

# A query of any columns.
Rows = Select[*tuple[Any, ...]]


@dataclass(frozen=True, slots=True)
class ExportColumn:
    """A column of an exported table: its name, its type in Parquet, and what it means."""

    name: str
    type: pa.DataType
    meaning: str


@dataclass(frozen=True, slots=True)
class ExportTable:
    """A table of an export.

    Attributes:
        name: of the file, without its ending.
        meaning: one sentence.
        columns: in the order in which they stand in the file.
        query: the rows of a selection, in a total order.
        values: some rows -> for each column the values of those rows.
    """

    name: str
    meaning: str
    columns: tuple[ExportColumn, ...]
    query: Callable[[Selection], Rows]
    values: Callable[[Sequence[Any]], Sequence[Sequence[Any]]]

    @property
    def schema(self) -> pa.Schema:
        return pa.schema([(column.name, column.type) for column in self.columns])


TEXT, WHOLE, SHORT, REAL = pa.string(), pa.int64(), pa.int32(), pa.float64()
MOMENT = pa.timestamp("us", tz="UTC")

DEAL = ExportColumn(
    "deal",
    TEXT,
    "permanent name of the deal: dealer:seed, or the digest of a deal brought in by hand",
)
GAME = ExportColumn("game", TEXT, "game of the deal; one name is a deal in each game of its dealer")
RULESET = ExportColumn("ruleset", TEXT, "slug of the ruleset: which moves are legal and what wins")
SOLVER = ExportColumn("solver", TEXT, "solver as it prints, with its parameters")
VERSION = ExportColumn("version", SHORT, "version of the solver's method")


def references(rows: Sequence[Any]) -> list[str]:
    """The permanent name of the deal of each row."""
    return [reference(row.dealer, row.seed, row.digest) for row in rows]


def column(rows: Sequence[Any], *names: str) -> list[list[Any]]:
    """The values of rows, column by column."""
    return [[getattr(row, name) for row in rows] for name in names]
