"""Calibration of the chance that play at random wins a deal, against games of the player `random`.

    python benchmarks/luck.py --rules klondike-draw3 --winnable 500 --games 4000

Deals are taken in the order of their seeds until so many are known winnable. Of each the chance is
estimated as for its features (`solvers.forgiveness.Forgiveness.chance`), and `random` plays it so
many times, with the random seeds from 0 on. Prints, with 95 % intervals:

- the sum of the estimates over the sum of the shares won, bootstrapped over deals: 1 if neither is
  biased;
- the same by how often the deal was won in the first half of the games; the second half is what is
  compared, so that no deal is in a row because of luck that it is then compared with;
- how often the two are further apart than one and two standard errors of their difference;
- of the deals of which no run of the estimate won a game, the games that `random` won;
- milliseconds a deal, of the processor.
"""

import argparse
import sys
import time

import numpy as np
from numpy.typing import NDArray

from catalogue.interrupts import ended_by_signals
from catalogue.statistics import clopper_pearson
from engine.dealing.dealers import parse_deal_id
from engine.errors import BadInput
from engine.klondike.rules import KlondikeRules, parse_klondike
from measuring.figures import table
from solvers.features import tracer
from solvers.forgiveness import Effort
from solvers.outcome import Result
from solvers.solver import parse_solver

_BLOCK = 100
_RESAMPLES = 2000
# Shares won at which a row of the table begins.
_ROWS = (0.0, 1e-9, 0.003, 0.01, 0.03, 0.1, 0.3)


def main() -> int:
    """Measure and print; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rules", default="klondike-draw3")
    parser.add_argument("--first", default="thoughtful-1:50000000", help="the first deal")
    parser.add_argument("--winnable", type=int, default=500, help="number of winnable deals")
    parser.add_argument("--games", type=int, default=4000, help="of `random` on each deal")
    arguments = parser.parse_args()
    try:
        return report(arguments)
    except BadInput as error:
        print(error, file=sys.stderr)
        return 2


def report(arguments: argparse.Namespace) -> int:
    """Estimate, play, and print the report."""
    rules = parse_klondike(arguments.rules)
    deals, seen = winnable_deals(rules, arguments.first, arguments.winnable)
    forgiveness = tracer(rules).method.forgiveness(rules)
    assert forgiveness is not None
    forgiveness.chance(deals[0], rules, Effort.BOUNDED)  # compiled
    values, errors, times = np.zeros(len(deals)), np.zeros(len(deals)), np.zeros(len(deals))
    for at, cards in enumerate(deals):
        since = time.thread_time()
        found = forgiveness.chance(cards, rules, Effort.BOUNDED)
        times[at] = time.thread_time() - since
        values[at], errors[at] = found.value, found.error or 0.0
    won = np.zeros((2, len(deals)))
    for number in range(arguments.games):
        outcomes = parse_solver(f"random(random_seed={number})").solve(deals, rules)
        won[number % 2] += [each.result == Result.WON for each in outcomes]
    half = arguments.games // 2
    print(
        f"{len(deals):,} deals known winnable of the {seen:,} from {arguments.first} on under "
        f"{rules.slug}, {arguments.games:,} games of `random` on each\n"
    )
    shares = won.sum(axis=0) / arguments.games
    print(f"estimates over shares won, in sum: {_ratio(values, shares)}\n")
    print(table(_HEADINGS, _rows(values, won / half)))
    apart = np.abs(values - shares)
    error = np.sqrt(errors**2 + shares * (1 - shares) / arguments.games)
    some = won.sum(axis=0) >= 20
    for times_error, normal in ((1, 68.3), (2, 95.4)):
        inside = int((apart <= times_error * error)[some].sum())
        ends = clopper_pearson(inside, int(some.sum()), 0.95)
        print(
            f"\nwithin {times_error} standard errors: {100 * inside / some.sum():.1f} % "
            f"({100 * ends.low:.1f} to {100 * ends.high:.1f}) of the {some.sum()} deals with 20 "
            f"wins or more; of a normal distribution {normal} %",
            end="",
        )
    none = values == 0
    print(
        f"\n\nof {none.sum()} deals no run of the estimate won a game: `random` won "
        f"{int(won.sum(axis=0)[none].sum())} of {int(none.sum()) * arguments.games:,} games on "
        f"them, at most {int(won.sum(axis=0)[none].max(initial=0))} on one"
    )
    relative = (errors / np.where(none, 1, values))[~none]
    print(
        f"standard error by estimate, of the others: median {100 * np.median(relative):.0f} %, "
        f"of nine in ten below {100 * np.quantile(relative, 0.9):.0f} %"
    )
    print(
        f"milliseconds a deal: mean {1e3 * times.mean():.0f}, median {1e3 * np.median(times):.0f}, "
        f"most {1e3 * times.max():.0f}"
    )
    return 0


def winnable_deals(rules: KlondikeRules, first: str, count: int) -> tuple[NDArray[np.uint8], int]:
    """The first deals known winnable from a deal on, uint8[count, 52], and how many were tried."""
    dealer, seed = parse_deal_id(first)
    solver = parse_solver("exact(nodes=20000000, memory_mib=256)")
    found: list[NDArray[np.uint8]] = []
    begin = seed
    while len(found) < count:
        dealt = dealer.deal_block(seed, _BLOCK)
        for cards, outcome in zip(dealt, solver.solve(dealt, rules), strict=True):
            if len(found) < count:
                seed += 1
                if outcome.result == Result.WON:
                    found.append(cards)
    return np.array(found), seed - begin


_HEADINGS = ("won of the first half", "deals", "won of the second half %", "estimated %", "ratio")


def _rows(values: NDArray[np.float64], shares: NDArray[np.float64]) -> list[tuple[str, ...]]:
    rows: list[tuple[str, ...]] = []
    for low, high in zip(_ROWS, (*_ROWS[1:], 1.01), strict=True):
        inside = (shares[0] >= low) & (shares[0] < high)
        if not inside.any():
            continue
        name = "none" if low == 0 else f"up to {100 * high:g} %" if high < 1 else "more"
        rows.append(
            (
                name,
                f"{inside.sum()}",
                f"{100 * shares[1][inside].mean():.3f}",
                f"{100 * values[inside].mean():.3f}",
                _ratio(values[inside], shares[1][inside]),
            )
        )
    return rows


def _ratio(values: NDArray[np.float64], shares: NDArray[np.float64]) -> str:
    """The sum of the first over that of the others, with its interval."""
    if not shares.any():
        return "none won"
    drawn = np.random.default_rng(1).integers(len(values), size=(_RESAMPLES, len(values)))
    below = shares[drawn].sum(axis=1)
    ratios = values[drawn].sum(axis=1)[below > 0] / below[below > 0]
    low, high = np.quantile(ratios, [0.025, 0.975])
    return f"{values.sum() / shares.sum():.3f} ({low:.3f} to {high:.3f})"


if __name__ == "__main__":
    with ended_by_signals():
        sys.exit(main())
