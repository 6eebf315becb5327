"""How long the pages wait for a large catalogue: every function of reading that they use.

    python benchmarks/reading.py --keep everything --deals 1000000
    python benchmarks/reading.py --keep verdicts --deals 100000000 --database postgresql

Fills a new catalogue with outcomes of `exact` and `dead-end`: real ones of some deals, given to
other seeds at random, and stored as blocks by the functions that always store them
(`catalogue.outcomes.writing`). Of the depth *everything*, the rows of deals, outcomes, solutions
and dead ends are inserted in bulk beside them. Then it calls everything that a page calls, and
prints the median and the 95th percentile of each kind of call, in milliseconds, and the first call
of each, before which nothing of it was in memory. Lists have random filters, orders and pages.

The file is kept, and used again, if `--file` names one.
"""

import argparse
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import text
from sqlalchemy.orm import Session

from catalogue import schema, store
from catalogue.blocks import DEPTHS, EVERYTHING, RESULTS, Known, Outcomes
from catalogue.interrupts import ended_by_signals
from catalogue.outcomes.block_rows import store_block, store_statuses
from catalogue.outcomes.chunk import Chunk, SolverKey
from catalogue.outcomes.maker import this_maker
from catalogue.outcomes.names import ensure_dealing, ensure_maker, ensure_ruleset, ensure_solver
from catalogue.outcomes.packed import PackedOutcomes, pack
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
from catalogue.schema import BLOCK_SIZE
from engine.dealing.dealers import Sample, get_dealer
from engine.rulesets import parse_ruleset
from measuring.databases import database_bytes, new_postgresql
from solvers.registry import parse_solver

RULESET = "klondike-draw1"
DEALER = "thoughtful-1"
SOLVERS = ("dead-end", "exact")
_RESULTS = np.array(["", *RESULTS])


@dataclass(frozen=True, slots=True)
class Stored:
    """The ids of what a benchmark's catalogue has."""

    ruleset: int
    dealing: int
    solvers: tuple[int, ...]
    batch: int
    maker: int


