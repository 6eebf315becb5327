"""Compiled on demand: the parts of a method, side by side in processes, and told of while it lasts.

Nothing is compiled before it is called for the first time on a machine, and Numba compiles one
function at a time in a process. A `Part` is some kernels that Python calls, with a cheap call of
each. A method needs its parts one after another: a search first, and what shortens a solution only
once there is one. So a process that was told to (`side_by_side`: the command line) has other
processes compile the parts, as many as there are processors, and waits for one only when that is
needed. It may compile the first one by itself, or wait for none at all (`unless`), when something
else can take its place. Other processes compile everything by themselves.

A process that compiles a part holds a lock on it, and each process that wants it meanwhile waits,
however it was started. Those that were started here are told of all parts at once, and go on when
this process has ended: nobody has to wait for what is only needed later, and nothing is compiled in
vain. One that is killed leaves nothing behind that could be taken for a kernel, since Numba renames
files that are complete.

A teller (`tell_with`) is called when compiling begins and ends.

What is compiled or loaded in the middle of a deal is no part of its CPU time: `solving_time_ns` is
the clock by which solvers measure it.
"""

import importlib
import json
import os
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any, Protocol

from engine.kernels.compiler import COMPILED


class Teller(Protocol):
    """Tells people that kernels are being compiled; may be called by any thread."""

    def begin(self, total: int | None) -> None:
        """A wait begins, for one of `total` parts if their number is known."""

    def step(self, done: int) -> None:
        """A number of the parts are compiled."""

    def end(self) -> None:
        """Nothing is waited for any more."""


class NotWaitedFor(Exception):
    """A part is being compiled that is not needed any more; see `unless`."""


@dataclass(frozen=True, eq=False)
class Part:
    """Kernels that are compiled together.

    Attributes:
        where: ``module:name`` by which another process finds the part, or ``module:name:index``
            where the name is that of a sequence of parts.
        roots: the kernels that Python calls.
        run: calls each of them, cheaply, with arguments of the types that are used.
        is_for: whether a root that is kept for some types serves the part, by these types; without
            it any types do.
    """

    where: str
    roots: Sequence[Any]
    run: Callable[[], object]
    is_for: Callable[[Any, Sequence[Any]], bool] | None = None
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)
    _loaded: list[bool] = field(default_factory=list, repr=False)

    def need(self) -> None:
        """Compile or load the kernels, unless that is done.

        Raises:
            NotWaitedFor: another process compiles them, within `unless`.
        """
        if self._loaded or not COMPILED:
            return
        with not_solving(), self._lock:
            if not self._loaded:
                with _others.reporting(self):
                    _others.wait_for(self)
                    with _alone(self):
                        self.run()
                self._loaded.append(True)

    @property
    def is_missing(self) -> bool:
        """Whether a kernel is neither loaded nor in the kernel cache."""
        return not self._loaded and not all(self._is_kept(root) for root in self.roots)

    def _is_kept(self, kernel: Any) -> bool:
        """Whether the kernel cache holds a kernel, as its source is now, for the part's types."""
        file = getattr(getattr(kernel, "_cache", None), "_cache_file", None)
        if file is None or not os.path.exists(file._index_path):
            return False
        if self.is_for is None:
            return True
        return any(self.is_for(kernel, types) for types, *_ in file._load_index())


class _Clock(threading.local):
    """The CPU time that a thread has spent on kernels instead of deals."""

    elsewhere_ns = 0
    depth = 0


_clock = _Clock()


def solving_time_ns() -> int:
    """CPU time of this thread without what compiling and loading kernels took, in ns."""
    return time.thread_time_ns() - _clock.elsewhere_ns


def solving_time() -> float:
    """`solving_time_ns` in seconds."""
    return solving_time_ns() / 1e9


@contextmanager
def not_solving() -> Iterator[None]:
    """Leave the CPU time of the block out of `solving_time_ns`."""
    since = time.thread_time_ns()
    _clock.depth += 1
    try:
        yield
    finally:
        _clock.depth -= 1
        if not _clock.depth:
            _clock.elsewhere_ns += time.thread_time_ns() - since


@contextmanager
def _alone(part: Part) -> Iterator[None]:
    """Hold the lock of a part, so that one process compiles it and others load it."""
    lock = None
    # Without a place for locks, or a system that has them, it is compiled as often as it is needed.
    with suppress(OSError, ImportError):
        lock = _locked(part, wait=True)
    try:
        yield
    finally:
        if lock is not None:
            lock.close()


