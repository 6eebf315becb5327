"""Tests of the package: what the catalogue knows, as frames, and its jobs."""

from pathlib import Path

import pandas as pd
import pytest

import thoughtful
from catalogue.difficulty.fitting import store_model
from catalogue.tables.columns import tables
from catalogue.verify.running import verify
from engine.dealing.dealers import Sample
from engine.rulesets import parse_ruleset
from graded import plausible_model

RULES = "klondike-draw3"
SAMPLE = "thoughtful-1:0-39"
pytestmark = pytest.mark.slow


def test_every_table_is_a_frame_with_nullable_types(
    cat: thoughtful.Catalogue, tmp_path: Path
) -> None:
    rows = cat.export(tmp_path / "out")
    for table in tables().values():
        frame = cat.table(table.name)
        assert list(frame.columns) == [column.name for column in table.columns]
        assert len(frame) == rows[table.name]
        written = pd.read_parquet(tmp_path / "out" / f"{table.name}.parquet")
        assert frame.astype(object).where(frame.notna(), None).to_dict("records") == (
            written.astype(object).where(written.notna(), None).to_dict("records")
        )
        for name, kind in frame.dtypes.items():
            nullable = isinstance(kind, pd.api.extensions.ExtensionDtype)
            assert nullable or pd.api.types.is_datetime64_any_dtype(kind), (table.name, name)
    assert cat.table("outcomes", RULES, sample="thoughtful-1:5-9")["deal"].nunique() == 5
    assert set(cat.statuses(status="winnable")["status"]) == {"winnable"}
    with pytest.raises(thoughtful.BadInput, match="unknown table 'nothing'"):
        cat.table("nothing")


def test_counts_are_those_of_the_catalogue(cat: thoughtful.Catalogue) -> None:
    solved = thoughtful.solve_all(SAMPLE)["result"].value_counts().to_dict()
    counts = {"winnable": solved["won"], "unwinnable": solved["unwinnable"]}
    frame = cat.bounds(RULES, SAMPLE)
    assert len(frame) == 1
    row = frame.iloc[0]
    assert (row["n"], row["winnable"]) == (40, counts["winnable"])
    assert row["unwinnable"] == counts["unwinnable"]
    assert row["low"] < row["lower"] <= row["upper"] < row["high"]
    assert cat.statuses()["status"].value_counts().to_dict() == counts
    found = cat.compare("dead-end", "exact", sample=SAMPLE)
    assert found.n == 40
    assert (found.only_first, found.only_second) == (0, counts["winnable"])
    assert found.both + found.only_first + found.only_second + found.neither == 40
    assert 0 < found.p_value < 0.01
    with pytest.raises(thoughtful.BadInput, match="need a ruleset"):
        cat.bounds(sample=SAMPLE)


def test_queries_in_sql_give_frames(cat: thoughtful.Catalogue) -> None:
    found = cat.sql("SELECT status, count(*) AS deals FROM statuses GROUP BY status", RULES)
    counted = cat.statuses()["status"].value_counts().to_dict()
    assert dict(zip(found["status"], found["deals"], strict=True)) == counted
    (few,) = cat.sql("SELECT count(*) AS n FROM statuses", sample="thoughtful-1:0-4")["n"]
    assert few == 5
    with pytest.raises(thoughtful.BadInput, match="only queries are answered"):
        cat.sql("DROP TABLE deals")


def test_solutions_are_those_stored_and_win(cat: thoughtful.Catalogue) -> None:
    for deal, status in cat.statuses()[["deal", "status"]].itertuples(index=False):
        solution = cat.solution(deal)
        assert (solution is not None) == (status == "winnable")
        assert solution is None or solution.wins
        rows = cat.deal(thoughtful.deal(deal))
        assert list(rows["solver"].str.split("(").str[0]) == ["dead-end", "exact"]
    with pytest.raises(thoughtful.BadInput):
        cat.solution("thoughtful-1:x")


def test_deals_come_in(cat: thoughtful.Catalogue, tmp_path: Path) -> None:
    file = tmp_path / "some.txt"
    file.write_text("pysolfc:1\npysolfc:2\nrubbish\npysolfc:1\n")
    wrong = cat.import_deals(file)
    assert wrong["line"].tolist() == [3]
    assert wrong.attrs == {"read": 4, "kept": 3, "new": 2, "wrong": 1}
    with pytest.raises(thoughtful.BadInput, match="cannot read"):
        cat.import_deals(tmp_path / "none.txt")
    # A number is no stream of the program, such as that of the catalogue.
    with pytest.raises(thoughtful.BadInput, match="path of a file, not 5"):
        cat.import_deals(5)  # type: ignore[arg-type]
    assert cat.import_deals(file).attrs["new"] == 0


def test_a_dataset_is_built(cat: thoughtful.Catalogue, tmp_path: Path) -> None:
    place = cat.build_dataset("small", tmp_path / "small", rules=[RULES])
    assert len(pd.read_parquet(Path(place) / "statuses")) == 40


