"""Length of the solutions of `exact`, and the cost of loading, unfolding and shortening.

    python benchmarks/solutions.py [--rules klondike-draw3 klondike-draw1]
    python benchmarks/solutions.py --sample thoughtful-1:0-9999 --beside 'exact-plain(nodes=100000)'

Prints for each ruleset the lengths in standard moves, turns of the stock and redeals included, of
the solutions as found by the search (the raw unfolding of version 1 of `exact`) and after one,
two and three rounds of shortening: mean with its bootstrapped interval at 99 %, median, 90th
percentile and maximum; the relative reduction by the first round; and the CPU microseconds to load
a deal and to make the moves of a win, mean and median.

`--beside` names any solver of the registry; for the deals that both win, the lengths of its
solutions are printed too, before and after shortening in three rounds.

The referee replays every solution; the exit code is 1 if one does not win.
"""

import argparse
import sys
import time
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from catalogue.interrupts import ended_by_signals
from engine.errors import BadInput
from engine.klondike.deal import KlondikeDeal
from engine.klondike.flat import new_position, set_up
from engine.klondike.moves import unpack_solution
from engine.klondike.referee import proves_win
from engine.klondike.rules import KlondikeRules, parse_klondike
from measuring.deals import Deals, of_sample
from measuring.figures import from_to, mean_interval, ratio_interval, table
from solvers.klondike.exact import searching
from solvers.klondike.exact.load import load_deal
from solvers.klondike.exact.method import search_of
from solvers.klondike.exact.search import WON
from solvers.klondike.exact.unfold import unfold_and_shorten
from solvers.klondike.solution.option import SHORTEN
from solvers.klondike.solution.plays import new_scratch
from solvers.klondike.solution.shorten import shorten
from solvers.solver import Solver, parse_solver

SAMPLE = "thoughtful-1:0-1999"
# Solutions by the rounds of shortening.
ROUNDS = {"as found": 0, "shortened": 1, "in 2 rounds": 2, "in 3 rounds": 3}
TURN, REDEAL = 0, 1  # bytes of moves


