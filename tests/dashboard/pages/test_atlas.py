"""Browser tests of the atlas: its numbers are those of `reproduce`, and each leads to its deals."""

import csv
import io
import re
import xml.etree.ElementTree as ET
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Locator, Page, expect

from browsing import choose, saved, settle
from catalogue import store
from catalogue.blocks import PROVED, VERDICTS, WON
from catalogue.outcomes.chunk import Chunk, SolverKey
from catalogue.outcomes.writing import write_chunk
from catalogue.reproduction import reproduction, winnability
from catalogue.reproduction.definitions import BLAKE_GENT_2026, WinnabilityRow
from catalogue.reproduction.published import BLAKE_GENT_NECESSITY, as_published
from catalogue.reproduction.reproduction import Attempt
from catalogue.reproduction.winnability import DecidedRow, necessities
from dashboard.elements.wording import ruleset_title
from engine.dealing.dealers import Sample, get_dealer
from serving import run_queued_jobs, serving
from solvers.solver import parse_solver

DEALS = 120
GAME = "trigon"
NAMES = ("draw8", "draw8-no-worrying-back", "alternating-spaces-none", "same-suit-spaces-any")
UNPUBLISHED = ("draw3-redeals0", "draw8-whole-runs")
PLAIN = (*NAMES[2:], UNPUBLISHED[0])
PNG = b"\x89PNG\r\n\x1a\n"


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file of a catalogue that `reproduce` has filled.

    The verdicts of some rows were there already, from a search that plays every ruleset: that of
    the experiment would be compiled for each of these rows alone.
    """
    path = tmp_path_factory.mktemp("atlas") / "thoughtful.db"
    store.init(f"sqlite:///{path}")
    with store.open_catalogue(f"sqlite:///{path}") as cat:
        for each in cells():
            if each.row.name in PLAIN:
                with cat.begin() as session:
                    write_chunk(session, by_plain_search(each), VERDICTS)
        winnability.decide(cat, cells())
    run_queued_jobs(path)
    return path


def by_plain_search(attempt: Attempt[WinnabilityRow]) -> Chunk:
    """What `exact-plain` finds of the deals of a row, as if the row's own solver had."""
    row, sample = attempt.row, attempt.sample
    dealer = get_dealer(sample.dealer)
    cards = dealer.deal_block(sample.first, sample.count)
    return Chunk(
        row.rules,
        dealer.slug,
        tuple(range(sample.first, sample.last + 1)),
        cards,
        (
            (
                SolverKey.of(parse_solver(row.solver)),
                tuple(parse_solver("exact-plain(nodes=2000)").solve(cards, row.rules)),
            ),
        ),
    )


def cells(first: int = 1, deals: int = DEALS) -> list[Attempt[WinnabilityRow]]:
    """The rows of the catalogue on some of its deals."""
    rows = BLAKE_GENT_2026.choose([*NAMES, *UNPUBLISHED, GAME])
    return reproduction.plan(rows, deals, ("solvitaire", first))


