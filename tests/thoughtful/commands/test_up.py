"""Tests of `thoughtful up`: it fills, serves, and leaves no process behind."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from catalogue.jobs import queue as jobs
from catalogue.store import open_catalogue
from command_line import Thoughtful, assert_one_sentence
from patience import SECONDS, wait_until
from serving import API_PAGE, DASHBOARD_PAGE, free_port, wait_for_dashboard


def start_up(port: int, url: str) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-m", "thoughtful", "up", "--port", str(port), "--seeds", "20"],
        env={**os.environ, "THOUGHTFUL_DATABASE_URL": url},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def wait_for_end(processes: list[psutil.Process]) -> None:
    _gone, alive = psutil.wait_procs(processes, timeout=SECONDS)
    assert alive == []


@pytest.mark.slow
def test_up_fills_serves_and_ends(tmp_path: Path, thoughtful: Thoughtful) -> None:
    port, url = free_port(), f"sqlite:///{tmp_path}/new/thoughtful.db"
    process = start_up(port, url)
    try:
        wait_for_dashboard(port, process)
        assert_one_sentence(
            thoughtful("dashboard", "--port", str(port)), f"port {port} of 127.0.0.1 is in use"
        )
        with open_catalogue(url) as catalogue:
            listed = jobs.list_jobs(catalogue)
            assert [job.ruleset for job in listed] == [
                "klondike-draw3",
                "klondike-draw1",
                "freecell",
                "klondike-draw3",
                "klondike-yan",
            ]
            wait_until(
                lambda: jobs.list_jobs(catalogue)[0].state != "queued", "the runner takes a job up"
            )
        children = psutil.Process(process.pid).children(recursive=True)
        process.terminate()
        out, err = process.communicate(timeout=SECONDS)
    finally:
        process.kill()
    assert process.returncode == 0, err
    assert f"http://127.0.0.1:{port}" in err
    assert "Traceback" not in out + err
    wait_for_end(children)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("command", "page"),
    [("up", DASHBOARD_PAGE), ("dashboard", DASHBOARD_PAGE), ("serve", API_PAGE)],
)
def test_what_a_killed_command_has_started_ends_too(
    command: str, page: str, tmp_path: Path, initialised_sqlite: Path
) -> None:
    port, place = free_port(), tmp_path / "thoughtful.db"
    shutil.copy(initialised_sqlite, place)
    with (tmp_path / "log").open("wb") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "thoughtful", command, "--port", str(port)],
            env={
                **os.environ,
                "THOUGHTFUL_DATABASE_URL": f"sqlite:///{place}",
                "THOUGHTFUL_WARM_UP": "0",
            },
            stdout=log,
            stderr=log,
        )
    try:
        wait_for_dashboard(port, process, page)
        children = psutil.Process(process.pid).children(recursive=True)
    finally:
        process.kill()
    process.wait()
    assert children
    wait_for_end(children)
