"""Types of an export's tables and columns, and the columns shared by several tables."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
from sqlalchemy import Select

from catalogue.exports.selection import Selection
from catalogue.reading.references import reference

# A query with any columns.
Rows = Select[*tuple[Any, ...]]


@dataclass(frozen=True, slots=True)
class ExportColumn:
    """A column of an exported table: its name, its type in Parquet, and its meaning."""

    name: str
    type: pa.DataType
    meaning: str


@dataclass(frozen=True, slots=True)
class ExportTable:
    """A table of an export.

    Attributes:
        name: name of the file, without its suffix.
        meaning: one sentence.
        columns: the columns, in the order of the file.
        query: selection -> query of its rows, in a total order.
        values: rows -> for each column the values of those rows.
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
    "permanent name of the deal: dealer:seed, or the digest of an imported deal",
)
GAME = ExportColumn(
    "game", TEXT, "game of the deal; the same name is a deal in each game of its dealer"
)
RULESET = ExportColumn("ruleset", TEXT, "slug of the ruleset: which moves are legal and what wins")
SOLVER = ExportColumn("solver", TEXT, "solver with its parameters, as text")
VERSION = ExportColumn("version", SHORT, "version of the solver's method")


def references(rows: Sequence[Any]) -> list[str]:
    """The permanent name of the deal of each row."""
    return [reference(row.dealer, row.seed, row.digest) for row in rows]


def column(rows: Sequence[Any], *names: str) -> list[list[Any]]:
    """The values of rows, column by column."""
    return [[getattr(row, name) for row in rows] for name in names]
