"""The runner, which claims shards of jobs and has them solved by Dask workers.

Several runners may work on one job: each claims shards of its own, and stores what came of them.
What is missing is a query, and a shard is deleted in the transaction that stores its outcomes with
their counts, the job's progress and the new bound. So a runner holds no state that could be lost:
it may be killed at any time, and its shards go to the others, or to the next one. Workers deal,
solve and have every win replayed; they never access the database.
"""

import contextlib
import logging
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass

from sqlalchemy.exc import (
    DataError,
    DBAPIError,
    DisconnectionError,
    IntegrityError,
    InterfaceError,
    OperationalError,
)
from sqlalchemy.exc import TimeoutError as NoConnection
from sqlalchemy.orm import Session

from catalogue.database import reason_of, unreachable
from catalogue.interrupts import stopped_by_signals
from catalogue.jobs import claims, progress
from catalogue.jobs.claims import Claimed
from catalogue.jobs.progress import Settled, Throughput
from catalogue.jobs.queue import OPEN, JobInfo, change, get_job, locked
from catalogue.jobs.shard import SolvedShard
from catalogue.jobs.shards import Pace, end_of, make_shards
from catalogue.jobs.task import JobFailure, Task, read_task
from catalogue.jobs.worker_pool import PER_WORKER, Arrived, Outage, WorkerPool
from catalogue.schema import JobRow
from catalogue.settings import get_settings
from catalogue.store import Catalogue
from engine.errors import BadInput

BEAT_SECONDS = 2.0
_TRIES_TO_LEAVE = 3
POLL_SECONDS = 1.0
BOUND_SECONDS = 1.0
# After so long without work, workers end; the runner stays, which costs next to nothing.
IDLE_SECONDS = 60.0
# Dead runners are looked for this often while there is work; without work, at every poll.
REAP_SECONDS = 5.0
# A shard of one seed whose worker hangs this often has failed.
MAX_ATTEMPTS = 3
# Deals in a transaction at most, when results arrive faster than they can be written.
MAX_BATCH = 20_000
# Waits of a runner that watches, until its database, scheduler or workers are back.
FIRST_WAIT_SECONDS = 1.0
LONGEST_WAIT_SECONDS = 30.0
# Shards take ten times as long as expected before their worker is given up.
_PATIENCE = 10

_log = logging.getLogger(__name__)


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
    """Work on open jobs, the most urgent first; return the number of those that it completed.

    Other runners may work on the same jobs. In the main thread, SIGINT and SIGTERM end it cleanly:
    its shards return to the queue, stored outcomes are kept, and the workers end too.

    Args:
        cat: the catalogue.
        workers: number of processes on this machine; by default that of the settings, all cores.
        scheduler: address of a Dask scheduler to use instead; by default that of the settings,
            none.
        watch: whether to wait for new jobs when none is left instead of returning.
        only: run only these jobs, and return when all of them have ended, including those that
            another runner works on; `watch` is then ignored.
        on_progress: called with the job when it is begun, after every write, and at its end.
        stop: an event that ends the run like a signal, for callers with several threads.

    Raises:
        BadInput: the scheduler cannot be reached or was lost, workers cannot be started or none can
            be used, or the database no longer responds; while it watches, only if that is so from
            the beginning.
    """
    settings = get_settings()
    stopping = stop or threading.Event()
    report = on_progress or (lambda _job: None)
    runner: _Runner | None = None
    outage = ""
    wait = 0.0
    with (
        stopped_by_signals(stopping),
        WorkerPool(workers or settings.workers, scheduler or settings.scheduler) as pool,
    ):
        while not stopping.wait(wait):
            try:
                with _reachable(cat):
                    if pool.scheduler is not None:
                        pool.start()  # before a shard is claimed that could not be solved
                    if runner is not None:
                        runner.leave()
                    done = 0 if runner is None else runner.done
                    runner = _Runner(cat, pool, stopping, report, settings.shard_timeout, done)
                    if outage:
                        _log.warning("the runner goes on, for this is over: %s", outage)
                        outage = ""
                    runner.work(only, watch)
                    break
            except Outage as error:
                if runner is None or not watch or only is not None:
                    raise
                if outage:
                    wait = min(2 * wait, LONGEST_WAIT_SECONDS)
                else:
                    outage, wait = str(error), FIRST_WAIT_SECONDS
                    _log.warning("the runner waits until this is over: %s", outage)
                pool.close()
    return 0 if runner is None else runner.done


