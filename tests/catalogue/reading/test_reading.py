"""Tests of lists of deals, single deals and the overview against a recount."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from catalogue.reading import alarms, deal_detail, deal_list, overview
from catalogue.reading.deal_list import DealFilter
from engine.dealing.dealers import get_dealer
from engine.errors import BadInput
from engine.klondike.deal import KlondikeDeal
from engine.klondike.moves import unpack_solution
from engine.klondike.referee import proves_win
from engine.klondike.rules import parse_klondike

DRAW3 = "klondike-draw3"


def recounted(known: Any, ruleset: str = DRAW3) -> dict[str, deal_list.ListedDeal]:
    """Every deal's row, straight from the facts."""
    rows = {}
    for name, facts in known.of(ruleset).items():
        wins = [f for f in facts if f.outcome.result == "won"]
        proofs = [f for f in facts if f.outcome.result == "unwinnable"]
        nodes = [f.outcome.nodes for f in wins + proofs if f.solver.method == "exact"]
        kinds = [f.outcome.dead_end.kind for f in proofs if f.outcome.dead_end]
        rows[name] = deal_list.ListedDeal(
            name,
            facts[0].dealer,
            facts[0].seed,
            "winnable" if wins else "unwinnable" if proofs else "unresolved",
            min(nodes, default=None),
            min((len(f.outcome.moves) for f in wins), default=None),
            min(kinds, default=None),
            len(facts),
            len(wins),
            len(proofs),
        )
    return rows


def all_pages(
    known: Any, deals: DealFilter, size: int = 500, **order: Any
) -> list[deal_list.ListedDeal]:
    found: list[deal_list.ListedDeal] = []
    page = 1
    while True:
        got = deal_list.list_deals(known.catalogue, deals, page=page, page_size=size, **order)
        found += got.rows
        if page >= got.pages:
            assert got.total == len(found)
            return found
        assert len(got.rows) == size
        page += 1


def within(value: int | None, low: int, high: int) -> bool:
    return value is not None and low <= value <= high


FILTERS: list[tuple[dict[str, Any], Callable[[deal_list.ListedDeal, list[Any]], bool]]] = [
    ({}, lambda row, facts: True),
    ({"status": "winnable"}, lambda row, facts: row.status == "winnable"),
    ({"status": "unwinnable"}, lambda row, facts: row.status == "unwinnable"),
    ({"status": "unresolved"}, lambda row, facts: row.status == "unresolved"),
    ({"dealer": "solvitaire"}, lambda row, facts: row.dealer == "solvitaire"),
    ({"dealer": "imported"}, lambda row, facts: row.dealer is None),
    ({"seed_from": 20, "seed_to": 40}, lambda row, facts: within(row.seed, 20, 40)),
    ({"dead_end": "any"}, lambda row, facts: row.dead_end is not None),
    ({"dead_end": "pair"}, lambda row, facts: row.dead_end == "pair"),
    ({"min_nodes": 50, "max_nodes": 900}, lambda row, facts: within(row.nodes, 50, 900)),
    ({"min_length": 69, "max_length": 80}, lambda row, facts: within(row.solution_length, 69, 80)),
    (
        {"solver": "exact(nodes=100)", "result": "gave_up"},
        lambda row, facts: any(
            f.solver.method == "exact" and f.outcome.result == "gave_up" for f in facts
        ),
    ),
    (
        {"solver": "exact", "status": "winnable"},
        lambda row, facts: (
            row.status == "winnable" and any(f.solver.method == "exact" for f in facts)
        ),
    ),
    ({"result": "lost"}, lambda row, facts: any(f.outcome.result == "lost" for f in facts)),
    ({"solver": "yan-heuristic", "dealer": "solvitaire"}, lambda row, facts: False),
]


@pytest.mark.parametrize(("asked", "passes"), FILTERS, ids=[str(f) for f, _ in FILTERS])
def test_a_filter_lets_through_what_it_says(
    known: Any, asked: dict[str, Any], passes: Callable[[deal_list.ListedDeal, list[Any]], bool]
) -> None:
    facts = known.of(DRAW3)
    expected = {n: row for n, row in recounted(known).items() if passes(row, facts[n])}
    assert len(expected) != len(facts) or not asked
    found = all_pages(known, DealFilter(DRAW3, **asked))
    assert {row.deal: row for row in found} == expected


