"""The contract of a kind of job: what is missing of its seeds, and how results are stored.

What is left of a job is a query, so nothing is lost with a runner. Each kind of job has its own
`Task`; `read_task` finds it.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import select
from sqlalchemy.orm import Session

from catalogue.blocks import EVERYTHING
from catalogue.jobs.queue import get_job
from catalogue.outcomes.chunk import SolverKey
from catalogue.schema import SOLVING, JobSolverRow, SolverRow
from catalogue.store import Catalogue
from solvers.solver import parse_solver

# Kind of job -> module and name of its task, which is made from a `JobSpec`.
_TASKS = {
    SOLVING: "catalogue.jobs.outcomes_task:OutcomesTask",
    "regrets": "catalogue.regret.task:RegretsTask",
    "features": "catalogue.difficulty.features:FeaturesTask",
}


class JobFailure(Exception):
    """The job cannot be finished; the text is stored in its row."""


@dataclass(frozen=True, slots=True)
class ShardWork:
    """The work of a shard of a job on a worker.

    Attributes:
        name: for messages, such as ``seeds 0 to 99 of thoughtful-1``.
        function: of a module that workers can import; it does not use the database.
        arguments: its arguments.
        deals: the number of deals to be solved.
    """

    name: str
    function: Callable[..., Any]
    arguments: tuple[Any, ...]
    deals: int


class Progress(NamedTuple):
    """The number of outcomes, regrets or features stored, and of the finished job."""

    done: int
    total: int


class Task(Protocol):
    """A job from the runner's point of view."""

    @property
    def spec(self) -> "JobSpec": ...

    @property
    def chunk(self) -> int:
        """Deals in a first shard, of about a second."""
        ...

    @property
    def largest(self) -> int:
        """Deals in a shard at most, so that its results fit in memory and in a transaction."""
        ...

    def missing(self, session: Session, seeds: range) -> NDArray[np.bool_] | None:
        """Which of some seeds of one block have work left; None if nothing is known of them."""
        ...

    def finished(self, session: Session, blocks: range) -> set[int]:
        """The blocks of seeds of which no work is left."""
        ...

    def work(self, session: Session, seeds: range) -> ShardWork | None:
        """The rest of a shard that is to be done; None if nothing is."""
        ...

    def store(self, session: Session, results: Sequence[Any]) -> None:
        """Write the results of shards, with everything derived from them."""
        ...

    def count(self, session: Session, seeds: range) -> Progress:
        """Count the results stored of some seeds, and those that there should be."""
        ...

    def counted(self, session: Session, seeds: range) -> int:
        """The number of results of seeds of which no work is left."""
        ...


@dataclass(frozen=True, slots=True)
class JobSpec:
    """The fields of a job that every task needs.

    Attributes:
        job_id: its number.
        ruleset: slug of the ruleset.
        ruleset_id: its row.
        dealer: slug of the dealer.
        first: the first seed of the sample.
        count: size of the sample.
        solvers: in the order in which they run.
        solver_ids: their rows.
        keep: what is kept of its outcomes, one of `catalogue.blocks.KEEPS`.
        infers: whether deals are skipped whose outcomes follow from those under other rulesets.
    """

    job_id: int
    ruleset: str
    ruleset_id: int
    dealer: str
    first: int
    count: int
    solvers: tuple[SolverKey, ...]
    solver_ids: tuple[int, ...]
    keep: str = EVERYTHING
    infers: bool = False


def read_task(cat: Catalogue, job_id: int) -> Task:
    """The task of a job.

    Raises:
        JobFailure: this program has another version of one of its solvers.
    """
    info = get_job(cat, job_id)
    with cat.session() as session:
        rows = session.execute(
            select(SolverRow.id, SolverRow.name, SolverRow.version)
            .join(JobSolverRow, JobSolverRow.solver_id == SolverRow.id)
            .where(JobSolverRow.job_id == job_id)
            .order_by(JobSolverRow.place)
        ).all()
    solvers = []
    for _, name, version in rows:
        solver = parse_solver(name)
        if solver.method.version != version:
            raise JobFailure(
                f"the job asks for version {version} of {name}, but this program has version "
                f"{solver.method.version}: submit it again"
            )
        solvers.append(SolverKey.of(solver))
    spec = JobSpec(
        job_id,
        info.ruleset,
        info.ruleset_id,
        info.sample.dealer,
        info.sample.first,
        info.sample.count,
        tuple(solvers),
        tuple(solver_id for solver_id, _, _ in rows),
        info.keep,
        info.inferred is not None,
    )
    module, name = _TASKS[info.kind].split(":")
    task: Task = getattr(import_module(module), name)(spec)
    return task
