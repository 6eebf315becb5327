"""How many deals does `yan-heuristic` win, and how fast? Beside the 13.05 % ± 0.88 of its paper.

    python benchmarks/yan.py [--sample thoughtful-1:0-99999] [--random-seed 0] [--readings]

Prints the share won with its Clopper–Pearson interval at 99 %, the difference from the published
figure (Yan et al. 2004, table of section 5: 13.05 % of 10,000 games) with an interval for it, and
games a CPU second. `--readings` adds the shares under other readings of the paper's text, each
named by what it changes.
"""

import argparse
import sys
import time

from catalogue.statistics import agrees, clopper_pearson
from engine.dealers import get_dealer, parse_sample
from engine.errors import BadInput
from solvers.yan import THE_PAPER, Reading, wins

PUBLISHED_SHARE = 0.1305
PUBLISHED_GAMES = 10_000
BLOCK = 20_000

READINGS = {
    "as written": THE_PAPER,
    "a king is held back while either queen lies face down": Reading(queens=1),
    "no king is ever held back": Reading(queens=3),
    "5 points for waste to foundation": Reading(waste_up=5),
    "10 points for waste to foundation": Reading(waste_up=10),
    "5 points for turning a card": Reading(turning=5),
    "5 for waste to foundation, 5 for turning a card": Reading(waste_up=5, turning=5),
    "10 for waste to foundation, 5 for turning a card": Reading(waste_up=10, turning=5),
    "5 and 5, and either queen holds a king back": Reading(waste_up=5, turning=5, queens=1),
}


def main() -> int:
    """Play the sample and print one line a figure."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sample", default="thoughtful-1:0-99999")
    parser.add_argument("--random-seed", type=int, default=0)
    parser.add_argument("--readings", action="store_true")
    arguments = parser.parse_args()
    try:
        sample = parse_sample(arguments.sample)
    except BadInput as error:
        print(error, file=sys.stderr)
        return 2
    dealer = get_dealer(sample.dealer)
    wins(dealer.deal_block(sample.first, 1))  # compile before the clock starts

    readings = READINGS if arguments.readings else {"as written": THE_PAPER}
    won = dict.fromkeys(readings, 0)
    seconds = 0.0
    for start in range(0, sample.count, BLOCK):
        deals = dealer.deal_block(sample.first + start, min(BLOCK, sample.count - start))
        began = time.process_time()
        for name, reading in readings.items():
            result = wins(deals, random_seed=arguments.random_seed, reading=reading)
            won[name] += int(result.sum())
        seconds += time.process_time() - began

    games = sample.count * len(readings)
    print(f"sample              {sample}, random seed {arguments.random_seed}")
    print(f"games a CPU second  {games / seconds:,.0f}")
    print(f"published           {PUBLISHED_SHARE:.2%} of {PUBLISHED_GAMES:,} games")
    print()
    print("  won %   99 % interval    this minus published, 99 %   reading")
    for name, count in won.items():
        ours = clopper_pearson(count, sample.count)
        agreement = agrees(
            PUBLISHED_SHARE, count, sample.count - count, sample.count, games=PUBLISHED_GAMES
        )
        gap = agreement.interval
        print(
            f" {count / sample.count:7.3%}  {ours.low:.3%}–{ours.high:.3%}  "
            f"{gap.low:+.3%} to {gap.high:+.3%} {'agrees' if agreement.agrees else 'differs'}"
            f"   {name}"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
