"""Ablation of the rules of a search: the same deals with one rule at a time switched off.

All variants take turns after every few deals, in one process. A deal that is given up counts with
the effort spent on it, so if a variant leaves more deals undecided, its ratios are underestimates.
At draw 1, where `exact` takes turns with a second search, the first one alone is measured.
"""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from engine.errors import BadInput
from measuring.deals import Deals, of_file
from measuring.figures import blocks, from_to, kept, ratio_interval, table
from measuring.process import Outcomes, Worker
from measuring.report import Question, compare

# Default node budget: without some of the rules deals would take hours.
NODES = 1_000_000
ALL_ON = "all on"
SHOWN = 10


def ablate(question: Question, deals: Deals) -> tuple[int, dict[str, Any]]:
    """Print the table of the rules; exit code 1 if one of them changes a verdict."""
    with _worker(question) as worker:
        worker.load(deals.cards)
        measured = solve_all_ways(worker, len(deals))
    print(f"{deals.name} under {worker.ruleset}, {worker.name}, version {worker.version}")
    standard = measured[ALL_ON]
    rows, figures = [], {}
    differing: list[str] = []
    for name, outcomes in measured.items():
        faults = _faults(deals, standard, outcomes)
        differing += [f"{name}: {fault}" for fault in faults]
        undecided = int((outcomes.verdict == "").sum())
        ratio = outcomes.cpu_ms.sum() / standard.cpu_ms.sum()
        interval = None if name == ALL_ON else ratio_interval(outcomes.cpu_ms, standard.cpu_ms)
        nodes = outcomes.nodes.sum() / max(1, standard.nodes.sum())
        p99 = np.percentile(outcomes.cpu_ms, 99)
        rows.append(
            (
                name, f"{outcomes.cpu_ms.mean():.3f}", f"{p99:.1f}", f"{ratio:.3f}",
                from_to(interval), f"{outcomes.nodes.mean():,.0f}", f"{nodes:.3f}",
                f"{undecided:,}", str(len(faults)),
            )
        )  # fmt: skip
        figures[name] = {
            "mean_ms": outcomes.cpu_ms.mean(),
            "p99_ms": p99,
            "ratio": ratio,
            "ratio_interval": kept(interval),
            "mean_nodes": outcomes.nodes.mean(),
            "nodes_ratio": nodes,
            "undecided": undecided,
            "differing": faults,
        }
    print()
    print(
        table(
            (
                "switched off", "mean ms", "p99", "ratio", "(99 %)", "mean nodes", "ratio",
                "undecided", "differing",
            ),
            rows,
        )
    )  # fmt: skip
    print(f"ratio: to {ALL_ON}; too low where more deals are undecided. CPU ms and nodes a deal.")
    _print_first(differing)
    return int(bool(differing)), {
        "solver": worker.name,
        "version": worker.version,
        "ruleset": worker.ruleset,
        "attempted": len(deals),
        "rules": figures,
    }


def check_verdicts(question: Question, files: Sequence[str]) -> tuple[int, dict[str, Any]]:
    """Solve files of known verdicts with all variants; exit code 1 if a verdict is wrong."""
    given = [_ruleset_and_file(question.rules, text) for text in files]
    deals_of = [of_file(path) for _, path in given]
    for deals in deals_of:
        if not (deals.verdicts != "").any():
            raise BadInput(f"{deals.name} has no known verdicts")
    rows = []
    kept_rows: list[dict[str, Any]] = []
    differing: list[str] = []
    for (rules, _), deals in zip(given, deals_of, strict=True):
        with _worker(Question(rules, question.solver, question.nodes)) as worker:
            worker.load(deals.cards)
            measured = solve_all_ways(worker, len(deals))
        print(f"{deals.name} under {worker.ruleset}, {worker.name}, version {worker.version}")
        standard = measured[ALL_ON]
        for name, outcomes in measured.items():
            faults = _faults(deals, standard, outcomes)
            differing += [f"{deals.name}, {name}: {fault}" for fault in faults]
            decided = outcomes.verdict != ""
            compared = int((decided & (deals.verdicts != "")).sum())
            undecided = int((~decided).sum())
            rows.append(
                (
                    f"{worker.ruleset}, {name}", f"{len(deals):,}", f"{compared:,}",
                    f"{undecided:,}", str(len(faults)),
                )
            )  # fmt: skip
            kept_rows.append(
                {
                    "file": deals.name,
                    "ruleset": worker.ruleset,
                    "off": name,
                    "compared": compared,
                    "undecided": undecided,
                    "differing": faults,
                }
            )
    print()
    print(table(("switched off", "deals", "compared", "undecided", "differing"), rows))
    total = sum(row["compared"] for row in kept_rows)
    print(f"compared {total:,}, differing {len(differing)}")
    _print_first(differing)
    return int(bool(differing)), {
        "solver": worker.name,
        "version": worker.version,
        "rows": kept_rows,
    }


def solve_all_ways(worker: Worker, count: int) -> dict[str, Outcomes]:
    """The outcomes of the loaded deals with all rules on, and with each one off."""
    ways = [ALL_ON, *worker.switches]
    parts: dict[str, list[Outcomes]] = {way: [] for way in ways}
    for way in ways[1:]:
        worker.solve(0, 1, off=[way])  # in case a variant has anything to compile
    for number, (first, stop) in enumerate(blocks(count)):
        _say(f"{first:,} of {count:,} deals, {len(ways)} ways")
        # The order of the variants is rotated each time, and reversed every second time.
        turn = number // 2 % len(ways)
        order = ways[turn:] + ways[:turn]
        for way in order if number % 2 == 0 else reversed(order):
            off = [] if way == ALL_ON else [way]
            parts[way].append(worker.solve(first, stop, off=off, check=True).outcomes)
    _say("")
    return {way: Outcomes.joined(some) for way, some in parts.items()}


def _worker(question: Question) -> Worker:
    worker = Worker(question.rules, question.solver, nodes=question.nodes)
    if worker.switches and question.nodes is None and "nodes" not in question.solver:
        worker.end()
        worker = Worker(question.rules, question.solver, nodes=NODES)
    if not worker.switches:
        worker.end()
        raise BadInput(f"{worker.name} has no rules that can be switched off")
    return worker


def _ruleset_and_file(rules: str, text: str) -> tuple[str, Path]:
    """Parse ``klondike-draw1=FILE``, or a file alone, with the ruleset of the command."""
    named, equals, file = text.partition("=")
    return (named, Path(file)) if equals else (rules, Path(text))


def _faults(deals: Deals, standard: Outcomes, outcomes: Outcomes) -> list[str]:
    """Verdicts that differ from known ones or from those with all rules on, and invalid wins."""
    ours, all_on = outcomes.verdict, standard.verdict
    # Differences from known verdicts are reported by `compare`.
    differs = (ours != "") & (all_on != "") & (ours != all_on) & (deals.verdicts == "")
    return compare(deals, outcomes) + [
        f"deal {number}: {ours[number]}, {all_on[number]} with {ALL_ON}"
        for number in differs.nonzero()[0]
    ]


def _print_first(differing: list[str]) -> None:
    for line in differing[:SHOWN]:
        print(line)
    if len(differing) > SHOWN:
        print(f"and {len(differing) - SHOWN:,} more")


def _say(progress: str) -> None:
    """Show progress on a terminal, never in a file."""
    if sys.stderr.isatty():
        print(f"\r{progress:60}\r", end="", file=sys.stderr, flush=True)
