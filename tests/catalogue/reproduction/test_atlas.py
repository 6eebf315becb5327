"""Tests of the atlas: plain recounts over blocks, time limits, contradictions, and its sections."""

import numpy as np
import pytest

from catalogue import blocks, store
from catalogue.blocks import GAVE_UP, PROVED, WON
from catalogue.jobs import runner
from catalogue.outcomes.writing import write_chunks
from catalogue.reproduction import reproduction, winnability
from catalogue.reproduction.atlas import ROWS, NecessityRow, atlas, needing, samples
from catalogue.reproduction.definitions import BLAKE_GENT_2026
from catalogue.reproduction.published import BLAKE_GENT_DEALS
from catalogue.reproduction.winnability import DecidedRow, necessities
from catalogue.schema import BLOCK_SIZE
from engine.dealing.dealers import Sample, get_dealer
from mixed import EXACT, packed
from solvers.outcome import Outcome, Result

WITH, WITHOUT = "draw8", "draw8-no-worrying-back"
DEALER = "thoughtful-1"
BY_NAME = {row.name: row for row in ROWS}
RESULTS = {WON: Result.WON, PROVED: Result.UNWINNABLE, GAVE_UP: Result.GAVE_UP}


def write(cat: store.Catalogue, row: str, first: int, results: list[int], keep: str) -> None:
    """Store these results of the first seeds from `first` on, block by block."""
    ruleset = BY_NAME[row].ruleset
    seeds = np.arange(first, first + len(results))
    for block in np.unique(seeds // BLOCK_SIZE):
        here = np.flatnonzero(seeds // BLOCK_SIZE == block)
        named = seeds[here].tolist()
        cards = np.stack([get_dealer(DEALER).deal(seed).as_array() for seed in named])
        outcomes = [Outcome(RESULTS[results[at]], 7, 1.0) for at in here]
        lengths = [80 if results[at] == WON else 0 for at in here]
        chunk = packed(DEALER, named, cards, EXACT, outcomes, lengths, keep, ruleset)
        with cat.begin() as session:
            write_chunks(session, [chunk])


def verdicts(rng: np.random.Generator, n: int) -> tuple[list[int], list[int]]:
    """Results with an option and without it that do not contradict each other."""
    pairs = [(a, b) for a in RESULTS for b in RESULTS if (a, b) != (PROVED, WON)]
    drawn = [pairs[at] for at in rng.integers(len(pairs), size=n)]
    return [a for a, _ in drawn], [b for _, b in drawn]


def with_what_follows(
    lax: list[int], strict: list[int], missing: int
) -> tuple[list[int], list[int]]:
    """Both, with wins of the stricter ruleset and proofs of the laxer one where the other gave up.

    The stricter ruleset has no outcome on the deal that is missing.
    """
    at = range(len(lax))
    return (
        [WON if strict[i] == WON and i != missing else lax[i] for i in at],
        [PROVED if lax[i] == PROVED else strict[i] for i in at],
    )


def needed_at(cat: store.Catalogue, sample: Sample, seconds: float | None = None) -> NecessityRow:
    (found,) = (each for each in atlas(cat, sample, seconds).needed if each.lax.row.name == WITH)
    return found


@pytest.mark.parametrize("keep", blocks.KEEPS)
def test_numbers_are_a_plain_recount_of_the_deals_without_a_gap(
    catalogue: store.Catalogue, keep: str
) -> None:
    cat, first = catalogue, BLOCK_SIZE - 40
    lax, strict = verdicts(np.random.default_rng(3), 90)
    write(cat, WITH, first, lax, keep)
    write(cat, WITHOUT, first, strict[:70], keep)
    write(cat, WITHOUT, first + 71, strict[71:], keep)  # one deal is missing
    lax, strict = with_what_follows(lax, strict, missing=70)
    for skipped in (0, 15, 55):
        sample = Sample(DEALER, first + skipped, 1000)
        found = {each.row.name: each for each in atlas(cat, sample).rows}
        for name, results, end in ((WITH, lax, 90), (WITHOUT, strict, 70)):
            ours = results[skipped:end]
            row = found[name]
            assert (row.deals, row.winnable, row.unwinnable) == (
                len(ours),
                ours.count(WON),
                ours.count(PROVED),
            )
            assert row.sample == row.point.attempted == Sample(DEALER, sample.first, len(ours))
        assert sum(each.deals > 0 for each in found.values()) == 2
        plain = [
            DecidedRow(
                BY_NAME[name],
                Sample(DEALER, sample.first, 70 - skipped),
                "exact",
                1,
                np.array(results[skipped:70], dtype=np.uint8),
                0,
                1.0,
            )
            for name, results in ((WITH, lax), (WITHOUT, strict))
        ]
        needed = needed_at(cat, sample)
        assert [needed.necessity] == necessities(plain)
        assert (needed.common, needed.counted, needed.contradicting) == (70 - skipped,) * 2 + (0,)
        wanted = [
            f"{DEALER}:{first + at}"
            for at in range(skipped, 70)
            if (lax[at], strict[at]) == (WON, PROVED)
        ]
        assert len(wanted) == needed.necessity.needing > 0
        assert needing(cat, needed, 1000) == wanted
        assert needing(cat, needed, 2) == wanted[:2]


def test_what_there_is_no_time_for_is_counted_by_a_later_call(
    sqlite_catalogue: store.Catalogue,
) -> None:
    cat, sample = sqlite_catalogue, Sample(DEALER, 5, 1000)
    for name, results in zip((WITH, WITHOUT), verdicts(np.random.default_rng(4), 30), strict=True):
        write(cat, name, 5, results, blocks.VERDICTS)
    late = needed_at(cat, sample, -1.0)
    assert (late.common, late.counted, late.necessity.winnable) == (30, 0, 0)
    assert needing(cat, late, 10) == []
    whole = needed_at(cat, sample)
    assert whole.counted == 30
    again = needed_at(cat, sample, -1.0)
    assert (again.counted, again.necessity) == (30, whole.necessity)


def test_a_contradiction_is_told_and_counts_for_nothing(sqlite_catalogue: store.Catalogue) -> None:
    cat, sample = sqlite_catalogue, Sample(DEALER, 0, 4)
    write(cat, WITH, 0, [WON, PROVED, WON, PROVED], blocks.VERDICTS)
    write(cat, WITHOUT, 0, [PROVED, WON, WON, PROVED], blocks.VERDICTS)
    needed = needed_at(cat, sample)
    assert (needed.counted, needed.contradicting) == (4, 1)
    assert (needed.necessity.winnable, needed.necessity.needing) == (0, 0)
    assert needing(cat, needed, 10) == []


@pytest.mark.usefixtures("jobs_here")
def test_on_decided_deals_it_says_what_the_experiment_does(
    sqlite_catalogue: store.Catalogue,
) -> None:
    cat, published = sqlite_catalogue, Sample(*BLAKE_GENT_DEALS)
    assert samples(cat) == [published]
    assert atlas(cat, published).is_empty
    rows = BLAKE_GENT_2026.choose([WITH, WITHOUT])
    cells = reproduction.plan(rows, 40, ("solvitaire", 1))
    other = reproduction.plan(rows[:1], 10, (DEALER, 3))
    runner.run(cat, workers=1, only=winnability.decide(cat, (*cells, *other)))
    decided = winnability.read(cat, cells)
    assert samples(cat) == [published, Sample("solvitaire", 1, 40), Sample(DEALER, 3, 10)]
    found = atlas(cat, published)
    rows_here = [each for each in found.rows if each.deals]
    assert [
        (each.row, each.sample, each.winnable, each.unwinnable, each.interval, each.agrees)
        for each in rows_here
    ] == [
        (each.row, each.sample, each.winnable, each.unwinnable, each.interval, each.agrees)
        for each in decided
    ]
    # Their bounds have the history of a job.
    assert {each.bound for each in rows_here} == {Sample("solvitaire", 1, 40)}
    assert [e.necessity for e in found.needed if e.counted] == necessities(decided)
    part = atlas(cat, Sample("solvitaire", 11, 20))
    assert {each.bound for each in part.rows} == {Sample("solvitaire", 11, 20)}
    assert {each.deals for each in part.rows} == {0, 20}


@pytest.mark.usefixtures("jobs_here")
def test_games_are_those_of_the_table_and_those_attempted(
    sqlite_catalogue: store.Catalogue,
) -> None:
    cat, sample = sqlite_catalogue, Sample("solvitaire", 1, 100)
    table = [row.name for row in BLAKE_GENT_2026.choose(["table-8"])]
    assert [each.row.name for each in atlas(cat, sample).games] == table
    cells = reproduction.plan(BLAKE_GENT_2026.choose(["trigon"]), 30, ("solvitaire", 1))
    runner.run(cat, workers=1, only=winnability.decide(cat, cells))
    (decided,) = winnability.read(cat, cells)
    (found,) = (each for each in atlas(cat, sample).games if each.deals)
    assert (found.winnable, found.unwinnable) == (decided.winnable, decided.unwinnable)
    assert (found.deals, found.share, found.verdict) == (30, decided.share, "intervals overlap")
    assert found.cpu_ms == decided.cpu_ms is not None
    assert found.bound == Sample("solvitaire", 1, 30)
    # Klondike in the family, which the table has as Klondike itself, is there once attempted.
    again = reproduction.plan(BLAKE_GENT_2026.choose(["patience-klondike"]), 1, ("solvitaire", 1))
    runner.run(cat, workers=1, only=winnability.decide(cat, again))
    names = [each.row.name for each in atlas(cat, sample).games]
    assert sorted(names) == sorted([*table, "patience-klondike"])


def test_sections_have_the_rows_that_they_are_about(sqlite_catalogue: store.Catalogue) -> None:
    found = atlas(sqlite_catalogue, Sample(DEALER, 0, 1))
    assert [each.row for each in found.rows] == list(ROWS)
    assert [each.row.name for each in found.by_draw] == [
        f"draw{draw}{back}" for draw in range(1, 14) for back in ("", "-no-worrying-back")
    ]
    chosen = [each.row.options for each in found.tableaus]
    assert [(options["building"], options["spaces"]) for options in chosen] == [
        (building, spaces)
        for building in ("alternating", "any suit", "same suit")
        for spaces in ("kings", "any", "none")
    ]
    assert {options["draw"] for options in chosen} == {"3"}
    chosen = [each.row.options for each in found.redeals]
    assert [(options["draw"], options["redeals"]) for options in chosen] == [
        (draw, redeals) for draw in "13" for redeals in ("0", "1", "2", "3", "5", "unlimited")
    ]
    runs = [each.row.options["partial runs"] for each in found.runs]
    assert runs == ["yes"] * 13 + ["no"] * 13
    assert [each.lax.row.name for each in found.needed] == [f"draw{d}" for d in range(1, 14)]
    covered = {
        each.row
        for part in (found.by_draw, found.tableaus, found.redeals, found.runs)
        for each in part
    }
    assert covered == {row for row in ROWS if "draw" in row.options}
