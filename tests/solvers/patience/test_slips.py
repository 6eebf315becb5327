"""Tests that a slip in the source of `patience-exact` would be noticed."""

import json
from itertools import starmap
from typing import Any

import pytest

from engine.patience.language import read_options
from engine.patience.positions import position_from_json
from engine.patience.rules import PatienceRules
from mutations import patience_exact
from mutations.mutation import Slip
from mutations.patience_exact import SLIPS
from mutations.slipping import NONE, said_of, wrong
from paths import DATA, ROOT
from solvers.patience import plain

# By the names of slips: rules, a position and its verdict, by `patience-plain`.
POSITIONS: dict[str, list[tuple[Any, Any, str]]] = json.loads(
    (DATA / "patience-exact-slips.json").read_text()
)

FOLDER = ROOT / "solvers" / "patience"


@pytest.fixture(scope="module")
def said() -> dict[str, list[str]]:
    """By the names of slips, the answers on their positions; by NONE, those without a slip."""
    return said_of(patience_exact.__file__, FOLDER, SLIPS, POSITIONS)


def test_the_program_without_a_slip_gives_all_verdicts(said: dict[str, list[str]]) -> None:
    verdicts = [verdict for some in POSITIONS.values() for _, _, verdict in some]
    assert not any(starmap(wrong, zip(said[NONE], verdicts, strict=True)))


@pytest.mark.parametrize("slip", SLIPS, ids=[slip.name for slip in SLIPS])
def test_a_slip_is_noticed(slip: Slip, said: dict[str, list[str]]) -> None:
    verdicts = [verdict for _, _, verdict in POSITIONS[slip.name]]
    found = zip(said[slip.name], verdicts, strict=True)
    assert any(starmap(wrong, found)), f"{slip.name} changes nothing"


def test_without_a_slip_the_verdicts_are_right() -> None:
    for name, positions in POSITIONS.items():
        for rules, data, verdict in positions:
            ruleset = PatienceRules(read_options(rules), "random", "Random", "random")
            outcome = plain.solve_position(position_from_json(data, ruleset), {"nodes": 20_000})
            assert outcome.result.value == verdict, name
            assert patience_exact.verdict(rules, data) == verdict, name
