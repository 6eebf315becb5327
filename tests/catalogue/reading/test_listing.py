"""Lists of deals against a plain list, with random filters, orders and pages.

The catalogue has blocks with rows, without, and with rows of some deals, one without nodes and
lengths as earlier versions left them, several dealers, contradictions, and imported deals.
"""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from catalogue import blocks, store
from catalogue.outcomes.chunk import SolverKey
from catalogue.reading import comparison, deal_filter, deal_list, listing
from catalogue.reading.deal_list import ANY, DealFilter, ListedDeal
from catalogue.reading.difficulty import difficulty
from catalogue.reading.overview import overview
from catalogue.schema import BLOCK_SIZE, IMPORTED
from catalogue.tables.export import export
from engine.dealing.dealers import Sample
from engine.errors import BadInput
from mixed import DEAD_END, DRAW3, EXACT, PLAYER, Kept, Mixed
from samples import sizes
from solvers.outcome import Result


@pytest.fixture(scope="module", params=["sqlite", "postgresql"])
def mixed(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Mixed, dict[str, ListedDeal]]]:
    if request.param == "sqlite":
        import shutil

        path = tmp_path_factory.mktemp("mixed") / "mixed.db"
        shutil.copy(request.getfixturevalue("initialised_sqlite"), path)
        url = f"sqlite:///{path}"
    else:
        make = request.getfixturevalue("new_postgres_database")
        url = make(request.getfixturevalue("initialised_postgres"))
    with store.open_catalogue(url) as cat:
        filled = Mixed(cat)
        first, second, third = 0, BLOCK_SIZE, 7 * BLOCK_SIZE
        everything, verdicts = blocks.EVERYTHING, blocks.VERDICTS
        # A block with rows, one without, and one in which solvers differ.
        filled.write("thoughtful-1", list(range(first + 5, first + 240)), EXACT, everything)
        filled.write("thoughtful-1", list(range(first, first + 150)), PLAYER, everything)
        filled.write("thoughtful-1", list(range(second, second + 230)), EXACT, verdicts)
        filled.write("thoughtful-1", list(range(second + 40, second + 160)), DEAD_END, verdicts)
        filled.write("thoughtful-1", list(range(third + 9, third + 200)), EXACT, verdicts)
        filled.write("thoughtful-1", list(range(third, third + 120, 2)), DEAD_END, everything)
        # A block in which some outcomes of a solver have rows.
        filled.write("thoughtful-1", list(range(third + 200, third + 260)), EXACT, everything)
        filled.write("solvitaire", list(range(1, 90)), EXACT, verdicts)
        filled.write("solvitaire", list(range(30, 60)), DEAD_END, verdicts)
        filled.write(None, list(range(5000, 5040)), EXACT, everything)
        filled.write(None, list(range(5020, 5050)), DEAD_END, everything)
        filled.forget("solvitaire", EXACT)
        filled.rate(0.3)
        rows = filled.rows()
        assert any(row.alarm for row in rows.values())
        yield filled, rows


def passes(row: ListedDeal, known: dict[SolverKey, Kept], asked: DealFilter) -> bool:
    def inside(value: int | None, low: int | None, high: int | None) -> bool:
        if low is None and high is None:
            return True
        return value is not None and (low or 0) <= value and (high is None or value <= high)

    dealer = IMPORTED if row.dealer is None else row.dealer
    tried = [
        kept
        for solver, kept in known.items()
        if asked.solver in (None, solver.name, solver.method)
        and asked.result in (None, kept.outcome.result.value)
    ]
    return (
        asked.status in (None, row.status)
        and asked.dealer in (None, dealer)
        and inside(row.seed, asked.seed_from, asked.seed_to)
        and (asked.dead_end is None or row.dead_end in _kinds(asked.dead_end))
        and inside(row.nodes, asked.min_nodes, asked.max_nodes)
        and inside(row.solution_length, asked.min_length, asked.max_length)
        and (asked.solver is asked.result is None or bool(tried))
        and inside(row.rating.level if row.rating else None, asked.min_level, asked.max_level)
    )


def _kinds(dead_end: str) -> tuple[str, ...]:
    return ("relaxed", "pair", "conflict") if dead_end == ANY else (dead_end,)


