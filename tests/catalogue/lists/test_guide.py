"""Tests of `docs/lists.md`: its commands, its code, its tables."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from catalogue.lists import binary_form
from catalogue.lists.forms import FORMS
from catalogue.lists.grades import CATEGORIES, UNDECIDED
from paths import ROOT
from patience import SECONDS
from readers import READERS, lacking, run
from seed_lists import as_bytes, header
from snippets import blocks_of, commands, parse

GUIDE = (ROOT / "docs" / "lists.md").read_text("utf-8")
BLOCKS = list(blocks_of("docs/lists.md", GUIDE))
COMMANDS = [answer.line for block in BLOCKS if block.language == "sh" for answer in commands(block)]


def blocks(language: str) -> list[str]:
    return [block.text for block in BLOCKS if block.language == language]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """An empty folder with the readers beside it, as somebody has them who copied them."""
    shutil.copytree(READERS, tmp_path / "readers")
    for path in READERS.iterdir():
        shutil.copy(path, tmp_path)
    grades = np.resize(np.array(sorted(CATEGORIES), np.uint8), 200)
    answer = header(0, 200, dealer="thoughtful-1")
    (tmp_path / "won.bin").write_bytes(as_bytes(binary_form.write, answer, grades))
    return tmp_path


def test_every_command_can_be_parsed() -> None:
    ours = [line for line in COMMANDS if line.startswith("thoughtful ")]
    assert len(ours) >= 8
    for line in ours:
        parse(line)
    for line in COMMANDS:
        assert line.startswith(("thoughtful ", "python ", "node ", "cc ", "./"))


def test_the_code_reads_a_list(folder: Path) -> None:
    python, javascript = (
        next(block for block in blocks(language) if "import" in block)
        for language in ("python", "js")
    )
    grade = sorted(CATEGORIES)[40 % len(CATEGORIES)]
    assert 1 <= grade <= 10
    ran = run([sys.executable, "-c", python], cwd=folder)
    assert re.findall(r"[\w-]+", ran.stdout) == ["spider-1", "yes", str(grade)], ran.stderr
    reason = lacking("javascript")
    if reason is not None:
        pytest.skip(f"the code in JavaScript cannot run: {reason}")
    (folder / "here.mjs").write_text(javascript)
    also = run(["node", "here.mjs"], cwd=folder)
    assert re.findall(r"[\w-]+", also.stdout) == re.findall(r"[\w-]+", ran.stdout), also.stderr


def test_tables_are_of_the_formats_and_grades() -> None:
    assert re.findall(r"^\| `(\w+)` \| .* \| [\d.]+ \|$", GUIDE, re.MULTILINE) == list(FORMS)
    answer = dict(re.findall(r"^\| ``(\w+)`` \|.*\| (\d+) \|$", GUIDE, re.MULTILINE))
    assert {word: int(number) for word, number in answer.items()} == UNDECIDED
    assert binary_form.MAGIC.hex(" ").upper() in GUIDE
    assert f"({binary_form.BLOCK:,})" in GUIDE


@pytest.mark.thorough
def test_the_guide_works_when_typed(folder: Path) -> None:
    """Every command, in order; the solver and the players have to be compiled."""
    (folder / "won.bin").unlink()
    environment = {
        **os.environ,
        "PATH": str(Path(sys.executable).parent) + os.pathsep + os.environ["PATH"],
        "THOUGHTFUL_DATABASE_URL": f"sqlite:///{folder / 'guide.db'}",
    }
    needed = {"node": "javascript", "cc": "c", "./": "c"}
    for line in COMMANDS:
        language = next((needed[word] for word in needed if line.startswith(word)), None)
        if language is not None and lacking(language) is not None:
            continue
        # The usual players take minutes; what follows is the same.
        quick = " -p random -p greedy" if " difficulty fit " in line else ""
        ended = subprocess.run(
            line + quick, shell=True, cwd=folder, env=environment, capture_output=True, text=True,
            timeout=SECONDS,
        )  # fmt: skip
        assert ended.returncode == 0, f"{line}\n{ended.stdout}\n{ended.stderr}"
    made = folder / "klondike_solvable_seeds.py"
    shown = next(block for block in blocks("text") if "covering" in block)
    for line in shown.splitlines():
        assert line.rstrip(" …") in made.read_text()
