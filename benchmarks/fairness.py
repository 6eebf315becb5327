"""Validity and power of the p-values and the e-value of `thoughtful fairness`.

    python benchmarks/fairness.py [--servers 4000] [--runs 20000] [--games 2000] [--caught 400]

Three parts, all seeded:

- *p-values*: `--servers` honest servers of 60 games each are examined with 199 simulations. For
  each question, the share of p-values of at most 1, 5 and 10 %, and the p-value of a
  Kolmogorov–Smirnov test that they are uniform; and how often any result is significant after the
  correction.
- *watching*: in how many of `--runs` runs of `--games` games of an honest server the e-value ever
  reaches 20, and after how many games it does for servers that cheat: redealing every second kind
  hand (5 or more guaranteed turnovers) once, every fourth one, and every second hand of 2 or fewer.
  The same with results of games, for a person who wins a tenth of the games for each guaranteed
  turnover of the hand; that server redeals kind hands after each win. Medians and 90 % quantiles
  have intervals from order statistics.
- *a number of games fixed beforehand*: the number that the test of the mean needs to detect the
  first of these servers in half and in nine of ten cases, from exact distributions; and the share
  of servers with a significant result after that number and the correction.

All intervals are at 95 %. The exit code is 1 if the p-values are not uniform (p below 0.001), or if
significantly more than 5 % of the honest runs reach 20.
"""

import argparse
import sys
import time
from collections.abc import Callable

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray
from scipy.stats import binom, kstest

from catalogue.interrupts import ended_by_signals
from catalogue.spider.assessment import ALPHA, examine
from catalogue.spider.honest_hands import honest_hands, seeded
from catalogue.spider.power import games_for_power
from catalogue.spider.turnover_chances import guaranteed_chances
from catalogue.spider.watch import LOST, THRESHOLD, WON, kind_from, log_evidence
from catalogue.statistics import clopper_pearson
from engine.spider.turnovers import guaranteed_turnovers, suited_turnovers
from measuring.figures import table

LEVEL = 0.95
SUITS = 4
FEW_GAMES = 60
FEW_SIMULATIONS = 199
# Purposes of random streams, other than those of `examine`.
DEALT, SPLIT = 100, 101
# Hands in memory at once.
BATCH = 200_000
KIND = kind_from(guaranteed_chances())

Deal = Callable[[Generator, int], NDArray[np.uint8]]


def honest(generator: Generator, hands: int) -> NDArray[np.uint8]:
    """Deal hands as an honest server."""
    return honest_hands(generator, hands, SUITS)


def redealing(low: int, high: int, chance: float) -> Deal:
    """A server that redeals hands of low to high guaranteed turnovers, once, with a probability."""

    def deal(generator: Generator, hands: int) -> NDArray[np.uint8]:
        dealt = honest(generator, hands)
        turned = guaranteed_turnovers(dealt)
        again = (low <= turned) & (turned <= high) & (generator.random(hands) < chance)
        dealt[again] = honest(generator, int(again.sum()))
        return dealt

    return deal


CHEATS = {
    f"{KIND} or more, every second hand": redealing(KIND, 10, 1 / 2),
    f"{KIND} or more, every fourth hand": redealing(KIND, 10, 1 / 4),
    "2 or fewer, every second hand": redealing(0, 2, 1 / 2),
}


def share(count: int, total: int) -> str:
    """A share in percent with its interval, as text."""
    interval = clopper_pearson(count, total, LEVEL)
    low, high = 100 * interval.low, 100 * interval.high
    return f"{100 * count / total:.2f} % ({low:.2f} to {high:.2f})"


def p_values(servers: int) -> bool:
    """Print whether the p-values of honest servers are uniform, and return it."""
    found: dict[str, list[float]] = {}
    odd = 0
    for number in range(servers):
        report = examine(
            honest(seeded(number, DEALT), FEW_GAMES),
            SUITS,
            simulations=FEW_SIMULATIONS,
            random_seed=number,
        )
        odd += bool(report.odd)
        for question in report.questions:
            found.setdefault(question.slug, []).append(question.p_value)
    # A bound, not uniform: it is 1 unless a hand is repeated.
    repeats = found.pop("repeats")
    steps = 1 + FEW_SIMULATIONS
    splitter = seeded(0, SPLIT)
    uniform = True
    rows = []
    for slug, values in found.items():
        p = np.array(values)
        # Uniform on multiples of 1/200; with a random part of a step subtracted, uniform on 0 to 1.
        ks = float(kstest(p - splitter.random(servers) / steps, "uniform").pvalue)
        uniform = uniform and ks > 0.001
        at_most = [share(int((p <= level + 1e-9).sum()), servers) for level in (0.01, 0.05, 0.1)]
        rows.append((slug, *at_most, f"{ks:.3f}"))
    print(
        f"p-values of {servers:,} honest servers, {FEW_GAMES} games of {SUITS} suits each, "
        f"{FEW_SIMULATIONS} simulations"
    )
    print(table(("question", "p <= 1 %", "p <= 5 %", "p <= 10 %", "uniform, p"), rows))
    print(f"repeats: smallest p-value {min(repeats):g}")
    print(f"any significant result after the correction: {share(odd, servers)}")
    return uniform