def _locked(part: Part, wait: bool) -> Any:
    """The open file that holds the lock of a part.

    Raises:
        BlockingIOError: another process holds it, and it is not to be waited for.
        OSError: there is no place for locks.
        ImportError: the system has none.
    """
    import fcntl

    from engine.kernels.cache import kernel_folder

    locks = kernel_folder() / "locks"
    locks.mkdir(parents=True, exist_ok=True)
    file = (locks / part.where.replace(":", ".")).open("w")
    try:
        fcntl.flock(file, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BaseException:
        file.close()
        raise
    return file


def begin(parts: Sequence[Part]) -> None:
    """Compile missing parts side by side, if that is switched on: the first one is needed now."""
    if COMPILED and parts:
        _others.begin(parts, first_here=True)


def begin_elsewhere(parts: Sequence[Part]) -> bool:
    """Have other processes compile all missing parts, if that is switched on.

    Returns:
        Whether some are being compiled.
    """
    return COMPILED and _others.on and _others.begin(parts, first_here=False)


@contextmanager
def unless(is_needless: Callable[[], bool]) -> Iterator[None]:
    """Wait within the block for parts that others compile only until they are needless.

    It holds for the thread that enters the block. What makes them needless calls `look_again`.

    Raises:
        NotWaitedFor: out of the block, when `is_needless` says so while a part is waited for.
    """
    before = _others.is_needless()
    _others.waiting.is_needless = is_needless
    try:
        yield
    finally:
        _others.waiting.is_needless = before


def look_again() -> None:
    """Have all who wait for a part ask whether that is needless now."""
    _others.look_again()


def side_by_side() -> None:
    """Have other processes compile what this one needs later, from now on."""
    _others.on = True


def by_itself() -> None:
    """Have this process compile what it needs, from now on, and nobody told of it."""
    _others.on = False
    _others.teller = None


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
        # What `unless` was given, for each thread.
        self.waiting = threading.local()
        self._changed = threading.Condition()
        # How many processes may still compile each part.
        self._compilers: Counter[Part] = Counter()
        # Parts that were missing when they were begun with, and those of them compiled since.
        self._missing: set[Part] = set()
        self._done: set[Part] = set()
        # Parts and kernels that this process is waiting for, one within another.
        self._depth = 0

    def begin(self, parts: Sequence[Part], first_here: bool) -> bool:
        """See `begin` and `begin_elsewhere`."""
        if not self.on:
            return False
        missing = [part for part in parts if part not in self._missing and part.is_missing]
        # The caller goes on to compile the first one, if that is missing.
        here = first_here and missing[:1] == list(parts[:1])
        rest = missing[1:] if here else missing
        with self._changed:
            self._missing.update(missing)
        for _ in range(min(_processors() - here, len(rest))):
            process = _started(rest)
            with self._changed:
                self._compilers.update(rest)
            threading.Thread(
                target=self._hear, args=(process, rest), name="compiling", daemon=True
            ).start()
        return any(self._is_elsewhere(part) for part in parts)

    def _hear(self, process: "subprocess.Popen[bytes]", parts: Sequence[Part]) -> None:
        """Note what a process has compiled, until it ends."""
        named = {part.where: part for part in parts}
        assert process.stdout is not None
        for line in process.stdout:
            with self._changed:
                self._note(named[line.decode().strip()])
                self._changed.notify_all()
        process.wait()
        with self._changed:
            # A caller that needs a part that is not compiled compiles it, and sees why it fails.
            self._compilers.subtract(parts)
            self._changed.notify_all()

    def _is_elsewhere(self, part: Part) -> bool:
        return self._compilers[part] > 0 and part not in self._done

    def is_needless(self) -> Callable[[], bool] | None:
        """The argument of `unless`, within such a block of this thread; else None."""
        found: Callable[[], bool] | None = getattr(self.waiting, "is_needless", None)
        return found

    def wait_for(self, part: Part) -> None:
        """Within `unless`, return when no other process of ours compiles a part.

        Raises:
            NotWaitedFor: see `unless`.
        """
        is_needless = self.is_needless()
        with self._changed:
            while is_needless is not None and self._is_elsewhere(part):
                if is_needless():
                    raise NotWaitedFor
                self._changed.wait()

    def look_again(self) -> None:
        """See `look_again`."""
        with self._changed:
            self._changed.notify_all()

    @contextmanager
    def reporting(self, part: Part) -> Iterator[None]:
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


def _started(parts: Sequence[Part]) -> "subprocess.Popen[bytes]":
    """A process that compiles parts which no other process is compiling, one after another."""
    code = (
        f"import sys; sys.path[:] = {json.dumps(sys.path)}; "
        # So that nothing else of the name `engine` on the path is taken for ours.
        "import thoughtful_command; "
        "from engine.kernels.compiling import compile_parts; "
        f"compile_parts({[p.where for p in parts]})"
    )
    return subprocess.Popen(
        [sys.executable, "-c", code],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )


def compile_parts(places: Sequence[str]) -> None:
    """Compile the parts of these places; print the place of each that is compiled then.

    First those that no other process is compiling. For the others it waits, to take the place of a
    process that is killed.
    """
    for wait in (False, True):
        for place in places:
            module, name, *index = place.split(":")
            # What cannot be compiled here is left to the caller that needs it, which sees why.
            with suppress(Exception):
                found = getattr(importlib.import_module(module), name)
                part: Part = found[int(index[0])] if index else found
                with _locked(part, wait):
                    if part.is_missing:
                        part.run()
                # Nobody listens any more if the process has ended that wanted it.
                with suppress(BrokenPipeError):
                    print(place, flush=True)
