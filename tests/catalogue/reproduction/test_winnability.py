"""Tests of winnable shares by ruleset: published counts, plain recounts, and the command."""

import itertools
import json
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import select

from catalogue import store
from catalogue.blocks import GAVE_UP, PROVED, VERDICTS, WON
from catalogue.jobs import queue as jobs
from catalogue.jobs import runner
from catalogue.reproduction import reproduction, winnability, winnability_charts
from catalogue.reproduction.definitions import BLAKE_GENT_2026, WinnabilityRow
from catalogue.reproduction.published import (
    BLAKE_GENT_DEALS,
    BLAKE_GENT_NECESSITY,
    Figure,
    PublishedCounts,
    figures,
)
from catalogue.reproduction.winnability import DecidedRow, Necessity, necessities
from catalogue.schema import BlockRow
from catalogue.statistics import Interval, wilson
from command_line import Thoughtful, command_runner
from engine.dealing.dealers import Sample, get_dealer
from engine.errors import BadInput
from engine.games import game_of, get_game, published_rows
from engine.rulesets import parse_ruleset
from solvers.outcome import Result
from solvers.solver import parse_solver

ROWS = {row.name: row for row in (*BLAKE_GENT_2026.rows, *BLAKE_GENT_2026.further)}
DECIDED = {name: row for name, row in ROWS.items() if row.player is None}
WITH, WITHOUT = "draw8", "draw8-no-worrying-back"
# Two more whose searches are compiled with those; neither draw count says anything of the other.
MORE_WITH, MORE_WITHOUT = "draw13", "draw13-no-worrying-back"

pytestmark = pytest.mark.usefixtures("jobs_here")


