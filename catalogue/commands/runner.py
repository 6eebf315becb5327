"""`runner`: running the queued jobs."""

import os
import signal
import sys
import threading
import time
from contextlib import AbstractContextManager, ExitStack, nullcontext
from typing import TYPE_CHECKING, Annotated

import typer

from catalogue.commands import console, options
from catalogue.commands.job import left, rate, share

if TYPE_CHECKING:
    from collections.abc import Callable

    from catalogue.jobs.queue import JobInfo

# Interval of progress lines where there is no progress bar, as in a log.
_LINE_SECONDS = 15


def runner(
    watch: Annotated[
        bool, typer.Option("--watch", help="Wait for new jobs when none is left")
    ] = False,
    workers: options.Workers = None,
    scheduler: Annotated[
        str | None,
        typer.Option(
            "--scheduler",
            metavar="ADDRESS",
            help="Solve on the workers of this Dask scheduler, tcp://HOST:PORT",
        ),
    ] = None,
    background: Annotated[bool, typer.Option("--background", hidden=True)] = False,
    database: options.Database = None,
) -> None:
    """Run the queued jobs, and those whose runner died, one after the other.

    A runner may be stopped at any time: at most the deals being solved are lost, and the next
    runner resumes the job. Exit code 1 means that a job failed.
    """
    from catalogue.jobs.runner import run
    from catalogue.store import open_catalogue

    if background:
        # The dashboard shares the cores and must stay responsive.
        os.nice(10)
        threading.Thread(target=_end_with_standard_input, daemon=True).start()
    stop = threading.Event()
    with open_catalogue(database) as catalogue, JobReporter(bar=not background) as report:
        done = run(
            catalogue,
            workers=workers,
            scheduler=scheduler,
            watch=watch,
            on_progress=report,
            stop=stop,
        )
    console.remark(f"{done} job{'' if done == 1 else 's'} done")
    if report.failed:
        raise typer.Exit(1)
    if stop.is_set() and not watch:
        raise typer.Exit(130)


def _end_with_standard_input() -> None:
    """End with the parent process, which holds the other end of standard input until it dies."""
    while os.read(0, 1024):
        pass
    os.kill(os.getpid(), signal.SIGTERM)


class JobReporter:
    """Progress report of the jobs: a bar on a terminal, occasional lines elsewhere."""

    def __init__(self, bar: bool = True) -> None:
        self.failed = False
        self._bar = bar and sys.stderr.isatty()
        self._job: int | None = None
        self._said = 0.0
        self._stack = ExitStack()
        self._advance: Callable[[int, str], None] = lambda _done, _remark: None

    def __enter__(self) -> "JobReporter":
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def __call__(self, job: "JobInfo") -> None:
        name = f"job {job.id}"
        if job.id != self._job:
            self._job, self._said = job.id, time.monotonic()
            self._stack.close()
            what = "" if job.kind == "outcomes" else f"{job.kind} of "
            solvers = ", ".join(job.solvers)
            console.remark(f"{name}: {what}{solvers} on {job.sample} under {job.ruleset}")
            bar: AbstractContextManager[Callable[[int, str], None]] = (
                console.progress(name, job.total)
                if self._bar
                else nullcontext(lambda _done, _remark: None)
            )
            self._advance = self._stack.enter_context(bar)
        self._advance(job.done, rate(job))
        if job.state != "running":
            self._stack.close()
            self._job = None
            self.failed |= job.state == "failed"
            console.remark(f"{name}: {job.state}{f', {job.error}' if job.error else ''}")
        elif not self._bar and time.monotonic() - self._said > _LINE_SECONDS:
            self._said = time.monotonic()
            parts = (
                f"{job.done:,} of {job.total:,} {job.kind} ({share(job)})",
                rate(job),
                left(job),
            )
            console.remark(f"{name}: {', '.join(part for part in parts if part)}")
