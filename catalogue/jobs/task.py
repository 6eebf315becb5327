"""The contract of a kind of job: its missing pieces of work, and how their results are stored.

The work left of a job is a query, so no state has to be kept. Each kind of job has its own `Task`;
`read_task` finds it.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any, NamedTuple, Protocol

from sqlalchemy import select
from sqlalchemy.orm import Session

from catalogue.jobs.queue import get_job
from catalogue.outcomes.chunk import SolverKey
from catalogue.schema import JobSolverRow, SolverRow
from catalogue.store import Catalogue
from solvers.registry import parse_solver

# Kind of job -> module and name of its task, which is made from a `JobSpec`.
_TASKS = {
    "outcomes": "catalogue.jobs.outcomes_task:OutcomesTask",
    "regrets": "catalogue.regret.task:RegretsTask",
}


class JobFailure(Exception):
    """The job cannot be finished; the text is stored in its row."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of work for one worker, of about a second.

    Attributes:
        name: for messages, such as ``seeds 0 to 99 of thoughtful-1``.
        work: a function of a module that workers can import; it does not use the database.
        arguments: its arguments.
        deals: the number of deals of the piece.
    """

    name: str
    work: Callable[..., Any]
    arguments: tuple[Any, ...]
    deals: int


class Progress(NamedTuple):
    """The number of outcomes or regrets stored, and of the finished job."""

    done: int
    total: int


class Task(Protocol):
    """A job from the runner's point of view."""

    @property
    def spec(self) -> "JobSpec": ...

    def pieces(self, cat: Catalogue, workers: int) -> Iterator[Piece]:
        """The work left, queried lazily."""
        ...

    def store(self, session: Session, results: Sequence[Any]) -> Progress:
        """Write the results of pieces, with everything derived from them."""
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
    """

    job_id: int
    ruleset: str
    ruleset_id: int
    dealer: str
    first: int
    count: int
    solvers: tuple[SolverKey, ...]
    solver_ids: tuple[int, ...]


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
    )
    module, name = _TASKS[info.kind].split(":")
    task: Task = getattr(import_module(module), name)(spec)
    return task