@pytest.fixture
def thoughtful(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> Thoughtful:
    """Run a command in this process, with a catalogue that is not there yet."""
    monkeypatch.setenv("THOUGHTFUL_DATABASE_URL", f"sqlite:///{tmp_path}/new/catalogue.db")

    return command_runner(capfd)


def decided(row: str, result: Any, sample: Sample | None = None) -> DecidedRow:
    """A row with these results, without a catalogue."""
    codes = np.asarray(result, dtype=np.uint8)
    return DecidedRow(
        ROWS[row], sample or Sample("solvitaire", 1, len(codes)), "exact", 1, codes, 0, 2.0
    )


def counted(row: str, counts: tuple[int, int, int], sample: Sample | None = None) -> DecidedRow:
    return decided(row, np.repeat([WON, PROVED, GAVE_UP], counts), sample)


# --- what is published ---------------------------------------------------------------------------


def published() -> list[tuple[WinnabilityRow, Figure, PublishedCounts]]:
    found = []
    for row in ROWS.values():
        if row.figure is not None:
            assert row.figure.counts is not None
            found.append((row, row.figure, row.figure.counts))
    return found


# The middle of this row's published interval, 99.136, is 0.003 points below that of its counts.
SLIP = "Siegecraft"


def test_published_percentages_are_those_of_the_published_counts() -> None:
    """A slip in either would show; theirs are rounded outwards, to contain the interval."""
    assert len(published()) == 34 + 49
    for _, figure, counts in published():
        assert figure.games == counts.deals >= 10_000
        found = winnability.both_ways(counts.winnable, counts.undecided, counts.deals)
        last = 10**-figure.decimals
        assert figure.half_width is not None
        within = (3 if figure.rules == SLIP else 1.01) * last
        assert figure.percent == pytest.approx(50 * (found.low + found.high), abs=within)
        assert figure.half_width == pytest.approx(50 * found.width, abs=1.7 * last)


def test_published_counts_rise_with_what_the_rules_allow() -> None:
    compared = 0
    for (strict, _, fewer), (lax, _, more) in itertools.permutations(published(), 2):
        if strict.rules.game == lax.rules.game and fewer.deals == more.deals:
            implies = game_of(lax.rules).rulesets.implies
            if not implies(strict.rules, lax.rules):
                continue
            assert fewer.winnable <= more.winnable + more.undecided
            assert more.unwinnable <= fewer.unwinnable + fewer.undecided
            compared += 1
    assert compared > 40


def test_published_necessities_are_possible_by_the_published_counts() -> None:
    assert len(BLAKE_GENT_NECESSITY) == 13
    by_ruleset = {row.ruleset: counts for row, _, counts in published()}
    for ruleset, (percent, half_width) in BLAKE_GENT_NECESSITY.items():
        lax = by_ruleset[ruleset]
        strict = by_ruleset[f"{ruleset}-no-worrying-back"]
        assert percent == pytest.approx(
            100 * (1 - strict.winnable / lax.winnable), abs=half_width + 0.01
        )


def test_rows_are_the_published_ones_and_further_ones_by_name() -> None:
    games = len(published_rows())
    assert games > 70
    assert (len(ROWS), len(DECIDED)) == (34 + 10 + 13 + 13 + games, 34 + 10 + 13 + games)
    assert BLAKE_GENT_2026.choose() == BLAKE_GENT_2026.rows
    assert len({row.ruleset for row in DECIDED.values()}) == len(DECIDED)
    names = ["draw1-redeals0", " any-suit-spaces-none", "draw3-whole-runs", "draw3"]
    assert [(row.name, row.ruleset) for row in BLAKE_GENT_2026.choose(names)] == [
        ("draw3", "klondike-draw3"),
        ("any-suit-spaces-none", "klondike-draw3-build-any-suit-spaces-none"),
        ("draw1-redeals0", "klondike-vegas1"),
        ("draw3-whole-runs", "klondike-yan"),
    ]
    with pytest.raises(BadInput, match="blake-gent-2026 has no row 'draw14': expected one of draw"):
        BLAKE_GENT_2026.choose(["draw14"])
    for row in BLAKE_GENT_2026.rows:
        assert (row.figure,) == tuple(
            figure
            for figure in figures(row.ruleset, measures="winnable")
            if figure.source == BLAKE_GENT_2026.source
        )
    assert sum(row.figure is not None for row in BLAKE_GENT_2026.further) == 49


def test_a_group_has_all_rows_of_the_table_of_games() -> None:
    table = BLAKE_GENT_2026.choose(["table-8"])
    names = {name for name in published_rows().values() if name}
    assert len(table) == len(names) == 49
    assert [row.name for row in table][:3] == ["draw1", "draw3", "accordion"]
    # Rows of Klondike stand in two tables, with the same counts and times.
    again = {row.figure.rules: row.figure for row in ROWS.values() if row.figure}
    for name, title in (("draw1", "Klondike draw 1"), ("draw3", "Klondike draw 3")):
        ours, theirs = ROWS[name].figure, again[title]
        assert ours is not None
        assert replace(ours, rules=title, ruleset=theirs.ruleset, solver=theirs.solver) == theirs
    assert {row.figure.rules for row in table if row.figure} - names == {
        figure.rules for name in ("draw1", "draw3") if (figure := ROWS[name].figure)
    }
    # Five games were played under laxer rules than their names say.
    assert sum("single-cards-up" in row.ruleset for row in table) == 5
    assert {row.games for row in table} == {10_000, 1_000_000, 2_000_000, 10_000_000}


# Deals of cheap games, with a deal of each verdict among the first ones.
CHEAP = ("alpha-star", "trigon", "freecell-4-columns", "golf")


def test_rows_of_games_are_decided_like_those_of_klondike(
    thoughtful: Thoughtful, tmp_path: Path
) -> None:
    command = ("reproduce", "blake-gent-2026", "--rows", ",".join(CHEAP), "-n", "20")
    ran = thoughtful(*command, "--workers", "1", "--json")
    assert ran.code == 0, ran.err
    rows = {row["row"]: row for row in map(json.loads, ran.out.splitlines())}
    assert set(rows) == set(CHEAP)
    alone = Counter[Result]()
    for name, row in rows.items():
        rules = parse_ruleset(name)
        dealings = get_game(rules.game).dealings
        (block,) = (each.block for each in dealings if each.dealer.slug == "solvitaire")
        plain = parse_solver("patience-plain(nodes=2000)")
        found = Counter(each.result for each in plain.solve(block(1, 8), rules))
        assert row["winnable"] >= found[Result.WON]
        assert row["unwinnable"] >= found[Result.UNWINNABLE]
        alone += found
        assert (row["undecided"], row["agrees"], row["published_deals"]) == (0, True, False)
        assert row["sample"] == "solvitaire:1-20"
        figure = ROWS[name].figure
        assert figure is not None
        assert figure.counts is not None
        assert row["published"]["counts"]["winnable"] == figure.counts.winnable
    assert alone[Result.WON] > 0 < alone[Result.UNWINNABLE]
    assert rows["golf"]["solver"].startswith("patience-exact(")
    assert rows["alpha-star"]["winnable"] > 0 < rows["alpha-star"]["unwinnable"]
    # Run again, nothing is solved again, and the lines of earlier runs make the same table.
    assert thoughtful(*command, "--workers", "1", "--json").out == ran.out
    (tmp_path / "rows.jsonl").write_text(ran.out)
    table = thoughtful(*command).out
    earlier = ("reproduce", "blake-gent-2026", "--earlier", str(tmp_path / "rows.jsonl"))
    assert thoughtful(*earlier).out == table
    (line,) = (line for line in table.splitlines() if line.startswith("| freecell-4-columns"))
    assert cells_of(line)[1:3] == ["864 / 9,999,136 / 0", "0.00866 ± 0.00058"]


def test_every_row_has_a_solver_that_decides_its_ruleset() -> None:
    for row in ROWS.values():
        solver = parse_solver(row.solver)
        rules = parse_ruleset(row.ruleset)
        solver.check_plays(rules)
        if row.player is not None:
            assert (solver.method.slug, solver.method.sees) == (row.player, "observation")
            continue
        assert solver.method.decides
        expected = "exact" if rules.game == "klondike" else "patience-exact"
        assert solver.method.slug == expected
    limited = [name for name, row in ROWS.items() if "nodes=10000," in row.solver]
    assert limited == ["any-suit-spaces-none"]
    (attempt, *_) = reproduction.plan(BLAKE_GENT_2026.rows, None, BLAKE_GENT_2026.first)
    assert attempt.sample == Sample(*BLAKE_GENT_DEALS)


# --- agreement and necessity ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("counts", "agrees"),
    [
        ((819_371, 180_629, 0), True),
        ((819_528, 180_472, 0), True),
        ((819_370, 180_630, 0), False),
        ((819_529, 180_471, 0), False),
        ((819_300, 180_000, 700), True),  # 819,371 to 819,528 are possible
        ((819_300, 180_630, 70), False),
    ],
)
def test_on_the_published_deals_counts_are_compared(
    counts: tuple[int, int, int], agrees: bool
) -> None:
    found = counted("draw3", counts)
    assert found.is_whole
    assert (found.winnable, found.unwinnable, found.undecided) == counts
    assert found.agrees is agrees
    # Each row has its own number of deals.
    assert counted("gaps-one-deal", (9_000, 1_000, 0)).agrees is False
    assert counted("gaps-one-deal", (8_893, 1_107, 0)).verdict == "agrees"
    assert not counted("alpha-star", (4_779, 5_221, 0)).is_whole
    # On as many other deals the same counts are close enough.
    other = counted("draw3", counts, Sample("solvitaire", 2, 1_000_000))
    assert not other.is_whole
    assert other.agrees is True


