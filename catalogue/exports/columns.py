"""Types of an export's tables and columns, and the columns shared by several tables."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
from sqlalchemy import Select
from sqlalchemy.orm import Session

from catalogue.blocks import Whole
from catalogue.exports.selection import Selection
from catalogue.reading.cell_index import Flags
from catalogue.reading.references import reference
from catalogue.store import Catalogue

# A query with any columns.
Rows = Select[*tuple[Any, ...]]
# The values of some rows, column by column.
Columns = Sequence[Any]


@dataclass(frozen=True, slots=True)
class Source:
    """Where the rows of an export come from.

    Attributes:
        cat: the catalogue.
        session: a session of it, of whose snapshot all tables are.
        selection: what is exported.
        batch: the largest number of rows that are made at once.
    """

    cat: Catalogue
    session: Session
    selection: Selection
    batch: int


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
        read: source -> the values of its rows, some at a time, always in the same order.
        count: source -> number of its rows; more, if the selection leaves out deals by status.
    """

    name: str
    meaning: str
    columns: tuple[ExportColumn, ...]
    read: Callable[[Source], Iterator[Columns]]
    count: Callable[[Source], int]

    @property
    def schema(self) -> pa.Schema:
        return pa.schema([(column.name, column.type) for column in self.columns])

    def batches(self, source: Source) -> Iterator[pa.RecordBatch]:
        """Its rows, some at a time, always in the same order."""
        for values in self.read(source):
            arrays = [
                each if isinstance(each, pa.Array) else pa.array(each, type=kind.type)
                for each, kind in zip(values, self.columns, strict=True)
            ]
            yield pa.record_batch(arrays, schema=self.schema)


TEXT, WHOLE, SHORT, REAL, YES_NO = (
    pa.string(),
    pa.int64(),
    pa.int32(),
    pa.float64(),
    pa.bool_(),
)
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
SOLVER = ExportColumn(
    "solver",
    TEXT,
    "solver with its parameters, as text",
)
VERSION = ExportColumn("version", SHORT, "version of the solver's method")


def references(rows: Sequence[Any]) -> list[str]:
    """The permanent name of the deal of each row."""
    return [reference(row.dealer, row.seed, row.digest) for row in rows]


def column(rows: Sequence[Any], *names: str) -> list[list[Any]]:
    """The values of rows, column by column."""
    return [[getattr(row, name) for row in rows] for name in names]


def deal_names(dealer: str, seeds: Whole) -> pa.Array:
    """The permanent names of the deals of a dealer."""
    texts = pc.cast(pa.array(seeds), TEXT)
    return pc.binary_join_element_wise(pa.scalar(dealer), texts, ":")


def repeated(value: Any, count: int, kind: pa.DataType = TEXT) -> pa.Array:
    """A column with one value."""
    return pa.repeat(pa.scalar(value, kind), count)


def named(names: Sequence[str | None], codes: Any) -> pa.Array:
    """A column of texts, each given by its place in a list."""
    return pa.array(names, TEXT).take(pa.array(codes))


def known(values: Any, present: Flags, kind: pa.DataType) -> pa.Array:
    """A column of numbers, of which some are missing."""
    return pa.array(values, mask=~present).cast(kind)
