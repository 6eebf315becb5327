"""Tests that a slip in the source of `patience-exact` would be noticed."""

import json
from itertools import starmap
from typing import Any

import pytest

from engine.patience.language import read_options
from engine.patience.positions import position_from_json
from engine.patience.rules import PatienceRules
from mutations import patience_exact
from mutations.patience_exact import SLIPS, Slip
from mutations.slipping import answers, wrong
from paths import DATA, ROOT
from solvers.patience import plain

# By the names of slips: rules, a position and its verdict, by `patience-plain`.
POSITIONS: dict[str, list[tuple[Any, Any, str]]] = json.loads(
    (DATA / "patience-exact-slips.json").read_text()
)

NONE = ""


@pytest.fixture(scope="module")
def said() -> dict[str, list[str]]:
    """By the names of slips, the answers on their positions with the slip in the source.

    By NONE, those on all positions in turn, by the same program without a slip.
    """
    folder = ROOT / "solvers" / "patience"
    lines = [
        (str(folder / slip.file), slip.old, slip.new, [each[:2] for each in POSITIONS[slip.name]])
        for slip in SLIPS
    ]
    path, old = str(folder / SLIPS[0].file), SLIPS[0].old
    lines.append((path, old, old, [each[:2] for some in POSITIONS.values() for each in some]))
    return dict(
        zip(
            (*(slip.name for slip in SLIPS), NONE),
            answers(patience_exact.__file__, lines),
            strict=True,
        )
    )


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