@pytest.mark.parametrize("form", ["text", "json", "csv", "binary"])
def test_a_list_is_of_the_winnable_deals(
    cat: thoughtful.Catalogue, tmp_path: Path, form: str
) -> None:
    file = tmp_path / "some"
    thoughtful.write_list(file, SAMPLE, form=form, stored=True, catalogue=cat)
    found = thoughtful.read_list(file)
    winnable = cat.statuses(status="winnable")["deal"].str.removeprefix("thoughtful-1:")
    assert found["seed"].tolist() == winnable.astype(int).sort_values().tolist()
    assert set(found["category"]) == {"winnable"}
    file.write_bytes(b"nothing of the kind")
    with pytest.raises(thoughtful.BadInput, match="some: it is no list"):
        thoughtful.read_list(file)


def test_a_list_that_cannot_be_written_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(thoughtful.BadInput, match=r"cannot write .*: Not a directory"):
        thoughtful.write_list(tmp_path / "file" / "list.csv", "thoughtful-1:0-3")


def test_the_levels_of_a_list_are_those_of_the_settings(
    cat: thoughtful.Catalogue, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sample = Sample("thoughtful-1", 0, 40)
    store_model(cat.store, parse_ruleset(RULES), plausible_model(sample))
    monkeypatch.setenv("THOUGHTFUL_DATABASE_URL", f"sqlite:///{tmp_path / 'mine.db'}")
    for level in (None, (1, 10)):
        thoughtful.write_list(tmp_path / "some.json", "thoughtful-1:0-5", form="json", level=level)
        listed = thoughtful.read_list(tmp_path / "some.json")
        assert listed["level"].notna().all() == (level is not None)
        assert len(listed) > 0
    monkeypatch.setenv("THOUGHTFUL_DATABASE_URL", f"sqlite:///{tmp_path / 'none.db'}")
    with pytest.raises(thoughtful.BadInput, match="never initialised"):
        # Of these rules no model comes with the package.
        thoughtful.write_list(tmp_path / "some.json", "thoughtful-1:0-5", "klondike-draw2", level=3)


def test_a_list_without_a_catalogue_is_solved(tmp_path: Path) -> None:
    thoughtful.write_list(tmp_path / "own.txt", "thoughtful-1:0-19")
    solved = thoughtful.solve_all("thoughtful-1:0-19")
    won = solved.loc[solved["result"] == "won", "deal"].str.removeprefix("thoughtful-1:")
    assert thoughtful.read_list(tmp_path / "own.txt")["seed"].tolist() == won.astype(int).tolist()
    with pytest.raises(thoughtful.BadInput, match="cannot read"):
        thoughtful.read_list(tmp_path / "none.txt")


def test_jobs_are_steered(cat: thoughtful.Catalogue) -> None:
    number = cat.submit("thoughtful-1:0-99", solvers=["dead-end"], priority=3)
    assert cat.submit("thoughtful-1:0-99", solvers=["dead-end"]) == number
    for act, state in ((cat.pause, "paused"), (cat.resume, "queued"), (cat.cancel, "cancelled")):
        act(number)
        row = cat.jobs().set_index("job").loc[number]
        assert (row["state"], row["priority"], row["total"]) == (state, 3, 100)
    assert pd.isna(row["error"])
    with pytest.raises(thoughtful.BadInput, match="no job 99"):
        cat.pause(99)
    with pytest.raises(thoughtful.BadInput, match="1000000000000 is out of range"):
        cat.pause(10**12)
    for wrong in (1.5, True):
        with pytest.raises(thoughtful.BadInput, match="no whole number"):
            cat.prioritise(number, wrong)  # type: ignore[arg-type]
    assert cat.submit("thoughtful-1:0-99", solvers="dead-end") == number


@pytest.mark.thorough
def test_jobs_run_to_their_end(cat: thoughtful.Catalogue) -> None:
    number = cat.submit("thoughtful-1:0-199", solvers=["dead-end", "exact"])
    seen: list[tuple[int, int, int]] = []
    assert cat.run(number, workers=2, on_progress=lambda *answer: seen.append(answer)) == 1
    assert seen[-1] == (number, 400, 400)
    assert cat.history(RULES, "thoughtful-1:0-199")["n"].max() == 200
    chart = cat.plot_bounds(RULES, "thoughtful-1:0-199").to_dict()
    assert len(chart["layer"]) == 3
    assert verify(cat.store, share=1.0).faults == ()
    assert cat.verify() == []


def test_what_is_not_known_is_an_empty_frame(cat: thoughtful.Catalogue) -> None:
    empty = cat.find(level=(3, 5), length=(None, 200))
    assert empty.empty
    assert str(empty.dtypes["level"]) == "Int64"
    assert cat.difficulty("thoughtful-1:42").empty
    with pytest.raises(thoughtful.BadInput, match="no job has recorded"):
        cat.plot_bounds(RULES, SAMPLE)
    for wrong in (11, (1, 2, 3), "3"):
        with pytest.raises(thoughtful.BadInput, match="level"):
            cat.find(level=wrong)  # type: ignore[arg-type]


def test_a_catalogue_that_is_not_there(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'new.db'}"
    with pytest.raises(thoughtful.BadInput, match="never initialised"):
        thoughtful.catalogue(url)
    with thoughtful.catalogue(url, create=True) as cat:
        assert cat.jobs().empty
        assert "new.db" in repr(cat)
