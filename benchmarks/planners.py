"""What do the readings of `random` and `greedy` of Bjarnason et al. 2009 win?

    python benchmarks/planners.py [--sample thoughtful-1:0-999999] [--workers 2] [--players random]

Prints for each reading the share won with its 99 % interval, what changes against the first on the
same deals with the 99 % interval of the paired difference, and whether the published share agrees
at 1 %. The readings are which pairs of actions there are (`solvers.kplus_actions`), and for
`random` whether each action has the same chance, or each class of actions and then each action of
it.
"""

import argparse
import multiprocessing
import sys

import numpy as np
from numpy.typing import NDArray

from catalogue.published import BJARNASON_2009, FIGURES
from catalogue.statistics import clopper_pearson
from engine.dealers import Sample, get_dealer, parse_sample
from engine.errors import BadInput
from engine.rulesets import KlondikeRules, parse_ruleset
from measuring.figures import LEVEL, gain
from solvers.hidden_game import Game
from solvers.hidden_play import GREEDY, RANDOM, RANDOM_CLASS
from solvers.kplus_actions import ANY, NEEDED, NONE, SINGLE

RULES = "klondike-draw3"
PAIRS = {
    "pairs whose second action the first makes possible": NEEDED,
    "pairs with any second action": ANY,
    "no pairs": NONE,
    "reversible actions alone": SINGLE,
}
POLICIES = {
    "random": {"": RANDOM, "a class first, then an action of it; ": RANDOM_CLASS},
    "greedy": {"": GREEDY},
}
SYSTEMS = {"random": "random", "greedy": "greedy (priority order)"}
BLOCK = 20_000


def main() -> int:
    """Play and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sample", default="thoughtful-1:0-999999")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--players", default=",".join(POLICIES))
    arguments = parser.parse_args()
    players = arguments.players.split(",")
    for player in players:
        if player not in POLICIES:
            parser.error(f"--players: {player!r} is none of {', '.join(POLICIES)}")
    try:
        sample = parse_sample(arguments.sample)
    except BadInput as error:
        print(error, file=sys.stderr)
        return 2
    print_readings(sample, players, arguments.workers)
    return 0


def print_readings(sample: Sample, players: list[str], workers: int) -> None:
    """A row for each reading."""
    print(f"{sample} under {RULES}; all intervals at 99 %\n")
    print("| player | reading | won % | interval | against the first | published % | agrees |")
    print("|---|---|---|---|---|---|---|")
    with multiprocessing.get_context("spawn").Pool(workers) as pool:
        for player in players:
            (figure,) = (
                figure
                for figure in FIGURES
                if figure.source == BJARNASON_2009 and figure.system == SYSTEMS[player]
            )
            assert figure.games is not None
            settled: NDArray[np.bool_] | None = None
            for chance, policy in POLICIES[player].items():
                for name, pairs in PAIRS.items():
                    tasks = [
                        (sample.dealer, first, min(BLOCK, sample.last + 1 - first), policy, pairs)
                        for first in sample.seeds[::BLOCK]
                    ]
                    won = np.concatenate(pool.starmap(play, tasks, chunksize=1))
                    interval = clopper_pearson(int(won.sum()), len(won))
                    against = "—" if settled is None else gain(won, settled)
                    settled = won if settled is None else settled
                    lost = int((~won).sum())
                    agreement = figure.agreement(len(won) - lost, lost, len(won), LEVEL)
                    print(
                        f"| {player} | {chance}{name} | {100 * won.mean():.3f} "
                        f"| {100 * interval.low:.3f}–{100 * interval.high:.3f} | {against} "
                        f"| {figure.percent} | {'yes' if agreement.agrees else 'no'} |",
                        flush=True,
                    )


def play(dealer: str, first: int, count: int, policy: int, pairs: int) -> NDArray[np.bool_]:
    """Which deals are won."""
    rules = parse_ruleset(RULES)
    assert isinstance(rules, KlondikeRules)
    game = Game(rules, 0)
    deals = get_dealer(dealer).deal_block(first, count)
    return np.array([game.play_simple(cards, policy, pairs)[0] for cards in deals])


if __name__ == "__main__":
    sys.exit(main())
