"""Jobs that find the features of winnable deals (`solvers.features`), and their rows."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import delete, insert, select, true
from sqlalchemy.orm import Session

from catalogue.blocks import ALARM, WINNABLE
from catalogue.difficulty.grading import grade
from catalogue.difficulty.shipped import put_shipped
from catalogue.jobs.queue import Submission, enqueue
from catalogue.jobs.task import JobSpec, Progress, ShardWork
from catalogue.outcomes.names import add_batch, ensure_provenance, take_from_batch
from catalogue.outcomes.provenance import Provenance, this_provenance
from catalogue.outcomes.rows import table_of
from catalogue.outcomes.seals import add_up, seal_of_features
from catalogue.reading.block_reader import cut, dealing_of, read_statuses, summaries
from catalogue.schema import BLOCK_SIZE, FeaturesRow, RulesetRow, within
from catalogue.store import Catalogue, lock
from engine.dealing.dealers import Sample, get_dealer
from engine.game import Rules
from engine.games import game_of
from engine.rulesets import parse_ruleset
from solvers.features import VERSION, Features, trace, tracer
from solvers.solver import parse_solver

# Deals in a first shard, of about a second, and in a shard at most.
_SHARD = 10
_LARGEST = 10_000
_LOCK = -4


@dataclass(frozen=True, slots=True)
class Traced:
    """Results of a worker: the features of each seed."""

    seeds: tuple[int, ...]
    features: tuple[Features, ...]
    provenance: Provenance


def submit(cat: Catalogue, rules: Rules, sample: Sample) -> int:
    """Queue a job that finds the features of the winnable deals of a sample; return its number.

    Raises:
        BadInput: no solver tells the plays of the ruleset, or see `catalogue.jobs.queue.submit`.
    """
    solver = tracer(rules)
    with cat.session() as session:
        ruleset_id = RulesetRow.id_of(session, rules.slug)
        seeds = range(sample.first, sample.last + 1)
        left = total = 0
        if ruleset_id is not None:
            total = len(winnable_seeds(session, ruleset_id, sample.dealer, seeds))
            left = total - len(traced_seeds(session, ruleset_id, sample.dealer, seeds))
    # A job that was done when fewer deals were known winnable may have work left.
    return enqueue(cat, Submission(rules, sample, [solver], "features"), total, again=left > 0)


@dataclass(frozen=True, slots=True)
class FeaturesTask:
    """A job that finds features; see `catalogue.jobs.task.Task`."""

    spec: JobSpec

    @property
    def chunk(self) -> int:
        return _SHARD

    @property
    def largest(self) -> int:
        return _LARGEST

    def missing(self, session: Session, seeds: range) -> NDArray[np.bool_]:
        """Which of some seeds of one block lack their features."""
        missing = np.zeros(len(seeds), dtype=np.bool_)
        missing[self._left(session, seeds) - seeds.start] = True
        return missing

    def finished(self, session: Session, blocks: range) -> set[int]:
        """The blocks of which nothing is known, so that no features can be missing."""
        dealing_id = dealing_of(session, self.spec.ruleset_id, self.spec.dealer)
        if not blocks or dealing_id is None:
            return set(blocks)
        found = summaries(session, self.spec.ruleset_id, dealing_id, blocks)
        return set(blocks) - {each.block for each in found}

    def work(self, session: Session, seeds: range) -> ShardWork | None:
        """The winnable deals of a shard whose features are missing; None without any."""
        left = self._left(session, seeds)
        if not len(left):
            return None
        spec = self.spec
        return ShardWork(
            f"features of {len(left)} deals of {spec.dealer} from seed {left[0]} on",
            find_features,
            (spec.ruleset, spec.dealer, tuple(left.tolist()), spec.solvers[0].name),
            len(left),
        )

    def store(self, session: Session, results: Sequence[Traced]) -> None:
        """Add the features that are missing; another process may have added some meanwhile."""
        if results:
            lock(session, _LOCK)
        for found in results:
            self._write(session, found)

    def count(self, session: Session, seeds: range) -> Progress:
        """Count the deals with features, and the winnable ones."""
        key = (session, self.spec.ruleset_id, self.spec.dealer, seeds)
        return Progress(len(traced_seeds(*key)), len(winnable_seeds(*key)))

    def counted(self, session: Session, seeds: range) -> int:
        """The number of deals with features."""
        return len(traced_seeds(session, self.spec.ruleset_id, self.spec.dealer, seeds))

    def _left(self, session: Session, seeds: range) -> NDArray[np.int64]:
        key = (session, self.spec.ruleset_id, self.spec.dealer, seeds)
        return np.setdiff1d(winnable_seeds(*key), traced_seeds(*key))

    def _write(self, session: Session, found: Traced) -> None:
        spec = self.spec
        ruleset_id, dealer = spec.ruleset_id, spec.dealer
        seeds = range(found.seeds[0], found.seeds[-1] + 1)
        present = set(traced_seeds(session, ruleset_id, dealer, seeds).tolist())
        dealing_id = dealing_of(session, ruleset_id, dealer)
        rows = [
            {
                "ruleset_id": ruleset_id,
                "dealing_id": dealing_id,
                "seed": seed,
                "solver_id": spec.solver_ids[0],
                **row_of(each),
            }
            for seed, each in zip(found.seeds, found.features, strict=True)
            if seed not in present
        ]
        if not rows:
            return
        _drop(session, ruleset_id, rows)
        provenance_id = ensure_provenance(session, found.provenance)
        batch_id = add_batch(session, provenance_id, len(rows), add_up(map(seal_of_features, rows)))
        session.execute(insert(FeaturesRow), [{**row, "batch_id": batch_id} for row in rows])
        put_shipped(session, ruleset_id, spec.ruleset)
        grade(session, ruleset_id, dealer, seeds)


def _drop(session: Session, ruleset_id: int, rows: Sequence[dict[str, Any]]) -> None:
    """Delete the features of an older version that rows are to replace."""
    table = table_of(FeaturesRow)
    mine = [
        table.c.ruleset_id == ruleset_id,
        table.c.dealing_id == rows[0]["dealing_id"],
        table.c.seed.in_([row["seed"] for row in rows]),
    ]
    shares = defaultdict(list)
    for old in session.execute(select(table).where(*mine)).mappings():
        shares[old["batch_id"]].append(seal_of_features(dict(old)))
    if shares:
        session.execute(delete(table).where(*mine))
    for batch_id, of_batch in shares.items():
        take_from_batch(session, batch_id, of_batch)


def row_of(found: Features) -> dict[str, Any]:
    """The columns of a row with these features that say what was found."""
    return {
        "version": VERSION,
        "nodes": found.nodes,
        "length": found.length,
        "plays": found.plays,
        "winning": found.winning,
        "choices": found.choices,
        "critical": found.critical,
        "first_critical": found.first_critical,
        "walk_choices": found.walk_choices,
        "walk_critical": found.walk_critical,
        "luck": found.luck,
        "luck_error": found.luck_error,
        "needs": " ".join(found.needs),
        "unsure": " ".join(found.unsure),
    }


def find_features(ruleset: str, dealer: str, seeds: tuple[int, ...], solver: str) -> Traced:
    """Find the features of deals; runs in the worker processes.

    Args:
        ruleset: slug of the ruleset.
        dealer: slug of the dealer.
        seeds: of the deals, ascending.
        solver: that gives the lines.

    Raises:
        BadInput: the solver does not win a deal.
    """
    rules, by = parse_ruleset(ruleset), parse_solver(solver)
    game = game_of(rules)
    dealt = get_dealer(dealer).deal_block(seeds[0], seeds[-1] - seeds[0] + 1, game)
    found = [trace(game.deal(dealt[seed - seeds[0]]), rules, by) for seed in seeds]
    return Traced(seeds, tuple(found), this_provenance())


def winnable_seeds(
    session: Session, ruleset_id: int, dealer: str, seeds: range
) -> NDArray[np.int64]:
    """The seeds of a range whose deals are known to be winnable, ascending."""
    found = [np.zeros(0, dtype=np.int64)]
    dealing_id = dealing_of(session, ruleset_id, dealer)
    if dealing_id is not None and seeds:
        blocks = range(seeds.start // BLOCK_SIZE, (seeds.stop - 1) // BLOCK_SIZE + 1)
        known = summaries(session, ruleset_id, dealing_id, blocks)
        for block in sorted({each.block for each in known}):
            statuses = read_statuses(session, ruleset_id, dealing_id, block, known)
            inside = cut(statuses, block, seeds)
            status = statuses.status[inside]
            places = np.flatnonzero((status == WINNABLE) | (status == ALARM))
            found.append(places + block * BLOCK_SIZE + statuses.first + inside.start)
    return np.concatenate(found)


def traced_seeds(
    session: Session, ruleset_id: int, dealer: str, seeds: range, *, of_any_version: bool = False
) -> NDArray[np.int64]:
    """The seeds of a range whose features are stored, of this version or of any, ascending."""
    rows = session.scalars(
        select(FeaturesRow.seed)
        .where(
            true() if of_any_version else FeaturesRow.version == VERSION,
            FeaturesRow.ruleset_id == ruleset_id,
            FeaturesRow.dealing_id == dealing_of(session, ruleset_id, dealer),
            within(FeaturesRow.seed, seeds),
        )
        .order_by(FeaturesRow.seed)
    )
    return np.array(rows.all(), dtype=np.int64)