def test_on_other_deals_intervals_are_compared() -> None:
    # The published interval is 81.86 to 82.03 %; ours has a half width of about 2.4 points.
    for won, agrees in ((819, True), (797, True), (790, False), (848, False)):
        found = counted("draw3", (won, 1000 - won, 0))
        assert found.interval == wilson(won, 1000, 0.95)
        assert found.agrees is agrees
    assert counted("draw3", (790, 200, 10)).interval == Interval(
        wilson(790, 1000, 0.95).low, wilson(800, 1000, 0.95).high
    )
    assert counted("draw3", (790, 200, 10)).agrees is True
    unpublished = counted("draw1-redeals0", (5, 5, 0))
    assert (unpublished.agrees, unpublished.is_whole, unpublished.speed_up) == (None, False, None)
    assert counted("draw3", (5, 5, 0)).speed_up == pytest.approx(75_000 / 2.0)


# Status with the option, status without it; what is won without it is never unwinnable with it.
PAIRS = [(a, b) for a in (WON, PROVED, GAVE_UP) for b in (WON, PROVED, GAVE_UP)]
PAIRS.remove((PROVED, WON))


@given(st.lists(st.sampled_from(PAIRS), min_size=1, max_size=5))
def test_the_interval_of_a_necessity_covers_all_that_undecided_deals_may_be(
    pairs: list[tuple[int, int]],
) -> None:
    """Against every way in which the undecided deals of up to five may turn out."""
    (found,) = necessities(
        [decided(WITH, [a for a, _ in pairs]), decided(WITHOUT, [b for _, b in pairs])]
    )
    ways = [
        [way for way in ((WON, WON), (WON, PROVED), (PROVED, PROVED)) if _fits(way, pair)]
        for pair in pairs
    ]
    ends = [
        wilson(complete.count((WON, PROVED)), sum(a == WON for a, _ in complete), 0.95)
        for complete in itertools.product(*ways)
    ]
    assert found.interval == Interval(min(e.low for e in ends), max(e.high for e in ends))
    assert found.winnable == sum(WON in pair for pair in pairs)
    assert found.needing == pairs.count((WON, PROVED))
    assert (found.option, found.lax, found.strict) == (
        "worrying-back",
        ROWS[WITH],
        ROWS[WITHOUT],
    )
    assert found.published == (4.68, 0.13)


