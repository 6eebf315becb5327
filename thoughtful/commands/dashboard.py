"""`dashboard`: the pages."""

from thoughtful.terminal import console, options
from thoughtful.terminal.examples import examples
from thoughtful.terminal.serving import Address, Port, check, keep, link, start_dashboard


@examples(
    "thoughtful dashboard --port 8600",
)
def dashboard(
    port: Port = 8501, address: Address = "127.0.0.1", database: options.Database = None
) -> None:
    """Serve the dashboard until Ctrl-C."""
    check(address, port, database)
    console.remark(f"dashboard  {link(address, port)}")
    keep(start_dashboard(port, address, database))
