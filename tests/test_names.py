"""Every dotted name, private name and file that is named in backticks exists."""

import ast
import importlib
import re
from collections import defaultdict
from collections.abc import Iterator
from functools import cache

import pytest

from paths import ROOT

PACKAGES = ("engine", "solvers", "catalogue", "dashboard", "migrations", "thoughtful")
PACKAGES += ("benchmarks", "tests")
# Single backticks alone: double ones hold values and code of any kind.
QUOTED = re.compile(r"(?<!`)`([^`\n]+)`(?!`)")
DOTTED = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+(?:\(\))?")
PRIVATE = re.compile(r"_[a-z]\w+(?:\(\))?", re.IGNORECASE)
FILE = re.compile(r"(?:[\w.<>-]+/)*[\w.<>-]+\.(?:py|js|css|html|md|toml|ini|cpp|txt)")
FOLDER = re.compile(r"(?:[\w.<>-]+/){2,}")
# Documents write ``<game>`` for each of these.
GAMES = ("klondike", "spider")


@cache
def texts() -> dict[str, str]:
    """Every Python and Markdown file of the tree, by its path."""
    files = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "docs").rglob("*.py")]
    for package in PACKAGES:
        files += (ROOT / package).rglob("*.py")
    return {str(path.relative_to(ROOT)): path.read_text("utf-8") for path in sorted(files)}


def module_of(path: str) -> str:
    return path.removesuffix(".py").replace("/", ".").removesuffix(".__init__")


class Names:
    """The names that a source defines, without importing it.

    Attributes:
        own: top-level name -> the full dotted name that it stands for.
        members: class -> its attributes and methods, fields of instances included.
        arguments: every argument and local variable of a function.
        identifiers: every name that occurs at all.
    """

    def __init__(self, module: str, source: str) -> None:
        self.own: dict[str, str] = {}
        self.members: dict[str, set[str]] = defaultdict(set)
        self.arguments: set[str] = set()
        self.identifiers: set[str] = set()
        tree = ast.parse(source)
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom):
                for alias in node.names:
                    self.own[alias.asname or alias.name] = f"{node.module}.{alias.name}"
            elif isinstance(node, ast.Import):
                for alias in node.names:
                    full = alias.name if alias.asname else alias.name.split(".")[0]
                    self.own[alias.asname or full] = full
            elif isinstance(node, ast.ClassDef):
                self._add_members(node)
                self.identifiers.add(node.name)
            elif isinstance(node, ast.arg):
                self.arguments.add(node.arg)
            elif isinstance(node, ast.Name):
                self.identifiers.add(node.id)
                if isinstance(node.ctx, ast.Store):
                    self.arguments.add(node.id)
            elif isinstance(node, ast.FunctionDef):
                self.identifiers.add(node.name)
            elif isinstance(node, ast.Attribute):
                self.identifiers.add(node.attr)
        self.identifiers |= self.arguments
        for name in top_level(tree.body):
            self.own[name] = f"{module}.{name}"

    def _add_members(self, made: ast.ClassDef) -> None:
        members = self.members[made.name]
        for node in ast.walk(made):
            if isinstance(node, ast.FunctionDef | ast.ClassDef) and node is not made:
                members.add(node.name)
            elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                members.add(node.id)
            elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
                members.add(node.attr)
        for base in made.bases:
            if isinstance(base, ast.Name) and base.id in self.members:
                members |= self.members[base.id]


def top_level(body: list[ast.stmt]) -> Iterator[str]:
    """The names that statements of a module define, inside ``if`` and ``try`` too."""
    for node in body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
                yield from (each.id for each in ast.walk(target) if isinstance(each, ast.Name))
        elif isinstance(node, ast.If | ast.Try | ast.With):
            yield from top_level(node.body)
            yield from top_level(getattr(node, "orelse", []))


@cache
def sources() -> dict[str, Names]:
    """The names of every module of the tree, by the module's full name."""
    return {
        module_of(path): Names(module_of(path), text)
        for path, text in texts().items()
        if path.endswith(".py")
    }


