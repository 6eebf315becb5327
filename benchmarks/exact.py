"""How fast is `exact`, how much does it decide, and does it agree with known verdicts?

    python benchmarks/exact.py [--rules klondike-draw3] [--sample thoughtful-1:0-1999]
    python benchmarks/exact.py --rules klondike-draw1 --file tests/data/klondike-draw1.jsonl.gz

Prints CPU milliseconds a deal (mean, median, 90th and 99th percentile, maximum), nodes and nodes a
second, for all deals and apart for winnable, unwinnable and undecided ones; the share decided with
its Clopper–Pearson interval at 99 %; and peak memory. CPU time is of the one thread that searches,
unfolding of solutions included. Every win is replayed by the referee, outside the clock.

A file has JSON lines as `thoughtful solve --input` takes them; where a line has a ``verdict``
(``winnable`` or ``unwinnable``), decided deals are compared with it. Exit code 1 if one differs.
"""

import argparse
import gzip
import json
import resource
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from catalogue.statistics import clopper_pearson
from engine.dealers import get_dealer, parse_sample
from engine.deals import KlondikeDeal
from engine.errors import BadInput
from engine.moves import unpack_solution
from engine.referee import proves_win
from engine.rulesets import KlondikeRules, parse_ruleset
from solvers.outcome import Outcome, Result
from solvers.registry import Solver, parse_solver

_VERDICTS = {Result.WON: "winnable", Result.UNWINNABLE: "unwinnable"}


def main() -> int:
    """Solve the deals and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rules", default="klondike-draw3")
    parser.add_argument("--solver", default="exact")
    where = parser.add_mutually_exclusive_group()
    where.add_argument("--sample", default="thoughtful-1:0-1999")
    where.add_argument("--file", type=Path)
    arguments = parser.parse_args()
    try:
        rules = parse_ruleset(arguments.rules)
        solver = parse_solver(arguments.solver)
        if arguments.file:
            deals, verdicts = read_file(arguments.file)
        else:
            sample = parse_sample(arguments.sample)
            cards = get_dealer(sample.dealer).deal_block(sample.first, sample.count)
            deals = [KlondikeDeal.of(row) for row in cards]
            verdicts = [None] * len(deals)
        return report(deals, verdicts, rules, solver, str(arguments.file or arguments.sample))
    except BadInput as error:
        print(error, file=sys.stderr)
        return 2


def read_file(path: Path) -> tuple[list[KlondikeDeal], list[str | None]]:
    """Deals and, where known, verdicts of a file of JSON lines, gzipped or not."""
    try:
        data = path.read_bytes()
        text = (gzip.decompress(data) if path.suffix == ".gz" else data).decode()
        rows = [json.loads(line) for line in text.splitlines() if line]
    except (OSError, EOFError, ValueError) as error:
        raise BadInput(f"{path} cannot be read as JSON lines: {error}") from None
    return [KlondikeDeal.from_json(row) for row in rows], [row.get("verdict") for row in rows]


def report(
    deals: Sequence[KlondikeDeal],
    verdicts: Sequence[str | None],
    rules: KlondikeRules,
    solver: Solver,
    name: str,
) -> int:
    """Solve, compare, print; the exit code."""
    rows = np.array([deal.cards for deal in deals], dtype=np.uint8)
    solver.solve(rows[:1], rules)  # compile before the clock starts
    outcomes = solver.solve(rows, rules)

    differing = []
    known = 0
    for number, (deal, verdict, outcome) in enumerate(zip(deals, verdicts, outcomes, strict=True)):
        if outcome.result == Result.WON:
            assert outcome.moves is not None
            if not proves_win(deal, rules, unpack_solution(outcome.moves)):
                differing.append(f"deal {number}: its win does not replay")
        if verdict is not None and outcome.result in _VERDICTS:
            known += 1
            if _VERDICTS[outcome.result] != verdict:
                differing.append(f"deal {number}: {outcome.result.value}, known {verdict}")

    decided = sum(outcome.result in _VERDICTS for outcome in outcomes)
    interval = clopper_pearson(decided, len(outcomes))
    print(f"{name} under {rules.slug}, {solver}")
    print(
        f"decided  {decided:,} of {len(outcomes):,}, {decided / len(outcomes):.2%} "
        f"(99 %: {interval.low:.2%} to {interval.high:.2%})"
    )
    if any(verdict is not None for verdict in verdicts):
        print(f"verdicts compared  {known:,}, differing {len(differing)}")
    for line in differing:
        print(line)
    print()
    print(
        "            deals   mean ms  median     p90      p99       max"
        "    nodes a deal  median nodes"
    )
    for label, results in (
        ("all", tuple(Result)),
        ("winnable", (Result.WON,)),
        ("unwinnable", (Result.UNWINNABLE,)),
        ("undecided", (Result.GAVE_UP,)),
    ):
        print_row(label, [outcome for outcome in outcomes if outcome.result in results])
    nodes = sum(outcome.nodes for outcome in outcomes)
    seconds = sum(outcome.cpu_ms for outcome in outcomes) / 1000
    lengths = [len(outcome.moves) for outcome in outcomes if outcome.moves is not None]
    print()
    print(f"nodes a CPU second  {nodes / seconds:,.0f}")
    if lengths:
        print(
            f"solution length     {np.mean(lengths):.1f} moves on average, {max(lengths)} at most"
        )
    print(
        f"peak memory         {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:,.0f} MiB"
    )
    return 1 if differing else 0


def print_row(label: str, outcomes: list[Outcome]) -> None:
    """One line of the table; nothing where there are no such deals."""
    if not outcomes:
        return
    ms = np.array([outcome.cpu_ms for outcome in outcomes])
    nodes = np.array([outcome.nodes for outcome in outcomes])
    p90, p99 = np.percentile(ms, [90, 99])
    print(
        f"{label:10}{len(outcomes):7,}{ms.mean():10.3f}{np.median(ms):8.3f}{p90:8.2f}"
        f"{p99:9.1f}{ms.max():10.0f}{nodes.mean():16,.0f}{np.median(nodes):14,.0f}"
    )


if __name__ == "__main__":
    sys.exit(main())
