"""Limits of what one reading session may ask of the database: seconds and rows of each query."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

from sqlalchemy import event, text
from sqlalchemy.engine import Result
from sqlalchemy.exc import DBAPIError
from sqlalchemy.orm import ORMExecuteState, Session
from sqlalchemy.sql.selectable import GenerativeSelect

from engine.errors import BadInput
from engine.text.numbers import significant

# Instructions of SQLite's virtual machine between two looks at the clock: less than a millisecond.
_INSTRUCTIONS = 10_000


@dataclass(frozen=True, slots=True)
class Limits:
    """Most seconds and rows of a query; rows are not limited where they are read in batches."""

    seconds: float
    rows: int

    def for_seconds(self, seconds: float) -> "Limits":
        """The same with another limit of time."""
        return replace(self, seconds=seconds)


class BeyondLimit(BadInput):
    """A query that took too long or found too many rows."""


@contextmanager
def limited(session: Session, limits: Limits) -> Iterator[None]:
    """Apply limits to every query of a reading session within the block.

    Raises:
        BeyondLimit: a query was stopped at a limit.
    """

    def at_most(state: ORMExecuteState) -> Result[Any] | None:
        return _at_most(state, limits.rows)

    connection = session.connection()
    event.listen(session, "do_orm_execute", at_most)
    try:
        if connection.dialect.name == "postgresql":
            milliseconds = max(1, round(1000 * limits.seconds))
            connection.execute(text(f"SET LOCAL statement_timeout = {milliseconds}"))
            yield
        else:
            with _sqlite_stopped_after(connection, limits.seconds):
                yield
    except DBAPIError as error:
        if not _was_stopped(error):
            raise
        raise BeyondLimit(
            f"the database took longer than {significant(limits.seconds)} s for this and was "
            "stopped: ask for less, or raise THOUGHTFUL_QUERY_SECONDS where the program runs"
        ) from None
    finally:
        event.remove(session, "do_orm_execute", at_most)


@contextmanager
def _sqlite_stopped_after(connection: Any, seconds: float) -> Iterator[None]:
    """Have SQLite stop each statement that runs longer; the connection may be pooled again."""
    driver = connection.connection.driver_connection
    until = time.monotonic() + seconds

    def begin(*_: Any) -> None:
        nonlocal until
        until = time.monotonic() + seconds

    event.listen(connection, "before_cursor_execute", begin)
    driver.set_progress_handler(lambda: time.monotonic() > until, _INSTRUCTIONS)
    try:
        yield
    finally:
        driver.set_progress_handler(None, 0)
        event.remove(connection, "before_cursor_execute", begin)


def _was_stopped(error: DBAPIError) -> bool:
    reason: Any = error.orig
    if getattr(reason, "sqlite_errorname", None) == "SQLITE_INTERRUPT":
        return True
    # query_canceled
    return getattr(reason, "sqlstate", None) == "57014"


def _at_most(state: ORMExecuteState, rows: int) -> Result[Any] | None:
    """Execute a query with a limit of rows; None leaves it as it is."""
    statement = state.statement
    if (
        not state.is_select
        or not isinstance(statement, GenerativeSelect)
        or state.is_column_load
        or state.is_relationship_load
        or "yield_per" in state.execution_options
        or statement._limit_clause is not None
    ):
        return None
    found = state.invoke_statement(statement=statement.limit(rows + 1)).freeze()
    if len(found.data) > rows:
        raise BeyondLimit(
            f"more than {rows:,} rows would have to be read for this: ask for less, or raise "
            "THOUGHTFUL_QUERY_ROWS where the program runs"
        )
    return found()
