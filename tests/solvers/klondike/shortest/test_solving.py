"""Tests of shortest solutions: against search by breadth, the referee and published lengths."""

import random
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import Any

import numpy as np
import pytest

from engine.cards import parse_card
from engine.dealing.dealers import get_dealer
from engine.formats import get_format
from engine.klondike.deal import KlondikeDeal
from engine.klondike.moves import KlondikeKind, unpack_solution
from engine.klondike.referee import KlondikePosition
from engine.klondike.rules import KlondikeRules
from engine.replay import replay
from samples import sizes
from solvers.choice import finder_of_shortest
from solvers.klondike.shortest.improving import improved
from solvers.klondike.shortest.solving import COUNTS, find_shortest, length_of
from solvers.outcome import Result
from solvers.shortest import Shortest
from solvers.solver import parse_solver
from twins.search import random_late_position
from twins.shortest import naive_shortest

# What a redeal counts as.
REDEAL = {"standard": 1, "minimal-klondike": 0}
MEBIBYTES = 64
DRAW3 = KlondikeRules(draw=3)
# A deal with a published length, others with the lengths that MinimalKlondike's tests expect, and
# one for which they expect 139, as cards stay on the foundations there.
PUBLISHED = (
    "122021053133044042092074131071132062123061011022101013064091114073063082034041014024103121094113"
    "102031033134072111084032023052012081112124043104083093051054"
)
TESTED = {
    "13110103406107307204407108204309204209413201408105112408311312105206305401210306206403211113"
    "4011074093053122102033013084031114091112104021133024022041123023": 108,
    "01205406204402210110212207407104101113302404301309311108203411404213110306105106305309409207"
    "2084132091112023113052032031134014123064104124121021081083033073": 129,
}
BRINGS_DOWN = (
    "07304112412209106305403402103213209311103104306401302213110312309211307408307204411406210202"
    "4134082053011033042012014104084023094112121081051071052133061101"
)


def starts(seed: int, count: int, most_left: int) -> list[KlondikePosition]:
    """Late positions under different rules."""
    chooser = random.Random(seed)
    draws = chooser.choices([1, 2, 3, 3, 3, 4], k=count)
    return [
        random_late_position(chooser, KlondikeRules(draw=draw), chooser.randint(0, most_left))
        for draw in draws
    ]


def start_of(digits: str, draw: int) -> KlondikePosition:
    deal = get_format("klondike-solver").read(digits)
    return KlondikePosition.start(deal, KlondikeRules(draw=draw))


def cards_in(*piles: str) -> tuple[tuple[int, ...], ...]:
    return tuple(tuple(map(parse_card, pile.split())) for pile in piles)


def check(start: KlondikePosition, found: Shortest, count: str) -> None:
    """Have the referee replay what was found."""
    if found.moves is not None:
        assert replay(start, found.moves).is_won
        assert found.length == length_of(start, found.moves, count)
        assert found.bound is not None
        assert found.length is not None
        assert found.bound <= found.length


@pytest.mark.parametrize(("seed", "count", "most_left"), sizes((1, 150, 14), (2, 300, 16)))
def test_agrees_with_search_by_breadth(seed: int, count: int, most_left: int) -> None:
    """With all that is left out, the lengths are those of a search that leaves out nothing."""
    seen: Counter[str] = Counter()
    for number, start in enumerate(starts(seed, count, most_left)):
        counted = list(REDEAL)[number % 2]
        expected = naive_shortest(start, REDEAL[counted], 4000)
        found = find_shortest(start, count=counted, mebibytes=MEBIBYTES)
        check(start, found, counted)
        if expected is None:
            seen["too wide"] += 1
            continue
        assert found.is_proved
        assert found.length == (None if expected == -1 else expected), start.to_json()
        seen["lost" if expected == -1 else "won"] += 1
        for move in found.moves or ():
            seen[move.kind.name] += 1
    assert seen["won"] > 0.8 * count
    assert seen["RUN"] > count // 5
    assert seen["WASTE_DOWN"] > count // 10
    assert count < 500 or seen["DOWN"] > 0


