"""Tests that a slip in the complete search of `spider-exact` would be noticed."""

import json
import os
import subprocess
import sys
from typing import Any

import pytest

from engine.rulesets import parse_ruleset
from engine.spider.referee import SpiderPosition
from engine.spider.rules import SpiderRules
from mutations import spider_exact
from mutations.spider_exact import SLIPS, Slip
from paths import DATA, ROOT
from patience import SECONDS
from solvers.spider import plain

# By the names of slips: ruleset, a position and its verdict, by `spider-plain`.
POSITIONS: dict[str, list[tuple[str, Any, str]]] = json.loads(
    (DATA / "spider-exact-slips.json").read_text()
)


def said(positions: list[tuple[str, Any, str]], slip: Slip | None) -> list[str]:
    """The verdicts of the complete search on positions, with a slip in its source or without."""
    path = "" if slip is None else str(ROOT / "solvers" / "spider" / "exact" / slip.file)
    texts = ("", "") if slip is None else (slip.old, slip.new)
    finished = subprocess.run(
        [sys.executable, spider_exact.__file__, path, *texts],
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        input="".join(json.dumps(each[:2]) + "\n" for each in positions),
        capture_output=True,
        text=True,
        check=False,
        timeout=SECONDS,
    )
    assert finished.returncode == 0, finished.stderr
    return finished.stdout.split("\n")[:-1]


@pytest.mark.parametrize("slip", SLIPS, ids=[slip.name for slip in SLIPS])
def test_a_slip_is_noticed(slip: Slip) -> None:
    positions = POSITIONS[slip.name]
    verdicts = [verdict for _, _, verdict in positions]
    pairs = zip(verdicts, said(positions, slip), strict=True)
    assert any(found not in (verdict, "gave_up") for verdict, found in pairs)


def test_without_a_slip_the_verdicts_are_right() -> None:
    positions = [each for some in POSITIONS.values() for each in some]
    for slug, data, verdict in positions:
        rules = parse_ruleset(slug)
        assert isinstance(rules, SpiderRules)
        position = SpiderPosition.from_json(data, rules)
        assert plain.solve_position(position, {"nodes": 20_000}).result.value == verdict
    assert said(positions, None) == [verdict for _, _, verdict in positions]