def in_order(rows: list[ListedDeal], sort: str, descending: bool) -> list[ListedDeal]:
    """The order that `catalogue.reading.listing` promises."""

    def place(row: ListedDeal) -> Any:
        return row.dealer is None, row.dealer or "", row.seed or 0

    def value(row: ListedDeal) -> Any:
        if sort == "deal":
            return None if row.dealer is None else 0
        return row.nodes if sort == "nodes" else row.solution_length

    present = sorted(
        (row for row in rows if value(row) is not None), key=lambda row: (value(row), place(row))
    )
    absent = sorted((row for row in rows if value(row) is None), key=place)
    return [*(present[::-1] if descending else present), *absent]


def random_filter(rng: np.random.Generator) -> DealFilter:
    def some(share: float, values: list[Any]) -> Any:
        return values[rng.integers(len(values))] if rng.random() < share else None

    seeds = [0, 3, 100, BLOCK_SIZE - 1, BLOCK_SIZE, BLOCK_SIZE + 77, 7 * BLOCK_SIZE + 99]
    numbers = [0, 1, 5, 15, 16, 17, 30, 100, 101, 1000, 9999]
    lengths = [0, 79, 80, 81, 100, 223, 224, 225, 240, 256, 299]

    def ends(share: float, values: list[int]) -> list[int | None]:
        if rng.random() > share:
            return [None, None]
        low, high = sorted(rng.choice(values, 2).tolist())
        return [some(0.7, [low]), some(0.7, [high])]

    seed_from, seed_to = ends(0.3, seeds)
    min_nodes, max_nodes = ends(0.4, numbers)
    min_length, max_length = ends(0.3, lengths)
    min_level, max_level = ends(0.3, list(deal_filter.LEVELS))
    return DealFilter(
        DRAW3,
        some(0.4, list(deal_list.STATUSES)),
        some(0.3, ["thoughtful-1", "solvitaire", IMPORTED]),
        seed_from,
        seed_to,
        some(0.2, [ANY, "pair", "relaxed", "nothing"]),
        min_nodes,
        max_nodes,
        min_length,
        max_length,
        some(0.25, ["exact", "exact(nodes=100)", "dead-end", "yan-heuristic", "greedy"]),
        some(0.25, list(deal_list.RESULTS)),
        min_level,
        max_level,
    )


