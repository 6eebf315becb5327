"""Time to the first verdict, with a clean and with a warm cache of compiled kernels.

Wall-clock time from the start of a new Python process to the outcome. The deal is the one won with
the fewest nodes among the first of the sample, so that the search takes almost no time and the
solution is unfolded too.
"""

import statistics
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from measuring.deals import Deals
from measuring.figures import table
from measuring.process import Run, Worker
from measuring.report import Question

DEALS = 20
CLEAN_SECONDS = 30.0
WARM_SECONDS = 1.0


def start_up(question: Question, deals: Deals, rounds: int) -> tuple[int, dict[str, Any]]:
    """Measure and print; the exit code is 1 if one of the two takes too long."""
    with Worker(question.rules, question.solver, nodes=question.nodes) as worker:
        worker.load(deals.cards[:DEALS])
        outcomes = worker.solve(0, min(DEALS, len(deals))).outcomes
    print(
        f"{deals.name} under {worker.ruleset}, {worker.name}, version {worker.version}: "
        "seconds until the first verdict"
    )
    easiest = int(np.lexsort((outcomes.nodes, outcomes.verdict != "winnable"))[0])
    if outcomes.verdict[easiest] != "winnable":
        print(f"no deal of the first {len(outcomes)} is won: solutions are not unfolded here")

    rows, warm = [], []
    with tempfile.TemporaryDirectory() as folder:
        for number in range(rounds + 1):
            imported, seconds, run = _once(question, deals.cards[easiest], Path(folder))
            label = f"warm cache {number}" if number else "clean cache"
            rows.append(
                (
                    label, f"{imported:.2f}", f"{seconds:.2f}", f"{run.cpu_seconds:.2f}",
                    str(run.compiled), f"{run.peak_mib:,.0f}",
                )
            )  # fmt: skip
            if number:
                warm.append(seconds)
            else:
                clean, clean_run = seconds, run
    print()
    head = ("", "imported", "first verdict", "CPU seconds", "compiled", "peak MiB")
    print(table(head, rows))
    median = statistics.median(warm)
    print(f"clean cache  {clean:.2f} s, wanted: less than {CLEAN_SECONDS:.0f}")
    print(
        f"warm cache   {median:.2f} s, the median of {rounds} ({min(warm):.2f} to "
        f"{max(warm):.2f}), wanted: less than {WARM_SECONDS:.0f}"
    )
    return int(clean >= CLEAN_SECONDS or median >= WARM_SECONDS), {
        "solver": worker.name,
        "version": worker.version,
        "ruleset": worker.ruleset,
        "clean_seconds": clean,
        "clean_cpu_seconds": clean_run.cpu_seconds,
        "clean_peak_mib": clean_run.peak_mib,
        "clean_compiled": clean_run.compiled,
        "warm_seconds": warm,
    }


def _once(question: Question, deal: NDArray[np.uint8], cache: Path) -> tuple[float, float, Run]:
    """Seconds to the end of imports and to the first verdict, and the run."""
    began = time.perf_counter()
    with Worker(question.rules, question.solver, nodes=question.nodes, cache=cache) as worker:
        imported = time.perf_counter() - began
        run = worker.load(deal[np.newaxis])
        return imported, time.perf_counter() - began, run
