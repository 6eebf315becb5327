"""Processes that serve pages or work off jobs until the command ends."""

import contextlib
import errno
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from importlib.util import find_spec
from types import FrameType
from typing import Annotated

import typer

from catalogue.interrupts import STUCK_SECONDS
from engine.errors import BadInput
from thoughtful.terminal import console, options

Port = Annotated[
    int,
    typer.Option(
        "--port",
        "-p",
        metavar="N",
        parser=options.whole(1, 65535),
        help="Port of the dashboard",
    ),
]

Address = Annotated[
    str,
    typer.Option(
        "--address",
        metavar="ADDRESS",
        help="Interface that the dashboard listens on; 0.0.0.0 for all",
    ),
]


def start_runner(workers: int | None, database: str | None) -> subprocess.Popen[bytes]:
    share = [] if workers is None else ["--workers", str(workers)]
    return _start(["thoughtful", "runner", "--watch", "--background", *share], database)


def start_dashboard(
    port: int, address: str, database: str | None, *more: str
) -> subprocess.Popen[bytes]:
    # By name, because the dashboard imports the catalogue, never the other way round.
    arguments = ["--port", str(port), "--address", address, "--background", *more]
    return _start(["dashboard", *arguments], database)


def _start(module: list[str], database: str | None) -> subprocess.Popen[bytes]:
    """Run a module in a separate process, which Ctrl-C in the terminal does not reach.

    It ends when its standard input is closed (`end_with_standard_input`), so it cannot outlive this
    process.
    """
    variables = dict(os.environ)
    if database is not None:
        variables["THOUGHTFUL_DATABASE_URL"] = database
    return subprocess.Popen(
        # A directory of the same name must not be taken for it, wherever it lies.
        [sys.executable, "-P", "-m", "thoughtful_command", *module],
        env=variables,
        stdin=subprocess.PIPE,
        start_new_session=True,
    )


def keep(
    served: subprocess.Popen[bytes],
    runner: subprocess.Popen[bytes] | None = None,
    what: str = "dashboard",
) -> None:
    """Wait until the dashboard ends or this process is told to stop; then stop what still runs."""
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
        console.remark(f"the {what} ended with exit code {served.returncode}")
        raise typer.Exit(1)


def _stop(served: subprocess.Popen[bytes], runner: subprocess.Popen[bytes] | None) -> None:
    """Terminate both processes, and kill those that do not end."""
    # The dashboard is two processes; the runner shuts its workers down by itself.
    _signal(served, signal.SIGTERM)
    if runner is not None:
        runner.terminate()
    deadline = time.monotonic() + STUCK_SECONDS
    for process in (served, runner):
        if process is None:
            continue
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(max(0.0, deadline - time.monotonic()))
        _signal(process, signal.SIGKILL)
        process.wait()


def _signal(process: subprocess.Popen[bytes], number: signal.Signals) -> None:
    """Send a signal to a process and to all its children."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, number)


def check(address: str, port: int, database: str | None) -> None:
    """Raise BadInput unless all settings are right and the port is free at the address.

    The process that serves would say the same, but in its own words.
    """
    for library in ("fastapi", "streamlit"):
        if find_spec(library) is None:
            raise ModuleNotFoundError(name=library)
    from catalogue.database import parse_url
    from catalogue.settings import get_settings

    get_settings()
    parse_url(database)
    try:
        places = socket.getaddrinfo(address, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        raise BadInput(
            f"{address!r} is not an address of this machine: expected one such as 127.0.0.1"
        ) from None
    for family, kind, protocol, _, place in places:
        with socket.socket(family, kind, protocol) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind(place)
            except OSError as error:
                if error.errno == errno.EADDRINUSE:
                    raise BadInput(
                        f"port {port} of {address} is in use: choose another with --port, or stop "
                        "the program that uses it"
                    ) from None
                # ::1 where there is no IPv6.
                if len(places) == 1:
                    raise BadInput(
                        f"cannot listen on port {port} of {address}: {error.strerror}"
                    ) from None


def link(address: str, port: int) -> str:
    return f"http://{'127.0.0.1' if address in ('0.0.0.0', '::') else address}:{port}"
