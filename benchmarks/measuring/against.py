"""Comparison of two checkouts on the same deals, each in its own process, taking turns.

A ratio below 1 means that this checkout is faster or enters fewer nodes.
"""

from pathlib import Path
from typing import Any

import numpy as np

from engine.errors import BadInput
from measuring.deals import Deals
from measuring.figures import blocks, from_to, kept, ratio_interval, table
from measuring.process import Outcomes, Worker
from measuring.report import Question, compare


def against(
    question: Question, deals: Deals, other: Path, rounds: int
) -> tuple[int, dict[str, Any]]:
    """Measure and print; the exit code is 1 if verdicts differ or are not the known ones."""
    if not (other / "solvers" / "registry.py").is_file():
        raise BadInput(
            f"{other} is not a checkout of this repository: it has no solvers/registry.py"
        )
    rules, solver, nodes = question.rules, question.solver, question.nodes
    with (
        Worker(rules, solver, nodes=nodes) as here,
        Worker(rules, solver, nodes=nodes, root=other.resolve()) as there,
    ):
        for worker in (here, there):
            worker.load(deals.cards)
        parts: dict[Worker, list[list[Outcomes]]] = {here: [], there: []}
        for number in range(rounds):
            for some in parts.values():
                some.append([])
            for turn, (first, stop) in enumerate(blocks(len(deals))):
                # The checkout that goes first changes with every block, and from round to round.
                for worker in (here, there) if (turn + number) % 2 == 0 else (there, here):
                    run = worker.solve(first, stop, check=number == 0)
                    parts[worker][number].append(run.outcomes)
    ours, theirs = ([Outcomes.joined(one) for one in parts[worker]] for worker in (here, there))
    print(f"{deals.name} under {here.ruleset}, rounds: {rounds}")
    print(f"here   {here.name}, version {here.version}")
    print(f"there  {there.name}, version {there.version}, {other}")
    faults = [f"here, {fault}" for fault in compare(deals, ours[0])]
    faults += [f"there, {fault}" for fault in compare(deals, theirs[0])]
    faults += _differences(ours[0], theirs[0])
    for fault in faults:
        print(fault)
    figures = _print_ratios(ours, theirs)
    alike = int((ours[0].nodes == theirs[0].nodes).sum())
    print(f"the same number of nodes for {alike:,} of {len(deals):,} deals")
    return int(bool(faults)), {
        "solver": here.name,
        "version": here.version,
        "version_there": there.version,
        "ruleset": here.ruleset,
        "groups": figures,
        "faults": faults,
        "same_nodes": alike,
    }


def _differences(ours: Outcomes, theirs: Outcomes) -> list[str]:
    here, there = ours.verdict, theirs.verdict
    differs = (here != "") & (there != "") & (here != there)
    return [
        f"deal {number}: {here[number]} here, {there[number]} there"
        for number in differs.nonzero()[0]
    ]


def _print_ratios(ours: list[Outcomes], theirs: list[Outcomes]) -> dict[str, Any]:
    # The mean over all rounds for each deal.
    ms = [np.mean([one.cpu_ms for one in side], axis=0) for side in (ours, theirs)]
    nodes = [side[0].nodes.astype(np.float64) for side in (ours, theirs)]
    here, there = ours[0].verdict, theirs[0].verdict
    both = np.where(here == there, here, "")
    figures: dict[str, Any] = {}
    rows = []
    for name, members in (
        ("all", np.ones(len(both), dtype=np.bool_)),
        ("winnable", both == "winnable"),
        ("unwinnable", both == "unwinnable"),
        ("undecided by either", both == ""),
    ):
        if not members.any():
            continue
        # Deals of other groups are kept as zeros, so that blocks stay intact.
        times = [np.where(members, side, 0.0) for side in ms]
        ratio = times[0].sum() / times[1].sum()
        interval = ratio_interval(times[0], times[1])
        of_nodes = nodes[0][members].sum() / max(1.0, nodes[1][members].sum())
        means = [side[members].mean() for side in ms]
        rows.append(
            (
                name, f"{members.sum():,}", f"{means[0]:.3f}", f"{means[1]:.3f}", f"{ratio:.3f}",
                from_to(interval), f"{of_nodes:.3f}",
            )
        )  # fmt: skip
        figures[name] = {
            "deals": int(members.sum()),
            "mean_ms": means,
            "ratio": ratio,
            "ratio_interval": kept(interval),
            "nodes_ratio": of_nodes,
        }
    print()
    head = ("CPU ms a deal", "deals", "here", "there", "here / there", "(99 %)", "of nodes")
    print(table(head, rows))
    return figures
