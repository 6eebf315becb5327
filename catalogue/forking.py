"""Worker processes of solvers: forked from the command where that is safe, else started anew.

A process that is started anew imports the compiler and loads the kernels once more, which takes as
long as solving some hundred deals. A forked one has all that this process has. But it also has
every lock that another thread holds at that moment, and for ever. So only the command itself is
forked, on Linux, while it has no thread but the one that waits for signals, and once all kernels of
the solver are loaded: a process that compiles them hears of others in threads.
"""

import gc
import signal
import sys
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

from catalogue.interrupts import SIGNALS, begin_anew, end_with_parent, is_watched_alone
from engine.game import Rules
from engine.kernels import compiling
from solvers.registry import Solver


def pool_of_solvers(workers: int, solver: Solver, rules: Rules) -> ProcessPoolExecutor:
    """A pool of processes that solve; threads may be started once it is there."""
    if not (sys.platform == "linux" and is_watched_alone() and solver.load(rules)):
        return ProcessPoolExecutor(workers, get_context("spawn"), initializer=end_with_parent)
    pool = ProcessPoolExecutor(workers, get_context("fork"), initializer=_begin_forked)
    # Until a process has its own ways with signals, it would take them for its parent.
    before = signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)
    try:
        pool.submit(int)  # with its first work a pool of this kind starts all its processes
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
    return pool


def _begin_forked() -> None:
    begin_anew()
    signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)
    # What else is to be compiled is compiled here, as in a process that was started anew.
    compiling.by_itself()
    # Looking for garbage among what is shared with the parent would copy it.
    gc.freeze()
