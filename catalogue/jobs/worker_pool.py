"""The Dask workers of a runner: starting them, sending shards of work, collecting results."""

import asyncio
import contextlib
import logging
import os
import queue
import signal
import time
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self

from catalogue.interrupts import without_signals
from catalogue.jobs.claims import Claimed
from catalogue.jobs.shard import OtherVersion, SolvedShard, run, warm_up
from catalogue.jobs.task import JobFailure, JobSpec, ShardWork
from catalogue.outcomes.chunk import UnprovedWin
from catalogue.outcomes.provenance import this_provenance
from catalogue.processes import start_tracker
from catalogue.spawning import check_may_start_processes
from engine.errors import BadInput

# Shards in flight per worker: one being solved, one waiting there, one in transit.
PER_WORKER = 3
CONNECT_SECONDS = 10
CLOSE_SECONDS = 0.2
# Longest wait before checking whether to stop.
WAIT_SECONDS = 0.2
# Longest wait for more results to be stored with the first one.
GATHER_SECONDS = 0.25
# Longest wait for a result to come over; one whose worker died meanwhile is made again.
FETCH_SECONDS = 10.0
# Dask watches what a worker runs and how long its own loops take, up to a hundred times a second,
# which solvers pay for.
_UNWATCHED = {
    "distributed.worker.profile.enabled": False,
    "distributed.admin.tick.interval": "1s",
    "distributed.admin.system-monitor.interval": "10s",
    "distributed.scheduler.active-memory-manager.start": False,
}
_LOST = "the connection to the Dask scheduler was lost"
# Loggers of Dask with levels of their own, which report in tracebacks what a runner says itself.
_LOUD = ("distributed", "distributed.client")
# A worker that is killed while it starts fails all of them.
_TRIES_TO_START = 3
_PAUSE_SECONDS = 1.0


class Outage(BadInput):
    """The workers, scheduler or database of a runner is gone, which is no fault of its jobs."""


@dataclass(slots=True, eq=False)
class InFlight:
    """A shard that the workers have.

    Attributes:
        shard: the shard.
        work: what is done of it.
        limit: seconds after which a worker that solves it is given up.
        worker: address of the worker that solves it; None if none has begun.
        began: when that worker began.
    """

    shard: Claimed
    work: ShardWork
    limit: float
    worker: str | None = None
    began: float | None = None


@dataclass(frozen=True, slots=True)
class Arrived:
    """The end of a shard: a result, or the reason why there is none.

    Attributes:
        sent: the shard.
        solved: the result, if there is one.
        error: otherwise the reason, a sentence.
        died: whether its workers died, perhaps of another shard that they had.
        hung: whether its worker was given up.
        refused: whether the worker is of another version, so that the shard is as it was.
    """

    sent: InFlight
    solved: SolvedShard | None = None
    error: str = ""
    died: bool = False
    hung: bool = False
    refused: bool = False


