"""Tests that a slip in the source of `patience-exact` would be noticed."""

import json
from typing import Any

import pytest

from engine.patience.language import read_options
from engine.patience.positions import position_from_json
from engine.patience.rules import PatienceRules
from mutations import patience_exact
from mutations.patience_exact import SLIPS, Slip
from mutations.slipping import said_by
from paths import DATA, ROOT
from solvers.patience import plain

# By the names of slips: rules, a position and its verdict, by `patience-plain`.
POSITIONS: dict[str, list[tuple[Any, Any, str]]] = json.loads(
    (DATA / "patience-exact-slips.json").read_text()
)


def said(path: str, old: str, new: str, name: str) -> list[str]:
    """The answers on the positions of a slip, with a text of the source replaced."""
    lines = (each[:2] for each in POSITIONS[name])
    return said_by(patience_exact.__file__, path, old, new, lines=lines)


@pytest.mark.parametrize("slip", SLIPS, ids=[slip.name for slip in SLIPS])
def test_a_slip_is_noticed(slip: Slip) -> None:
    verdicts = [verdict for _, _, verdict in POSITIONS[slip.name]]
    path = str(ROOT / "solvers" / "patience" / slip.file)
    found = said(path, slip.old, slip.new, slip.name)
    wrong = [
        (verdict, answer)
        for verdict, answer in zip(verdicts, found, strict=True)
        if answer not in (verdict, "gave_up")
    ]
    assert wrong, f"{slip.name} changes nothing"


def test_without_a_slip_the_verdicts_are_right() -> None:
    for name, positions in POSITIONS.items():
        for rules, data, verdict in positions:
            ruleset = PatienceRules(read_options(rules), "random", "Random", "random")
            outcome = plain.solve_position(position_from_json(data, ruleset), {"nodes": 20_000})
            assert outcome.result.value == verdict, name
        found = said("", "", "", name)
        assert found == [verdict for _, _, verdict in positions], name
