"""Lanes: threads that search, apart from those of longer searches, and few that wait for them.

Kernels run without the interpreter's lock, so a lane of several threads uses as many cores. What
finds no place in a lane, or waits too long for a thread, is refused at once: a queue that grows
would answer nobody in time.
"""

import asyncio
import os
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import TypeVar

from dashboard.http_api.problems import Problem

T = TypeVar("T")

# Lower priority on the system's scale, on which 19 is the lowest.
_BEHIND = 10


class Lane:
    """Threads with a short queue.

    Args:
        name: of its threads.
        threads: how many work at once.
        waiting: how many may wait for them.
        patience: seconds that they wait.
        behind: whether its threads let those of other lanes go first.
    """

    def __init__(
        self, name: str, threads: int, waiting: int, patience: float, behind: bool = False
    ) -> None:
        self.name = name
        self.threads = threads
        self.patience = patience
        self._pool = ThreadPoolExecutor(
            threads, thread_name_prefix=name, initializer=_let_others_go_first if behind else None
        )
        self._places = threading.Semaphore(threads + waiting)

    async def do(self, work: Callable[[], T]) -> T:
        """Have a work done, and wait for it without holding up the event loop.

        Raises:
            Problem: there is no place, or no thread in time.
        """
        if not self._places.acquire(blocking=False):
            raise self._busy()
        doing = self._pool.submit(work)
        # Not when whoever asked is gone: the thread goes on until it has the answer.
        doing.add_done_callback(lambda _: self._places.release())
        # Only what no thread has begun can still be cancelled.
        given_up = asyncio.get_running_loop().call_later(self.patience, doing.cancel)
        try:
            return await asyncio.wrap_future(doing)
        except asyncio.CancelledError:
            task = asyncio.current_task()
            if doing.cancelled() and not (task and task.cancelling()):
                raise self._busy() from None
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

    def _busy(self) -> Problem:
        return Problem(
            503, "the server has as many searches as it can do: ask again in a second", 1
        )


def _let_others_go_first() -> None:
    # Linux has priorities of threads; elsewhere this would be the priority of the whole process.
    if hasattr(os, "setpriority") and os.uname().sysname == "Linux":
        with suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), _BEHIND)
