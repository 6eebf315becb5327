"""Worker processes of this machine: a function called in them, its results, and their end.

Used by whatever solves or checks without a job; the runner of jobs has Dask, which also has other
machines. The contract: a worker ends with its parent, however that ends, and leaves Ctrl-C to it;
what the function raises is raised by `Future.result`, and so is `LostWorker` for what a worker had
that was killed. Another worker takes its place.

A process that is started anew imports the compiler and loads the kernels once more, which takes as
long as solving some hundred deals. A forked one has all that this process has. But it also has
every lock that another thread holds at that moment, and for ever. So only the command itself is
forked, on Linux, while it has no thread but the one that waits for signals (`may_fork`), and once
all kernels of the solver are loaded: a process that compiles them hears of others in threads.
"""

import gc
import os
import queue
import sys
import threading
import traceback
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import islice
from multiprocessing import connection, get_context, resource_tracker
from multiprocessing.process import BaseProcess
from typing import Any, Generic, Literal, Self, TypeVar

from catalogue.interrupts import begin_worker, is_watched_alone, without_signals
from catalogue.spawning import check_may_start_processes
from engine.errors import BadInput
from engine.kernels import compiling

Item = TypeVar("Item")
Result = TypeVar("Result")

# Longest wait of `Workers.map` before its caller may look at the clock.
WAIT_SECONDS = 0.5
# Of the tracker of resources, which tells of semaphores that it had to remove.
_NO_WARNING = "ignore:resource_tracker:UserWarning"


class LostWorker(BadInput):
    """A worker process has ended in the middle of its work."""


@dataclass(slots=True, eq=False)
class _Worker(Generic[Result]):
    """A process, and the results that it owes, in their order."""

    process: BaseProcess
    pipe: "connection.Connection[Any, Any]"
    owed: deque[Future[Result]] = field(default_factory=deque)


