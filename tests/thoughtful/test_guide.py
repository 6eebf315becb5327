"""Tests of docs/python.md, of the types, and of the pictures for notebooks."""

import doctest
import html
import importlib
import re
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import typer

import thoughtful
from command_line import commands
from paths import ROOT
from patience import SECONDS
from thoughtful import command_line

if TYPE_CHECKING:
    from playwright.sync_api import Page

GUIDE = (ROOT / "docs" / "python.md").read_text(encoding="utf-8")
pytestmark = pytest.mark.slow


def named(text: str) -> Any:
    """What a name of the guide stands for; Deal, Solution and Catalogue are the package's."""
    found: Any = thoughtful
    for part in text.removeprefix("thoughtful.").split("."):
        found = getattr(found, part)
    return found


def test_every_command_is_in_the_guide() -> None:
    rows = re.findall(r"^\| `thoughtful ([a-z -]+)` \| (.*) \|$", GUIDE, re.MULTILINE)
    for _, answer in rows:
        for name in re.findall(r"`([A-Za-z_.]+)`", answer):
            assert callable(named(name)), name
    rest = GUIDE.rpartition("Only on the command line are")[2]
    alone = set(re.findall(r"`([a-z -]+)`", rest))
    mirrored = [command for command, _ in rows]
    assert len(mirrored) == len(set(mirrored))
    assert sorted([*mirrored, *alone]) == sorted(
        " ".join(path) for path in commands(typer.main.get_command(command_line.application()))
    )


def test_public_names_are_loaded_from_where_they_are_defined() -> None:
    assert set(thoughtful._HOMES) == set(thoughtful.__all__)
    for name, home in thoughtful._HOMES.items():
        assert getattr(thoughtful, name) is getattr(importlib.import_module(home), name)
    assert thoughtful.__version__ == thoughtful.version()
    with pytest.raises(AttributeError, match="no attribute 'solver'"):
        _ = thoughtful.solver


def test_examples_in_docstrings_print_what_they_show() -> None:
    """Of every module of ours that has one."""
    modules = [
        ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
        for package in ("engine", "solvers", "catalogue", "dashboard", "thoughtful")
        for path in (ROOT / package).rglob("*.py")
        if ">>> " in path.read_text("utf-8")
    ]
    assert "thoughtful" in modules
    for name in modules:
        tried = doctest.testmod(importlib.import_module(name))
        assert tried.attempted > 0
        assert tried.failed == 0, name


def test_what_is_public_is_documented() -> None:
    assert sorted(thoughtful.__all__) == thoughtful.__all__
    for name in thoughtful.__all__:
        found = getattr(thoughtful, name)
        assert found.__doc__, name
        if isinstance(found, type) and found.__module__.startswith("thoughtful"):
            for inner, value in vars(found).items():
                if callable(value) and not inner.startswith("_"):
                    assert value.__doc__, f"{name}.{inner}"


@pytest.mark.thorough
def test_the_guide_works_when_pasted(tmp_path: Path) -> None:
    # A page is one session; what has a guard is a script.
    blocks = re.findall(r"^```python\n(.*?)^```", GUIDE, re.DOTALL | re.MULTILINE)
    assert len(blocks) >= 7
    for number, text in enumerate(
        ["\n".join(b for b in blocks if "__main__" not in b)]
        + [b for b in blocks if "__main__" in b]
    ):
        script = tmp_path / f"session{number}.py"
        script.write_text(text)
        ended = subprocess.run(
            [sys.executable, script.name],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=SECONDS,
        )
        assert ended.returncode == 0, ended.stderr
        if not number:
            assert "['T', '5F', '54']" in ended.stdout
            assert "no face-up card of column 1 fits on column 2" in ended.stdout


@pytest.mark.thorough
def test_a_typed_script_is_checked(tmp_path: Path) -> None:
    script = tmp_path / "typed.py"
    script.write_text(
        "import thoughtful\n\n"
        "moves: list[str] = thoughtful.position('pysolfc:1').legal_moves()\n"
        "outcome = thoughtful.solve('pysolfc:1')\n"
        "if outcome.solution is not None:\n"
        "    first: str = outcome.solution[0]\n"
        "nodes: str = outcome.nodes\n"
    )
    ended = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--follow-imports=silent", str(script)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=SECONDS,
    )
    assert ended.stdout.count("error:") == 1, ended.stdout
    assert "typed.py:7: error" in ended.stdout


@pytest.mark.parametrize("rules", ["klondike-draw3", "spider-2"])
def test_a_picture_shows_every_card_once(rules: str) -> None:
    position = thoughtful.deal("thoughtful-1:8", rules).position
    tree = ET.fromstring(position.svg())
    space = {"svg": "http://www.w3.org/2000/svg"}
    shown = []
    for group in tree.findall("svg:g", space):
        rank, suit, corner = (text.text for text in group.findall("svg:text", space))
        assert suit == corner
        shown.append(f"{rank}{suit}")
    data = position.to_json()
    names = re.findall(r"'([2-9TJQKA][CDSH])'", str(data))
    signs = {"C": "♣", "D": "♦", "S": "♠", "H": "♥"}
    assert sorted(shown) == sorted(
        f"{'10' if name[0] == 'T' else name[0]}{signs[name[1]]}" for name in names
    )
    assert len(shown) == (52 if rules.startswith("klondike") else 104)
    title = tree.find("svg:title", space)
    assert title is not None
    assert rules in str(title.text)
    assert position._repr_html_() == position.svg()


@pytest.mark.thorough
def test_a_notebook_steps_through_a_solution(page: "Page") -> None:
    from playwright.sync_api import expect

    solution = thoughtful.solve("thoughtful-1:42").solution
    assert solution is not None
    problems: list[str] = []
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.set_content(f"<!doctype html><title>Notebook</title>{solution._repr_html_()}")
    inside = page.frame_locator("iframe")
    expect(inside.get_by_test_id("count")).to_have_text(f"0 / {len(solution)}")
    inside.get_by_label("One move forward").click()
    expect(inside.get_by_test_id("sentence")).to_contain_text(f"Move 1 ({solution[0]})")
    inside.get_by_label("Last position").click()
    expect(inside.get_by_test_id("sentence")).to_contain_text("All four foundations are full")
    # The frame is as high as what it holds, so that nothing scrolls within it.
    page.wait_for_function(
        "() => { const frame = document.querySelector('iframe');"
        " const inner = frame.contentDocument.documentElement;"
        " return frame.clientHeight >= inner.scrollHeight; }"
    )
    assert problems == []
    # It may stand in an attribute, and in a file by itself.
    assert html.unescape(solution._repr_html_().split('srcdoc="')[1].split('" title')[0]) == (
        solution.html()
    )
