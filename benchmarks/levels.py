"""Processor time of levels and of deals to play, and what the rough levels pass over.

    python benchmarks/levels.py --rules klondike-draw3 --deals 200

Deals are winnable ones of a key. Prints, in milliseconds of the processor:

- a level, and a rough one: median, 95th percentile and most;
- a deal to play of each band: the same over as many keys;
- of the deals whose rough level is in a band, the share whose level is, and of those whose level is
  in it the share that is not passed over.
"""

import argparse
import sys
import time
from itertools import islice

import numpy as np

from catalogue.difficulty.deal_of_day import usual_dealer, winnable_deals
from catalogue.difficulty.playable import BANDS, Band, playable_deal
from catalogue.difficulty.prediction import predicted_level
from catalogue.difficulty.shipped import shipped_model
from engine.errors import BadInput
from engine.rulesets import parse_ruleset
from engine.text.numbers import per_cent
from measuring.figures import table


def main() -> int:
    """Measure and print; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rules", default="klondike-draw3")
    parser.add_argument("--deals", type=int, default=200, help="number of deals, and of keys")
    parser.add_argument("--keys", type=int, default=100, help="number of keys for each band")
    arguments = parser.parse_args()
    try:
        return report(arguments.rules, arguments.deals, arguments.keys)
    except BadInput as error:
        print(error, file=sys.stderr)
        return 2


def report(ruleset: str, count: int, keys: int) -> int:
    """Measure and print."""
    rules, model = parse_ruleset(ruleset), shipped_model(ruleset)
    if model is None:
        raise BadInput(f"no model is shipped for {ruleset}")
    drawn = winnable_deals(rules, usual_dealer(rules), "levels", 10**9)
    deals = [each.deal for each in islice(drawn, count + 1)]
    kinds = (False,) if model.rests_on_trials else (False, True)
    levels: dict[bool, list[int]] = {kind: [] for kind in kinds}
    times: dict[str, list[float]] = {}
    for kind in kinds:
        predicted_level(model, deals[0], rules, rough=kind)  # compiled
        for deal in deals[1:]:
            since = time.process_time()
            levels[kind].append(predicted_level(model, deal, rules, rough=kind).number)
            spent = 1000 * (time.process_time() - since)
            times.setdefault("rough level" if kind else "level", []).append(spent)
    for band in Band:
        for key in range(keys):
            since = time.process_time()
            playable_deal(ruleset, band, f"levels {key}")
            spent = 1000 * (time.process_time() - since)
            times.setdefault(f"deal to play, {band}", []).append(spent)
    print(f"{ruleset}: {count:,} winnable deals, {keys:,} keys for each band\n")
    rows = [_row(name, spent) for name, spent in times.items()]
    print(table(("ms of the processor", "median", "95 %", "most"), rows))
    found = np.array(levels[False])
    shares = []
    for band, (low, high) in BANDS.items():
        inside = (low <= found) & (found <= high)
        row = [str(band), per_cent(float(inside.mean()), 1)]
        if True in kinds:
            rough = np.array(levels[True])
            passed = (low <= rough) & (rough <= high)
            both = float((inside & passed).sum())
            row += [per_cent(both / passed.sum(), 1), per_cent(both / inside.sum(), 1)]
        shares.append(row)
    headings = ("band", "deals %", "in it of those taken %", "taken of those in it %")
    print("\n" + table(headings[: len(shares[0])], shares))
    return 0


def _row(name: str, spent: list[float]) -> tuple[str, ...]:
    ends = (np.median(spent), np.quantile(spent, 0.95), max(spent))
    return name, *(f"{end:,.0f}" for end in ends)


if __name__ == "__main__":
    sys.exit(main())
