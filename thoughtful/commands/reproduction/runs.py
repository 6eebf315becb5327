"""Running the jobs of an experiment, from the deal that is asked for."""

import threading
from typing import TYPE_CHECKING

import typer

from thoughtful.commands.runner import JobReporter
from thoughtful.terminal import console

if TYPE_CHECKING:
    from collections.abc import Sequence

    from catalogue.reproduction.definitions import AnyRow, Experiment
    from catalogue.store import Catalogue


def first_of(asked: str | None, experiment: "Experiment[AnyRow]") -> tuple[str, int]:
    """Dealer and seed of the first deal that is asked for, else those of the experiment."""
    from engine.dealing.dealers import parse_deal_id

    if asked is None:
        return experiment.first
    dealer, seed = parse_deal_id(asked)
    return dealer.slug, seed


def run_to_end(catalogue: "Catalogue", numbers: "Sequence[int]", workers: int | None) -> None:
    """Run jobs to their end.

    Raises:
        typer.Exit: they did not come to it.
    """
    from catalogue.jobs import runner
    from catalogue.jobs.queue import get_job

    stop = threading.Event()
    with JobReporter() as report:
        runner.run(catalogue, workers=workers, only=numbers, on_progress=report, stop=stop)
    ended = [get_job(catalogue, number) for number in numbers]
    if all(job.state == "done" for job in ended):
        return
    if stop.is_set():
        console.remark("the games played so far are stored: run the same command again to resume")
        raise typer.Exit(130)
    for job in ended:
        if job.state == "cancelled":
            console.remark(f"job {job.id} was cancelled: the same command submits it again")
    raise typer.Exit(1)