def _fits(way: tuple[int, int], pair: tuple[int, int]) -> bool:
    return all(stored in (GAVE_UP, true) for stored, true in zip(pair, way, strict=True))


def test_a_necessity_needs_both_rows_on_the_same_deals() -> None:
    lax, strict = decided(WITH, [WON, PROVED]), decided(WITHOUT, [PROVED, PROVED])
    (found,) = necessities([strict, lax])
    assert isinstance(found, Necessity)
    assert necessities([lax]) == necessities([strict, decided("draw9", [WON, WON])]) == []
    assert necessities([lax, decided(WITHOUT, [WON], Sample("solvitaire", 1, 1))]) == []
    with pytest.raises(BadInput, match="solvitaire:2 is stored as winnable under"):
        necessities([lax, decided(WITHOUT, [PROVED, WON])])


# --- jobs and the command ------------------------------------------------------------------------


def solved(row: str, first: int, count: int) -> list[Result]:
    """The results of a row's solver, asked directly."""
    cards = get_dealer("solvitaire").deal_block(first, count)
    solver = parse_solver(ROWS[row].solver)
    return [each.result for each in solver.solve(cards, parse_ruleset(ROWS[row].ruleset))]


def blocks(cat: store.Catalogue) -> list[tuple[int, Any]]:
    """Times, and what was made when, of all blocks."""
    with cat.session() as session:
        return [(row.cpu_us, row.provenance) for row in session.scalars(select(BlockRow))]


def test_a_row_is_a_plain_recount_of_its_sample(sqlite_catalogue: store.Catalogue) -> None:
    cat, rows = sqlite_catalogue, BLAKE_GENT_2026.choose([WITH])
    whole = reproduction.plan(rows, 60, ("solvitaire", 1))
    part = reproduction.plan(rows, 25, ("solvitaire", 21))
    with pytest.raises(BadInput, match=r"25 of the 25 games of exact\(.* not been played yet"):
        winnability.read(cat, part)
    numbers = winnability.decide(cat, whole)
    assert [jobs.get_job(cat, number).keep for number in numbers] == [VERDICTS]
    assert runner.run(cat, workers=1, only=numbers) == 1
    for attempt in (*whole, *part):
        (found,) = winnability.read(cat, [attempt])
        results = solved(WITH, attempt.sample.first, attempt.sample.count)
        assert found.deals == len(results)
        assert found.winnable == results.count(Result.WON) > 0
        assert found.unwinnable == results.count(Result.UNWINNABLE) > 0
        assert found.undecided == 0
        assert found.cpu_ms is not None
        assert found.cpu_ms > 0
        assert found.inferred == 0
    # What is decided is not decided again.
    written = blocks(cat)
    runner.run(cat, workers=1, only=winnability.decide(cat, part))
    assert blocks(cat) == written


def test_inferred_rows_count_as_solved_ones_do(sqlite_catalogue: store.Catalogue) -> None:
    cat = sqlite_catalogue
    names = [WITH, WITHOUT, MORE_WITH, MORE_WITHOUT]
    attempts = reproduction.plan(BLAKE_GENT_2026.choose(names), 300, ("solvitaire", 1))
    for number in winnability.decide(cat, attempts, infer=True):
        runner.run(cat, workers=1, only=[number])
    found = {each.row.name: each for each in winnability.read(cat, attempts)}
    for name in names:
        results = solved(name, 1, 300)
        assert Result.GAVE_UP not in results
        assert found[name].winnable == results.count(Result.WON)
        assert found[name].undecided == 0
    # What is lost under the laxer rules is not solved under the stricter ones.
    assert found[WITHOUT].inferred == found[WITH].unwinnable > 200
    assert found[MORE_WITHOUT].inferred == found[MORE_WITH].unwinnable > 200
    assert found[WITH].inferred == found[MORE_WITH].inferred == 0
    (without,) = necessities([found[WITH], found[WITHOUT]])
    assert without.winnable == found[WITH].winnable
    # Asked for without inference, the rest is solved, and nothing counts as inferred any more.
    runner.run(cat, workers=1, only=winnability.decide(cat, attempts))
    for again in winnability.read(cat, attempts):
        assert again.inferred == 0
        assert np.array_equal(again.result, found[again.row.name].result)


