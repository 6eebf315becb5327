"""A large catalogue for benchmarks: outcomes of real deals, given to more deals than were solved.

The first deals have their own outcomes, so that their pages show what a job would have stored. The
others have those of deals drawn at random, stored as blocks by the functions that always store
blocks (`catalogue.outcomes.writing`). To keep everything, the rows of deals, outcomes, solutions
and dead ends are inserted in bulk beside them.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import select, text
from sqlalchemy.orm import Session

from catalogue import schema, store
from catalogue.blocks import EVERYTHING, RESULTS, Outcomes
from catalogue.outcomes import ledger
from catalogue.outcomes.block_rows import store_block, store_statuses
from catalogue.outcomes.chunk import Chunk, SolverKey
from catalogue.outcomes.names import (
    ensure_dealing,
    ensure_provenance,
    ensure_ruleset,
    ensure_solver,
)
from catalogue.outcomes.packed import PackedOutcomes, pack
from catalogue.outcomes.provenance import this_provenance
from catalogue.reading import bounds
from catalogue.schema import BLOCK_SIZE
from engine.deal import digest_of
from engine.dealing.dealers import get_dealer
from engine.rulesets import parse_ruleset
from solvers.solver import parse_solver

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
    provenance: int


@cache
def solved(ruleset: str, deals: int) -> tuple[PackedOutcomes, ...]:
    """Outcomes of each solver on the first deals, as workers pack them."""
    rules = parse_ruleset(ruleset)
    found: list[tuple[SolverKey, list[Any]]] = [
        (SolverKey.of(parse_solver(name)), []) for name in SOLVERS
    ]
    cards = get_dealer(DEALER).deal_block(0, deals)
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
    return tuple(pack(chunk, EVERYTHING).outcomes)


def fill(cat: store.Catalogue, ruleset: str, deals: int, keep: str, real: int) -> None:
    """Store the outcomes of so many deals under a ruleset, of which the first ones are solved."""
    rules = parse_ruleset(ruleset)
    real = min(real, deals)
    each = solved(ruleset, real)
    now = datetime.now(UTC)
    with cat.begin() as session:
        provenance = ensure_provenance(session, this_provenance())
        batch = schema.BatchRow(provenance_id=provenance, created_at=now, rows=0, seal=0)
        session.add(batch)
        session.flush()
        entry = {"id": batch.id, "provenance_id": provenance, "created_at": now}
        ledger.add(session, "batch", entry)
        ids = Stored(
            ensure_ruleset(session, rules),
            ensure_dealing(session, rules.game, DEALER),
            tuple(ensure_solver(session, outcomes.solver) for outcomes in each),
            0,
            provenance,
        )
        session.flush()
        ids = Stored(ids.ruleset, ids.dealing, ids.solvers, batch.id, provenance)
        job = schema.JobRow(
            kind="outcomes", ruleset_id=ids.ruleset, dealer=DEALER, first_seed=0, deals=deals,
            keep=keep, priority=0, until={}, state="done", total=2 * deals, done=2 * deals,
            next_seed=deals, cpu_ms=0.0, created_at=now, seal=0,
        )  # fmt: skip
        session.add(job)
        session.flush()
        ledger.add(session, "job", {"id": job.id, "created_at": now})
        session.add_all(
            schema.JobSolverRow(job_id=job.id, place=place, solver_id=solver)
            for place, solver in enumerate(ids.solvers)
        )
        job_id = job.id
    rng = np.random.default_rng(2)
    solvers = zip(ids.solvers, each, strict=True)
    grading = [solver_id for solver_id, outcomes in solvers if outcomes.solver.grades]
    for number in range(-(-deals // BLOCK_SIZE)):
        count = min(BLOCK_SIZE, deals - number * BLOCK_SIZE)
        first = number * BLOCK_SIZE
        drawn = rng.integers(real, size=count)
        own = np.arange(first, min(first + count, real))
        drawn[: len(own)] = own
        with cat.begin() as session:
            known = {}
            for solver_id, outcomes in zip(ids.solvers, each, strict=True):
                columns = columns_of(outcomes, drawn, keep)
                totals = (int(outcomes.nodes[drawn].sum()), int(outcomes.cpu_us[drawn].sum()))
                stored = [
                    [number * BLOCK_SIZE, count, ids.provenance, now.isoformat(timespec="seconds")]
                ]
                store_block(
                    session,
                    (ids.ruleset, ids.dealing, number, solver_id),
                    columns,
                    totals,
                    stored,
                )
                known[solver_id] = columns
            store_statuses(session, (ids.ruleset, ids.dealing, number), known, grading)
            if keep == EVERYTHING:
                insert_rows(session, ids, each, drawn, first)
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
    return Outcomes(
        0,
        outcomes.result[drawn],
        outcomes.nodes[drawn],
        outcomes.length[drawn],
        dead_end[drawn],
        outcomes.cpu_us[drawn],
        rowed,
        np.zeros(len(drawn), np.bool_),
        kinds,
    )


def insert_rows(
    session: Session,
    ids: Stored,
    each: Sequence[PackedOutcomes],
    drawn: NDArray[np.int64],
    first: int,
) -> None:
    """Insert the rows of a block of which everything is kept."""
    seeds = range(first, first + len(drawn))
    there = select(schema.DealRow.id).where(schema.DealRow.id == first + 1)
    if session.scalar(there) is None:  # another ruleset may have brought the deals
        cards = get_dealer(DEALER).deal_block(first, len(drawn))
        insert(
            session,
            "deal",
            ("id", "dealing_id", "seed", "digest"),
            [
                (seed + 1, ids.dealing, seed, bytes.fromhex(digest_of(deal.tobytes())))
                for seed, deal in zip(seeds, cards, strict=True)
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
