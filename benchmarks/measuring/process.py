"""The client of a worker process: `Worker` and its results."""

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from engine.errors import BadInput

# Deals solved before the timing starts, to find a win among them.
MOST_TO_WARM_UP = 10

ROOT = Path(__file__).resolve().parents[2]


class WorkerEnded(RuntimeError):
    """The worker process ended by itself; the reason is on standard error."""


@dataclass(frozen=True, slots=True)
class Outcomes:
    """The outcomes of n deals, in their order.

    Attributes:
        result: the result of each deal, a value of `solvers.outcome.Result`.
        nodes: positions entered, int64[n].
        cpu_ms: CPU milliseconds of the thread that solved it, float64[n].
        length: standard moves of the solution, -1 if there is none, int64[n].
        faulty: whether it is a win that the referee does not accept, bool[n].
    """

    result: NDArray[np.str_]
    nodes: NDArray[np.int64]
    cpu_ms: NDArray[np.float64]
    length: NDArray[np.int64]
    faulty: NDArray[np.bool_]

    @classmethod
    def of(cls, columns: dict[str, list[Any]]) -> "Outcomes":
        """Make outcomes from JSON columns."""
        return cls(
            np.array(columns["result"], dtype=np.str_),
            np.array(columns["nodes"], dtype=np.int64),
            np.array(columns["cpu_ms"], dtype=np.float64),
            np.array(columns["length"], dtype=np.int64),
            np.array(columns["faulty"], dtype=np.bool_),
        )

    @classmethod
    def joined(cls, parts: Sequence["Outcomes"]) -> "Outcomes":
        """Concatenate the outcomes of blocks of deals."""
        return cls(
            np.concatenate([part.result for part in parts]),
            np.concatenate([part.nodes for part in parts]),
            np.concatenate([part.cpu_ms for part in parts]),
            np.concatenate([part.length for part in parts]),
            np.concatenate([part.faulty for part in parts]),
        )

    def __len__(self) -> int:
        return len(self.nodes)

    @property
    def verdict(self) -> NDArray[np.str_]:
        """``winnable``, ``unwinnable``, or an empty string for undecided deals."""
        return np.select(
            [self.result == "won", self.result == "unwinnable"], ["winnable", "unwinnable"], ""
        )

    @property
    def seconds(self) -> float:
        """Total CPU seconds."""
        return float(self.cpu_ms.sum()) / 1000

    def columns(self) -> dict[str, list[Any]]:
        """The outcomes as JSON columns."""
        return {
            "result": self.result.tolist(),
            "nodes": self.nodes.tolist(),
            "cpu_ms": self.cpu_ms.round(4).tolist(),
            "length": self.length.tolist(),
        }


@dataclass(frozen=True, slots=True)
class Run:
    """A run over some deals.

    Attributes:
        threads: the outcomes of each thread.
        began: start, in seconds of a clock shared by all processes.
        ended: end of the last thread.
        cpu_seconds: CPU time of the process since it was started.
        rss_mib: memory in use at its end.
        peak_mib: peak memory of the process.
        compiled: number of kernels that the process has compiled instead of loading them.
    """

    threads: list[Outcomes]
    began: float
    ended: float
    cpu_seconds: float
    rss_mib: float
    peak_mib: float
    compiled: int

    @property
    def outcomes(self) -> Outcomes:
        """The outcomes of the only thread."""
        (only,) = self.threads
        return only


class Worker:
    """A new process with one solver and one ruleset; a context manager that ends it.

    Attributes:
        name: the solver as text.
        version: the version of its method.
        ruleset: the ruleset's slug.
        switches: the search rules that can be switched off.
        rss_mib: memory in use after all imports and before solving.

    Raises:
        BadInput: there is no such solver or ruleset, or the solver does not play the ruleset.
        WorkerEnded: the process ended by itself.
    """

    def __init__(
        self,
        rules: str,
        solver: str,
        *,
        nodes: int | None = None,
        alone: bool = False,
        root: Path = ROOT,
        cache: Path | None = None,
    ) -> None:
        environment = os.environ | {"PYTHONPATH": str(root)}
        if cache is not None:
            environment["NUMBA_CACHE_DIR"] = str(cache)
        # The checkout, not the worker's own folder, comes first in the path.
        self._process = subprocess.Popen(
            [sys.executable, "-P", str(Path(__file__).with_name("worker.py"))],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            encoding="ascii",
            env=environment,
        )
        try:
            self._send(do="open", rules=rules, solver=solver, nodes=nodes, alone=alone)
            about = self._receive()
            if Path(about["home"]) != root.resolve():
                raise BadInput(
                    f"{root} is not a checkout of this repository: it has no such solver"
                )
        except BaseException:
            self.end()
            raise
        self.name: str = about["solver"]
        self.version: int = about["version"]
        self.ruleset: str = about["ruleset"]
        self.switches: list[str] = about["switches"]
        self.rss_mib: float = about["rss_mib"]

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.end()

    def end(self) -> None:
        """Kill the process."""
        self._process.kill()
        self._process.communicate()

    def load(self, deals: NDArray[np.uint8]) -> Run:
        """Load deals uint8[n, 52], and solve until one is won, so that everything is compiled.

        Returns:
            The run over the first deal, with the time of the first verdict.
        """
        self._send(do="load", cards=deals.tobytes().hex())
        self._receive()
        first = last = self.solve(0, 1)
        number = 1
        while last.outcomes.verdict[0] != "winnable" and number < min(len(deals), MOST_TO_WARM_UP):
            last = self.solve(number, number + 1)
            number += 1
        return first

    def start(
        self,
        first: int,
        stop: int,
        *,
        off: Sequence[str] | None = None,
        threads: int = 1,
        check: bool = False,
    ) -> None:
        """Start solving the loaded deals first..stop-1; `finish` waits for the run.

        With `off`, the search alone that has the rules solves them, without those it names.
        """
        self._send(
            do="solve",
            first=first,
            stop=stop,
            off=None if off is None else list(off),
            threads=threads,
            check=check,
        )

    def finish(self) -> Run:
        """Wait for the started run and return it."""
        answer = self._receive()
        return Run(
            [Outcomes.of(columns) for columns in answer["runs"]],
            answer["began"],
            answer["ended"],
            answer["cpu_seconds"],
            answer["rss_mib"],
            answer["peak_mib"],
            answer["compiled"],
        )

    def solve(
        self,
        first: int,
        stop: int,
        *,
        off: Sequence[str] | None = None,
        threads: int = 1,
        check: bool = False,
    ) -> Run:
        """`start` and `finish`."""
        self.start(first, stop, off=off, threads=threads, check=check)
        return self.finish()

    def _send(self, **request: Any) -> None:
        assert self._process.stdin is not None
        try:
            print(json.dumps(request), file=self._process.stdin, flush=True)
        except BrokenPipeError:
            self._gone()

    def _receive(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            self._gone()
        answer: dict[str, Any] = json.loads(line)
        if "error" in answer:
            raise BadInput(answer["error"])
        return answer

    def _gone(self) -> None:
        code = self._process.wait()
        raise WorkerEnded(f"the worker process has ended with exit code {code}")
