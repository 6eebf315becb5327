"""Wins of `random`, `greedy` and `hop` under different readings of Bjarnason et al. 2009.

    python benchmarks/planners.py [--sample thoughtful-1:0-999999] [--workers 2] [--players random]
    python benchmarks/planners.py --players hop --sample thoughtful-1:0-9999 [--samples 10]
        [--level 0] [--readings 1,2]

Prints for each reading the share won with its 99 % interval, the paired difference from the first
reading on the same deals with its 99 % interval, and whether the published share agrees at 1 %.
`--readings 1,2` plays only the first two readings of each player.

The readings of `random` and `greedy` concern the pairs of actions
(`solvers.klondike.kplus.actions`) and, for `random`, whether each action is equally likely, or
each class of actions and then each action in it. Those of `hop` concern the rollouts, the
determinizations they are given, whether reversible actions come in pairs in the game and in
rollouts, and the choice among equal actions; the row of the paper's table is that of `--samples`
and `--level`.
"""

import argparse
import multiprocessing
import sys
from multiprocessing.pool import Pool
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from catalogue.interrupts import ended_by_signals
from catalogue.reproduction.published import BJARNASON_2009, FIGURES
from catalogue.statistics import clopper_pearson
from engine.dealing.dealers import Sample, get_dealer, parse_sample
from engine.errors import BadInput
from engine.klondike.rules import parse_klondike
from measuring.figures import LEVEL, gain
from measuring.hindsight import CLASS_DRAWN, DRAWN, DRAWN_OF_CLASS, OtherwisePlayer, Ways
from solvers.klondike.kplus.actions import ANY, NEEDED, NONE, SINGLE
from solvers.klondike.kplus.values import H1
from solvers.klondike.players.game import GameRunner
from solvers.klondike.players.planners import PRUNED
from solvers.klondike.players.play import GREEDY, RANDOM, RANDOM_CLASS
from solvers.klondike.rollouts.multistage import THE_PAPER
from solvers.solver import parse_solver

RULES = "klondike-draw3"
CHANCES = {"": RANDOM, "a class first, then an action of it; ": RANDOM_CLASS}
PAIRS = {
    "pairs whose second action the first makes possible": NEEDED,
    "pairs with any second action": ANY,
    "no pairs": NONE,
    "reversible actions alone": SINGLE,
}


class Simple(NamedTuple):
    """A reading of `random` or `greedy`, with options of `players.play` and `kplus.actions`."""

    policy: int
    pairs: int


READINGS: dict[str, dict[str, Simple | Ways]] = {
    "random": {
        chance + name: Simple(policy, pairs)
        for chance, policy in CHANCES.items()
        for name, pairs in PAIRS.items()
    },
    "greedy": {name: Simple(GREEDY, pairs) for name, pairs in PAIRS.items()},
    "hop": {
        "as settled": Ways(),
        "in rollouts, a dead end is worth its value": Ways(rollouts=THE_PAPER),
        "rollouts in the order of preference": Ways(ordered=True),
        "rollouts with H1, then H2": Ways(first=H1),
        "the same arrangements for every action": Ways(shared=True),
        "one of equal actions is drawn": Ways(equals=DRAWN),
        "reversible actions alone": Ways(pairs=SINGLE),
        "reversible actions alone; one of equal actions is drawn": Ways(pairs=SINGLE, equals=DRAWN),
        "reversible actions alone; one of the equal ones in the best class is drawn": Ways(
            pairs=SINGLE, equals=DRAWN_OF_CLASS
        ),
        "reversible actions alone; of equal actions a class is drawn, then one of it": Ways(
            pairs=SINGLE, equals=CLASS_DRAWN
        ),
        "reversible actions alone; in rollouts, a dead end is worth its value": Ways(
            pairs=SINGLE, rollouts=THE_PAPER
        ),
        "reversible actions alone, in rollouts, too": Ways(
            pairs=SINGLE, rollouts=PRUNED._replace(pairs=SINGLE)
        ),
        "the card that an action turns up is drawn once": Ways(once=True),
    },
}
# Deals per task.
BLOCK = {"random": 20_000, "greedy": 20_000, "hop": 100}


