"""Wins of players, as a share of all deals and of winnable deals, and their cost.

    python benchmarks/players.py [--rules klondike-draw3] [--sample SAMPLE] [PLAYER ...]

Plays the sample through the catalogue, so that games are stored and an interrupted run can be
resumed, decides its deals with `exact`, and prints for each player the share won with its 95 %
interval, the same of winnable deals only, mean CPU time with its 95 % interval, and the difference
from the previous player on the same deals. Without PLAYER: `policy-uct` with several budgets.
"""

import argparse
import sys

import numpy as np
from numpy.typing import NDArray

from catalogue import store
from catalogue.interrupts import ended_by_signals
from catalogue.jobs import queue as jobs
from catalogue.jobs import runner
from catalogue.reproduction.reproduction import games_of
from catalogue.statistics import clopper_pearson, mean_interval
from catalogue.store import Catalogue
from engine.dealing.dealers import Sample, parse_sample
from engine.errors import BadInput
from measuring.figures import gain
from solvers.solver import parse_solver

PLAYERS = tuple(f"policy-uct(trajectories={budget})" for budget in (0, 60, 250, 2000))


def main() -> int:
    """Play and print; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("players", metavar="PLAYER", nargs="*", default=list(PLAYERS))
    parser.add_argument("--rules", default="klondike-draw3")
    parser.add_argument("--sample", default="thoughtful-1:0-1999")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--database")
    arguments = parser.parse_args()
    try:
        sample = parse_sample(arguments.sample)
        solvers = [str(parse_solver(name)) for name in ("exact", *arguments.players)]
        store.init(arguments.database)
        with store.open_catalogue(arguments.database) as catalogue:
            for solver in solvers:
                number = jobs.submit(catalogue, arguments.rules, sample, [solver])
                runner.run(catalogue, workers=arguments.workers, only=[number])
            print_table(catalogue, arguments.rules, sample, solvers)
    except BadInput as error:
        print(error, file=sys.stderr)
        return 2
    return 0


def print_table(catalogue: Catalogue, rules: str, sample: Sample, solvers: list[str]) -> None:
    """Print a row for each player."""
    _, winnable = games_of(catalogue, rules, sample, solvers[0])
    n, possible = sample.count, int(winnable.sum())
    print(f"{sample} under {rules}: {possible:,} of {n:,} deals won by exact\n")
    if not possible:
        raise BadInput(f"{sample} has no winnable deal")
    print("| player | won % | 95 % | of the winnable, % | 95 % | CPU s a game, 95 % | gain, 95 % |")
    print("|---|---|---|---|---|---|---|")
    before: NDArray[np.bool_] | None = None
    for name in solvers[1:]:
        seconds, won = games_of(catalogue, rules, sample, name)
        every, some = clopper_pearson(int(won.sum()), n, 0.95), int((won & winnable).sum())
        of_those = clopper_pearson(some, possible, 0.95)
        times = mean_interval(seconds, 0.95)
        spread = "" if times is None else f" ({times.low:.3g} to {times.high:.3g})"
        change = "—" if before is None else gain(won, before, 0.95)
        before = won
        print(
            f"| {name} | {100 * won.mean():.2f} | {100 * every.low:.2f}–{100 * every.high:.2f} "
            f"| {100 * some / possible:.2f} "
            f"| {100 * of_those.low:.2f}–{100 * of_those.high:.2f} "
            f"| {seconds.mean():.3g}{spread} | {change} |"
        )


if __name__ == "__main__":
    with ended_by_signals():
        sys.exit(main())