class WorkerPool:
    """The Dask workers of a runner, started when first needed and kept from job to job."""

    def __init__(self, workers: int, scheduler: str | None) -> None:
        self.workers = workers
        self.scheduler = scheduler
        self.in_flight: dict[Any, InFlight] = {}
        self._cluster: Any = None
        self._client: Any = None
        self._connection: Any = None
        self._warm: set[tuple[str, str]] = set()
        self._warming: dict[tuple[str, tuple[str, ...]], Any] = {}
        self._loudness: dict[logging.Logger, int] = {}
        self._arrived: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self._begun: queue.SimpleQueue[tuple[int, str, float]] = queue.SimpleQueue()
        self._topic = f"thoughtful-{uuid.uuid4().hex}"
        self._banned: set[str] = set()
        self._failed_starts: list[Exception] = []
        self._starting: asyncio.Task[None] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    @property
    def busy(self) -> bool:
        """Whether something was asked of the workers that has not come yet."""
        return bool(self.in_flight or self._warming)

    @property
    def size(self) -> int:
        """Number of solving threads, at least 1, since a scheduler's workers may join later.

        Raises:
            BadInput: this script cannot start processes.
            Outage: the workers cannot be started or reached, or all of them have another version of
                the program.
        """
        client = self.start()
        with _while_connected():
            threads: dict[str, int] = client.nthreads()
        able = [count for address, count in threads.items() if address not in self._banned]
        if threads and not able:
            raise Outage(
                f"none of the workers of {self.scheduler or 'this machine'} can be used: they have "
                "another version of the program or of a solver than this runner"
            )
        return max(1, sum(able))

    def ready(self, spec: JobSpec) -> bool:
        """Whether the workers are prepared for a job; if not, their preparation is under way.

        Raises:
            JobFailure: they cannot be prepared.
        """
        names = tuple(s.name for s in spec.solvers if (spec.ruleset, s.method) not in self._warm)
        if not names:
            return True
        key = (spec.ruleset, names)
        if key not in self._warming:
            client = self.start()
            with _while_connected():
                self._warming[key] = client.submit(warm_up, *key, pure=False)
            return False
        future = self._warming[key]
        if not future.done():
            return False
        try:
            found = self._read(future, f"preparing {', '.join(names)}", None)
        except TimeoutError:
            self._replace_workers()
            return False
        del self._warming[key]
        if isinstance(found, Arrived):
            raise JobFailure(found.error)
        self._warm.update((spec.ruleset, s.method) for s in spec.solvers)
        return True

    def send(self, shard: Claimed, work: ShardWork, limit: float) -> None:
        """Have a worker do the work of a shard, for a number of seconds at most."""
        options: dict[str, Any] = {}
        with _while_connected():
            if self._banned:
                workers = self._client.nthreads()
                options["workers"] = [each for each in workers if each not in self._banned]
            future = self._client.submit(
                run,
                this_provenance().program,
                self._topic,
                shard.id,
                work.function,
                work.arguments,
                pure=False,
                **options,
            )
        self.in_flight[future] = InFlight(shard, work, limit)
        future.add_done_callback(self._arrived.put)

    def collect(self, most: int, fewest: int) -> list[Arrived]:
        """The results that have arrived, after a short wait for the first and for what follows it.

        A transaction costs as much as a hundred outcomes in it, so small shards are gathered.

        Args:
            most: number of deals from which nothing more is waited for.
            fewest: number of shards that must be in flight for the workers to have enough to do
                meanwhile.

        Raises:
            Outage: the connection to the scheduler was lost, or all workers.
        """
        found: list[Arrived] = []
        deals = 0
        with contextlib.suppress(queue.Empty):
            future = self._arrived.get(timeout=WAIT_SECONDS)
            until = time.monotonic() + GATHER_SECONDS
            while True:
                self._note_begun()
                sent = self.in_flight.pop(future, None)
                if sent is not None:
                    arrived = self._fetch(future, sent)
                    if arrived is None:
                        break
                    found.append(arrived)
                    deals += sent.work.deals
                if deals >= most:
                    break
                left = until - time.monotonic() if len(self.in_flight) >= fewest else 0
                future = self._arrived.get(timeout=left) if left > 0 else self._arrived.get_nowait()
        self._note_begun()
        if not found:
            self._replace_workers()
        return found + self._overdue()

    def _fetch(self, future: Any, sent: InFlight) -> Arrived | None:
        """The end of a shard; None if it is made again, since its worker died with the result."""
        try:
            found = self._read(future, sent.work.name, sent)
        except TimeoutError:
            self.in_flight[future] = sent
            future.add_done_callback(self._arrived.put)
            return None
        return found if isinstance(found, Arrived) else Arrived(sent, found)

    def _replace_workers(self) -> None:
        """Have workers started in place of those that Dask has given up.

        It starts a worker again that died, but gives it up if that takes long.

        Raises:
            Outage: there is no worker left, and none can be started.
        """
        if self._cluster is None:
            return
        if self._client.nthreads():
            self._failed_starts.clear()
        elif len(self._failed_starts) >= _TRIES_TO_START:
            raise _not_started(self._failed_starts[-1])
        self._cluster.sync(self._replace_ended, self._cluster)

    async def _replace_ended(self, cluster: Any) -> None:
        """Have as many workers as wanted, with new ones under new names for those that have ended.

        Under the name of one that ended, the scheduler refuses a worker as long as it knows the old
        one, which its nanny may be starting again; and a worker that could not start stays listed.
        """
        from distributed.core import Status

        if self._starting:
            return  # they are not listed before they have started
        for name, nanny in list(cluster.workers.items()):
            if nanny.status in (Status.closed, Status.failed):
                del cluster.workers[name]
        lost = set(cluster.worker_spec) - set(cluster.workers)
        for name in lost:
            del cluster.worker_spec[name]
        for _ in range(self.workers - len(cluster.worker_spec)):
            cluster.worker_spec[f"worker-{uuid.uuid4().hex}"] = cluster.new_spec
        if lost:
            self._starting = asyncio.create_task(self._start_missing(cluster))

    async def _start_missing(self, cluster: Any) -> None:
        try:
            await cluster
        except Exception as error:
            self._failed_starts.append(error)
        finally:
            self._starting = None

    def cancel(self, sent: list[InFlight]) -> None:
        """Forget shards that are in flight."""
        futures = [future for future, each in self.in_flight.items() if each in sent]
        for future in futures:
            del self.in_flight[future]
        if futures and self._client is not None:
            with _while_connected():
                self._client.cancel(futures)

    def stop_preparing(self) -> None:
        """Forget preparations under way, for jobs that are not wanted any more."""
        if self._warming:
            with _while_connected():
                self._client.cancel(list(self._warming.values()))
            self._warming.clear()

    def dismiss(self) -> None:
        """Stop the shards of work that are running.

        A running shard cannot be interrupted, so our own workers end; the next job gets new ones.
        """
        self.cancel(list(self.in_flight.values()))
        if self.scheduler is None:
            self.close()

    def start(self) -> Any:
        """The client of the workers, which are started if necessary.

        Raises:
            BadInput: this script cannot start processes.
            Outage: the scheduler cannot be reached, its connection was lost meanwhile, or the
                workers cannot be started.
        """
        if self._client is None:
            # Imported here, because the command line should not wait for it without a job.
            import distributed  # noqa: F401  # which sets the levels that are restored

            for logger in map(logging.getLogger, _LOUD):
                self._loudness.setdefault(logger, logger.level)
                logger.setLevel(logging.CRITICAL)
            try:
                address = self.scheduler
                self._client = self._own_client() if address is None else self._connected(address)
            except BaseException:
                self._restore_loudness()
                raise
            self._client.subscribe_topic(self._topic, self._hear)
            self._connection = self._client.scheduler_comm
        elif self._client.scheduler_comm is not self._connection:
            # Dask connects again by itself for a while, but without its subscription.
            raise Outage(_LOST)
        return self._client

    def _connected(self, address: str) -> Any:
        """A client of a scheduler."""
        from distributed import Client
        from distributed.comm.addressing import resolve_address

        try:
            # A client that fails because of its address takes long to close.
            resolve_address(address)
            return Client(  # type: ignore[no-untyped-call]
                address, timeout=CONNECT_SECONDS, set_as_default=False
            )
        except (OSError, ValueError, TypeError) as error:
            raise Outage(f"the Dask scheduler at {address} cannot be reached: {error}") from None

    def _own_client(self) -> Any:
        """A client of workers of this machine, which are started."""
        from distributed import Client

        check_may_start_processes()
        start_tracker()
        self._cluster = self._started_cluster()
        try:
            return Client(self._cluster, set_as_default=False)  # type: ignore[no-untyped-call]
        except OSError as error:
            self.close()
            raise _not_started(error) from error

    def _started_cluster(self) -> Any:
        """Workers of this machine, for which it tries more than once.

        Raises:
            Outage: they cannot be started.
        """
        import dask
        from distributed import LocalCluster

        for tries_left in reversed(range(_TRIES_TO_START)):
            try:
                with without_signals(), dask.config.set(_UNWATCHED):
                    return LocalCluster(  # type: ignore[no-untyped-call]
                        n_workers=self.workers,
                        threads_per_worker=1,
                        processes=True,
                        host="127.0.0.1",
                        # Not None, which means port 8787, and a warning if that is in use.
                        dashboard_address="127.0.0.1:0",
                        silence_logs=logging.CRITICAL,
                        # Solvers limit their own memory; Dask would only pause or kill them.
                        memory_limit=0,
                        preload=["catalogue.logs"],
                    )
            except (RuntimeError, OSError, TimeoutError) as error:
                if not tries_left:
                    raise _not_started(error) from error
            time.sleep(_PAUSE_SECONDS)
        raise AssertionError("neither started nor failed")

    def close(self) -> None:
        """End our own workers, or leave those of the scheduler."""
        client, cluster = self._client, self._cluster
        self._client = self._cluster = None
        self._warm.clear()
        self._warming.clear()
        self._failed_starts.clear()
        self._starting = None
        self.in_flight.clear()
        if client is not None:
            client.close()
        if cluster is not None:
            cluster.sync(_end_workers, list(cluster.workers.values()))
            cluster.close()
        self._restore_loudness()

    def _restore_loudness(self) -> None:
        for logger, level in self._loudness.items():
            logger.setLevel(level)
        self._loudness.clear()

    def _hear(self, event: tuple[float, dict[str, Any]]) -> None:
        """A worker begins a shard; called in the client's thread."""
        _, report = event
        self._begun.put((report["shard"], report["worker"], time.monotonic()))

    def _note_begun(self) -> None:
        with contextlib.suppress(queue.Empty):
            while True:
                shard_id, worker, now = self._begun.get_nowait()
                for each in self.in_flight.values():
                    if each.shard.id == shard_id:
                        each.worker, each.began = worker, now

    def _overdue(self) -> list[Arrived]:
        """Give up the shards that took too long; our own workers that hang are ended."""
        now = time.monotonic()
        late = [
            each
            for each in self.in_flight.values()
            if each.began is not None and now - each.began > each.limit
        ]
        if not late:
            return []
        self.cancel(late)
        self._end_hanging({each.worker for each in late if each.worker})
        return [
            Arrived(each, error=f"{each.work.name}: no end after {each.limit:,.0f} s", hung=True)
            for each in late
        ]

    def _end_hanging(self, addresses: set[str]) -> None:
        """End workers that hang; Dask starts new ones in their place."""
        if self._cluster is not None:
            for nanny in list(self._cluster.workers.values()):
                process = getattr(nanny, "process", None)
                if nanny.worker_address in addresses and process is not None:
                    with contextlib.suppress(OSError):
                        # Asked to end, it would not hear; and Dask would give its place up.
                        os.kill(process.pid, signal.SIGKILL)
            return
        with contextlib.suppress(Exception):
            self._client.restart_workers(
                sorted(addresses), timeout=CONNECT_SECONDS, raise_for_error=False
            )

    def _read(self, future: Any, what: str, sent: Any) -> Any:
        """The result of a worker, or how it failed.

        Raises:
            TimeoutError: it does not come over.
        """
        from distributed import CancelledError, KilledWorker

        try:
            return future.result(timeout=FETCH_SECONDS)
        except OtherVersion as error:
            if error.worker:
                self._banned.add(error.worker)
            return Arrived(sent, error=str(error), refused=True)
        except TimeoutError as error:
            if future.status == "error":
                return Arrived(sent, error=f"{what}: {type(error).__name__}: {error}")
            raise
        except KilledWorker:
            return Arrived(sent, error=f"{what}: the worker died repeatedly", died=True)
        except CancelledError:
            # Nothing here cancels a shard that is still waited for.
            raise Outage(_LOST) from None
        except (UnprovedWin, BadInput) as error:
            return Arrived(sent, error=str(error))
        except Exception as error:
            return Arrived(sent, error=f"{what}: {type(error).__name__}: {error}")


@contextlib.contextmanager
def _while_connected() -> Iterator[None]:
    """Tell a connection that is lost, for which Dask has several errors.

    Raises:
        Outage: it is.
    """
    from distributed.client import ClosedClientError

    try:
        yield
    except (OSError, RuntimeError, ClosedClientError):
        raise Outage(_LOST) from None


def _not_started(error: Exception) -> Outage:
    reason = str(error).partition("\n")[0].rstrip(".")
    return Outage(f"the workers of this machine cannot be started: {reason}")


async def _end_workers(nannies: list[Any]) -> None:
    """End worker processes; Dask itself waits 4 s for one that is in the middle of a shard."""
    # Closed and not killed, since a nanny starts a worker again that ends before it.
    await asyncio.gather(
        *(nanny.close(timeout=CLOSE_SECONDS) for nanny in nannies), return_exceptions=True
    )
