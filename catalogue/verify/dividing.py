"""The division of checks into shards, in their order."""

from collections.abc import Iterator, Sequence

from sqlalchemy import select, tuple_
from sqlalchemy.exc import DBAPIError

from catalogue.database import is_damage
from catalogue.schema import BLOCK_SIZE, Base
from catalogue.store import Catalogue
from catalogue.verify.checks import Check
from catalogue.verify.context import Context
from catalogue.verify.shards import (
    BLOCKS,
    SLICES,
    BlockSize,
    CheckShard,
    Key,
    is_fault,
    is_missing,
    is_usable,
)

# Seeds of a block that are solved in one shard. A block takes a core many minutes.
SLICE = 2_048


def shards_of(
    check: Check, context: Context, done: CheckShard | None = None
) -> Iterator[CheckShard]:
    """The shards of a check, in order, after the one up to which it is done."""
    parts = list(check.all_parts)
    if done is not None:
        parts = parts[parts.index(done.part) :]
        if done.until is None:
            parts = parts[1:]
    for part in parts:
        after = done.until if done is not None and done.part == part else None
        if part in (BLOCKS, SLICES):
            try:
                blocks = context.blocks
            except DBAPIError as error:
                if not is_fault(error):
                    raise
                yield CheckShard(check.name, part)  # which fails, and says why
                continue
            yield from _of_blocks(check.name, part, blocks, after)
        elif part and context.asked is None:
            yield from _of_table(context.cat, check, part, after)
        else:
            yield CheckShard(check.name, part)


def _of_table(cat: Catalogue, check: Check, part: str, after: Key | None) -> Iterator[CheckShard]:
    """Ranges of the primary key of a table, each of a number of rows; the last has no end."""
    keys = list(Base.metadata.tables[part].primary_key.columns)
    while True:
        query = select(*keys).order_by(*keys).offset(check.rows - 1).limit(1)
        if after is not None:
            query = query.where(tuple_(*keys) > tuple_(*after))
        try:
            with cat.session() as session:
                found = session.execute(query).first()
        except DBAPIError as error:
            if not (is_missing(error) or is_damage(error)):
                raise
            found = None  # the check of the rest fails, and says why
        until = None if found is None or not is_usable(found) else tuple(found)
        yield CheckShard(check.name, part, after, until)
        if until is None:
            return
        after = until


def _of_blocks(
    check: str, part: str, blocks: Sequence[BlockSize], after: Key | None
) -> Iterator[CheckShard]:
    """Blocks of seeds, or slices of each; a block of which little is attempted is one slice."""
    for dealing_id, block, attempted in blocks:
        size = SLICE if part == SLICES and attempted > SLICE else BLOCK_SIZE
        for low in range(0, BLOCK_SIZE, size):
            until = (dealing_id, block, low + size)
            if after is None or until > after:
                yield CheckShard(check, part, (dealing_id, block, low), until)
