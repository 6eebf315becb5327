"""The report of one solver on some deals: verdicts, times, nodes and memory."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from catalogue.statistics import clopper_pearson
from measuring.deals import Deals
from measuring.figures import (
    from_to,
    geometric_mean,
    kept,
    mean_interval,
    share_of_slowest,
    table,
)
from measuring.process import Outcomes, Worker


@dataclass(frozen=True, slots=True)
class Question:
    """The subject of a benchmark: a solver under a ruleset, with an optional budget `nodes`.

    With `alone` it is asked for verdicts alone, without solutions.
    """

    rules: str
    solver: str
    nodes: int | None = None
    alone: bool = False


def report(question: Question, deals: Deals) -> tuple[int, dict[str, Any]]:
    """Solve the deals once and print; return the exit code and the figures."""
    with Worker(
        question.rules, question.solver, nodes=question.nodes, alone=question.alone
    ) as worker:
        first = worker.load(deals.cards)
        run = worker.solve(0, len(deals), check=True)
    alone = ", verdicts alone" if question.alone else ""
    print(f"{deals.name} under {worker.ruleset}, {worker.name}, version {worker.version}{alone}")
    outcomes = run.outcomes
    faults = compare(deals, outcomes)
    shares = _print_verdicts(deals, outcomes, faults)
    groups = _print_times(outcomes)
    beside = _print_beside_reference(deals, outcomes)
    print()
    lengths = outcomes.length[outcomes.length >= 0]
    if len(lengths):
        print(f"solution length   {lengths.mean():.1f} moves on average, {lengths.max()} at most")
    kernels = "compiled here" if run.compiled else "from the cache"
    print(
        f"memory            {run.peak_mib:,.0f} MiB at most, of a fresh process; "
        f"{worker.rss_mib:,.0f} before solving,\n                  "
        f"{first.peak_mib:,.0f} with the first verdict (kernels {kernels})"
    )
    return 1 if faults else 0, {
        "solver": worker.name,
        "version": worker.version,
        "ruleset": worker.ruleset,
        **shares,
        "groups": groups,
        "beside_reference_nodes": beside,
        "memory_mib": {
            "before_solving": worker.rss_mib,
            "first_verdict": first.peak_mib,
            "most": run.peak_mib,
            "kernels_compiled": run.compiled,
        },
        "deals": outcomes.columns(),
    }


def compare(deals: Deals, outcomes: Outcomes) -> list[str]:
    """A line for each deal whose verdict is not the known one or whose win does not replay."""
    found = outcomes.verdict
    differs = (found != "") & (deals.verdicts != "") & (found != deals.verdicts)
    faults = [f"deal {number}: its win does not replay" for number in outcomes.faulty.nonzero()[0]]
    for number in differs.nonzero()[0]:
        faults.append(f"deal {number}: {found[number]}, known {deals.verdicts[number]}")
    return faults


def _print_verdicts(deals: Deals, outcomes: Outcomes, faults: list[str]) -> dict[str, Any]:
    count = len(deals)
    decided = outcomes.verdict != ""
    known = deals.verdicts != ""
    interval = clopper_pearson(int(decided.sum()), count)
    print(
        f"decided  {decided.sum():,} of {count:,}, {decided.mean():.2%} "
        f"(99 %: {interval.low:.2%} to {interval.high:.2%})"
    )
    if known.any():
        print(f"verdicts compared  {(decided & known).sum():,}, differing {len(faults)}")
    for fault in faults:
        print(fault)
    return {
        "attempted": count,
        "decided": int(decided.sum()),
        "decided_interval": [interval.low, interval.high],
        "compared": int((decided & known).sum()),
        "faults": faults,
    }


def _groups(outcomes: Outcomes) -> dict[str, NDArray[np.bool_]]:
    verdict = outcomes.verdict
    return {
        "all": np.ones(len(outcomes), dtype=np.bool_),
        "winnable": verdict == "winnable",
        "unwinnable": verdict == "unwinnable",
        "undecided": verdict == "",
    }


def _print_times(outcomes: Outcomes) -> dict[str, Any]:
    """Print two tables and return the figures of each group."""
    figures: dict[str, Any] = {}
    times, nodes = [], []
    for name, members in _groups(outcomes).items():
        if not members.any():
            continue
        ms, entered = outcomes.cpu_ms[members], outcomes.nodes[members]
        interval = mean_interval(ms)
        median, p90, p99 = np.percentile(ms, [50, 90, 99])
        rate = entered.sum() / (ms.sum() / 1000)
        # A hundredth of fewer deals is less than one deal.
        share = share_of_slowest(ms) if len(ms) >= 100 else None
        slowest = "–" if share is None else f"{share:.0%}"
        figures[name] = {
            "deals": len(ms),
            "mean_ms": ms.mean(),
            "mean_ms_interval": kept(interval),
            "median_ms": median,
            "p90_ms": p90,
            "p99_ms": p99,
            "max_ms": ms.max(),
            "share_of_slowest": share,
            "mean_nodes": entered.mean(),
            "median_nodes": np.median(entered),
            "max_nodes": int(entered.max()),
            "nodes_a_second": rate,
        }
        times.append(
            (
                name, f"{len(ms):,}", f"{ms.mean():.3f}", from_to(interval), f"{median:.3f}",
                f"{p90:.2f}", f"{p99:.1f}", f"{ms.max():.0f}", slowest,
            )
        )  # fmt: skip
        nodes.append(
            (
                name, f"{len(ms):,}", f"{entered.mean():,.0f}", f"{np.median(entered):,.0f}",
                f"{entered.max():,}", f"{rate:,.0f}",
            )
        )  # fmt: skip
    head = (
        "CPU ms a deal",
        "deals",
        "mean",
        "(99 %)",
        "median",
        "p90",
        "p99",
        "max",
        "slowest 1 %",
    )
    print()
    print(table(head, times))
    print("slowest 1 %: their share of the total time")
    print()
    print(table(("nodes a deal", "deals", "mean", "median", "max", "nodes a CPU second"), nodes))
    return figures


def _print_beside_reference(deals: Deals, outcomes: Outcomes) -> dict[str, Any] | None:
    known = deals.reference_nodes > 0
    if not known.any():
        return None
    figures: dict[str, Any] = {}
    rows = []
    for name, members in _groups(outcomes).items():
        compared = members & known & (outcomes.verdict != "")
        if not compared.any():
            continue
        ours = outcomes.nodes[compared].astype(np.float64)
        theirs = deals.reference_nodes[compared].astype(np.float64)
        # A solver may decide a deal without entering any position.
        mean = geometric_mean(np.maximum(ours, 1) / theirs)
        total = ours.sum() / theirs.sum()
        figures[name] = {"deals": len(ours), "geometric_mean": mean, "of_totals": total}
        rows.append((name, f"{len(ours):,}", f"{mean:.4f}", f"{total:.4f}"))
    print()
    print(table(("nodes / reference_nodes", "deals", "geometric mean", "ratio of totals"), rows))
    print(
        "reference_nodes: the nodes that another solver needed for the same deal, from the file.\n"
        "Undecided deals are left out. The definition of a node differs between solvers."
    )
    return figures
