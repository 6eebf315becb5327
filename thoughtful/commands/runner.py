"""`runner`: running the queued jobs."""

import logging
import os
import threading
from contextlib import ExitStack
from typing import Annotated

import typer

from catalogue import logs
from catalogue.interrupts import end_with_standard_input
from engine.text.numbers import counted
from thoughtful.terminal import options
from thoughtful.terminal.examples import examples
from thoughtful.terminal.jobs import JobReporter

_log = logging.getLogger(__name__)


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
    report.say(f"{counted(done, 'job')} done")
    if report.failed:
        raise typer.Exit(1)
    if stop.is_set() and not watch:
        raise typer.Exit(130)
