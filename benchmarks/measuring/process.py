"""A process that solves, seen from the one that asks: `Worker` and what it answers."""

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

# Deals solved before the clock starts, to find a win among them.
MOST_TO_WARM_UP = 10

ROOT = Path(__file__).resolve().parents[2]


class WorkerEnded(RuntimeError):
    """The process that solves ended by itself; why stands on standard error."""


@dataclass(frozen=True, slots=True)
class Outcomes:
    """What came of n deals, in their order.

    Attributes:
        result: the word for how each ended, `solvers.outcome.Result`.
        nodes: positions entered, int64[n].
        cpu_ms: CPU milliseconds of the thread that solved it, float64[n].
        length: standard moves of the solution, -1 where there is none, int64[n].
        faulty: whether it is a win that the referee does not accept, bool[n].
    """

    result: NDArray[np.str_]
    nodes: NDArray[np.int64]
    cpu_ms: NDArray[np.float64]
    length: NDArray[np.int64]
    faulty: NDArray[np.bool_]

    @classmethod
    def of(cls, columns: dict[str, list[Any]]) -> "Outcomes":
        """From columns of JSON."""
        return cls(
            np.array(columns["result"], dtype=np.str_),
            np.array(columns["nodes"], dtype=np.int64),
            np.array(columns["cpu_ms"], dtype=np.float64),
            np.array(columns["length"], dtype=np.int64),
            np.array(columns["faulty"], dtype=np.bool_),
        )

    @classmethod
    def joined(cls, parts: Sequence["Outcomes"]) -> "Outcomes":
        """Blocks of deals one after the other."""
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
        """``winnable``, ``unwinnable``, or nothing where none was reached."""
        return np.select(
            [self.result == "won", self.result == "unwinnable"], ["winnable", "unwinnable"], ""
        )

    @property
    def seconds(self) -> float:
        """CPU seconds of all."""
        return float(self.cpu_ms.sum()) / 1000

    def columns(self) -> dict[str, list[Any]]:
        """For keeping."""
        return {
            "result": self.result.tolist(),
            "nodes": self.nodes.tolist(),
            "cpu_ms": self.cpu_ms.round(4).tolist(),
            "length": self.length.tolist(),
        }


@dataclass(frozen=True, slots=True)
class Run:
    """One run over some deals.

    Attributes:
        threads: the outcomes of each thread.
        began: when it began, in seconds of a clock that all processes share.
        ended: when the last thread ended.
        cpu_seconds: CPU time of the process since it was started.
        rss_mib: memory in use when it answered.
        peak_mib: the most memory the process has had in use at once.
        compiled: how many kernels the process has compiled instead of loading them.
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
        """Those of the only thread."""
        (only,) = self.threads
        return only


class Worker:
    """A fresh process with one solver and one ruleset; a context manager that ends it.

    Attributes:
        name: the solver as it prints.
        version: the version of its method.
        ruleset: the ruleset's slug.
        switches: the search rules that can be switched off.
        rss_mib: memory in use when everything was imported and nothing solved.

    Raises:
        BadInput: there is no such solver or ruleset, or the one does not play the other.
        WorkerEnded: the process ended by itself.
    """

    def __init__(
        self,
        rules: str,
        solver: str,
        *,
        nodes: int | None = None,
        root: Path = ROOT,
        cache: Path | None = None,
    ) -> None:
        environment = os.environ | {"PYTHONPATH": str(root)}
        if cache is not None:
            environment["NUMBA_CACHE_DIR"] = str(cache)
        # Not the worker's own folder but the checkout comes first in the path.
        self._process = subprocess.Popen(
            [sys.executable, "-P", str(Path(__file__).with_name("worker.py"))],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            encoding="ascii",
            env=environment,
        )
        try:
            self._send(do="open", rules=rules, solver=solver, nodes=nodes)
            about = self._receive()
            if Path(about["home"]) != root.resolve():
                raise BadInput(f"{root} is no checkout of this repository: it has no such solver")
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
        """End the process, whatever it is doing."""
        self._process.kill()
        self._process.communicate()

    def load(self, deals: NDArray[np.uint8]) -> Run:
        """Hand over deals uint8[n, 52], and solve until one is won, so that all is compiled.

        Returns:
            The run over the first deal: with it, the first verdict was there.
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
        off: Sequence[str] = (),
        threads: int = 1,
        check: bool = False,
    ) -> None:
        """Have it solve the deals first..stop-1 that it was handed; `finish` waits for them."""
        self._send(do="solve", first=first, stop=stop, off=list(off), threads=threads, check=check)

    def finish(self) -> Run:
        """What came of the run that was started."""
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
        off: Sequence[str] = (),
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
        raise WorkerEnded(f"the process that solves has ended, with exit code {code}")
