"""The worker process of a benchmark: loads deals, solves them on request, reports the results.

It is started by `measuring.process`, which may put another checkout of this repository before the
installed packages. So this file imports nothing from its own folder, and from the packages only
names that all versions have. It reads one JSON object per line from standard input and answers each
with one line; the answer to wrong input is ``{"error": sentence}``.
"""

import functools
import importlib
import json
import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, TextIO

import numpy as np
import psutil
from numpy.typing import NDArray

import solvers
from engine.errors import BadInput
from engine.games import game_of
from engine.replay import wins
from engine.rulesets import parse_ruleset
from solvers.outcome import Outcome
from solvers.solver import Solver, configure, parse_solver

_MIB = 2**20


class Bench:
    """A solver, a ruleset and deals, and the threads that solve."""

    def __init__(self, rules: str, solver: str, nodes: int | None, alone: bool) -> None:
        self.alone = alone
        self.rules = parse_ruleset(rules)
        self.game = game_of(self.rules)
        self.solver: Solver = parse_solver(solver)
        if nodes is not None:
            self.solver = configure(
                self.solver.method, {**dict(self.solver.values), "nodes": nodes}
            )
        self.solver.check_plays(self.rules)
        # A method's module defines which of its search rules can be switched off, or names another
        # that does.
        self.module: Any = importlib.import_module(self.solver.method.solve.__module__)
        if hasattr(self.module, "search_of"):
            self.module = self.module.search_of(self.rules)
        self.deals: NDArray[np.uint8] = np.empty((0, self.game.cards), dtype=np.uint8)
        self.threads: list[ThreadPoolExecutor] = []

    def about(self) -> dict[str, Any]:
        """The subject of the benchmark, and the place it was imported from."""
        return {
            "solver": str(self.solver),
            "version": self.solver.method.version,
            "ruleset": self.rules.slug,
            "switches": list(getattr(self.module, "RULES", ())),
            "home": str(Path(str(solvers.__file__)).resolve().parents[1]),
        }

    def load(self, cards: str) -> dict[str, Any]:
        """Load deals given as one byte per card in hexadecimal digits."""
        rows = np.frombuffer(bytes.fromhex(cards), dtype=np.uint8)
        self.deals = rows.reshape(-1, self.game.cards).copy()
        return {}

    def solve(
        self, first: int, stop: int, off: list[str] | None, threads: int, check: bool
    ) -> dict[str, Any]:
        """Solve the deals first..stop-1, all of them in each of `threads` threads.

        Threads keep their numbers, so that each reuses its own memory. With `check`, the referee
        replays every win after the timing. With `off`, the search alone that has the rules solves
        them, even where a method takes turns with another.
        """
        deals = self.deals[first:stop]
        while len(self.threads) < threads:
            self.threads.append(ThreadPoolExecutor(1))
        ready = threading.Barrier(threads)
        work = self._work(off)

        def run() -> tuple[float, list[Outcome], float]:
            ready.wait()
            began = time.monotonic()
            outcomes = work(deals)
            return began, outcomes, time.monotonic()

        futures = [thread.submit(run) for thread in self.threads[:threads]]
        runs = [future.result() for future in futures]
        answer: dict[str, Any] = {
            # All processes of a machine share this clock, so that their runs can be compared.
            "began": min(began for began, _, _ in runs),
            "ended": max(ended for _, _, ended in runs),
            "cpu_seconds": time.process_time(),
            "peak_mib": peak_mib(),
            "compiled": kernels_compiled(),
        }
        answer["runs"] = [self._columns(deals, outcomes, check) for _, outcomes, _ in runs]
        return answer

    def _work(self, off: list[str] | None) -> Callable[[NDArray[np.uint8]], list[Outcome]]:
        if off is None:
            # Older versions have no `decide`.
            search = self.solver.decide if self.alone else self.solver.solve
            return lambda deals: search(deals, self.rules)
        bits = functools.reduce(lambda so_far, name: so_far | self.module.RULES[name], off, 0)
        return lambda deals: self.module.solve(
            deals, self.rules, dict(self.solver.values), off=bits
        )

    def _columns(
        self, deals: NDArray[np.uint8], outcomes: list[Outcome], check: bool
    ) -> dict[str, list[Any]]:
        return {
            "result": [outcome.result.value for outcome in outcomes],
            "nodes": [outcome.nodes for outcome in outcomes],
            "cpu_ms": [outcome.cpu_ms for outcome in outcomes],
            "length": [
                -1 if outcome.moves is None else self.game.length(outcome.moves)
                for outcome in outcomes
            ],
            "faulty": [
                check and outcome.moves is not None and not self._is_proof(row, outcome.moves)
                for row, outcome in zip(deals, outcomes, strict=True)
            ],
        }

    def _is_proof(self, cards: NDArray[np.uint8], moves: bytes) -> bool:
        """Whether the referee accepts a win."""
        start = self.game.start(self.game.deal(cards), self.rules)
        try:
            return wins(start, self.game.unpack(moves))
        except BadInput:
            return False


def peak_mib() -> float:
    """The peak memory of this process.

    The figure of the operating system for this program is used where available, since `getrusage`
    also counts the memory of the parent at the start of this process.
    """
    try:
        status = Path("/proc/self/status").read_text(encoding="ascii")
        return next(
            int(line.split()[1]) / 1024 for line in status.splitlines() if line.startswith("VmHWM:")
        )
    except (OSError, StopIteration):
        import resource

        unit = 1 if sys.platform == "darwin" else 1024
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / _MIB


def kernels_compiled() -> int:
    """The number of kernel signatures compiled here instead of loaded from the cache."""
    found = {
        id(value): value
        for module in list(sys.modules.values())
        if module.__name__.split(".")[0] in ("engine", "solvers")
        for value in vars(module).values()
        if hasattr(value, "stats")
    }
    return sum(sum(kernel.stats.cache_misses.values()) for kernel in found.values())


def answers(channel: TextIO) -> None:
    """Read requests until there are no more."""
    bench: Bench | None = None
    for line in sys.stdin:
        request = json.loads(line)
        do = request.pop("do")
        try:
            if do == "open":
                bench = Bench(**request)
                answer = bench.about()
            else:
                assert bench is not None
                answer = bench.load(**request) if do == "load" else bench.solve(**request)
        except BadInput as error:
            answer = {"error": str(error)}
        answer["rss_mib"] = psutil.Process().memory_info().rss / _MIB
        print(json.dumps(answer), file=channel, flush=True)


def main() -> None:
    """Answer on the original standard output; other output goes to standard error."""
    # Ctrl-C reaches every process of the terminal; the parent process ends this one.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with os.fdopen(os.dup(1), "w", encoding="ascii") as channel:
        os.dup2(2, 1)
        answers(channel)


if __name__ == "__main__":
    main()
