"""The runner: takes jobs up and has their missing outcomes solved by Dask workers.

The work left of a job is a query, so a runner holds nothing that could be lost: it may be killed
at any time, and the next one goes on with what is missing. Workers deal, solve and have every win
replayed; they never see the database. The runner writes what comes back, a few chunks at a time,
each with its counts, the job's progress and the new bound in one transaction.
"""

import contextlib
import logging
import math
import queue
import signal
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from multiprocessing import resource_tracker
from types import FrameType, TracebackType
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import select
from sqlalchemy.exc import DBAPIError

from catalogue import claims
from catalogue.bounds import record_bound
from catalogue.chunk import Chunk, SolverKey, UnprovedWin
from catalogue.jobs import JobInfo, get_job, read_job
from catalogue.outcomes import write_chunks
from catalogue.piece import solve_piece, warm_up
from catalogue.samples import outcome_counts
from catalogue.schema import BLOCK_SIZE, Deal, Job, JobSolver, Outcome, Solver, Tally
from catalogue.settings import get_settings
from catalogue.store import Catalogue, unreachable
from engine.errors import BadInput
from solvers.registry import parse_solver

# Pieces of work in flight for each worker: one being solved, one waiting there, one on its way.
PER_WORKER = 3
MAX_PIECE = 10_000
# Deals written in one transaction, when chunks arrive faster than they can be written.
MAX_BATCH = 10_000
BEAT_SECONDS = 2.0
POLL_SECONDS = 1.0
CONNECT_SECONDS = 10
RATE_SECONDS = 30.0
# Longest wait before looking whether to stop.
WAIT_SECONDS = 0.2
_LOST = "the Dask scheduler went away while a job was running"


def run(
    cat: Catalogue,
    *,
    workers: int | None = None,
    scheduler: str | None = None,
    watch: bool = False,
    on_progress: Callable[[JobInfo], None] | None = None,
    stop: threading.Event | None = None,
) -> int:
    """Run what is queued and what dead runners left, job by job; how many jobs were done.

    SIGINT and SIGTERM, where this is the main thread, end it cleanly: the job goes back into the
    queue with all that is stored of it, and the workers end too.

    Args:
        cat: the catalogue.
        workers: processes on this machine; by default that of the settings, which is all cores.
        scheduler: address of a Dask scheduler to solve on instead; by default that of the
            settings, which is none.
        watch: wait for new jobs instead of returning when none is left.
        on_progress: called with the job when it is taken up, after every write, and at its end.
        stop: ends the run as a signal does, for callers with threads of their own.

    Raises:
        BadInput: the scheduler cannot be reached or went away, or the database no longer answers.
    """
    settings = get_settings()
    runner = claims.new_runner()
    stopping = stop or threading.Event()
    report = on_progress or (lambda _job: None)
    done = 0
    with (
        _stopped_by_signals(stopping),
        _Crew(workers or settings.workers, scheduler or settings.scheduler) as crew,
        _reachable(cat),
    ):
        if crew.scheduler is not None:
            crew.start()  # before a job is taken up that could not be run
        while not stopping.is_set():
            job_id = claims.claim_next(cat, runner)
            if job_id is None:
                if not watch:
                    break
                stopping.wait(POLL_SECONDS)
                continue
            report(get_job(cat, job_id))
            _Shift(cat, job_id, runner, crew, stopping, report).work()
            job = get_job(cat, job_id)
            report(job)
            done += job.state == "done"
    return done


@dataclass(frozen=True, slots=True)
class _Piece:
    """Seeds first … first + n − 1, and bool[n] for each solver: whose outcome is missing."""

    first: int
    missing: tuple[NDArray[np.bool_], ...]

    @property
    def last(self) -> int:
        return self.first + len(self.missing[0]) - 1


class _Failure(Exception):
    """The job cannot be finished; the text goes into its row."""


class _SchedulerLost(BadInput):
    """The Dask scheduler went away in mid-job; that is no fault of the job."""


