"""Checking a shard: a row that cannot be read is a fault, and never the end."""

from contextlib import suppress

from sqlalchemy import String, cast, select
from sqlalchemy.exc import DBAPIError, SQLAlchemyError

from catalogue.schema import Base
from catalogue.verify.checks import check_named
from catalogue.verify.context import NAMED, Context, Findings
from catalogue.verify.shards import (
    BLOCKS,
    SLICES,
    CheckShard,
    blocks_of,
    halves,
    inside,
    is_fault,
    is_missing,
)


def check_shard(context: Context, shard: CheckShard) -> Findings:
    """Check a shard; if a value in it cannot be read, find the row that has it."""
    context.begin(shard)
    try:
        if shard.part in (BLOCKS, SLICES) and shard.until is None:
            blocks_of(context.cat)  # of which there are none, because that fails
        check_named(shard.check).run(context)
    except Exception as error:
        if not is_fault(error):
            raise
        whole = isinstance(error, DBAPIError) and is_missing(error)
        parts = [] if whole else halves(context.cat, shard)
        if not parts:
            return failed(context, shard, said(error))
        first, second = (check_shard(context, half) for half in parts)
        first.absorb(second, 2 * NAMED)
        return first
    return context.end()


def said(error: BaseException) -> str:
    """The first line of an error."""
    return f"{type(error).__name__}: {str(getattr(error, 'orig', error)).partition(chr(10))[0]}"


def failed(context: Context, shard: CheckShard, reason: str) -> Findings:
    """The finding in a shard that cannot be checked."""
    context.begin(shard)
    context.fault("check", _name_of(context, shard), f"it cannot be checked: {reason}")
    return context.end()


def _name_of(context: Context, shard: CheckShard) -> str:
    """The name of the only row of a shard, or of the block that it is, or of the shard."""
    if shard.part in (BLOCKS, SLICES) and shard.until is not None:
        return f"{context.block_name(*shard.until[:2])} ({shard.check})"
    table = Base.metadata.tables.get(shard.part)
    if table is not None:
        keys = list(table.primary_key.columns)
        query = select(*(cast(key, String) for key in keys)).where(*inside(table, shard)).limit(2)
        with suppress(SQLAlchemyError), context.cat.session() as session:
            rows = session.execute(query).all()
            if len(rows) == 1:
                named = dict(zip((key.name for key in keys), rows[0], strict=True))
                return f"{context.row_name(table, named)} ({shard.check})"
    return f"{shard.check}, {shard}"
