"""Length of the solutions of `exact`, and the cost of loading, unfolding and shortening.

    python benchmarks/solutions.py [--rules klondike-draw3 klondike-draw1]
    python benchmarks/solutions.py --sample thoughtful-1:0-9999 --beside 'exact-plain(nodes=100000)'
    python benchmarks/solutions.py --sample thoughtful-1:6000000-6000299 --prove 2000000

Prints for each ruleset the lengths in standard moves, turns of the stock and redeals included, of
the solutions as found by the search (the raw unfolding of version 1 of `exact`), after one, two
and three rounds of shortening, as `exact` gives them to be stored, and as people see them: mean
with its bootstrapped interval at 99 %, median, 90th percentile and maximum; the relative reduction
by the first round; how many solutions bring cards back from the foundations; the CPU microseconds
to load a deal and to make the moves of a win, mean and median; and the CPU time of `exact` with and
without its search for solutions that bring none back.

`--prove` has `shortest` expand so many positions for each deal and prints how much longer the
solutions are than those proved to be shortest, and at most are than the shortest ones of all deals,
by the bounds that are proved. What is proved is kept in the file of `--bounds`, if that is given,
and not proved again.

`--beside` names any solver of the registry; for the deals that both win, the lengths of its
solutions are printed too, before and after shortening in three rounds.

The referee replays every solution; the exit code is 1 if one does not win.
"""

import argparse
import json
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from catalogue.interrupts import ended_by_signals
from engine.errors import BadInput
from engine.klondike.deal import KlondikeDeal
from engine.klondike.flat import DOWN_FROM, RUN, new_position, set_up
from engine.klondike.moves import unpack_solution
from engine.klondike.referee import KlondikePosition, proves_win
from engine.klondike.rules import KlondikeRules, parse_klondike
from measuring.deals import Deals, of_sample
from measuring.figures import from_to, mean_interval, ratio_interval, table
from solvers.klondike.exact import searching
from solvers.klondike.exact.load import load_deal
from solvers.klondike.exact.method import search_of
from solvers.klondike.exact.search import WON
from solvers.klondike.exact.unfold import unfold_and_shorten
from solvers.klondike.shortest.improving import improved_line
from solvers.klondike.shortest.solving import find_shortest
from solvers.klondike.solution.option import SHORTEN
from solvers.klondike.solution.plays import MOST_ROUNDS, new_scratch
from solvers.klondike.solution.shorten import shorten
from solvers.solver import Solver, parse_solver

SAMPLE = "thoughtful-1:0-1999"
# Solutions by the rounds of shortening.
ROUNDS = {"as found": 0, "shortened": 1, "in 2 rounds": 2, "in 3 rounds": 3}
STORED, SHOWN = "as stored", "as shown"
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
    parser.add_argument("--prove", type=int, help="positions expanded for proofs, per deal")
    parser.add_argument("--bounds", type=Path, help="file in which what is proved is kept")
    arguments = parser.parse_args()
    try:
        other = parse_solver(arguments.beside) if arguments.beside else None
        rulesets = [parse_klondike(slug) for slug in arguments.rules]
        for rules in rulesets:
            for solver in filter(None, (parse_solver("exact"), other)):
                solver.check_plays(rules)
        deals = of_sample(arguments.sample)
        proofs = Proofs(arguments.prove, arguments.bounds)
        faults = [report(deals, rules, arguments.nodes, other, proofs) for rules in rulesets]
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


class Proof(NamedTuple):
    """The length of the shortest solution known, and what none is shorter than."""

    length: int
    bound: int


class Proofs:
    """Proofs for deals, kept in a file if there is one; without a number of nodes there are none.

    A line of the file has the ruleset, the cards of the deal as a key, the length and the bound.
    """

    def __init__(self, nodes: int | None, file: Path | None) -> None:
        self.nodes = nodes
        self.file = file
        self._known: dict[tuple[str, str], Proof] = {}
        if file is not None and file.exists():
            for line in map(json.loads, file.read_text().splitlines()):
                self._known[line["rules"], line["cards"]] = Proof(line["length"], line["bound"])

    def of(self, cards: NDArray[np.uint8], rules: KlondikeRules) -> Proof:
        """The proof for a deal that can be won."""
        key = rules.slug, cards.tobytes().hex()
        if key not in self._known:
            assert self.nodes is not None
            start = KlondikePosition.start(KlondikeDeal.of(cards), rules)
            found = find_shortest(start, nodes=self.nodes)
            assert found.length is not None
            assert found.bound is not None
            proof = self._known[key] = Proof(found.length, found.bound)
            if self.file is not None:
                line = {"rules": key[0], "cards": key[1], **proof._asdict()}
                with self.file.open("a") as stream:
                    print(json.dumps(line), file=stream)
        return self._known[key]


