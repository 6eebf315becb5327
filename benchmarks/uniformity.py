"""Uniformity of `thoughtful-1`, by a chi-squared test on a million deals, and dealing speed.

    python benchmarks/uniformity.py [--deals 1000000] [--first 0] [--dealer thoughtful-1]

Prints the statistic, its degrees of freedom and its p-value (see `measuring.uniformity`); the exit
code is 1 if the p-value is below one in a million, which happens for a uniform shuffle once in a
million samples.
"""

import argparse
import sys
import time

import numpy as np

from catalogue.interrupts import ended_by_signals
from engine.dealing.dealers import dealers, get_dealer
from measuring.uniformity import card_by_place, uniformity

BLOCK = 20_000
ALARM = 1e-6


def main() -> int:
    """Run the test and print one line per figure."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--dealer", default="thoughtful-1", choices=list(dealers()))
    parser.add_argument("--deals", type=int, default=1_000_000)
    parser.add_argument("--first", type=int, default=0)
    arguments = parser.parse_args()

    dealer = get_dealer(arguments.dealer)
    dealer.deal_block(arguments.first, 1)  # compile before timing
    counts = np.zeros((52, 52), dtype=np.int64)
    seconds = 0.0
    for start in range(0, arguments.deals, BLOCK):
        count = min(BLOCK, arguments.deals - start)
        began = time.process_time()
        deals = dealer.deal_block(arguments.first + start, count)
        seconds += time.process_time() - began
        counts += card_by_place(deals)

    result = uniformity(counts)
    last = arguments.first + arguments.deals - 1
    print(f"sample              {dealer.slug}:{arguments.first}-{last}")
    print(f"deals a CPU second  {arguments.deals / seconds:,.0f}")
    print(f"statistic           {result.statistic:.2f}")
    print(f"degrees of freedom  {result.degrees}")
    print(f"p-value             {result.p_value:.4f}")
    return 1 if result.p_value < ALARM else 0


if __name__ == "__main__":
    with ended_by_signals():
        sys.exit(main())
