"""Deals solved without the compiler, by another process, while kernels are still being compiled.

The interpreter searches most deals to their end in less time than the search takes to compile. Its
outcomes are those of the compiled search, but their CPU time says nothing of it, so they have none.
Both are begun with, and the first to answer is taken.
"""

import json
import os
import pickle
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import suppress

import numpy as np
from numpy.typing import NDArray

from engine.errors import BadInput
from engine.game import Position
from engine.kernels import compiling
from solvers.outcome import Outcome

# A deal uint8[cards] in flat order, or a position in mid-game.
Work = NDArray[np.uint8] | Position


class _Interpreter:
    """A process that solves without the compiler, one deal or position after another."""

    def __init__(self, solver: str, ruleset: str) -> None:
        self.kind = (solver, ruleset)
        # The answer to the last question, once it is there.
        self.answer: Outcome | BadInput | None = None
        code = (
            f"import sys; sys.path[:] = {json.dumps(sys.path)}; "
            # So that nothing else of the name `solvers` on the path is taken for ours.
            "import thoughtful_command; "
            f"from solvers.interpreter import answer; answer({solver!r}, {ruleset!r})"
        )
        self._process = subprocess.Popen(
            [sys.executable, "-c", code],
            env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        threading.Thread(target=self._hear, name="interpreted", daemon=True).start()

    def ask(self, work: Work) -> None:
        """Have it solve a deal or a position; the answer to the one before is there."""
        self.answer = None
        assert self._process.stdin is not None
        # A process that has ended never answers, so that the compiled search is waited for.
        with suppress(OSError):
            pickle.dump(work, self._process.stdin)
            self._process.stdin.flush()

    def has_answered(self) -> bool:
        """Whether the answer is there."""
        return self.answer is not None

    def stop(self) -> None:
        """End the process, whatever it does."""
        self._process.kill()

    def _hear(self) -> None:
        assert self._process.stdout is not None
        # Whatever reaches us of an answer that was cut off.
        with suppress(EOFError, OSError, pickle.UnpicklingError):
            while True:
                self.answer = pickle.load(self._process.stdout)
                compiling.look_again()
        self._process.wait()


class _Own(threading.local):
    """The process that solves for a thread; None before the first deal, False when it is over."""

    interpreter: _Interpreter | bool | None = None


_own = _Own()


def solve_meanwhile(
    solver: str, ruleset: str, work: Work, compiled: Callable[[], Outcome]
) -> Outcome:
    """The outcome of a deal or position, by the interpreter or by `compiled`, whichever is first.

    The kernels of the method are being compiled by other processes (`engine.kernels.compiling`).

    Args:
        solver: the solver as text, parameters included.
        ruleset: slug of the ruleset.
        work: the deal or position.
        compiled: solves it by the compiled search, in this thread.

    Raises:
        BadInput: the position is none that a table could show.
    """
    other = _own.interpreter
    if other is None or (isinstance(other, _Interpreter) and other.kind != (solver, ruleset)):
        if isinstance(other, _Interpreter):
            other.stop()
        other = _own.interpreter = _Interpreter(solver, ruleset)
    if not isinstance(other, _Interpreter):
        return compiled()
    other.ask(work)
    try:
        with compiling.unless(other.has_answered):
            outcome = compiled()
    except compiling.NotWaitedFor:
        answer = other.answer
        if isinstance(answer, BadInput):
            raise answer from None
        assert answer is not None
        return answer
    except BaseException:
        other.stop()
        raise
    # What is compiled by now solves all others faster.
    other.stop()
    _own.interpreter = False
    return outcome