@pytest.mark.parametrize("number", sizes(40, 80))
def test_random_lists_are_what_a_plain_list_gives(
    mixed: tuple[Mixed, dict[str, ListedDeal]], number: int
) -> None:
    filled, rows = mixed
    known = {
        str(name) if dealer is None else f"{dealer}:{name}": outcomes
        for (dealer, name), outcomes in filled.kept.items()
    }
    # Imported deals have an order of their own, that of their numbers.
    by_hand = [name for name, row in rows.items() if row.dealer is None]
    rng = np.random.default_rng(number)
    found = 0
    for _ in range(number):
        asked = random_filter(rng)
        sort = deal_list.SORTS[rng.integers(3)]
        descending = bool(rng.integers(2))
        size = int(rng.choice([1, 7, 50, 1000]))
        expected = in_order(
            [row for name, row in rows.items() if passes(row, known[name], asked)],
            sort,
            descending,
        )
        expected = _with_imported_in_order(expected, by_hand, sort, descending)
        page = 1 + int(rng.integers(max(1, -(-len(expected) // size))))
        got = deal_list.list_deals(filled.cat, asked, sort, descending, page, size)
        assert got.total == len(expected), asked
        assert got.rows == expected[(page - 1) * size : page * size], (asked, sort, descending)
        found += bool(expected)
    assert found > number / 3


def test_deals_of_levels_are_listed_with_them(mixed: tuple[Mixed, dict[str, ListedDeal]]) -> None:
    filled, rows = mixed
    hard = {row for row in rows.values() if row.rating is not None and row.rating.level >= 7}
    graded = {row for row in rows.values() if row.rating is not None}
    assert 20 < len(hard) < len(graded) < len(rows)
    assert len({(row.dealer, (row.seed or 0) // BLOCK_SIZE) for row in hard}) == 4
    for asked, expected in (
        (DealFilter(DRAW3, min_level=7), hard),
        (DealFilter(DRAW3, max_level=6), graded - hard),
        (DealFilter(DRAW3, min_level=1), graded),
        (DealFilter(DRAW3, min_level=7, dealer=IMPORTED), set()),
        (DealFilter("klondike-vegas", min_level=7), set()),
    ):
        got = deal_list.list_deals(filled.cat, asked, page_size=1000)
        assert (got.total, set(got.rows)) == (len(expected), expected)


@pytest.mark.parametrize(
    ("low", "high", "said"),
    [
        (0, None, "there is no level 0: expected 1 to 10"),
        (None, 11, "there is no level 11"),
        (-3, 4, "there is no level -3"),
        (7, 3, "the range of levels 7 to 3 is empty"),
    ],
)
def test_levels_that_there_are_not(low: int | None, high: int | None, said: str) -> None:
    with pytest.raises(BadInput, match=said):
        DealFilter(DRAW3, min_level=low, max_level=high).check()


@pytest.mark.parametrize("format", ["parquet", "csv", "jsonl"])
def test_an_export_has_the_levels(
    mixed: tuple[Mixed, dict[str, ListedDeal]], tmp_path: Path, format: Any
) -> None:
    filled, rows = mixed
    export(filled.cat, tmp_path / "out", format=format)
    path = tmp_path / "out" / f"statuses.{format}"
    read = {
        "parquet": pd.read_parquet,
        "csv": pd.read_csv,
        "jsonl": lambda path: pd.read_json(path, lines=True),
    }[format]
    frame = read(path)
    assert len(frame) == len(rows)
    answer = 0
    names = ("deal", "level", "difficulty", "difficulty_error", "difficulty_games")
    for deal, *values in zip(*(frame[name] for name in names), strict=True):
        rating = rows[deal].rating
        if rating is None:
            assert all(pd.isna(value) for value in values), deal
        else:
            assert values == pytest.approx(list(rating)), deal
            answer += 1
    assert answer > 50


def _with_imported_in_order(
    rows: list[ListedDeal], by_hand: list[str], sort: str, descending: bool
) -> list[ListedDeal]:
    """Imported deals with the same value in the order in which they were stored."""

    def key(row: ListedDeal) -> Any:
        value = {"deal": None, "nodes": row.nodes, "length": row.solution_length}[sort]
        return row.dealer is None, value

    ordered: list[ListedDeal] = []
    start = 0
    while start < len(rows):
        end = start + 1
        while end < len(rows) and rows[start].dealer is None and key(rows[end]) == key(rows[start]):
            end += 1
        some = rows[start:end]
        if rows[start].dealer is None:
            backwards = descending and key(rows[start])[1] is not None
            some = sorted(some, key=lambda row: by_hand.index(row.deal), reverse=backwards)
        ordered += some
        start = end
    return ordered


@pytest.mark.parametrize("sort", deal_list.SORTS)
@pytest.mark.parametrize("descending", [False, True])
def test_pages_neither_repeat_nor_skip(
    mixed: tuple[Mixed, dict[str, ListedDeal]], sort: deal_list.Sort, descending: bool
) -> None:
    filled, rows = mixed
    found: list[ListedDeal] = []
    for page in range(1, 100):
        got = deal_list.list_deals(filled.cat, DealFilter(DRAW3), sort, descending, page, 37)
        found += got.rows
        if page == got.pages:
            break
    assert len(found) == len(rows)
    assert {row.deal: row for row in found} == rows


def test_an_index_follows_what_is_written(catalogue: store.Catalogue) -> None:
    filled = Mixed(catalogue)
    for start in (0, 40, BLOCK_SIZE, 75, 2 * BLOCK_SIZE):
        seeds = [
            seed for seed in range(start, start + 50) if ("thoughtful-1", seed) not in filled.kept
        ]
        filled.write("thoughtful-1", seeds, EXACT, blocks.VERDICTS)
        page = deal_list.list_deals(catalogue, DealFilter(DRAW3))
        assert page.total == len(filled.kept)
        won = [
            k for known in filled.kept.values() for k in known.values() if k.outcome.result == "won"
        ]
        asked = DealFilter(DRAW3, solver="exact", result="won")
        assert deal_list.list_deals(catalogue, asked).total == len(won)


@pytest.mark.parametrize(
    "sample",
    [
        Sample("thoughtful-1", 0, 8 * BLOCK_SIZE),
        Sample("thoughtful-1", 30, 2 * BLOCK_SIZE),
        Sample("solvitaire", 1, 89),
    ],
    ids=str,
)
def test_distributions_count_every_deal(
    mixed: tuple[Mixed, dict[str, ListedDeal]], sample: Sample
) -> None:
    filled, rows = mixed
    inside = [
        row for row in rows.values() if row.dealer == sample.dealer and row.seed in sample.seeds
    ]
    found = difficulty(filled.cat, DRAW3, sample)
    for each in found.nodes:
        here = [r for r in inside if r.nodes is not None and each.low <= r.nodes < each.high]
        assert (each.winnable, each.unwinnable) == (
            sum(r.status == "winnable" for r in here),
            sum(r.status == "unwinnable" for r in here),
        )
    assert sum(each.winnable + each.unwinnable for each in found.nodes) == sum(
        r.nodes is not None for r in inside
    )
    # A longer solution counts as one of the smallest length of its class.
    lengths = np.array([r.solution_length for r in inside if r.solution_length], dtype=np.int64)
    classes = blocks.length_of(blocks.length_class(lengths)) // 10
    assert {each.low // 10: each.winnable for each in found.lengths if each.winnable} == {
        int(number): int(deals)
        for number, deals in zip(*np.unique(classes, return_counts=True), strict=True)
    }


def test_the_overview_counts_every_deal(mixed: tuple[Mixed, dict[str, ListedDeal]]) -> None:
    filled, rows = mixed
    seen = overview(filled.cat)
    outcomes = [kept for known in filled.kept.values() for kept in known.values()]
    assert seen.counts.deals == len(rows)
    assert seen.counts.outcomes == len(outcomes)
    assert seen.counts.solutions == sum(k.outcome.result == "won" for k in outcomes)
    assert seen.counts.alarms == sum(row.alarm for row in rows.values())
    assert seen.counts.dead_ends == sum(row.dead_end is not None for row in rows.values())
    (ruleset,) = seen.rulesets
    dealt = [row for row in rows.values() if row.dealer is not None]
    assert (ruleset.deals, ruleset.imported) == (len(dealt), len(rows) - len(dealt))
    assert ruleset.winnable == sum(row.status == "winnable" for row in dealt)


def test_a_filter_that_is_replaced_is_another(mixed: tuple[Mixed, dict[str, ListedDeal]]) -> None:
    """A kept index of one result is not used for another."""
    filled, _ = mixed
    asked = DealFilter(DRAW3, solver="exact")
    totals = [
        deal_list.list_deals(filled.cat, replace(asked, result=result)).total
        for result in (None, "won", "unwinnable", "gave_up", "lost")
    ]
    assert totals[0] == sum(totals[1:])
    assert totals[4] == 0 < totals[3]


@pytest.mark.parametrize("number", sizes(10, 40))
def test_lists_of_many_blocks_go_by_classes(
    mixed: tuple[Mixed, dict[str, ListedDeal]], number: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each deal counts as one with the smallest nodes and length of its class."""
    monkeypatch.setattr(listing, "_FEW_BLOCKS", 0)
    filled, rows = mixed

    def smallest(value: int | None, of: Any, back: Any) -> int | None:
        return None if value is None else int(back(of(np.array([value])))[0])

    classes = {
        name: replace(
            row,
            nodes=smallest(row.nodes, blocks.effort_of, blocks.nodes_of),
            solution_length=smallest(row.solution_length, blocks.length_class, blocks.length_of),
        )
        for name, row in rows.items()
        if row.dealer is not None
    }
    rng = np.random.default_rng(number)
    for _ in range(number):
        asked = replace(
            random_filter(rng), dealer="thoughtful-1", solver=None, result=None, dead_end=None
        )
        sort, descending = deal_list.SORTS[rng.integers(3)], bool(rng.integers(2))
        expected = in_order(
            [row for row in classes.values() if passes(row, {}, asked)], sort, descending
        )
        got = deal_list.list_deals(filled.cat, asked, sort, descending, 1, 1000)
        assert [row.deal for row in got.rows] == [row.deal for row in expected], (asked, sort)
        assert all(row == rows[row.deal] for row in got.rows)


@pytest.mark.parametrize("number", sizes(20, 80))
def test_columns_are_what_was_encoded(number: int) -> None:
    rng = np.random.default_rng(number)
    for bits in rng.integers(1, 62, number).tolist():
        count = int(rng.integers(0, 60))
        columns = blocks.Outcomes.empty(int(rng.integers(50)), count)
        columns.kinds = ("conflict", "pair")
        columns.result[:] = rng.integers(1, 5, count)
        columns.dead_end[:] = rng.integers(3, size=count)
        columns.nodes[:] = rng.integers(-1, 1 << bits, count)
        columns.length[:] = rng.integers(0, 9000, count)
        columns.cpu_us[:] = rng.integers(-1, 1 << 20, count)
        columns.rowed[:] = rng.integers(2, size=count)
        again = blocks.Outcomes.decode(columns.encode())
        assert (again.first if count else columns.first) == columns.first
        assert again.kinds == columns.kinds
        for name in ("result", "nodes", "length", "dead_end", "cpu_us", "rowed"):
            assert np.array_equal(getattr(again, name), getattr(columns, name)), name


@pytest.mark.parametrize(
    ("names", "sample", "seconds"),
    [
        ((EXACT, PLAYER), Sample("thoughtful-1", 5, 200), None),
        ((EXACT, DEAD_END), Sample("thoughtful-1", BLOCK_SIZE + 40, 100), None),
        ((DEAD_END, EXACT), Sample("thoughtful-1", BLOCK_SIZE + 50, 500), 0.0),
        ((EXACT, DEAD_END), Sample("thoughtful-1", BLOCK_SIZE, 100), None),
        ((EXACT, DEAD_END), Sample("solvitaire", 30, 60), None),
    ],
    ids=str,
)
def test_a_comparison_is_a_recount_of_the_deals(
    mixed: tuple[Mixed, dict[str, ListedDeal]],
    names: tuple[SolverKey, SolverKey],
    sample: Sample,
    seconds: float | None,
) -> None:
    filled, _ = mixed
    common = []
    for seed in sample.seeds:
        known = filled.kept.get((sample.dealer, seed), {})
        if any(name not in known for name in names):
            break
        common.append((seed, known[names[0]], known[names[1]]))
    found = comparison.compare(
        filled.cat, DRAW3, names[0].name, f"{names[1].name} v1", sample, seconds=seconds
    )
    assert found.common == found.counted == len(common)
    for cell in comparison.CELLS:
        sides = [comparison.SIDES[side] for side in comparison.sides_of(cell)]
        expected = [
            f"{sample.dealer}:{seed}"
            for seed, *both in common
            if all(
                blocks.RESULT_CODES[kept.outcome.result] in side
                for kept, side in zip(both, sides, strict=True)
            )
        ]
        assert found.deals(cell) == len(expected)
        listed: list[str] = []
        after = None
        while True:
            page = comparison.cell_deals(filled.cat, found, cell, after, 7)
            assert page.complete
            assert page.after is None or len(page.deals) == 7
            listed += [row.deal for row in page.deals]
            after = page.after
            if after is None:
                break
        assert listed == expected
    for place, cost in enumerate((found.first_cost, found.second_cost)):
        mine = [both[place] for _, *both in common]
        assert cost.won == sum(kept.outcome.result == Result.WON for kept in mine)
        for point in cost.curve:
            below = [kept for kept in mine if kept.outcome.nodes < point.limit]
            assert point.won == sum(kept.outcome.result == Result.WON for kept in below)
        if common:
            known = all(kept.outcome.nodes >= 0 for kept in mine)
            assert bool(cost.curve) == known
            if known:
                assert cost.curve[-1].nodes == pytest.approx(cost.nodes)
                assert cost.curve[-1].won == cost.won
    for each in found.effort:
        here = [
            (one.outcome.result == Result.WON, other.outcome.result == Result.WON)
            for _, one, other in common
            if each.first_low <= one.outcome.nodes < each.first_high
            and each.second_low <= other.outcome.nodes < each.second_high
        ]
        assert here.count((True, True)) == each.both
        assert here.count((True, False)) == each.only_first
        assert here.count((False, True)) == each.only_second
        assert here.count((False, False)) == each.neither
    binned = sum(e.both + e.only_first + e.only_second + e.neither for e in found.effort)
    assert binned == sum(min(one.outcome.nodes, two.outcome.nodes) >= 0 for _, one, two in common)


def test_an_unknown_cell_or_version_is_one_sentence(
    mixed: tuple[Mixed, dict[str, ListedDeal]],
) -> None:
    with pytest.raises(BadInput, match="unknown cell 'won'"):
        comparison.sides_of("won")
    with pytest.raises(BadInput, match="has no outcome of solver dead-end v7"):
        comparison.compare(mixed[0].cat, DRAW3, "dead-end v7", "dead-end")