def test_a_row_that_all_follows_has_no_time(sqlite_catalogue: store.Catalogue) -> None:
    cat = sqlite_catalogue
    found = solved(WITH, 1, 30)
    first = next(k + 1 for k in range(30) if set(found[k : k + 3]) == {Result.UNWINNABLE})
    rows = BLAKE_GENT_2026.choose([WITH, WITHOUT])
    attempts = reproduction.plan(rows, 3, ("solvitaire", first))
    for number in winnability.decide(cat, attempts, infer=True):
        runner.run(cat, workers=1, only=[number])
    lax, strict = winnability.read(cat, attempts)
    assert lax.cpu_ms is not None
    assert (strict.inferred, strict.unwinnable, strict.cpu_ms) == (3, 3, None)


def test_the_command_infers_where_it_is_asked_to(thoughtful: Thoughtful) -> None:
    command = ("reproduce", "blake-gent-2026", "--rows", f"{WITH},{WITHOUT}", "-n", "300")
    ran = thoughtful(*command, "--workers", "1", "--infer")
    assert ran.code == 0, ran.err
    lost = solved(WITH, 1, 300).count(Result.UNWINNABLE)
    text = " ".join(ran.out.split())
    assert f"follow from other rulesets: {lost} of `{WITHOUT}`. The time is" in text
    lax, strict, _ = map(json.loads, thoughtful(*command, "--infer", "--json").out.splitlines())
    assert (lax["inferred"], strict["inferred"], strict["speed_up"]) == (0, lost, None)
    ran = thoughtful("reproduce", "yan-2004", "--rows", "0", "-n", "1", "--infer")
    assert ran.code == 2
    assert "--infer is of blake-gent-2026" in ran.err


def test_the_command_prints_what_a_recount_gives(thoughtful: Thoughtful, tmp_path: Path) -> None:
    command = ("reproduce", "blake-gent-2026", "--rows", f"{WITH},{WITHOUT}", "-n", "400")
    plot = tmp_path / "shares.svg"
    ran = thoughtful(*command, "--workers", "1", "--json", "--plot", str(plot))
    assert ran.code == 0, ran.err
    assert f"winnable shares: {plot}" in ran.err
    assert "without worrying back" in plot.read_text()
    lax, strict, needed = map(json.loads, ran.out.splitlines())
    results = {name: solved(name, 1, 400) for name in (WITH, WITHOUT)}
    for line, name in ((lax, WITH), (strict, WITHOUT)):
        won = results[name].count(Result.WON)
        assert (line["row"], line["sample"], line["deals"]) == (name, "solvitaire:1-400", 400)
        assert (line["winnable"], line["unwinnable"], line["undecided"]) == (won, 400 - won, 0)
        assert line["interval"] == [(i := wilson(won, 400, 0.95)).low, i.high]
        assert (line["published_deals"], line["agrees"]) == (False, True)
    assert lax["published"]["counts"] == {
        "winnable": 122_759,
        "unwinnable": 877_241,
        "undecided": 0,
    }
    needing = sum(
        a == Result.WON and b == Result.UNWINNABLE
        for a, b in zip(results[WITH], results[WITHOUT], strict=True)
    )
    assert (needed["needing"], needed["winnable"]) == (needing, lax["winnable"])

    text = thoughtful(*command, "--workers", "1")
    assert text.code == 0
    tables = [
        [cells_of(line) for line in block.splitlines()]
        for block in text.out.split("\n\n")
        if block.startswith("|")
    ]
    assert len(tables) == 2
    won = lax["winnable"]
    row = dict(zip(tables[0][0], tables[0][2], strict=True))
    assert row["published"] == "122,759 / 877,241 / 0"
    assert row["ours"] == f"{won} / {400 - won} / 0"
    assert row["verdict"] == "intervals overlap"
    assert tables[1][2][:5] == [WITH, WITHOUT, "4.68 ± 0.13", str(needing), str(won)]


