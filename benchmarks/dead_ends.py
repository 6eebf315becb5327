"""Share of deals that are dead ends before any move, and the 8.557 % of Bjarnason et al. 2007.

    python benchmarks/dead_ends.py [--sample thoughtful-1:0-999999] [--decide 200] [--confirm 20000]

Prints the share of each kind of `dead-end`, with Clopper–Pearson intervals at 99 %, and the CPU
time of each test. The published 855,741 of 10,000,000 is of the first two kinds only, and is
compared with these, with an interval of the difference. It is also compared with the shares under
other readings of section 4.1:

- *all stock cards at once*: the relaxed game starts with all 24 stock cards in reach. This is sound
  and finds half as many.
- *pair, loosely*: for the pair pattern it is sufficient that each of the two cards has a lower card
  of its suit below itself, and that one of the cards to build on lies below the upper one. This is
  the literal reading of the paper's sentence and of its definition of blocking, and it agrees with
  the published share. But it proves nothing if the card needed lies between the two: with TD over
  JC over TH, TD goes to JS, JC to a red queen, TD back to JC, and TH to JS. `--decide` has `exact`
  play the first deals that are dead under this reading only, and counts its wins.

`--confirm N` has `exact` decide the sample's first N deals, and prints the share of the unwinnable
ones that each kind covers. `--witnesses N` has the slow reference checker verify the witnesses of
the first N deals, and prints their sizes and the time to find and check them.
The exit code is 1 unless `exact` proves every dead end unwinnable and the checker accepts every
witness.
"""

import argparse
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import count as count_from

import numpy as np
from numpy.typing import NDArray

from catalogue.interrupts import ended_by_signals
from catalogue.statistics import agrees, clopper_pearson
from engine.cardset import ALL
from engine.dealing.dealers import Dealer, Sample, get_dealer, parse_sample
from engine.errors import BadInput
from engine.kernels.decorators import kernel
from engine.klondike.deal import KlondikeDeal
from engine.klondike.rules import KlondikeRules
from solvers.klondike.dead_ends.method import (
    KIND_NAMES,
    _find_pair,
    _standstill,
    classify,
    classify_block,
    is_proof,
)
from solvers.klondike.dead_ends.pair_reachability import loses, new_work
from solvers.outcome import Result
from solvers.solver import parse_solver

PUBLISHED_DEAD = 855_741
PUBLISHED_DEALS = 10_000_000
PUBLISHED_KINDS = ("relaxed", "pair")
BLOCK = 50_000
CLOCKED = 20_000
RULES = KlondikeRules(draw=3)


@kernel
def has_loose_pair(cards):  # type: ignore[no-untyped-def]
    """Whether a deal uint8[52] has the pair pattern in the loose reading."""
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


@kernel
def loose_pairs(cards, found):  # type: ignore[no-untyped-def]
    """Write `has_loose_pair` of each deal uint8[n, 52] to found bool[n]."""
    for row in range(cards.shape[0]):
        found[row] = has_loose_pair(cards[row])


def with_loose_pair(cards: NDArray[np.uint8]) -> NDArray[np.bool_]:
    """Whether each of the deals uint8[n, 52] has the loose pattern: bool[n]."""
    found = np.zeros(len(cards), dtype=np.bool_)
    loose_pairs(cards, found)
    return found


def interval(part: int, whole: int) -> str:
    """A share with its interval, as text."""
    if whole == 0:
        return "–"
    found = clopper_pearson(part, whole)
    return f"{part / whole:8.4%}  {found.low:8.4%} to {found.high:8.4%}"


def published_line(name: str, dead: int, deals: int) -> str:
    """A line of text: share, interval, difference from the published share."""
    published = PUBLISHED_DEAD / PUBLISHED_DEALS
    agreement = agrees(published, dead, deals - dead, deals, games=PUBLISHED_DEALS)
    gap = agreement.interval
    return (
        f" {interval(dead, deals)}  "
        f"{gap.low:+.4%} to {gap.high:+.4%} {'agrees ' if agreement.agrees else 'differs'}   {name}"
    )


@dataclass
class Counts:
    """The counts of a sample.

    Attributes:
        kinds: deals by index of `KIND_NAMES`.
        open_stock: deals dead with all stock cards in reach from the start, by the same tests.
        loose: deals of a published kind, or that show the loose pair.
        only_loose: seeds of the first deals that only the loose pair calls dead.
    """

    kinds: NDArray[np.int64]
    open_stock: int
    loose: int
    only_loose: list[int]

    def of(self, *kinds: str) -> int:
        """The number of deals of these kinds."""
        return int(sum(self.kinds[KIND_NAMES.index(kind)] for kind in kinds))