def exists(name: str, module: str | None) -> bool:
    """Whether a dotted name exists, as it is or as the module where it stands would read it."""
    first, *rest = name.removesuffix("()").split(".")
    here = sources().get(module or "")
    if here is not None:
        if first in here.own and known([*here.own[first].split("."), *rest]):
            return True
        if first in here.members and rest[0] in here.members[first]:
            return True
        # An argument: some class of the tree has to have what is asked of it.
        if first in here.arguments and any(
            rest[0] in members for each in sources().values() for members in each.members.values()
        ):
            return True
    if known([first, *rest]):
        return True
    # The last part of a module's name, or a class wherever it stands.
    return any(
        known([*each.split("."), *rest]) for each in sources() if each.endswith(f".{first}")
    ) or any(rest[0] in each.members.get(first, ()) for each in sources().values())


def known(parts: list[str]) -> bool:
    """Whether full dotted names lead to something: in the tree, or in an installed package."""
    if parts[0] not in PACKAGES and f"tests.{parts[0]}" in sources():
        parts = ["tests", *parts]
    if parts[0] not in PACKAGES:
        return in_the_world(tuple(parts))
    for length in range(len(parts), 0, -1):
        module = sources().get(".".join(parts[:length]))
        if module is None:
            continue
        rest = parts[length:]
        if not rest:
            return True
        if rest[0] not in module.own:
            break
        target = module.own[rest[0]].split(".")
        if target != parts[: length + 1]:
            return known([*target, *rest[1:]])
        return len(rest) == 1 or (
            rest[0] not in module.members or rest[1] in module.members[rest[0]]
        )
    # A package without code of its own.
    return any(module.startswith(".".join(parts) + ".") for module in sources())


@cache
def in_the_world(parts: tuple[str, ...]) -> bool:
    for length in range(len(parts), 0, -1):
        try:
            found = importlib.import_module(".".join(parts[:length]))
        except ImportError:
            continue
        for part in parts[length:]:
            if not hasattr(found, part):
                return False
            found = getattr(found, part)
        return True
    return False


@cache
def files() -> frozenset[str]:
    skipped = {".venv", ".git", "__pycache__", "build"}
    return frozenset(
        str(path.relative_to(ROOT))
        for path in ROOT.rglob("*")
        if path.is_file() and not skipped & set(path.relative_to(ROOT).parts)
    )


def is_there(path: str) -> bool:
    """Whether a file of the tree has this path, or ends with it, for every game; or a folder."""
    if "<game>" in path:
        return all(is_there(path.replace("<game>", game)) for game in GAMES)
    if path.endswith("/"):
        return any(f"/{each}".find(f"/{path}") >= 0 for each in files())
    return any(each == path or each.endswith(f"/{path}") for each in files())


def faults(text: str, module: str | None) -> list[str]:
    """Names in a text's backticks that lead to nothing."""
    found = []
    for name in QUOTED.findall(text):
        if FILE.fullmatch(name) or FOLDER.fullmatch(name):
            right = is_there(name)
        elif DOTTED.fullmatch(name):
            right = exists(name, module)
        elif PRIVATE.fullmatch(name):
            bare = name.removesuffix("()")
            right = any(bare in each.identifiers for each in sources().values())
        else:
            continue
        if not right:
            found.append(name)
    return found


def test_names_in_backticks_exist() -> None:
    wrong = {
        path: faults(text, module_of(path) if path.endswith(".py") else None)
        for path, text in texts().items()
        if path != "CHANGELOG.md"  # it tells of names that are gone
    }
    assert len(wrong) > 300
    assert {path: names for path, names in wrong.items() if names} == {}


@pytest.mark.parametrize(
    "name",
    [
        "Game.pack_all",
        "exact_position.every_table",
        "engine.games.no_such",
        "_bare_cards_of_old",
        "engine/no_such.py",
        "engine/<game>/no_such.py",
        "engine/no_such/",
        "numpy.no_such",
    ],
)
def test_a_name_that_leads_nowhere_is_seen(name: str) -> None:
    assert faults(f"see `{name}` there", "engine.games") == [name]


@pytest.mark.parametrize(
    "name",
    [
        "Game.pack",
        "engine.game.Game.pack",
        "engine.games",
        "engine.klondike",
        "games.get_game",
        "numpy.random",
        "engine/games.py",
        "games.py",
        "engine/<game>/rules.py",
        "solvers/<game>/",
        "x = a.b",
    ],
)
def test_a_name_that_leads_somewhere_is_left_alone(name: str) -> None:
    assert faults(f"see `{name}` there, and ``Double.backticks``", "engine.games") == []