@pytest.fixture(scope="module")
def address(path: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of its dashboard."""
    with serving(f"sqlite:///{path}", tmp_path_factory.mktemp("served")) as address:
        yield address


@pytest.fixture(scope="module")
def decided(path: Path) -> dict[str, DecidedRow]:
    """What `reproduce` reads, by row."""
    with store.open_catalogue(f"sqlite:///{path}") as cat:
        return {each.row.name: each for each in winnability.read(cat, cells())}


def rows(page: Page, table: str, *words: str) -> Locator:
    """The rows of a table that begin with these cells."""
    found = page.get_by_test_id(table).locator("tbody tr")
    for place, word in enumerate(words, start=1):
        cell = page.locator(f"td:nth-child({place})")
        found = found.filter(has=cell.filter(has_text=re.compile(f"^{re.escape(word)}$")))
    return found


def texts(row: Locator) -> list[str]:
    expect(row).to_have_count(1)
    return row.locator("td").all_inner_texts()


def numbers(each: DecidedRow) -> list[str]:
    """What a row says of the deals that were decided."""
    figure = each.row.figure
    return [
        "–" if figure is None else figure.text,
        each.share,
        *(f"{n:,}" for n in (each.deals, each.winnable, each.unwinnable, each.undecided)),
        each.verdict or "–",
    ]


def opened(page: Page, link: str) -> None:
    page.goto(link)
    expect(page.get_by_test_id("building-and-spaces")).to_be_visible()
    settle(page)


def chosen(page: Page) -> Locator:
    return page.get_by_role("combobox", name="Ruleset")


def test_the_numbers_are_those_of_reproduce(
    page: Page, address: str, decided: dict[str, DecidedRow]
) -> None:
    opened(page, f"{address}/atlas")
    expect(page.get_by_role("combobox", name="Sample")).to_have_value("solvitaire:1-1000000")
    for table, words, name in (
        ("shares-by-draw", ("8", "with worrying back"), "draw8"),
        ("shares-by-draw", ("8", "without worrying back"), "draw8-no-worrying-back"),
        ("building-and-spaces", ("alternating", "none"), "alternating-spaces-none"),
        ("building-and-spaces", ("same suit", "any"), "same-suit-spaces-any"),
        ("redeals", ("3", "0"), "draw3-redeals0"),
        ("whole-runs", ("8", "whole runs alone"), "draw8-whole-runs"),
    ):
        assert texts(rows(page, table, *words))[2:] == numbers(decided[name]), name
        assert decided[name].winnable > 0
    # What nobody has attempted here has the published figure alone.
    assert texts(rows(page, "shares-by-draw", "1", "with worrying back"))[2:] == [
        "90.48 ± 0.116",
        *["–"] * 6,
    ]
    (needed,) = necessities(list(decided.values()))
    table = "need-of-worrying-back"
    assert texts(rows(page, table, "8"))[1:6] == [
        as_published(*BLAKE_GENT_NECESSITY["klondike-draw8"]),
        needed.share,
        str(needed.needing),
        str(needed.winnable),
        str(DEALS),
    ]
    assert texts(rows(page, table, "1"))[1:6] == ["0.34 ± 0.08", *["–"] * 4]
    # Each section names the command for what it lacks, with rows that there are.
    commands = page.locator("code").filter(has_text="thoughtful reproduce").all_inner_texts()
    lacking = [re.fullmatch(r".* --rows (\S+) --games 1000", each) for each in commands]
    chosen = [
        {row.name for row in BLAKE_GENT_2026.choose(each[1].split(","))}
        for each in lacking
        if each is not None
    ]
    assert [len(each) for each in chosen] == [24, 7, 11, 12, 1]
    assert not set.union(*chosen) & decided.keys()


def test_games_are_in_order_and_lead_to_their_deals(
    page: Page, address: str, decided: dict[str, DecidedRow]
) -> None:
    opened(page, f"{address}/atlas")
    table = page.get_by_test_id("patience-games").locator("tbody tr")
    expect(table).to_have_count(49)
    expect(table.first).to_contain_text("British Canister")
    each = decided[GAME]
    assert texts(rows(page, "patience-games", "Trigon"))[1:9] == [*numbers(each), "15"]
    choose(page, "Order", "by published CPU time")
    expect(table.last).to_contain_text("Gaps, one deal")
    # Undecided deals leave a range.
    assert texts(table.last)[1] == "82.850 to 88.930"
    expect(page.get_by_text("48 games have no deal of this sample yet.")).to_contain_text(
        "--rows british-canister"
    )
    drawn = page.get_by_test_id("stVegaLiteChart").last
    expect(drawn).to_contain_text("Worm Hole")
    marks = drawn.locator("svg.marks g.mark-symbol.role-mark path[aria-label*='Trigon']")
    expect(marks).to_have_count(2)
    settle(page)
    row = rows(page, "patience-games", "Trigon")
    row.get_by_role("link", name=str(DEALS), exact=True).click()
    expect(page.get_by_text(f"{DEALS} deals", exact=True)).to_be_visible()
    expect(chosen(page)).to_have_value("Trigon")
    settle(page)


def test_a_share_opens_its_bounds_and_a_number_its_deals(
    page: Page, address: str, path: Path
) -> None:
    sample = Sample("solvitaire", 31, 60)  # that of no job
    with store.open_catalogue(f"sqlite:///{path}") as cat:
        part = {each.row.name: each for each in winnability.read(cat, cells(31, 60))}
    link = f"{address}/atlas?sample={sample}"
    for words, name in (
        (("8", "with worrying back"), "draw8"),
        (("8", "without worrying back"), "draw8-no-worrying-back"),
    ):
        each = part[name]
        opened(page, link)
        row = rows(page, "shares-by-draw", *words)
        row.get_by_role("link", name=each.share).click()
        now = page.get_by_test_id("bounds-now").locator("tbody tr")
        expect(now.nth(0)).to_contain_text(f"{each.winnable} of 60")
        expect(now.nth(1)).to_contain_text(f"{60 - each.unwinnable} of 60")
        expect(chosen(page)).to_have_value(ruleset_title(each.row.ruleset))
        expect(page.get_by_role("combobox", name="Sample")).to_have_value(str(sample))
        settle(page)
        opened(page, link)
        row.get_by_role("link", name="60", exact=True).click()
        expect(page.get_by_text("60 deals", exact=True)).to_be_visible()
        expect(chosen(page)).to_have_value(ruleset_title(each.row.ruleset))
        listed = page.get_by_test_id("deals").locator("tbody tr")
        expect(listed.first).to_contain_text("Deal 31 of solvitaire")
        won = "winnable" if each.result[0] == WON else "unwinnable"
        expect(listed.first).to_contain_text(re.compile(rf"(?<!un){won}"))
        settle(page)


def test_a_point_and_a_cell_open_their_bounds(
    page: Page, address: str, decided: dict[str, DecidedRow]
) -> None:
    for chart, mark, place, name in (
        # Of two points at one place the later curve's is in front.
        (
            0,
            "symbol",
            "Draw: 8; .*: without worrying back; source: here",
            "draw8-no-worrying-back",
        ),
        (2, "rect", "take: any; Building: same suit", "same-suit-spaces-any"),
        (5, "symbol", "Trigon; .*: here", "trigon"),
    ):
        opened(page, f"{address}/atlas?sample=solvitaire:1-{DEALS}")
        drawn = page.get_by_test_id("stVegaLiteChart").nth(chart)
        marks = drawn.locator(f"svg.marks g.mark-{mark}.role-mark path")
        wanted = marks.and_(page.get_by_label(re.compile(place)))
        expect(wanted).to_have_count(1)
        # The words of a cell stand before its middle.
        wanted.click(position={"x": 5, "y": 5}, force=True)
        each = decided[name]
        now = page.get_by_test_id("bounds-now").locator("tbody tr")
        expect(now.nth(0)).to_contain_text(f"{each.winnable} of {DEALS}")
        expect(chosen(page)).to_have_value(ruleset_title(each.row.ruleset))
        # Of this sample a job has recorded how its bounds came about.
        expect(page.get_by_test_id("recorded-bounds")).to_be_visible()
        settle(page)


def test_the_deals_that_need_worrying_back_are_named(
    page: Page, address: str, decided: dict[str, DecidedRow]
) -> None:
    lax, strict = decided["draw8"].result, decided["draw8-no-worrying-back"].result
    seeds = (np.flatnonzero((lax == WON) & (strict == PROVED)) + 1).tolist()
    assert seeds
    opened(page, f"{address}/atlas?draw=9")
    expect(
        page.get_by_text("No deal of this sample is decided under both rules at this draw.")
    ).to_be_visible()
    choose(page, "Deals that need it, at draw", "8")
    expect(page).to_have_url(re.compile(r"draw=8"))
    named = page.get_by_test_id("deals-that-need-worrying-back").locator("tbody tr")
    expect(named).to_have_count(len(seeds))
    assert [row.locator("td").first.inner_text() for row in named.all()] == [
        f"solvitaire:{seed}" for seed in seeds
    ]
    links = [link.get_attribute("href") for link in named.first.get_by_role("link").all()]
    assert links == [
        f"./?deal=solvitaire:{seeds[0]}&rules=klondike-draw8{back}"
        for back in ("", "-no-worrying-back")
    ]
    settle(page)
    rows(page, "need-of-worrying-back", "8").get_by_role(
        "link", name=str(len(seeds)), exact=True
    ).click()
    expect(page).to_have_url(re.compile(r"sample=solvitaire:1-1000000&draw=8"))
    expect(named).to_have_count(len(seeds))


def test_every_chart_is_saved_as_picture_and_data(
    page: Page, address: str, decided: dict[str, DecidedRow]
) -> None:
    opened(page, f"{address}/atlas")
    for chart, name, word in (
        ("atlas-draw", "draw8", "without worrying back"),
        ("atlas-map", "same-suit-spaces-any", "same suit"),
        ("atlas-redeals", "draw3-redeals0", "unlimited"),
        ("atlas-runs", "draw8-whole-runs", "whole runs alone"),
        ("atlas-games", GAME, "Worm Hole"),
    ):
        assert saved(page, chart, "png").startswith(PNG)
        root = ET.fromstring(saved(page, chart, "svg"))
        assert word in " ".join(root.itertext())
        # From a file the links of points lead nowhere.
        assert not [part for part in root.iter() if part.tag.endswith("}a")]
        read = list(csv.DictReader(io.StringIO(saved(page, chart, "csv").decode())))
        each = decided[name]
        (ours,) = (
            row for row in read if (row["ruleset"], row["source"]) == (each.row.ruleset, "here")
        )
        assert ours["sample"] == f"solvitaire:1-{DEALS}"
        assert [int(ours[key]) for key in ("deals", "winnable", "unwinnable", "undecided")] == [
            each.deals,
            each.winnable,
            each.unwinnable,
            each.undecided,
        ]
        assert float(ours["low"]) == pytest.approx(100 * each.interval.low)
        assert float(ours["high"]) == pytest.approx(100 * each.interval.high)
        theirs = [row for row in read if row["source"] == "published"]
        if chart != "atlas-games":
            assert {row["deals"] for row in theirs} == {"1000000"}
    (needed,) = necessities(list(decided.values()))
    read = list(csv.DictReader(io.StringIO(saved(page, "atlas-needs", "csv").decode())))
    (ours,) = (row for row in read if row["source"] == "here")
    assert (ours["at"], int(ours["needing"]), int(ours["winnable"])) == (
        "8",
        needed.needing,
        needed.winnable,
    )
    assert float(ours["high"]) == pytest.approx(100 * needed.interval.high)
    shares = {row["at"]: float(row["percent"]) for row in read if row["source"] == "published"}
    assert list(shares.values()) == [percent for percent, _ in BLAKE_GENT_NECESSITY.values()]


def test_wrong_values_of_the_link_are_one_sentence_each(page: Page, address: str) -> None:
    opened(page, f"{address}/atlas?draw=14")
    alerts = page.get_by_role("alert")
    expect(alerts).to_have_count(1)
    expect(alerts).to_contain_text("draw '14' is none of those here: the default is shown")
    for wrong, sentence in (
        ("thoughtful-1:9-3", "run backwards"),
        ("nobody:1-2", "Unknown dealer 'nobody'"),
        ("nine", "'nine' is not a sample"),
    ):
        page.goto(f"{address}/atlas?sample={wrong}")
        expect(alerts).to_have_count(1)
        expect(alerts).to_contain_text(sentence)
        settle(page)
    # A sample of which nothing is known has the published figures, and the command for ours.
    opened(page, f"{address}/atlas?sample=thoughtful-1:7-9")
    answer = page.get_by_role("status").filter(has_text="No deal of thoughtful-1:7-9 has been")
    command = "thoughtful reproduce blake-gent-2026 --games 3 --first thoughtful-1:7"
    expect(answer.locator("code")).to_have_text(command)
    expect(alerts).to_have_count(0)
    expect(rows(page, "shares-by-draw", "3", "with worrying back")).to_contain_text(
        "81.945 ± 0.084"
    )


def test_an_empty_catalogue_says_what_fills_it_and_shows_it_then(
    page: Page, served: Callable[[str], str], empty: Path
) -> None:
    opened(page, f"{served(f'sqlite:///{empty}')}/atlas")
    answer = page.locator("code").filter(has_text="thoughtful reproduce")
    expect(answer).to_have_text("thoughtful reproduce blake-gent-2026 --games 1000")
    expect(page.get_by_test_id("stVegaLiteChart")).to_have_count(5)
    expect(page.get_by_test_id("stVegaLiteChart").first).to_contain_text("without worrying back")
    # The same page, not loaded anew, has what is decided meanwhile.
    with store.open_catalogue(f"sqlite:///{empty}") as cat:
        wanted = reproduction.plan(BLAKE_GENT_2026.choose(["draw13"]), 40, BLAKE_GENT_2026.first)
        winnability.decide(cat, wanted)
        run_queued_jobs(empty)
        (each,) = winnability.read(cat, wanted)
    row = rows(page, "shares-by-draw", "13", "with worrying back")
    expect(row).to_contain_text(each.share)
    assert texts(row)[2:] == numbers(each)
