"""Servers and runners for tests: start a dashboard, find a free port, wait for a response."""

import os
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from catalogue import store
from catalogue.jobs import runner
from patience import wait_until


def free_port() -> int:
    """A port of this machine that nothing listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


# What a server answers once it is ready: that of the dashboard, and that of the API alone.
DASHBOARD_PAGE = "/_stcore/health"
API_PAGE = "/api/v1/rulesets"


def wait_for_dashboard(
    port: int,
    process: "subprocess.Popen[str] | subprocess.Popen[bytes]",
    page: str = DASHBOARD_PAGE,
) -> None:
    """Wait until the dashboard that a process serves answers, or the API by a page of its own."""
    link = f"http://127.0.0.1:{port}{page}"

    def answers() -> bool:
        assert process.poll() is None, "the dashboard ended"
        try:
            with urllib.request.urlopen(link, timeout=5) as answer:
                return bool(answer.status == 200)
        except OSError:
            return False

    wait_until(answers, f"the dashboard at {link} answers")


@contextmanager
def serving(
    url: str,
    directory: Path,
    port: int | None = None,
    *more: str,
    page: str = DASHBOARD_PAGE,
    **variables: str,
) -> Iterator[str]:
    """The dashboard of a catalogue, started away from the checkout; its address.

    Args:
        url: of the catalogue.
        directory: where it is started, and its log is kept.
        port: where it listens; a free one by default.
        more: arguments for the server.
        page: what it answers once it is ready.
        variables: of its environment.
    """
    port = port or free_port()
    log = directory / f"dashboard-{port}.log"
    with log.open("wb") as output:
        process = subprocess.Popen(
            [
                sys.executable,
                "-P",
                "-m",
                "dashboard",
                "--port",
                str(port),
                *more,
            ],
            # No solver is loaded that no test asks for.
            env={
                **os.environ,
                "THOUGHTFUL_DATABASE_URL": url,
                "THOUGHTFUL_WARM_UP": "0",
                **variables,
            },
            cwd=directory,
            stdout=output,
            stderr=subprocess.STDOUT,
        )
    address = f"http://127.0.0.1:{port}"
    try:
        wait_for_dashboard(port, process, page)
        yield address
    finally:
        process.kill()  # it would wait for the browser to leave first
        process.wait()
    # Whatever the browser showed, nothing went wrong behind it.
    _, traceback, rest = log.read_text().partition("Traceback")
    assert not traceback, rest[:5000]


def run_queued_jobs(path: Path) -> None:
    """Run every queued job of a catalogue file to its end, in this process."""
    # Here, because it takes longer to import than most tests take.
    from job_runs import workers_in_this_process

    with (
        workers_in_this_process() as address,
        store.open_catalogue(f"sqlite:///{path}") as cat,
    ):
        runner.run(cat, scheduler=address)