def count(dealer: Dealer, sample: Sample) -> Counts:
    """Classify a sample."""
    counts = Counts(np.zeros(len(KIND_NAMES), dtype=np.int64), 0, 0, [])
    published = [KIND_NAMES.index(kind) for kind in PUBLISHED_KINDS]
    for start in range(0, sample.count, BLOCK):
        deals = dealer.deal_block(sample.first + start, min(BLOCK, sample.count - start))
        found = classify_block(deals, RULES)
        counts.kinds += np.bincount(found, minlength=len(KIND_NAMES))
        dead = np.isin(found, published)
        pairs = with_loose_pair(deals)
        # With one card drawn at a time every stock card is in reach from the start.
        counts.open_stock += int(cheap_kinds(deals, 1).sum())
        counts.loose += int((dead | pairs).sum())
        fresh = np.flatnonzero(~dead & pairs)
        counts.only_loose += (sample.first + start + fresh).tolist()
    return counts


def cheap_kinds(deals: NDArray[np.uint8], draw: int) -> NDArray[np.bool_]:
    """Whether each of the deals uint8[n, 52] is dead by the published tests: bool[n]."""
    found = np.zeros(len(deals), dtype=np.bool_)
    _cheap_kinds(deals, draw, found)
    return found


@kernel
def _cheap_kinds(deals, draw, found):  # type: ignore[no-untyped-def]
    pair = np.zeros(5, dtype=np.uint8)
    for row in range(deals.shape[0]):
        found[row] = _standstill(deals[row], (draw, 0, 0), ALL)[0] != 0 or _find_pair(
            deals[row], pair
        )


def clock(dealer: Dealer, sample: Sample) -> None:
    """Print the CPU time of each test on the first deals of a sample."""
    deals = dealer.deal_block(sample.first, min(CLOCKED, sample.count))
    left = deals[~cheap_kinds(deals, RULES.draw)]
    work = new_work()
    pair = np.zeros(5, dtype=np.uint8)
    tests: list[tuple[str, NDArray[np.uint8], Callable[[NDArray[np.uint8]], object]]] = [
        ("relaxed", deals, lambda row: _standstill(row, (RULES.draw, 0, 0), ALL)),
        ("pair", deals, lambda row: _find_pair(row, pair)),
        ("conflict", left, lambda row: loses(row, RULES.draw, ALL, work)),
    ]
    for name, rows, test in tests:
        test(rows[0])
        began = time.thread_time()
        for row in rows:
            test(row)
        each = (time.thread_time() - began) / len(rows)
        print(f"  {1e6 * each:8.2f} µs a deal   {name}, on {len(rows):,} deals")


def confirm(dealer: Dealer, sample: Sample) -> bool:
    """Decide every deal of a sample and print shares; return whether all dead ends are proved."""
    solver = parse_solver("exact(nodes=200000000, memory_mib=2048)")
    unwinnable = np.zeros(len(KIND_NAMES), dtype=np.int64)
    wrong: list[int] = []
    undecided = 0
    for start in range(0, sample.count, BLOCK):
        first = sample.first + start
        deals = dealer.deal_block(first, min(BLOCK, sample.count - start))
        for seed, kind, row in zip(count_from(first), classify_block(deals, RULES), deals):
            (outcome,) = solver.solve(row[np.newaxis], RULES)
            if outcome.result is Result.UNWINNABLE:
                unwinnable[kind] += 1
            elif kind:
                wrong.append(seed)
            undecided += outcome.result is Result.GAVE_UP
    everything = int(unwinnable.sum())
    print()
    print(
        f"{solver} on {sample}: {everything:,} unwinnable "
        f"({interval(everything, sample.count).strip()}), {undecided:,} undecided; named by"
    )
    for name, part in (
        *((kind, int(unwinnable[index])) for index, kind in enumerate(KIND_NAMES) if kind),
        ("any kind", int(unwinnable[1:].sum())),
        ("the published kinds", int(sum(unwinnable[KIND_NAMES.index(k)] for k in PUBLISHED_KINDS))),
    ):
        print(f"  {part:7,}  {interval(part, everything)}   {name}")
    print(f"  called dead, but not proved unwinnable: {', '.join(map(str, wrong)) or 'none'}")
    return not wrong


