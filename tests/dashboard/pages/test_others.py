"""Browser tests of difficulty and downloads, and of databases that cannot be used."""

import csv
import io
import re
import shutil
import sqlite3
import zipfile
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from browsing import unfold
from catalogue.schema import REVISION
from dashboard.elements.wording import percent

Sql = Callable[..., list[tuple[Any, ...]]]


@pytest.mark.thorough
def test_difficulty_counts_are_the_databases(page: Page, dashboard: str, sql: Sql) -> None:
    page.goto(f"{dashboard}/difficulty")
    expect(page.get_by_role("heading", name="Search nodes")).to_be_visible()
    rows = page.get_by_test_id("solvers").locator("tbody tr")
    expect(rows).to_have_count(2)
    for solver, attempted, won in sql(
        "SELECT s.name, count(*), sum(o.result = 'won') FROM outcome o "
        "JOIN solver s ON s.id = o.solver_id JOIN ruleset r ON r.id = o.ruleset_id "
        "WHERE r.slug = 'klondike-draw3' GROUP BY s.name"
    ):
        cells = rows.filter(has_text=solver.partition("(")[0]).locator("td").all_inner_texts()
        assert cells[1:3] == [str(attempted), str(won)]
    # The paper's two kinds of dead end are compared with its figure, and no others.
    [(attempted, ours)] = sql(
        "SELECT count(*), sum(e.kind IN ('relaxed', 'pair')) FROM outcome o "
        "JOIN solver s ON s.id = o.solver_id JOIN ruleset r ON r.id = o.ruleset_id "
        "LEFT JOIN dead_end e ON (e.ruleset_id, e.solver_id, e.deal_id) = "
        "(o.ruleset_id, o.solver_id, o.deal_id) "
        "WHERE r.slug = 'klondike-draw3' AND s.name = 'dead-end'"
    )
    assert sql("SELECT count(*) FROM dead_end WHERE kind = 'conflict'")[0][0] > 0
    compared = page.get_by_test_id("published-methods").locator("tbody tr")
    expect(compared).to_contain_text("dead ends found before any")
    assert compared.locator("td").all_inner_texts()[2] == percent(ours / attempted)
    expect(page.locator("[data-testid=stVegaLiteChart] canvas, svg.marks")).to_have_count(3)


def test_a_download_holds_what_the_database_holds(page: Page, dashboard: str, sql: Sql) -> None:
    page.goto(f"{dashboard}/downloads")
    # What each of some sixty games has in a column shows when it is unfolded.
    unfold(page, "deals: The deals of the selection")
    cards = page.get_by_test_id("columns-of-deals").locator("tr", has_text="the place of every")
    paragraph = cards.locator("p", has_text="Thoughtful's JSON: tableau")
    expect(paragraph).to_be_hidden()
    cards.locator("summary").click()
    expect(paragraph).to_be_visible()
    page.get_by_role("combobox", name="Format").click()
    page.get_by_role("option", name="CSV").click()
    page.get_by_role("button", name="Prepare the download").click()
    with page.expect_download() as started:
        page.get_by_role("button", name=re.compile("Download thoughtful-csv.zip")).click()
    with zipfile.ZipFile(started.value.path()) as archive:
        names = {Path(name).name for name in archive.namelist()}
        assert {"README.md", "deals.csv", "statuses.csv", "outcomes.csv", "solutions.csv"} <= names
        for table, stored in {
            "deals": "deal",
            "statuses": "STATUSES",
            "outcomes": "outcome",
            "solutions": "solution",
        }.items():
            with archive.open(f"thoughtful/{table}.csv") as file:
                rows = list(csv.DictReader(io.TextIOWrapper(file, "utf-8")))
            assert len(rows) == sql(f"SELECT count(*) FROM {stored}")[0][0]


def expect_one_sentence(page: Page, sentence: str) -> None:
    alert = page.get_by_role("alert")
    expect(alert).to_have_count(1)
    expect(alert).to_contain_text(sentence)
    expect(page.get_by_test_id("stException")).to_have_count(0)


def change(path: Path, statement: str) -> None:
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(statement)


@pytest.mark.thorough
def test_a_catalogue_that_is_missing_or_newer_is_one_sentence(
    page: Page, served: Callable[[str], str], initialised_sqlite: Path, tmp_path: Path
) -> None:
    path = tmp_path / "thoughtful.db"
    address = served(f"sqlite:///{path}")
    page.goto(address)
    expect_one_sentence(page, "was never initialised: run thoughtful init first")
    for name in ("Deals", "Difficulty", "Jobs", "Downloads"):
        page.goto(f"{address}/{name.lower()}")
        expect(page.get_by_role("heading", name=name, exact=True)).to_be_visible()
        expect_one_sentence(page, "was never initialised")
    page.goto(f"{address}/?deal=thoughtful-1:1")
    expect_one_sentence(page, "was never initialised")

    shutil.copy(initialised_sqlite, path)
    change(path, "UPDATE alembic_version SET version_num = '9999_from_the_future'")
    page.goto(address)
    expect_one_sentence(page, "newer than this program's")

    # And it recovers without a restart.
    change(path, f"UPDATE alembic_version SET version_num = '{REVISION}'")
    page.goto(address)
    expect(page.get_by_text("Nothing has been solved yet")).to_be_visible()

    # A database that breaks under an open page is one sentence in its place.
    change(path, "DROP TABLE status_block")
    expect_one_sentence(page, "cannot be used: no such table")


@pytest.mark.thorough
def test_an_unreachable_server_is_one_sentence(page: Page, served: Callable[[str], str]) -> None:
    page.goto(served("postgresql://reader:secret@127.0.0.1:9/thoughtful"))
    expect_one_sentence(page, "The database at postgresql://reader:***@127.0.0.1:9/thoughtful")
    assert "secret" not in page.content()
