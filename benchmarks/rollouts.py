"""Speed of playouts, and wins under different readings of Bjarnason et al. 2007.

    python benchmarks/rollouts.py [--deals 2000] [--rounds 5]
    python benchmarks/rollouts.py --readings [--rows "n=1,n=2"] [--deals 20000] [--workers 2]

The first form prints moves per second on one core: of the state machine of K+ in uniformly random
playouts; of the same playouts in straightforward C++ (`benchmarks/playouts.cpp`, built with g++ -O3
if available), alternating in each round, and their ratio; and of the rollouts of `nested-rollout`
and `multistage`, in which every move evaluates all actions and tests for loops and dead ends.
Random playouts also show that both programs play the same game: the mean numbers of legal moves
agree.

The second form prints, for each reading of the paper and each of its rows that can be measured
within minutes, the share won with its 99 % interval, the paired difference from the default on the
same deals with its 99 % interval, and mean CPU time. The rows with the deepest nesting are measured
only under the readings that change the other rows.
"""

import argparse
import math
import multiprocessing
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

import numpy as np
from numpy.typing import NDArray

from catalogue.interrupts import ended_by_signals
from catalogue.statistics import clopper_pearson
from engine.dealing.dealers import Dealer, get_dealer
from engine.kernels.decorators import kernel
from engine.kernels.rng import random_below, seed_rng
from engine.klondike.kplus import MOST_MOVES, macro_moves, new_table, play, set_up
from engine.klondike.rules import PRESETS
from measuring.figures import gain
from solvers.klondike.kplus import actions as kplus_actions
from solvers.klondike.kplus.values import H1, H2
from solvers.klondike.rollouts import search as multistage_kernel
from solvers.klondike.rollouts.multistage import RolloutReading, Rollouts

RULES = PRESETS["klondike-draw3"]
LIMIT = 200

# Levels, first heuristic, and the part of the deals that is played.
ROWS = {
    "n=0": ((0,), H2, 1),
    "n=1": ((1,), H2, 1),
    "n0=1;n1=1": ((1, 1), H1, 2),
    "n=2": ((2,), H2, 4),
    "n=3": ((3,), H2, 4),
    "n0=2;n1=1": ((2, 1), H1, 4),
}
DEEP = ("n=3", "n0=2;n1=1")
READINGS = {
    "as settled": RolloutReading(),
    "a dead end is LOSS": RolloutReading(dead=multistage_kernel.LOST_AT_ONCE),
    "no test for dead ends": RolloutReading(dead=multistage_kernel.UNTESTED),
    "a plateau is no local maximum": RolloutReading(plateaus=0),
    "going back loses": RolloutReading(loops=multistage_kernel.LOSE),
    "no test for dead ends, going back loses": RolloutReading(
        dead=multistage_kernel.UNTESTED, loops=multistage_kernel.LOSE
    ),
    "reversible actions alone": RolloutReading(pairs=kplus_actions.SINGLE),
    "reversible actions never": RolloutReading(pairs=kplus_actions.NONE),
    "no caches": RolloutReading(capacity=0),
}
READINGS_OF_DEEP = (
    "as settled",
    "no test for dead ends",
    "going back loses",
    "no test for dead ends, going back loses",
)


