"""Tests of `exact-plain` where face-down cards turn up in a given order."""

import random
from collections import Counter
from collections.abc import Sequence
from functools import cache

import pytest

from engine.errors import BadInput
from engine.klondike.deal import COLUMNS
from engine.klondike.moves import unpack_solution
from engine.klondike.referee import KlondikePosition
from engine.klondike.rules import parse_klondike
from engine.replay import positions
from klondike_rulesets import ruled_position
from samples import sizes
from solvers.klondike.exact_plain import method as exact_plain
from solvers.klondike.exact_plain.dead_ends import is_dead_end
from solvers.klondike.exact_plain.method import Turning
from solvers.outcome import Result
from twins.search import naive_verdict, turns_in_order

RULESETS = (
    "klondike-draw3",
    "klondike-draw1",
    "klondike-draw2-no-worrying-back-build-same-suit",
    "klondike-draw3-whole-runs",
    "klondike-draw1-spaces-none",
    "klondike-draw3-build-any-suit",
)


def some_order(chooser: random.Random, position: KlondikePosition) -> Turning | None:
    """An order in which some of the face-down cards turn up."""
    is_whole = chooser.random() < 0.5
    ordered = [len(down) if is_whole else chooser.randint(0, len(down)) for down in position.down]
    columns = [k for k in range(COLUMNS) for _ in range(ordered[k])]
    if not columns:
        return None
    chooser.shuffle(columns)
    order = columns if is_whole else columns[: chooser.randint(1, len(columns))]
    return Turning(order, ordered, chooser.random() < 0.5)


def turned(position: KlondikePosition, moves: bytes, ordered: Sequence[int]) -> list[int]:
    """The columns in which a line turns up ordered cards, one by one."""
    found = []
    line = positions(position, unpack_solution(moves))
    before = next(line)
    for after in line:
        for k in range(COLUMNS):
            left = min(len(before.down[k]), ordered[k])
            found += [k] * (left - min(len(after.down[k]), ordered[k]))
        before = after
    return found


@cache
def decided(slug: str, count: int) -> list[tuple[KlondikePosition, Turning, bool]]:
    """The positions, of so many drawn, and their orders that exhaustive search decides."""
    rules, chooser = parse_klondike(slug), random.Random(f"order {slug}")
    found = []
    for _ in range(count):
        position = ruled_position(chooser, rules, chooser.randint(8, 26))
        asked = some_order(chooser, position)
        if asked is None:
            continue
        verdict = naive_verdict(position, 1_000, allows=turns_in_order(*asked))
        if verdict is not None:
            found.append((position, asked, verdict))
    return found


@pytest.mark.parametrize("count", sizes(120, 1_500))
@pytest.mark.parametrize(
    ("slug", "merge"),
    # Without merging, the search of building by any suit is open, and has no order.
    [(slug, merge) for slug in RULESETS for merge in (1, 0) if merge or "any-suit" not in slug],
)
def test_agrees_with_exhaustive_search(slug: str, merge: int, count: int) -> None:
    values = {"nodes": 100_000, "memory_mib": 8, "merge": merge}
    met = Counter[str]()
    for position, asked, verdict in decided(slug, count):
        found = exact_plain.decide_in_order(position, asked, values)
        assert found.result is (Result.WON if verdict else Result.UNWINNABLE), (position, asked)
        if found.moves is not None:
            order = asked.order
            assert turned(position, found.moves, asked.ordered)[: len(order)] == order
        elif exact_plain.solve_position(position, values).result is Result.WON:
            met["lost by the order"] += 1
            board = exact_plain.board_in_order(position, asked, merge)
            met["and dead"] += bool(is_dead_end(board))
        met["won" if verdict else "lost"] += 1
    assert min(met["won"], met["lost by the order"]) >= count // 120, met
    assert met["and dead"] > 0, met


def test_what_is_no_order_is_refused() -> None:
    position = ruled_position(random.Random("none"), parse_klondike("klondike-draw3"))
    downs = [len(down) for down in position.down]
    for order, ordered in (([], downs), ([7], downs), ([0], [n + 1 for n in downs])):
        with pytest.raises(BadInput, match="does not fit"):
            exact_plain.decide_in_order(
                position, Turning(order, ordered), {"nodes": 1, "memory_mib": 1, "merge": 1}
            )


def test_an_open_search_has_no_order() -> None:
    rules = parse_klondike("klondike-draw1-spaces-any")
    position = ruled_position(random.Random("open"), rules)
    with pytest.raises(BadInput, match="no order of turning"):
        exact_plain.decide_in_order(
            position, Turning([1], [0] * COLUMNS), {"nodes": 1, "memory_mib": 1, "merge": 1}
        )
