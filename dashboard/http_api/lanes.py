"""Lanes: threads that search, apart from those of longer searches, and few that wait for them.

Kernels run without the interpreter's lock, so a lane of several threads uses as many cores. What
finds no place in a lane, or waits too long for a thread, is refused at once: a queue that grows
would answer nobody in time.
"""

import asyncio
import os
import sys
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from typing import TypeVar

from dashboard.http_api.problems import busy

T = TypeVar("T")


class Lane:
    """Threads with a short queue.

    Args:
        name: of its threads.
        threads: how many work at once.
        waiting: how many may wait for them.
        patience: seconds that they wait.
        nice: how far the threads stand behind others of the system, 0 to 19; the event loop goes
            first, so that refusals come in time.
    """

    def __init__(self, name: str, threads: int, waiting: int, patience: float, nice: int) -> None:
        self.name = name
        self.threads = threads
        self.patience = patience
        self._pool = ThreadPoolExecutor(
            threads, thread_name_prefix=name, initializer=partial(_step_back, nice)
        )
        self._places = threading.Semaphore(threads + waiting)

    def begin(self, work: Callable[[], T]) -> Future[T]:
        """Have a work done.

        Raises:
            Problem: there is no place.
        """
        if not self._places.acquire(blocking=False):
            raise busy()
        doing = self._pool.submit(work)
        # Not when the client is gone: the thread goes on until it has the answer.
        doing.add_done_callback(lambda _: self._places.release())
        return doing

    async def do(self, work: Callable[[], T]) -> T:
        """Have a work done, and wait for it without holding up the event loop.

        Raises:
            Problem: there is no place, or no thread in time.
        """
        doing = self.begin(work)
        # Only what no thread has begun can still be cancelled.
        given_up = asyncio.get_running_loop().call_later(self.patience, doing.cancel)
        try:
            return await asyncio.wrap_future(doing)
        except asyncio.CancelledError:
            task = asyncio.current_task()
            if doing.cancelled() and not (task and task.cancelling()):
                raise busy() from None
            raise
        finally:
            given_up.cancel()

    def warm_up(self, work: Callable[[], object]) -> None:
        """Have each thread do a work, so that none does it for the first time later."""
        meeting = threading.Barrier(self.threads)

        def together() -> None:
            meeting.wait()
            work()

        for doing in [self._pool.submit(together) for _ in range(self.threads)]:
            doing.result()


def _step_back(nice: int) -> None:
    # Linux has priorities of threads; elsewhere this would be the priority of the whole process.
    if sys.platform == "linux":
        with suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), nice)