def test_rows_of_earlier_runs_come_into_one_table(thoughtful: Thoughtful, tmp_path: Path) -> None:
    """Printed as JSON by several runs and read again, they are what one run prints."""
    command, file = ("reproduce", "blake-gent-2026"), tmp_path / "earlier.jsonl"
    small = ("-n", "100", "--workers", "1")
    runs = [f"{WITH},{WITHOUT}", MORE_WITHOUT, "draw5"]
    printed = [thoughtful(*command, "--rows", rows, *small, "--json").out for rows in runs]
    file.write_text("\n".join(reversed(printed)))
    rows = ("--rows", ",".join(runs))
    plot = tmp_path / "shares.svg"
    for form in ((), ("--json",)):
        whole = thoughtful(*command, *rows, *small, *form)
        joined = thoughtful(*command, "--earlier", str(file), *form, "--plot", str(plot))
        assert (whole.code, joined.code) == (0, 0), joined.err
        assert joined.out == whole.out
    assert "without worrying back" in plot.read_text()
    some = thoughtful(*command, "--earlier", str(file), "--rows", f"{MORE_WITHOUT},draw5")
    assert some.out == thoughtful(*command, "--rows", f"{MORE_WITHOUT},draw5", *small).out


EARLIER = {
    "experiment": "blake-gent-2026",
    "row": WITH,
    "sample": "solvitaire:1-10",
    "solver": "exact",
    "version": 9,
    "deals": 10,
    "winnable": 4,
    "unwinnable": 5,
    "undecided": 1,
    "inferred": 2,
    "mean_cpu_ms": 0.5,
    "machine": "here",
}
EARLIER_NEED = {
    "experiment": "blake-gent-2026",
    "necessity": "worrying-back",
    "row": WITH,
    "without": WITHOUT,
    "needing": 1,
    "winnable": 4,
    "interval": [0.1, 0.5],
}


@pytest.mark.parametrize(
    ("lines", "sentence"),
    [
        ([], "no line is of a row of blake-gent-2026"),
        ([EARLIER_NEED], "no line is of a row of blake-gent-2026"),
        (["{"], "line 1: not JSON"),
        (["", "[]"], "line 2: expected a JSON object"),
        ([EARLIER, EARLIER], "line 2: this row has come before"),
        ([EARLIER_NEED, EARLIER_NEED], "line 2: this row has come before"),
        ([EARLIER | {"experiment": "yan-2004"}], "line 1: expected a row of blake-gent-2026"),
        ([EARLIER | {"row": "draw14"}], "line 1: there is no row 'draw14'"),
        ([EARLIER | {"sample": "solvitaire:1-9"}], "its counts are not those of 9 deals"),
        ([EARLIER | {"winnable": 3}], "its counts are not those of 10 deals, solvitaire:1-10"),
        ([EARLIER | {"inferred": 11}], "its counts are not those of 10 deals"),
        ([EARLIER | {"winnable": 4.5}], 'line 1: "winnable" must be a whole number'),
        ([EARLIER | {"deals": True}], 'line 1: "deals" must be a number of at least 0'),
        ([EARLIER | {"mean_cpu_ms": -1}], '"mean_cpu_ms" must be a number of at least 0'),
        ([EARLIER | {"version": "9"}], '"version" must be a number of at least 0'),
        ([EARLIER | {"machine": None}], '"machine" must be a text'),
        ([EARLIER_NEED | {"without": "draw9"}], "draw9 is not draw8 without 'worrying-back'"),
        ([EARLIER_NEED | {"necessity": "luck"}], "is not draw8 without 'luck'"),
        ([EARLIER_NEED | {"needing": 5}], "its share of needing deals is none"),
        ([EARLIER_NEED | {"interval": [0.5, 0.1]}], "its share of needing deals is none"),
        ([EARLIER_NEED | {"interval": [0.5]}], '"interval" must be two numbers'),
    ],
)
def test_earlier_lines_that_are_none_are_named(
    thoughtful: Thoughtful, tmp_path: Path, lines: list[Any], sentence: str
) -> None:
    file = tmp_path / "earlier.jsonl"
    file.write_text("\n".join(t if isinstance(t, str) else json.dumps(t) for t in lines))
    ran = thoughtful("reproduce", "blake-gent-2026", "--earlier", str(file))
    assert (ran.code, ran.out) == (2, "")
    assert f"{file}: " in ran.err
    assert sentence in ran.err
    assert not (tmp_path / "new").exists()


