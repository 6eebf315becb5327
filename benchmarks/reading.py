"""How long the pages wait for a large catalogue: every function of reading that they use.

    python benchmarks/reading.py --keep everything --deals 1000000
    python benchmarks/reading.py --keep verdicts --deals 100000000 --database postgresql

Fills a new catalogue with outcomes of `exact` and `dead-end` (`measuring.large`). Then it calls
everything that a page calls, and prints the median and the 95th percentile of each kind of call, in
milliseconds, and the first call of each, before which nothing of it was in memory. Lists have
random filters, orders and pages.

The file is kept, and used again, if `--file` names one.
"""

import argparse
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from catalogue import store
from catalogue.blocks import KEEPS, RESULTS
from catalogue.interrupts import ended_by_signals
from catalogue.reading import (
    alarms,
    bounds,
    comparison,
    deal_detail,
    deal_list,
    difficulty,
    overview,
)
from catalogue.reading.deal_list import ANY, DealFilter
from engine.dealing.dealers import Sample
from measuring.databases import add_database_options, chosen_database, database_bytes
from measuring.large import DEALER, SOLVERS, fill

RULESET = "klondike-draw1"


def main() -> int:
    """Fill a catalogue and time the calls."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--deals", type=int, default=1_000_000)
    parser.add_argument("--keep", choices=KEEPS, default=KEEPS[0])
    parser.add_argument("--real", type=int, default=131_072, help="deals that are really solved")
    parser.add_argument("--calls", type=int, default=200, help="random lists; others a tenth")
    parser.add_argument("--seed", type=int, default=1)
    add_database_options(parser)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as directory, ExitStack() as stack:
        url, present = stack.enter_context(chosen_database(asked, Path(directory)))
        store.init(url)
        with store.open_catalogue(url) as cat:
            if not present:
                began = time.perf_counter()
                fill(cat, RULESET, asked.deals, asked.keep, asked.real)
                print(f"filled in {time.perf_counter() - began:.0f} s", flush=True)
            size = database_bytes(cat)
            print(
                f"{cat.engine.dialect.name}, {asked.keep}: {asked.deals:,} deals of {RULESET}, "
                f"{size / asked.deals:.2f} bytes a deal",
                flush=True,
            )
            read(cat, asked.deals, asked.calls, np.random.default_rng(asked.seed))
    return 0


# --- reading -------------------------------------------------------------------------------------


def random_list(deals: int, rng: np.random.Generator) -> tuple[DealFilter, dict[str, Any]]:
    """A filter with some conditions, an order, and a place of the page as a share."""

    def some(share: float, *values: Any) -> Any:
        return values[rng.integers(len(values))] if rng.random() < share else None

    def ends(share: float, low: float, high: float) -> tuple[int | None, int | None]:
        if rng.random() >= share:
            return None, None
        one, other = sorted(int(10 ** rng.uniform(low, high)) for _ in range(2))
        return some(0.8, one), some(0.8, other)

    seeds: tuple[int | None, ...] = (None, None)
    if rng.random() < 0.2:
        seeds = tuple(sorted(int(rng.integers(deals)) for _ in range(2)))
    nodes, length = ends(0.35, 1, 6), ends(0.25, 1.9, 2.3)
    chosen = DealFilter(
        RULESET,
        status=some(0.4, *deal_list.STATUSES),
        dealer=some(0.3, DEALER),
        seed_from=seeds[0],
        seed_to=seeds[1],
        dead_end=some(0.1, ANY, "relaxed", "conflict"),
        min_nodes=nodes[0],
        max_nodes=nodes[1],
        min_length=length[0],
        max_length=length[1],
        solver=some(0.2, *SOLVERS),
        result=some(0.2, *RESULTS),
    )
    return chosen, {
        "sort": some(1, *deal_list.SORTS),
        "descending": bool(rng.integers(2)),
        "share": some(1, 0.0, 0.0, float(rng.random()), 1.0),
    }


def read(cat: store.Catalogue, deals: int, calls: int, rng: np.random.Generator) -> None:
    """Time every call."""
    whole = Sample(DEALER, 0, deals)
    few = max(calls // 10, 5)

    def seed() -> int:
        return int(rng.integers(deals))

    def part() -> Sample:
        first = seed()
        return Sample(DEALER, first, int(rng.integers(1, deals - first + 1)))

    def detail() -> None:
        deal_detail.deal_detail(cat, f"{DEALER}:{seed()}", quick_seconds=0)

    timed("overview", few, lambda: overview.overview(cat))
    timed("headline", few, lambda: bounds.headline(cat))
    timed("history of a bound", few, lambda: bounds.history_frame(cat, RULESET, whole))
    timed("bound of any sample", few, lambda: bounds.bounds_of(cat, RULESET, part()))
    timed("alarms", few, lambda: alarms.alarms(cat, 10))
    timed(
        "rulesets, dealers, solvers",
        few,
        lambda: (overview.rulesets(cat), overview.dealers(cat), overview.solvers(cat, RULESET)),
    )
    timed("a deal, without solving it", few, detail)
    timed("difficulty", few, lambda: difficulty.difficulty(cat, RULESET))
    timed("difficulty of any sample", few, lambda: difficulty.difficulty(cat, RULESET, part()))
    compared = partial(comparison.compare, cat, RULESET, *SOLVERS, whole)
    timed("comparison of two solvers", few, compared)
    for cell in ("won.not-won", "not-won.won", "unwinnable.unwinnable"):
        listed = partial(comparison.cell_deals, cat, compared(), cell, seed())
        timed(f"deals of the cell {cell}", few, listed)
    timed("list, first page", few, lambda: deal_list.list_deals(cat, DealFilter(RULESET)))
    for solver in (None, *SOLVERS):
        for result in (None, *RESULTS):
            if solver is not None or result is not None:
                chosen = DealFilter(RULESET, solver=solver, result=result)
                name = f"list, {solver or 'any solver'} {result or ''}"
                timed(name, 1, partial(deal_list.list_deals, cat, chosen))
    asked = [random_list(deals, rng) for _ in range(calls)]
    totals = []
    for chosen, _ in asked:  # what is kept in memory, and where the pages are
        totals.append(deal_list.list_deals(cat, chosen).total)
    spent: dict[str, list[float]] = {}
    slowest: list[tuple[float, str]] = []
    for (chosen, order), total in zip(asked, totals, strict=True):
        page = 1 + int(order["share"] * max(0, (total - 1) // 50))
        sort, descending = order["sort"], order["descending"]
        for again in (False, True):
            began = time.perf_counter()
            deal_list.list_deals(cat, chosen, sort, descending, page)
            took = time.perf_counter() - began
            spent.setdefault("again" if again else "any filter and order", []).append(took)
            if not again:
                slowest.append((took, f"{chosen} {sort} {descending} page {page} of {total}"))
    show("list, any filter and order", spent["any filter and order"])
    show("list, the same once more", spent["again"])
    for took, what in sorted(slowest, reverse=True)[:5]:
        print(f"    {1000 * took:8.1f} ms  {what}")


def timed(name: str, calls: int, call: Callable[[], Any]) -> None:
    """Call a function several times, and print how long it takes."""
    spent = []
    for _ in range(calls + 1):
        began = time.perf_counter()
        call()
        spent.append(time.perf_counter() - began)
    show(name, spent[1:], spent[0])


def show(name: str, spent: Sequence[float], first: float | None = None) -> None:
    """Print the median and the 95th percentile of some times."""
    middle, high = np.quantile(1000 * np.asarray(spent), (0.5, 0.95))
    answer = "" if first is None else f"  first {1000 * first:9.1f}"
    print(f"{name:36} p50 {middle:8.1f}  p95 {high:8.1f}{answer}", flush=True)


if __name__ == "__main__":
    with ended_by_signals():
        sys.exit(main())
