"""What share of deals are dead ends before any move? Beside the 8.557 % of Bjarnason et al. 2007.

    python benchmarks/dead_ends.py [--sample thoughtful-1:0-999999] [--decide 200] [--confirm 20000]

Prints the share that `dead-end` classifies with its Clopper–Pearson interval at 99 %, the
difference from the published 855,741 of 10,000,000 with an interval for it, the counts of each
kind, deals a CPU second, and the shares under other readings of section 4.1:

- *all stock cards at once*: the relaxed game starts with all 24 stock cards in reach. Sound, and
  finds half as much.
- *pair, loosely*: in the pair pattern it is enough that each of the two cards has a lower card of
  its suit below itself, and that one of the cards to build on lies below the upper. This is what
  the paper's sentence and its definition of blocking say word for word, and it is what agrees with
  the published share. But it proves nothing when what is needed lies between the two: with TD over
  JC over TH, TD goes to JS, JC to a red queen, TD back to JC, and TH to JS. `--decide` has `exact`
  play the first deals that only this reading calls dead, and counts those it wins.

`--confirm N` has `exact` decide every deal of the sample's first N that `dead-end` calls dead; exit
code 1 unless it proves each one unwinnable.
"""

import argparse
import sys
import time

import numpy as np
from numba import njit
from numpy.typing import NDArray

from catalogue.statistics import agrees, clopper_pearson
from engine.dealers import Dealer, get_dealer, parse_sample
from engine.errors import BadInput
from engine.rulesets import KlondikeRules
from solvers.dead_end import KIND_NAMES, classify_block
from solvers.outcome import Result
from solvers.registry import parse_solver

PUBLISHED_DEAD = 855_741
PUBLISHED_DEALS = 10_000_000
BLOCK = 50_000
RULES = KlondikeRules(draw=3)


@njit(cache=True, nogil=True)
def has_loose_pair(cards):  # type: ignore[no-untyped-def]
    """Whether a deal uint8[52] shows the pair pattern as loosely as the paper's words allow."""
    first = 0
    for column in range(7):
        for upper in range(first + 1, first + column + 1):
            a = np.int64(cards[upper])
            for lower in range(first, upper):
                b = np.int64(cards[lower])
                if a ^ b != 2:
                    continue
                a_waits = False
                b_waits = False
                base = False
                for place in range(first, upper):
                    card = np.int64(cards[place])
                    if card < a and (card ^ a) & 3 == 0:
                        a_waits = True
                    if place < lower and card < b and (card ^ b) & 3 == 0:
                        b_waits = True
                    if card >> 2 == (a >> 2) + 1 and (card ^ a) & 1 == 1:
                        base = True
                if a_waits and b_waits and base:
                    return True
        first += column + 1
    return False


@njit(cache=True, nogil=True)
def loose_pairs(cards, found):  # type: ignore[no-untyped-def]
    """`has_loose_pair` of each deal of uint8[n, 52]; writes found bool[n]."""
    for row in range(cards.shape[0]):
        found[row] = has_loose_pair(cards[row])


def with_loose_pair(cards: NDArray[np.uint8]) -> NDArray[np.bool_]:
    """Which of the deals uint8[n, 52] show the loose pattern: bool[n]."""
    found = np.zeros(len(cards), dtype=np.bool_)
    loose_pairs(cards, found)
    return found


def share_line(name: str, dead: int, deals: int) -> str:
    """One line: share, interval, difference from the published share."""
    ours = clopper_pearson(dead, deals)
    published = PUBLISHED_DEAD / PUBLISHED_DEALS
    agreement = agrees(published, dead, deals - dead, deals, games=PUBLISHED_DEALS)
    gap = agreement.interval
    return (
        f" {dead / deals:7.4%}  {ours.low:.4%}–{ours.high:.4%}  "
        f"{gap.low:+.4%} to {gap.high:+.4%} {'agrees ' if agreement.agrees else 'differs'}   {name}"
    )


def decide(dealer: Dealer, seeds: list[int], which: str) -> dict[Result, int]:
    """Play deals with `exact`, print how they ended, and count it."""
    solver = parse_solver("exact(nodes=200000000, memory_mib=2048)")
    counts = dict.fromkeys(Result, 0)
    won = []
    for seed in seeds:
        (outcome,) = solver.solve(dealer.deal_block(seed, 1), RULES)
        counts[outcome.result] += 1
        if outcome.result is Result.WON:
            won.append(seed)
    print()
    print(f"of the {len(seeds):,} {which}, {solver} finds")
    for result, count in counts.items():
        if count:
            print(f"  {count:5d} {result.value}")
    if won:
        print(f"  won are, for example, {', '.join(f'{dealer.slug}:{seed}' for seed in won[:5])}")
    return counts


def main() -> int:
    """Classify the sample and print one line a figure."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sample", default="thoughtful-1:0-999999")
    parser.add_argument("--decide", type=int, default=0)
    parser.add_argument("--confirm", type=int, default=0)
    arguments = parser.parse_args()
    try:
        sample = parse_sample(arguments.sample)
    except BadInput as error:
        print(error, file=sys.stderr)
        return 2
    dealer = get_dealer(sample.dealer)
    first = dealer.deal_block(sample.first, 1)
    classify_block(first, RULES)  # compile before the clock starts
    with_loose_pair(first)

    kinds = np.zeros(len(KIND_NAMES), dtype=np.int64)
    open_stock = 0
    loose = 0
    only_loose: list[int] = []
    to_confirm: list[int] = []
    seconds = 0.0
    for start in range(0, sample.count, BLOCK):
        deals = dealer.deal_block(sample.first + start, min(BLOCK, sample.count - start))
        began = time.process_time()
        found = classify_block(deals, RULES)
        seconds += time.process_time() - began
        kinds += np.bincount(found, minlength=len(KIND_NAMES))
        pairs = with_loose_pair(deals)
        # With one card drawn at a time every stock card is in reach from the start.
        open_stock += int((classify_block(deals, KlondikeRules(draw=1)) > 0).sum())
        loose += int(((found > 0) | pairs).sum())
        fresh = np.flatnonzero((found == 0) & pairs)
        only_loose += (sample.first + start + fresh[: arguments.decide]).tolist()
        among = found[: max(0, arguments.confirm - start)]
        to_confirm += (sample.first + start + np.flatnonzero(among)).tolist()

    dead = int(kinds[1:].sum())
    relaxed = int(kinds[KIND_NAMES.index("relaxed")])
    print(f"sample              {sample}")
    print(f"deals a CPU second  {sample.count / seconds:,.0f}")
    for name, count in zip(KIND_NAMES[1:], kinds[1:], strict=True):
        print(f"kind {name:14s} {count:,}")
    print(
        f"published           {PUBLISHED_DEAD / PUBLISHED_DEALS:.4%} of {PUBLISHED_DEALS:,} deals"
    )
    print()
    print("  dead %   99 % interval     this minus published, 99 %")
    print(share_line("dead-end", dead, sample.count))
    print(share_line("relaxed test alone", relaxed, sample.count))
    print(share_line("all stock cards at once", open_stock, sample.count))
    print(share_line("pair, loosely (no proof)", loose, sample.count))
    if arguments.decide > 0:
        decide(
            dealer,
            only_loose[: arguments.decide],
            "first deals that only the loose pair calls dead",
        )
    if arguments.confirm > 0:
        first_seeds = f"deals of the first {min(arguments.confirm, sample.count):,} called dead"
        counts = decide(dealer, to_confirm, first_seeds)
        return 0 if counts[Result.UNWINNABLE] == len(to_confirm) else 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
