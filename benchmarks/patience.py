"""Benchmark of `patience-exact`: counts and CPU time of rulesets, beside what is published.

    python benchmarks/patience.py alpha-star trigon --sample solvitaire:1-10000
    python benchmarks/patience.py freecell --sample microsoft:1-1000 --fc-solve "-l lg"

A line for each ruleset: deals; winnable, unwinnable and undecided ones; CPU milliseconds a deal,
mean with its interval at 99 %, median and maximum; positions entered a deal and microseconds for
one; the median length of a win. CPU time is of the searching thread, solutions included; the
checker replays every win, which is not timed.

`--published` takes a table with the columns game, sample, winnable, unwinnable, unknown and
cpu_s_mean: the share of winnable deals there follows, and how many times our mean its CPU time is,
which was measured on another machine.

`--solvitaire` names the program of Blake and Gent, which is given the same rules and deals of its
own dealer in the same run, one process a deal, as they ran it: its CPU time, starts included, and
on how many deals the verdicts differ.

`--fc-solve` has freecell-solver solve the deals of the same sample of Microsoft's in the same run,
with the options given, by ``freecell-solver-range-parallel-solve``; its mean is of the CPU time of
the process, its median by the clock.
"""

import argparse
import csv
import re
import resource
import shlex
import subprocess
import tempfile
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from engine.checkers import WINS
from engine.dealing.dealers import get_dealer, parse_sample
from engine.games import game_of
from engine.patience.moves import SIZE
from engine.patience.presets import presets_of
from engine.rulesets import parse_ruleset
from measuring.figures import from_to, mean_interval, table
from solvers.outcome import Outcome, Result
from solvers.solver import parse_solver


def published_rows(path: Path) -> dict[str, dict[str, str]]:
    """The rows of a published table by game."""
    with path.open(newline="", encoding="utf-8") as lines:
        rows = csv.DictReader(line for line in lines if not line.startswith("#"))
        return {row["game"]: row for row in rows}