@cache
def early() -> list[tuple[KlondikePosition, Shortest]]:
    """Starts of deals with what a small budget finds."""
    rows = get_dealer("thoughtful-1").deal_block(4_000_000, 12)
    positions = [KlondikePosition.start(KlondikeDeal.of(row), DRAW3) for row in rows]
    return [(start, find_shortest(start, nodes=60_000, mebibytes=MEBIBYTES)) for start in positions]


def test_what_is_known_when_the_budget_is_spent() -> None:
    for start, found in early():
        check(start, found, "standard")
        if found.moves is None:
            continue
        less = find_shortest(start, nodes=2_000, known=found.moves, mebibytes=MEBIBYTES)
        assert less.length == found.length
        assert (less.bound or 0) <= (found.bound or 0)
    assert any(not found.is_proved for _, found in early())


def test_a_solution_along_the_way_bounds_the_rest() -> None:
    """From any position of a shortest solution, the rest of it is a shortest one."""
    checked = 0
    for start, found in early():
        if found.moves is None or not found.is_proved:
            continue
        now, left = start, list(found.moves)
        for number, move in enumerate(found.moves):
            if number % 20 == 0 or len(left) < 4:
                again = find_shortest(now, mebibytes=MEBIBYTES)
                assert again.is_proved
                assert again.length == len(left)
                checked += 1
            now = now.play(move)
            left.pop(0)
    assert checked >= 6


def test_the_published_length() -> None:
    start = start_of(PUBLISHED, 3)
    lengths = {}
    for count in COUNTS:
        found = find_shortest(start, count=count.slug)
        check(start, found, count.slug)
        assert found.is_proved
        lengths[count.slug] = found.length
    assert lengths["klondike-solver"] == 119
    assert lengths["minimal-klondike"] == 98


@pytest.mark.parametrize(("digits", "length"), TESTED.items())
def test_lengths_of_minimal_klondikes_own_tests(digits: str, length: int) -> None:
    found = find_shortest(start_of(digits, 1), count="minimal-klondike")
    assert found.is_proved
    assert found.length == length


def test_a_card_brought_down_saves_a_move() -> None:
    found = find_shortest(start_of(BRINGS_DOWN, 1), count="minimal-klondike")
    check(start_of(BRINGS_DOWN, 1), found, "minimal-klondike")
    assert found.is_proved
    assert found.length == 138
    assert any(move.kind is KlondikeKind.DOWN for move in found.moves or ())


def test_no_shorter_than_those_of_other_solvers() -> None:
    others = [parse_solver("exact(nodes=100000)"), parse_solver("exact-plain(nodes=20000)")]
    compared = 0
    for start, found in early():
        for solver in others:
            moves = solver.solve_position(start).moves
            if moves is not None and found.bound is not None:
                listed = unpack_solution(moves)
                assert found.bound <= len(improved(start, listed)) <= len(listed)
                compared += 1
    assert compared > 10


def test_a_known_solution_is_where_it_begins() -> None:
    start, found = next(pair for pair in early() if pair[1].moves is not None)
    again = find_shortest(start, known=found.moves, nodes=1, mebibytes=MEBIBYTES)
    assert again.moves == found.moves
    assert again.nodes == 1


def test_a_parent_that_is_needed_for_a_card_brought_down_stays() -> None:
    """QH waits although both black jacks are up: JS comes down on it, to take TD off 9D."""
    start = KlondikePosition(
        KlondikeRules(draw=1),
        down=cards_in("", "9D", "QH", "", "", "", ""),
        up=cards_in("", "TD", "8D", "", "", "", ""),
        foundations=(13, 7, 11, 11),
        stock=cards_in("QS KS JD QD KH KD")[0],
    ).checked()
    assert naive_shortest(start, 1, 50_000) == 19
    found = find_shortest(start, mebibytes=MEBIBYTES)
    check(start, found, "standard")
    assert found.is_proved
    assert found.length == 19