def report(
    deals: Deals, rules: KlondikeRules, nodes: int, other: Solver | None, proofs: Proofs
) -> int:
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
    print_returns(lines, int(raw.won.sum()))
    if proofs.nodes is not None:
        print_proofs(lines, deals, rules, proofs)
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


def print_returns(lines: Sequence[Line], won: int) -> None:
    """Print how many solutions bring cards back from the foundations, and how often."""
    rows = []
    for line in lines:
        moves = [np.frombuffer(each, dtype=np.uint8) for each in line.moves if each is not None]
        back = np.array([((each >= DOWN_FROM) & (each < RUN)).sum() for each in moves])
        counts = [f"{(back >= least).sum():,}" for least in (1, 4, 10)]
        rows.append([line.name, *counts, f"{back.max()}"])
    print(f"cards brought back, in {won:,} wins")
    print(table(["wins with", "any", "4 or more", "10 or more", "most"], rows))
    print()


def print_proofs(lines: Sequence[Line], deals: Deals, rules: KlondikeRules, proofs: Proofs) -> None:
    """Print how much longer solutions are than those proved to be shortest, and than bounds."""
    won = np.flatnonzero(lines[0].won)
    known = [proofs.of(deals.cards[at], rules) for at in won]
    bound = np.array([each.bound for each in known], dtype=float)
    is_proved = np.array([each.bound == each.length for each in known])
    print(
        f"proved shortest {is_proved.sum():,} of {len(known):,}, "
        f"{bound[is_proved].mean():.1f} moves in the mean; all deals at least {bound.mean():.1f}"
    )
    rows = []
    for line in lines:
        lengths = line.lengths[won]
        of_proved, of_bound = lengths[is_proved] / bound[is_proved], lengths / bound
        rows.append(
            [
                line.name,
                f"{of_proved.mean():.3f}",
                from_to(mean_interval(of_proved), 3),
                f"{np.percentile(of_proved, 90):.3f}",
                f"{of_bound.mean():.3f}",
                from_to(mean_interval(of_bound), 3),
            ]
        )
    heads = ["length by", "shortest", "(99 %)", "p90", "bound, all", "(99 %)"]
    print(table(heads, rows))
    print()


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
    moves[STORED] = list(stored(deals, rules, nodes))
    moves[SHOWN], took[SHOWN] = shown(deals, rules, moves[STORED])
    times = {name: np.array(ns, dtype=float) / 1e3 for name, ns in took.items()}
    return [Line(name, moves[name]) for name in (*ROUNDS, STORED, SHOWN)], times


def stored(deals: Deals, rules: KlondikeRules, nodes: int) -> list[bytes | None]:
    """The solutions of `exact`; prints what it takes that they bring fewer cards back."""
    means = []
    for values in ("returns=1", "returns=0"):
        solver = parse_solver(f"exact(nodes={nodes}, memory_mib=64, {values})")
        solver.solve(deals.cards[:20], rules)
        outcomes = solver.solve(deals.cards, rules)
        times = np.array([outcome.cpu_ms or 0.0 for outcome in outcomes])
        means.append(f"{times.mean():.3f} {from_to(mean_interval(times), 3)}")
    print(f"CPU ms a deal: first solutions kept {means[0]}, as stored {means[1]}")
    return [outcome.moves for outcome in outcomes]


def shown(
    deals: Deals, rules: KlondikeRules, lines: Sequence[bytes | None]
) -> tuple[list[bytes | None], list[int]]:
    """Solutions as people see them, and what it took to make them, in ns."""
    start = new_position()
    short: list[bytes | None] = []
    took: list[int] = []
    for cards, moves in zip(deals.cards, lines, strict=True):
        if moves is not None:
            set_up(cards, rules.draw, start)
            if not took:
                improved_line(start, moves)
            began = time.thread_time_ns()
            moves = improved_line(start, moves)
            took.append(time.thread_time_ns() - began)
        short.append(moves)
    return short, took


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
        shorter.append(array[: shorten(start, array, len(array), MOST_ROUNDS, scratch)].tobytes())
    return shorter


if __name__ == "__main__":
    with ended_by_signals():
        sys.exit(main())
