"""`up`: a catalogue that fills itself, and its pages."""

from typing import Annotated

import typer

from thoughtful.terminal import console, options
from thoughtful.terminal.examples import examples
from thoughtful.terminal.serving import (
    Address,
    Port,
    check,
    keep,
    link,
    start_dashboard,
    start_runner,
)


@examples(
    "thoughtful up",
    "thoughtful up --seeds 100000",
)
def up(
    port: Port = 8501,
    address: Address = "127.0.0.1",
    fill: Annotated[
        bool, typer.Option("--fill/--no-fill", help="Submit the initial jobs if they are missing")
    ] = True,
    seeds: Annotated[
        int,
        typer.Option(
            "--seeds",
            metavar="N",
            parser=options.whole(1, 10**12),
            help="Number of deals in each of the initial jobs",
        ),
    ] = 10_000,
    workers: options.Workers = None,
    database: options.Database = None,
) -> None:
    """Create the catalogue, fill it in the background, and serve the dashboard.

    Ctrl-C stops everything; the next start resumes the jobs.
    """
    from catalogue import store
    from catalogue.jobs.fill import fill as fill_catalogue
    from catalogue.settings import check_writable

    check_writable()
    check(address, port, database)
    store.init(database)
    with store.open_catalogue(database) as catalogue:
        if fill:
            fill_catalogue(catalogue, seeds)
        console.remark(f"catalogue  {catalogue.url}")
    console.remark(f"dashboard  {link(address, port)}")
    runner = start_runner(workers, database)
    keep(start_dashboard(port, address, database), runner)
