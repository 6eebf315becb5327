"""A small catalogue with something in every table: the one that is damaged."""

import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from catalogue import store
from catalogue.difficulty.features import FeaturesTask, find_features, winnable_seeds
from catalogue.difficulty.fitting import store_model
from catalogue.jobs.task import JobSpec
from catalogue.outcomes import ledger
from catalogue.outcomes.chunk import Chunk, SolverKey
from catalogue.outcomes.compression import compress
from catalogue.outcomes.names import add_batch, ensure_provenance, ensure_ruleset, ensure_solver
from catalogue.outcomes.provenance import this_provenance
from catalogue.outcomes.seals import add_up, seal_of_job, seal_of_regret
from catalogue.outcomes.writing import write_chunk
from catalogue.reading.bounds import record_bound
from catalogue.schema import (
    DealRow,
    JobRow,
    JobSolverRow,
    OutcomeRow,
    RegretRow,
    RunnerRow,
    ShardRow,
)
from catalogue.verify.running import verify
from engine.dealing.dealers import Sample, get_dealer
from engine.games import game_of
from engine.rulesets import parse_ruleset
from graded import plausible_model
from solvers import regret
from solvers.choice import Ability, capable
from solvers.features import tracer
from solvers.solver import parse_solver

MOMENT = datetime(2026, 1, 1, tzinfo=UTC)


def solved(
    rules: Any, seeds: range, names: list[str], dealer: str | None = "thoughtful-1"
) -> Chunk:
    """A chunk of real outcomes."""
    cards = get_dealer("thoughtful-1").deal_block(seeds.start, len(seeds), game_of(rules))
    solvers = [parse_solver(name) for name in names]
    columns = [
        (SolverKey.of(s), tuple(o.without_game() for o in s.solve(cards, rules))) for s in solvers
    ]
    own = tuple(seeds) if dealer else ()
    return Chunk(rules, dealer, own, cards, tuple(columns))


