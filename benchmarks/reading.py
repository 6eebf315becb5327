"""Benchmark of reading a large catalogue: every function that the pages use.

    python benchmarks/reading.py [--deals 1000000] [--url postgresql://…]

Fills a new catalogue (a SQLite file in a temporary directory, unless the URL of an empty database
is given) with synthetic outcomes of two solvers, then prints one line per call: seconds, call. With
`--keep FILE` the SQLite file is kept, and reused if it exists.
"""

import argparse
import sys
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from sqlalchemy import insert, text

from catalogue import schema, store
from catalogue.exports.selection import Selection
from catalogue.exports.writing import export
from catalogue.reading import bounds, deal_detail, deal_list, difficulty, overview
from catalogue.reading.deal_list import DealFilter
from catalogue.schema import BLOCK_SIZE
from engine.dealing.dealers import Sample, get_dealer

DRAW3 = "klondike-draw3"
STEP = 20_000


def main() -> int:
    """Fill a catalogue and time the calls."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--deals", type=int, default=1_000_000)
    parser.add_argument("--url")
    parser.add_argument("--keep", type=Path)
    parser.add_argument("--export", type=int, default=100_000, help="deals to export")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as directory:
        file = arguments.keep or Path(directory) / "large.db"
        url = arguments.url or f"sqlite:///{file}"
        present = arguments.url is None and file.exists()
        store.init(url)
        with store.open_catalogue(url) as cat:
            if not present:
                timed(f"fill with {arguments.deals} deals", lambda: fill(cat, arguments.deals))
            read(cat, arguments.deals)
            target = Path(directory) / "export"
            chosen = Selection(DRAW3, dealer="thoughtful-1", seed_to=arguments.export - 1)
            timed(
                f"export of {arguments.export} deals",
                lambda: export(cat, target, selection=chosen),
            )
    return 0


def timed(name: str, call: Callable[[], Any]) -> Any:
    """Call a function and print its time."""
    began = time.perf_counter()
    result = call()
    print(f"{time.perf_counter() - began:9.4f} s  {name}", flush=True)
    return result


def fill(cat: store.Catalogue, deals: int) -> None:
    """Fill a catalogue with deals attempted by two solvers; 82 % winnable, 17 % unwinnable."""
    rng = np.random.default_rng(1)
    now = datetime.now(UTC)
    cards = get_dealer("thoughtful-1").deal_block(0, 1)[0].tobytes()
    with cat.begin() as session:
        session.execute(
            insert(schema.RulesetRow).values(id=1, slug=DRAW3, game="klondike", options={})
        )
        for solver_id, method in ((1, "dead-end"), (2, "exact")):
            session.execute(
                insert(schema.SolverRow).values(
                    id=solver_id, name=method, version=1, method=method, parameters={}
                )
            )
        session.execute(
            insert(schema.JobRow).values(
                id=1, ruleset_id=1, dealer="thoughtful-1", first_seed=0, deals=deals,
                state="running", done=0, created_at=now,
            )
        )  # fmt: skip
        for place in (0, 1):
            session.execute(
                insert(schema.JobSolverRow).values(job_id=1, place=place, solver_id=place + 1)
            )
    for start in range(0, deals, STEP):
        seeds = range(start, min(start + STEP, deals))
        fate = rng.random(len(seeds))
        nodes = (10 ** rng.uniform(1, 6, len(seeds))).astype(int)
        rows: dict[Any, list[dict[str, Any]]] = {
            table: []
            for table in (
                schema.DealRow,
                schema.OutcomeRow,
                schema.SolutionRow,
                schema.DeadEndRow,
                schema.StatusRow,
            )
        }
        for k, seed in enumerate(seeds):
            won, dead, gave_up = fate[k] < 0.82, fate[k] > 0.92, 0.82 <= fate[k] < 0.83
            key = {"ruleset_id": 1, "deal_id": seed + 1}
            rows[schema.DealRow].append(
                {
                    "id": seed + 1, "game": "klondike", "dealer": "thoughtful-1", "seed": seed,
                    "digest": f"{seed:032x}", "cards": cards,
                }
            )  # fmt: skip
            exact = "won" if won else "gave_up" if gave_up else "unwinnable"
            rows[schema.OutcomeRow] += [
                {**key, "solver_id": 1, "result": "unwinnable" if dead else "gave_up",
                 "nodes": 1, "cpu_ms": 0.01, "at": now},
                {**key, "solver_id": 2, "result": exact, "nodes": int(nodes[k]), "cpu_ms": 1.0,
                 "at": now},
            ]  # fmt: skip
            length = 100 + int(nodes[k]) % 90
            if won:
                rows[schema.SolutionRow].append(
                    {**key, "solver_id": 2, "length": length, "moves": bytes(length)}
                )
            if dead:
                rows[schema.DeadEndRow].append(
                    {**key, "solver_id": 1, "kind": "relaxed", "witness": "KH 2C"}
                )
            rows[schema.StatusRow].append(
                {
                    **key, "dealer": "thoughtful-1", "seed": seed,
                    "status": "winnable" if won else "unresolved" if gave_up else "unwinnable",
                    "solvers": 2, "wins": int(won),
                    "proofs": 0 if won or gave_up else 1 + int(dead),
                    "nodes": None if gave_up else int(nodes[k]),
                    "solution_length": length if won else None,
                    "dead_end": "relaxed" if dead else None,
                }
            )  # fmt: skip
        with cat.begin() as session:
            for table, several in rows.items():
                session.execute(insert(table), several)
            session.execute(insert(schema.TallyRow), tallies(rows[schema.OutcomeRow]))
            session.execute(insert(schema.StatusTallyRow), status_tallies(rows[schema.StatusRow]))
            bounds.record_bound(session, 1)
    if cat.engine.dialect.name == "postgresql":
        with cat.begin() as session:
            session.execute(text("ANALYZE"))


def tallies(outcomes: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The tally rows of outcomes."""
    found: dict[tuple[int, int], dict[str, Any]] = {}
    for row in outcomes:
        key = (row["solver_id"], (row["deal_id"] - 1) // BLOCK_SIZE)
        tally = found.setdefault(
            key,
            {
                "ruleset_id": 1, "solver_id": key[0], "dealer": "thoughtful-1", "block": key[1],
                "attempted": 0, "won": 0, "lost": 0, "unwinnable": 0, "gave_up": 0, "nodes": 0,
                "cpu_ms": 0.0,
            },
        )  # fmt: skip
        tally["attempted"] += 1
        tally[row["result"]] += 1
        tally["nodes"] += row["nodes"]
        tally["cpu_ms"] += row["cpu_ms"]
    return list(found.values())


def status_tallies(statuses: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The status tally rows of statuses."""
    found: dict[int, dict[str, Any]] = {}
    for row in statuses:
        tally = found.setdefault(
            row["seed"] // BLOCK_SIZE,
            {
                "ruleset_id": 1, "dealer": "thoughtful-1", "block": row["seed"] // BLOCK_SIZE,
                "deals": 0, "winnable": 0, "unwinnable": 0, "alarms": 0,
            },
        )  # fmt: skip
        tally["deals"] += 1
        if row["status"] != "unresolved":
            tally[row["status"]] += 1
    return list(found.values())


def read(cat: store.Catalogue, deals: int) -> None:
    """Time every reading function."""
    whole = Sample("thoughtful-1", 0, deals)

    def record() -> None:
        with cat.begin() as session:
            bounds.record_bound(session, 1)

    timed("record_bound, nothing new", record)
    timed("overview", lambda: overview.overview(cat))
    timed("headline", lambda: bounds.headline(cat))
    timed("history_frame", lambda: bounds.history_frame(cat, DRAW3, whole))
    timed("bounds_of, edges inside blocks", lambda: bounds.bounds_of(
        cat, DRAW3, Sample("thoughtful-1", 17, deals - 100)))  # fmt: skip
    timed("alarms", lambda: overview.alarms(cat))
    timed("rulesets, dealers, solvers", lambda: (
        overview.rulesets(cat), overview.dealers(cat), overview.solvers(cat)))  # fmt: skip
    timed("deal_detail", lambda: deal_detail.deal_detail(cat, f"thoughtful-1:{deals // 2}"))
    everything = DealFilter(DRAW3)
    last = deals // 50
    lists: list[tuple[str, DealFilter, dict[str, Any]]] = [
        ("first page", everything, {}),
        ("last page", everything, {"page": last}),
        ("hardest", everything, {"sort": "nodes", "descending": True}),
        ("hardest, middle page", everything, {"sort": "nodes", "page": last // 2}),
        ("longest", everything, {"sort": "length", "descending": True}),
        ("unresolved", DealFilter(DRAW3, status="unresolved"), {}),
        ("unwinnable, hardest", DealFilter(DRAW3, status="unwinnable"),
         {"sort": "nodes", "descending": True}),
        ("some seeds", DealFilter(DRAW3, dealer="thoughtful-1", seed_from=5000, seed_to=6000), {}),
        ("few nodes", DealFilter(DRAW3, max_nodes=12), {}),
        ("dead ends", DealFilter(DRAW3, dead_end="any"), {}),
        ("exact gave up", DealFilter(DRAW3, solver="exact", result="gave_up"), {}),
    ]  # fmt: skip
    for name, chosen, order in lists:
        timed(f"list_deals: {name}", partial(deal_list.list_deals, cat, chosen, **order))
    timed("difficulty", lambda: difficulty.difficulty(cat, DRAW3))
    timed("compare", lambda: difficulty.compare(cat, DRAW3, "exact", "dead-end"))


if __name__ == "__main__":
    sys.exit(main())
