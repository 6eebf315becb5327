"""Tests of repeated experiments: tables against plain recounts, jobs, and the plot."""

import json
import math
import shutil
import signal
import subprocess
import sys
import threading
import xml.etree.ElementTree as ET
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sqlalchemy import select

from catalogue import store
from catalogue.jobs import queue as jobs
from catalogue.jobs import runner
from catalogue.outcomes.chunk import SolverKey
from catalogue.reproduction import reproduction, wins_over_time
from catalogue.reproduction.definitions import (
    BLAKE_GENT_2026,
    EXPERIMENTS,
    ExperimentRow,
    get_experiment,
)
from catalogue.reproduction.published import FIGURES, Figure
from catalogue.reproduction.reproduction import Attempt, Reproduced
from catalogue.schema import BatchRow, DealRow, OutcomeRow
from catalogue.statistics import agrees, clopper_pearson, mean_interval
from catalogue.verify.running import verify
from command_line import Thoughtful, command_runner
from engine.dealing.dealers import Sample, get_dealer
from engine.errors import BadInput
from engine.klondike.deal import KlondikeDeal
from engine.rulesets import parse_ruleset
from patience import SECONDS, wait_until
from samples import thorough_case
from solvers.outcome import Outcome as Achieved
from solvers.outcome import Result
from solvers.registry import get_method
from solvers.solver import parse_solver

