"""A run of verification: shards of checks, done here or by processes, and merged in their order."""

import secrets
import time
from collections.abc import Callable, Collection, Iterator
from contextlib import closing, suppress
from dataclasses import asdict, replace
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import func, select, text
from sqlalchemy.exc import DatabaseError, DBAPIError

from catalogue.outcomes.provenance import this_provenance
from catalogue.schema import (
    Base,
    BatchRow,
    BlockRow,
    DeadEndRow,
    DealRow,
    OutcomeRow,
    RegretRow,
    SolutionRow,
)
from catalogue.spawning import check_may_start_processes
from catalogue.store import Catalogue
from catalogue.verify.asked import asked_for
from catalogue.verify.checking import checked
from catalogue.verify.checks import CHECKS, FORMER
from catalogue.verify.context import CheckOptions, Context, Findings
from catalogue.verify.dividing import shards_of
from catalogue.verify.record import Record
from catalogue.verify.report import VerificationReport, samples
from catalogue.verify.shards import CheckShard
from engine.errors import BadInput, note_renamed

# Faults that a report lists.
LISTED = 1000
# Seconds between two times that progress is stored.
SAVE_SECONDS = 5.0
# Work, in rows, from which on several processes are started.
_MUCH = 20_000
# The cost of solving a deal again, in rows.
_SOLVING = 100
# More transactions than can be open at a time.
_OPEN_BATCHES = 1_000
# The largest random seed: objects are drawn by 32 bits of it.
_MOST_SEED = 2**32 - 1

OnProgress = Callable[[str, int], None]


def verify(
    cat: Catalogue,
    *,
    share: float = 0.1,
    resolve_share: float = 0.01,
    seed: int | None = None,
    only: Collection[str] = (),
    deal: str | None = None,
    workers: int = 0,
    record: bool = False,
    on_progress: OnProgress | None = None,
) -> VerificationReport:
    """Recompute what is stored, and report faults.

    Args:
        cat: the catalogue; but for the report it is only read.
        share: share of the solutions and lost games to replay, of the dead ends to check, and of
            the deals to deal again; 0 to 1. Of few, all are checked.
        resolve_share: share of the outcomes, verdicts and losing moves to check with a solver.
        seed: random seed of the selection, 0 to 2**32 - 1; None for a fresh one, which the report
            names.
        only: names of the checks to run; empty for all.
        deal: name or digest of the only deal to check, in all its games; its rows are all checked.
        workers: number of processes that check; 0 for this one.
        record: whether the report is stored, so that it can be resumed and read later.
        on_progress: called with the name of a check and the number of shards done.

    Raises:
        BadInput: a share or the seed is out of its range, or there is no such check or deal.
        KeyboardInterrupt: it was interrupted; if the report is stored, so is how far it came.
    """
    for name, value in (("share", share), ("resolve_share", resolve_share)):
        if not 0 <= value <= 1:
            raise BadInput(f"{name} {value} is out of range: expected 0 to 1")
    if seed is not None and not 0 <= seed <= _MOST_SEED:
        raise BadInput(f"random seed {seed} is out of range: expected 0 to {_MOST_SEED}")
    known = [check.name for check in CHECKS]
    for old in FORMER.keys() & set(only):
        note_renamed("check", old, FORMER[old])
    only = [FORMER.get(name, name) for name in only]
    for name in only:
        if name not in known:
            raise BadInput(f"unknown check {name!r}: expected one of {', '.join(known)}")
    sampled = (DealRow, SolutionRow, DeadEndRow, RegretRow)
    options = CheckOptions(
        share,
        resolve_share,
        secrets.randbelow(_MOST_SEED + 1) if seed is None else seed,
        tuple(only),
        deal,
        {model.__tablename__: _number(cat, func.count(), model) for model in sampled},
        last := _number(cat, func.max(BatchRow.id), BatchRow),
        _open_batches(cat, last),
    )
    run = _Run(cat, options, workers, on_progress)
    return run.run(Record.begin(cat, options) if record else None)


def resume(
    cat: Catalogue, *, workers: int = 0, on_progress: OnProgress | None = None
) -> VerificationReport:
    """Go on with the last verification, which was stopped.

    Raises:
        BadInput: there is none, it is done, or it is still running.
    """
    record = Record.open_last(cat)
    return _Run(cat, record.options, workers, on_progress).run(record)


def workers_for(cat: Catalogue, share: float, resolve_share: float, most: int) -> int:
    """How many processes are worth starting: none for a small catalogue."""
    rows = _number(cat, func.count(), OutcomeRow)
    others = _number(cat, func.sum(BlockRow.attempted - BlockRow.rowed), BlockRow)
    work = rows + (rows + others) * (share + _SOLVING * resolve_share)
    return most if work > _MUCH else 0


