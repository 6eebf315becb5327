"""Lists of deals over both depths against a plain list, with random filters, orders and pages.

The catalogue has blocks of everything, of verdicts, and of both at once (of different solvers and
of different seeds), several blocks and dealers, contradictions, and imported deals.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest

from catalogue import blocks, store
from catalogue.outcomes.chunk import Chunk, SolverKey
from catalogue.outcomes.compression import compress
from catalogue.outcomes.packed import PackedChunk, pack
from catalogue.outcomes.seals import content_of
from catalogue.outcomes.writing import write_chunks
from catalogue.reading import comparison, deal_list
from catalogue.reading.deal_list import ANY, IMPORTED, DealFilter, ListedDeal
from catalogue.reading.difficulty import difficulty
from catalogue.reading.overview import overview
from catalogue.schema import BLOCK_SIZE
from engine.dealing.dealers import Sample, get_dealer
from engine.errors import BadInput
from engine.klondike.deal import KlondikeDeal
from engine.klondike.moves import pack_solution, parse_solution
from engine.rulesets import parse_ruleset
from samples import sizes
from solvers.outcome import DeadEnd, Outcome, Result

DRAW3 = "klondike-draw3"
EXACT = SolverKey("exact(nodes=100)", 1, "exact", (("nodes", 100),), grades=True, decides=True)
DEAD_END = SolverKey("dead-end", 1, "dead-end", ())
PLAYER = SolverKey("yan-heuristic", 1, "yan-heuristic", ())
SOLVERS = (EXACT, DEAD_END, PLAYER)


@dataclass
class Kept:
    """An outcome, and whether everything is kept of it."""

    outcome: Outcome
    length: int
    everything: bool

    @property
    def nodes(self) -> int:
        nodes = np.array([self.outcome.nodes])
        return int((nodes if self.everything else blocks.nodes_of(blocks.effort_of(nodes)))[0])

    @property
    def moves(self) -> int:
        length = np.array([self.length])
        exact = self.everything
        return int((length if exact else blocks.length_of(blocks.length_class(length)))[0])


def outcome_of(rng: np.random.Generator, solver: SolverKey, winnable: bool) -> tuple[Outcome, int]:
    """An outcome, and the length of its solution, 0 for none."""
    nodes = int(10 ** rng.uniform(0, 4)) if rng.random() < 0.8 else int(rng.integers(20))
    if solver is DEAD_END:
        if winnable or rng.random() < 0.5:
            return Outcome(Result.GAVE_UP, 1, 0.1), 0
        kind = ("relaxed", "pair", "conflict")[rng.integers(3)]
        return Outcome(Result.UNWINNABLE, 1, 0.1, dead_end=DeadEnd(kind, (1, 2))), 0
    if winnable and rng.random() < 0.8:
        length = int(rng.choice([80, 81, 82, 100, 150, 223, 224, 230, 255, 256, 300]))
        return Outcome(Result.WON, nodes, 1.0), length
    if solver is PLAYER:
        return Outcome(Result.LOST, nodes, 1.0), 0
    if winnable or rng.random() < 0.1:
        return Outcome(Result.GAVE_UP, 100, 1.0), 0
    return Outcome(Result.UNWINNABLE, nodes, 1.0), 0


def packed(
    dealer: str | None,
    seeds: list[int],
    cards: Any,
    solver: SolverKey,
    outcomes: list[Outcome],
    lengths: list[int],
    keep: str,
) -> PackedChunk:
    """A chunk whose wins have moves that are no solution: nothing here replays them."""
    stand_in = [
        replace(outcome, result=Result.LOST) if outcome.result == Result.WON else outcome
        for outcome in outcomes
    ]
    chunk = Chunk(
        parse_ruleset(DRAW3),
        dealer,
        () if dealer is None else tuple(seeds),
        cards,
        ((solver, tuple(stand_in)),),
    )
    made = pack(chunk, keep)
    (each,) = made.outcomes
    each.result[:] = [blocks.RESULT_CODES[outcome.result] for outcome in outcomes]
    each.length[:] = lengths
    for place in np.flatnonzero(each.rowed & (each.result == blocks.WON)).tolist():
        moves = pack_solution(parse_solution("T " * lengths[place]))
        each.moves[place] = compress("klondike", moves)
        each.content[place] = content_of(each.moves[place], None)
    return made


class Mixed:
    """The catalogue, and what it has, as plain lists."""

    def __init__(self, cat: store.Catalogue) -> None:
        self.cat = cat
        self.rng = np.random.default_rng(7)
        self.kept: dict[tuple[str | None, Any], dict[SolverKey, Kept]] = {}
        self.winnable: dict[tuple[str | None, Any], bool] = {}

    def write(self, dealer: str | None, seeds: list[int], solver: SolverKey, keep: str) -> None:
        game = get_dealer("thoughtful-1" if dealer is None else dealer)
        cards = np.stack([game.deal(seed).as_array() for seed in seeds])
        outcomes, written = [], []
        for seed, row in zip(seeds, cards, strict=True):
            name = seed if dealer is not None else KlondikeDeal.of(row).digest
            winnable = self.winnable.setdefault((dealer, name), self.rng.random() < 0.6)
            # Now and then a contradiction.
            wrong = self.rng.random() < 0.02
            outcome, length = outcome_of(self.rng, solver, winnable != wrong)
            outcomes.append(outcome)
            everything = keep == blocks.EVERYTHING or dealer is None
            known = self.kept.setdefault((dealer, name), {})
            assert solver not in known
            known[solver] = Kept(outcome, length, everything)
            written.append(known)
        lengths = [known_here[solver].length for known_here in written]
        with self.cat.begin() as session:
            write_chunks(session, [packed(dealer, seeds, cards, solver, outcomes, lengths, keep)])

    def rows(self, verdict_blocks: set[tuple[str, int, SolverKey]]) -> dict[str, ListedDeal]:
        """Every deal as a list shows it."""
        found = {}
        for (dealer, name), known in self.kept.items():
            for solver, kept in known.items():
                if dealer is not None:
                    kept.everything = (dealer, name // BLOCK_SIZE, solver) not in verdict_blocks
            wins = [k for k in known.values() if k.outcome.result == Result.WON]
            proofs = [k for k in known.values() if k.outcome.result == Result.UNWINNABLE]
            graded = [
                known[EXACT].nodes
                for _ in range(1)
                if EXACT in known and known[EXACT].outcome.result in ("won", "unwinnable")
            ]
            kinds = [k.outcome.dead_end.kind for k in proofs if k.outcome.dead_end is not None]
            text = str(name) if dealer is None else f"{dealer}:{name}"
            found[text] = ListedDeal(
                text,
                dealer,
                None if dealer is None else name,
                "winnable" if wins else "unwinnable" if proofs else "unresolved",
                min(graded, default=None),
                min((k.moves for k in wins), default=None),
                min(kinds, default=None),
                len(known),
                len(wins),
                len(proofs),
                all(k.everything for k in known.values()),
            )
        return found


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
        # A block of everything, one of verdicts, and one in which solvers differ.
        filled.write("thoughtful-1", list(range(first + 5, first + 240)), EXACT, everything)
        filled.write("thoughtful-1", list(range(first, first + 150)), PLAYER, everything)
        filled.write("thoughtful-1", list(range(second, second + 230)), EXACT, verdicts)
        filled.write("thoughtful-1", list(range(second + 40, second + 160)), DEAD_END, verdicts)
        filled.write("thoughtful-1", list(range(third + 9, third + 200)), EXACT, verdicts)
        filled.write("thoughtful-1", list(range(third, third + 120, 2)), DEAD_END, everything)
        # A block in which a solver has both, so only classes of it.
        filled.write("thoughtful-1", list(range(third + 200, third + 260)), EXACT, everything)
        filled.write("solvitaire", list(range(1, 90)), EXACT, verdicts)
        filled.write("solvitaire", list(range(30, 60)), DEAD_END, verdicts)
        filled.write(None, list(range(5000, 5040)), EXACT, everything)
        filled.write(None, list(range(5020, 5050)), DEAD_END, everything)
        of_verdicts = {
            ("thoughtful-1", 1, EXACT),
            ("thoughtful-1", 1, DEAD_END),
            ("thoughtful-1", 7, EXACT),
            ("solvitaire", 0, EXACT),
            ("solvitaire", 0, DEAD_END),
        }
        rows = filled.rows(of_verdicts)
        assert any(row.alarm for row in rows.values())
        assert {row.exact for row in rows.values()} == {True, False}
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
    )


@pytest.mark.parametrize("number", sizes(40, 400))
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
def test_pages_of_mixed_depths_neither_repeat_nor_skip(
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
def test_distributions_count_every_deal_of_either_depth(
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


def test_the_overview_counts_both_depths(mixed: tuple[Mixed, dict[str, ListedDeal]]) -> None:
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


@pytest.mark.parametrize("number", sizes(30, 300))
def test_statuses_of_classes_are_those_of_values(number: int) -> None:
    rng = np.random.default_rng(number)
    for _ in range(number):
        known = []
        for kinds in ((), ("pair", "relaxed"), ("conflict", "pair")):
            first, count = int(rng.integers(50)), int(rng.integers(60))
            outcomes = blocks.Outcomes.empty(first, count)
            outcomes.kinds = kinds
            outcomes.result[:] = rng.integers(5, size=count)
            outcomes.nodes[:] = (10 ** rng.uniform(0, 5, count)).astype(int)
            outcomes.nodes[rng.random(count) < 0.1] = 1 << 40
            won = outcomes.result == blocks.WON
            outcomes.length[won] = rng.integers(1, 9000, int(won.sum()))
            proved = outcomes.result == blocks.PROVED
            outcomes.dead_end[proved] = rng.integers(len(kinds) + 1, size=int(proved.sum()))
            known.append((outcomes.encode(blocks.VERDICTS), bool(rng.integers(2))))
        plain = blocks.combine(
            [
                blocks.Known(blocks.Outcomes.decode(packed), grades, False)
                for packed, grades in known
            ]
        )
        quick, effort, length = blocks.combine_codes(
            [(blocks.Codes.decode(packed), grades) for packed, grades in known]
        )
        assert plain.first == quick.first
        for name in ("status", "solvers", "wins", "proofs", "nodes", "length", "dead_end", "exact"):
            assert np.array_equal(getattr(plain, name), getattr(quick, name)), name
        assert plain.kinds == quick.kinds
        assert np.array_equal(effort, blocks.effort_of(quick.nodes))
        assert np.array_equal(length, blocks.length_class(quick.length.astype(np.int64)))


def test_classes_of_everything_are_those_of_its_values() -> None:
    outcomes = blocks.Outcomes.empty(3, 4)
    outcomes.result[:] = [blocks.WON, 0, blocks.PROVED, blocks.WON]
    outcomes.nodes[:] = [17, -1, 5, 70_000]
    outcomes.length[:] = [300, 0, 0, 80]
    everything = blocks.Codes.decode(outcomes.encode(blocks.EVERYTHING))
    verdicts = blocks.Codes.decode(outcomes.encode(blocks.VERDICTS))
    for name in ("result", "effort", "length", "dead_end"):
        assert np.array_equal(getattr(everything, name), getattr(verdicts, name)), name


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
            below = [kept for kept in mine if kept.nodes < point.limit]
            assert point.won == sum(kept.outcome.result == Result.WON for kept in below)
        if common:
            assert cost.curve[-1].nodes == pytest.approx(cost.nodes)
            assert cost.curve[-1].won == cost.won
    for each in found.effort:
        here = [
            (one.outcome.result == Result.WON, other.outcome.result == Result.WON)
            for _, one, other in common
            if each.first_low <= one.nodes < each.first_high
            and each.second_low <= other.nodes < each.second_high
        ]
        assert here.count((True, True)) == each.both
        assert here.count((True, False)) == each.only_first
        assert here.count((False, True)) == each.only_second
        assert here.count((False, False)) == each.neither
    binned = sum(e.both + e.only_first + e.only_second + e.neither for e in found.effort)
    assert binned == len(common)


def test_an_unknown_cell_or_version_is_one_sentence(
    mixed: tuple[Mixed, dict[str, ListedDeal]],
) -> None:
    with pytest.raises(BadInput, match="unknown cell 'won'"):
        comparison.sides_of("won")
    with pytest.raises(BadInput, match="has no outcome of solver dead-end v7"):
        comparison.compare(mixed[0].cat, DRAW3, "dead-end v7", "dead-end")