class _NotOurs(Exception):
    """The job was cancelled, or another runner took it up."""


@dataclass(slots=True)
class _Task:
    """A job as the runner works on it."""

    job_id: int
    ruleset: str
    ruleset_id: int
    dealer: str
    first: int
    count: int
    solvers: list[SolverKey]
    solver_ids: list[int]

    @property
    def total(self) -> int:
        return self.count * len(self.solvers)

    def piece_size(self, workers: int) -> int:
        """Deals in a piece: what the slowest solver likes, less if workers would stand idle.

        Up to a block it goes evenly into one; above, it is whole blocks.
        """
        size = min(parse_solver(solver.name).method.chunk for solver in self.solvers)
        size = max(1, min(size, math.ceil(self.count / (2 * workers)), MAX_PIECE))
        if size >= BLOCK_SIZE:
            return size // BLOCK_SIZE * BLOCK_SIZE
        return math.ceil(BLOCK_SIZE / math.ceil(BLOCK_SIZE / size))


class _Shift:
    """One runner's work on one job, from the claim to the end of either."""

    def __init__(
        self,
        cat: Catalogue,
        job_id: int,
        runner: str,
        crew: "_Crew",
        stopping: threading.Event,
        report: Callable[[JobInfo], None],
    ) -> None:
        self.cat = cat
        self.job_id = job_id
        self.runner = runner
        self.crew = crew
        self.stopping = stopping
        self.report = report
        self.speed = _Speed()

    def work(self) -> None:
        """Solve what is missing, until the job is done, failed, cancelled or to be released."""
        heart = _Heart(self.cat, self.job_id, self.runner)
        heart.start()
        try:
            error = None
            try:
                task = _read_task(self.cat, self.job_id)
                finished = self._fill(task, heart)
            except _SchedulerLost:
                raise
            except (_Failure, BadInput) as failure:
                error, finished = str(failure), True
            heart.stop()
            with self.cat.begin() as session:
                if finished:
                    claims.finish(session, self.job_id, self.runner, error)
                else:
                    claims.release(session, self.job_id, self.runner)
        except _NotOurs:
            self.crew.dismiss()
        except BaseException:
            # Whatever happened: if the database still answers, leave the job to the next runner.
            heart.stop()
            with contextlib.suppress(DBAPIError), self.cat.begin() as session:
                claims.release(session, self.job_id, self.runner)
            raise
        finally:
            heart.stop()

    def _fill(self, task: _Task, heart: "_Heart") -> bool:
        """Solve and store until nothing is missing; False if told to stop before that."""
        while True:
            done = self._store(task, [])
            if done == task.total:
                return True
            attempted = 0
            with self.crew.team(task, lambda: self._unwanted(heart)) as team:
                pieces = _pieces(self.cat, task, task.piece_size(team.size))
                while True:
                    if heart.lost.is_set():
                        raise _NotOurs
                    if self.stopping.is_set():
                        return False
                    attempted += team.fill(pieces)
                    if not team.in_flight:
                        break
                    chunks = team.collect()
                    if chunks:
                        self._store(task, chunks)
            # Once more, for what another job's runner may have been writing meanwhile; but a
            # job of which nothing is missing and which is not complete will never be.
            if not attempted:
                raise _Failure(
                    f"only {done} of {task.total} outcomes are counted, but none is missing: "
                    "the tallies are wrong"
                )

    def _unwanted(self, heart: "_Heart") -> bool:
        return heart.lost.is_set() or self.stopping.is_set()

    def _store(self, task: _Task, chunks: Sequence[Chunk]) -> int:
        """Write chunks with everything that follows from them; how many outcomes there are."""
        with self.cat.begin() as session:
            if not claims.beat(session, task.job_id, self.runner):
                raise _NotOurs
            write_chunks(session, chunks)
            done = sum(
                outcome_counts(
                    session, task.ruleset_id, solver_id, task.dealer, task.first, task.count
                ).attempted
                for solver_id in task.solver_ids
            )
            job = session.get_one(Job, task.job_id)
            job.done = done
            job.rate = self.speed.update(done)
            session.flush()
            record_bound(session, task.job_id)
            info = read_job(session, task.job_id)
        self.report(info)
        return done