class Workers(Generic[Item, Result]):
    """Processes that call a function of one argument, for one thread of this process.

    Args:
        count: number of processes, which are started when they are needed.
        function: what they call; pickled, unless they are forked.
        per_process: items that a process has at most. With two it need not wait for the second; but
            that waits for the first, and is lost with it.
        fork: whether to fork all of them now; see `may_fork`.

    Raises:
        BadInput: this script cannot start processes.
    """

    def __init__(
        self,
        count: int,
        function: Callable[[Item], Result],
        *,
        per_process: int = 1,
        fork: bool = False,
    ) -> None:
        if count:
            check_may_start_processes()
        self._count = count
        self._function = function
        self._per_process = per_process
        self._workers: list[_Worker[Result]] = []
        # Never closed: a thread may call `wake` after the end.
        self._woken, self._waker = get_context("spawn").Pipe(duplex=False)
        for _ in range(count if fork else 0):
            self._start("fork")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        """End the processes, whatever they are doing: a deal may take hours."""
        for worker in self._workers:
            worker.process.kill()
        for worker in self._workers:
            worker.process.join()
            worker.pipe.close()
        self._workers.clear()

    @property
    def has_room(self) -> bool:
        """Whether a process has room for another item."""
        return sum(len(worker.owed) for worker in self._workers) < self._count * self._per_process

    @property
    def is_idle(self) -> bool:
        """Whether a process has nothing to do."""
        return sum(bool(worker.owed) for worker in self._workers) < self._count

    def submit(self, item: Item) -> Future[Result]:
        """Give an item to the process that has least to do; its result comes with `wait`."""
        worker = min(self._workers, key=lambda each: len(each.owed), default=None)
        if worker is None or (worker.owed and len(self._workers) < self._count):
            worker = self._start("spawn")
        result = Future[Result]()
        worker.owed.append(result)
        with suppress(OSError):  # its end is noticed when it should answer
            worker.pipe.send(item)
        return result

    def wait(self, seconds: float | None = None) -> None:
        """Take results, for which it waits a time at most; it is ended by `wake`, too."""
        workers: dict[Any, _Worker[Result]] = {each.pipe: each for each in self._workers}
        for ready in connection.wait([*workers, self._woken], seconds):
            if ready is not self._woken:
                self._take(workers[ready])
            while self._woken.poll():
                self._woken.recv_bytes()

    def wake(self) -> None:
        """Have `wait` return, or the next one; any thread may."""
        self._waker.send_bytes(b".")

    def map(
        self, items: Iterable[Item], *, ahead: int, on_wait: Callable[[], None] = lambda: None
    ) -> Iterator[tuple[Item, Future[Result]]]:
        """Yield each item with its result, in their order.

        Args:
            items: taken when there is room for them.
            ahead: most items that may be done or being done at a time: some wait for one before.
            on_wait: called every `WAIT_SECONDS` while the next result is waited for.
        """
        coming, running = iter(items), deque[tuple[Item, Future[Result]]]()
        while True:
            while self.has_room and len(running) < ahead and (some := [*islice(coming, 1)]):
                running.extend((item, self.submit(item)) for item in some)
            if not running:
                return
            if running[0][1].done():
                self.wait(0)  # no process is to wait until all that are done have been used
                yield running.popleft()
            else:
                self.wait(WAIT_SECONDS)
                on_wait()

    def _take(self, worker: _Worker[Result]) -> None:
        """Take a result of a worker, or note that it has ended."""
        try:
            is_result, found = worker.pipe.recv()
        except (EOFError, OSError):
            worker.process.join()
            worker.pipe.close()
            self._workers.remove(worker)
            code = worker.process.exitcode
            error = LostWorker(f"a worker process ended with code {code} in the middle of its work")
            for result in worker.owed:
                result.set_exception(error)
            return
        result = worker.owed.popleft()
        if is_result:
            result.set_result(found)
        else:
            result.set_exception(found)

    def _start(self, way: Literal["fork", "spawn"]) -> _Worker[Result]:
        context: Any = get_context(way)
        ours, theirs = context.Pipe()
        process = context.Process(target=_serve, args=(theirs, self._function), daemon=True)
        if way == "spawn":
            start_tracker()
        # Until a process has its own ways with signals, it would take them for its parent.
        with without_signals():
            process.start()
        theirs.close()
        self._workers.append(_Worker(process, ours))
        return self._workers[-1]


def may_fork() -> bool:
    """Whether this process may be forked, if all that its workers need is loaded."""
    return sys.platform == "linux" and is_watched_alone()


def start_tracker() -> None:
    """Start the process that removes the semaphores of a process that was killed.

    It is started without a warning, which would be all that is left on the terminal; and now, since
    it would be started with the first other process and unblock the signals in its thread.
    """
    if os.name != "posix":
        return  # there is none on Windows
    sys.warnoptions.append(_NO_WARNING)  # which it inherits
    try:
        resource_tracker.ensure_running()
    finally:
        sys.warnoptions.remove(_NO_WARNING)


def _serve(pipe: "connection.Connection[Any, Any]", function: Callable[[Any], Any]) -> None:
    """Call a function of each item that comes, for ever: the parent ends this process."""
    begin_worker()
    # What is to be compiled is compiled here, also in a process that was forked.
    compiling.by_itself()
    # Looking for garbage among what is shared with the parent would copy it.
    gc.freeze()
    items: queue.SimpleQueue[Any] = queue.SimpleQueue()
    # The parent never waits for this process to take an item, which may wait for it meanwhile.
    threading.Thread(target=_receive, args=(pipe, items), daemon=True).start()
    with suppress(OSError):
        while True:
            item = items.get()
            try:
                answer = True, function(item)
            except Exception as error:
                error.add_note(traceback.format_exc())
                answer = False, error
            pipe.send(answer)


def _receive(pipe: "connection.Connection[Any, Any]", items: "queue.SimpleQueue[Any]") -> None:
    with suppress(EOFError, OSError):
        while True:
            items.put(pipe.recv())
