"""`runner`: running the queued jobs."""

import logging
import os
import threading
import time
from contextlib import AbstractContextManager, ExitStack, nullcontext
from typing import TYPE_CHECKING, Annotated

import typer

from catalogue import logs
from catalogue.interrupts import end_with_standard_input
from thoughtful.commands.job import left, rate, share
from thoughtful.terminal import console, options
from thoughtful.terminal.examples import examples

if TYPE_CHECKING:
    from collections.abc import Callable

    from catalogue.jobs.queue import JobInfo

_log = logging.getLogger(__name__)
# Interval of progress lines where there is no progress bar, as in a log.
_LINE_SECONDS = 15


@examples(
    "thoughtful runner",
    "thoughtful runner --watch --workers 2",
)
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
    metrics_port: Annotated[
        int | None,
        typer.Option(
            "--metrics-port",
            metavar="N",
            parser=options.whole(1, 65535),
            help="Serve /metrics for Prometheus and /healthz on this port; by default, nowhere",
        ),
    ] = None,
    metrics_address: Annotated[
        str,
        typer.Option(
            "--metrics-address",
            metavar="ADDRESS",
            help="Interface that --metrics-port listens on",
        ),
    ] = "127.0.0.1",
    background: Annotated[bool, typer.Option("--background", hidden=True)] = False,
    database: options.Database = None,
) -> None:
    """Run the queued jobs, the most urgent first.

    Several runners may work on one job, on PostgreSQL from several machines. A runner may be
    stopped at any time: at most the deals being solved are lost, and other runners, or the next
    one, solve them. Exit code 1 means that a job failed.
    """
    from catalogue.jobs.runner import run
    from catalogue.settings import check_writable
    from catalogue.store import open_catalogue

    check_writable()
    logs.configure()
    if background:
        # The dashboard shares the cores and must stay responsive.
        os.nice(10)
        end_with_standard_input()
    stop = threading.Event()
    with ExitStack() as stack:
        catalogue = stack.enter_context(open_catalogue(database))
        report = stack.enter_context(JobReporter(bar=not background))
        if metrics_port is not None:
            from catalogue.metrics import observe_queries, serve_metrics

            observe_queries(catalogue.engine)
            server = serve_metrics(catalogue, metrics_port, metrics_address)
            stack.callback(server.server_close)
            stack.callback(server.shutdown)
        _log.info("started", extra={"catalogue": catalogue.url, "watch": watch})
        done = run(
            catalogue,
            workers=workers,
            scheduler=scheduler,
            watch=watch,
            on_progress=report,
            stop=stop,
        )
    _log.info("ended", extra={"done": done, "stopped": stop.is_set()})
    report.say(f"{done} job{'' if done == 1 else 's'} done")
    if report.failed:
        raise typer.Exit(1)
    if stop.is_set() and not watch:
        raise typer.Exit(130)


class JobReporter:
    """Progress report of the jobs: a bar on a terminal, occasional lines elsewhere.

    Where log lines are JSON, they are all there is on standard error.
    """

    def __init__(self, bar: bool = True) -> None:
        self.failed = False
        self._silent = logs.are_json()
        self._bar = bar and console.is_terminal()
        self._job: int | None = None
        self._told: set[int] = set()
        self._said = 0.0
        self._stack = ExitStack()
        self._advance: Callable[[int, str], None] = lambda _done, _remark: None

    def __enter__(self) -> "JobReporter":
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def say(self, text: str) -> None:
        """Print a line for people."""
        if not self._silent:
            console.remark(text)

    def __call__(self, job: "JobInfo") -> None:
        name = f"job {job.id}"
        if job.id != self._job:
            self._job, self._said = job.id, time.monotonic()
            self._stack.close()
            _log.info(
                "claimed",
                extra={
                    "job": job.id,
                    "kind": job.kind,
                    "ruleset": job.ruleset,
                    "sample": str(job.sample),
                    "solvers": list(job.solvers),
                    "runners": list(job.runners),
                },
            )
            what = "" if job.counts == "outcomes" else f"{job.counts} of "
            solvers = ", ".join(job.solvers)
            if job.id not in self._told:
                # At the end of a job, pieces of the next one are already under way.
                self._told.add(job.id)
                self.say(f"{name}: {what}{solvers} on {job.sample} under {job.ruleset}")
            bar: AbstractContextManager[Callable[[int, str], None]] = (
                console.progress(name, job.total)
                if self._bar
                else nullcontext(lambda _done, _remark: None)
            )
            self._advance = self._stack.enter_context(bar)
        else:
            _log.info(
                "wrote",
                extra={"job": job.id, "done": job.done, "total": job.total, "rate": job.rate},
            )
        self._advance(job.done, rate(job))
        if job.state != "running":
            self._stack.close()
            self._job = None
            self._told.discard(job.id)
            self.failed |= job.state == "failed"
            level = logging.ERROR if job.state == "failed" else logging.INFO
            values = {"job": job.id, "state": job.state, "done": job.done, "error": job.error}
            _log.log(level, "ended job", extra=values)
            self.say(f"{name}: {job.state}{f', {job.error}' if job.error else ''}")
        elif not self._bar and time.monotonic() - self._said > _LINE_SECONDS:
            self._said = time.monotonic()
            parts = (
                f"{job.done:,} of {job.total:,} {job.counts} ({share(job)})",
                rate(job),
                left(job),
            )
            self.say(f"{name}: {', '.join(part for part in parts if part)}")
