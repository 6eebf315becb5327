"""Tests of what the shell completes, through the protocol by which a shell asks."""

import os
import subprocess
import sys

import pytest

from engine.dealing.dealers import dealers
from engine.games import games
from solvers.registry import method_slugs

RULESETS = sorted(slug for game in games() for slug in game.rulesets.presets)


def completed(line: str) -> list[str]:
    """What a shell offers at the end of a line."""
    words = line.split(" ")
    found = subprocess.run(
        [sys.executable, "-m", "thoughtful"],
        env={
            **os.environ,
            "_THOUGHTFUL_COMPLETE": "complete_bash",
            "COMP_WORDS": line,
            "COMP_CWORD": str(len(words) - 1),
            # Nothing that it does not need may be loaded.
            "PYTHONPROFILEIMPORTTIME": "1",
        },
        capture_output=True,
        text=True,
        check=False,
    )
    loaded = {each.rpartition("|")[2].strip() for each in found.stderr.splitlines() if "|" in each}
    assert not {"numba", "sqlalchemy", "pandas", "scipy", "streamlit", "dask"} & loaded
    rest = [each for each in found.stderr.splitlines() if not each.startswith("import time:")]
    assert rest == []
    return found.stdout.split()


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("thoughtful solve --rules kl", [s for s in RULESETS if s.startswith("kl")]),
        ("thoughtful bounds -r spider-", [s for s in RULESETS if s.startswith("spider-")]),
        (
            "thoughtful solve --rules klondike-draw4-b",
            ["klondike-draw4-build-any-suit", "klondike-draw4-build-same-suit"],
        ),
        (
            "thoughtful solve --rules klondike-draw3-whole-runs-spaces",
            ["klondike-draw3-whole-runs-spaces-any", "klondike-draw3-whole-runs-spaces-none"],
        ),
        ("thoughtful solve --solver ", method_slugs()),
        ("thoughtful hint x --player exact-u", ["exact-uct"]),
        ("thoughtful find --dealer ", sorted(dealers())),
        ("thoughtful find --level 1", ["1", "10"]),
        ("thoughtful puzzle --theme e", ["empty-column"]),
        ("thoughtful deal pys", ["pysolfc:"]),
        ("thoughtful deal pysolfc:1 --format solv", ["solvitaire"]),
        ("thoughtful solve x --notation minimal", ["minimal-klondike"]),
        ("thoughtful export deals --status un", ["unresolved", "unwinnable"]),
        ("thoughtful dataset build x --format par", ["parquet"]),
        ("thoughtful hin", ["hint"]),
        ("thoughtful solve --rules nothing-like-it", []),
    ],
)
def test_values_complete(line: str, expected: list[str]) -> None:
    assert completed(line) == expected