def _open_batches(cat: Catalogue, last: int) -> list[int]:
    """The ids shortly before the last one of a batch that no batch has, or not yet."""
    recent = range(max(1, last - _OPEN_BATCHES), last)
    with suppress(DatabaseError), cat.session() as session:
        there = session.scalars(select(BatchRow.id).where(BatchRow.id >= recent.start))
        return sorted(set(recent) - set(there))
    return []


def _number(cat: Catalogue, wanted: Any, model: Any) -> int:
    """A number of a table; 0 if the table is missing or damaged, which the checks report."""
    with suppress(DatabaseError), cat.session() as session:
        return int(session.scalar(select(wanted).select_from(model)) or 0)
    return 0


def _analyze_unknown(cat: Catalogue) -> None:
    """Have PostgreSQL analyze the tables that it never has, so that it plans their joins well.

    It does so by itself after a minute, but not if it has crashed meanwhile. Joins of tables of
    which it knows nothing took minutes in place of a second.
    """
    if cat.engine.dialect.name != "postgresql":
        return
    unknown = text(
        "SELECT relname FROM pg_class WHERE relkind = 'r' AND reltuples < 0 "
        "AND relnamespace = current_schema()::regnamespace"
    )
    # A user who may only read gets a warning from the server, and the plans that it makes.
    with (
        suppress(DBAPIError),
        cat.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection,
    ):
        for name in set(connection.scalars(unknown)) & Base.metadata.tables.keys():
            connection.execute(text(f"ANALYZE {name}"))


class _Run:
    """A run: the findings so far, and the last shard up to which all are checked."""

    def __init__(
        self, cat: Catalogue, options: CheckOptions, workers: int, on_progress: OnProgress | None
    ) -> None:
        if workers:
            check_may_start_processes()  # before anything is stored
        self.options = options
        asked = None if options.deal is None else asked_for(cat, options.deal)
        self.context = Context(cat, options, asked)
        self.workers = workers
        self.on_progress = on_progress or (lambda _check, _shards: None)
        self.record: Record | None = None
        self.remark: str | None = None
        self.started_at = datetime.now(UTC)
        self.found = Findings()
        self.last: CheckShard | None = None
        self.saved = 0.0

    def run(self, record: Record | str | None) -> VerificationReport:
        """Check all that is left, keep the report in a row if there is one, and return it."""
        if isinstance(record, Record):
            self.record = record
            self.started_at = record.started_at
            self.found, self.last = record.before()
        else:
            self.remark = record
        self.context.sums = self.found.sums
        state = "stopped"
        try:
            _analyze_unknown(self.context.cat)
            self._check_all()
            state = "done"
        finally:
            report = self._save(state)
        return replace(report, remark=self.remark)

    def _check_all(self) -> None:
        self._save("running")
        left = checked(self.context, self._left(), self.workers, self._save_now_and_then)
        # Closed at once: the processes may be in the middle of a solver, for hours.
        with closing(left):
            for done, (self.last, found) in enumerate(left, start=1):
                self.found.absorb(found, LISTED)
                if self.last.needs_sums and self.last.until is None:
                    self.found.sums.clear()  # compared; they would be stored with all that follows
                self.on_progress(self.last.check, done)
                self._save_now_and_then()

    def _save_now_and_then(self) -> None:
        if time.monotonic() - self.saved > SAVE_SECONDS:
            self._save("running")

    def _left(self) -> Iterator[CheckShard]:
        """The shards that are left."""
        names = [check.name for check in CHECKS]
        done = -1 if self.last is None else names.index(self.last.check)
        for place, check in enumerate(CHECKS):
            if place < done or (self.options.only and check.name not in self.options.only):
                continue
            if self.context.asked is None or check.of_deals:
                yield from shards_of(check, self.context, self.last if place == done else None)

    def _save(self, state: str) -> VerificationReport:
        """The report, which is stored if there is a row for it."""
        report = VerificationReport(
            self.options.seed,
            dict(self.found.checked),
            samples(self.found.of, self.found.checked, self.found.wrong),
            self.found.found,
            tuple(self.found.faults),
            tuple(self.found.remarks),
            state,
            {**asdict(self.options), "provenance": asdict(this_provenance())},
            self.started_at,
            datetime.now(UTC) if state == "done" else None,
            None if self.record is None else self.record.number,
            self.remark,
        )
        if self.record is not None:
            self.remark = self.record.save(report, self.found, self.last)
        self.saved = time.monotonic()
        return report
