"""Tests of what keeps an installation running: logs, secrets, metrics, doctor, read-only."""

import json
import logging
import os
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import urllib.request
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import psycopg
import pytest
from prometheus_client.parser import text_string_to_metric_families
from sqlalchemy.engine import make_url

from catalogue import doctor, store
from catalogue.jobs.queue import list_jobs, submit
from catalogue.logs import keep_secret, without_secrets
from catalogue.schema import JobRow, RunnerRow, ShardRow
from engine.dealing.dealers import parse_sample
from patience import SECONDS, wait_until
from serving import free_port
from thoughtful import command_line

PASSWORD = "correct-horse/battery"
QUOTED = "correct-horse%2Fbattery"
Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def url(initialised_sqlite: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The URL of a fresh catalogue, which is that of the settings."""
    path = tmp_path / "thoughtful.db"
    shutil.copy(initialised_sqlite, path)
    monkeypatch.setenv("THOUGHTFUL_DATABASE_URL", f"sqlite:///{path}")
    monkeypatch.chdir(tmp_path)
    return f"sqlite:///{path}"


@pytest.fixture
def run(url: str, capfd: pytest.CaptureFixture[str]) -> Run:
    """Run a command in this process: its exit code, output and remarks."""

    def ran(*arguments: str) -> tuple[int, str, str]:
        capfd.readouterr()
        code = command_line.run(arguments)
        out, err = capfd.readouterr()
        return code, out, err

    return ran


WRITES = [
    ["init"],
    ["job", "submit", "thoughtful-1:0-9"],
    ["job", "cancel", "1"],
    ["runner"],
    ["up", "--port", "1"],
    ["solve", "thoughtful-1:2", "--solver", "dead-end", "--store"],
    ["regret", "thoughtful-1:0-1", "--player", "greedy"],
    ["reproduce", "yan-2004", "--rows", "0", "--games", "1"],
]


@pytest.mark.parametrize("command", WRITES, ids=lambda command: command[0])
def test_commands_that_write_refuse_where_nothing_may_be_written(
    command: list[str], url: str, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    with store.open_catalogue(url) as cat:
        submit(cat, "klondike-draw3", parse_sample("thoughtful-1:0-9"), ["dead-end"])
    monkeypatch.setenv("THOUGHTFUL_READ_ONLY", "1")
    code, out, err = run(*command)
    assert (code, out) == (2, "")
    assert err == (
        "thoughtful: THOUGHTFUL_READ_ONLY is set: this installation only reads, and nothing can "
        "be changed or started\n"
    )
    assert run("job", "list")[0] == 0
    with store.open_catalogue(url) as cat:
        assert [job.state for job in list_jobs(cat)] == ["queued"]


@pytest.fixture
def visitor(new_postgres_database: Callable[[str], str], initialised_postgres: str) -> str:
    """The URL of a catalogue for the role of `docs/operations.md`, which may only read."""
    url = make_url(new_postgres_database(initialised_postgres))
    grants = (
        f"CREATE ROLE visitor_{url.database} LOGIN",
        f"GRANT CONNECT ON DATABASE {url.database} TO visitor_{url.database}",
        f"GRANT USAGE ON SCHEMA public TO visitor_{url.database}",
        f"GRANT SELECT ON ALL TABLES IN SCHEMA public TO visitor_{url.database}",
    )
    with psycopg.connect(url.render_as_string(False), autocommit=True) as connection:
        for grant in grants:
            connection.execute(grant)
    return url.set(username=f"visitor_{url.database}").render_as_string(False)


def test_a_role_that_may_only_read(visitor: str, run: Run, tmp_path: Path) -> None:
    (tmp_path / "deals").write_text("thoughtful-1:2")
    for command in (
        ["job", "submit", "thoughtful-1:0-9", "-s", "dead-end"],
        ["solve", "thoughtful-1:2", "--store"],
        ["import", "deals"],
        ["difficulty", "grade", "thoughtful-1:2-3"],
        [
            "difficulty",
            "fit",
            "pysolfc:1-130",
            "-r",
            "klondike-draw1",
            "-p",
            "random",
            "-p",
            "greedy",
        ],
        ["regret", "thoughtful-1:0-1", "--player", "greedy"],
        ["reproduce", "yan-2004", "--rows", "0", "--games", "1"],
        ["runner"],
    ):
        code, out, err = run(*command, "--database", visitor)
        assert (code, out) == (2, ""), command
        assert re.fullmatch(
            r"thoughtful: the catalogue at postgresql://visitor_\S+ can only be read here: "
            r"permission denied for table \w+\n",
            err,
        ), err
    assert run("job", "list", "--database", visitor)[0] == 0
    # A table that it may not even read, as after an upgrade.
    with psycopg.connect(make_url(visitor).set(username="postgres").render_as_string(False)) as c:
        c.execute(f"REVOKE SELECT ON job FROM {make_url(visitor).username}")
    code, _, err = run("job", "list", "--database", visitor)
    assert (code, err) == (
        2,
        "thoughtful: the database cannot be used: permission denied for table job\n",
    )


def test_doctor_says_who_may_write(
    visitor: str, url: str, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(doctor, "_self_test", lambda: doctor.Finding("referee", "sound", ""))

    def access(database: str) -> tuple[str, str]:
        findings = json.loads(run("doctor", "--json", "--database", database)[1])["findings"]
        (found,) = (each for each in findings if each["subject"] == "access")
        return found["verdict"], found["found"]

    assert access(url) == ("sound", f"read and write; {url}")
    verdict, said = access(visitor)
    assert verdict == "note"
    assert "can only be read here: permission denied for table " in said
    assert access("postgresql://me:secret@127.0.0.1:1/x") == (
        "unsound",
        "none; postgresql://me:***@127.0.0.1:1/x",
    )
    # Somebody else who writes at the moment does not make it unwritable.
    with sqlite3.connect(url.removeprefix("sqlite:///"), isolation_level=None) as other:
        other.execute("BEGIN IMMEDIATE")
        assert access(url)[0] == "sound"
    other.close()


# Each fails in its own way: nobody listens, no such host, options that nobody has, no port.
FAILING = [
    f"postgresql://user:{QUOTED}@127.0.0.1:1/catalogue",
    f"postgresql://user:{QUOTED}@no-such-host.invalid/catalogue",
    f"postgresql://user@127.0.0.1:1/catalogue?password={QUOTED}",
    f"postgresql://user:{QUOTED}@127.0.0.1:1/catalogue?nonsense={QUOTED}",
    f"postgresql://user:{QUOTED}@127.0.0.1:port/catalogue",
    f"mysql://user:{QUOTED}@127.0.0.1/catalogue",
    f"user:{PASSWORD}@127.0.0.1",
]


def test_the_commands_log_as_the_catalogue_does(url: str) -> None:
    """Lines of both packages are JSON; the commands are a package of their own."""
    with store.open_catalogue(url) as cat:
        submit(cat, "klondike-draw3", parse_sample("thoughtful-1:0-0"), ["dead-end"])
    ran = subprocess.run(
        [sys.executable, "-m", "thoughtful", "runner", "--workers", "1"],
        env={**os.environ, "THOUGHTFUL_LOG": "json"},
        capture_output=True,
        text=True,
        check=True,
    )
    events = [json.loads(line)["event"] for line in ran.stderr.splitlines()]
    assert events == ["started", "claimed", "wrote", "ended job", "ended"]


@pytest.fixture
def logs_as_before() -> Iterator[None]:
    """Logs of this process are afterwards what they were, whatever a command has set."""
    loggers = [logging.getLogger(name) for name in ("catalogue", "thoughtful", None)]
    before = [(each.handlers[:], each.level, each.propagate) for each in loggers]
    yield
    logging.captureWarnings(False)
    for each, (handlers, level, propagate) in zip(loggers, before, strict=True):
        each.handlers[:], each.propagate = handlers, propagate
        each.setLevel(level)


@pytest.mark.usefixtures("logs_as_before")
@pytest.mark.parametrize("failing", FAILING)
def test_a_password_is_never_shown(failing: str, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("THOUGHTFUL_LOG", "json")
    monkeypatch.setenv("THOUGHTFUL_LOG_LEVEL", "debug")
    for given in ([], ["--database", failing]):
        monkeypatch.setenv("THOUGHTFUL_DATABASE_URL", failing if not given else "sqlite:///x.db")
        for command in (["init"], ["job", "list"], ["runner"]):
            code, out, err = run(*command, *given)
            assert code == 2
            assert err
            assert all(json.loads(line)["event"] for line in err.splitlines())
            for shown in (out, err):
                assert PASSWORD not in shown
                assert QUOTED not in shown


TRACEBACK = """
import logging, sys, threading, warnings
from catalogue import database, logs
logs.configure()
logs.hide_secrets_in_tracebacks()
database.parse_url(sys.argv[1])
log = logging.getLogger("catalogue.anything")
try:
    raise ValueError(f"in a log: {sys.argv[1]}")
except ValueError:
    log.exception("failed with %s", sys.argv[1], extra={"given": sys.argv[1]})
def fail():
    raise ValueError(f"in a thread: {sys.argv[1]}")
thread = threading.Thread(target=fail)
thread.start()
thread.join()
import distributed
logging.getLogger("distributed.worker").warning("of another package")
warnings.warn("of Python")
logs.say("of ours")
class Late:
    def __del__(self):
        raise ValueError("of an object that is gone")
Late()
raise ValueError(f"in a traceback: {sys.argv[1]}")
"""


@pytest.mark.parametrize("form", ["text", "json"])
def test_tracebacks_and_logs_keep_passwords(form: str) -> None:
    ran = subprocess.run(
        [
            sys.executable,
            "-c",
            TRACEBACK,
            f"postgresql://user:{QUOTED}@127.0.0.1/x?sslpassword=4567",
        ],
        env={**os.environ, "THOUGHTFUL_LOG": form},
        capture_output=True,
        text=True,
    )
    for words in ("in a log", "in a thread", "in a traceback"):
        assert f"{words}: postgresql://user:***@127.0.0.1/x?sslpassword=***" in ran.stderr
    assert QUOTED not in ran.stderr
    assert "4567" not in ran.stderr
    if form == "json":
        lines = [json.loads(line) for line in ran.stderr.splitlines()]
        assert {"of another package", "of ours", "ValueError: of an object that is gone"} <= {
            line["event"] for line in lines
        }
        assert any("UserWarning: of Python" in line["event"] for line in lines)
        line = lines[0]
        assert line["level"] == "error"
        assert line["event"].startswith("failed with postgresql://user:***@")
        assert line["given"].startswith("postgresql://user:***@")
        assert "ValueError" in line["traceback"]


def test_secrets_are_hidden_however_they_are_written() -> None:
    keep_secret("p@ss word!")
    assert without_secrets("p@ss word! p%40ss%20word%21 p%40ss+word%21") == "*** *** ***"
    keep_secret("abc")  # would be found in many words
    assert without_secrets("abc") == "abc"


def test_doctor_finds_a_sound_installation(run: Run) -> None:
    code, out, _ = run("doctor")
    assert code == 0, out
    assert 8 <= len(out.splitlines()) <= 12
    assert "and replayed" in out
    assert not [line for line in out.splitlines() if line.startswith("✕")]


def test_doctor_names_what_is_wrong(url: str, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "_self_test", lambda: doctor.Finding("referee", "sound", ""))
    with store.open_catalogue(url) as cat:
        submit(cat, "klondike-draw3", parse_sample("thoughtful-1:0-9"), ["dead-end"])
        with cat.begin() as session:
            # A shard with a runner that was last heard of years ago.
            session.get_one(JobRow, 1).state = "running"
            long_ago = datetime(2020, 1, 1, tzinfo=UTC)
            session.add(RunnerRow(name="gone", workers=1, started_at=long_ago, heartbeat=long_ago))
            session.flush()
            session.add(
                ShardRow(
                    job_id=1, first_seed=0, deals=10, state="running", runner_id=1, attempts=0,
                    claimed_at=long_ago,
                )
            )  # fmt: skip
    monkeypatch.setattr(doctor, "LEAST_FREE", 10**18)
    code, out, _ = run("doctor", "--json")
    found = json.loads(out)
    assert code == 1
    assert found["sound"] is False
    wrong = {
        each["subject"]: each["found"] for each in found["findings"] if each["verdict"] == "unsound"
    }
    assert set(wrong) == {"disk", "jobs"}
    assert "stalled: 1" in wrong["jobs"]
    code, out, _ = run("doctor", "--database", "sqlite:///nowhere/none.db")
    assert code == 1
    assert "never initialised: run `thoughtful init` first" in out


@pytest.mark.thorough
def test_a_runner_serves_metrics_and_logs_json(url: str) -> None:
    with store.open_catalogue(url) as cat:
        submit(cat, "klondike-draw3", parse_sample("thoughtful-1:0-49"), ["dead-end"])
        port = free_port()
        runner = subprocess.Popen(
            [
                *(sys.executable, "-m", "thoughtful", "runner", "--watch", "--workers", "1"),
                *("--metrics-port", str(port)),
            ],
            env={**os.environ, "THOUGHTFUL_LOG": "json"},
            stderr=subprocess.PIPE,
            text=True,
        )
        try:
            wait_until(lambda: list_jobs(cat)[0].state == "done", "the job is done")
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/healthz") as answer:
                assert json.load(answer)["sound"] is True
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics") as answer:
                metrics = answer.read().decode()
            runner.send_signal(signal.SIGTERM)
            _, err = runner.communicate(timeout=SECONDS)
            assert all(json.loads(line)["time"] for line in err.splitlines())
        finally:
            runner.kill()
            runner.wait()
    values = {
        (sample.name, *sample.labels.values()): sample.value
        for family in text_string_to_metric_families(metrics)
        for sample in family.samples
    }
    assert values["thoughtful_catalogue_up",] == 1
    assert values["thoughtful_jobs", "done"] == 1
    decided = values["thoughtful_deals", "klondike-draw3", "unwinnable"]
    assert decided + values["thoughtful_deals", "klondike-draw3", "unresolved"] == 50
    assert values["thoughtful_query_seconds_count", "write"] > 0
    lines = [json.loads(line) for line in err.splitlines()]
    events = [line["event"] for line in lines]
    assert events[0] == "started"
    assert "claimed" in events
    assert "wrote" in events
    assert events[-2:] == ["ended job", "ended"]
