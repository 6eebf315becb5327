"""Jobs that solve deals: the outcomes of solvers on a sample under a ruleset."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import select, update
from sqlalchemy.orm import Session

from catalogue.blocks import EVERYTHING, Outcomes
from catalogue.jobs.shard import solve_shard
from catalogue.jobs.task import JobSpec, Progress, ShardWork
from catalogue.outcomes.following import following
from catalogue.outcomes.packed import PackedChunk, join
from catalogue.outcomes.writing import write_chunks
from catalogue.reading.block_reader import dealing_of, read_outcomes
from catalogue.schema import BLOCK_SIZE, BlockRow, JobRow
from engine.rulesets import parse_ruleset
from solvers.solver import parse_solver

# Results of a shard travel and are stored at once; with everything kept they have solutions.
LARGEST = 16_384
LARGEST_OF_VERDICTS = BLOCK_SIZE


@dataclass(frozen=True, slots=True)
class OutcomesTask:
    """A job that solves deals; see `catalogue.jobs.task.Task`."""

    spec: JobSpec

    @property
    def chunk(self) -> int:
        """The chunk size of the slowest solver."""
        size = min(parse_solver(solver.name).chunk for solver in self.spec.solvers)
        return max(1, min(size, LARGEST))

    @property
    def largest(self) -> int:
        return LARGEST if self.spec.keep == EVERYTHING else LARGEST_OF_VERDICTS

    def missing(self, session: Session, seeds: range) -> NDArray[np.bool_] | None:
        """Which of some seeds of one block lack an outcome; None if none of them has any."""
        columns = self._missing(session, seeds)
        return None if columns is None else np.logical_or.reduce(columns)

    def finished(self, session: Session, blocks: range) -> set[int]:
        """The blocks of seeds in which no outcome of any of the job's solvers is missing."""
        spec = self.spec
        dealing_id = dealing_of(session, spec.ruleset_id, spec.dealer)
        full: set[int] | None = None
        for solver_id in spec.solver_ids:
            query = select(BlockRow.block).where(
                BlockRow.ruleset_id == spec.ruleset_id,
                BlockRow.dealing_id == dealing_id,
                BlockRow.solver_id == solver_id,
                BlockRow.block >= blocks.start,
                BlockRow.block < blocks.stop,
                BlockRow.attempted == BLOCK_SIZE,
            )
            if spec.keep == EVERYTHING:
                query = query.where(BlockRow.rowed == BLOCK_SIZE)
            mine = set(session.scalars(query))
            full = mine if full is None else full & mine
        return full or set()

    def work(self, session: Session, seeds: range) -> ShardWork | None:
        """The rest of a shard, whose seeds are of one block; None if nothing is."""
        spec = self.spec
        columns = self._missing(session, seeds)
        if columns is None:
            columns = [np.ones(len(seeds), dtype=np.bool_) for _ in spec.solver_ids]
        skips = self._follow(session, seeds)
        wanted = [
            (solver.name, solver.version, column & ~skips)
            for solver, column in zip(spec.solvers, columns, strict=True)
            if (column & ~skips).any()
        ]
        follows = [
            (solver, seeds.start + np.flatnonzero(column & skips))
            for solver, column in zip(spec.solvers, columns, strict=True)
            if (column & skips).any()
        ]
        if not wanted and not follows:
            return None
        return ShardWork(
            f"seeds {seeds.start} to {seeds.stop - 1} of {spec.dealer}",
            solve_shard,
            (spec.ruleset, spec.dealer, seeds.start, wanted, spec.keep, follows),
            int(np.logical_or.reduce(columns).sum()),
        )

    def _follow(self, session: Session, seeds: range) -> NDArray[np.bool_]:
        """Which of some seeds of one block are skipped, as their outcomes follow, bool[n]."""
        spec = self.spec
        dealing_id = dealing_of(session, spec.ruleset_id, spec.dealer)
        if not spec.infers or dealing_id is None:
            return np.zeros(len(seeds), dtype=np.bool_)
        block, place = divmod(seeds.start, BLOCK_SIZE)
        follows = following(session, parse_ruleset(spec.ruleset), dealing_id, block)
        return follows[place : place + len(seeds)] > 0

    def store(self, session: Session, results: Sequence[PackedChunk]) -> None:
        """Write chunks, and the counts derived from them."""
        chunks = join(results)
        write_chunks(session, chunks)
        skips = {
            int(seed)
            for chunk in chunks
            for each in chunk.outcomes
            for seed in chunk.seeds[each.at[each.result == 0]]
        }
        if skips:
            mine = update(JobRow).where(JobRow.id == self.spec.job_id)
            session.execute(mine.values(inferred=JobRow.inferred + len(skips)))

    def count(self, session: Session, seeds: range) -> Progress:
        """Count the outcomes of some seeds; if everything is to be kept, those with rows."""
        spec = self.spec
        there = BlockRow.rowed if spec.keep == EVERYTHING else BlockRow.attempted
        dealing_id = dealing_of(session, spec.ruleset_id, spec.dealer)
        total = len(seeds) * len(spec.solvers)
        if dealing_id is None:
            return Progress(0, total)
        done = 0
        rows = session.execute(
            select(BlockRow.block, BlockRow.solver_id, there).where(
                BlockRow.ruleset_id == spec.ruleset_id,
                BlockRow.dealing_id == dealing_id,
                BlockRow.solver_id.in_(spec.solver_ids),
                BlockRow.block >= seeds.start // BLOCK_SIZE,
                BlockRow.block <= (seeds.stop - 1) // BLOCK_SIZE,
            )
        ).all()
        for block, solver_id, number in rows:
            inside = range(
                max(block * BLOCK_SIZE, seeds.start), min((block + 1) * BLOCK_SIZE, seeds.stop)
            )
            if len(inside) == BLOCK_SIZE and (number == BLOCK_SIZE or not spec.infers):
                done += number
                continue
            read = read_outcomes(session, spec.ruleset_id, dealing_id, block, [solver_id], ())
            done += int(self._present(read[solver_id], inside).sum())
        return Progress(done, total)

    def counted(self, session: Session, seeds: range) -> int:
        """The number of outcomes of seeds of which none is missing."""
        return len(seeds) * len(self.spec.solvers)

    def _missing(self, session: Session, seeds: range) -> list[NDArray[np.bool_]] | None:
        """For each solver bool[n]: the seeds, all of one block, without an outcome."""
        spec = self.spec
        dealing_id = dealing_of(session, spec.ruleset_id, spec.dealer)
        if dealing_id is None:
            return None
        block = seeds.start // BLOCK_SIZE
        found = read_outcomes(session, spec.ruleset_id, dealing_id, block, spec.solver_ids)
        if not found:
            return None
        none = Outcomes.empty()
        return [~self._present(found.get(solver_id, none), seeds) for solver_id in spec.solver_ids]

    def _present(self, outcomes: Outcomes, seeds: range) -> NDArray[np.bool_]:
        """Which seeds of a block have an outcome, in a row if everything is to be kept.

        Of a job that infers, a deal that its solver has skipped is done, too.
        """
        place = seeds.start % BLOCK_SIZE
        wide = outcomes.widened(place, place + len(seeds))
        inside = slice(place - wide.first, place - wide.first + len(seeds))
        known = wide.rowed if self.spec.keep == EVERYTHING else wide.result > 0
        if self.spec.infers:
            known = known | wide.skipped
        return known[inside]