def first_reached(deal: Deal, runs: int, games: int, purpose: int) -> NDArray[np.int64]:
    """The number of the game of each run at which the e-value first reached 20, or games + 1."""
    reached = []
    some = max(1, BATCH // games)
    for done in range(0, runs, some):
        now = min(some, runs - done)
        hands = deal(seeded(done, purpose), now * games)
        shape = (now, games)
        logs = log_evidence(
            guaranteed_turnovers(hands).reshape(shape),
            suited_turnovers(hands).reshape(shape),
            SUITS,
        )
        reached.append(_first(logs))
    return np.concatenate(reached)


def first_reached_with_outcomes(
    stacked: bool, runs: int, games: int, purpose: int
) -> NDArray[np.int64]:
    """As `first_reached`, with results of games; a stacked server redeals kind hands after wins."""
    reached = []
    some = max(1, BATCH // games)
    for done in range(0, runs, some):
        now = min(some, runs - done)
        generator = seeded(done, purpose)
        shape = (now, games)
        first, second = (honest(generator, now * games) for _ in range(2))
        guaranteed, suited, again, suited_again = (
            turnovers(hands).reshape(shape)
            for hands in (first, second)
            for turnovers in (guaranteed_turnovers, suited_turnovers)
        )
        chance = generator.random(shape)
        won = np.zeros(shape, dtype=np.int8)
        for game in range(games):
            if stacked and game:
                anew = (won[:, game - 1] == WON) & (guaranteed[:, game] >= KIND)
                guaranteed[anew, game] = again[anew, game]
                suited[anew, game] = suited_again[anew, game]
            won[:, game] = np.where(chance[:, game] < guaranteed[:, game] / 10, WON, LOST)
        reached.append(_first(log_evidence(guaranteed, suited, SUITS, won)))
    return np.concatenate(reached)


def _first(logs: NDArray[np.float64]) -> NDArray[np.int64]:
    there = logs >= np.log(THRESHOLD)
    first: NDArray[np.int64] = there.argmax(axis=1)
    return np.where(there.any(axis=1), first + 1, logs.shape[1] + 1)


def quantile(values: NDArray[np.int64], share: float, most: int) -> str:
    """A quantile with its interval from order statistics, as text."""
    n = len(values)
    ordered = np.sort(values)
    low = int(binom.ppf((1 - LEVEL) / 2, n, share)) - 1
    high = int(binom.ppf((1 + LEVEL) / 2, n, share))
    ends = [ordered[min(max(at, 0), n - 1)] for at in (int(np.ceil(share * n)) - 1, low, high)]
    at, below, above = ("more" if end > most else f"{end:,}" for end in ends)
    return f"{at} ({below} to {above})"


def watching(runs: int, games: int) -> bool:
    """Print how often honest servers are suspected, and how soon others are detected."""
    print(f"e-value of {runs:,} runs of {games:,} games of {SUITS} suits")
    honest_runs = {
        "hands alone": first_reached(honest, runs, games, DEALT + 1),
        "with outcomes": first_reached_with_outcomes(False, runs, games, DEALT + 2),
    }
    holds = True
    for name, reached in honest_runs.items():
        count = int((reached <= games).sum())
        holds = holds and clopper_pearson(count, runs, LEVEL).low <= 1 / THRESHOLD
        print(f"honest, {name}: ever reached {THRESHOLD} in {share(count, runs)}")
    cheats = {
        name: first_reached(deal, runs, games, DEALT + 3 + number)
        for number, (name, deal) in enumerate(CHEATS.items())
    }
    cheats[f"{KIND} or more, after each win, with outcomes"] = first_reached_with_outcomes(
        True, runs, games, DEALT + 10
    )
    rows = [
        (
            name,
            quantile(reached, 0.5, games),
            quantile(reached, 0.9, games),
            share(int((reached <= games).sum()), runs),
        )
        for name, reached in cheats.items()
    ]
    print(table(("redealt", "median games", "90 % quantile", "detected"), rows))
    return holds


def fixed(servers: int) -> None:
    """Print the number of games that a test of fixed size needs."""
    print(f"a number of games fixed beforehand, {next(iter(CHEATS))} redealt, exact")
    rows = []
    for words, level in (("alone", ALPHA), ("one of five questions", ALPHA / 5)):
        needed = [f"{games_for_power(power, level):,}" for power in (0.5, 0.9)]
        rows.append((f"mean guaranteed turnovers, {words}", *needed))
    print(table(("", "detected in half", "in nine of ten"), rows))
    games = games_for_power(0.9, ALPHA / 5)
    deal = next(iter(CHEATS.values()))
    odd = {"guaranteed": 0, "any": 0}
    for number in range(servers):
        report = examine(
            deal(seeded(number, DEALT + 20), games), SUITS, simulations=499, random_seed=number
        )
        odd["any"] += bool(report.odd)
        odd["guaranteed"] += any(question.slug == "guaranteed" for question in report.odd)
    print(f"examined after {games} games, {servers:,} such servers, 499 simulations")
    for slug, count in odd.items():
        print(f"significant after the correction, {slug}: {share(count, servers)}")


def main() -> int:
    """Print all three parts and return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--servers", type=int, default=4000)
    parser.add_argument("--runs", type=int, default=20000)
    parser.add_argument("--games", type=int, default=2000)
    parser.add_argument("--caught", type=int, default=400)
    arguments = parser.parse_args()
    began = time.perf_counter()
    holds = p_values(arguments.servers)
    print(flush=True)
    holds = watching(arguments.runs, arguments.games) and holds
    print(flush=True)
    fixed(arguments.caught)
    print(f"\n{time.perf_counter() - began:.0f} seconds")
    return 0 if holds else 1


if __name__ == "__main__":
    with ended_by_signals():
        sys.exit(main())
