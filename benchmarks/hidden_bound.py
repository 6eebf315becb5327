"""An upper bound on the share of Klondike deals that any player without peeking can win.

    python benchmarks/hidden_bound.py [SAMPLE] [--worlds 30] [--file FILE]
    python benchmarks/hidden_bound.py thoughtful-1:20000000-20001999 --worlds 60 --workers 2

Argument and proof: docs/search/hidden.md. The player of each deal is told its stock, the topmost
face-down card of each column, and that the deal is one of `--worlds`, which differ in the other
face-down cards, the *deep* ones. It names the columns whose topmost face-down cards it turns up
first, and the one in which the first deep card then turns up; is told everything, and plays
perfectly. What that player loses against one who sees all cards is at most what a player without
peeking loses. A world that `exact` leaves undecided is left out, and one that the search for a plan
leaves undecided counts as won, so the loss is estimated too small rather than too large.

Prints the share of deals that the all-seeing player wins and the informed one loses, with its
interval, and the bound: the winnable share of 10,000,000 deals (docs/results/bounds.md) less that
loss. Each of the two intervals is at 99.5 %, so that both hold together at 99 %. With `--file` each
deal's figures are kept as a line of JSON, and a run goes on where it was interrupted.
"""

import argparse
import json
import sys
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from itertools import combinations
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from catalogue.interrupts import begin_worker
from catalogue.statistics import clopper_pearson, mean_interval
from engine.dealing.dealers import Sample, get_dealer, parse_sample
from engine.errors import BadInput
from engine.klondike import GAME as KLONDIKE
from engine.klondike.deal import COLUMNS, KlondikeDeal
from engine.klondike.moves import KlondikeMove, unpack_solution
from engine.klondike.referee import KlondikePosition
from engine.klondike.rules import KlondikeRules, parse_klondike
from engine.replay import positions
from solvers.klondike.exact_plain.method import Turning, decide_in_order
from solvers.outcome import Result
from solvers.solver import parse_solver

_EXACT = parse_solver("exact")
# Winnable deals of so many, by ruleset (docs/results/bounds.md).
WINNABLE = {"klondike-draw3": (8_194_292, 10_000_000)}


class Loss(NamedTuple):
    """What the informed player loses of a deal's worlds.

    Attributes:
        seed: the seed of the deal.
        winnable: worlds that the all-seeing player wins.
        lost: worlds of these that the informed player loses.
        searched: searches for the informed player.
        undecided: those that ended without a verdict, which count as won.
    """

    seed: int
    winnable: int
    lost: int
    searched: int
    undecided: int


class Setting(NamedTuple):
    """How the bound is estimated: the ruleset, the dealer, worlds a deal, positions a search."""

    rules: KlondikeRules
    dealer: str
    worlds: int
    nodes: int


# The first two columns have no face-down card under another.
DEEP = range(2, COLUMNS)


class Plan(NamedTuple):
    """Which face-down cards turn up first.

    Attributes:
        first: the columns, 0 to 6, whose topmost face-down cards turn up before any deep card.
        column: the one of them in which the first deep card turns up.
    """

    first: frozenset[int]
    column: int

    @property
    def turning(self) -> Turning:
        """What the search is asked: the topmost cards of the other columns wait, too."""
        return Turning([self.column], [max(k - (k in self.first), 0) for k in range(COLUMNS)], True)


PLANS = [
    Plan(frozenset({column, *others}), column)
    for column in DEEP
    for count in range(COLUMNS - 1)
    for others in combinations(sorted({*range(1, COLUMNS)} - {column}), count)
]


def plan_of(start: KlondikePosition, moves: Sequence[KlondikeMove]) -> Plan:
    """The plan that a win follows."""
    for position in positions(start, moves):
        down = [len(cards) for cards in position.down]
        deeper = [k for k in DEEP if down[k] < k - 1]
        if deeper:
            (column,) = deeper
            return Plan(frozenset(k for k in range(1, COLUMNS) if down[k] < k), column)
    raise AssertionError("no win leaves cards face down")


def worlds_of(cards: NDArray[np.uint8], count: int, seed: int) -> NDArray[np.uint8]:
    """A deal and others that differ from it in the deep cards alone, uint8[count, 52]."""
    tableau = next(zone for zone in KlondikeDeal.zones if zone.name == "tableau")
    places = np.array([at for pile in tableau.piles for at in pile[:-2]])
    generator = np.random.default_rng(seed)
    worlds = np.repeat(cards[None], count, axis=0)
    for world in worlds[1:]:
        world[places] = generator.permutation(cards[places])
    return worlds


