"""Processes that check pieces, each with its own connection to the catalogue."""

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass
from multiprocessing import connection, get_context
from typing import Any

from catalogue.spawning import check_may_start_processes
from catalogue.store import Catalogue, open_catalogue
from catalogue.verify.checking import check_piece, failed
from catalogue.verify.context import Asked, Context, Findings, Options
from catalogue.verify.pieces import CheckPiece


@dataclass(slots=True)
class _Worker:
    process: Any
    pipe: Any
    piece: tuple[int, CheckPiece] | None = None


class Workers:
    """Processes that check pieces; without any, pieces are checked where they are given.

    Args:
        cat: the catalogue.
        context: of this process.
        count: number of processes; 0 for none.
    """

    def __init__(self, cat: Catalogue, context: Context, count: int) -> None:
        if count:
            check_may_start_processes()
        self.count = count
        self._context = context
        self._url = cat.engine.url.render_as_string(hide_password=False)
        # Spawned, not forked: a fork would copy the state of threads started by the compiler.
        self._spawn = get_context("spawn")
        self._workers: list[_Worker] = []
        self._done: list[tuple[int, Findings]] = []

    @property
    def free(self) -> bool:
        """Whether another piece can be given now."""
        if not self.count:
            return not self._done
        return len(self._workers) < self.count or any(w.piece is None for w in self._workers)

    def give(self, number: int, piece: CheckPiece) -> None:
        """Have a piece checked."""
        if not self.count:
            self._done.append((number, check_piece(self._context, piece)))
            return
        worker = next((each for each in self._workers if each.piece is None), None) or self._start()
        worker.piece = (number, piece)
        worker.pipe.send(piece)

    def results(self, seconds: float) -> Iterator[tuple[int, Findings]]:
        """The findings in pieces that have been checked, as far as any are within a time."""
        found, self._done = self._done, []
        yield from found
        busy = {worker.pipe: worker for worker in self._workers if worker.piece is not None}
        for pipe in connection.wait(list(busy), seconds) if busy else []:
            worker = busy[pipe]
            assert worker.piece is not None
            number, piece = worker.piece
            worker.piece = None
            try:
                answer = worker.pipe.recv()
            except (EOFError, ConnectionError):
                worker.process.join()
                self._workers.remove(worker)
                reason = f"the process that checked it ended with code {worker.process.exitcode}"
                answer = failed(piece, self._context, reason)
            if isinstance(answer, BaseException):
                raise answer
            yield number, answer

    def stop(self) -> None:
        """End the processes, whatever they are doing."""
        for worker in self._workers:
            worker.process.kill()
        for worker in self._workers:
            worker.process.join()
            worker.pipe.close()
        self._workers.clear()

    def _start(self) -> _Worker:
        ours, theirs = self._spawn.Pipe()
        process = self._spawn.Process(
            target=_work,
            args=(theirs, self._url, self._context.options, self._context.asked),
            daemon=True,
        )
        process.start()
        theirs.close()
        worker = _Worker(process, ours)
        self._workers.append(worker)
        return worker


def _work(pipe: Any, url: str, options: Options, asked: Asked | None) -> None:
    """Check pieces until the other end is closed."""
    import signal

    # Ctrl-C reaches every process of the terminal; the parent decides when its workers end.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with contextlib.suppress(EOFError, ConnectionError), open_catalogue(url) as cat:
        context = Context(cat, options, asked)
        while True:
            piece = pipe.recv()
            try:
                answer: Any = check_piece(context, piece)
            except Exception as error:
                answer = error
            pipe.send(answer)
