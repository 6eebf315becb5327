"""Processes that check shards, each with its own connection to the catalogue."""

import contextlib
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from multiprocessing import connection, get_context
from typing import Any

from catalogue.spawning import check_may_start_processes
from catalogue.store import open_catalogue
from catalogue.verify.checking import check_shard, failed
from catalogue.verify.context import ChosenDeal, Context, Findings, Options
from catalogue.verify.shards import CheckShard

# Shards that may be done before an earlier one is: their findings wait.
_AHEAD = 1_000


@dataclass(slots=True, eq=False)
class _CheckedShard:
    """A shard, and the findings in it once it is checked."""

    shard: CheckShard
    found: Findings | None = None


@dataclass(slots=True)
class _Worker:
    process: Any
    pipe: Any
    given: _CheckedShard | None = None


class Workers:
    """Processes that check shards.

    Args:
        context: of this process.
        count: number of processes; 0 to check in this one.
    """

    def __init__(self, context: Context, count: int) -> None:
        if count:
            check_may_start_processes()
        self.count = count
        self._context = context
        self._workers: list[_Worker] = []

    def checked(
        self, shards: Iterator[CheckShard], seconds: float
    ) -> Iterator[tuple[CheckShard, Findings] | None]:
        """The findings in shards, in their order; None where the next take longer than a time.

        A shard that needs the sums of those before it is checked here when they are done.
        """
        queue: deque[_CheckedShard] = deque()
        more = True
        while more or queue:
            while more and (not queue or (self._free and len(queue) < _AHEAD)):
                shard = next(shards, None)
                if shard is None:
                    more = False
                    break
                queue.append(_CheckedShard(shard))
                if self.count and not shard.needs_sums:
                    self._give(queue[-1])
            if not queue:
                return
            first = queue[0]
            if first.found is None and (not self.count or first.shard.needs_sums):
                first.found = check_shard(self._context, first.shard)
            if first.found is None:
                self._collect(seconds)
            if first.found is None:
                yield None
            else:
                queue.popleft()
                yield first.shard, first.found

    @property
    def _free(self) -> bool:
        busy = sum(worker.given is not None for worker in self._workers)
        return busy < self.count

    def _give(self, given: _CheckedShard) -> None:
        worker = next((each for each in self._workers if each.given is None), None) or self._start()
        worker.given = given
        with contextlib.suppress(ConnectionError):  # its end is noticed when it should answer
            worker.pipe.send(given.shard)

    def _collect(self, seconds: float) -> None:
        """Take the findings that come within a time."""
        busy = {worker.pipe: worker for worker in self._workers if worker.given is not None}
        for pipe in connection.wait(list(busy), seconds):
            worker = busy[pipe]
            assert worker.given is not None
            try:
                answer = worker.pipe.recv()
            except (EOFError, ConnectionError):
                worker.process.join()
                self._workers.remove(worker)
                reason = f"the process that checked it ended with code {worker.process.exitcode}"
                answer = failed(self._context, worker.given.shard, reason)
            if isinstance(answer, BaseException):
                raise answer
            worker.given.found, worker.given = answer, None

    def stop(self) -> None:
        """End the processes, whatever they are doing."""
        for worker in self._workers:
            worker.process.kill()
        for worker in self._workers:
            worker.process.join()
            worker.pipe.close()
        self._workers.clear()

    def _start(self) -> _Worker:
        # Spawned, not forked: a fork would copy the state of threads started by the compiler.
        spawn = get_context("spawn")
        ours, theirs = spawn.Pipe()
        context = self._context
        url = context.cat.engine.url.render_as_string(hide_password=False)
        arguments = (theirs, url, context.options, context.asked)
        process = spawn.Process(target=_work, args=arguments, daemon=True)
        process.start()
        theirs.close()
        self._workers.append(_Worker(process, ours))
        return self._workers[-1]


def _work(pipe: Any, url: str, options: Options, asked: ChosenDeal | None) -> None:
    """Check shards until the other end is closed."""
    import signal

    # Ctrl-C reaches every process of the terminal; the parent decides when its workers end.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with contextlib.suppress(EOFError, ConnectionError), open_catalogue(url) as cat:
        context = Context(cat, options, asked)
        while True:
            shard = pipe.recv()
            try:
                answer: Any = check_shard(context, shard)
            except Exception as error:
                answer = error
            pipe.send(answer)
