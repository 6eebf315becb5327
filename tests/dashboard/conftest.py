"""Fixtures of a real dashboard on a catalogue filled by real jobs."""

import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from api_client import ApiClient, client_of
from catalogue import store
from catalogue.difficulty.features import submit as submit_features
from catalogue.difficulty.fitting import store_model
from catalogue.jobs.queue import submit
from engine.dealing.dealers import parse_sample
from engine.rulesets import parse_ruleset
from graded import plausible_model
from serving import run_queued_jobs, serving

# Enough for more than one page of the list; few enough nodes that some deals stay unresolved.
SAMPLE = "thoughtful-1:0-119"
SOLVERS = ["dead-end", "exact(nodes=20000)"]
DRAW1_SAMPLE = "thoughtful-1:0-19"


# The status of every deal under every ruleset, from its outcomes.
STATUSES = """(
    SELECT o.ruleset_id, d.seed,
        CASE WHEN sum(o.result = 'won') THEN 'winnable'
            WHEN sum(o.result = 'unwinnable') THEN 'unwinnable'
            ELSE 'unresolved' END AS status,
        min(CASE WHEN v.grades AND o.result IN ('won', 'unwinnable') THEN o.nodes END) AS nodes,
        min(e.kind) AS dead_end
    FROM outcome o
        JOIN deal d ON d.id = o.deal_id
        JOIN solver v ON v.id = o.solver_id
        LEFT JOIN dead_end e USING (ruleset_id, solver_id, deal_id)
    GROUP BY o.ruleset_id, o.deal_id
)"""


@pytest.fixture(scope="session")
def run_jobs() -> Callable[[Path], None]:
    """Run every queued job of a catalogue file to its end."""
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
    rules, sample = parse_ruleset("klondike-draw1"), parse_sample(DRAW1_SAMPLE)
    with store.open_catalogue(f"sqlite:///{path}") as catalogue:
        submit_features(catalogue, rules, sample)
    run_queued_jobs(path)
    with store.open_catalogue(f"sqlite:///{path}") as catalogue:
        store_model(catalogue, rules, plausible_model(sample))
    return path


@pytest.fixture(scope="session")
def sql(filled: Path) -> Callable[..., list[tuple[Any, ...]]]:
    """Rows straight from the filled file, past all code of ours; `STATUSES` stands for statuses."""

    def rows(query: str, *values: Any) -> list[tuple[Any, ...]]:
        with sqlite3.connect(filled) as connection:
            return connection.execute(query.replace("STATUSES", STATUSES), values).fetchall()

    return rows


@pytest.fixture(scope="session")
def dashboard(filled: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of the dashboard of the filled catalogue."""
    with serving(f"sqlite:///{filled}", tmp_path_factory.mktemp("dashboard")) as address:
        yield address


@pytest.fixture
def client(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ApiClient:
    """A client of an HTTP API without a catalogue."""
    return client_of(monkeypatch, DATABASE_URL=f"sqlite:///{tmp_path}/none.db")


@pytest.fixture
def empty(initialised_sqlite: Path, tmp_path: Path) -> Path:
    """The file of a catalogue in which nothing is stored yet."""
    return Path(shutil.copy(initialised_sqlite, tmp_path / "thoughtful.db"))


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Callable[..., str]]:
    """Start a dashboard of any catalogue, with further variables; its address."""
    with ExitStack() as stack:
        yield lambda url, **more: stack.enter_context(serving(url, tmp_path, **more))
