"""`init`, `dashboard` and `up`: what makes a catalogue and shows it."""

import contextlib
import errno
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from types import FrameType
from typing import Annotated

import typer

from catalogue.commands import console, options
from engine.errors import BadInput

# A runner ends its chunks in a second or so; what takes longer is stuck.
_PATIENCE_SECONDS = 15

Port = Annotated[
    int,
    typer.Option(
        "--port",
        "-p",
        metavar="N",
        parser=options.whole(1, 65535),
        help="Where the dashboard listens",
    ),
]
Address = Annotated[
    str,
    typer.Option(
        "--address", metavar="ADDRESS", help="The interface it listens on; 0.0.0.0 is every one"
    ),
]


def init(database: options.Database = None) -> None:
    """Create the catalogue, or bring an older one up to this program's schema.

    It lives in one SQLite file in your data directory, unless THOUGHTFUL_DATABASE_URL or
    --database names another file (sqlite:///PATH) or a PostgreSQL database
    (postgresql://USER:PASSWORD@HOST/NAME).
    """
    from catalogue import store

    store.init(database)
    print(f"the catalogue is ready: {store.shown(store.parse_url(database))}")


def dashboard(
    port: Port = 8501, address: Address = "localhost", database: options.Database = None
) -> None:
    """Serve the dashboard until it is stopped with Ctrl-C."""
    _check_port(address, port)
    console.remark(f"dashboard  {_link(address, port)}")
    _keep(_start_dashboard(port, address, database))


def up(
    port: Port = 8501,
    address: Address = "localhost",
    fill: Annotated[
        bool, typer.Option("--fill/--no-fill", help="Submit the first jobs, if they are not there")
    ] = True,
    seeds: Annotated[
        int,
        typer.Option(
            "--seeds",
            metavar="N",
            parser=options.whole(1, 10**12),
            help="How many deals each of the first jobs has",
        ),
    ] = 10_000,
    workers: options.Workers = None,
    database: options.Database = None,
) -> None:
    """Make the catalogue, fill it in the background, and serve the dashboard.

    Ctrl-C ends it all; what was being solved goes on with the next start.
    """
    from catalogue import store
    from catalogue.jobs.fill import fill as fill_catalogue

    _check_port(address, port)
    store.init(database)
    with store.open_catalogue(database) as catalogue:
        if fill:
            fill_catalogue(catalogue, seeds)
        console.remark(f"catalogue  {catalogue.url}")
    console.remark(f"dashboard  {_link(address, port)}")
    runner = _start_runner(workers, database)
    _keep(_start_dashboard(port, address, database), runner)


def _start_runner(workers: int | None, database: str | None) -> subprocess.Popen[bytes]:
    share = [] if workers is None else ["--workers", str(workers)]
    # It ends when its standard input does, so it cannot outlive this process whatever happens.
    return _start(["catalogue.cli", "runner", "--watch", "--background", *share], database)


def _start_dashboard(port: int, address: str, database: str | None) -> subprocess.Popen[bytes]:
    # By its name: the dashboard imports the catalogue, never the other way round.
    return _start(["dashboard", "--port", str(port), "--address", address], database)


def _start(module: list[str], database: str | None) -> subprocess.Popen[bytes]:
    """Run a module in a process of its own, which Ctrl-C in the terminal does not reach."""
    variables = dict(os.environ)
    if database is not None:
        variables["THOUGHTFUL_DATABASE_URL"] = database
    return subprocess.Popen(
        # -P: a directory of the same name where the user happens to be is not the module.
        [sys.executable, "-P", "-m", *module],
        env=variables,
        stdin=subprocess.PIPE,
        start_new_session=True,
    )


def _keep(served: subprocess.Popen[bytes], runner: subprocess.Popen[bytes] | None = None) -> None:
    """Wait until the dashboard ends or somebody stops this process; then stop what still runs."""
    stopped = threading.Event()

    def stop(_number: int, _frame: FrameType | None) -> None:
        stopped.set()

    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, stop)
    watched = runner
    try:
        while not stopped.wait(0.2) and served.poll() is None:
            if watched is not None and watched.poll() is not None:
                console.remark(
                    f"the runner ended with exit code {watched.returncode}: start another with "
                    "`thoughtful runner --watch`"
                )
                watched = None
    finally:
        _stop(served, runner)
    if not stopped.is_set():
        console.remark(f"the dashboard ended with exit code {served.returncode}")
        raise typer.Exit(1)


def _stop(served: subprocess.Popen[bytes], runner: subprocess.Popen[bytes] | None) -> None:
    """Ask both to end, and make those end that do not."""
    # The dashboard is two processes; the runner ends its workers itself, and in good order.
    _signal(served, signal.SIGTERM)
    if runner is not None:
        runner.terminate()
    deadline = time.monotonic() + _PATIENCE_SECONDS
    for process in (served, runner):
        if process is None:
            continue
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(max(0.0, deadline - time.monotonic()))
        _signal(process, signal.SIGKILL)
        process.wait()


def _signal(process: subprocess.Popen[bytes], number: signal.Signals) -> None:
    """Send a signal to a process and to all that it has started."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, number)


def _check_port(address: str, port: int) -> None:
    """Raise BadInput unless something can listen there."""
    try:
        places = socket.getaddrinfo(address, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        raise BadInput(
            f"{address!r} is not an address of this machine: expected one such as localhost"
        ) from None
    for family, kind, protocol, _, place in places:
        with socket.socket(family, kind, protocol) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind(place)
            except OSError as error:
                if error.errno == errno.EADDRINUSE:
                    raise BadInput(
                        f"port {port} of {address} is taken: choose another with --port, or stop "
                        "what listens there"
                    ) from None
                # ::1 where there is no IPv6.
                if len(places) == 1:
                    raise BadInput(
                        f"cannot listen on port {port} of {address}: {error.strerror}"
                    ) from None


def _link(address: str, port: int) -> str:
    return f"http://{'localhost' if address in ('0.0.0.0', '::') else address}:{port}"