def main() -> int:
    """Measure and print; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rules", nargs="+", default=["klondike-draw3", "klondike-draw1"])
    parser.add_argument("--sample", default=SAMPLE)
    parser.add_argument("--nodes", type=int, default=100_000, help="node budget per deal")
    parser.add_argument(
        "--beside", help="another solver to compare with, such as 'exact-plain(nodes=100000)'"
    )
    arguments = parser.parse_args()
    try:
        other = parse_solver(arguments.beside) if arguments.beside else None
        rulesets = [parse_klondike(slug) for slug in arguments.rules]
        for rules in rulesets:
            for solver in filter(None, (parse_solver("exact"), other)):
                solver.check_plays(rules)
        deals = of_sample(arguments.sample)
        faults = [report(deals, rules, arguments.nodes, other) for rules in rulesets]
        return 1 if any(faults) else 0
    except BadInput as error:
        print(error, file=sys.stderr)
        return 2


class Line:
    """The packed solutions of one kind by deal; None for deals that were not won."""

    def __init__(self, name: str, moves: Sequence[bytes | None]) -> None:
        self.name = name
        self.moves = moves

    @property
    def won(self) -> NDArray[np.bool_]:
        return np.array([moves is not None for moves in self.moves])

    @property
    def lengths(self) -> NDArray[np.float64]:
        return np.array([len(moves or b"") for moves in self.moves], dtype=float)

    @property
    def turns(self) -> NDArray[np.float64]:
        return np.array(
            [sum(move in (TURN, REDEAL) for move in moves or b"") for moves in self.moves],
            dtype=float,
        )

    def wrong(self, deals: Deals, rules: KlondikeRules) -> int:
        """The number of solutions that do not win."""
        return sum(
            moves is not None
            and not proves_win(KlondikeDeal.of(cards), rules, unpack_solution(moves))
            for cards, moves in zip(deals.cards, self.moves, strict=True)
        )


def report(deals: Deals, rules: KlondikeRules, nodes: int, other: Solver | None) -> int:
    """Print the report of a ruleset; return the number of solutions that do not win."""
    lines, times = measure(deals, rules, nodes)
    raw, short = lines[:2]
    print(f"{deals.name} under {rules.slug}, exact(nodes={nodes})")
    print(f"won  {raw.won.sum():,} of {len(deals):,}\n")
    print_lengths(lines, raw.won)
    ratio = ratio_interval(short.lengths, raw.lengths)
    longer = int((short.lengths > raw.lengths).sum())
    print(
        f"\nshortened to {short.lengths.sum() / raw.lengths.sum():.1%} of the moves "
        f"{from_to(ratio)}; longer than before {longer}\n"
    )
    print(
        table(
            ["CPU µs", "mean", "(99 %)", "median", "p99"],
            [
                [
                    name,
                    f"{values.mean():.1f}",
                    from_to(mean_interval(values), 1),
                    f"{np.median(values):.1f}",
                    f"{np.percentile(values, 99):.1f}",
                ]
                for name, values in times.items()
            ],
        )
    )
    print()
    if other is not None:
        theirs = Line(str(other), [o.moves for o in other.solve(deals.cards, rules)])
        shorter = Line("the same, shortened", again(deals, rules, theirs))
        both = raw.won & theirs.won
        print(f"won by both  {both.sum():,}\n")
        print_lengths([*lines, theirs, shorter], both)
        print()
        lines += [theirs, shorter]
    wrong = sum(line.wrong(deals, rules) for line in lines)
    print(f"replayed by the referee; {wrong} do not win\n")
    return wrong + longer


def print_lengths(lines: Sequence[Line], deals: NDArray[np.bool_]) -> None:
    """Print a table of the lengths on the deals marked."""
    if not deals.any():
        return
    rows = []
    for line in lines:
        lengths = line.lengths[deals]
        rows.append(
            [
                line.name,
                f"{lengths.mean():.1f}",
                from_to(mean_interval(lengths), 1),
                f"{np.median(lengths):.0f}",
                f"{np.percentile(lengths, 90):.0f}",
                f"{lengths.max():.0f}",
                f"{line.turns[deals].mean():.1f}",
            ]
        )
    print(table(["moves", "mean", "(99 %)", "median", "p90", "max", "turns"], rows))


def measure(
    deals: Deals, rules: KlondikeRules, nodes: int
) -> tuple[list[Line], dict[str, NDArray[np.float64]]]:
    """Solve and time each deal in the solver's stages; return the solutions by rounds."""
    values = {"nodes": nodes, "memory_mib": 64}
    clock = time.thread_time_ns
    search, work = search_of(rules), searching.work
    # Compile, and fill the caches, before timing.
    search.solve(deals.cards[:20], rules, values)
    question = search.question(rules, values, 0)
    place = rules.draw, *searching.place_of(rules)
    ways = {name: search.ways(rules, {SHORTEN.name: rounds}) for name, rounds in ROUNDS.items()}
    moves: dict[str, list[bytes | None]] = {name: [] for name in ROUNDS}
    took: dict[str, list[int]] = {name: [] for name in ("load", *ROUNDS)}
    for number in range(len(deals.cards)):
        began = clock()
        load_deal(deals.cards, number, *place)
        took["load"].append(clock() - began)
        ended = searching.answer(question)
        for name, (before, after) in ways.items():
            if ended != WON:
                moves[name].append(None)
                continue
            began = clock()
            count = unfold_and_shorten(*before, int(work.report[1]), *after)
            took[name].append(clock() - began)
            moves[name].append(work.solution[:count].tobytes())
    times = {name: np.array(ns, dtype=float) / 1e3 for name, ns in took.items()}
    return [Line(name, moves[name]) for name in ROUNDS], times


def again(deals: Deals, rules: KlondikeRules, line: Line) -> list[bytes | None]:
    """Shorten the solutions of any solver."""
    start, scratch = new_position(), new_scratch()
    shorter: list[bytes | None] = []
    for cards, moves in zip(deals.cards, line.moves, strict=True):
        if moves is None:
            shorter.append(None)
            continue
        set_up(cards, rules.draw, start)
        array = np.frombuffer(moves, dtype=np.uint8).copy()
        shorter.append(array[: shorten(start, array, len(array), SHORTEN.high, scratch)].tobytes())
    return shorter


if __name__ == "__main__":
    with ended_by_signals():
        sys.exit(main())