def main() -> int:
    """Measure and print; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--deals", type=int)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--readings", action="store_true")
    parser.add_argument("--rows", default=",".join(ROWS))
    parser.add_argument("--workers", type=int, default=1)
    arguments = parser.parse_args()
    dealer = get_dealer("thoughtful-1")
    rows = arguments.rows.split(",")
    for row in rows:
        if row not in ROWS:
            parser.error(f"--rows: {row!r} is none of {', '.join(ROWS)}")
    if arguments.readings:
        print_readings(dealer, rows, arguments.deals or 20_000, arguments.workers)
    else:
        print_rates(dealer.deal_block(0, arguments.deals or 2_000), arguments.rounds)
    return 0


def print_rates(deals: NDArray[np.uint8], rounds: int) -> None:
    """Print moves per second on one core."""
    table = new_table(RULES.draw)
    random_playouts(deals[:1], table, LIMIT, 1)
    with tempfile.TemporaryDirectory() as directory:
        program = build(Path(directory))
        ours, theirs = [], []
        for _ in range(rounds):
            start = time.thread_time()
            moves, choices = random_playouts(deals, table, LIMIT, 10)
            ours.append(moves / (time.thread_time() - start))
            if program is not None:
                text = "\n".join(" ".join(map(str, cards)) for cards in deals)
                command = [str(program), str(RULES.draw), str(LIMIT), "10"]
                done = subprocess.run(
                    command, input=text, capture_output=True, text=True, check=True
                )
                their_moves, their_choices, seconds = map(float, done.stdout.split())
                theirs.append(their_moves / seconds)
    print(f"{len(deals):,} deals, draw {RULES.draw}, {rounds} rounds; medians of moves a second")
    print(
        f"{median(ours):>12,.0f}  random playouts, engine.klondike.kplus "
        f"({choices / moves:.2f} to choose from)"
    )
    if theirs:
        ratios = sorted(our / their for our, their in zip(ours, theirs, strict=True))
        print(
            f"{median(theirs):>12,.0f}  random playouts, C++ "
            f"({their_choices / their_moves:.2f} to choose from)"
        )
        print(f"{median(ratios):>12.2f}  ratio, ours to C++ ({ratios[0]:.2f} to {ratios[-1]:.2f})")
    else:
        print("              g++ not found: no comparison with C++")
    for name, (levels, first, share) in ROWS.items():
        if name in DEEP:
            continue
        rollouts = Rollouts(RULES, levels, first)
        games = [rollouts.play(cards) for cards in deals[: len(deals) // share]]
        plays = sum(game.plays for game in games)
        nodes = sum(game.nodes for game in games)
        seconds = sum(game.seconds for game in games)
        print(
            f"{plays / seconds:>12,.0f}  rollouts of {name}; {nodes / seconds:,.0f} states weighed "
            f"a second, {1000 * seconds / len(games):.3f} ms a game"
        )


def build(directory: Path) -> Path | None:
    """Build the C++ program; None without a compiler."""
    compiler = shutil.which("g++")
    if compiler is None:
        return None
    program = directory / "playouts"
    source = Path(__file__).with_name("playouts.cpp")
    subprocess.run([compiler, "-O3", "-march=native", "-o", program, source], check=True)
    return program


@kernel
def random_playouts(deals, table, limit, playouts):  # type: ignore[no-untyped-def]  # a kernel
    """Play each deal a few times; return the numbers of moves played and of legal moves, summed."""
    moves = np.zeros(MOST_MOVES, dtype=np.int64)
    rng = np.zeros(2, dtype=np.int64)
    played = choices = 0
    for row in range(deals.shape[0]):
        start = set_up(deals[row], table)
        seed_rng(deals[row], 0, rng)
        for _ in range(playouts):
            state = start
            for _ in range(limit):
                count = macro_moves(state, table, moves)
                if count == 0:
                    break
                choices += count
                played += 1
                state = play(state, table, moves[random_below(rng, count)])
    return played, choices


def play_rows(task: tuple[str, str, int, int]) -> tuple[NDArray[np.bool_], float]:
    """Play deals under a reading; return whether each is won, and CPU seconds."""
    row, name, first, count = task
    levels, heuristic, _ = ROWS[row]
    rollouts = Rollouts(RULES, levels, heuristic, reading=READINGS[name])
    deals = get_dealer("thoughtful-1").deal_block(first, count)
    games = [rollouts.play(cards) for cards in deals]
    return np.array([game.won for game in games]), sum(game.seconds for game in games)


def print_readings(dealer: Dealer, rows: list[str], deals: int, workers: int) -> None:
    """Print the wins of each reading."""
    for row in rows:
        print(f"{row}: {dealer.slug}:0-{deals // ROWS[row][2] - 1}")
    print()
    print("| row | reading | won % | 99 % interval | against the default, 99 % | ms a game |")
    print("|---|---|---|---|---|---|")
    with multiprocessing.get_context("spawn").Pool(workers) as pool:
        for row in rows:
            count = deals // ROWS[row][2]
            default: NDArray[np.bool_] | None = None
            for name in READINGS_OF_DEEP if row in DEEP else READINGS:
                if "plateau" in name and ";" not in row:
                    continue
                step = math.ceil(count / (4 * workers))
                tasks = [
                    (row, name, first, min(step, count - first)) for first in range(0, count, step)
                ]
                parts = pool.map(play_rows, tasks, chunksize=1)
                won = np.concatenate([part[0] for part in parts])
                seconds = sum(part[1] for part in parts)
                interval = clopper_pearson(int(won.sum()), count)
                against = "—" if default is None else gain(won, default)
                default = won if default is None else default
                print(
                    f"| {row} | {name} | {100 * won.mean():.2f} "
                    f"| {100 * interval.low:.2f}–{100 * interval.high:.2f} | {against} "
                    f"| {1000 * seconds / count:.3f} |",
                    flush=True,
                )


if __name__ == "__main__":
    with ended_by_signals():
        sys.exit(main())