def loss_of(setting: Setting, seed: int) -> Loss:
    """What the informed player loses of the worlds of a deal."""
    (cards,) = get_dealer(setting.dealer).deal_block(seed, 1, KLONDIKE)
    won: list[KlondikePosition] = []
    followed = Counter[Plan]()
    worlds = worlds_of(cards, setting.worlds, seed)
    for world, outcome in zip(worlds, _EXACT.solve(worlds, setting.rules), strict=True):
        # Of one that is not decided nothing is claimed: it is lost by nobody.
        if outcome.moves is not None:
            won.append(KlondikePosition.start(KlondikeDeal.of(world), setting.rules))
            followed[plan_of(won[-1], unpack_solution(outcome.moves))] += 1
    values = {"nodes": setting.nodes, "memory_mib": 64, "merge": 1}
    least, searched, undecided = len(won), 0, 0
    # What wins follow first: where one plan wins all, the others need not be tried.
    for plan in sorted(PLANS, key=lambda plan: -followed[plan]):
        if least == 0:
            break
        lost = 0
        for position in won:
            found = decide_in_order(position, plan.turning, values)
            searched += 1
            lost += found.result is Result.UNWINNABLE
            undecided += found.result is Result.GAVE_UP
            # No better than another plan.
            if lost >= least:
                break
        least = min(least, lost)
    return Loss(seed, len(won), least, searched, undecided)


def print_bound(found: list[Loss], setting: Setting) -> None:
    """Print the loss and the bound."""
    of = setting.worlds
    losses = np.array([each.lost / of for each in found])
    winnable = np.array([each.winnable / of for each in found])
    interval = mean_interval(losses, 0.995)
    searched = sum(each.searched for each in found)
    undecided = sum(each.undecided for each in found)
    print(f"{len(found):,} deals of {of} worlds under {setting.rules.slug}")
    print(f"winnable worlds {100 * winnable.mean():.2f} %; searches {searched:,}, ", end="")
    print(f"{100 * undecided / max(searched, 1):.2f} % undecided, which count as won")
    print(f"deals of which some world is lost: {100 * np.mean(losses > 0):.1f} %")
    if interval is None or not losses.any():
        print("too few deals: nothing is lost, or there is one deal only, so that no bound follows")
        return
    print(f"lost by the informed player: {100 * losses.mean():.3f} %", end=" ")
    print(f"(99.5 %: {100 * interval.low:.3f} to {100 * interval.high:.3f})")
    if setting.rules.slug not in WINNABLE:
        return
    won, deals = WINNABLE[setting.rules.slug]
    share = clopper_pearson(won, deals, 0.995)
    low, high = 100 * (share.low - interval.high), 100 * (share.high - interval.low)
    estimate = 100 * (won / deals - losses.mean())
    print(f"upper bound on the share of any player without peeking: {estimate:.2f} %", end=" ")
    print(f"(99 %: {low:.2f} to {high:.2f})")


def kept(file: Path, setting: Setting, sample: Sample) -> list[Loss]:
    """The figures of deals of a sample that a file has, which is begun if there is none.

    Raises:
        BadInput: the file is of another setting, or none of this program.
    """
    head = json.dumps(setting._asdict() | {"rules": setting.rules.slug})
    lines = file.read_text().split("\n") if file.exists() else []
    if not lines or lines == [""]:
        file.write_text(f"{head}\n")
        return []
    if lines[0] != head:
        raise BadInput(f"{file} is not of this setting: {head}")
    # A run that was interrupted may have left half a line.
    if lines[-1]:
        file.write_text("".join(f"{line}\n" for line in lines[:-1]))
    try:
        found = [Loss(**json.loads(line)) for line in lines[1:-1]]
    except (TypeError, ValueError):
        raise BadInput(f"{file} has a line that is none of this program") from None
    return [each for each in found if each.seed in sample.seeds]


def main(arguments: Sequence[str] | None = None) -> int:
    """Estimate the bound and print it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("sample", nargs="?", default="thoughtful-1:20000000-20000199")
    parser.add_argument("--rules", default="klondike-draw3")
    parser.add_argument("--worlds", type=int, default=30, help="deals told, from 2 on")
    parser.add_argument("--nodes", type=int, default=100_000, help="positions of one search")
    parser.add_argument("--workers", type=int, default=1, help="processes")
    parser.add_argument("--file", type=Path, help="lines of JSON, to go on from")
    asked = parser.parse_args(arguments)
    if asked.worlds < 2 or asked.nodes < 1 or asked.workers < 1:
        parser.error("at least 2 worlds, 1 node and 1 worker are needed")
    try:
        sample, rules = parse_sample(asked.sample), parse_klondike(asked.rules)
        setting = Setting(rules, sample.dealer, asked.worlds, asked.nodes)
        found = [] if asked.file is None else kept(asked.file, setting, sample)
        done = {each.seed for each in found}
        left = [seed for seed in sample.seeds if seed not in done]
        with ProcessPoolExecutor(asked.workers, initializer=begin_worker) as pool:
            for loss in pool.map(partial(loss_of, setting), left):
                found.append(loss)
                if asked.file is not None:
                    with asked.file.open("a") as stream:
                        stream.write(json.dumps(loss._asdict()) + "\n")
    except (BadInput, OSError) as error:
        parser.error(str(error))
    print_bound(found, setting)
    return 0


if __name__ == "__main__":
    sys.exit(main())
