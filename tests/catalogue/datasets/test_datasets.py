"""Tests of datasets: the same bytes again, loads in one line, counts, Croissant, checks."""

import filecmp
import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import datasets
import duckdb
import mlcroissant
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import yaml

from catalogue import store
from catalogue.blocks import VERDICTS
from catalogue.datasets.building import build
from catalogue.datasets.checking import SUMS, all_files, dataset_tables, faults, sum_of
from catalogue.outcomes.chunk import Chunk, SolverKey
from catalogue.outcomes.packed import pack
from catalogue.outcomes.provenance import this_provenance
from catalogue.outcomes.writing import write_chunks
from catalogue.reading.bounds import bounds_of
from catalogue.reading.samples import status_counts
from catalogue.schema import RulesetRow
from catalogue.tables.columns import deal_codec
from catalogue.tables.formats import FORMATS
from engine.dealing.dealers import Sample, get_dealer
from engine.errors import BadInput
from engine.games import games, get_game
from engine.klondike.moves import parse_solution
from engine.klondike.referee import proves_win
from engine.rulesets import parse_ruleset
from solvers.outcome import Outcome, Result
from solvers.solver import parse_solver
from thoughtful import command_line

DRAW3 = "klondike-draw3"
PUZZLE = [
    *("deal", "game", "ruleset", "dealer", "seed", "cards", "moves", "length"),
    *("level", "level_error", "themes", "critical"),
]


# What is written does not depend on the database: what reads files alone does so once.
ON_SQLITE = pytest.mark.parametrize("backend", ["sqlite"])