@dataclass(slots=True)
class _Job:
    """A job that this runner works on."""

    task: Task
    pace: Pace
    rate: "Throughput"
    is_reported: bool = False  # whether its beginning was reported
    recorded: float = 0.0  # when its bound was recorded last
    # Whether the pass over its seeds that is under way made any shard; false only in one that was
    # begun because something was missing at the end of another.
    made: bool = True

    @property
    def id(self) -> int:
        return self.task.spec.job_id


class _Runner:
    """The work of a runner, from its registration to its end."""

    def __init__(
        self,
        cat: Catalogue,
        pool: WorkerPool,
        stopping: threading.Event,
        report: Callable[[JobInfo], None],
        shard_timeout: float,
        done: int,
    ) -> None:
        self.cat = cat
        self.pool = pool
        self.stopping = stopping
        self.report = report
        self.shard_timeout = shard_timeout
        self.jobs: dict[int, _Job] = {}
        # Jobs that another runner has in hand, but that this one cannot run.
        self.refused: set[int] = set()
        self.done = done  # jobs, those before an outage included
        self.runner_id = claims.register(cat, pool.workers)
        self.heartbeat = _Heartbeat(cat, self.runner_id)
        # Claimed, and to be solved alone.
        self.suspects: list[Claimed] = []
        # Whether nothing was left to be claimed when it was last tried.
        self.dry = False
        # Solving threads when shards were last claimed.
        self.workers = pool.workers

    def work(self, only: Collection[int] | None, watch: bool) -> None:
        """Work until nothing is left to do, or until it is stopped."""
        self.heartbeat.start()
        try:
            self._loop(only, watch)
        finally:
            self.heartbeat.stop()
            self.leave()

    def leave(self) -> None:
        """Whatever happened, let other runners have the shards if the database still responds.

        A connection that was ended meanwhile is found out only by using it.
        """
        for _ in range(_TRIES_TO_LEAVE):
            with contextlib.suppress(DBAPIError), self.cat.begin() as session:
                claims.leave(session, self.runner_id)
                return

    def _loop(self, only: Collection[int] | None, watch: bool) -> None:
        last_work = time.monotonic()
        polled = reaped = float("-inf")
        urgent: list[int] = []
        while not self.stopping.is_set():
            now = time.monotonic()
            if self.heartbeat.lost.is_set():
                self._begin_anew()
            if now - polled >= POLL_SECONDS:
                if now - reaped >= (REAP_SECONDS if self.pool.busy else 0):
                    claims.reap(self.cat)
                    reaped = now
                urgent = self._poll(only)
                polled, self.dry = now, False
            self._fill(urgent)
            if self.pool.busy:
                last_work = time.monotonic()
                # Until the last ones are in flight, each worker keeps one to go on with.
                fewest = 1 if self.dry else 2 * self.workers
                self._take(self.pool.collect(MAX_BATCH, fewest))
                continue
            if self.suspects or not self.dry:
                continue  # a suspect that was just claimed is sent in the next round
            if self._is_over(only, watch):
                return
            if self.pool.scheduler is None and time.monotonic() - last_work > IDLE_SECONDS:
                self.pool.close()
            self.stopping.wait(POLL_SECONDS)

    def _poll(self, only: Collection[int] | None) -> list[int]:
        """The numbers of jobs to be worked on; shards of jobs that have ended are dropped."""
        with self.cat.session() as session:
            states = claims.open_jobs(session)
        alive = {job_id for job_id, _ in states}
        unwanted = [each for each in self.pool.in_flight.values() if each.shard.job_id not in alive]
        if unwanted:
            if self.pool.scheduler is None:
                # The workers end with what they do, so what else they do goes back too.
                unwanted = list(self.pool.in_flight.values())
                self.pool.dismiss()
            else:
                self.pool.cancel(unwanted)
            with self.cat.begin() as session:
                claims.give_back(session, self.runner_id, [each.shard.id for each in unwanted])
        for job_id in self.jobs.keys() - alive:
            if self.jobs.pop(job_id).is_reported:
                self.report(get_job(self.cat, job_id))
        urgent = [
            job_id
            for job_id, state in states
            if state != "paused" and job_id not in self.refused and (only is None or job_id in only)
        ]
        if not urgent:
            self.pool.stop_preparing()
        return urgent

    def _is_over(self, only: Collection[int] | None, watch: bool) -> bool:
        """Whether there is nothing left to wait for."""
        if only is None:
            return not watch
        elsewhere = [job for job in (get_job(self.cat, number) for number in only) if job.is_open]
        for job in elsewhere:
            self.report(job)
        return not elsewhere

    def _fill(self, urgent: Sequence[int]) -> None:
        """Claim shards, of the most urgent job that has any, until enough are in flight."""
        if self._try_suspects() or self.dry:
            return
        for job_id in urgent:
            job = self._job(job_id)
            if job is None:
                continue
            self.workers = self.pool.size
            room = PER_WORKER * self.workers - len(self.pool.in_flight)
            if room <= 0:
                return
            with self._failing_alone(job_id):
                if not job.is_reported:
                    self._begin(job)
                if not self.pool.ready(job.task.spec):
                    return
                self._claim(job, room)
            if self.heartbeat.lost.is_set():
                return
        self.dry = not urgent or len(self.pool.in_flight) < PER_WORKER * self.workers

    def _job(self, job_id: int) -> _Job | None:
        """The job of that number, if this runner has to do with it."""
        if job_id in self.jobs:
            return self.jobs[job_id]
        with self.cat.session() as session:
            if session.get_one(JobRow, job_id).state not in OPEN:
                return None  # it has ended since the last poll
        with self._failing_alone(job_id):
            try:
                task = read_task(self.cat, job_id)
            except (JobFailure, BadInput) as failure:
                with self.cat.session() as session:
                    in_hand = progress.has_shards(session, job_id, "running")
                if not in_hand:
                    raise
                self.refused.add(job_id)
                _log.warning("job %s is left to the other runners: %s", job_id, failure)
                return None
            job = _Job(task, Pace(task.chunk, task.largest), Throughput())
            self.jobs[job_id] = job
            # Before workers are started: perhaps nothing is left to be solved.
            with self.cat.session() as session:
                fresh = not progress.has_shards(session, job_id)
            if fresh:
                self._make(job, PER_WORKER * self.pool.workers)
        return self.jobs.get(job_id)

    def _claim(self, job: _Job, room: int) -> None:
        """Claim shards of a job, make more if there are too few, and send them to the workers."""
        shards = self._claim_waiting(job, room)
        if len(shards) < room:
            self._make(job, 2 * (room - len(shards)))
            if job.id in self.jobs:
                shards += self._claim_waiting(job, room - len(shards))
        idle: list[tuple[Claimed, SolvedShard | None]] = []
        with self.cat.session() as session:
            for shard in shards:
                if shard.suspect:
                    self.suspects.append(shard)
                elif not self._send(session, job, shard):
                    idle.append((shard, None))
        if idle:
            self._store(job, idle)

    def _send(self, session: Session, job: _Job, shard: Claimed) -> bool:
        """Send a shard to the workers; false if nothing of it is left to be solved."""
        work = job.task.work(session, shard.seeds)
        if work is not None:
            limit = max(_PATIENCE * job.pace.expected(work.deals), self.shard_timeout)
            self.pool.send(shard, work, limit)
        return work is not None

    def _try_suspects(self) -> bool:
        """Have shards whose workers died solved alone, so that the guilty one is known.

        Returns whether there are any, so that nothing else is sent.
        """
        if any(each.shard.suspect for each in self.pool.in_flight.values()):
            return True
        while self.suspects:
            if self.pool.in_flight:
                return True
            shard = self.suspects.pop(0)
            job = self.jobs.get(shard.job_id)
            if job is None:
                with self.cat.begin() as session:
                    claims.give_back(session, self.runner_id, [shard.id])
            else:
                with self._failing_alone(job.id):
                    with self.cat.session() as session:
                        if self._send(session, job, shard):
                            return True
                    self._store(job, [(shard, None)])
        return False

    def _claim_waiting(self, job: _Job, most: int) -> list[Claimed]:
        with self.cat.begin() as session:
            shards = claims.claim(session, self.runner_id, job.id, most)
            if shards and session.get_one(JobRow, job.id).state == "queued":
                self._mark_running(session, job)
        return shards

    def _begin(self, job: _Job) -> None:
        """Take up a job; its solvers may have to be compiled before a shard is claimed."""
        with self.cat.begin() as session:
            self._mark_running(session, job)
        job.is_reported = True
        self.report(get_job(self.cat, job.id))

    def _mark_running(self, session: Session, job: _Job) -> None:
        row = locked(session, job.id)
        if row.state == "queued":
            started = row.started_at or claims.database_time(session)
            change(session, row, state="running", started_at=started)

    def _make(self, job: _Job, most: int) -> None:
        """Make the next shards of a job; end it if nothing is left of it."""
        while True:
            with self.cat.session() as session:
                seen = session.get_one(JobRow, job.id)
                left = seen.next_seed < end_of(seen)
                if seen.state not in OPEN or (not left and progress.has_shards(session, job.id)):
                    return
            with self.cat.begin() as session:
                row = locked(session, job.id)
                if row.state not in OPEN:
                    return
                workers = max(claims.live_workers(session), self.pool.workers)
                made = make_shards(session, job.task, row, job.pace, workers, most)
                job.made |= made > 0
                settled = self._settle(session, job, row)
            if settled is Settled.ENDED:
                self._ended(job)
            if made or settled is Settled.ENDED:
                return

    def _settle(self, session: Session, job: _Job, row: JobRow) -> Settled:
        settled = progress.settle(session, job.task, row, job.made)
        if settled is Settled.AGAIN:
            job.made = False
        return settled

    def _take(self, arrived: Sequence[Arrived]) -> None:
        """Store results, and see to shards that failed."""
        solved: dict[int, list[tuple[Claimed, SolvedShard | None]]] = defaultdict(list)
        for each in arrived:
            job = self.jobs.get(each.sent.shard.job_id)
            if job is None:
                with self.cat.begin() as session:
                    claims.give_back(session, self.runner_id, [each.sent.shard.id])
            elif each.solved is not None:
                solved[job.id].append((each.sent.shard, each.solved))
                if not job.rate.begins(each.sent.worker):
                    job.pace.finished(each.sent.work.deals, each.solved.seconds)
            elif each.refused:
                _log.warning("%s: that worker is not used", each.error)
                with self.cat.begin() as session:
                    claims.give_back(session, self.runner_id, [each.sent.shard.id])
            else:
                with self._failing_alone(job.id):
                    self._put_off(job, each)
        for job_id, shards in solved.items():
            job = self.jobs.get(job_id)
            if job is None:
                continue  # it has ended meanwhile
            with self._failing_alone(job_id):
                self._store(job, shards)
        if arrived:
            self.dry = False

    def _put_off(self, job: _Job, failed: Arrived) -> None:
        """Split a shard that failed, have it tried again, or leave it as failed."""
        shard, error = failed.sent.shard, failed.error
        last = False
        with self.cat.begin() as session:
            if failed.died and not shard.suspect:
                # Dask blames all shards that a worker had when it died: it is tried alone.
                claims.put_off(session, self.runner_id, shard, "waiting", error)
            elif shard.deals > 1:
                suspicion = error if failed.died else None
                claims.split(session, self.runner_id, shard, suspicion=suspicion)
            elif failed.hung and shard.attempts + 1 < MAX_ATTEMPTS:
                claims.put_off(session, self.runner_id, shard, "waiting", None)
            else:
                last = True
                claims.put_off(session, self.runner_id, shard, "failed", error)
            row = locked(session, job.id)
            settled = self._settle(session, job, row) if row.state in OPEN else Settled.GOES_ON
        if last:
            _log.warning("job %s: %s", job.id, failed.error)
        if settled is Settled.ENDED:
            self._ended(job)

    def _store(self, job: _Job, shards: Sequence[tuple[Claimed, SolvedShard | None]]) -> None:
        """Store what came of shards, with everything derived from it, in one transaction."""
        task = job.task
        with self.cat.begin() as session:
            own = claims.complete(session, self.runner_id, [shard.id for shard, _ in shards])
            mine = [(shard, solved) for shard, solved in shards if shard.id in own]
            results = [solved.result for _, solved in mine if solved is not None]
            if results:
                task.store(session, results)
            row = locked(session, job.id)
            row.done += sum(task.counted(session, shard.seeds) for shard, _ in mine)
            spent = sum(1000 * solved.cpu_seconds for _, solved in mine if solved)
            change(session, row, cpu_ms=row.cpu_ms + spent)
            rate = job.rate.update(row.done)
            if row.state == "running":
                row.rate = rate
            if row.done > row.total:
                change(session, row, total=row.done)  # more have become known to be needed
            session.flush()
            settled = Settled.GOES_ON
            if row.state in (*OPEN, "paused"):
                settled = self._settle(session, job, row)
            if settled is Settled.GOES_ON and time.monotonic() - job.recorded >= BOUND_SECONDS:
                job.recorded = time.monotonic()
                settled = progress.record(session, row)
        if settled is Settled.ENDED:
            self._ended(job)
        else:
            self.report(get_job(self.cat, job.id))

    def _ended(self, job: _Job) -> None:
        """Report the end of a job that this runner brought about."""
        del self.jobs[job.id]
        info = get_job(self.cat, job.id)
        self.done += info.state == "done"
        self.report(info)

    @contextlib.contextmanager
    def _failing_alone(self, job_id: int) -> Iterator[None]:
        """Have a job fail whose work raises an error, so that the other jobs go on."""
        try:
            yield
        except Outage:
            raise
        except (JobFailure, BadInput) as failure:
            self._fail(job_id, str(failure))
        except IntegrityError as failure:
            with self.cat.begin() as session:
                alive = claims.beat(session, self.runner_id)
            if alive:
                self._fail(job_id, reason_of(failure))
            else:
                # It was declared dead meanwhile, and its row, which its shards name, is gone.
                self.heartbeat.lost.set()
        except DataError as failure:
            self._fail(job_id, reason_of(failure))
        except (DBAPIError, DisconnectionError, NoConnection, OSError):
            raise  # of the database or the machine
        except Exception as failure:
            _log.debug("job %s cannot be done", job_id, exc_info=True)
            self._fail(job_id, f"{type(failure).__name__}: {failure}")

    def _fail(self, job_id: int, error: str) -> None:
        """Mark a job as failed that cannot be run, and have nothing of it any more."""
        with self.cat.begin() as session:
            claims.give_back_job(session, self.runner_id, job_id)
            row = locked(session, job_id)
            if row.state in (*OPEN, "paused"):
                progress.fail(session, row, error)
        self.jobs.pop(job_id, None)
        try:
            info = get_job(self.cat, job_id)
        except BadInput:  # its row names what this program does not have
            _log.error("job %s: failed, %s", job_id, error)
        else:
            self.report(info)

    def _begin_anew(self) -> None:
        """Go on as a new runner, after this one was declared dead and lost its shards."""
        _log.warning("this runner was silent for too long: others have taken its shards")
        self.pool.dismiss()
        self.jobs.clear()
        self.suspects.clear()
        self.runner_id = claims.register(self.cat, self.pool.workers)
        self.heartbeat.runner_id = self.runner_id
        self.heartbeat.lost.clear()


class _Heartbeat(threading.Thread):
    """Thread that renews the heartbeat of a runner, and notices that others took it for dead."""

    def __init__(self, cat: Catalogue, runner_id: int) -> None:
        super().__init__(name="heartbeat of the runner", daemon=True)
        self.cat = cat
        self.runner_id = runner_id
        self.lost = threading.Event()
        self._stopped = threading.Event()

    def run(self) -> None:
        while not self._stopped.wait(BEAT_SECONDS):
            if self.lost.is_set():
                continue
            try:
                with self.cat.begin() as session:
                    alive = claims.beat(session, self.runner_id)
            except DBAPIError:
                continue  # the database may be back in a moment; otherwise writing will fail
            if not alive:
                self.lost.set()

    def stop(self) -> None:
        self._stopped.set()
        if self.is_alive():
            self.join()


@contextlib.contextmanager
def _reachable(cat: Catalogue) -> Iterator[None]:
    try:
        yield
    except DBAPIError as error:
        found = unreachable(cat.engine.url, error)
        if error.connection_invalidated or isinstance(error, (OperationalError, InterfaceError)):
            raise Outage(str(found)) from error
        raise found from error
