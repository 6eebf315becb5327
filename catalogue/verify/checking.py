"""Checking shards, here or in processes: a row that cannot be read is a fault, never the end."""

from collections.abc import Callable, Generator, Iterable
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby

from sqlalchemy import String, cast, select
from sqlalchemy.exc import DBAPIError, SQLAlchemyError

from catalogue.processes import LostWorker, Workers
from catalogue.schema import Base
from catalogue.store import open_catalogue
from catalogue.verify.checks import check_named
from catalogue.verify.context import NAMED, CheckOptions, ChosenDeal, Context, Findings
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

# Shards that may be done before an earlier one is: their findings wait.
_AHEAD = 1_000


@dataclass
class _Checking:
    """Checking in a process that has its own connection to the catalogue."""

    url: str
    options: CheckOptions
    asked: ChosenDeal | None

    @cached_property
    def context(self) -> Context:
        return Context(open_catalogue(self.url), self.options, self.asked)

    def __call__(self, shard: CheckShard) -> Findings:
        return check_shard(self.context, shard)


def checked(
    context: Context, shards: Iterable[CheckShard], workers: int, on_wait: Callable[[], None]
) -> Generator[tuple[CheckShard, Findings], None, None]:
    """Yield the findings in shards, in their order.

    A shard that needs the sums of those before it is checked here when they are done.

    Args:
        context: of this process.
        shards: the shards.
        workers: number of processes; 0 to check all in this one.
        on_wait: called now and then while the next findings are waited for.
    """
    url = context.cat.engine.url.render_as_string(hide_password=False)
    with Workers(workers, _Checking(url, context.options, context.asked)) as pool:
        for is_here, group in groupby(shards, lambda shard: shard.needs_sums or not workers):
            if is_here:
                for shard in group:
                    yield shard, check_shard(context, shard)
                continue
            for shard, findings in pool.map(group, ahead=_AHEAD, on_wait=on_wait):
                lost = findings.exception()
                if isinstance(lost, LostWorker):
                    yield shard, failed(context, shard, str(lost))
                else:
                    yield shard, findings.result()


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
