"""Compiled on demand: the parts of a method, side by side in processes, and told of while it lasts.

Nothing is compiled before it is called for the first time on a machine, and Numba compiles one
function at a time in a process. A `Part` is some kernels that Python calls, with a cheap call of
each. A method needs its parts one after another: a search first, and what shortens a solution only
once there is one. So a process that was told to (`side_by_side`: the command line) compiles the
part that it needs while other processes compile the next ones, as many as there are processors,
and waits for one only when that is needed. Other processes compile everything by themselves.

Whoever wants to tell people of it (`tell_with`) is told when compiling begins and ends.
"""

import importlib
import json
import os
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Protocol

from engine.compiler import COMPILED


class Teller(Protocol):
    """Tells people that kernels are being compiled; may be called by any thread."""

    def begin(self, total: int | None) -> None:
        """Something is waited for, one of so many parts if their number is known."""

    def step(self, done: int) -> None:
        """So many of the parts are compiled."""

    def end(self) -> None:
        """Nothing is waited for any more."""


@dataclass(frozen=True, eq=False)
class Part:
    """Kernels that are compiled together.

    Attributes:
        where: ``module:name`` by which another process finds the part.
        roots: the kernels that Python calls.
        run: calls each of them, cheaply, with arguments of the types that are used.
    """

    where: str
    roots: Sequence[Any]
    run: Callable[[], object]
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)
    _loaded: list[bool] = field(default_factory=list, repr=False)

    def need(self) -> int:
        """Compile or load the kernels, unless that is done; return the CPU time taken, in ns."""
        if self._loaded or not COMPILED:
            return 0
        since = time.thread_time_ns()
        with self._lock:
            if not self._loaded:
                with _others.told_of(self):
                    _others.wait_for(self)
                    self.run()
                self._loaded.append(True)
        return time.thread_time_ns() - since

    @property
    def is_missing(self) -> bool:
        """Whether a kernel is neither loaded nor in the kernel cache."""
        return not self._loaded and not all(map(_is_kept, self.roots))


def _is_kept(kernel: Any) -> bool:
    """Whether the kernel cache holds a kernel, as its source is now, for any types."""
    file = getattr(getattr(kernel, "_cache", None), "_cache_file", None)
    return file is not None and os.path.exists(file._index_path)


def begin(parts: Sequence[Part]) -> None:
    """Compile missing parts side by side, if that is switched on: the first one is needed now."""
    if COMPILED and parts:
        _others.begin(parts)


def side_by_side() -> None:
    """Have other processes compile what this one needs later, from now on."""
    _others.on = True


def is_side_by_side() -> bool:
    """Whether `side_by_side` was called."""
    return _others.on


def tell_with(teller: Teller | None) -> None:
    """Have somebody told of all compiling in this process, or nobody."""
    _others.teller = teller


def kernel_begins() -> None:
    """Numba begins to compile a kernel in this process."""
    _others.kernel_begins()


def kernel_ends() -> None:
    """Numba has compiled it."""
    _others.kernel_ends()


class _Others:
    """The other processes, what they have to do, and who is told of it."""

    def __init__(self) -> None:
        self.on = False
        self.teller: Teller | None = None
        self._changed = threading.Condition()
        self._waiting: deque[Part] = deque()
        self._running: set[Part] = set()
        # Parts that were missing when they were begun with, and those of them compiled since.
        self._missing: set[Part] = set()
        self._done: set[Part] = set()
        # Parts and kernels that this process is waiting for, one within another.
        self._depth = 0

    def begin(self, parts: Sequence[Part]) -> None:
        """See `begin`."""
        if not self.on:
            return
        missing = [part for part in parts if part not in self._missing and part.is_missing]
        if not missing:
            return
        # Whoever asks goes on to compile the first one, if that is missing.
        rest = missing[1:] if missing[0] is parts[0] else missing
        with self._changed:
            self._waiting.extend(rest)
            self._missing.update(missing)
        for _ in range(min(_processors() - 1, len(rest))):
            threading.Thread(target=self._help, name="compiling", daemon=True).start()

    def _help(self) -> None:
        """Have another process compile one part after another, until none is waiting."""
        process = _started()
        assert process.stdin is not None
        assert process.stdout is not None
        while True:
            with self._changed:
                if not self._waiting:
                    break
                part = self._waiting.popleft()
                self._running.add(part)
            try:
                process.stdin.write(f"{part.where}\n".encode())
                process.stdin.flush()
                process.stdout.readline()
            except OSError:
                pass  # whoever needs the part compiles it, and sees why it fails
            with self._changed:
                self._running.discard(part)
                self._note(part)
                self._changed.notify_all()
        # Its input has ended, so that it ends.
        process.communicate()

    def wait_for(self, part: Part) -> None:
        """Return when no other process compiles a part; none begins with it after that."""
        with self._changed:
            if part in self._waiting:
                self._waiting.remove(part)
            while part in self._running:
                self._changed.wait()

    @contextmanager
    def told_of(self, part: Part) -> Iterator[None]:
        """Tell that this process waits for a part, unless it is in the kernel cache."""
        if not part.is_missing:
            yield
            return
        self.kernel_begins()
        try:
            yield
            with self._changed:
                self._note(part)
        finally:
            self.kernel_ends()

    def _note(self, part: Part) -> None:
        self._done.add(part)
        if self._depth and self.teller is not None:
            self.teller.step(len(self._done & self._missing))

    def kernel_begins(self) -> None:
        """See `kernel_begins`."""
        self._depth += 1
        if self._depth == 1 and self.teller is not None:
            waits = not self._missing <= self._done
            self.teller.begin(len(self._missing) if waits else None)

    def kernel_ends(self) -> None:
        """See `kernel_ends`."""
        self._depth -= 1
        if self._depth == 0 and self.teller is not None:
            self.teller.end()


_others = _Others()


def _processors() -> int:
    """The number of processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _started() -> "subprocess.Popen[bytes]":
    """A process that compiles the parts it is told of; it ends when its input does."""
    code = (
        f"import sys; sys.path[:] = {json.dumps(sys.path)}; "
        # So that nothing else of the name `engine` on the path is taken for ours.
        "import thoughtful_command; "
        "from engine.compiling import compile_parts; compile_parts()"
    )
    return subprocess.Popen(
        [sys.executable, "-c", code],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )


def compile_parts() -> None:
    """Compile the parts that standard input names, one a line; print a line after each."""
    for line in sys.stdin:
        module, name = line.strip().split(":")
        part: Part = getattr(importlib.import_module(module), name)
        part.need()
        print("done", flush=True)
