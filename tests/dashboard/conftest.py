"""A real dashboard on a really filled catalogue, and a real browser to look at it."""

import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

from catalogue import store
from catalogue.jobs.queue import submit
from engine.dealing.dealers import parse_sample
from patience import SECONDS
from serving import free_port, wait_for_dashboard

# Enough for more than one page of the list; few enough nodes that some deals stay unresolved.
SAMPLE = "thoughtful-1:0-119"
SOLVERS = ["dead-end", "exact(nodes=20000)"]
DRAW1_SAMPLE = "thoughtful-1:0-19"
CHROMIUM = ("chromium", "chromium-browser", "google-chrome", "chrome")
CHROMIUM_FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


def run_queued_jobs(path: Path) -> None:
    subprocess.run(
        [sys.executable, "-m", "catalogue.cli", "runner", "--workers", "1"],
        env={**os.environ, "THOUGHTFUL_DATABASE_URL": f"sqlite:///{path}"},
        check=True,
        capture_output=True,
        timeout=SECONDS,
    )


@pytest.fixture(scope="session")
def run_jobs() -> Callable[[Path], None]:
    """Run every queued job of a catalogue file to its end, as the command line does."""
    return run_queued_jobs


@pytest.fixture(scope="session")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file of a catalogue filled by real jobs."""
    path = tmp_path_factory.mktemp("filled") / "thoughtful.db"
    store.init(f"sqlite:///{path}")
    with store.open_catalogue(f"sqlite:///{path}") as catalogue:
        submit(catalogue, "klondike-draw3", parse_sample(SAMPLE), SOLVERS)
        submit(catalogue, "klondike-draw1", parse_sample(DRAW1_SAMPLE), SOLVERS[1:])
    run_queued_jobs(path)
    return path


@pytest.fixture(scope="session")
def sql(filled: Path) -> Callable[..., list[tuple[Any, ...]]]:
    """Rows straight from the filled file, past all code of ours."""

    def rows(query: str, *values: Any) -> list[tuple[Any, ...]]:
        with sqlite3.connect(filled) as connection:
            return connection.execute(query, values).fetchall()

    return rows


@contextmanager
def serving(url: str, directory: Path) -> Iterator[str]:
    """The dashboard of a catalogue, started away from the checkout; its address."""
    port = free_port()
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
                "--address",
                "127.0.0.1",
            ],
            env={**os.environ, "THOUGHTFUL_DATABASE_URL": url},
            cwd=directory,
            stdout=output,
            stderr=subprocess.STDOUT,
        )
    address = f"http://127.0.0.1:{port}"
    try:
        wait_for_dashboard(port, process)
        yield address
    finally:
        process.kill()  # it would wait for the browser to leave first
        process.wait()
    # Whatever the browser showed, nothing went wrong behind it.
    assert "Traceback" not in log.read_text()


@pytest.fixture(scope="session")
def dashboard(filled: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of the dashboard of the filled catalogue."""
    with serving(f"sqlite:///{filled}", tmp_path_factory.mktemp("dashboard")) as address:
        yield address


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Callable[[str], str]]:
    """Start a dashboard of any catalogue; its address."""
    with ExitStack() as stack:
        yield lambda url: stack.enter_context(serving(url, tmp_path))


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    path = next(filter(None, map(shutil.which, CHROMIUM)), None)
    if path is None:
        reason = "no Chromium: install it, on Debian with `apt-get install chromium`"
        if os.environ.get("CI"):
            pytest.fail(reason)
        pytest.skip(reason)
    expect.set_options(timeout=1000 * SECONDS)
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=path, args=CHROMIUM_FLAGS)
        yield chromium
        chromium.close()


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """A fresh window; a script that fails in it fails the test."""
    context = browser.new_context(viewport={"width": 1280, "height": 1000})
    opened = context.new_page()
    opened.set_default_timeout(1000 * SECONDS)
    failures: list[str] = []
    opened.on("pageerror", lambda error: failures.append(str(error)))
    yield opened
    context.close()
    assert failures == []