@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize("sort", deal_list.SORTS)
def test_pages_in_any_order_neither_repeat_nor_skip(
    known: Any, sort: deal_list.Sort, descending: bool
) -> None:
    found = all_pages(known, DealFilter(DRAW3), size=173, sort=sort, descending=descending)
    assert {row.deal: row for row in found} == recounted(known)

    def value(row: deal_list.ListedDeal) -> Any:
        if sort == "deal":
            return None if row.dealer is None else (row.dealer, row.seed)
        return row.nodes if sort == "nodes" else row.solution_length

    present = [value(row) for row in found if value(row) is not None]
    assert present == sorted(present, reverse=descending)
    # Deals without a value come last in both directions.
    assert all(value(row) is None for row in found[len(present) :])
    assert 0 < len(present) < len(found)


def test_a_page_beyond_the_last_is_empty(known: Any) -> None:
    page = deal_list.list_deals(known.catalogue, DealFilter(DRAW3), page=10**30, page_size=50)
    assert page.rows == []
    assert page.total == len(known.of(DRAW3))


def test_a_ruleset_nobody_has_played_has_no_deals(known: Any) -> None:
    page = deal_list.list_deals(known.catalogue, DealFilter("klondike-vegas"))
    assert (page.rows, page.total, page.pages) == ([], 0, 1)


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"ruleset": "spider"}, "unknown ruleset 'spider'"),
        ({"status": "lost"}, "unknown status 'lost'"),
        ({"result": "winnable"}, "unknown result 'winnable'"),
        ({"dealer": "me"}, "unknown dealer 'me'"),
        ({"solver": "sphinx"}, "unknown solver 'sphinx'"),
        ({"solver": "exact(nodes="}, "is not a solver"),
        ({"seed_from": -1}, "-1 is out of range for seeds"),
        ({"seed_to": 10**30}, "is out of range for seeds"),
        ({"min_nodes": 5, "max_nodes": 4}, "the range of nodes 5 to 4 is empty"),
    ],
)
def test_a_wrong_filter_is_one_sentence(known: Any, wrong: dict[str, Any], sentence: str) -> None:
    with pytest.raises(BadInput, match=r"^[^\n]+$") as error:
        deal_list.list_deals(known.catalogue, replace(DealFilter(DRAW3), **wrong))
    assert sentence in str(error.value)


@pytest.mark.parametrize(
    "order", [{"sort": "luck"}, {"page": 0}, {"page_size": 0}, {"page_size": 10**6}]
)
def test_a_wrong_order_is_refused(known: Any, order: dict[str, Any]) -> None:
    with pytest.raises(BadInput):
        deal_list.list_deals(known.catalogue, DealFilter(DRAW3), **order)


def test_one_deal_shows_everything_known_of_it(known: Any) -> None:
    rows = recounted(known)
    for name in ("thoughtful-1:0", "thoughtful-1:17", "thoughtful-1:800", "solvitaire:3"):
        detail = deal_detail.deal_detail(known.catalogue, f" {name} ")
        facts = known.of(DRAW3)[name]
        assert (detail.deal, detail.stored) == (name, True)
        assert detail.cards == known.deals[name]
        status = detail.status(DRAW3)
        assert status is not None
        row = rows[name]
        assert (status.status, status.nodes, status.solution_length, status.dead_end) == (
            row.status, row.nodes, row.solution_length, row.dead_end,
        )  # fmt: skip
        assert (status.solvers, status.wins, status.proofs) == (row.solvers, row.wins, row.proofs)
        assert detail.alarm == row.alarm
        assert sorted(
            (o.solver, o.version, o.result, o.nodes, o.cpu_ms) for o in detail.outcomes
        ) == sorted(
            (f.solver.name, f.solver.version, f.outcome.result, f.outcome.nodes, f.outcome.cpu_ms)
            for f in facts
        )
        assert {o.dead_end for o in detail.outcomes} == {f.outcome.dead_end for f in facts}


def test_the_best_solution_of_a_deal_replays(known: Any) -> None:
    rows = recounted(known)
    name = next(n for n, row in rows.items() if row.wins > 1)
    detail = deal_detail.deal_detail(known.catalogue, name)
    best = detail.best(DRAW3)
    assert best is not None
    assert best.moves is not None
    assert best.length == rows[name].solution_length
    assert proves_win(
        KlondikeDeal.of(detail.cards.as_array()), parse_klondike(DRAW3), unpack_solution(best.moves)
    )
    assert detail.best("klondike-draw1") is None


def test_harder_than_is_the_share_of_deals_with_fewer_nodes(known: Any) -> None:
    nodes = [row.nodes for row in recounted(known).values() if row.nodes is not None]
    detail = deal_detail.deal_detail(known.catalogue, "solvitaire:3")
    status = detail.status(DRAW3)
    assert status is not None
    assert status.harder_than == sum(n < 3 for n in nodes) / (len(nodes) - 1)
    undecided = next(row.deal for row in recounted(known).values() if row.nodes is None)
    other = deal_detail.deal_detail(known.catalogue, undecided).status(DRAW3)
    assert other is not None
    assert other.harder_than is None


