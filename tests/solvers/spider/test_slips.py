"""Tests that a slip in the complete search of `spider-exact` would be noticed."""

import json
from typing import Any

import pytest

from engine.rulesets import parse_ruleset
from engine.spider.referee import SpiderPosition
from engine.spider.rules import SpiderRules
from mutations import spider_exact
from mutations.slipping import said_by, wrong
from mutations.spider_exact import SLIPS, Slip
from paths import DATA, ROOT
from solvers.spider import plain

# By the names of slips: ruleset, a position and its verdict, by `spider-plain` where it has one.
POSITIONS: dict[str, list[tuple[str, Any, str]]] = json.loads(
    (DATA / "spider-exact-slips.json").read_text()
)


def said(path: str, old: str, new: str, name: str) -> list[str]:
    """The answers on the positions of a slip, with a text of the source replaced."""
    lines = (each[:2] for each in POSITIONS[name])
    return said_by(spider_exact.__file__, path, old, new, lines=lines)


@pytest.mark.parametrize("slip", SLIPS, ids=[slip.name for slip in SLIPS])
def test_a_slip_is_noticed(slip: Slip) -> None:
    path = str(ROOT / "solvers" / "spider" / "exact" / slip.file)
    found = said(path, slip.old, slip.new, slip.name)
    verdicts = [verdict for _, _, verdict in POSITIONS[slip.name]]
    assert any(map(wrong, found, verdicts)), f"{slip.name} changes nothing"


@pytest.mark.parametrize("name", POSITIONS)
def test_without_a_slip_the_verdicts_are_right(name: str) -> None:
    verdicts = [verdict for _, _, verdict in POSITIONS[name]]
    assert said("", "", "", name) == verdicts
    for slug, data, verdict in POSITIONS[name]:
        rules = parse_ruleset(slug)
        assert isinstance(rules, SpiderRules)
        outcome = plain.solve_position(SpiderPosition.from_json(data, rules), {"nodes": 500})
        assert outcome.result.value in (verdict, "gave_up")
