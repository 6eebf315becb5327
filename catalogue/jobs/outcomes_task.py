"""Jobs that solve deals: the outcomes of solvers on a sample under a ruleset."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import select
from sqlalchemy.orm import Session

from catalogue.jobs.piece import solve_piece
from catalogue.jobs.task import JobSpec, Piece, Progress
from catalogue.outcomes.chunk import Chunk
from catalogue.outcomes.writing import write_chunks
from catalogue.reading.bounds import record_bound
from catalogue.reading.samples import of_game, outcome_counts
from catalogue.schema import BLOCK_SIZE, DealRow, OutcomeRow, TallyRow
from catalogue.store import Catalogue
from solvers.registry import parse_solver

MAX_PIECE = 10_000


@dataclass(frozen=True, slots=True)
class OutcomesTask:
    """A job that solves deals; see `catalogue.jobs.task.Task`."""

    spec: JobSpec

    @property
    def total(self) -> int:
        """The number of outcomes of the finished job."""
        return self.spec.count * len(self.spec.solvers)

    def piece_size(self, workers: int) -> int:
        """Deals per piece: the chunk size of the slowest solver, less if workers would be idle.

        Up to the size of a block it divides it evenly; above, it is a multiple of it.
        """
        size = min(parse_solver(solver.name).chunk for solver in self.spec.solvers)
        size = max(1, min(size, math.ceil(self.spec.count / (2 * workers)), MAX_PIECE))
        if size >= BLOCK_SIZE:
            return size // BLOCK_SIZE * BLOCK_SIZE
        return math.ceil(BLOCK_SIZE / math.ceil(BLOCK_SIZE / size))

    def pieces(self, cat: Catalogue, workers: int) -> Iterator[Piece]:
        """The work left, in the order of seeds, queried lazily."""
        spec = self.spec
        for first, missing in missing_outcomes(cat, spec, self.piece_size(workers)):
            count = len(missing[0])
            wanted = [
                (solver.name, solver.version, column)
                for solver, column in zip(spec.solvers, missing, strict=True)
                if column.any()
            ]
            yield Piece(
                f"seeds {first} to {first + count - 1} of {spec.dealer}",
                solve_piece,
                (spec.ruleset, spec.dealer, first, wanted),
                count,
            )

    def store(self, session: Session, results: Sequence[Chunk]) -> Progress:
        """Write chunks, the counts derived from them, and the new bound."""
        spec = self.spec
        write_chunks(session, results)
        done = sum(
            outcome_counts(
                session, spec.ruleset_id, solver_id, spec.dealer, spec.first, spec.count
            ).attempted
            for solver_id in spec.solver_ids
        )
        record_bound(session, spec.job_id)
        return Progress(done, self.total)


def missing_outcomes(
    cat: Catalogue, spec: JobSpec, size: int
) -> Iterator[tuple[int, tuple[NDArray[np.bool_], ...]]]:
    """The pieces of at most `size` seeds with work left: first seed, and missing outcomes.

    Missing outcomes are, for each solver, bool[n]: for which of the n seeds from the first on it
    has no outcome.
    """
    end = spec.first + spec.count
    window = max(size, BLOCK_SIZE)
    with cat.session() as session:
        full = _full_blocks(session, spec)
    start = spec.first
    while start < end:
        stop = min((start // window + 1) * window, end)
        if not all(block in full for block in range(start // BLOCK_SIZE, -(-stop // BLOCK_SIZE))):
            with cat.session() as session:
                missing = _missing(session, spec, start, stop)
            cut = start
            while cut < stop:
                # Within a window, pieces begin at multiples of the size, whatever the sample.
                upto = min(cut + size - (cut % window) % size, stop)
                columns = tuple(column[cut - start : upto - start] for column in missing)
                if any(column.any() for column in columns):
                    yield cut, columns
                cut = upto
        start = stop


def _full_blocks(session: Session, spec: JobSpec) -> set[int]:
    """The blocks of seeds in which no outcome of any of the job's solvers is missing."""
    full: set[int] | None = None
    for solver_id in spec.solver_ids:
        blocks = set(
            session.scalars(
                select(TallyRow.block).where(
                    TallyRow.ruleset_id == spec.ruleset_id,
                    TallyRow.solver_id == solver_id,
                    TallyRow.dealer == spec.dealer,
                    TallyRow.block >= spec.first // BLOCK_SIZE,
                    TallyRow.block <= (spec.first + spec.count - 1) // BLOCK_SIZE,
                    TallyRow.attempted == BLOCK_SIZE,
                )
            )
        )
        full = blocks if full is None else full & blocks
    return full or set()


def _missing(session: Session, spec: JobSpec, start: int, stop: int) -> list[NDArray[np.bool_]]:
    """For each solver bool[stop − start]: the seeds without an outcome."""
    missing = {solver_id: np.ones(stop - start, dtype=np.bool_) for solver_id in spec.solver_ids}
    present = session.execute(
        select(DealRow.seed, OutcomeRow.solver_id)
        .join(OutcomeRow, OutcomeRow.deal_id == DealRow.id)
        .where(
            of_game(spec.ruleset_id),
            DealRow.dealer == spec.dealer,
            DealRow.seed >= start,
            DealRow.seed < stop,
            OutcomeRow.ruleset_id == spec.ruleset_id,
            OutcomeRow.solver_id.in_(spec.solver_ids),
        )
    )
    for seed, solver_id in present:
        assert seed is not None  # deals of a dealer have a seed
        missing[solver_id][seed - start] = False
    return [missing[solver_id] for solver_id in spec.solver_ids]