def test_a_deal_brought_in_by_hand_is_found_by_its_digest(known: Any) -> None:
    name = next(n for n, row in recounted(known).items() if row.dealer is None)
    detail = deal_detail.deal_detail(known.catalogue, name.upper())
    assert (detail.deal, detail.dealer, detail.seed) == (name, None, None)
    assert detail.digest == name
    dealt = deal_detail.deal_detail(known.catalogue, known.deals["solvitaire:3"].digest)
    assert dealt.deal == "solvitaire:3"


@pytest.mark.parametrize("name", ["thoughtful-1:123456789", "pysolfc:99999999999999999999"])
def test_a_deal_that_is_not_stored_is_dealt(known: Any, name: str) -> None:
    detail = deal_detail.deal_detail(known.catalogue, name)
    assert (detail.deal, detail.stored, detail.outcomes) == (name, False, [])
    dealer, seed = name.split(":")
    assert detail.cards == get_dealer(dealer).deal(int(seed))


@pytest.mark.parametrize(
    ("ref", "sentence"),
    [
        ("nonsense", "'nonsense' is not a deal"),
        ("", "'' is not a deal"),
        ("me:1", "unknown dealer 'me'"),
        ("thoughtful-1:-1", "is not a deal"),
        ("thoughtful-1:9223372036854775808", "out of range"),
        ("0" * 32, "no deal in the catalogue has the digest"),
    ],
)
def test_a_deal_that_cannot_be_is_one_sentence(known: Any, ref: str, sentence: str) -> None:
    with pytest.raises(BadInput, match=r"^[^\n]+$") as error:
        deal_detail.deal_detail(known.catalogue, ref)
    assert sentence in str(error.value)


def test_the_overview_equals_a_recount(known: Any) -> None:
    seen = overview.overview(known.catalogue)
    assert [each.ruleset for each in seen.rulesets] == [DRAW3, "klondike-draw1"]
    for each in seen.rulesets:
        rows = recounted(known, each.ruleset).values()
        dealt = [row for row in rows if row.dealer is not None]
        assert each.deals == len(dealt)
        assert each.imported == len(rows) - len(dealt)
        assert each.winnable == sum(row.status == "winnable" for row in dealt)
        assert each.unwinnable == sum(row.status == "unwinnable" for row in dealt)
        assert each.unresolved == sum(row.status == "unresolved" for row in dealt)
        assert each.alarms == sum(row.alarm for row in rows)
    assert {f.system for f in seen.rulesets[0].published} >= {"Solvitaire", "lonelybot"}
    results = [fact.outcome.result for fact in known.facts]
    assert seen.counts == overview.Counts(
        deals=len(known.deals),
        imported=9,
        statuses=sum(len(known.of(ruleset)) for ruleset in (DRAW3, "klondike-draw1")),
        outcomes=len(results),
        solutions=results.count("won"),
        dead_ends=sum(fact.outcome.dead_end is not None for fact in known.facts),
        alarms=2,
    )
    assert overview.counts(known.catalogue) == seen.counts


def test_alarms_name_who_contradicts_whom(known: Any) -> None:
    dealt, by_hand = alarms.alarms(known.catalogue)
    assert dealt == alarms.Alarm("thoughtful-1:17", DRAW3, ["exact(nodes=100) v1"], ["dead-end v1"])
    assert by_hand.deal == next(
        row.deal for row in recounted(known).values() if row.alarm and row.dealer is None
    )


def test_lists_of_what_can_be_asked_for(known: Any) -> None:
    cat = known.catalogue
    assert overview.rulesets(cat) == ["klondike-draw1", DRAW3]
    assert overview.dealers(cat) == ["solvitaire", "thoughtful-1", "imported"]
    assert overview.solvers(cat) == ["dead-end", "exact(nodes=100)", "yan-heuristic"]
    assert overview.solvers(cat, "klondike-draw1") == ["exact(nodes=100)"]


def test_an_empty_catalogue_reads_as_empty(catalogue: Any) -> None:
    assert overview.overview(catalogue).rulesets == []
    assert overview.counts(catalogue) == overview.Counts(0, 0, 0, 0, 0, 0, 0)
    assert alarms.alarms(catalogue) == []
    assert (
        overview.rulesets(catalogue)
        == overview.dealers(catalogue)
        == overview.solvers(catalogue)
        == []
    )
    assert deal_list.list_deals(catalogue, DealFilter(DRAW3)).rows == []