def test_earlier_rows_are_not_run(thoughtful: Thoughtful, tmp_path: Path) -> None:
    file = tmp_path / "earlier.jsonl"
    file.write_text(f"{json.dumps(EARLIER)}\n\n{json.dumps(EARLIER_NEED)}\n")
    command = ("reproduce", "blake-gent-2026", "--earlier", str(file))
    only = thoughtful(*command, "--json")
    (line,) = only.out.splitlines()  # the necessity needs both of its rows
    assert json.loads(line).items() >= EARLIER.items()
    for more, sentence in [
        (("--games", "3"), "with --earlier nothing is run: leave out --games"),
        (("--first", "solvitaire:1", "--infer"), "nothing is run: leave out --first, --infer"),
        (("--database", f"sqlite:///{tmp_path}/other.db"), "is run: leave out --database"),
        (("--rows", f"{WITH},draw9"), "no line is of draw9"),
    ]:
        ran = thoughtful(*command, *more)
        assert (ran.code, ran.out) == (2, "")
        assert sentence in ran.err
    ran = thoughtful("reproduce", "yan-2004", "--earlier", str(file))
    assert ran.code == 2
    assert "--earlier is of blake-gent-2026" in ran.err
    ran = thoughtful("reproduce", "blake-gent-2026", "--earlier", f"{tmp_path}/none.jsonl")
    assert ran.code == 2
    assert "cannot read" in ran.err
    assert not (tmp_path / "new").exists()


def test_the_page_of_the_million_is_what_its_rows_print(thoughtful: Thoughtful) -> None:
    results = Path(__file__).parents[3] / "docs" / "results"
    file = results / "blake-gent-2026.jsonl"
    page = (results / "blake-gent-2026.md").read_text()
    found = thoughtful("reproduce", "blake-gent-2026", "--earlier", str(file))
    shown = [cells_of(line) for line in page.splitlines() if line.startswith("|")]
    printed = [json.loads(line) for line in file.read_text().splitlines()]
    rows = [line for line in printed if "necessity" not in line]
    assert [line["row"] for line in rows] == [row.name for row in BLAKE_GENT_2026.rows]
    assert all(line["agrees"] and line["published_deals"] for line in rows)
    for line in found.out.splitlines():
        cells = cells_of(line)
        if cells[0] in ROWS:
            if len(cells) == 9:
                del cells[6], cells[-1]  # then and speed-up
            assert cells in shown


def cells_of(line: str) -> list[str]:
    """The cells of a line of a table in Markdown."""
    return [cell.strip() for cell in line.strip("|").split("|")]


@pytest.mark.slow
def test_rows_of_a_player_count_its_wins(thoughtful: Thoughtful, tmp_path: Path) -> None:
    names = "draw1,draw1-no-worrying-back,draw1-exact-uct"
    command = ("reproduce", "blake-gent-2026", "--rows", names, "-n", "3", "--infer")
    ran = thoughtful(*command, "--json")
    deals, _, played, needed = map(json.loads, ran.out.splitlines())
    alone = parse_solver("exact-uct").solve(
        get_dealer("solvitaire").deal_block(1, 3), parse_ruleset("klondike-draw1")
    )
    won = sum(outcome.result is Result.WON for outcome in alone)
    assert (played["won"], played["lost"], played["inferred"]) == (won, 3 - won, 0)
    assert 0 < won < 3
    assert "winnable" not in played
    interval = wilson(won, 3, winnability.LEVEL)
    assert played["interval"] == pytest.approx([interval.low, interval.high])
    # Whose row it is does not matter to what is needed.
    assert (needed["row"], needed["without"]) == ("draw1", "draw1-no-worrying-back")
    assert needed["winnable"] == deals["winnable"]

    (tmp_path / "rows.jsonl").write_text(ran.out)
    text = thoughtful(*command).out
    (row,) = (line for line in text.splitlines() if line.startswith("| draw1-exact-uct"))
    assert cells_of(row)[:4] == ["draw1-exact-uct", "", "", f"{won} / {3 - won}"]
    earlier = ("reproduce", "blake-gent-2026", "--earlier", str(tmp_path / "rows.jsonl"))
    assert thoughtful(*earlier).out == text
    assert thoughtful(*earlier, "--json").out == ran.out
    thoughtful(*earlier, "--plot", str(tmp_path / "shares.svg"))
    assert "won by exact-uct, hidden cards" in (tmp_path / "shares.svg").read_text()


