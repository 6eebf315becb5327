"""Tests of the solvers of Spider on small Spiders, all positions of which can be visited."""

import json
from collections import Counter
from typing import Any

import pytest

from mutations import small_spider
from mutations.slipping import said_by
from patience import SECONDS
from samples import sizes


def decided(*arguments: object) -> list[dict[str, Any]]:
    """What all solvers make of small deals; for the arguments see `mutations.small_spider`."""
    said = said_by(small_spider.__file__, *map(str, arguments), seconds=5 * SECONDS)
    return [json.loads(line) for line in said]


@pytest.mark.parametrize("count", sizes(24, 600))
@pytest.mark.parametrize(("columns", "ranks", "runs"), [(3, 4, 2), (3, 5, 2), (4, 4, 3), (4, 3, 3)])
def test_every_solver_decides_as_all_positions_do(
    columns: int, ranks: int, runs: int, count: int
) -> None:
    met = Counter[tuple[str, bool]]()
    dead = gave_up = 0
    for deal in decided(columns, ranks, runs, count, "small"):
        verdict = deal["exhausted"]
        assert (deal["plain"], deal["complete"]) == (verdict, verdict), deal
        assert deal["exact"] in (verdict, "gave_up"), deal
        met[verdict, deal["rows"]] += 1
        dead += deal["dead"]
        gave_up += deal["exact"] == "gave_up"
    assert len(met) >= 3, met
    assert dead > 0
    assert gave_up <= count // 10


@pytest.mark.parametrize("count", sizes(12, 24))
def test_dead_ends_need_more_columns_than_runs(count: int) -> None:
    """The proof of dead ends says so: with four of each, some deals that can be won look dead."""
    found = decided(4, 3, 4, count, "c")
    assert any((deal["exhausted"], deal["complete"]) == ("won", "unwinnable") for deal in found)
    without = decided(4, 3, 4, count, "c", "no-dead-ends")
    assert all(deal["exhausted"] == deal["complete"] for deal in without)
