"""`serve`: the API."""

from typing import Annotated

import typer

from thoughtful.terminal import console, options
from thoughtful.terminal.examples import examples
from thoughtful.terminal.serving import check, keep, link, start_dashboard


@examples(
    "thoughtful serve",
    "thoughtful serve --port 8700",
)
def serve(
    port: Annotated[
        int,
        typer.Option(
            "--port", "-p", metavar="N", parser=options.whole(1, 65535), help="Port of the API"
        ),
    ] = 8502,
    address: Annotated[
        str,
        typer.Option(
            "--address", metavar="ADDRESS", help="Interface that it listens on; 0.0.0.0 for all"
        ),
    ] = "127.0.0.1",
    database: options.Database = None,
) -> None:
    """Serve the HTTP API alone, without the dashboard, until Ctrl-C.

    It answers with or without a catalogue: deals, verdicts, solutions and moves of any
    position, and from the catalogue random deals of a level and bounds. The page /api/v1/
    lists its calls. The dashboard serves the same.
    """
    check(address, port, database)
    console.remark(f"API  {link(address, port)}/api/v1/ (once the solvers are loaded)")
    keep(start_dashboard(port, address, database, "--api"), what="server")
