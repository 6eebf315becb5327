"""What a job has left to do: a query, so that nobody need remember it."""

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import select
from sqlalchemy.orm import Session

from catalogue.chunk import SolverKey
from catalogue.jobs import get_job
from catalogue.samples import of_game
from catalogue.schema import BLOCK_SIZE, Deal, Job, JobSolver, Outcome, Solver, Tally
from catalogue.store import Catalogue
from solvers.registry import parse_solver

MAX_PIECE = 10_000


class JobFailure(Exception):
    """The job cannot be finished; the text goes into its row."""


@dataclass(frozen=True, slots=True)
class Piece:
    """Seeds first … first + n − 1, and bool[n] for each solver: whose outcome is missing."""

    first: int
    missing: tuple[NDArray[np.bool_], ...]

    @property
    def last(self) -> int:
        return self.first + len(self.missing[0]) - 1


@dataclass(slots=True)
class Task:
    """A job as the runner works on it."""

    job_id: int
    ruleset: str
    ruleset_id: int
    dealer: str
    first: int
    count: int
    solvers: list[SolverKey]
    solver_ids: list[int]

    @property
    def total(self) -> int:
        return self.count * len(self.solvers)

    def piece_size(self, workers: int) -> int:
        """Deals in a piece: what the slowest solver likes, less if workers would stand idle.

        Up to a block it goes evenly into one; above, it is whole blocks.
        """
        size = min(parse_solver(solver.name).chunk for solver in self.solvers)
        size = max(1, min(size, math.ceil(self.count / (2 * workers)), MAX_PIECE))
        if size >= BLOCK_SIZE:
            return size // BLOCK_SIZE * BLOCK_SIZE
        return math.ceil(BLOCK_SIZE / math.ceil(BLOCK_SIZE / size))


def read_task(cat: Catalogue, job_id: int) -> Task:
    """A job as the runner works on it.

    Raises:
        JobFailure: this program has another version of one of its solvers.
    """
    info = get_job(cat, job_id)
    with cat.session() as session:
        job = session.get_one(Job, job_id)
        rows = session.execute(
            select(Solver.id, Solver.name, Solver.version)
            .join(JobSolver, JobSolver.solver_id == Solver.id)
            .where(JobSolver.job_id == job_id)
            .order_by(JobSolver.place)
        ).all()
        ruleset_id = job.ruleset_id
    solvers = []
    for _, name, version in rows:
        solver = parse_solver(name)
        if solver.method.version != version:
            raise JobFailure(
                f"the job asks for version {version} of {name}, but this program has version "
                f"{solver.method.version}: submit it again"
            )
        solvers.append(SolverKey.of(solver))
    sample = info.sample
    return Task(
        job_id,
        info.ruleset,
        ruleset_id,
        sample.dealer,
        sample.first,
        sample.count,
        solvers,
        [solver_id for solver_id, _, _ in rows],
    )


def pieces_left(cat: Catalogue, task: Task, size: int) -> Iterator[Piece]:
    """The work left, in the order of the seeds, looked up as it is asked for."""
    end = task.first + task.count
    window = max(size, BLOCK_SIZE)
    with cat.session() as session:
        full = _full_blocks(session, task)
    start = task.first
    while start < end:
        stop = min((start // window + 1) * window, end)
        if not all(block in full for block in range(start // BLOCK_SIZE, -(-stop // BLOCK_SIZE))):
            with cat.session() as session:
                missing = _missing(session, task, start, stop)
            cut = start
            while cut < stop:
                # Pieces begin at multiples of the size within a window, whatever the sample.
                upto = min(cut + size - (cut % window) % size, stop)
                columns = tuple(column[cut - start : upto - start] for column in missing)
                if any(column.any() for column in columns):
                    yield Piece(cut, columns)
                cut = upto
        start = stop


def _full_blocks(session: Session, task: Task) -> set[int]:
    """The blocks of seeds in which no outcome of any of the job's solvers is missing."""
    full: set[int] | None = None
    for solver_id in task.solver_ids:
        blocks = set(
            session.scalars(
                select(Tally.block).where(
                    Tally.ruleset_id == task.ruleset_id,
                    Tally.solver_id == solver_id,
                    Tally.dealer == task.dealer,
                    Tally.block >= task.first // BLOCK_SIZE,
                    Tally.block <= (task.first + task.count - 1) // BLOCK_SIZE,
                    Tally.attempted == BLOCK_SIZE,
                )
            )
        )
        full = blocks if full is None else full & blocks
    return full or set()


def _missing(session: Session, task: Task, start: int, stop: int) -> list[NDArray[np.bool_]]:
    """For each solver bool[stop − start]: which of these seeds have no outcome."""
    missing = {solver_id: np.ones(stop - start, dtype=np.bool_) for solver_id in task.solver_ids}
    present = session.execute(
        select(Deal.seed, Outcome.solver_id)
        .join(Outcome, Outcome.deal_id == Deal.id)
        .where(
            of_game(task.ruleset_id),
            Deal.dealer == task.dealer,
            Deal.seed >= start,
            Deal.seed < stop,
            Outcome.ruleset_id == task.ruleset_id,
            Outcome.solver_id.in_(task.solver_ids),
        )
    )
    for seed, solver_id in present:
        assert seed is not None  # deals of a dealer have one
        missing[solver_id][seed - start] = False
    return [missing[solver_id] for solver_id in task.solver_ids]
