"""Share of winnable deals whose shortest solutions are proved, with the times and the lengths.

    python benchmarks/shortest.py --winnable 1000 --seconds 5
    python benchmarks/shortest.py --first thoughtful-1:6000000 --count minimal-klondike

Deals are taken in the order of their seeds until so many are winnable; `exact` decides that, with a
budget that leaves next to none undecided (their number is printed). CPU seconds are those of the
thread and include the first solution that `exact` finds and shortens. Prints the share proved with
its Wilson interval at 95 %, times, lengths, and how far the bounds of the others are.

The referee replays each solution; the exit code is 1 if one does not win, is not as long as is
said, or is longer than the shortened one of `exact`.
"""

import argparse
import json
import sys
from pathlib import Path

import numpy as np

from catalogue.interrupts import ended_by_signals
from catalogue.statistics import wilson
from engine.dealing.dealers import parse_deal_id
from engine.errors import BadInput
from engine.klondike.deal import KlondikeDeal
from engine.klondike.moves import unpack_solution
from engine.klondike.referee import KlondikePosition
from engine.klondike.rules import parse_klondike
from engine.replay import replay
from measuring.figures import from_to, mean_interval, table
from solvers.klondike.exact.searching import BY_STOCKS
from solvers.klondike.shortest import method as shortest
from solvers.klondike.shortest.solving import COUNTS, find_shortest, length_of
from solvers.outcome import Result

_BLOCK = 100


def main() -> int:
    """Measure and print; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rules", default="klondike-draw3")
    parser.add_argument("--first", default="thoughtful-1:5000000", help="the first deal")
    parser.add_argument("--winnable", type=int, default=200, help="number of winnable deals")
    parser.add_argument("--seconds", type=float, default=5, help="CPU seconds per deal")
    parser.add_argument("--memory", type=int, default=2048, help="MiB")
    parser.add_argument("--count", default=COUNTS[0].slug, choices=[c.slug for c in COUNTS])
    parser.add_argument("--write", type=Path, help="write a JSON line for each deal to this file")
    arguments = parser.parse_args()
    try:
        return report(arguments)
    except BadInput as error:
        print(error, file=sys.stderr)
        return 2


def report(arguments: argparse.Namespace) -> int:
    """Solve deals and print the report."""
    rules = parse_klondike(arguments.rules)
    dealer, seed = parse_deal_id(arguments.first)
    warm = dealer.deal_block(seed, 1)
    shortest.solve(warm, rules, {"nodes": 2000, "memory_mib": arguments.memory, "count": 0})
    rows: list[dict[str, object]] = []
    unwinnable = undecided = wrong = 0
    while len(rows) < arguments.winnable:
        for cards in dealer.deal_block(seed, _BLOCK):
            start = KlondikePosition.start(KlondikeDeal.of(cards), rules)
            seed += 1
            first = BY_STOCKS.solve_position(start, {"nodes": 20_000_000, "memory_mib": 256})
            undecided += first.result is Result.GAVE_UP
            unwinnable += first.result is Result.UNWINNABLE
            if first.result is not Result.WON or first.moves is None:
                continue
            found = find_shortest(
                start,
                count=arguments.count,
                seconds=arguments.seconds,
                mebibytes=arguments.memory,
            )
            assert found.moves is not None
            assert found.length is not None
            at_first = length_of(start, unpack_solution(first.moves), arguments.count)
            wrong += not (
                replay(start, found.moves).is_won
                and length_of(start, found.moves, arguments.count) == found.length
                and (found.bound or 0) <= found.length <= at_first
            )
            rows.append(
                {
                    "seed": seed - 1,
                    "proved": found.is_proved,
                    "length": found.length,
                    "bound": found.bound,
                    "first": at_first,
                    "nodes": found.nodes,
                    "seconds": found.cpu_ms / 1000,
                }
            )
            if arguments.write is not None:
                with arguments.write.open("a") as stream:
                    print(json.dumps(rows[-1]), file=stream)
            if len(rows) == arguments.winnable:
                break
    print(
        f"{arguments.first} to {dealer.slug}:{seed - 1} under {rules}: {len(rows):,} winnable, "
        f"{unwinnable:,} unwinnable, {undecided} undecided"
    )
    show(rows, arguments)
    print(f"\nreplayed by the referee; {wrong} wrong")
    return 1 if wrong else 0


def show(rows: list[dict[str, object]], arguments: argparse.Namespace) -> None:
    """Print shares, times and lengths."""
    proved = np.array([row["proved"] for row in rows], dtype=bool)
    columns = {
        name: np.array([row[name] for row in rows], dtype=float)
        for name in ("length", "bound", "first", "nodes", "seconds")
    }
    interval = wilson(int(proved.sum()), len(rows), 0.95)
    print(
        f"proved within {arguments.seconds:g} CPU s, counted as {arguments.count}: "
        f"{proved.sum():,} of {len(rows):,} = {proved.mean():.1%} "
        f"(95 %: {interval.low:.1%} to {interval.high:.1%})\n"
    )
    lines = []
    for name, values in (
        ("CPU s", columns["seconds"]),
        ("CPU s, proved", columns["seconds"][proved]),
        ("shortest, proved", columns["length"][proved]),
        ("by exact, the same deals", columns["first"][proved]),
        ("not proved: length - bound", (columns["length"] - columns["bound"])[~proved]),
    ):
        if len(values):
            places = 2 if "CPU" in name else 1
            lines.append(
                [
                    name,
                    f"{len(values):,}",
                    f"{values.mean():.{places}f}",
                    from_to(mean_interval(values), places),
                    *(f"{np.percentile(values, at):.{places}f}" for at in (10, 50, 90, 100)),
                ]
            )
    print(table(["", "n", "mean", "(99 %)", "p10", "median", "p90", "max"], lines))


if __name__ == "__main__":
    with ended_by_signals():
        sys.exit(main())