def main() -> int:
    """Fill a catalogue and time the calls."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--deals", type=int, default=1_000_000)
    parser.add_argument("--keep", choices=DEPTHS, default=DEPTHS[0])
    parser.add_argument("--real", type=int, default=131_072, help="deals that are really solved")
    parser.add_argument("--calls", type=int, default=200, help="random lists; others a tenth")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--file", type=Path, help="a SQLite file to keep")
    parser.add_argument(
        "--database",
        help="the URL of an empty database, or postgresql for a new server (needs the tools for "
        "tests); by default a new SQLite file",
    )
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as directory, ExitStack() as stack:
        file = asked.file or Path(directory) / "large.db"
        url = asked.database or f"sqlite:///{file}"
        if url == "postgresql":
            url = stack.enter_context(new_postgresql())
        present = asked.database is None and file.exists()
        store.init(url)
        with store.open_catalogue(url) as cat:
            if not present:
                began = time.perf_counter()
                fill(cat, asked.deals, asked.keep, asked.real)
                print(f"filled in {time.perf_counter() - began:.0f} s", flush=True)
            size = database_bytes(cat)
            print(
                f"{cat.engine.dialect.name}, {asked.keep}: {asked.deals:,} deals of {RULESET}, "
                f"{size / asked.deals:.2f} bytes a deal",
                flush=True,
            )
            read(cat, asked.deals, asked.calls, np.random.default_rng(asked.seed))
    return 0


# --- filling -------------------------------------------------------------------------------------


def solved(deals: int) -> list[PackedOutcomes]:
    """Real outcomes of each solver on some deals, as workers pack them."""
    rules = parse_ruleset(RULESET)
    found: list[tuple[SolverKey, list[Any]]] = [
        (SolverKey.of(parse_solver(name)), []) for name in SOLVERS
    ]
    cards = get_dealer(DEALER).deal_block(1_000_000_000, deals)
    for start in range(0, deals, 4096):
        for (_, outcomes), name in zip(found, SOLVERS, strict=True):
            outcomes += parse_solver(name).solve(cards[start : start + 4096].copy(), rules)
    chunk = Chunk(
        rules,
        DEALER,
        tuple(range(deals)),
        cards,
        tuple((solver, tuple(outcomes)) for solver, outcomes in found),
    )
    return list(pack(chunk, EVERYTHING).outcomes)


def fill(cat: store.Catalogue, deals: int, keep: str, real: int) -> None:
    """Store so many deals, with the outcomes of deals drawn at random from real ones."""
    rules = parse_ruleset(RULESET)
    each = solved(real)
    now = datetime.now(UTC)
    with cat.begin() as session:
        maker = ensure_maker(session, this_maker())
        batch = schema.BatchRow(maker_id=maker, created_at=now, rows=0, seal=0)
        session.add(batch)
        ids = Stored(
            ensure_ruleset(session, rules),
            ensure_dealing(session, rules.game, DEALER),
            tuple(ensure_solver(session, outcomes.solver) for outcomes in each),
            0,
            maker,
        )
        session.flush()
        ids = Stored(ids.ruleset, ids.dealing, ids.solvers, batch.id, maker)
        job = schema.JobRow(
            kind="outcomes", ruleset_id=ids.ruleset, dealer=DEALER, first_seed=0, deals=deals,
            keep=keep, priority=0, until={}, state="done", total=2 * deals, done=2 * deals,
            next_seed=deals, cpu_ms=0.0, created_at=now, seal=0,
        )  # fmt: skip
        session.add(job)
        session.flush()
        session.add_all(
            schema.JobSolverRow(job_id=job.id, place=place, solver_id=solver)
            for place, solver in enumerate(ids.solvers)
        )
        job_id = job.id
    rng = np.random.default_rng(2)
    for number in range(-(-deals // BLOCK_SIZE)):
        count = min(BLOCK_SIZE, deals - number * BLOCK_SIZE)
        drawn = rng.integers(real, size=count)
        with cat.begin() as session:
            known = []
            for solver_id, outcomes in zip(ids.solvers, each, strict=True):
                columns = columns_of(outcomes, drawn, keep)
                totals = (int(outcomes.nodes[drawn].sum()), int(outcomes.cpu_us[drawn].sum()))
                made = [[number * BLOCK_SIZE, count, ids.maker, now.isoformat(timespec="seconds")]]
                store_block(
                    session,
                    (ids.ruleset, ids.dealing, number, solver_id),
                    keep,
                    columns,
                    totals,
                    [] if keep == EVERYTHING else made,
                )
                known.append(Known(columns, outcomes.solver.grades, keep == EVERYTHING))
            store_statuses(session, (ids.ruleset, ids.dealing, number), known)
            if keep == EVERYTHING:
                insert_rows(session, ids, each, drawn, number * BLOCK_SIZE, rng)
            if number % 16 == 0:
                bounds.record_bound(session, job_id)
    with cat.begin() as session:
        bounds.record_bound(session, job_id)
    if cat.engine.dialect.name == "postgresql":
        with cat.engine.connect() as connection:
            connection = connection.execution_options(
                isolation_level="AUTOCOMMIT", thoughtful_writes=True
            )
            connection.execute(text("VACUUM ANALYZE"))


def columns_of(outcomes: PackedOutcomes, drawn: NDArray[np.int64], keep: str) -> Outcomes:
    """The columns of a block whose deals have these of the real outcomes."""
    kinds = tuple(sorted({kind for kind, _ in outcomes.dead_ends.values()}))
    dead_end = np.zeros(len(outcomes.result), dtype=np.uint8)
    for place, (kind, _) in outcomes.dead_ends.items():
        dead_end[place] = kinds.index(kind) + 1
    rowed = np.full(len(drawn), keep == EVERYTHING)
    columns = Outcomes(
        0,
        outcomes.result[drawn],
        outcomes.nodes[drawn],
        outcomes.length[drawn],
        dead_end[drawn],
        outcomes.cpu_us[drawn],
        rowed,
        kinds,
    )
    return columns if keep == EVERYTHING else columns.coarse()


def insert_rows(
    session: Session,
    ids: Stored,
    each: Sequence[PackedOutcomes],
    drawn: NDArray[np.int64],
    first: int,
    rng: np.random.Generator,
) -> None:
    """Insert the rows of a block of the depth *everything*."""
    seeds = range(first, first + len(drawn))
    digests = rng.bytes(16 * len(drawn))
    insert(
        session,
        "deal",
        ("id", "dealing_id", "seed", "digest"),
        [
            (seed + 1, ids.dealing, seed, digests[16 * k : 16 * k + 16])
            for k, seed in enumerate(seeds)
        ],
    )
    for solver_id, outcomes in zip(ids.solvers, each, strict=True):
        places = drawn.tolist()
        insert(
            session,
            "outcome",
            ("ruleset_id", "solver_id", "deal_id", "result", "nodes", "cpu_us", "batch_id"),
            [
                (ids.ruleset, solver_id, seed + 1, result, nodes, cpu_us, ids.batch)
                for seed, result, nodes, cpu_us in zip(
                    seeds,
                    _RESULTS[outcomes.result[drawn]].tolist(),
                    outcomes.nodes[drawn].tolist(),
                    outcomes.cpu_us[drawn].tolist(),
                    strict=True,
                )
            ],
        )
        length = outcomes.length.tolist()
        insert(
            session,
            "solution",
            ("ruleset_id", "solver_id", "deal_id", "length", "moves"),
            [
                (ids.ruleset, solver_id, seed + 1, length[place], outcomes.moves[place])
                for seed, place in zip(seeds, places, strict=True)
                if place in outcomes.moves
            ],
        )
        insert(
            session,
            "dead_end",
            ("ruleset_id", "solver_id", "deal_id", "kind", "witness"),
            [
                (ids.ruleset, solver_id, seed + 1, *outcomes.dead_ends[place])
                for seed, place in zip(seeds, places, strict=True)
                if place in outcomes.dead_ends
            ],
        )


def insert(
    session: Session, table: str, names: Sequence[str], rows: Sequence[tuple[Any, ...]]
) -> None:
    """Insert rows as fast as the database can."""
    connection, listed = session.connection(), ", ".join(names)
    if connection.dialect.name == "postgresql":
        cursor: Any = connection.connection.cursor()
        with cursor, cursor.copy(f"COPY {table} ({listed}) FROM STDIN") as copy:
            for row in rows:
                copy.write_row(row)
    elif rows:
        marks = ", ".join("?" * len(names))
        connection.exec_driver_sql(f"INSERT INTO {table} ({listed}) VALUES ({marks})", list(rows))


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
    told = "" if first is None else f"  first {1000 * first:9.1f}"
    print(f"{name:36} p50 {middle:8.1f}  p95 {high:8.1f}{told}", flush=True)


if __name__ == "__main__":
    with ended_by_signals():
        sys.exit(main())
