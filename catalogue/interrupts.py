"""Ctrl-C and SIGTERM: a command ends within two seconds, whatever it computes.

Python runs the handler of a signal between two instructions of the main thread, and a kernel is one
instruction that may take minutes. So a second thread waits for signals too: kernels run without the
interpreter's lock. If the command has not ended of itself a second later, that thread writes what
was printed, removes unfinished files and ends the process.
"""

import contextlib
import os
import signal
import socket
import sys
import threading
import time
from collections.abc import Iterator
from multiprocessing import connection, parent_process
from pathlib import Path
from types import FrameType

# How long a command has to end of itself after a signal, and to write what it has printed.
PATIENCE_SECONDS = 1.0
FLUSH_SECONDS = 0.5
# Signals within this time belong to one stop.
_ONE_STOP_SECONDS = 1.0
# A server or runner ends its work in about a second; one that takes longer is stuck.
STUCK_SECONDS = 15.0
EXIT_CODE = 130

SIGNALS = (signal.SIGINT, signal.SIGTERM)
_unfinished: set[Path] = set()
_watchers: set[threading.Thread] = set()
_interrupted = threading.Event()
_first_is_handled = threading.Event()


@contextlib.contextmanager
def ended_by_signals() -> Iterator[None]:
    """Have SIGINT and SIGTERM raise KeyboardInterrupt, and end the process if that does not help.

    A command that handles signals by itself, as `up` does, is left to do so. The block must be the
    last thing that the process does: after a signal it ends with exit code 130.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.signal(number, _interrupt) for number in SIGNALS}
    ours, theirs = socket.socketpair()
    theirs.setblocking(False)
    earlier = signal.set_wakeup_fd(theirs.fileno(), warn_on_full_buffer=False)
    watcher = threading.Thread(target=_watch, args=(ours,), name="signals", daemon=True)
    watcher.start()
    _watchers.add(watcher)
    try:
        yield
    finally:
        # Without a signal the watching thread ends with its connection. After one it goes on, since
        # the interpreter waits for worker processes when it ends.
        signal.set_wakeup_fd(earlier)
        _watchers.discard(watcher)
        theirs.close()
        for number, handler in before.items():
            signal.signal(number, handler)


@contextlib.contextmanager
def first_signal_handled() -> Iterator[None]:
    """Leave the first signal to the block, which stops cleanly; a second one ends the process."""
    _first_is_handled.set()
    try:
        yield
    finally:
        _first_is_handled.clear()


@contextlib.contextmanager
def stopped_by_signals(stopping: threading.Event) -> Iterator[None]:
    """Have SIGINT and SIGTERM set the event; a second signal has its usual effect.

    That of the same stop has none: `timeout` sends one to the process, and one to its group.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.getsignal(number) for number in SIGNALS}

    first: list[float] = []

    def handle(number: int, _frame: FrameType | None) -> None:
        stopping.set()
        first.append(time.monotonic())
        if first[-1] - first[0] > _ONE_STOP_SECONDS:
            signal.signal(number, before[signal.Signals(number)])
            os.kill(os.getpid(), number)  # so that everything that waits for signals sees it

    for number in before:
        signal.signal(number, handle)
    try:
        with first_signal_handled():
            yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextlib.contextmanager
def removed_if_ended(path: Path) -> Iterator[None]:
    """Have an unfinished file removed if a signal ends the process while the block runs."""
    _unfinished.add(path)
    try:
        yield
    finally:
        _unfinished.discard(path)


def is_watched_alone() -> bool:
    """Whether this process is a command's, with no thread but those of `ended_by_signals`."""
    return bool(_watchers) and set(threading.enumerate()) == {threading.main_thread(), *_watchers}


def begin_worker() -> None:
    """Make this process a worker: it leaves Ctrl-C to its parent, and ends as soon as that has.

    Ctrl-C reaches every process of a terminal; the parent decides when its workers end. One that
    was forked from a command leaves signals to its parent's thread no more, which would end that.
    """
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)
    _unfinished.clear()
    _watchers.clear()
    parent = parent_process()
    if parent is None:
        return

    def wait() -> None:
        connection.wait([parent.sentinel])
        os._exit(1)

    threading.Thread(target=wait, name="parent", daemon=True).start()


@contextlib.contextmanager
def without_signals() -> Iterator[None]:
    """Block Ctrl-C and SIGTERM in processes started within the block, or by its threads.

    A terminal, `timeout` and systemd send the signal to all of them at once, but this process
    decides when they end.
    """
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def end_with_standard_input() -> None:
    """End as soon as standard input is closed: the process that started this one holds its end.

    However that process ends, by `kill -9` too. What does not end of itself is killed, with all
    processes of the group if it was started as one of its own.
    """

    def wait() -> None:
        while os.read(0, 1024):
            pass
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(STUCK_SECONDS)
        if os.getpgrp() == os.getpid():
            os.killpg(0, signal.SIGKILL)
        os.kill(os.getpid(), signal.SIGKILL)

    threading.Thread(target=wait, name="standard input", daemon=True).start()


def _interrupt(_number: int, _frame: FrameType | None) -> None:
    _interrupted.set()
    raise KeyboardInterrupt


def _watch(signals: socket.socket) -> None:
    """End the process if a signal that is ours to handle has come and a second has passed."""
    with signals:
        while received := signals.recv(1):
            if _first_is_handled.is_set():
                _first_is_handled.clear()
                continue
            # The main thread may have put the earlier handlers back already.
            if signal.getsignal(received[0]) is _interrupt or _interrupted.is_set():
                time.sleep(PATIENCE_SECONDS)
                _end()


def _end() -> None:
    for path in list(_unfinished):
        with contextlib.suppress(OSError):
            path.unlink(missing_ok=True)
    # In a thread, because a stream whose reader does not read blocks for ever.
    flushing = threading.Thread(target=_flush, daemon=True)
    flushing.start()
    flushing.join(FLUSH_SECONDS)
    os._exit(EXIT_CODE)


def _flush() -> None:
    with contextlib.suppress(OSError, ValueError, AttributeError):
        sys.stdout.flush()
    with contextlib.suppress(OSError, ValueError, AttributeError):
        if sys.stderr.isatty():
            sys.stderr.write("\x1b[?25h")  # a progress bar has hidden the cursor
        sys.stderr.flush()
