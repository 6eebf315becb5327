"""Wins and speed of the strategies of Yan et al. 2004, compared with the table of section 5.

    python benchmarks/yan.py [--sample thoughtful-1:0-99999] [--random-seed 0] [--readings]
    python benchmarks/yan.py --rollouts 1,2,3 [--readings] [--games 1000] [--workers 2]
    python benchmarks/yan.py --playouts [--sample thoughtful-1:0-1999]

The first form plays `yan-heuristic` and prints the share won with its Clopper–Pearson interval at
99 %, the difference from the published figure with its interval, and games per CPU second.

The second form plays `yan-rollout` with each number of iterations on the first deals of the sample
(their number is in `GAMES`), and prints the same, with CPU time per game and the speed-up over the
published time. `--readings` adds the shares under other readings of the paper's text, each named by
its change, with the difference on the same deals.

The third form prints moves per second on one core: of the heuristic from the start of deals, and of
rollouts that simulate everything.
"""

import argparse
import multiprocessing
import sys
import time
from collections.abc import Sequence
from multiprocessing.pool import Pool

import numpy as np
from numpy.typing import NDArray

from catalogue.interrupts import ended_by_signals
from catalogue.reproduction.published import FIGURES, YAN_2004, Figure
from catalogue.statistics import clopper_pearson
from engine.dealing.dealers import Sample, get_dealer, parse_sample
from engine.errors import BadInput
from measuring.figures import gain
from solvers.klondike.yan.heuristic import THE_PAPER, YanReading, wins
from solvers.klondike.yan.rollout import play_deal
from solvers.klondike.yan.rollout_search import MOST_ITERATIONS, NEVER_ASK

BLOCK = 20_000

READINGS = {
    "as written": THE_PAPER,
    "a king is held back while either queen lies face down": YanReading(queens=1),
    "no king is ever held back": YanReading(queens=3),
    "5 points for waste to foundation": YanReading(waste_up=5),
    "10 points for waste to foundation": YanReading(waste_up=10),
    "5 points for turning a card": YanReading(turning=5),
    "5 for waste to foundation, 5 for turning a card": YanReading(waste_up=5, turning=5),
    "10 for waste to foundation, 5 for turning a card": YanReading(waste_up=10, turning=5),
    "5 and 5, and either queen holds a king back": YanReading(waste_up=5, turning=5, queens=1),
}

ROLLOUT_READINGS = {
    "as written": THE_PAPER,
    "no moves from foundations are tried": YanReading(tries_down=0),
    "ties settled by the position": YanReading(fixed_ties=1),
    "no king is ever held back": YanReading(queens=3),
    "5 points for waste to foundation": YanReading(waste_up=5),
    "5 points for turning a card": YanReading(turning=5),
    "5 for both": YanReading(waste_up=5, turning=5),
    "5 for both, and ties settled": YanReading(waste_up=5, turning=5, fixed_ties=1),
}

# Default number of deals for each number of iterations.
GAMES = (10_000, 10_000, 10_000, 3_000, 1_000, 500)


def main() -> int:
    """Play the sample and print one line per figure."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sample", default="thoughtful-1:0-99999")
    parser.add_argument("--random-seed", type=int, default=0)
    parser.add_argument("--readings", action="store_true")
    parser.add_argument("--rollouts", metavar="ITERATIONS")
    parser.add_argument("--playouts", action="store_true")
    parser.add_argument("--games", type=int)
    parser.add_argument("--workers", type=int, default=1)
    arguments = parser.parse_args()
    try:
        sample = parse_sample(arguments.sample)
        if arguments.playouts:
            print_playouts(sample)
        elif arguments.rollouts is not None:
            with multiprocessing.get_context("spawn").Pool(arguments.workers) as pool:
                print_rollouts(
                    sample,
                    _iterations(arguments.rollouts),
                    arguments.games,
                    arguments.random_seed,
                    ROLLOUT_READINGS if arguments.readings else {"as written": THE_PAPER},
                    pool,
                )
        else:
            print_heuristic(
                sample,
                arguments.random_seed,
                READINGS if arguments.readings else {"as written": THE_PAPER},
            )
    except BadInput as error:
        print(error, file=sys.stderr)
        return 2
    return 0


def _iterations(text: str) -> list[int]:
    """Parse numbers such as ``1,2,3``.

    Raises:
        BadInput: the text is not a list of numbers of iterations.
    """
    known = [str(number) for number in range(MOST_ITERATIONS + 1)]
    for part in text.split(","):
        if part not in known:
            raise BadInput(f"--rollouts {text!r}: {part!r} is none of {', '.join(known)}")
    return [int(part) for part in text.split(",")]


def _published(iterations: int) -> Figure:
    """The figure in the paper's table."""
    names = {0: "heuristic", 1: "1 rollout"}
    name = names.get(iterations, f"{iterations} rollouts")
    return next(f for f in FIGURES if f.source == YAN_2004 and f.system == name)


