"""Scaling from one worker to two, as processes and as threads of one process.

Each worker solves all the deals, two of them at the same time, so that neither waits for the other
at the end; one worker and two take turns (one two, two one, …). The ratio is of deals per second of
wall-clock time, from the first start to the last end. Other load on the machine distorts it, so two
more figures explain why it is not 2: the same ratio by CPU time, which falls only if deals cost
more because two workers are active (memory, caches), and the share of the wall-clock time in which
the workers were running (lower if other processes used the cores, or a worker waited for a lock).
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from engine.errors import BadInput
from measuring.deals import Deals
from measuring.figures import from_to, kept, runs_interval, table
from measuring.process import Outcomes, Run, Worker
from measuring.report import Question

WANTED = 1.9
# Shorter runs are too noisy.
SHORT_SECONDS = 1.0


@dataclass(frozen=True, slots=True)
class Pass:
    """One pass of every worker over all deals."""

    outcomes: list[Outcomes]
    seconds: float

    @classmethod
    def of(cls, runs: list[Run]) -> "Pass":
        """The pass of parallel processes, or of one process with its threads."""
        return cls(
            [outcomes for run in runs for outcomes in run.threads],
            max(run.ended for run in runs) - min(run.began for run in runs),
        )

    @property
    def rate(self) -> float:
        """Deals per second."""
        return sum(len(outcomes) for outcomes in self.outcomes) / self.seconds

    @property
    def cpu(self) -> float:
        """CPU seconds of one worker."""
        return sum(outcomes.seconds for outcomes in self.outcomes) / len(self.outcomes)

    @property
    def running(self) -> float:
        """The share of the time in which a worker was running."""
        return self.cpu / self.seconds


def two(question: Question, deals: Deals, rounds: int) -> tuple[int, dict[str, Any]]:
    """Measure and print; exit code 1 if the ratio is certainly too low or outcomes differ."""
    if rounds < 2:
        raise BadInput(f"--rounds {rounds} is too few for an interval: expected 2 or more")
    rows, figures, code = [], {}, 0
    with (
        Worker(question.rules, question.solver, nodes=question.nodes) as first,
        Worker(question.rules, question.solver, nodes=question.nodes) as second,
    ):
        workers = (first, second)
        for worker in workers:
            worker.load(deals.cards)
        count = len(deals)

        def processes(how_many: int, turn: int) -> Pass:
            # Each of the two is used alone in turn.
            chosen = workers if how_many == 2 else workers[turn % 2 : turn % 2 + 1]
            for worker in chosen:
                worker.start(0, count)
            return Pass.of([worker.finish() for worker in chosen])

        def threads(how_many: int, _turn: int) -> Pass:
            return Pass.of([first.solve(0, count, threads=how_many)])

        print(
            f"{deals.name} under {first.ruleset}, {first.name}, version {first.version}: "
            f"one worker and two, rounds: {rounds}"
        )
        for name, run in (("processes", processes), ("threads", threads)):
            ones, twos, same = _rounds(run, rounds)
            ratios = [b.rate / a.rate for a, b in zip(ones, twos, strict=True)]
            ratio, interval = runs_interval(ratios)
            by_cpu, _ = runs_interval([2 * a.cpu / b.cpu for a, b in zip(ones, twos, strict=True)])
            rates = [float(np.mean([one.rate for one in some])) for some in (ones, twos)]
            running = [float(np.mean([one.running for one in some])) for some in (ones, twos)]
            rows.append(
                (
                    name, f"{rates[0]:,.1f}", f"{rates[1]:,.1f}", f"{ratio:.3f}", from_to(interval),
                    f"{by_cpu:.3f}", f"{running[0]:.1%}", f"{running[1]:.1%}",
                )
            )  # fmt: skip
            assert interval is not None
            if interval.high < WANTED or not same:
                code = 1
            figures[name] = {
                "ratio": ratio,
                "ratio_interval": kept(interval),
                "ratios": ratios,
                "ratio_by_cpu_time": by_cpu,
                "deals_a_second": rates,
                "running": running,
                "outcomes_alike": same,
            }
            if not same:
                print(f"{name}: outcomes or nodes differ from run to run")
            seconds = float(np.mean([one.seconds for one in ones]))
    print()
    print(
        table(
            (
                "", "deals/s: one", "two", "ratio", "(99 %)", "by CPU time", "running: one", "two",
            ),
            rows,
        )
    )  # fmt: skip
    print(f"wanted: {WANTED} or more")
    if seconds < SHORT_SECONDS:
        print(f"a run took {seconds:.2f} s only: take more deals for a ratio that can be trusted")
    return code, {
        "solver": first.name,
        "version": first.version,
        "ruleset": first.ruleset,
        **figures,
    }


def _rounds(run: Callable[[int, int], Pass], rounds: int) -> tuple[list[Pass], list[Pass], bool]:
    """The passes of one worker and of two, and whether all outcomes are alike."""
    # Not counted: the memory of both is touched for the first time.
    standard = run(2, 0).outcomes[0]
    passes: dict[int, list[Pass]] = {1: [], 2: []}
    for turn in range(rounds):
        for how_many in (1, 2) if turn % 2 == 0 else (2, 1):
            passes[how_many].append(run(how_many, turn))
    same = all(
        (outcomes.result == standard.result).all() and (outcomes.nodes == standard.nodes).all()
        for some in passes.values()
        for one in some
        for outcomes in one.outcomes
    )
    return passes[1], passes[2], same
