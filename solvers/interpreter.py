"""The process of `solvers.interpreted`: it solves what it is sent, without the compiler."""

import os
import pickle
import signal
import sys
import threading
from contextlib import suppress
from dataclasses import replace
from queue import SimpleQueue

import numpy as np

from engine.errors import BadInput
from engine.game import Rules
from engine.rulesets import parse_ruleset
from solvers.interpreted import Work
from solvers.outcome import Outcome
from solvers.solver import Solver, parse_solver

# After so much CPU time nineteen deals of twenty are decided. The others are so sooner by what is
# being compiled, which gets the processors then.
_SECONDS = 5.0
_NICENESS = 15


def answer(name: str, ruleset: str) -> None:
    """Solve the deals and positions that come in by standard input, pickled, one by one."""
    if hasattr(signal, "setitimer"):
        signal.signal(signal.SIGPROF, _step_back)
        signal.setitimer(signal.ITIMER_PROF, _SECONDS)
    rules = parse_ruleset(ruleset)
    solver = parse_solver(name)
    asked: SimpleQueue[Work] = SimpleQueue()
    threading.Thread(target=_read, args=(asked,), daemon=True).start()
    while True:
        pickle.dump(_answer(solver, rules, asked.get()), sys.stdout.buffer)
        sys.stdout.flush()


def _answer(solver: Solver, rules: Rules, work: Work) -> Outcome | BadInput:
    try:
        if isinstance(work, np.ndarray):
            (outcome,) = solver.solve(work[None], rules)
        else:
            outcome = solver.solve_position(work)
    except BadInput as error:
        return error
    return replace(outcome, cpu_ms=None)


def _step_back(*_: object) -> None:
    os.nice(_NICENESS)


def _read(asked: SimpleQueue[Work]) -> None:
    """Pass on what is asked, and end the process with the one that asks."""
    with suppress(EOFError, OSError, pickle.UnpicklingError):
        while True:
            asked.put(pickle.load(sys.stdin.buffer))
    os._exit(0)