def _shares(won: int, games: int, figure: Figure) -> str:
    """The share won, its interval and its difference from the published one, as text."""
    ours = clopper_pearson(won, games)
    agreement = figure.agreement(won, games - won, games)
    gap = agreement.interval
    return (
        f" {won / games:7.3%}  {ours.low:.3%}–{ours.high:.3%}  "
        f"{gap.low:+.3%} to {gap.high:+.3%} {'agrees' if agreement.agrees else 'differs'}"
    )


def print_heuristic(sample: Sample, random_seed: int, readings: dict[str, YanReading]) -> None:
    """Print the shares won by the heuristic."""
    dealer = get_dealer(sample.dealer)
    wins(dealer.deal_block(sample.first, 1))  # compile before timing
    won = dict.fromkeys(readings, 0)
    seconds = 0.0
    for start in range(0, sample.count, BLOCK):
        deals = dealer.deal_block(sample.first + start, min(BLOCK, sample.count - start))
        began = time.process_time()
        for name, reading in readings.items():
            result = wins(deals, random_seed=random_seed, reading=reading)
            won[name] += int(result.sum())
        seconds += time.process_time() - began

    games = sample.count * len(readings)
    figure = _published(0)
    print(f"sample              {sample}, random seed {random_seed}")
    print(f"games a CPU second  {games / seconds:,.0f}")
    print(f"published           {figure.percent:.2f}% of {figure.games:,} games")
    print()
    print("  won %   99 % interval    this minus published, 99 %   reading")
    for name, count in won.items():
        print(f"{_shares(count, sample.count, figure)}   {name}")


Task = tuple[str, int, int, int, int, YanReading]


def _play(task: Task) -> tuple[list[bool], float]:
    """Play deals; return whether each is won, and CPU seconds."""
    dealer, first, count, iterations, random_seed, reading = task
    deals = get_dealer(dealer).deal_block(first, count)
    play_deal(deals[0], 1)  # compile before timing
    start = time.thread_time()
    won = [
        play_deal(cards, iterations, random_seed=random_seed, reading=reading)[0] is not None
        for cards in deals
    ]
    return won, time.thread_time() - start


def print_rollouts(
    sample: Sample,
    iterations: Sequence[int],
    games: int | None,
    random_seed: int,
    readings: dict[str, YanReading],
    pool: Pool,
) -> None:
    """Print the shares won by rollouts."""
    print(f"first deals of {sample}, random seed {random_seed}")
    print("published times: of a Sun Blade 2000 with two 900 MHz CPUs")
    for number in iterations:
        figure = _published(number)
        assert figure.seconds is not None
        count = min(sample.count, games or GAMES[number])
        step = max(1, min(500, count // 40))
        print(
            f"\niterations={number}, {count:,} games; published {figure.percent:.2f}% of "
            f"{figure.games:,} games, {figure.seconds:,.2f} s a game"
        )
        print(
            "  won %   99 % interval    this minus published, 99 %       ms a game   faster   "
            "against the first, 99 %   reading"
        )
        first: NDArray[np.bool_] | None = None
        for name, reading in readings.items():
            last = sample.first + count
            tasks: list[Task] = [
                (sample.dealer, seed, min(step, last - seed), number, random_seed, reading)
                for seed in range(sample.first, last, step)
            ]
            parts = pool.map(_play, tasks, chunksize=1)
            won = np.concatenate([part[0] for part in parts])
            seconds = sum(part[1] for part in parts) / count
            against = "—" if first is None else gain(won, first)
            first = won if first is None else first
            print(
                f"{_shares(int(won.sum()), count, figure)}   {1000 * seconds:9.3f} "
                f"{figure.seconds / seconds:8,.0f}   {against}   {name}",
                flush=True,
            )


def print_playouts(sample: Sample) -> None:
    """Print moves per second on one core."""
    deals = get_dealer(sample.dealer).deal_block(sample.first, min(sample.count, 2_000))
    print(f"{len(deals):,} deals from {sample.dealer}:{sample.first}; moves a CPU second")
    for iterations, count in ((0, len(deals)), (1, len(deals)), (2, len(deals) // 20)):
        play_deal(deals[0], iterations)
        start = time.thread_time()
        moves = sum(play_deal(cards, iterations, ask_from=NEVER_ASK)[1] for cards in deals[:count])
        print(f"{moves / (time.thread_time() - start):>12,.0f}  iterations={iterations}")


if __name__ == "__main__":
    with ended_by_signals():
        sys.exit(main())