def test_three_cards_are_brought_down_for_one() -> None:
    """TS takes 9D off 8D; JS comes down before it, and JH for it to lie on."""
    start = KlondikePosition(
        KlondikeRules(draw=1),
        down=cards_in("", "8D", "", "JD TD", "", "", ""),
        up=cards_in("", "9D", "QH", "KH", "QS", "", ""),
        foundations=(13, 7, 11, 11),
        stock=cards_in("KS QD KD")[0],
    ).checked()
    assert naive_shortest(start, 1, 50_000) == 20
    found = find_shortest(start, mebibytes=MEBIBYTES)
    check(start, found, "standard")
    assert found.is_proved
    assert found.length == 20
    assert sum(move.kind is KlondikeKind.DOWN for move in found.moves or ()) == 3


def test_lost_positions() -> None:
    lost = [start for start in starts(5, 400, 30) if exact_loses(start)]
    assert len(lost) >= 3
    for start in lost:
        found = find_shortest(start, mebibytes=MEBIBYTES)
        assert (found.moves, found.length, found.bound) == (None, None, None)
        assert found.is_proved


def exact_loses(start: KlondikePosition) -> bool:
    return parse_solver("exact").solve_position(start).result is Result.UNWINNABLE


def test_seconds_are_kept() -> None:
    start = start_of(next(iter(TESTED)), 1)
    found = find_shortest(start, seconds=1e-3, mebibytes=MEBIBYTES)
    assert not found.is_proved
    check(start, found, "standard")


def test_memory_is_kept() -> None:
    start = start_of(next(iter(TESTED)), 1)
    found = find_shortest(start, mebibytes=1)
    assert not found.is_proved
    check(start, found, "standard")


def test_as_a_solver() -> None:
    """It wins only with a solution that is proved to be a shortest one."""
    solver = parse_solver("shortest(nodes=60000, memory_mib=64)")
    assert finder_of_shortest(DRAW3).method is solver.method
    results = set()
    for start, found in early():
        outcome = solver.solve_position(start)
        results.add(outcome.result)
        assert outcome.nodes == found.nodes
        assert (outcome.result is Result.WON) == (found.is_proved and found.moves is not None)
        assert outcome.moves is None or unpack_solution(outcome.moves) == found.moves
    assert results >= {Result.WON, Result.GAVE_UP}


def test_counts_differ_by_redeals_and_cards_turned_up() -> None:
    start, found = next(pair for pair in early() if pair[1].moves is not None)
    moves = found.moves or ()
    redeals = sum(move.kind is KlondikeKind.REDEAL for move in moves)
    lengths = [length_of(start, moves, count.slug) for count in COUNTS]
    assert lengths == [len(moves), len(moves) - redeals, len(moves) - redeals + 21]


def test_side_by_side_in_threads() -> None:
    positions = [start for start, _ in early()]

    def solve(start: KlondikePosition) -> Any:
        found = find_shortest(start, nodes=60_000, mebibytes=MEBIBYTES)
        return found.moves, found.bound, found.nodes

    with ThreadPoolExecutor(3) as pool:
        together = list(pool.map(solve, positions))
    assert together == [(found.moves, found.bound, found.nodes) for _, found in early()]


def fingerprints() -> list[list[Any]]:
    found = []
    for start in starts(9, 25, 12):
        each = find_shortest(start, nodes=300, mebibytes=1)
        found.append(
            [each.length, each.bound, each.nodes, [str(move) for move in each.moves or ()]]
        )
    return found


def test_the_same_without_the_compiler(
    with_and_without_compiler: Callable[[str], tuple[Any, Any]],
) -> None:
    compiled, plain = with_and_without_compiler(
        "from test_solving import fingerprints\nfound = fingerprints()"
    )
    assert compiled == plain
    assert np.mean([each[0] is not None for each in plain]) > 0.5