@pytest.fixture(scope="module")
def made_on_sqlite(known_sqlite: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("dataset") / "small"
    return build(known_sqlite.catalogue, "small", folder).directory


@pytest.fixture
def made(
    backend: str, made_on_sqlite: Path, request: pytest.FixtureRequest, tmp_path: Path
) -> Path:
    """A dataset, which may be damaged."""
    if backend == "sqlite":
        return Path(shutil.copytree(made_on_sqlite, tmp_path / "small"))
    known = request.getfixturevalue("known")
    return build(known.catalogue, "small", tmp_path / "small").directory


def test_the_same_bytes_come_again(known: Any, made: Path, tmp_path: Path) -> None:
    other = build(known.catalogue, "small", tmp_path / "elsewhere" / "again").directory
    names = [*all_files(made), SUMS]
    assert names[:-1] == all_files(other)
    assert filecmp.cmpfiles(made, other, names, shallow=False)[1:] == ([], [])
    assert faults(made) == []
    answer = "".join((made / name).read_text() for name in names if "/" not in name)
    assert str(tmp_path) not in answer


def test_counts_equal_the_catalogues(known: Any, made: Path) -> None:
    found = json.loads((made / "completeness.json").read_text())
    assert {(each["ruleset"], each["dealer"]) for each in found["samples"]} == {
        (DRAW3, "thoughtful-1"),
        (DRAW3, "solvitaire"),
        ("klondike-draw1", "thoughtful-1"),
    }
    for each in found["samples"]:
        span = each["last_seed"] - each["first_seed"] + 1
        with known.catalogue.session() as session:
            ruleset = session.query(RulesetRow.id).filter_by(slug=each["ruleset"]).scalar()
            counts = status_counts(session, ruleset, each["dealer"], each["first_seed"], span)
        assert (each["winnable"], each["unwinnable"]) == (counts.winnable, counts.unwinnable)
        assert each["decided"] + each["unresolved"] == each["deals_attempted"]
    dealt = {f.deal for f in known.facts if f.dealer}
    assert found["rows"]["deals"] == len(dealt)
    assert found["rows"]["outcomes"] == sum(1 for f in known.facts if f.dealer)
    sample = Sample("solvitaire", 1, 60)
    (mine,) = [each for each in found["samples"] if each["dealer"] == "solvitaire"]
    assert bounds_of(known.catalogue, DRAW3, sample).n == mine["deals_attempted"]


@ON_SQLITE
def test_every_tool_opens_every_table_in_one_line(
    made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(made)
    rows = json.loads(Path("completeness.json").read_text())["rows"]
    for name, table in dataset_tables().items():
        columns = [each.name for each in table.columns]
        frame = pd.read_parquet(name)
        assert (len(frame), list(frame.columns)) == (rows[name], columns)
        lazy = pl.scan_parquet(f"{name}/*.parquet").collect()
        assert (lazy.height, lazy.columns) == (rows[name], columns)
        counted = duckdb.sql(f"SELECT count(*) FROM read_parquet('{name}/*.parquet')").fetchall()
        assert counted == [(rows[name],)]
        if rows[name]:
            loaded = datasets.load_dataset(
                "parquet", data_files=f"{name}/*.parquet", cache_dir=str(tmp_path / "cache")
            )["train"]
            assert (loaded.num_rows, loaded.column_names) == (rows[name], columns)


@ON_SQLITE
def test_puzzles_are_deals_with_solutions_that_win(made: Path) -> None:
    puzzles = pd.read_parquet(made / "puzzles")
    assert list(puzzles.columns) == PUZZLE
    assert len(puzzles) > 100
    for row in puzzles.iloc[::37].itertuples():
        dealer, seed = row.deal.split(":")
        cards = get_dealer(dealer).deal_block(int(seed), 1)[0]
        game = get_game("klondike")
        deal = deal_codec(game).read(row.cards)
        assert deal == game.deal(cards)
        moves = parse_solution(row.moves)
        assert len(moves) == row.length
        assert proves_win(deal, parse_ruleset(row.ruleset), moves)
    # Deal 17 is a contradiction, of which nothing is sure.
    assert "thoughtful-1:17" not in set(puzzles.deal[puzzles.ruleset == DRAW3])


@ON_SQLITE
@pytest.mark.parametrize("format", FORMATS)
def test_every_format_says_the_same(known: Any, tmp_path: Path, format: Any) -> None:
    sample = Sample("thoughtful-1", 0, 300)
    kept = {"rulesets": [DRAW3], "sample": sample}
    parquet = build(known.catalogue, "one", tmp_path / "one", **kept).directory
    other = build(known.catalogue, "one", tmp_path / "two", format=format, **kept).directory
    assert faults(other) == []
    reader = {"parquet": "read_parquet", "csv": "read_csv", "jsonl": "read_json"}[format]
    for name in ("deals", "statuses", "solutions", "outcomes"):
        mine = duckdb.sql(f"SELECT * FROM {reader}('{other}/{name}/*.{format}')").fetchall()
        assert mine == duckdb.sql(f"FROM read_parquet('{parquet}/{name}/*.parquet')").fetchall()
        assert mine


@ON_SQLITE
def test_croissant_is_valid_and_reads_the_data(made: Path) -> None:
    read = mlcroissant.Dataset(jsonld=made / "croissant.json")
    assert not read.metadata.ctx.issues.errors
    first = next(iter(read.records("puzzles")))
    assert set(first) == {f"puzzles/{name}" for name in PUZZLE}


@ON_SQLITE
def test_the_card_describes_every_table(made: Path) -> None:
    _, front, text = (made / "README.md").read_text().split("---\n", 2)
    answer = yaml.safe_load(front)
    assert answer["license"] == "cc0-1.0"
    assert [each["config_name"] for each in answer["configs"]] == list(dataset_tables())
    for each in answer["configs"]:
        assert list(made.glob(each["data_files"]))
    for table in dataset_tables().values():
        for column in table.columns:
            assert f"| `{column.name}` |" in text
            assert column.meaning
            assert column.source
    # Who made it is not known to the program, unless it is told.
    assert "Authors: not named by who built it" in text


def test_the_card_says_what_who_does_not_know_the_program_must_know(
    known: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Rules in words, validation, limits of use, authors, year and contact; Croissant, too."""
    url = known.catalogue.engine.url.render_as_string(hide_password=False)
    words = ["dataset", "build", "small", "-o", str(tmp_path / "small"), "--database", url]
    who = ["--author", "Ann Example", "--author", "A. N. Other", "--contact", "ann@example.org"]
    assert command_line.run([*words, *who]) == 0
    text = (tmp_path / "small" / "README.md").read_text()
    provenance = json.loads((tmp_path / "small" / "provenance.json").read_text())
    counts = json.loads((tmp_path / "small" / "completeness.json").read_text())
    sections = {part.partition("\n")[0]: part for part in text.split("\n## ")[1:]}
    for slug in provenance["rulesets"]:
        rules = parse_ruleset(slug)
        answer = get_game(rules.game).rulesets
        assert f"- `{slug}`: {answer.describe(rules)}" in sections["Rules"]
        assert answer.basics in sections["Rules"]
    validation = sections["Technical validation"]
    assert f"each of the {counts['rows']['solutions']:,} solutions was replayed" in validation
    against = sum(each["contradictions"] for each in counts["samples"])
    assert against > 0
    assert f"Contradictions: {against:,} deals" in validation
    assert "no verification of it is recorded" in validation
    assert "not chances" in sections["Limits of use"] or "no chances" in sections["Limits of use"]
    year = provenance["last_outcome"][:4]
    assert provenance["first_outcome"] <= provenance["last_outcome"]
    assert "Authors: Ann Example, A. N. Other\n- Contact: ann@example.org" in text
    assert "author = {{Ann Example} and {A. N. Other}}" in sections["Citation"]
    assert f"year = {{{year}}}" in sections["Citation"]
    read = mlcroissant.Dataset(jsonld=tmp_path / "small" / "croissant.json")
    assert not read.metadata.ctx.issues.errors
    assert [each.name for each in read.metadata.creators] == ["Ann Example", "A. N. Other"]
    assert read.metadata.date_created.date().isoformat() == provenance["last_outcome"]
    assert command_line.run([*words[:3], "--database", url, "--author", "a}"]) == 2
    assert "is no name or address" in capsys.readouterr().err


def test_every_game_has_its_rules_in_words() -> None:
    assert all(len(game.rulesets.basics) > 200 for game in games())


@ON_SQLITE
def test_check_names_what_is_wrong(
    made: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert command_line.run(["dataset", "check", str(made)]) == 0
    (made / "more.txt").write_text("x")
    (made / "LICENSE").unlink()
    file = sorted((made / "statuses").iterdir())[0]
    file.write_bytes(sorted((made / "statuses").iterdir())[-1].read_bytes())
    capsys.readouterr()
    assert command_line.run(["dataset", "check", str(made)]) == 1
    answer = capsys.readouterr().out
    assert "LICENSE is missing" in answer
    assert "more.txt has no checksum" in answer
    assert f"statuses/{file.name} differs from its checksum" in answer
    assert "completeness.json differs" in answer
    assert command_line.run(["dataset", "check", str(tmp_path / "nothing")]) == 2


@ON_SQLITE
@pytest.mark.parametrize(
    ("table", "column", "said"),
    [
        ("solutions", "moves", "is said to win, but"),
        ("puzzles", "moves", "is said to win, but"),
        ("puzzles", "cards", "are not those that its dealer deals"),
        ("deals", "cards", "are not those that its dealer deals"),
    ],
)
def test_data_with_checksums_that_fit_are_replayed(
    made: Path, capsys: pytest.CaptureFixture[str], table: str, column: str, said: str
) -> None:
    """Two rows have what the other one should."""
    file = next(
        each for each in sorted((made / table).iterdir()) if pl.read_parquet(each).height > 5
    )
    frame = pl.read_parquet(file)
    values = frame[column].to_list()
    other = next(at for at, value in enumerate(values) if value != values[0])
    values[0], values[other] = values[other], values[0]
    table_of = pq.read_table(file)
    at = table_of.schema.get_field_index(column)
    pq.write_table(table_of.set_column(at, table_of.schema.field(at), pa.array(values)), file)
    names = all_files(made)
    (made / SUMS).write_text("".join(f"{sum_of(made / name)}  {name}\n" for name in names))
    assert command_line.run(["dataset", "check", str(made)]) == 0
    assert command_line.run(["dataset", "check", str(made), "--replay"]) == 1
    assert said in capsys.readouterr().out


@ON_SQLITE
@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"name": "My Data"}, "lower-case"),
        ({"version": "1.0"}, "three numbers"),
        ({"format": "xlsx"}, "expected one of parquet"),
        ({"sample": Sample("thoughtful-1", 10**9, 5)}, "nothing to write"),
        ({"rulesets": ["spider-1"]}, "nothing to write"),
    ],
)
def test_wrong_input_writes_nothing(
    known: Any, tmp_path: Path, change: dict[str, Any], words: str
) -> None:
    with pytest.raises(BadInput, match=words):
        build(known.catalogue, **({"name": "data", "directory": tmp_path / "data"} | change))
    assert list(tmp_path.iterdir()) == []


@ON_SQLITE
def test_an_interrupted_build_leaves_nothing(known: Any, tmp_path: Path) -> None:
    def stop(_done: int, _remark: str) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        build(known.catalogue, "data", tmp_path / "data", on_progress=stop)
    assert list(tmp_path.iterdir()) == []


@ON_SQLITE
def test_a_directory_in_use_is_left_alone(known: Any, made: Path) -> None:
    with pytest.raises(BadInput, match="in use"):
        build(known.catalogue, "small", made)
    assert faults(made) == []
    shutil.rmtree(made)


@pytest.mark.slow
def test_solutions_of_verdicts_are_made_again_only_when_asked_for(
    initialised_sqlite: Path, tmp_path: Path
) -> None:
    shutil.copy(initialised_sqlite, tmp_path / "verdicts.db")
    rules, solver = parse_ruleset(DRAW3), parse_solver("exact")
    cards = get_dealer("thoughtful-1").deal_block(0, 30)
    # Slow outcomes would keep their rows.
    outcomes = tuple(replace(each, cpu_ms=1.0) for each in solver.solve(cards, rules))
    won = sum(outcome.moves is not None for outcome in outcomes)
    assert 0 < won < 30
    done = ((SolverKey.of(solver), outcomes),)
    chunk = pack(Chunk(rules, "thoughtful-1", tuple(range(30)), cards, done), VERDICTS)
    with store.open_catalogue(f"sqlite:///{tmp_path / 'verdicts.db'}") as catalogue:
        with catalogue.begin() as session:
            write_chunks(session, [chunk])
        plain = build(catalogue, "plain", tmp_path / "plain")
        again = build(catalogue, "again", tmp_path / "again", solve=True)
    assert faults(plain.directory) == faults(again.directory) == []
    assert plain.counts["rows"]["statuses"] == 30
    assert plain.counts["rows"]["puzzles"] == 0
    # A table without rows opens, too.
    assert list(pd.read_parquet(plain.directory / "puzzles").columns) == PUZZLE
    (part,) = again.counts["samples"]
    assert again.counts["rows"]["puzzles"] == won
    assert part["with_solution"] == part["solutions_made_again"] == part["winnable"] == won
    for row in pd.read_parquet(again.directory / "solutions").itertuples():
        deal = get_game("klondike").deal(cards[row.seed])
        assert proves_win(deal, rules, parse_solution(row.moves))


def test_programs_are_those_of_the_deals_that_it_has(
    initialised_sqlite: Path, tmp_path: Path
) -> None:
    """Imported deals are left out, and so is who solved them."""
    shutil.copy(initialised_sqlite, tmp_path / "two.db")
    cards = get_dealer("thoughtful-1").deal_block(0, 2)
    done = ((SolverKey.of(parse_solver("dead-end")), (Outcome(Result.GAVE_UP, 1, 1.0),)),)
    rules = parse_ruleset(DRAW3)
    elsewhere = replace(this_provenance(), program="elsewhere")
    chunks = [
        pack(Chunk(rules, "thoughtful-1", (0,), cards[:1], done)),
        replace(pack(Chunk(rules, None, (), cards[1:], done)), provenance=elsewhere),
    ]
    with store.open_catalogue(f"sqlite:///{tmp_path / 'two.db'}") as catalogue:
        with catalogue.begin() as session:
            write_chunks(session, chunks)
        built = build(catalogue, "two", tmp_path / "two")
    programs = json.loads((built.directory / "provenance.json").read_text())["programs"]
    assert [each["program"] for each in programs] == [this_provenance().program]


def test_deals_are_written_as_the_documents_say() -> None:
    assert [deal_codec(get_game(slug)).slug for slug in ("klondike", "spider")] == [
        *("klondike-solver", "json")
    ]


@pytest.mark.slow
def test_a_dealer_whose_seeds_begin_within_a_block(
    initialised_sqlite: Path, tmp_path: Path
) -> None:
    dealer = get_dealer("pysolfc")
    shutil.copy(initialised_sqlite, tmp_path / "first.db")
    rules, solver = parse_ruleset(DRAW3), parse_solver("dead-end")
    assert dealer.min_seed == 1
    cards = dealer.deal_block(1, 5)
    done = ((SolverKey.of(solver), tuple(solver.solve(cards, rules))),)
    chunk = pack(Chunk(rules, dealer.slug, tuple(range(1, 6)), cards, done), VERDICTS)
    with store.open_catalogue(f"sqlite:///{tmp_path / 'first.db'}") as catalogue:
        with catalogue.begin() as session:
            write_chunks(session, [chunk])
        built = build(catalogue, "first", tmp_path / "first")
    assert faults(built.directory) == []
    found = pd.read_parquet(built.directory / "deals")
    assert found["seed"].tolist() == [1, 2, 3, 4, 5]
