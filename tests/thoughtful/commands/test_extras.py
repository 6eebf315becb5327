"""Tests of a light install: what works without the extras, and what the other commands say."""

import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from paths import ROOT
from thoughtful.command_line import EXTRAS

# A module that is None in `sys.modules` cannot be imported.
_WITHOUT = f"""
import sys
sys.modules.update(dict.fromkeys({[each for names in EXTRAS.values() for each in names]}))
from thoughtful.command_line import run
sys.exit(run(sys.argv[1:]))
"""


def run_without_extras(place: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", _WITHOUT, *words], cwd=place, capture_output=True, text=True
    )


def test_every_library_of_an_extra_is_known() -> None:
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    for name, libraries in EXTRAS.items():
        listed = " ".join(declared["optional-dependencies"][name]).replace("-", "_")
        assert all(library in listed for library in libraries)
        assert not any(library in " ".join(declared["dependencies"]) for library in libraries)


@pytest.mark.slow
@pytest.mark.parametrize(
    "words",
    [
        ("deal", "thoughtful-1:42"),
        ("solve", "thoughtful-1:42"),
        ("hint", "thoughtful-1:42", "--json"),
        ("convert", "deal.txt", "--to", "pysolfc"),
        ("rulesets",),
        ("solvers",),
    ],
)
def test_questions_about_deals_need_no_extra(tmp_path: Path, words: tuple[str, ...]) -> None:
    (tmp_path / "deal.txt").write_text("thoughtful-1:42\n")
    ended = run_without_extras(tmp_path, *words)
    assert (ended.returncode, ended.stderr) == (0, "")


@pytest.mark.slow
def test_what_needs_an_extra_names_it(tmp_path: Path, initialised_sqlite: Path) -> None:
    shutil.copy(initialised_sqlite, tmp_path / "own.db")
    place = ("--database", "sqlite:///own.db")
    assert run_without_extras(tmp_path, "job", "submit", "thoughtful-1:0-3", *place).returncode == 0
    for words, extra in (
        (("sql", "SELECT 1", *place), "data"),
        (("export", "out", *place), "data"),
        (("runner", *place), "cluster"),
        (("dashboard", *place), "dashboard"),
    ):
        ended = run_without_extras(tmp_path, *words)
        assert (ended.returncode, ended.stdout) == (2, ""), words
        assert f"install thoughtful with its extra [{extra}]" in ended.stderr, words
        assert ended.stderr.count("\n") == 1
