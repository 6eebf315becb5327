"""The map and the glossary of `docs/architecture.md`: whole, short, and one word for one thing."""

import re

import pytest

from paths import ROOT
from test_architecture import ALLOWED, modules

PAGE = (ROOT / "docs" / "architecture.md").read_text("utf-8")


def section(first: str, end: str) -> str:
    """The text of the page from a heading to another one."""
    return PAGE[PAGE.index(f"\n## {first}\n") : PAGE.index(f"\n## {end}\n")]


MAP = section("Map", "Recipes")


def glossary() -> list[tuple[str, str, tuple[str, ...]]]:
    """Word, meaning, and the words that do not stand for it, of each row of the glossary."""
    rows = PAGE[PAGE.index("\n## Glossary\n") :].splitlines()
    found = []
    for row in rows:
        if row.startswith("| ") and not row.startswith("| word "):
            word, meaning, others = (cell.strip() for cell in row.strip("|").split(" |"))
            found.append((word, meaning, tuple(filter(None, others.split(", ")))))
    return found


def test_the_map_is_short() -> None:
    assert len([word for word in MAP.split() if re.search(r"\w", word)]) <= 800


@pytest.mark.parametrize("package", sorted(ALLOWED))
def test_the_map_names_every_folder(package: str) -> None:
    folders = {path.parent.relative_to(ROOT) for path in modules(package).values()}
    heading = "Around them" if package == "migrations" else package
    part = MAP[MAP.index(f"\n### {heading}") + 1 :].partition("\n### ")[0]
    missing = [
        folder.as_posix()
        for folder in folders
        if folder.as_posix() != package and f"{folder.name}/" not in part
    ]
    assert missing == []


def test_the_glossary_has_each_word_once() -> None:
    words = [word for word, _, _ in glossary()]
    assert len(words) > 35
    assert all(meaning for _, meaning, _ in glossary())
    assert sorted(set(words)) == sorted(words)