def check_witnesses(dealer: Dealer, sample: Sample) -> bool:
    """Find and check the witnesses of a sample; return whether all are accepted."""
    rows = dealer.deal_block(sample.first, sample.count)
    sizes: dict[str, list[int]] = {kind: [] for kind in KIND_NAMES[1:]}
    finding: dict[str, list[float]] = {kind: [] for kind in KIND_NAMES[1:]}
    checking: dict[str, list[float]] = {kind: [] for kind in KIND_NAMES[1:]}
    refused = []
    for row, kind in zip(rows, classify_block(rows, RULES), strict=True):
        if not kind:
            continue
        deal = KlondikeDeal.of(row)
        began = time.thread_time()
        dead_end = classify(deal, RULES)
        found = time.thread_time()
        assert dead_end is not None
        if not is_proof(dead_end, deal, RULES):
            refused.append(deal)
        finding[dead_end.kind].append(found - began)
        checking[dead_end.kind].append(time.thread_time() - found)
        sizes[dead_end.kind].append(len(dead_end.witness))
    print()
    print(f"witnesses of {sample}, milliseconds of CPU time")
    print("  kind         deals   cards: median, largest   found: mean   checked: mean, largest")
    for kind, cards in sizes.items():
        if cards:
            print(
                f"  {kind:10s} {len(cards):7,} {np.median(cards):15.0f} {max(cards):8d} "
                f"{1e3 * np.mean(finding[kind]):13.2f} {1e3 * np.mean(checking[kind]):15.2f} "
                f"{1e3 * max(checking[kind]):8.0f}"
            )
    print(f"  refused by the checker: {len(refused)}")
    return not refused


def decide_loose(dealer: Dealer, seeds: list[int]) -> None:
    """Solve deals that only the loose pair calls dead with `exact`, and print the results."""
    solver = parse_solver("exact(nodes=200000000, memory_mib=2048)")
    counts = dict.fromkeys(Result, 0)
    won = []
    for seed in seeds:
        (outcome,) = solver.solve(dealer.deal_block(seed, 1), RULES)
        counts[outcome.result] += 1
        if outcome.result is Result.WON:
            won.append(seed)
    print()
    print(f"of the {len(seeds):,} first deals that only the loose pair calls dead, {solver} finds")
    for result, number in counts.items():
        if number:
            print(f"  {number:5d} {result.value}")
    if won:
        print(f"  won are, for example, {', '.join(f'{dealer.slug}:{seed}' for seed in won[:5])}")


def main() -> int:
    """Classify the sample and print one line per figure."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sample", default="thoughtful-1:0-999999")
    parser.add_argument("--decide", type=int, default=0)
    parser.add_argument("--confirm", type=int, default=0)
    parser.add_argument("--witnesses", type=int, default=0)
    arguments = parser.parse_args()
    try:
        sample = parse_sample(arguments.sample)
    except BadInput as error:
        print(error, file=sys.stderr)
        return 2
    dealer = get_dealer(sample.dealer)
    counts = count(dealer, sample)
    print(f"sample              {sample}")
    print()
    print("    dead %   99 % interval")
    for kind in KIND_NAMES[1:]:
        print(f" {interval(counts.of(kind), sample.count)}   {kind}: {counts.of(kind):,}")
    print(f" {interval(counts.of(*KIND_NAMES[1:]), sample.count)}   all kinds")
    print()
    print("CPU time of each test")
    clock(dealer, sample)
    print()
    print(f"published {PUBLISHED_DEAD / PUBLISHED_DEALS:.4%} of {PUBLISHED_DEALS:,} deals")
    print("    dead %   99 % interval           this minus published, 99 %")
    print(published_line("relaxed and pair", counts.of(*PUBLISHED_KINDS), sample.count))
    print(published_line("relaxed alone", counts.of("relaxed"), sample.count))
    print(published_line("all stock cards at once", counts.open_stock, sample.count))
    print(published_line("pair, loosely (no proof)", counts.loose, sample.count))
    if arguments.decide > 0:
        decide_loose(dealer, counts.only_loose[: arguments.decide])
    proved = True
    if arguments.confirm > 0:
        proved = confirm(dealer, replace(sample, count=min(sample.count, arguments.confirm)))
    if arguments.witnesses > 0:
        few = replace(sample, count=min(sample.count, arguments.witnesses))
        proved = check_witnesses(dealer, few) and proved
    return 0 if proved else 1


if __name__ == "__main__":
    with ended_by_signals():
        sys.exit(main())
