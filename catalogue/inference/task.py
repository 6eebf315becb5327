"""Jobs that solve only what does not follow from outcomes under other rulesets.

A deal with an inferred outcome has one of each solver of the job: nothing of it is missing.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sqlalchemy.orm import Session

from catalogue.inference.inferred import Inferred
from catalogue.inference.piece import infer_piece
from catalogue.inference.sources import follow, inferred_solvers, sources_of
from catalogue.jobs.outcomes_task import OutcomesTask, present
from catalogue.jobs.task import PieceWork, Progress
from catalogue.reading.block_reader import dealing_of, read_outcomes
from catalogue.schema import BLOCK_SIZE
from engine.rulesets import parse_ruleset


@dataclass(frozen=True, slots=True)
class InferringTask(OutcomesTask):
    """A job that infers outcomes where it can; see `catalogue.jobs.task.Task`."""

    def work(self, session: Session, seeds: range) -> PieceWork | None:
        """The rest of a piece, whose seeds are of one block; None if nothing is."""
        spec = self.spec
        columns = self._missing(session, seeds)
        if columns is None:
            columns = [np.ones(len(seeds), dtype=np.bool_) for _ in spec.solver_ids]
        left = np.logical_or.reduce(columns)
        if not left.any():
            return None
        inferred = self._follow(session, seeds, left)
        solved = np.ones(len(seeds), dtype=np.bool_)
        for each in inferred:
            solved[each.seeds - seeds.start] = False
        wanted = [
            (solver.name, solver.version, column & solved)
            for solver, column in zip(spec.solvers, columns, strict=True)
            if (column & solved).any()
        ]
        return PieceWork(
            f"seeds {seeds.start} to {seeds.stop - 1} of {spec.dealer}",
            infer_piece,
            (spec.ruleset, spec.dealer, seeds.start, wanted, spec.keep, inferred),
            int(left.sum()),
        )

    def count(self, session: Session, seeds: range) -> Progress:
        """Count the outcomes of some seeds; if everything is to be kept, those with rows."""
        total = len(seeds) * len(self.spec.solvers)
        done = 0
        for start in range(seeds.start // BLOCK_SIZE * BLOCK_SIZE, seeds.stop, BLOCK_SIZE):
            inside = range(max(start, seeds.start), min(start + BLOCK_SIZE, seeds.stop))
            columns = self._missing(session, inside)
            if columns is not None:
                done += sum(int((~column).sum()) for column in columns)
        return Progress(done, total)

    def _missing(self, session: Session, seeds: range) -> list[NDArray[np.bool_]] | None:
        """For each solver bool[n]: the seeds without an outcome, neither solved nor inferred."""
        spec = self.spec
        dealing_id = dealing_of(session, spec.ruleset_id, spec.dealer)
        if dealing_id is None:
            return None
        block = seeds.start // BLOCK_SIZE
        stand_ins = inferred_solvers(session)
        asked = {*spec.solver_ids, *stand_ins}
        found = read_outcomes(session, spec.ruleset_id, dealing_id, block, asked)
        if not found:
            return None
        there = {each: present(columns, seeds, spec.keep) for each, columns in found.items()}
        none = np.zeros(len(seeds), dtype=np.bool_)
        inferred = np.logical_or.reduce([none, *(there.get(each, none) for each in stand_ins)])
        return [~(there.get(each, none) | inferred) for each in spec.solver_ids]

    def _follow(
        self, session: Session, seeds: range, left: NDArray[np.bool_]
    ) -> Sequence[Inferred]:
        """The outcomes that follow for the seeds that are left."""
        spec = self.spec
        dealing_id = dealing_of(session, spec.ruleset_id, spec.dealer)
        if dealing_id is None:
            return []
        sources = sources_of(session, parse_ruleset(spec.ruleset))
        return follow(session, sources, dealing_id, seeds, left, spec.keep)