def test_only_rows_by_draw_can_be_plotted(thoughtful: Thoughtful, tmp_path: Path) -> None:
    command = ("reproduce", "blake-gent-2026", "-n", "1", "--plot", f"{tmp_path}/shares.svg")
    ran = thoughtful(*command, "--rows", "same-suit-spaces-none,draw3-redeals1,draw3-whole-runs")
    assert (ran.code, ran.out) == (2, "")
    assert "there is nothing to plot: expected a row such as draw3" in ran.err
    assert not (tmp_path / "new").exists()


def points(chart: dict[str, Any]) -> list[dict[str, Any]]:
    """The points of all panels of a chart, each once."""
    return [point for data in chart["datasets"].values() for point in data]


def test_the_plot_has_the_shares_and_necessities_of_the_tables() -> None:
    results = [WON] * 5 + [PROVED] * 4 + [GAVE_UP]
    found = [
        decided(WITH, results),
        decided(WITHOUT, [*results[1:], PROVED]),
        decided("draw9", results),
        decided("same-suit-spaces-none", results),
    ]
    needed = necessities(found)
    chart = winnability_charts.by_draw(found, needed).to_dict()
    assert len(chart["hconcat"]) == 2
    shares = {(p["at"], p["line"], p["source"]): p for p in points(chart) if "undecided" in p}
    assert len(shares) == 8
    # A share that was not measured leaves a gap in its curve.
    gap = shares["9", "without worrying back", "here"]
    assert (gap["percent"], gap["low"], gap["deals"]) == (None, None, None)
    for each in found[:3]:
        back = f"with{'out' if each is found[1] else ''} worrying back"
        draw = each.row.options["draw"]
        ours = shares[draw, back, "here"]
        assert (ours["deals"], ours["winnable"], ours["undecided"]) == (10, each.winnable, 1)
        # One deal of ten is undecided: the share is a range, and has no point on the curve.
        assert each.share == f"{10 * each.winnable:.3f} to {10 * each.winnable + 10:.3f}"
        assert ours["percent"] is None
        assert (ours["low"], ours["high"]) == (100 * each.interval.low, 100 * each.interval.high)
        figure = each.row.figure
        assert figure is not None
        theirs = shares[draw, back, "published"]
        assert theirs["percent"] == figure.percent
        assert figure.counts is not None
        assert theirs["winnable"] == figure.counts.winnable
    needs = {p["source"]: p for p in points(chart) if p["at"] == "8" and "needing" in p}
    assert (needs["here"]["needing"], needs["here"]["winnable"]) == (1, 5)
    assert needs["here"]["high"] == 100 * needed[0].interval.high
    assert needs["here"]["percent"] is None
    assert needed[0].share == "20.00 to 33.33"
    assert (needs["published"]["percent"], needs["published"]["needing"]) == (4.68, None)
    # Points stand at their draw, not beside it.
    assert "xOffset" not in str(chart)
    # Without the pair of a row there is one panel.
    assert len(winnability_charts.by_draw(found[2:], []).to_dict()["hconcat"]) == 1


def test_games_are_plotted_in_the_order_of_their_shares() -> None:
    found = [
        counted("alpha-star", (9, 1, 0)),
        counted("golf", (4, 6, 0)),
        counted("draw3", (7, 3, 0)),
        decided("gaps-one-deal", [WON] * 0, Sample("solvitaire", 1, 1)),
    ]
    winnability_charts.check_rows([each.row for each in found])
    chart = winnability_charts.plot(found, []).to_dict()
    games = ["Golf", "Klondike, draw 3", "Gaps, one deal", "Alpha Star"]
    assert chart["layer"][0]["encoding"]["y"]["scale"]["domain"] == games
    shown = {(point["at"], point["source"]): point for point in points(chart)}
    assert set(shown) == {(game, "published") for game in games} | {
        (game, "here") for game in games if game != "Gaps, one deal"
    }
    assert shown["Golf", "here"]["high"] == 100 * found[1].interval.high
    assert shown["Golf", "published"]["percent"] == 45.109
    # Its undecided deals leave a range, without a point.
    assert shown["Gaps, one deal", "published"]["percent"] is None