def _read_task(cat: Catalogue, job_id: int) -> _Task:
    info = get_job(cat, job_id)
    with cat.session() as session:
        job = session.get_one(Job, job_id)
        rows = session.execute(
            select(Solver.id, Solver.name, Solver.version)
            .join(JobSolver, JobSolver.solver_id == Solver.id)
            .where(JobSolver.job_id == job_id)
            .order_by(JobSolver.place)
        ).all()
        ruleset_id = job.ruleset_id
    solvers = []
    for _, name, version in rows:
        solver = parse_solver(name)
        if solver.method.version != version:
            raise _Failure(
                f"the job asks for version {version} of {name}, but this program has version "
                f"{solver.method.version}: submit it again"
            )
        solvers.append(SolverKey.of(solver))
    sample = info.sample
    return _Task(
        job_id,
        info.ruleset,
        ruleset_id,
        sample.dealer,
        sample.first,
        sample.count,
        solvers,
        [solver_id for solver_id, _, _ in rows],
    )


def _pieces(cat: Catalogue, task: _Task, size: int) -> Iterator[_Piece]:
    """The work left, in the order of the seeds, looked up as it is asked for."""
    end = task.first + task.count
    window = max(size, BLOCK_SIZE)
    with cat.session() as session:
        full = _full_blocks(session, task)
    start = task.first
    while start < end:
        stop = min((start // window + 1) * window, end)
        if not all(block in full for block in range(start // BLOCK_SIZE, -(-stop // BLOCK_SIZE))):
            with cat.session() as session:
                missing = _missing(session, task, start, stop)
            cut = start
            while cut < stop:
                # Pieces begin at multiples of the size within a window, whatever the sample.
                upto = min(cut + size - (cut % window) % size, stop)
                columns = tuple(column[cut - start : upto - start] for column in missing)
                if any(column.any() for column in columns):
                    yield _Piece(cut, columns)
                cut = upto
        start = stop


def _full_blocks(session: Any, task: _Task) -> set[int]:
    """The blocks of seeds in which no outcome of any of the job's solvers is missing."""
    full: set[int] | None = None
    for solver_id in task.solver_ids:
        blocks = set(
            session.scalars(
                select(Tally.block).where(
                    Tally.ruleset_id == task.ruleset_id,
                    Tally.solver_id == solver_id,
                    Tally.dealer == task.dealer,
                    Tally.block >= task.first // BLOCK_SIZE,
                    Tally.block <= (task.first + task.count - 1) // BLOCK_SIZE,
                    Tally.attempted == BLOCK_SIZE,
                )
            )
        )
        full = blocks if full is None else full & blocks
    return full or set()


def _missing(session: Any, task: _Task, start: int, stop: int) -> list[NDArray[np.bool_]]:
    """For each solver bool[stop − start]: which of these seeds have no outcome."""
    missing = {solver_id: np.ones(stop - start, dtype=np.bool_) for solver_id in task.solver_ids}
    present = session.execute(
        select(Deal.seed, Outcome.solver_id)
        .join(Outcome, Outcome.deal_id == Deal.id)
        .where(
            Deal.dealer == task.dealer,
            Deal.seed >= start,
            Deal.seed < stop,
            Outcome.ruleset_id == task.ruleset_id,
            Outcome.solver_id.in_(task.solver_ids),
        )
    )
    for seed, solver_id in present:
        missing[solver_id][seed - start] = False
    return [missing[solver_id] for solver_id in task.solver_ids]


class _Crew:
    """The Dask workers: started when first needed, kept from job to job, ended at the end."""

    def __init__(self, workers: int, scheduler: str | None) -> None:
        self.workers = workers
        self.scheduler = scheduler
        self._cluster: Any = None
        self._client: Any = None
        self._warm: set[tuple[str, str]] = set()
        self._loudness = logging.NOTSET

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._close()

    @contextlib.contextmanager
    def team(self, task: _Task, unwanted: Callable[[], bool]) -> Iterator["_Team"]:
        """The workers, ready for a job; whatever is still in flight at the end is cancelled.

        They are not ready if `unwanted` became true while they prepared, which may take long.
        """
        client = self.start()
        self._warm_up(client, task, unwanted)
        team = _Team(client, task)
        try:
            yield team
        finally:
            team.cancel()

    def dismiss(self) -> None:
        """Have nobody go on with a piece of work that is not wanted any more.

        A piece cannot be stopped half way, so our own workers end; the next job gets new ones.
        """
        if self.scheduler is None:
            self._close()

    def start(self) -> Any:
        """The client of the workers, which are started if they are not."""
        if self._client is None:
            # Here, because the command line should not wait for it before it has a job.
            from distributed import Client, LocalCluster
            from distributed.comm.addressing import resolve_address

            if self.scheduler is not None:
                self._loudness = logging.getLogger("distributed").level
                logging.getLogger("distributed").setLevel(logging.CRITICAL)
                try:
                    # A client that fails over the address itself waits long before it goes.
                    resolve_address(self.scheduler)
                    self._client = Client(  # type: ignore[no-untyped-call]
                        self.scheduler, timeout=CONNECT_SECONDS, set_as_default=False
                    )
                except (OSError, ValueError, TypeError) as error:
                    raise BadInput(
                        f"the Dask scheduler at {self.scheduler} cannot be reached: {error}"
                    ) from None
            else:
                with _deaf_children():
                    self._cluster = LocalCluster(  # type: ignore[no-untyped-call]
                        n_workers=self.workers,
                        threads_per_worker=1,
                        processes=True,
                        host="127.0.0.1",
                        # Not None, which means port 8787 and a warning where that is taken.
                        dashboard_address="127.0.0.1:0",
                        silence_logs=logging.CRITICAL,
                        # Solvers know how much they take; Dask would only pause or kill them.
                        memory_limit=0,
                    )
                self._client = Client(  # type: ignore[no-untyped-call]
                    self._cluster, set_as_default=False
                )
        return self._client

    def _warm_up(self, client: Any, task: _Task, unwanted: Callable[[], bool]) -> None:
        cold = [s for s in task.solvers if (task.ruleset, s.method) not in self._warm]
        if not cold:
            return
        future = client.submit(warm_up, task.ruleset, [s.name for s in cold], pure=False)
        ready = threading.Event()
        future.add_done_callback(lambda _future: ready.set())
        while not ready.wait(WAIT_SECONDS):
            if unwanted():
                return
        _result(future, f"preparing {', '.join(s.name for s in cold)}")
        self._warm.update((task.ruleset, s.method) for s in cold)

    def _close(self) -> None:
        client, cluster = self._client, self._cluster
        self._client = self._cluster = None
        self._warm.clear()
        if client is not None:
            client.close()
            if cluster is None:
                logging.getLogger("distributed").setLevel(self._loudness)
        if cluster is not None:
            cluster.close()


@dataclass(slots=True)
class _Team:
    """The workers as one job uses them."""

    client: Any
    task: _Task
    in_flight: dict[Any, _Piece] = field(default_factory=dict)
    _arrived: "queue.SimpleQueue[Any]" = field(default_factory=queue.SimpleQueue)

    @property
    def size(self) -> int:
        """Threads that solve; at least one, for a scheduler whose workers are yet to come."""
        try:
            threads: int = sum(self.client.nthreads().values())
        except OSError:
            raise _SchedulerLost(_LOST) from None
        return max(1, threads)

    def fill(self, pieces: Iterator[_Piece]) -> int:
        """Send out pieces, until enough are in flight; how many."""
        room = PER_WORKER * self.size - len(self.in_flight)
        sent = 0
        while sent < room and (piece := next(pieces, None)) is not None:
            wanted = [
                (solver.name, solver.version, missing)
                for solver, missing in zip(self.task.solvers, piece.missing, strict=True)
                if missing.any()
            ]
            future = self.client.submit(
                solve_piece, self.task.ruleset, self.task.dealer, piece.first, wanted, pure=False
            )
            self.in_flight[future] = piece
            future.add_done_callback(self._arrived.put)
            sent += 1
        return sent

    def collect(self) -> list[Chunk]:
        """Chunks that have arrived, after a short wait for the first.

        Raises:
            _Failure: one of them failed, or its worker died more often than Dask allows.
        """
        chunks: list[Chunk] = []
        try:
            future = self._arrived.get(timeout=WAIT_SECONDS)
            while True:
                chunks.append(self._chunk(future))
                if sum(len(chunk.seeds) for chunk in chunks) >= MAX_BATCH:
                    break
                future = self._arrived.get_nowait()
        except queue.Empty:
            pass
        return chunks

    def cancel(self) -> None:
        self.client.cancel(list(self.in_flight))
        self.in_flight.clear()

    def _chunk(self, future: Any) -> Chunk:
        piece = self.in_flight.pop(future)
        chunk = _result(future, f"seeds {piece.first} to {piece.last} of {self.task.dealer}")
        assert isinstance(chunk, Chunk)
        return chunk


def _result(future: Any, what: str) -> Any:
    """What a worker returned; its exceptions become those of this module."""
    from distributed import CancelledError, KilledWorker

    try:
        return future.result()
    except (UnprovedWin, BadInput) as error:
        raise _Failure(str(error)) from None
    except KilledWorker:
        raise _Failure(f"{what}: the worker died again and again") from None
    except CancelledError:
        # Nobody here cancels what is still waited for.
        raise _SchedulerLost(_LOST) from None
    except Exception as error:
        raise _Failure(f"{what}: {type(error).__name__}: {error}") from error


class _Heart(threading.Thread):
    """Beats while the runner works, however long a piece takes; sees when the job is not ours."""

    def __init__(self, cat: Catalogue, job_id: int, runner: str) -> None:
        super().__init__(name=f"heartbeat of job {job_id}", daemon=True)
        self.cat = cat
        self.job_id = job_id
        self.runner = runner
        self.lost = threading.Event()
        self._stopped = threading.Event()

    def run(self) -> None:
        while not self._stopped.wait(BEAT_SECONDS):
            try:
                with self.cat.begin() as session:
                    ours = claims.beat(session, self.job_id, self.runner)
            except DBAPIError:
                continue  # a database that is away for a moment; the writes will tell
            if not ours:
                self.lost.set()
                return

    def stop(self) -> None:
        self._stopped.set()
        if self.is_alive():
            self.join()


class _Speed:
    """Outcomes a second over the last while."""

    def __init__(self) -> None:
        self._seen: deque[tuple[float, int]] = deque()

    def update(self, done: int) -> float | None:
        now = time.monotonic()
        self._seen.append((now, done))
        while now - self._seen[0][0] > RATE_SECONDS and len(self._seen) > 2:
            self._seen.popleft()
        since, before = self._seen[0]
        return (done - before) / (now - since) if now - since >= 1 else None


@contextlib.contextmanager
def _stopped_by_signals(stopping: threading.Event) -> Iterator[None]:
    """SIGINT and SIGTERM set the event; a second one does what it always does."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}

    def handle(number: int, _frame: FrameType | None) -> None:
        stopping.set()
        signal.signal(number, before[signal.Signals(number)])

    for number in before:
        signal.signal(number, handle)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextlib.contextmanager
def _deaf_children() -> Iterator[None]:
    """Processes started here, or by threads started here, do not hear Ctrl-C.

    A terminal sends it to all of them at once, but it is for the runner to say when they end.
    """
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    # It would be started along with the first of them, and has the thread hear again.
    resource_tracker.ensure_running()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextlib.contextmanager
def _reachable(cat: Catalogue) -> Iterator[None]:
    try:
        yield
    except DBAPIError as error:
        raise unreachable(cat.engine.url, error) from error
