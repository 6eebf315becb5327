"""Shards of checks: ranges of keys that are checked apart from each other, by any process.

The shards of a check come in a fixed order, so the last shard up to which all are done says how far
it has come. That holds while rows are added, too.
"""

import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from sqlalchemy import ColumnElement, Table, func, literal, select, tuple_, union_all
from sqlalchemy.exc import DBAPIError, SQLAlchemyError

from catalogue.database import is_damage
from catalogue.schema import BLOCK_SIZE, Base, BlockRow, DealRow, StatusBlockRow
from catalogue.store import Catalogue

# What the databases say of a table or a column that is missing.
_MISSING = re.compile(r"no such (table|column)|(relation|column) .* does not exist")
# What Python's sqlite3 says of a text that is none.
_UNREADABLE = "Could not decode to UTF-8"
# The parts of a check that are no table: blocks of seeds, and slices of them.
BLOCKS, SLICES = "blocks", "seeds"
# The check whose shards add up seals, and the table that the sums are held against.
_COMPARED = ("batches", "batch")
# Values of a key as JSON has them.
Key = tuple[Any, ...]
# The id of a dealing, the number of a block, and the most deals that a solver attempted of it.
BlockSize = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class CheckShard:
    """A part of a check.

    Attributes:
        check: name of the check.
        part: the name of a table, `BLOCKS` or `SLICES`; empty if the check has one part.
        after: the key after which its rows begin; None for the first shard.
        until: the key of its last row; None for the last shard, which has all rows that follow. Of
            a block it is the id of the dealing, the number, and the end of the places in it.
    """

    check: str
    part: str = ""
    after: Key | None = None
    until: Key | None = None

    @property
    def needs_sums(self) -> bool:
        """Whether it compares what all shards before it have added up."""
        return (self.check, self.part) == _COMPARED

    def __str__(self) -> str:
        if self.after is None and self.until is None:
            return self.part or "all of it"
        ends = ("/".join(map(str, key)) if key else "the end" for key in (self.after, self.until))
        return f"{self.part} after {' up to '.join(ends)}"


def blocks_of(cat: Catalogue) -> list[BlockSize]:
    """The blocks of which anything is stored, those of a dealing that is missing included."""
    seed = DealRow.seed
    every = union_all(
        select(BlockRow.dealing_id, BlockRow.block, BlockRow.attempted),
        select(StatusBlockRow.dealing_id, StatusBlockRow.block, literal(0)),
        select(DealRow.dealing_id, seed // BLOCK_SIZE, literal(0)).where(seed >= 0).distinct(),
    ).subquery()
    dealing_id, block, attempted = every.c
    with cat.session() as session:
        rows = session.execute(
            select(dealing_id, block, func.max(attempted)).group_by(dealing_id, block)
        ).all()
    # Of a damaged row, which the check of values reports, no block can be told.
    return sorted(
        (row[0], row[1], row[2] if isinstance(row[2], int) else BLOCK_SIZE)
        for row in rows
        if isinstance(row[0], int) and isinstance(row[1], int)
    )


def inside(table: Table, shard: CheckShard) -> list[ColumnElement[bool]]:
    """The conditions that rows of a table are those of a shard."""
    keys = list(table.primary_key.columns)
    conditions: list[ColumnElement[bool]] = []
    if shard.after is not None:
        conditions.append(tuple_(*keys) > tuple_(*shard.after))
    if shard.until is not None:
        conditions.append(tuple_(*keys) <= tuple_(*shard.until))
    return conditions


def halves(cat: Catalogue, shard: CheckShard) -> list[CheckShard]:
    """A range of rows in two; none if it is no range, or a single row."""
    table = Base.metadata.tables.get(shard.part)
    if table is None:
        return []
    keys = list(table.primary_key.columns)
    rows = select(*keys).where(*inside(table, shard))
    with suppress(SQLAlchemyError), cat.session() as session:
        count = session.scalar(select(func.count()).select_from(rows.subquery())) or 0
        if count >= 2:
            middle = session.execute(rows.order_by(*keys).offset(count // 2 - 1).limit(1)).one()
            if is_usable(middle):
                key = tuple(middle)
                return [replace(shard, until=key), replace(shard, after=key)]
    return []


def is_usable(key: Sequence[Any]) -> bool:
    """Whether JSON can have the key of a row; that of a damaged one may be anything."""
    return all(isinstance(value, int | str) for value in key)


def is_missing(error: DBAPIError) -> bool:
    """Whether a database says that a table or a column is missing."""
    return _MISSING.search(str(error.orig)) is not None


def is_fault(error: BaseException) -> bool:
    """Whether an error comes from what is stored, not from the database or the machine.

    Of what a database says itself, only a table or a column that is missing is one, a text that
    cannot be decoded, or a page that is damaged. Whatever else a check fails with, the values that
    it met brought it about.
    """
    if isinstance(error, DBAPIError):
        return is_missing(error) or _UNREADABLE in str(error.orig) or is_damage(error)
    return isinstance(error, Exception) and not isinstance(error, OSError | MemoryError)
