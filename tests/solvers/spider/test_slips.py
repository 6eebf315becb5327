"""Tests that a slip in the complete search of `spider-exact` would be noticed."""

import json
from itertools import starmap
from typing import Any

import pytest

from engine.rulesets import parse_ruleset
from engine.spider.referee import SpiderPosition
from engine.spider.rules import SpiderRules
from mutations import spider_exact
from mutations.mutation import Slip
from mutations.slipping import NONE, said_of, wrong
from mutations.spider_exact import SLIPS
from paths import DATA, ROOT
from solvers.spider import plain

# By the names of slips: ruleset, a position and its verdict, by `spider-plain` where it has one.
POSITIONS: dict[str, list[tuple[str, Any, str]]] = json.loads(
    (DATA / "spider-exact-slips.json").read_text()
)

FOLDER = ROOT / "solvers" / "spider" / "exact"


@pytest.fixture(scope="module")
def said() -> dict[str, list[str]]:
    """By the names of slips, the answers on their positions; by NONE, those without a slip."""
    return said_of(spider_exact.__file__, FOLDER, SLIPS, POSITIONS)


def test_the_program_without_a_slip_gives_all_verdicts(said: dict[str, list[str]]) -> None:
    verdicts = [verdict for some in POSITIONS.values() for _, _, verdict in some]
    assert not any(starmap(wrong, zip(said[NONE], verdicts, strict=True)))


@pytest.mark.parametrize("slip", SLIPS, ids=[slip.name for slip in SLIPS])
def test_a_slip_is_noticed(slip: Slip, said: dict[str, list[str]]) -> None:
    verdicts = [verdict for _, _, verdict in POSITIONS[slip.name]]
    found = zip(said[slip.name], verdicts, strict=True)
    assert any(starmap(wrong, found)), f"{slip.name} changes nothing"


@pytest.mark.parametrize("name", POSITIONS)
def test_without_a_slip_the_verdicts_are_right(name: str) -> None:
    for slug, data, verdict in POSITIONS[name]:
        assert spider_exact.verdict(slug, data) == verdict
        rules = parse_ruleset(slug)
        assert isinstance(rules, SpiderRules)
        outcome = plain.solve_position(SpiderPosition.from_json(data, rules), {"nodes": 500})
        assert outcome.result.value in (verdict, "gave_up")
