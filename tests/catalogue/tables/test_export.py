"""Tests that exports load in pandas and DuckDB as their README says."""

import json
import re
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import pyarrow.parquet
import pytest

from catalogue.outcomes.names import ensure_ruleset
from catalogue.reading import overview
from catalogue.schema import BoundRow
from catalogue.tables.columns import tables as export_tables
from catalogue.tables.export import export
from catalogue.tables.formats import FORMATS
from catalogue.tables.selection import Selection
from engine.cards import card_name, parse_card
from engine.errors import BadInput
from engine.klondike.deal import KlondikeDeal
from engine.klondike.moves import parse_solution
from engine.klondike.referee import proves_win
from engine.rulesets import parse_ruleset

DRAW3 = "klondike-draw3"
DUCKDB_TYPES = {
    "string": "VARCHAR",
    "int32": "INTEGER",
    "int64": "BIGINT",
    "double": "DOUBLE",
    "bool": "BOOLEAN",
    "timestamp[us, tz=UTC]": "TIMESTAMP WITH TIME ZONE",
}


@pytest.fixture
def output(tmp_path: Path) -> Path:
    return tmp_path / "out"


def documented(readme: str) -> dict[str, list[tuple[str, str]]]:
    """For each table of a README its columns and their types."""
    tables = {}
    for section in re.split(r"^## ", readme, flags=re.MULTILINE)[1:]:
        name = section.split("\n", 1)[0]
        tables[name] = re.findall(r"^\| `(\w+)` \| ([^|]+) \|", section, flags=re.MULTILINE)
    return tables


def rows_of(path: Path, format: str, table: str) -> list[dict[str, Any]]:
    reader = {"parquet": "read_parquet", "csv": "read_csv", "jsonl": "read_json"}[format]
    file = str(path / f"{table}.{format}")
    found = duckdb.sql(f"SELECT * FROM {reader}('{file}')")
    assert found is not None
    # Through Arrow, because DuckDB's own moments with a zone need one more package.
    rows: list[dict[str, Any]] = found.to_arrow_table().to_pylist()
    return rows


@pytest.mark.parametrize("format", FORMATS)
def test_everything_loads_with_the_documented_columns_and_the_overviews_counts(
    known: Any, output: Path, format: Any
) -> None:
    done = export(known.catalogue, output, format=format)
    files = {f"{name}.{format}" for name in export_tables()}
    assert {path.name for path in done.files} == files | {"README.md"}
    counts = overview.counts(known.catalogue)
    for name in ("deals", "statuses", "outcomes", "solutions", "dead_ends"):
        rows = rows_of(output, format, name)
        assert len(rows) == done.rows[name] == asdict(counts)[name]
    columns = documented((output / "README.md").read_text())
    assert list(columns) == list(export_tables())
    for table in export_tables().values():
        file = output / f"{table.name}.{format}"
        names = [name for name, _ in columns[table.name]]
        if format == "parquet":
            schema = pyarrow.parquet.read_schema(file)
            assert [(f.name, str(f.type)) for f in schema] == columns[table.name]
            described = duckdb.sql(f"DESCRIBE SELECT * FROM '{file}'")
            assert described is not None
            assert [row[:2] for row in described.fetchall()] == [
                (name, DUCKDB_TYPES[kind]) for name, kind in columns[table.name]
            ]
        elif format == "csv":
            assert list(pd.read_csv(file).columns) == names
        elif done.rows[table.name]:
            assert list(pd.read_json(file, lines=True).columns) == names


def test_parquet_counts_equal_the_overview_ruleset_by_ruleset(known: Any, output: Path) -> None:
    export(known.catalogue, output)
    # Few rows, of several rulesets and dealers: each row group costs some hundred bytes.
    for path in output.glob("*.parquet"):
        assert pyarrow.parquet.ParquetFile(path).num_row_groups <= 1, path
    statuses = pd.read_parquet(output / "statuses.parquet")
    deals = pd.read_parquet(output / "deals.parquet").set_index("deal")
    for each in overview.overview(known.catalogue).rulesets:
        here = statuses[statuses.ruleset == each.ruleset]
        dealt = here[here.deal.map(deals.dealer).notna()]
        assert len(dealt) == each.deals
        assert len(here) - len(dealt) == each.imported
        found = dealt.status.value_counts()
        assert found.get("winnable", 0) == each.winnable
        assert found.get("unwinnable", 0) == each.unwinnable
        assert found.get("unresolved", 0) == each.unresolved


