"""The Dask workers of a runner: starting them, sending pieces of work, collecting results."""

import contextlib
import logging
import queue
import signal
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from multiprocessing import resource_tracker
from types import TracebackType
from typing import Any, Self

from catalogue.jobs.piece import warm_up
from catalogue.jobs.task import JobFailure, Piece, Task
from catalogue.outcomes.chunk import UnprovedWin
from engine.errors import BadInput

# Pieces in flight per worker: one being solved, one waiting there, one in transit.
PER_WORKER = 3
# Deals per transaction when results arrive faster than they can be written.
MAX_BATCH = 10_000
CONNECT_SECONDS = 10
# Longest wait before checking whether to stop.
WAIT_SECONDS = 0.2
_LOST = "the connection to the Dask scheduler was lost while a job was running"


class SchedulerLost(BadInput):
    """The Dask scheduler was lost during a job, which is no fault of the job."""


class WorkerPool:
    """The Dask workers of a runner, started when first needed and kept from job to job."""

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
    def workers_for(self, task: Task, unwanted: Callable[[], bool]) -> Iterator["JobWorkers"]:
        """Prepare the workers for a job; at the end, pieces still in flight are cancelled.

        Preparation may take long; it stops early, leaving them unprepared, if `unwanted` becomes
        true.
        """
        client = self.start()
        self._warm_up(client, task, unwanted)
        workers = JobWorkers(client, task)
        try:
            yield workers
        finally:
            workers.cancel()

    def dismiss(self) -> None:
        """Stop pieces of work that are no longer wanted.

        A running piece cannot be interrupted, so our own workers end; the next job gets new ones.
        """
        if self.scheduler is None:
            self._close()

    def start(self) -> Any:
        """The client of the workers, which are started if necessary."""
        if self._client is None:
            # Imported here, because the command line should not wait for it without a job.
            from distributed import Client, LocalCluster
            from distributed.comm.addressing import resolve_address

            if self.scheduler is not None:
                self._loudness = logging.getLogger("distributed").level
                logging.getLogger("distributed").setLevel(logging.CRITICAL)
                try:
                    # A client that fails because of its address takes long to close.
                    resolve_address(self.scheduler)
                    self._client = Client(  # type: ignore[no-untyped-call]
                        self.scheduler, timeout=CONNECT_SECONDS, set_as_default=False
                    )
                except (OSError, ValueError, TypeError) as error:
                    raise BadInput(
                        f"the Dask scheduler at {self.scheduler} cannot be reached: {error}"
                    ) from None
            else:
                with _without_interrupts():
                    self._cluster = LocalCluster(  # type: ignore[no-untyped-call]
                        n_workers=self.workers,
                        threads_per_worker=1,
                        processes=True,
                        host="127.0.0.1",
                        # Not None, which means port 8787, and a warning if that is in use.
                        dashboard_address="127.0.0.1:0",
                        silence_logs=logging.CRITICAL,
                        # Solvers limit their own memory; Dask would only pause or kill them.
                        memory_limit=0,
                    )
                self._client = Client(  # type: ignore[no-untyped-call]
                    self._cluster, set_as_default=False
                )
        return self._client

    def _warm_up(self, client: Any, task: Task, unwanted: Callable[[], bool]) -> None:
        ruleset = task.spec.ruleset
        cold = [s for s in task.spec.solvers if (ruleset, s.method) not in self._warm]
        if not cold:
            return
        future = client.submit(warm_up, ruleset, [s.name for s in cold], pure=False)
        ready = threading.Event()
        future.add_done_callback(lambda _future: ready.set())
        while not ready.wait(WAIT_SECONDS):
            if unwanted():
                return
        _result(future, f"preparing {', '.join(s.name for s in cold)}")
        self._warm.update((ruleset, s.method) for s in cold)

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
class JobWorkers:
    """The workers during one job."""

    client: Any
    task: Task
    in_flight: dict[Any, Piece] = field(default_factory=dict)
    _arrived: "queue.SimpleQueue[Any]" = field(default_factory=queue.SimpleQueue)

    @property
    def size(self) -> int:
        """Number of solving threads, at least 1, since a scheduler's workers may join later."""
        try:
            threads: int = sum(self.client.nthreads().values())
        except OSError:
            raise SchedulerLost(_LOST) from None
        return max(1, threads)

    def fill(self, pieces: Iterator[Piece]) -> int:
        """Submit pieces until enough are in flight, and return their number."""
        room = PER_WORKER * self.size - len(self.in_flight)
        sent = 0
        while sent < room and (piece := next(pieces, None)) is not None:
            future = self.client.submit(piece.work, *piece.arguments, pure=False)
            self.in_flight[future] = piece
            future.add_done_callback(self._arrived.put)
            sent += 1
        return sent

    def collect(self) -> list[Any]:
        """The results that have arrived, after a short wait for the first.

        Raises:
            JobFailure: one of them failed, or its worker died more often than Dask allows.
        """
        results: list[Any] = []
        deals = 0
        try:
            future = self._arrived.get(timeout=WAIT_SECONDS)
            while True:
                piece = self.in_flight.pop(future)
                results.append(_result(future, piece.name))
                deals += piece.deals
                if deals >= MAX_BATCH:
                    break
                future = self._arrived.get_nowait()
        except queue.Empty:
            pass
        return results

    def cancel(self) -> None:
        self.client.cancel(list(self.in_flight))
        self.in_flight.clear()


def _result(future: Any, what: str) -> Any:
    """The result of a worker; its exceptions become those of this module."""
    from distributed import CancelledError, KilledWorker

    try:
        return future.result()
    except (UnprovedWin, BadInput) as error:
        raise JobFailure(str(error)) from None
    except KilledWorker:
        raise JobFailure(f"{what}: the worker died repeatedly") from None
    except CancelledError:
        # Nothing here cancels a piece that is still waited for.
        raise SchedulerLost(_LOST) from None
    except Exception as error:
        raise JobFailure(f"{what}: {type(error).__name__}: {error}") from error


@contextlib.contextmanager
def _without_interrupts() -> Iterator[None]:
    """Block Ctrl-C in processes started within the block, or by threads started within it.

    A terminal sends the signal to all of them at once, but the runner decides when they end.
    """
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    # Otherwise it would be started with the first process and unblock the signal in its thread.
    resource_tracker.ensure_running()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