class Filling:
    """Fills a catalogue without a runner."""

    def __init__(self, cat: store.Catalogue) -> None:
        self.cat = cat

    def job(self, ruleset: str, seeds: range, names: list[str], keep: str, kind: str) -> int:
        """Add a job that is done."""
        rules = parse_ruleset(ruleset)
        with self.cat.begin() as session:
            keys = [SolverKey.of(parse_solver(name)) for name in names]
            solver_ids = [ensure_solver(session, key) for key in keys]
            total = len(seeds) * len(names)
            job = JobRow(
                kind=kind,
                ruleset_id=ensure_ruleset(session, rules),
                dealer="thoughtful-1",
                first_seed=seeds.start,
                deals=len(seeds),
                keep=keep,
                priority=0,
                until={},
                state="done",
                total=total,
                done=total,
                next_seed=seeds.stop,
                cpu_ms=1.5,
                created_at=MOMENT,
                started_at=MOMENT,
                finished_at=MOMENT,
                seal=0,
            )
            session.add(job)
            session.flush()
            ledger.add(session, "job", {"id": job.id, "created_at": job.created_at})
            for place, solver_id in enumerate(solver_ids):
                session.add(JobSolverRow(job_id=job.id, place=place, solver_id=solver_id))
            self.seal(session, job, solver_ids)
            return job.id

    def seal(self, session: Any, job: JobRow, solver_ids: list[int]) -> None:
        """Seal a job anew."""
        session.flush()
        session.refresh(job)
        values = {column.name: getattr(job, column.name) for column in JobRow.__table__.columns}
        job.seal = seal_of_job(values, solver_ids)

    def outcomes(self, ruleset: str, seeds: range, names: list[str], keep: str) -> None:
        """Solve a job's sample in two chunks, so that it has two bounds."""
        rules = parse_ruleset(ruleset)
        number = self.job(ruleset, seeds, names, keep, "outcomes")
        middle = seeds.start + len(seeds) // 2
        for part in (range(seeds.start, middle), range(middle, seeds.stop)):
            with self.cat.begin() as session:
                write_chunk(session, solved(rules, part, names), keep)
                record_bound(session, number)

    def regrets(self, ruleset: str, player: str) -> None:
        """Find the regrets of all games that a player lost."""
        rules = parse_ruleset(ruleset)
        own, reference = game_of(rules), capable(rules, Ability.DECIDE)
        assert reference is not None
        with self.cat.begin() as session:
            solver_id = ensure_solver(session, SolverKey.of(parse_solver(player)))
            ruleset_id = ensure_ruleset(session, rules)
            deals = [
                (row.id, row.seed)
                for row in session.query(DealRow.id, DealRow.seed)
                .join(OutcomeRow, OutcomeRow.deal_id == DealRow.id)
                .filter(OutcomeRow.solver_id == solver_id, OutcomeRow.result == "lost")
                .order_by(DealRow.id)
            ]
            dealer = get_dealer("thoughtful-1")
            cards = np.concatenate([dealer.deal_block(seed, 1, own) for _, seed in deals])
            games = regret.play_again(cards, rules, parse_solver(player), reference)
            rows = [
                {
                    "ruleset_id": ruleset_id,
                    "solver_id": solver_id,
                    "deal_id": deal_id,
                    "kind": each.kind.value,
                    "step": each.step,
                    "action": each.action,
                    "length": own.length(moves),
                    "moves": compress(own.slug, moves),
                    "reference": reference.method.slug,
                    "reference_version": reference.method.version,
                }
                for (deal_id, _), (moves, each) in zip(deals, games, strict=True)
            ]
            provenance_id = ensure_provenance(session, this_provenance())
            sealed = add_up(seal_of_regret(row) for row in rows)
            batch_id = add_batch(session, provenance_id, len(rows), sealed)
            session.add_all(RegretRow(**row, batch_id=batch_id) for row in rows)

    def features(self, ruleset: str, seeds: range) -> None:
        """Find the features of winnable deals, and grade them by a model that was never fitted."""
        rules = parse_ruleset(ruleset)
        solver = SolverKey.of(tracer(rules))
        with self.cat.begin() as session:
            ruleset_id = ensure_ruleset(session, rules)
            solver_id = ensure_solver(session, solver)
            key = (ruleset, ruleset_id, "thoughtful-1", seeds.start, len(seeds))
            task = FeaturesTask(JobSpec(0, *key, (solver,), (solver_id,)))
            winnable = winnable_seeds(session, ruleset_id, "thoughtful-1", seeds).tolist()
            task.store(
                session, [find_features(ruleset, "thoughtful-1", tuple(winnable), solver.name)]
            )
        sample = Sample("thoughtful-1", seeds.start, len(seeds))
        store_model(self.cat, rules, plausible_model(sample))

    def waiting(self) -> None:
        """A job that runs, with a shard that waits and one with a runner."""
        number = self.job("klondike-draw1", range(1000, 1100), ["dead-end"], "verdicts", "outcomes")
        with self.cat.begin() as session:
            job = session.get_one(JobRow, number)
            job.state, job.done, job.finished_at, job.next_seed = "running", 0, None, 1020
            (solver_id,) = session.query(JobSolverRow.solver_id).filter_by(job_id=number).one()
            self.seal(session, job, [solver_id])
            provenance_id = ensure_provenance(session, this_provenance())
            runner = RunnerRow(
                name="r1",
                provenance_id=provenance_id,
                workers=2,
                started_at=MOMENT,
                heartbeat=MOMENT,
            )
            session.add(runner)
            session.flush()
            for first, state, owner in ((1000, "running", runner.id), (1010, "waiting", None)):
                session.add(
                    ShardRow(
                        job_id=number,
                        first_seed=first,
                        deals=10,
                        state=state,
                        runner_id=owner,
                        attempts=0,
                        claimed_at=None if owner is None else MOMENT,
                    )
                )


DRAW3 = ["dead-end", "exact(nodes=3000)", "greedy"]
DRAW1 = ["dead-end", "exact(nodes=400)"]


def fill_catalogue(cat: store.Catalogue) -> None:
    """Two games, regrets, dead ends, imported deals, blocks of both depths, jobs and bounds."""
    filling = Filling(cat)
    filling.outcomes("klondike-draw3", range(16), DRAW3, "everything")
    filling.outcomes("spider-1-relaxed", range(4), ["monkey(period=25)"], "everything")
    filling.outcomes("klondike-draw1", range(120), DRAW1, "verdicts")
    filling.regrets("klondike-draw3", "greedy")
    filling.features("klondike-draw3", range(6))
    with cat.begin() as session:
        rules = parse_ruleset("klondike-draw3")
        for seeds in (range(500, 503), range(508, 510)):
            write_chunk(session, solved(rules, seeds, DRAW3[:2], None))
    filling.waiting()


@pytest.fixture
def fill() -> Callable[[store.Catalogue], None]:
    """Fill a catalogue like `sound`."""
    return fill_catalogue


@pytest.fixture(scope="session")
def sound(tmp_path_factory: pytest.TempPathFactory, initialised_sqlite: Path) -> Path:
    """The file of a small catalogue that has been verified once."""
    path = tmp_path_factory.mktemp("verify") / "sound.db"
    shutil.copy(initialised_sqlite, path)
    with store.open_catalogue(f"sqlite:///{path}") as cat:
        fill_catalogue(cat)
        verify(cat, only=["tables"], seed=1, record=True)
    with closing(sqlite3.connect(path)) as database:
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return path