@pytest.mark.parametrize("format", FORMATS)
def test_every_value_comes_back(known: Any, output: Path, format: Any) -> None:
    export(known.catalogue, output, format=format)
    facts = {(f.deal, f.ruleset, f.solver.name, f.solver.version): f.outcome for f in known.facts}

    def key(row: dict[str, Any]) -> tuple[Any, ...]:
        return row["deal"], row["ruleset"], row["solver"], row["version"]

    outcomes = {key(row): row for row in rows_of(output, format, "outcomes")}
    assert outcomes.keys() == facts.keys()
    for each, row in outcomes.items():
        fact = facts[each]
        assert (row["result"], row["nodes"]) == (fact.result, fact.nodes)
        assert row["cpu_ms"] == pytest.approx(fact.cpu_ms)
        assert pd.Timestamp(row["stored_at"]).tzinfo is not None
    solutions = {key(row): row for row in rows_of(output, format, "solutions")}
    assert solutions.keys() == {k for k, fact in facts.items() if fact.result == "won"}
    deals = {}
    for row in rows_of(output, format, "deals"):
        columns = [[parse_card(c) for c in column.split()] for column in row["tableau"].split("|")]
        stock = [parse_card(card) for card in row["stock"].split()]
        deals[row["deal"]] = KlondikeDeal.from_piles(columns, stock)
        assert deals[row["deal"]].digest == row["digest"]
        assert row["deal"] == (f"{row['dealer']}:{row['seed']}" if row["dealer"] else row["digest"])
    assert deals == known.deals
    for (deal, ruleset, _, _), row in list(solutions.items())[::20]:
        moves = parse_solution(row["moves"])
        assert row["length"] == len(moves)
        assert proves_win(deals[deal], parse_ruleset(ruleset), moves)
    dead_ends = {key(row): row for row in rows_of(output, format, "dead_ends")}
    assert {k: (row["dead_end"], row["witness"]) for k, row in dead_ends.items()} == {
        k: (f.dead_end.kind, " ".join(card_name(card) for card in f.dead_end.witness))
        for k, f in facts.items()
        if f.dead_end is not None
    }


@pytest.mark.parametrize(
    ("selection", "keep"),
    [
        (Selection(ruleset="klondike-draw1"), lambda f, status: f.ruleset == "klondike-draw1"),
        (Selection(status="winnable"), lambda f, status: status == "winnable"),
        (Selection(dealer="imported"), lambda f, status: f.dealer is None),
        (Selection(dealer="solvitaire"), lambda f, status: f.dealer == "solvitaire"),
        (
            Selection(DRAW3, "unwinnable", "thoughtful-1", 90, 1200),
            lambda f, status: (
                f.ruleset == DRAW3
                and status == "unwinnable"
                and f.dealer == "thoughtful-1"
                and 90 <= f.seed <= 1200
            ),
        ),
        (Selection(ruleset="klondike-vegas"), lambda f, status: False),
    ],
    # A function's text holds its address, which differs between the processes that share tests.
    ids=lambda value: str(value) if isinstance(value, Selection) else "kept",
)
def test_a_selection_keeps_what_it_says_in_every_table(
    known: Any, output: Path, selection: Selection, keep: Any
) -> None:
    results: dict[tuple[str, str], set[str]] = {}
    for fact in known.facts:
        results.setdefault((fact.deal, fact.ruleset), set()).add(fact.outcome.result)

    def status(fact: Any) -> str:
        found = results[fact.deal, fact.ruleset]
        return (
            "winnable"
            if "won" in found
            else "unwinnable"
            if "unwinnable" in found
            else "unresolved"
        )

    kept = [fact for fact in known.facts if keep(fact, status(fact))]
    done = export(known.catalogue, output, selection=selection)
    tables = {name: pd.read_parquet(output / f"{name}.parquet") for name in export_tables()}
    assert set(tables["deals"].deal) == {fact.deal for fact in kept}
    assert len(tables["deals"]) == len({fact.deal for fact in kept})
    pairs = {(fact.deal, fact.ruleset) for fact in kept}
    statuses = tables["statuses"]
    assert set(zip(statuses.deal, statuses.ruleset, strict=True)) == pairs
    assert len(statuses) == len(pairs)
    assert done.rows["outcomes"] == len(tables["outcomes"]) == len(kept)
    assert len(tables["solutions"]) == sum(f.outcome.result == "won" for f in kept)
    assert len(tables["dead_ends"]) == sum(f.outcome.dead_end is not None for f in kept)
    assert str(selection) in (output / "README.md").read_text()


