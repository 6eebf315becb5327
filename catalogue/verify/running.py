"""A run of verification: pieces of checks, done here or by processes, and merged in their order."""

import secrets
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from itertools import count
from typing import Any

from sqlalchemy import func, select, text
from sqlalchemy.exc import DatabaseError, DBAPIError

from catalogue.outcomes.maker import this_maker
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
from catalogue.store import Catalogue
from catalogue.verify.asked import asked_for, pieces_of
from catalogue.verify.checking import failed, is_fault, said
from catalogue.verify.checks import CHECKS, Check
from catalogue.verify.context import Context, Findings, Options
from catalogue.verify.pieces import CheckPiece
from catalogue.verify.record import Record
from catalogue.verify.report import Fault, Sampled, VerificationReport
from catalogue.verify.seals import Sums, check_batches, merge
from catalogue.verify.workers import Workers
from engine.errors import BadInput

# Faults that a report lists.
LISTED = 1000
# Progress is stored so often.
SAVE_SECONDS = 5.0
# Longest wait for a result before looking at the clock.
_WAIT_SECONDS = 0.5
# Work, in rows, from which on several processes are started.
_MUCH = 20_000
# What solving a deal again costs, in rows.
_SOLVING = 100
# The largest random seed: objects are drawn by 32 bits of it.
_MOST_SEED = 2**32 - 1
# The check whose pieces add up to something.
_SUMMED = "batches"

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
        on_progress: called with the name of a check and the number of pieces done.

    Raises:
        BadInput: a share or the seed is out of its range, or there is no such check or deal.
        KeyboardInterrupt: it was interrupted; if the report is stored, so is how far it came.
    """
    options = _options(cat, share, resolve_share, seed, only, deal)
    run = _Run(cat, options, workers, on_progress)
    if record:
        run.record_in(Record.begin(cat, options))
    return run.run()


def resume(
    cat: Catalogue, *, workers: int = 0, on_progress: OnProgress | None = None
) -> VerificationReport:
    """Go on with the last verification, which was stopped.

    Raises:
        BadInput: there is none, it is done, or it is still running.
    """
    record = Record.open_last(cat)
    run = _Run(cat, record.options, workers, on_progress)
    run.record_in(record)
    return run.run()


def workers_for(cat: Catalogue, share: float, resolve_share: float, most: int) -> int:
    """How many processes are worth starting: none for a small catalogue."""
    rows = _count(cat, OutcomeRow)
    if not _count(cat, BlockRow):
        return 0
    others: int | None = 0
    # Of a table that is damaged the checks report it.
    with suppress(DatabaseError), cat.session() as session:
        others = session.scalar(select(func.sum(BlockRow.attempted - BlockRow.rowed)))
    work = rows + (rows + int(others or 0)) * (share + _SOLVING * resolve_share)
    return most if work > _MUCH else 0


def _options(
    cat: Catalogue,
    share: float,
    resolve_share: float,
    seed: int | None,
    only: Collection[str],
    deal: str | None,
) -> Options:
    for name, value in (("share", share), ("resolve_share", resolve_share)):
        if not 0 <= value <= 1:
            raise BadInput(f"{name} {value} is out of range: expected 0 to 1")
    if seed is not None and not 0 <= seed <= _MOST_SEED:
        raise BadInput(f"random seed {seed} is out of range: expected 0 to {_MOST_SEED}")
    known = {check.name for check in CHECKS}
    for name in only:
        if name not in known:
            names = ", ".join(check.name for check in CHECKS)
            raise BadInput(f"unknown check {name!r}: expected one of {names}")
    rows = {
        model.__tablename__: _count(cat, model)
        for model in (DealRow, SolutionRow, DeadEndRow, RegretRow)
    }
    drawn = secrets.randbelow(_MOST_SEED + 1) if seed is None else seed
    return Options(share, resolve_share, drawn, tuple(only), deal, rows)


def _count(cat: Catalogue, model: Any) -> int:
    try:
        with cat.session() as session:
            return session.scalar(select(func.count()).select_from(model)) or 0
    except DBAPIError as error:
        if not is_fault(error):
            raise
        return 0  # the table is missing or damaged, which the checks report


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


@dataclass(slots=True)
class _Tracker:
    """How far a check is.

    Attributes:
        check: the check.
        waiting: results that came before those of an earlier piece, by number.
        given: pieces given out so far.
        merged: pieces merged so far.
        exhausted: whether all its pieces have been given out.
    """

    check: Check
    waiting: dict[int, tuple[CheckPiece, Findings]] = field(default_factory=dict)
    given: int = 0
    merged: int = 0
    exhausted: bool = False


class _Run:
    """A run: what has been merged, and how far each check is."""

    def __init__(
        self, cat: Catalogue, options: Options, workers: int, on_progress: OnProgress | None
    ) -> None:
        self.cat = cat
        self.options = options
        self.asked = None if options.deal is None else asked_for(cat, options.deal)
        self.context = Context(cat, options, self.asked)
        self.workers = Workers(cat, self.context, workers)
        self.on_progress = on_progress or (lambda _check, _pieces: None)
        self.record: Record | None = None
        self.remark: str | None = None
        self.started_at = datetime.now(UTC)
        self.finished: set[str] = set()
        self.places: dict[str, list[Any]] = {}
        self.checked: Counter[str] = Counter()
        self.of: Counter[str] = Counter()
        self.wrong: Counter[str] = Counter()
        self.faults: list[Fault] = []
        self.remarks: list[str] = []
        self.found = 0
        self.sums: Sums = {}
        self.batches: set[int] = set()
        self.done = 0

    def record_in(self, record: Record | str) -> None:
        """Keep the report in a row, and go on from what it has; or say why there is none."""
        if isinstance(record, str):
            self.remark = record
            return
        self.record = record
        if record.report is None:
            return
        before, progress = record.report, record.progress
        assert before.started_at is not None
        self.started_at = before.started_at
        self.checked.update(before.checked)
        for kind, sampled in before.sampled.items():
            self.of[kind], self.wrong[kind] = sampled.of, sampled.wrong
        self.faults, self.found = list(before.faults), before.found
        self.remarks = list(before.remarks)
        self.finished = set(progress.get("finished", ()))
        self.places = dict(progress.get("places", {}))
        self.sums = {int(number): sums for number, sums in progress.get("sums", {}).items()}
        self.batches = set(progress.get("batches", ()))

    def run(self) -> VerificationReport:
        """Check all that is left, and return the report."""
        state = "stopped"
        try:
            _analyze_unknown(self.cat)
            self._check_all()
            state = "done"
        finally:
            # In this order: the processes may be in the middle of a solver, for hours.
            self.workers.stop()
            report = self._report(state)
            self._save(report)
        return report if self.remark is None else replace(report, remark=self.remark)

    def _check_all(self) -> None:
        if not self.batches and _count(self.cat, BatchRow):
            with suppress(DatabaseError), self.cat.session() as session:
                self.batches = set(session.scalars(select(BatchRow.id)))
        self._save(self._report("running"))
        saved = time.monotonic()
        given: dict[int, tuple[_Tracker, int, CheckPiece]] = {}
        source, tickets = self._left(), count()
        more = True
        while more or given:
            while more and self.workers.free:
                following = next(source, None)
                if following is None:
                    more = False
                    break
                ticket = next(tickets)
                given[ticket] = following
                self.workers.give(ticket, following[2])
            for ticket, found in self.workers.results(_WAIT_SECONDS):
                tracker, number, piece = given.pop(ticket)
                tracker.waiting[number] = (piece, found)
                self._settle(tracker)
            if time.monotonic() - saved > SAVE_SECONDS:
                self._save(self._report("running"))
                saved = time.monotonic()

    def _left(self) -> Iterator[tuple[_Tracker, int, CheckPiece]]:
        """The pieces that are left, each with the number that it has in its check."""
        for check in CHECKS:
            if self.options.only and check.name not in self.options.only:
                continue
            if check.name in self.finished or (self.asked is not None and not check.of_deals):
                continue
            tracker = _Tracker(check)
            if self.asked is not None:
                pieces = pieces_of(check, self.asked)
            else:
                pieces = check.pieces(self.cat, self.places.get(check.name))
            try:
                for piece in pieces:
                    tracker.given += 1
                    yield tracker, tracker.given - 1, piece
            except DBAPIError as error:
                if not is_fault(error):
                    raise
                # A table is missing or damaged; the rest of the check has no pieces.
                self._merge(failed(CheckPiece(check.name), self.context, said(error)))
            tracker.exhausted = True
            self._settle(tracker)

    def _settle(self, tracker: _Tracker) -> None:
        """Merge the results of a check as far as they have come without a gap."""
        name = tracker.check.name
        while tracker.merged in tracker.waiting:
            piece, found = tracker.waiting.pop(tracker.merged)
            tracker.merged += 1
            self.places[name] = piece.place
            self._merge(found)
            self.done += 1
            self.on_progress(name, self.done)
        if tracker.exhausted and tracker.merged == tracker.given and name not in self.finished:
            if name == _SUMMED:
                self._compare_batches()
            self.finished.add(name)
            self.places.pop(name, None)

    def _compare_batches(self) -> None:
        self.context.begin(CheckPiece(_SUMMED))
        try:
            check_batches(self.context, self.sums, self.batches)
            found = self.context.end()
        except Exception as error:
            if not is_fault(error):
                raise
            found = failed(CheckPiece(_SUMMED), self.context, said(error))
        self.sums = {}
        self._merge(found)

    def _merge(self, found: Findings) -> None:
        self.checked.update(found.checked)
        self.of.update(found.of)
        self.wrong.update(found.wrong)
        self.found += found.found
        self.remarks += found.remarks
        self.faults += found.faults[: max(0, LISTED - len(self.faults))]
        merge(self.sums, found.sums)

    def _report(self, state: str) -> VerificationReport:
        sampled = {}
        for kind, of in self.of.items():
            if not of:
                continue
            wrong = min(self.wrong[kind], of)
            sampled[kind] = Sampled(of, min(max(self.checked[kind], wrong), of), wrong)
        return VerificationReport(
            self.options.seed,
            dict(self.checked),
            sampled,
            self.found,
            tuple(self.faults),
            tuple(self.remarks),
            state,
            {**asdict(self.options), "maker": asdict(this_maker())},
            self.started_at,
            datetime.now(UTC) if state == "done" else None,
            None if self.record is None else self.record.number,
            self.remark,
        )

    def _save(self, report: VerificationReport) -> None:
        if self.record is None:
            return
        progress = {} if report.state == "done" else self._progress()
        self.remark = self.record.save(report, progress)

    def _progress(self) -> dict[str, Any]:
        return {
            "finished": sorted(self.finished),
            "places": self.places,
            "sums": self.sums,
            "batches": sorted(self.batches),
        }
