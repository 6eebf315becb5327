"""Tests of questions in SQL: what they are answered, and that they reach nothing else."""

import os
import pty
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from catalogue.tables.columns import tables as export_tables
from catalogue.tables.parts import Source
from catalogue.tables.rows import read
from catalogue.tables.selection import Selection
from catalogue.tables.sql import SqlTables, sql_tables
from engine.errors import BadInput


@pytest.fixture
def tables(known: Any) -> Iterator[SqlTables]:
    with sql_tables(known.catalogue) as found:
        yield found


def rows(tables: SqlTables, query: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = tables.query(query).read_all().to_pylist()
    return found


def test_the_tables_are_those_of_an_export(known: Any, tables: SqlTables) -> None:
    names = [row["name"] for row in rows(tables, "SHOW TABLES")]
    assert names == sorted(export_tables())
    with known.catalogue.session() as session:
        source = Source.of(session, Selection())
        for table in export_tables().values():
            exported = [row for batch in read(source, [table]) for row in batch.rows.to_pylist()]
            assert rows(tables, f"SELECT * FROM {table.name}") == exported
            described = rows(tables, f"DESCRIBE {table.name}")
            assert [row["column_name"] for row in described] == [c.name for c in table.columns]


def test_questions_that_join_and_name_a_table_twice(tables: SqlTables) -> None:
    quick = "SELECT deal FROM outcomes WHERE result = 'won' AND length < 200"
    found = rows(tables, quick)
    assert found
    won = {row["deal"] for row in rows(tables, "SELECT deal FROM Statuses WHERE status='winnable'")}
    assert {row["deal"] for row in found} <= won
    both = """
        WITH lost AS (SELECT deal, ruleset FROM outcomes WHERE result = 'lost')
        SELECT count(*) AS n FROM lost JOIN outcomes AS o USING (deal, ruleset)
        WHERE o.result = 'won' AND EXISTS (SELECT 1 FROM solutions AS s WHERE s.deal = o.deal)
    """
    (row,) = rows(tables, both)
    outcomes = rows(tables, "FROM outcomes")
    lost = [(r["deal"], r["ruleset"]) for r in outcomes if r["result"] == "lost"]
    wins = [(r["deal"], r["ruleset"]) for r in outcomes if r["result"] == "won"]
    solved = {r["deal"] for r in rows(tables, "FROM solutions")}
    assert row["n"] == sum(wins.count(key) for key in lost if key[0] in solved)


def test_columns_of_one_name_are_told_apart(tables: SqlTables) -> None:
    pairs = "deals AS a JOIN deals AS b USING (digest)"
    found = tables.query(f"SELECT a.deal, b.deal, 7 AS deal_1, 8 AS deal FROM {pairs}")
    assert found.schema.names == ["deal", "deal_1", "deal_1_1", "deal_2"]
    row = found.read_all().to_pylist()[0]
    assert row["deal"] == row["deal_1"]
    assert (row["deal_1_1"], row["deal_2"]) == (7, 8)


def test_a_table_whose_reading_failed_is_read_again(
    known: Any, tables: SqlTables, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not taken for an empty one."""

    def broken() -> Any:
        raise BadInput("the database has gone")

    with monkeypatch.context() as patch:
        patch.setattr(known.catalogue, "session", broken)
        with pytest.raises(BadInput, match="has gone"):
            tables.query("FROM deals")
    assert rows(tables, "FROM deals")


def test_a_selection_limits_all_tables(known: Any) -> None:
    with sql_tables(known.catalogue, Selection(dealer="solvitaire")) as found:
        deals = {row["deal"].partition(":")[0] for row in rows(found, "SELECT deal FROM outcomes")}
    assert deals == {"solvitaire"}


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("DELETE FROM deals", "only queries are answered"),
        ("COPY deals TO 'x.csv'", "only queries are answered"),
        ("SET memory_limit = '1GB'", "only queries are answered"),
        ("SELECT * FROM 'secret.csv'", "file system operations are disabled"),
        ("SELECT * FROM read_csv('secret.csv')", "file system operations are disabled"),
        ("SELECT content FROM read_text('secret.csv')", "file system operations are disabled"),
        ("SELECT * FROM nowhere", "there is no table nowhere: expected deals, statuses"),
        ("SELECT sed FROM deals", '"sed" not found'),
        ("SELEC 1", 'syntax error at or near "SELEC"'),
        ("SELECT 1; SELECT 2", "2 queries at once: expected one"),
        ("", "0 queries at once: expected one"),
        ("SELECT 'a'::INTEGER", "Could not convert"),
        ("SELECT * FROM batches", "there is no table batches"),  # no variable of ours is a table
    ],
)
def test_wrong_queries_are_one_sentence_and_reach_nothing(
    tables: SqlTables, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, query: str, words: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "secret.csv").write_text("a,b\n1,2\n")
    before = rows(tables, "SELECT count(*) AS n FROM deals")
    with pytest.raises(BadInput) as refused:
        rows(tables, query)
    assert words in str(refused.value)
    assert "\n" not in str(refused.value)
    assert [path.name for path in tmp_path.iterdir()] == ["secret.csv"]
    assert rows(tables, "SELECT count(*) AS n FROM deals") == before


@pytest.mark.slow
def test_the_shell_goes_on_after_a_wrong_query(initialised_sqlite: Path) -> None:
    ours, theirs = pty.openpty()
    program = [sys.executable, "-c", "from thoughtful.command_line import main; main()"]
    shell = subprocess.Popen(
        [*program, "sql", "--database", f"sqlite:///{initialised_sqlite}"],
        stdin=theirs,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env={**os.environ, "TERM": "dumb"},
    )
    os.close(theirs)
    os.write(ours, b"SELEC 1;\nSELECT 40\n + 2 AS answer;\nSELECT count(*) FROM deals;\n\x04")
    said, _ = shell.communicate()
    os.close(ours)
    assert shell.returncode == 0, said
    assert "syntax error" in said
    assert "42" in said
    assert "count_star()" in said