HEURISTIC = "yan-heuristic"
SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture
def thoughtful(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> Thoughtful:
    """Run a command in this process, in an empty directory, where there is no catalogue yet."""
    work = tmp_path / "work"
    work.mkdir()
    monkeypatch.chdir(work)
    monkeypatch.setenv("THOUGHTFUL_DATABASE_URL", f"sqlite:///{tmp_path}/new/catalogue.db")

    return command_runner(capfd)


def row_of(solver: str | None, ruleset: str, **changes: Any) -> ExperimentRow:
    """A row that was never published, for a solver that is quick or slow as a test needs it."""
    figure = Figure(
        "a system", 80.0, 1.0, 0.99, 10_000, "wins", "deal", ruleset, "rules", "a paper",
        seconds=2.0, within=((1.0, 40.0), (64.0, 80.0)), solver=solver,
    )  # fmt: skip
    return ExperimentRow("row", replace(figure, **changes), 100)


def results(cat: store.Catalogue) -> dict[tuple[int, int, int], tuple[str, int]]:
    """Result and nodes of every outcome, by ruleset, solver and seed."""
    with cat.session() as session:
        rows = session.execute(
            select(OutcomeRow, DealRow.seed).join(DealRow, DealRow.id == OutcomeRow.deal_id)
        ).all()
    return {(o.ruleset_id, o.solver_id, seed): (o.result, o.nodes) for o, seed in rows}


def moments(cat: store.Catalogue) -> dict[tuple[int, int, int], Any]:
    """When each outcome was written."""
    with cat.session() as session:
        return {
            (o.ruleset_id, o.solver_id, o.deal_id): created_at
            for o, created_at in session.execute(
                select(OutcomeRow, BatchRow.created_at).join(
                    BatchRow, BatchRow.id == OutcomeRow.batch_id
                )
            )
        }


# --- what is published ---------------------------------------------------------------------------


def figure_of(solver: str, ruleset: str) -> Figure:
    """The one published share of wins that is of a solver under a ruleset."""
    (figure,) = (
        f for f in FIGURES if f.measures == "wins" and f.ruleset == ruleset and f.is_of(solver)
    )
    return figure


def test_rows_are_the_published_ones() -> None:
    assert list(EXPERIMENTS) == ["yan-2004", "bjarnason-2007", "bjarnason-2009", "monkey"]
    untimed = ["random", "greedy", "ensemble-uct-100-10"]
    untimed += [row.name for row in EXPERIMENTS["monkey"].rows if row.name != "random-1"]
    for name, experiment in EXPERIMENTS.items():
        assert experiment.name == name
        assert experiment.hardware
        assert len({row.name for row in experiment.rows}) == len(experiment.rows)
        # All of the paper's rows but its human player and what is no share of wins.
        played = [
            figure
            for figure in FIGURES
            if figure.source == experiment.source
            and figure.measures == "wins"
            and not figure.system.startswith("human")
        ]
        assert [row.figure for row in experiment.rows] == played
        for row in experiment.rows:
            assert row.figure.rules in experiment.rules
            # The Monkey alone plays with two numbers of suits.
            assert (row.figure.rules == experiment.rules) == (name != "monkey")
            assert (row.figure.seconds is None) == (row.name in untimed)
            assert row.games >= 60
            assert figure_of(row.solver, row.ruleset) == row.figure


def test_wins_within_a_time_only_grow() -> None:
    """A slip in Table 3 would most likely show here."""
    rows = EXPERIMENTS["bjarnason-2007"].rows
    for row in rows:
        assert [seconds for seconds, _ in row.figure.within] == list(reproduction.WITHIN)
        percents = [percent for _, percent in row.figure.within]
        assert percents == sorted(percents)
        assert percents[-1] <= row.figure.percent
        # Many a game within few seconds, if the mean is far below.
        if row.figure.seconds is not None and row.figure.seconds < 10:
            assert row.figure.percent - percents[-1] < 0.01


def test_rows_are_chosen_by_name_in_the_order_of_the_paper() -> None:
    experiment = get_experiment("bjarnason-2007")
    assert experiment.choose() == experiment.rows
    chosen = experiment.choose(["n0 = 1; n1=1", "n=0", " n=0 "])
    assert [row.name for row in chosen] == ["n=0", "n0=1;n1=1"]
    with pytest.raises(BadInput, match=r"no row 'n=9': expected one of n=0, n=1"):
        experiment.choose(["n=0", "n=9"])


def test_a_plan_begins_every_row_with_the_same_deal() -> None:
    rows = [replace(row_of(HEURISTIC, "klondike-yan"), games=n) for n in (7, 20)]
    attempts = reproduction.plan(rows, None, ("pysolfc", 5))
    assert [str(attempt.sample) for attempt in attempts] == ["pysolfc:5-11", "pysolfc:5-24"]
    assert {attempt.sample.count for attempt in reproduction.plan(rows, 3)} == {3}
    with pytest.raises(BadInput, match="does not play klondike-draw1"):
        reproduction.plan([row_of(HEURISTIC, "klondike-draw1")])
    with pytest.raises(BadInput, match="no solver here plays row 'row', a system"):
        reproduction.plan([row_of(None, "klondike-yan")])
    with pytest.raises(BadInput, match="cannot be stored"):
        reproduction.plan(rows, 10, ("pysolfc", 2**63))


# --- the tables against plain recounts -----------------------------------------------------------


@pytest.fixture
def played(
    catalogue: store.Catalogue,
    known_type: Any,
    easy_win: Callable[[int], tuple[KlondikeDeal, bytes]],
) -> Any:
    """2,300 games of known result and time, and others that are none of the row's."""
    known = known_type(catalogue)
    version = get_method(HEURISTIC).version
    name = str(parse_solver(HEURISTIC))
    solver = SolverKey(name, version, HEURISTIC, (("random_seed", 0),))
    older = replace(solver, version=version + 1)
    seeded = SolverKey("yan-heuristic(random_seed=1)", version, HEURISTIC, (("random_seed", 1),))
    rng = np.random.default_rng(7)
    cards = get_dealer("thoughtful-1").deal_block(0, 2300)
    rules = parse_ruleset("klondike-yan")
    deals = []
    for seed in range(2300):
        deal = KlondikeDeal.of(cards[seed])
        outcome = Achieved(Result.LOST, 1, float(rng.lognormal(6, 2)))
        if rng.random() < 0.1:
            deal, moves = easy_win(seed)
            outcome = Achieved(Result.WON, 1, float(rng.lognormal(7, 2)), moves)
        elif seed % 50 == 0:
            outcome = Achieved(Result.UNWINNABLE, 1, 999.5)
        others = {older: Achieved(Result.LOST, 1, 5.0), seeded: Achieved(Result.LOST, 1, 6.0)}
        deals.append((seed, deal, {solver: outcome, **(others if seed % 3 == 0 else {})}))
    for start in range(0, 2300, 500):
        known.write(rules, "thoughtful-1", deals[start : start + 500])
    return known


def test_a_row_is_a_plain_recount_of_its_sample(played: Any) -> None:
    row = row_of(HEURISTIC, "klondike-yan", percent=11.0)
    sample = Sample("thoughtful-1", 137, 2000)
    (found,) = reproduction.read(played.catalogue, [Attempt(row, sample)])

    version = get_method(HEURISTIC).version
    mine = sorted(
        (fact.seed, fact.outcome)
        for fact in played.facts
        if fact.seed in sample.seeds
        and (fact.solver.name, fact.solver.version) == (found.solver, version)
    )
    assert found.version == version
    assert found.games == len(mine) == 2000
    # Times are stored in whole microseconds.
    spent = [round(1000 * outcome.cpu_ms) / 1_000_000 for _, outcome in mine]
    won = [
        1000 * seconds
        for seconds, (_, outcome) in zip(spent, mine, strict=True)
        if outcome.result == Result.WON
    ]
    assert 100 < found.won == len(won) < 300
    assert found.share == len(won) / 2000
    assert found.interval == clopper_pearson(len(won), 2000, 0.99)
    mean = sum(spent) / 2000
    assert found.mean_seconds == pytest.approx(mean, rel=1e-12)
    assert found.seconds.tolist() == spent
    assert found.wins.tolist() == [outcome.result == Result.WON for _, outcome in mine]
    assert found.timed_alone
    assert found.mean_interval == mean_interval(found.seconds, 0.99)
    assert found.mean_interval is not None
    assert mean in found.mean_interval
    assert found.speed_up == pytest.approx(2.0 / mean)
    assert found.speed_up_interval is not None
    assert found.speed_up_interval.low == pytest.approx(2.0 / found.mean_interval.high)

    limits = (0.001, 0.5, 1.0, 4.0, 1e9)
    for scale, points in (
        (1.0, found.within(limits)),
        (mean / 2.0, found.within_scaled(limits)),
    ):
        for limit, point in zip(limits, points, strict=True):
            count = sum(cpu_ms / 1000 < limit * scale for cpu_ms in won)
            assert point.seconds == pytest.approx(limit * scale)
            assert (point.won, point.share) == (count, count / 2000)
            assert point.interval == clopper_pearson(count, 2000, 0.99)
    assert found.within([1e9])[0].won == found.won


def test_times_of_pieces_of_work_are_told_from_times_of_games(
    sqlite_catalogue: store.Catalogue, known_type: Any
) -> None:
    """A solver that gives each game of a piece the average: no interval, and a remark."""
    version = get_method(HEURISTIC).version
    solver = SolverKey(str(parse_solver(HEURISTIC)), version, HEURISTIC, (("random_seed", 0),))
    cards = get_dealer("thoughtful-1").deal_block(0, 40)
    known_type(sqlite_catalogue).write(
        parse_ruleset("klondike-yan"),
        "thoughtful-1",
        [
            (
                seed,
                KlondikeDeal.of(cards[seed]),
                {solver: Achieved(Result.LOST, 1, 2.0 + seed // 20)},
            )
            for seed in range(40)
        ],
    )
    row = row_of(HEURISTIC, "klondike-yan")
    attempts = [Attempt(row, Sample("thoughtful-1", first, n)) for first, n in ((0, 40), (7, 1))]
    many, one = reproduction.read(sqlite_catalogue, attempts)
    assert many.mean_seconds == pytest.approx(0.0025)
    assert (many.timed_alone, many.mean_interval, many.speed_up_interval) == (False, None, None)
    assert (one.timed_alone, one.mean_interval, one.speed_up) == (True, None, 1000)


def test_a_limit_itself_is_not_within_it(played: Any) -> None:
    row = row_of(HEURISTIC, "klondike-yan")
    (found,) = reproduction.read(played.catalogue, [Attempt(row, Sample("thoughtful-1", 0, 100))])
    soonest = float(found.seconds[found.wins].min())
    assert [point.won for point in found.within([soonest, math.nextafter(soonest, 1e9)])] == [0, 1]


def test_a_row_that_is_not_played_out_is_none(played: Any) -> None:
    row = row_of(HEURISTIC, "klondike-yan")
    for sample, missing in (
        (Sample("thoughtful-1", 2290, 20), "10 of the 20"),
        (Sample("solvitaire", 1, 3), "3 of the 3"),
    ):
        with pytest.raises(BadInput, match=f"{missing} games of yan-heuristic.* not been played"):
            reproduction.read(played.catalogue, [Attempt(row, sample)])


def made_up(won: int, games: int, spent: Any = None, **changes: Any) -> Reproduced:
    """A row with a number of wins, without a catalogue."""
    row = row_of(HEURISTIC, "klondike-yan", **changes)
    times = np.linspace(0.01, 9, games) if spent is None else np.asarray(spent, dtype=float)
    wins = np.arange(games) < won
    return Reproduced(
        row, Sample("thoughtful-1", 0, games), HEURISTIC, 1, won,
        clopper_pearson(won, games, 0.99),
        row.figure.agreement(won, games - won, games, 0.99),
        times, wins, float(times.mean()), mean_interval(times), True,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("percent", "won", "consistent"),
    [
        (80.0, 8000, True),
        (80.0, 8100, True),
        (80.0, 8150, False),  # 1.5 points; the half width of the difference is 1.45
        (80.0, 7850, False),
        (80.0, 7900, True),
        (0.5, 0, False),
    ],
)
def test_the_verdict_is_whether_the_difference_may_be_nothing(
    percent: float, won: int, consistent: bool
) -> None:
    found = made_up(won, 10_000, percent=percent)
    gap = agrees(percent / 100, won, 10_000 - won, 10_000, games=10_000, level=0.99)
    assert found.agreement == gap
    assert found.consistent is consistent
    assert (0 in gap.interval) is consistent
    assert gap.difference == pytest.approx(won / 10_000 - percent / 100)


def test_a_speed_up_needs_two_times() -> None:
    for found in (made_up(5, 10, np.zeros(10)), made_up(5, 10, seconds=None)):
        assert (found.speed_up, found.speed_up_interval) == (None, None)
        assert found.within_scaled([1.0, 4.0]) == []
    assert made_up(5, 10).speed_up == pytest.approx(2.0 / np.linspace(0.01, 9, 10).mean())


# --- jobs ----------------------------------------------------------------------------------------


@pytest.mark.thorough
def test_a_run_that_is_stopped_goes_on_and_then_plays_nothing(
    sqlite_catalogue: store.Catalogue,
) -> None:
    cat = sqlite_catalogue
    rows = get_experiment("bjarnason-2007").choose(["n=0", "n=1"])
    attempts = reproduction.plan(rows, 400)
    numbers = reproduction.submit(cat, attempts)
    other = jobs.submit(cat, "klondike-draw3", Sample("thoughtful-1", 5000, 10), ["dead-end"])
    stop = threading.Event()

    def halt(job: jobs.JobInfo) -> None:
        if job.done:
            stop.set()

    runner.run(cat, workers=1, only=numbers, stop=stop, on_progress=halt)
    half = moments(cat)
    assert 0 < len(half) < 800
    with pytest.raises(BadInput, match="not been played"):
        reproduction.read(cat, attempts)

    assert reproduction.submit(cat, attempts) == numbers
    assert runner.run(cat, workers=1, only=numbers) == 2
    whole = moments(cat)
    assert len(whole) == 800
    assert {key: whole[key] for key in half} == half
    first = reproduction.read(cat, attempts)
    assert [found.games for found in first] == [400, 400]

    assert reproduction.submit(cat, attempts) == numbers
    assert runner.run(cat, workers=1, only=numbers) == 0
    assert moments(cat) == whole
    assert jobs.get_job(cat, other).state == "queued"
    # Fewer games of the same row: all of them are there.
    few = reproduction.plan(rows, 150)
    runner.run(cat, workers=1, only=reproduction.submit(cat, few))
    assert moments(cat) == whole
    assert [found.games for found in reproduction.read(cat, few)] == [150, 150]


@pytest.mark.parametrize(
    ("experiment", "names", "games"),
    [
        thorough_case("yan-2004", ["0", "2"], 100),
        thorough_case("bjarnason-2007", ["n=1", "n0=1;n1=1"], 60),
    ],
)
def test_one_worker_and_two_come_to_the_same(
    experiment: str, names: list[str], games: int, initialised_sqlite: Path, tmp_path: Path
) -> None:
    found = []
    for workers in (1, 2):
        place = tmp_path / f"{workers}.db"
        shutil.copy(initialised_sqlite, place)
        with store.open_catalogue(f"sqlite:///{place}") as cat:
            attempts = reproduction.plan(get_experiment(experiment).choose(names), games)
            runner.run(cat, workers=workers, only=reproduction.submit(cat, attempts))
            rows = reproduction.read(cat, attempts)
            assert verify(cat, share=0.2, resolve_share=0.0).faults == ()
            found.append((results(cat), [(row.won, row.wins.tolist()) for row in rows]))
    assert found[0] == found[1]
    assert len(found[0][0]) == games * len(names)


# --- the command ---------------------------------------------------------------------------------


@pytest.mark.usefixtures("jobs_here")
def test_the_command_prints_what_a_recount_gives(thoughtful: Thoughtful) -> None:
    command = ("reproduce", "yan-2004", "--rows", "0", "--games", "700", "--workers", "1")
    ran = thoughtful(*command, "--json", "--plot", "wins.svg")
    assert ran.code == 0
    assert "job 1: done" in ran.err
    assert ran.err.endswith("wins against time: wins.svg\n")
    ET.fromstring(Path("wins.svg").read_bytes())
    (line,) = (json.loads(text) for text in ran.out.splitlines())
    with store.open_catalogue() as cat:
        mine = list(results(cat).values())
        written = moments(cat)
    won = sum(result == "won" for result, _ in mine)
    assert (line["games"], line["won"], line["sample"]) == (700, won, "thoughtful-1:0-699")
    gap = agrees(0.1305, won, 700 - won, 700, games=10_000, level=0.99)
    assert line["difference"] == gap.difference
    assert line["difference_interval"] == [gap.interval.low, gap.interval.high]
    assert line["consistent"] is gap.agrees
    assert line["interval"] == [(i := clopper_pearson(won, 700)).low, i.high]
    assert line["published"]["percent"] == 13.05
    assert "SUN Blade 2000" in line["published"]["hardware"]
    assert line["speed_up"] == pytest.approx(0.021 / line["mean_seconds"])
    assert [point["seconds"] for point in line["within"]] == [1, 4, 16, 64]
    assert [point["won"] for point in line["within"]] == [won] * 4

    text = thoughtful(*command)
    assert text.code == 0
    tables = [
        [[cell.strip() for cell in line.strip("|").split("|")] for line in block.splitlines()]
        for block in text.out.split("\n\n")
        if block.startswith("|")
    ]
    assert len(tables) == 2
    for table in tables:
        assert len({len(cells) for cells in table}) == 1
        assert all(set(cell) <= set("-:") for cell in table[1])
    row = dict(zip(tables[0][0], tables[0][2], strict=True))
    assert row["row"] == "0"
    assert row["published"] == "13.05 ± 0.882"
    assert row["ours"].startswith(f"{100 * won / 700:.2f} ({100 * i.low:.2f} to ")
    assert row["difference"].startswith(f"{100 * gap.difference:+.2f} (")
    assert row["verdict"] == ("consistent" if gap.agrees else "not consistent")
    assert row["then"] == "0.021 s"
    assert [cells[2] for cells in tables[1][2:]] == [row["ours"]] * 2
    with store.open_catalogue() as cat:
        assert moments(cat) == written


@pytest.mark.thorough
def test_stopped_with_ctrl_c_it_says_how_to_go_on(thoughtful: Thoughtful) -> None:
    command = ["reproduce", "bjarnason-2007", "--rows", "n0=1;n1=1", "--games", "800"]
    store.init()
    with (
        store.open_catalogue() as cat,
        subprocess.Popen(
            [sys.executable, "-m", "thoughtful", *command, "--workers", "1"],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        ) as process,
    ):
        try:
            wait_until(lambda: moments(cat) or process.poll() is not None, "a game is stored")
            process.send_signal(signal.SIGINT)
            out, err = process.communicate(timeout=SECONDS)
        finally:
            process.kill()
        assert (process.returncode, out) == (130, "")
        assert err.splitlines()[-1] == (
            "what was found is stored: run the same command again to resume"
        )
        half = moments(cat)
        assert 0 < len(half) < 800
        assert {job.state for job in jobs.list_jobs(cat)} == {"queued"}

        ran = thoughtful(*command, "--workers", "2", "--json")
        assert ran.code == 0
        assert [json.loads(line)["games"] for line in ran.out.splitlines()] == [800]
        whole = moments(cat)
        assert len(whole) == 800
        assert {key: whole[key] for key in half} == half


def test_the_help_names_every_experiment(thoughtful: Thoughtful) -> None:
    shown = thoughtful("reproduce", "--help").out
    assert all(name in shown for name in (*EXPERIMENTS, BLAKE_GENT_2026.name))


# --- the figure ----------------------------------------------------------------------------------


def marks(chart: dict[str, Any], panel: int, mark: str) -> list[dict[str, Any]]:
    """The rows of data behind the layer with a mark."""
    (layer,) = (each for each in chart["hconcat"][panel]["layer"] if each["mark"]["type"] == mark)
    data: list[dict[str, Any]] = chart["datasets"][layer["data"]["name"]]
    return data


def test_the_figure_shows_the_shares_and_the_published_points() -> None:
    games = 400
    rng = np.random.default_rng(3)
    rows = [
        replace(made_up(200, games, rng.lognormal(-1, 1, games)), row=row_of(HEURISTIC, "x")),
        made_up(100, games, rng.lognormal(-4, 1, games)),
    ]
    rows[0] = replace(rows[0], row=replace(rows[0].row, name="slow"))
    chart = wins_over_time.wins_over_time(rows).to_dict()
    for panel, points in ((0, Reproduced.within), (1, Reproduced.within_scaled)):
        line = marks(chart, panel, "line")
        assert {point["row"] for point in line} == {"row", "slow"}
        for row in rows:
            mine = [point for point in line if point["row"] == row.row.name]
            counted = points(row, [point["seconds"] for point in mine])
            assert [point["percent"] for point in mine] == [100 * each.share for each in counted]
            assert [point["low"] for point in mine] == [100 * p.interval.low for p in counted]
            assert [point["high"] for point in mine] == [100 * p.interval.high for p in counted]
            assert mine[-1]["seconds"] == pytest.approx(1024)
        dots = marks(chart, panel, "point")
        assert [(dot["row"], dot["seconds"], dot["percent"]) for dot in dots] == [
            (name, *point) for name in ("slow", "row") for point in ((1.0, 40.0), (64.0, 80.0))
        ]
        expected = clopper_pearson(4000, 10_000)
        assert dots[0]["low"] == pytest.approx(100 * expected.low)
        assert dots[0]["high"] == pytest.approx(100 * expected.high)
    assert marks(chart, 1, "line")[0]["seconds"] == pytest.approx(1 / 8)


@pytest.mark.thorough
@pytest.mark.parametrize("suffix", ["svg", "png", "html"])
def test_the_figure_is_written(suffix: str, tmp_path: Path) -> None:
    place = tmp_path / f"wins.{suffix}"
    wins_over_time.save(wins_over_time.wins_over_time([made_up(30, 50)]), place)
    written = place.read_bytes()
    if suffix == "svg":
        texts = {each.text for each in ET.fromstring(written).iter(f"{SVG}text")}
        assert {"row", "published", "games won, %", "CPU seconds here", "1/8", "1,024"} <= texts
    elif suffix == "png":
        assert written.startswith(b"\x89PNG")
    else:
        assert b"vegaEmbed" in written
        assert b"<script src" not in written  # it must open without a network


def test_a_figure_without_a_single_win(tmp_path: Path) -> None:
    place = tmp_path / "none.svg"
    wins_over_time.save(wins_over_time.wins_over_time([made_up(0, 30, within=())]), place)
    ET.fromstring(place.read_bytes())


def test_where_a_figure_cannot_be_written(tmp_path: Path) -> None:
    assert wins_over_time.check_path(str(tmp_path / "a.SVG")) == tmp_path / "a.SVG"
    (tmp_path / "b.svg").mkdir()
    for name, said in (("a", "expected a name ending"), ("b.svg", "it is a directory")):
        with pytest.raises(BadInput, match=said):
            wins_over_time.check_path(str(tmp_path / name))