def main() -> int:
    """Play and print; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sample", default="thoughtful-1:0-999999")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--players", default="random,greedy")
    parser.add_argument("--samples", type=int, choices=(10, 100), default=10)
    parser.add_argument("--level", type=int, choices=(0, 1), default=0)
    parser.add_argument("--readings", help="numbers of readings, from 1; by default all")
    arguments = parser.parse_args()
    players = arguments.players.split(",")
    for player in players:
        if player not in READINGS:
            parser.error(f"--players: {player!r} is none of {', '.join(READINGS)}")
    try:
        readings = {player: chosen(player, arguments.readings) for player in players}
        sample = parse_sample(arguments.sample)
    except BadInput as error:
        print(error, file=sys.stderr)
        return 2
    print(f"{sample} under {RULES}; all intervals at 99 %\n")
    print("| player | reading | won % | interval | against the first | published % | agrees |")
    print("|---|---|---|---|---|---|---|")
    with multiprocessing.get_context("spawn").Pool(arguments.workers) as pool:
        for player in players:
            solver = player
            if player == "hop":
                solver = f"hop(samples={arguments.samples}, level={arguments.level})"
            print_readings(pool, sample, player, solver, readings[player])
    return 0


def chosen(player: str, numbers: str | None) -> list[str]:
    """Select a player's readings by numbers such as `1,3`; all for None.

    Raises:
        BadInput: there is no such reading.
    """
    names = list(READINGS[player])
    if numbers is None:
        return names
    allowed = {str(number): name for number, name in enumerate(names, 1)}
    for number in numbers.split(","):
        if number not in allowed:
            raise BadInput(f"--readings: {player} has 1 to {len(names)}, not {number!r}")
    return [allowed[number] for number in numbers.split(",")]


def print_readings(
    pool: Pool, sample: Sample, player: str, solver: str, readings: list[str]
) -> None:
    """Print a row for each of a player's readings."""
    (figure,) = (
        figure for figure in FIGURES if figure.source == BJARNASON_2009 and figure.solver == solver
    )
    assert figure.games is not None
    settled: NDArray[np.bool_] | None = None
    for name in readings:
        size = BLOCK[player]
        tasks = [
            (sample.dealer, first, min(size, sample.last + 1 - first), solver, name)
            for first in sample.seeds[::size]
        ]
        won = np.concatenate(pool.starmap(play, tasks, chunksize=1))
        interval = clopper_pearson(int(won.sum()), len(won))
        against = "—" if settled is None else gain(won, settled)
        settled = won if settled is None else settled
        lost = int((~won).sum())
        agreement = figure.agreement(len(won) - lost, lost, len(won), LEVEL)
        print(
            f"| {solver} | {name} | {100 * won.mean():.3f} "
            f"| {100 * interval.low:.3f}–{100 * interval.high:.3f} | {against} "
            f"| {figure.percent} | {'yes' if agreement.agrees else 'no'} |",
            flush=True,
        )


def play(dealer: str, first: int, count: int, solver: str, name: str) -> NDArray[np.bool_]:
    """Play deals and return whether each is won."""
    game = GameRunner(parse_klondike(RULES), 0)
    deals = get_dealer(dealer).deal_block(first, count)
    asked = parse_solver(solver)
    values = dict(asked.values)
    reading = READINGS[asked.method.slug][name]
    if isinstance(reading, Simple):
        return np.array([game.play_simple(cards, *reading)[0] for cards in deals])
    player = OtherwisePlayer(reading, values["samples"], values["level"], game.work.world)
    return np.array([game.play(cards, player)[0] for cards in deals])


if __name__ == "__main__":
    with ended_by_signals():
        sys.exit(main())