def test_batches_are_streamed_and_told(
    known: Any, output: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("catalogue.tables.parts.PART", 700)
    answer: list[tuple[int, str]] = []
    done = export(
        known.catalogue,
        output,
        selection=Selection(ruleset=DRAW3),
        on_progress=lambda rows, place: answer.append((rows, place)),
    )
    rows = [0, *(rows for rows, _ in answer)]
    assert rows[-1] == sum(done.rows.values())
    solvers = {fact.solver for fact in known.facts}
    assert all(0 < step <= 700 * len(solvers) for step in np.diff(rows))
    dealers = ("thoughtful-1", "solvitaire", "imported")
    assert {place for _, place in answer} == {f"{dealer}, block 0" for dealer in dealers}
    assert len(pd.read_parquet(output / "outcomes.parquet")) == done.rows["outcomes"]


def test_bounds_are_exported_with_their_span(
    sqlite_catalogue: Any, known_type: type, output: Path
) -> None:
    at = datetime(2026, 2, 3, 4, 5, 6, tzinfo=UTC)
    with sqlite_catalogue.begin() as session:
        ruleset_id = ensure_ruleset(session, parse_ruleset(DRAW3))
        session.add(
            BoundRow(
                ruleset_id=ruleset_id, dealer="thoughtful-1", first_seed=5, n=1000, winnable=700,
                unwinnable=100, job_id=None, created_at=at, seal=0,
            )
        )  # fmt: skip
    export(sqlite_catalogue, output)
    (row,) = pd.read_parquet(output / "bounds.parquet").to_dict("records")
    assert (row["ruleset"], row["first_seed"], row["n"]) == (DRAW3, 5, 1000)
    assert (row["lower"], row["upper"]) == (0.7, 0.9)
    assert row["low"] < 0.7 < 0.9 < row["high"]
    assert row["stored_at"] == pd.Timestamp(at)


@pytest.mark.parametrize("format", FORMATS)
def test_an_empty_catalogue_exports_empty_tables(
    sqlite_catalogue: Any, output: Path, format: Any
) -> None:
    done = export(sqlite_catalogue, output, format=format)
    assert set(done.rows.values()) == {0}
    assert len(done.files) == len(export_tables()) + 1


def test_the_commands_of_the_readme_work(known: Any, output: Path) -> None:
    for format in FORMATS:
        directory = output / format
        export(known.catalogue, directory, format=format)
        readme = (directory / "README.md").read_text()
        (code,) = re.findall(r"```python\n(.*?)```", readme, flags=re.DOTALL)
        names: dict[str, Any] = {}
        code = code.replace('"statuses.', f'"{directory}/statuses.')
        code = code.replace("'statuses.", f"'{directory}/statuses.")
        exec(code.replace("duckdb.sql(", "counted = duckdb.sql("), names)
        rows = len(names["statuses"])
        assert rows == overview.counts(known.catalogue).statuses
        assert sum(row[2] for row in names["counted"].fetchall()) == rows


def test_a_directory_in_use_is_not_touched(sqlite_catalogue: Any, output: Path) -> None:
    output.mkdir()
    mine = output / "thesis.tex"
    mine.write_text("precious")
    for overwrite in (False, True):
        with pytest.raises(BadInput, match=r"^[^\n]+$"):
            export(sqlite_catalogue, output, overwrite=overwrite)
    assert list(output.iterdir()) == [mine]
    assert not [path for path in output.parent.iterdir() if path.name.startswith(".out")]
    with pytest.raises(BadInput, match="is a file"):
        export(sqlite_catalogue, mine)
    assert mine.read_text() == "precious"


def test_an_earlier_export_is_replaced_only_when_told(sqlite_catalogue: Any, output: Path) -> None:
    output.mkdir()  # an empty directory is as good as none
    export(sqlite_catalogue, output)
    with pytest.raises(BadInput, match=r"in use, by README.md: expected .* or overwrite an"):
        export(sqlite_catalogue, output)
    done = export(sqlite_catalogue, output, format="csv", overwrite=True)
    assert {path.suffix for path in done.files} == {".csv", ".md"}


def test_a_failure_leaves_nothing_behind(
    known: Any, output: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    export(known.catalogue, output, selection=Selection(dealer="solvitaire"))
    before = {path.name: path.read_bytes() for path in output.iterdir()}
    left = set(output.parent.iterdir())

    def stop(rows: int, _place: str) -> None:
        if rows > 5_000:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        export(known.catalogue, output, overwrite=True, on_progress=stop)
    assert {path.name: path.read_bytes() for path in output.iterdir()} == before
    assert set(output.parent.iterdir()) == left


def test_a_place_that_cannot_be_written_to_is_one_sentence(
    sqlite_catalogue: Any, tmp_path: Path
) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("")
    with pytest.raises(BadInput, match="cannot be written to"):
        export(sqlite_catalogue, blocked / "out")


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"ruleset": "bridge"}, "unknown ruleset"),
        ({"status": "won"}, "unknown status"),
        ({"dealer": "me"}, "unknown dealer"),
        ({"seed_from": 3, "seed_to": 2}, "range of seeds 3 to 2 is empty"),
        ({"seed_to": -1}, "-1 is out of range for seeds"),
    ],
)
def test_a_wrong_selection_is_one_sentence(wrong: dict[str, Any], sentence: str) -> None:
    with pytest.raises(BadInput, match=sentence):
        Selection(**wrong)


def test_a_wrong_format_is_one_sentence(sqlite_catalogue: Any, output: Path) -> None:
    with pytest.raises(BadInput, match="unknown format 'xlsx'"):
        export(sqlite_catalogue, output, format="xlsx")  # type: ignore[arg-type]


def test_lines_of_json_are_objects_with_iso_moments(known: Any, output: Path) -> None:
    export(known.catalogue, output, format="jsonl", selection=Selection(dealer="solvitaire"))
    lines = (output / "outcomes.jsonl").read_text().splitlines()
    assert len(lines) == 60
    for line in lines:
        row = json.loads(line)
        assert pd.Timestamp(row["stored_at"]).tzinfo is not None