def row_of(slug: str, outcomes: list[Outcome], published: Mapping[str, str] | None) -> list[str]:
    """The row of a ruleset."""
    results = Counter(outcome.result for outcome in outcomes)
    times = np.array([outcome.cpu_ms for outcome in outcomes], dtype=np.float64)
    nodes = np.array([outcome.nodes for outcome in outcomes], dtype=np.float64)
    moves = [len(outcome.moves) // SIZE for outcome in outcomes if outcome.moves is not None]
    count = len(outcomes)
    row = [
        slug,
        f"{count:,}",
        f"{results[Result.WON]:,}",
        f"{results[Result.UNWINNABLE]:,}",
        f"{results[Result.GAVE_UP]:,}",
        f"{times.mean():.3f}",
        from_to(mean_interval(times)),
        f"{np.median(times):.3f}",
        f"{times.max():.1f}",
        f"{nodes.mean():,.0f}",
        f"{1000 * times.sum() / nodes.sum():.2f}",
        f"{np.median(moves):.1f}" if moves else "",
        f"{100 * results[Result.WON] / count:.3f}",
    ]
    if published is not None:
        deals = int(published["sample"])
        low = 100 * int(published["winnable"]) / deals
        high = low + 100 * int(published["unknown"]) / deals
        row += [
            f"{low:.3f}–{high:.3f}",
            f"{1000 * float(published['cpu_s_mean']) / times.mean():,.0f}",
        ]
    return row


def solve(slug: str, solver: str, sample_text: str) -> list[Outcome]:
    """The outcomes of a ruleset; each win is checked."""
    rules: Any = parse_ruleset(slug)
    game = game_of(rules)
    sample = parse_sample(sample_text)
    deals = get_dealer(sample.dealer).deal_block(sample.first, sample.count, game)
    outcomes = parse_solver(solver).solve(deals, rules)
    won = [at for at, outcome in enumerate(outcomes) if outcome.moves is not None]
    if won:
        assert game.load_checker is not None
        moves = [outcomes[at].moves or b"" for at in won]
        verdicts = game.load_checker()(np.ascontiguousarray(deals[won]), rules, moves)
        assert (verdicts == WINS).all(), f"{slug}: a solution does not win"
    return outcomes


def cpu_seconds(before: resource.struct_rusage, after: resource.struct_rusage) -> float:
    """CPU seconds between two measurements."""
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def time_fc_solve(first: int, count: int, arguments: str) -> str:
    """Milliseconds a deal of freecell-solver on Microsoft's deals: mean by CPU, median by clock."""
    program = "freecell-solver-range-parallel-solve"
    command = [program, str(first), str(first + count - 1), "1", *shlex.split(arguments)]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    ran = subprocess.run(command, check=True, capture_output=True, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    # It says when it began and when each deal was done.
    clock = np.array(
        re.findall(r"(?:Started|Reached Board No\. \d+) at (\d+\.\d+)", ran.stdout),
        dtype=np.float64,
    )
    median = 1000 * float(np.median(np.diff(clock)))
    mean = 1000 * cpu_seconds(before, after) / count
    return f"freecell-solver {arguments}: {mean:.3f} ms a deal, median {median:.3f}"


def beside_solvitaire(program: Path, slug: str, outcomes: list[Outcome], first: int) -> str:
    """CPU milliseconds a deal of Solvitaire beside ours, and how often the verdicts differ."""
    rules: Any = parse_ruleset(slug)
    times, differ, undecided = [], 0, 0
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        file.write(game_of(rules).rules_forms["solvitaire"].write(rules))
        file.flush()
        command = [str(program), "--custom-rules", file.name, "--classify", "--timeout", "120000"]
        command += ["--streamliners", "smart-solvability", "--random"]
        for seed, outcome in enumerate(outcomes, start=first):
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            ran = subprocess.run([*command, str(seed)], check=True, capture_output=True, text=True)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            times.append(cpu_seconds(before, after))
            # Of two searches of theirs the last word holds.
            verdict = ran.stdout.split(",")[-1].strip()
            known = {"solved": Result.WON, "unsolvable": Result.UNWINNABLE}.get(verdict)
            undecided += known is None
            differ += known is not None and outcome.result not in (known, Result.GAVE_UP)
    theirs = 1000 * float(np.mean(times))
    ours = float(np.mean([outcome.cpu_ms for outcome in outcomes]))
    return (
        f"{slug}: ours {ours:.3g} ms, Solvitaire {theirs:.3g} ms, {theirs / ours:.3g} times; "
        f"{len(times)} deals, {differ} verdicts differ, {undecided} undecided by it"
    )


def main() -> None:
    """Print the rows."""
    parser = argparse.ArgumentParser(description="Counts and CPU time of patience-exact.")
    parser.add_argument("rulesets", nargs="+")
    parser.add_argument("--sample", default="solvitaire:1-1000")
    parser.add_argument("--solver", default="patience-exact")
    parser.add_argument("--published", type=Path)
    parser.add_argument("--fc-solve", metavar="OPTIONS")
    parser.add_argument("--solvitaire", type=Path, metavar="PROGRAM")
    given = parser.parse_args()
    published = {} if given.published is None else published_rows(given.published)
    names = {
        str(preset.rules): preset.published
        for slug in given.rulesets
        for preset in presets_of(parse_ruleset(slug).game)
    }
    head = ["ruleset", "deals", "won", "unwinnable", "undecided", "ms", "interval", "median", "max"]
    head += ["nodes", "µs a node", "moves", "won %", "published %", "times faster"]
    rows = []
    for slug in given.rulesets:
        # Once before, so that no time has the loading of kernels.
        solve(slug, given.solver, given.sample.split(":")[0] + ":1-1")
        outcomes = solve(slug, given.solver, given.sample)
        row = row_of(slug, outcomes, published.get(names.get(slug, "")))
        if given.solvitaire is not None:
            first = parse_sample(given.sample).first
            print(beside_solvitaire(given.solvitaire, slug, outcomes, first), flush=True)
        rows.append([*row, *[""] * (len(head) - len(row))])
        print(" ".join(row), flush=True)
    print(table(head, rows))
    if given.fc_solve is not None:
        sample = parse_sample(given.sample)
        print(time_fc_solve(sample.first, sample.count, given.fc_solve))


if __name__ == "__main__":
    main()
