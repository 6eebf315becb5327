"""Pieces of checks: ranges of keys that are checked apart from each other, by any process.

The pieces of a check come in a fixed order, so what has been checked is told by the last piece up
to which all are done. That holds while rows are added, too.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, Table, func, select, tuple_
from sqlalchemy.exc import DBAPIError
from sqlalchemy.orm import Session

from catalogue.schema import (
    BLOCK_SIZE,
    Base,
    BlockRow,
    DealingRow,
    DealRow,
    StatusBlockRow,
    seeds_of_block,
)
from catalogue.store import Catalogue, is_damage

# What the databases say of a table or a column that is missing.
_MISSING = re.compile(r"no such (table|column)|(relation|column) .* does not exist")
# What Python's sqlite3 says of a text that is none.
_UNREADABLE = "Could not decode to UTF-8"
# Seeds of a block that are solved in one piece. A block takes a core many minutes.
SLICE = 2_048
# Values of a key as JSON has them.
Key = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class CheckPiece:
    """A part of a check.

    Attributes:
        check: name of the check.
        part: what it checks, such as the name of a table; empty if the check has one part.
        after: the key after which its rows begin; None for the first piece.
        until: the key of its last row; None for the last piece, which has all rows that follow.
    """

    check: str
    part: str = ""
    after: Key | None = None
    until: Key | None = None

    @property
    def place(self) -> list[Any]:
        """How far a check has come when this piece is done, as JSON."""
        return [self.part, None if self.until is None else list(self.until)]

    def __str__(self) -> str:
        if self.after is None and self.until is None:
            return self.part or "all of it"
        ends = ("/".join(map(str, key)) if key else "the end" for key in (self.after, self.until))
        return f"{self.part} after {' up to '.join(ends)}"


def ranges(
    cat: Catalogue, table: Table, rows: int, after: Key | None = None
) -> Iterator[tuple[Key | None, Key | None]]:
    """Ranges of the primary key of a table, each of a number of rows; the last has no end."""
    keys = list(table.primary_key.columns)
    while True:
        query = select(*keys).order_by(*keys).offset(rows - 1).limit(1)
        if after is not None:
            query = query.where(tuple_(*keys) > tuple_(*after))
        with cat.session() as session:
            found = session.execute(query).first()
        # A key that JSON cannot have belongs to a damaged row: the rest is one range.
        usable = found is not None and all(isinstance(value, int | str) for value in found)
        until = tuple(found) if usable and found is not None else None
        yield after, until
        if until is None:
            return
        after = until


def inside(table: Table, piece: CheckPiece) -> list[ColumnElement[bool]]:
    """The conditions that rows of a table are those of a piece."""
    keys = list(table.primary_key.columns)
    conditions: list[ColumnElement[bool]] = []
    if piece.after is not None:
        conditions.append(tuple_(*keys) > tuple_(*piece.after))
    if piece.until is not None:
        conditions.append(tuple_(*keys) <= tuple_(*piece.until))
    return conditions


def of_table(
    cat: Catalogue, check: str, name: str, rows: int, done: Sequence[Any] | None
) -> Iterator[CheckPiece]:
    """The pieces of a check that looks at the rows of a table.

    Args:
        cat: the catalogue.
        check: name of the check.
        name: of the table.
        rows: rows of a piece.
        done: the place up to which it is done, as of `CheckPiece.place`.
    """
    if done is not None and done[1] is None:
        return
    reached = None if done is None else tuple(done[1])
    try:
        for low, high in ranges(cat, Base.metadata.tables[name], rows, reached):
            yield CheckPiece(check, name, low, high)
            reached = high
    except DBAPIError as error:
        if not (is_missing(error) or is_damage(error)):
            raise
        yield CheckPiece(check, name, reached)  # to report it


def is_missing(error: DBAPIError) -> bool:
    """Whether a database says that a table or a column is missing."""
    return _MISSING.search(str(error.orig)) is not None


def is_unreadable(error: BaseException) -> bool:
    """Whether an error says that a value is a text that cannot be decoded."""
    return isinstance(error, DBAPIError) and _UNREADABLE in str(error.orig)


def of_blocks(cat: Catalogue, check: str, done: Sequence[Any] | None) -> Iterator[CheckPiece]:
    """The pieces of a check that looks at blocks of seeds: one for each, by dealing and number."""
    after = None if done is None or done[1] is None else tuple(done[1])
    with cat.session() as session:
        dealings = session.scalars(select(DealingRow.id).order_by(DealingRow.id)).all()
        known = set(dealings)
        for model in (DealRow, BlockRow, StatusBlockRow):
            # Rows of a dealing that is missing are looked at, too.
            known.update(_distinct(session, model))
    for dealing_id in sorted(known):
        block = -1
        if after is not None:
            if dealing_id < after[0]:
                continue
            if dealing_id == after[0]:
                block = after[1]
        while True:
            with cat.session() as session:
                found = _next_block(session, dealing_id, block)
            if found is None:
                break
            block = found
            yield CheckPiece(check, "blocks", (dealing_id, block - 1), (dealing_id, block))


def of_seeds(cat: Catalogue, check: str, done: Sequence[Any] | None) -> Iterator[CheckPiece]:
    """The pieces of a check that solves deals of blocks: slices of each, of `SLICE` seeds.

    A block of which little is attempted is one piece.
    """
    reached = 0
    if done is not None and done[1] is not None:
        dealing_id, block, reached = done[1]
        done = [done[0], (dealing_id, block if reached == BLOCK_SIZE else block - 1)]
        reached %= BLOCK_SIZE
    for piece in of_blocks(cat, check, done):
        assert piece.until is not None
        dealing_id, block = piece.until
        with cat.session() as session:
            most = session.scalar(
                select(func.max(BlockRow.attempted)).where(
                    BlockRow.dealing_id == dealing_id, BlockRow.block == block
                )
            )
        size = BLOCK_SIZE if isinstance(most, int) and most <= SLICE else SLICE
        for low in range(reached, BLOCK_SIZE, size):
            high = min(low + size, BLOCK_SIZE)
            yield CheckPiece(check, "seeds", (dealing_id, block, low), (dealing_id, block, high))
        reached = 0


def _distinct(session: Session, model: Any) -> Iterator[int]:
    """The ids of the dealings of a table, by its index, without reading all rows."""
    last = None
    while True:
        query = select(func.min(model.dealing_id))
        if last is not None:
            query = query.where(model.dealing_id > last)
        last = session.execute(query).scalar()
        if not isinstance(last, int):
            return
        yield last


def _next_block(session: Session, dealing_id: int, block: int) -> int | None:
    """The number of the next block of a dealing of which anything is stored."""
    seed = session.execute(
        select(func.min(DealRow.seed)).where(
            DealRow.dealing_id == dealing_id, DealRow.seed > seeds_of_block(block)[-1]
        )
    ).scalar()
    numbers = [seed // BLOCK_SIZE] if isinstance(seed, int) else []
    for model in (BlockRow, StatusBlockRow):
        found = session.execute(
            select(func.min(model.block)).where(model.dealing_id == dealing_id, model.block > block)
        ).scalar()
        if isinstance(found, int):
            numbers.append(found)
    return min(numbers, default=None)
