"""Tests of games and solvers of other packages: entry points, and errors that name broken ones."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from engine.dealing.dealers import get_dealer
from engine.errors import BadInput
from engine.games import games, get_game
from engine.rulesets import named_rulesets
from paths import ROOT
from plug_in import BLACK_HOLE, PLUG_INS, installed
from samples import thorough_case
from solvers.registry import method_slugs, methods_of


def test_a_package_adds_a_game_and_its_solvers() -> None:
    with installed():
        assert [game.slug for game in games()].count(BLACK_HOLE) == 1
        assert named_rulesets()[BLACK_HOLE].game == BLACK_HOLE
        assert get_game(BLACK_HOLE) in get_dealer("thoughtful-1").games
        # Those that decide come first.
        slugs = [method.slug for method in methods_of(BLACK_HOLE)]
        assert slugs == ["black-hole-search", "black-hole-random"]
        assert set(slugs) < set(method_slugs())
        assert get_game(BLACK_HOLE).move_size == 1
    # Once the package is gone, the game of data whose place it took is back.
    assert {method.game for method in methods_of(BLACK_HOLE)} == {
        "patience"
    }  # a preset of that name
    assert get_game(BLACK_HOLE).move_size == 3
    with pytest.raises(BadInput, match=r"unknown game 'white-hole': expected one of \d+, such as"):
        get_game("white-hole")


@pytest.mark.parametrize(
    ("module", "reason"),
    [
        thorough_case("", "AttributeError("),
        thorough_case("import engine.missing", "ModuleNotFoundError("),
        ("1 +", "SyntaxE"),
    ],
)
def test_a_package_that_cannot_be_loaded_is_named(tmp_path: Path, module: str, reason: str) -> None:
    (tmp_path / "broken_game.py").write_text(module)
    metadata = tmp_path / "broken-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: broken\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text("[thoughtful.games]\nbroken = broken_game\n")

    def thoughtful(*arguments: str) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            [sys.executable, "-m", "thoughtful", *arguments],
            env={**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), str(tmp_path)])},
            capture_output=True,
            text=True,
        )

    listed = thoughtful("rulesets")
    assert listed.returncode == 2
    assert "klondike-draw3" in listed.stdout
    assert "Traceback" not in listed.stderr
    said = " ".join(listed.stderr.split())
    assert "'broken', an entry point of thoughtful.games in an installed package" in said
    assert reason in said
    # Other games go on.
    assert thoughtful("deal", "thoughtful-1:1").returncode == 0


def test_the_package_looks_installed() -> None:
    (metadata,) = PLUG_INS.glob("*.dist-info")
    assert {path.name for path in metadata.iterdir()} == {"METADATA", "entry_points.txt"}
