"""The runner, which claims jobs and has their missing outcomes computed by Dask workers.

The work left of a job is a query, so a runner holds no state that could be lost: it may be killed
at any time, and the next one resumes the job. Workers deal, solve and have every win replayed; they
never access the database. The runner writes the results, a few chunks at a time, with their counts,
the job's progress and the new bound in one transaction.
"""

import contextlib
import signal
import threading
import time
from collections import deque
from collections.abc import Callable, Collection, Iterator, Sequence
from functools import partial
from types import FrameType
from typing import Any

from sqlalchemy.exc import DBAPIError

from catalogue.jobs import claims
from catalogue.jobs.queue import JobInfo, get_job, read_job
from catalogue.jobs.task import JobFailure, Progress, Task, read_task
from catalogue.jobs.worker_pool import SchedulerLost, WorkerPool
from catalogue.schema import JobRow
from catalogue.settings import get_settings
from catalogue.store import Catalogue, unreachable
from engine.errors import BadInput

BEAT_SECONDS = 2.0
POLL_SECONDS = 1.0
RATE_SECONDS = 30.0


def run(
    cat: Catalogue,
    *,
    workers: int | None = None,
    scheduler: str | None = None,
    watch: bool = False,
    only: Collection[int] | None = None,
    on_progress: Callable[[JobInfo], None] | None = None,
    stop: threading.Event | None = None,
) -> int:
    """Run queued jobs and those of dead runners, one by one; return the number of jobs done.

    In the main thread, SIGINT and SIGTERM end it cleanly: the job returns to the queue, its
    stored outcomes are kept, and the workers end too.

    Args:
        cat: the catalogue.
        workers: number of processes on this machine; by default that of the settings, all cores.
        scheduler: address of a Dask scheduler to use instead; by default that of the settings,
            none.
        watch: whether to wait for new jobs when none is left instead of returning.
        only: run only these jobs, and return when all of them have ended, including those that
            another runner works on; `watch` is then ignored.
        on_progress: called with the job when it is claimed, after every write, and at its end.
        stop: an event that ends the run like a signal, for callers with several threads.

    Raises:
        BadInput: the scheduler cannot be reached or was lost, or the database no longer responds.
    """
    settings = get_settings()
    runner = claims.new_runner()
    stopping = stop or threading.Event()
    report = on_progress or (lambda _job: None)
    done = 0
    with (
        _stopped_by_signals(stopping),
        WorkerPool(workers or settings.workers, scheduler or settings.scheduler) as pool,
        _reachable(cat),
    ):
        if pool.scheduler is not None:
            pool.start()  # before a job is claimed that could not be run
        while not stopping.is_set():
            job_id = claims.claim_next(cat, runner, only)
            if job_id is None:
                elsewhere = [job for job in map(partial(get_job, cat), only or ()) if job.is_open]
                if not elsewhere and not (watch and only is None):
                    break
                for job in elsewhere:
                    report(job)
                stopping.wait(POLL_SECONDS)
                continue
            report(get_job(cat, job_id))
            _JobRun(cat, job_id, runner, pool, stopping, report).work()
            job = get_job(cat, job_id)
            report(job)
            done += job.state == "done"
    return done


class _NotOurs(Exception):
    """The job was cancelled or claimed by another runner."""


class _JobRun:
    """The work of a runner on one job, from its claim to the end of either."""

    def __init__(
        self,
        cat: Catalogue,
        job_id: int,
        runner: str,
        pool: WorkerPool,
        stopping: threading.Event,
        report: Callable[[JobInfo], None],
    ) -> None:
        self.cat = cat
        self.job_id = job_id
        self.runner = runner
        self.pool = pool
        self.stopping = stopping
        self.report = report
        self.rate = _Rate()

    def work(self) -> None:
        """Solve what is missing until the job is done, failed, cancelled or released."""
        heartbeat = _Heartbeat(self.cat, self.job_id, self.runner)
        heartbeat.start()
        try:
            error = None
            try:
                task = read_task(self.cat, self.job_id)
                finished = self._fill(task, heartbeat)
            except SchedulerLost:
                raise
            except (JobFailure, BadInput) as failure:
                error, finished = str(failure), True
            heartbeat.stop()
            with self.cat.begin() as session:
                if finished:
                    claims.finish(session, self.job_id, self.runner, error)
                else:
                    claims.release(session, self.job_id, self.runner)
        except _NotOurs:
            self.pool.dismiss()
        except BaseException:
            # Whatever happened, leave the job to the next runner if the database still responds.
            heartbeat.stop()
            with contextlib.suppress(DBAPIError), self.cat.begin() as session:
                claims.release(session, self.job_id, self.runner)
            raise
        finally:
            heartbeat.stop()

    def _fill(self, task: Task, heartbeat: "_Heartbeat") -> bool:
        """Solve and store until nothing is missing; False if stopped before that."""
        while True:
            progress = self._store(task, [])
            if progress.done == progress.total:
                return True
            attempted = 0
            with self.pool.workers_for(task, lambda: self._unwanted(heartbeat)) as workers:
                pieces = task.pieces(self.cat, workers.size)
                while True:
                    if heartbeat.lost.is_set():
                        raise _NotOurs
                    if self.stopping.is_set():
                        return False
                    attempted += workers.fill(pieces)
                    if not workers.in_flight:
                        break
                    results = workers.collect()
                    if results:
                        self._store(task, results)
            # Once more, since another job's runner may have written outcomes meanwhile. But if
            # nothing is missing and the job is still incomplete, it can never be completed.
            if not attempted:
                raise JobFailure(
                    f"only {progress.done} of {progress.total} are counted, but none is missing: "
                    "the tallies are wrong"
                )

    def _unwanted(self, heartbeat: "_Heartbeat") -> bool:
        return heartbeat.lost.is_set() or self.stopping.is_set()

    def _store(self, task: Task, results: Sequence[Any]) -> Progress:
        """Write results with everything derived from them."""
        with self.cat.begin() as session:
            if not claims.beat(session, self.job_id, self.runner):
                raise _NotOurs
            progress = task.store(session, results)
            job = session.get_one(JobRow, self.job_id)
            job.done, job.total = progress
            job.rate = self.rate.update(progress.done)
            session.flush()
            info = read_job(session, self.job_id)
        self.report(info)
        return progress


class _Heartbeat(threading.Thread):
    """Thread that renews the heartbeat while pieces are solved, and notices a lost claim."""

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
                continue  # the database may be back in a moment; otherwise writing will fail
            if not ours:
                self.lost.set()
                return

    def stop(self) -> None:
        self._stopped.set()
        if self.is_alive():
            self.join()


class _Rate:
    """Moving average of outcomes per second."""

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
    """Have SIGINT and SIGTERM set the event; a second signal has its usual effect."""
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
def _reachable(cat: Catalogue) -> Iterator[None]:
    try:
        yield
    except DBAPIError as error:
        raise unreachable(cat.engine.url, error) from error
