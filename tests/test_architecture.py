"""Tests of imports: thoughtful → dashboard → catalogue → solvers → engine, and migrations."""

import ast
import re
import subprocess
import sys
import tomllib
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from engine.games import games
from paths import ROOT
from solvers.registry import method_slugs

# Our packages or modules that each package may import.
ALLOWED = {
    "engine": {"engine"},
    "solvers": {"solvers", "engine"},
    "catalogue": {"catalogue", "solvers", "engine"},
    "dashboard": {"dashboard", "catalogue", "solvers", "engine"},
    "thoughtful": {"thoughtful", "dashboard.viewer", "catalogue", "solvers", "engine"},
    "migrations": {
        "migrations",
        "catalogue.schema",
        "catalogue.blocks",
        "catalogue.outcomes.compression",
        "catalogue.outcomes.following",
        "catalogue.outcomes.seals",
    },
}
# The newest revision may also use the writers of today's tables; the next one that changes a table
# which they write gives it tables of its own, as 0011 has.
NEWEST = "migrations.versions.v0013_imported_blocks"
WRITERS = {"catalogue.outcomes.block_rows", "catalogue.outcomes.ledger"}
# What the compiled referees may rest on: cards, deals, rules, and what every kernel needs.
SHARED_WITH_CHECKERS = (
    *("cards", "checkers", "deal", "errors", "game", "replay", "text.move_lists"),
    *("kernels.cache", "kernels.compiler", "kernels.compiling", "kernels.decorators"),
    *("kernels.keeping", "kernels.linking"),
)
SQL = {"sqlalchemy", "alembic", "sqlite3", "psycopg"}
STATISTICS = {"scipy", "statsmodels"}
# Third-party packages that each package must not import.
FOREIGN = {
    "engine": SQL | {"dask", "distributed", "streamlit"},
    "solvers": SQL | {"dask", "distributed", "streamlit"},
    "catalogue": {"streamlit"},
    "dashboard": SQL | STATISTICS,
    "thoughtful": SQL | STATISTICS | {"streamlit", "distributed"},
}


@cache
def imported(source: str, module: str) -> tuple[tuple[int, str], ...]:
    """Line and full name of everything that the source of `module` imports, wherever it does.

    ``from a import b`` counts as ``a.b``: b may be a module, and if it is not, its home still
    shows.
    """
    return tuple(_imported(source, module))


def _imported(source: str, module: str) -> Iterator[tuple[int, str]]:
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield node.lineno, alias.name
        elif isinstance(node, ast.ImportFrom):
            # One dot is the module's own package.
            home = module.split(".")[: -node.level] if node.level else []
            base = ".".join([*home, *filter(None, [node.module])])
            for alias in node.names:
                yield node.lineno, f"{base}.{alias.name}"


def within(name: str, allowed: set[str]) -> bool:
    """Whether a dotted name is one of these modules or lies in one of them."""
    return any(name == module or name.startswith(module + ".") for module in allowed)


def faults(source: str, module: str) -> list[str]:
    """Each import of a module's source that the house does not allow."""
    package = module.split(".")[0]
    allowed = ALLOWED[package] | (WRITERS if module == NEWEST else set())
    return [
        f"{module} line {line} imports {name}"
        for line, name in imported(source, module)
        if (name.split(".")[0] in ALLOWED and not within(name, allowed))
        or within(name, FOREIGN.get(package, set()))
    ]


def modules(package: str) -> dict[str, Path]:
    """Every module of a package, however deep, by its full name."""
    found = {}
    for path in sorted((ROOT / package).rglob("*.py")):
        parts = path.relative_to(ROOT).with_suffix("").parts
        found[".".join(parts)] = path
    return found


@pytest.mark.parametrize("package", ALLOWED)
def test_imports_run_one_way(package: str) -> None:
    found = modules(package)
    assert found
    assert [
        fault for module, path in found.items() for fault in faults(path.read_text(), module)
    ] == []


@pytest.mark.parametrize(
    ("module", "source"),
    [
        ("engine.cards", "import solvers"),
        ("engine.cards", "def late():\n    from catalogue import store"),
        ("engine.cards", "import sqlalchemy as sa"),
        ("solvers.klondike.exact.method", "from catalogue.schema import Deal"),
        ("solvers.deep.kernel", "from ...dashboard import app"),
        ("thoughtful", "import dashboard.serve"),
        ("dashboard.pages.app", "from sqlalchemy import select"),
        ("dashboard.pages.app", "import scipy.stats"),
        ("dashboard.pages.app", "from migrations import env"),
        ("migrations.env", "from catalogue.store import init"),
        ("migrations.env", "from catalogue import store"),
    ],
)
def test_a_wrong_import_is_seen(module: str, source: str) -> None:
    assert len(faults(source, module)) == 1


@pytest.mark.parametrize(
    ("module", "source"),
    [
        ("engine.cards", "from engine.errors import BadInput"),
        ("engine.deep.cards", "from ..errors import BadInput\nfrom . import other"),
        (
            "dashboard.pages.app",
            "import engine.klondike.moves, solvers.registry\nfrom catalogue import store",
        ),
        ("migrations.env", "from catalogue import schema\nfrom catalogue.schema import Base"),
        ("catalogue.store", "import sqlalchemy, scipy.stats"),
    ],
)
def test_a_right_import_is_left_alone(module: str, source: str) -> None:
    assert faults(source, module) == []


def reached(module: str) -> set[str]:
    """The names that a module imports, directly or through modules of the engine."""
    known = modules("engine")
    names: set[str] = set()
    waiting, seen = [module], set()
    while waiting:
        current = waiting.pop()
        if current in seen:
            continue
        seen.add(current)
        for _, name in imported(known[current].read_text(), current):
            names.add(name)
            waiting.extend(home for home in known if within(name, {home}))
    return names


def test_the_referee_shares_no_code_with_kernels() -> None:
    assert not [name for name in reached("engine.klondike.referee") if within(name, {"numba"})]
    # The same look at a module that does use kernels finds them.
    assert [name for name in reached("engine.klondike.dealing") if within(name, {"numba"})]


@pytest.mark.parametrize(
    ("game", "deal"), [("klondike", "deal"), ("spider", "deal"), ("patience", "layout")]
)
def test_a_checker_shares_no_code_with_other_kernels_or_the_referee(game: str, deal: str) -> None:
    own = {f"engine.{game}.{name}" for name in (deal, "rules")}
    names = reached(f"engine.{game}.checker")
    assert all(any(within(name, {each}) for name in names) for each in own)
    shared = own | {f"engine.{each}" for each in SHARED_WITH_CHECKERS}
    assert [name for name in names if within(name, {"engine"}) and not within(name, shared)] == []


def graph() -> dict[str, set[str]]:
    """For each module of the house the modules that it imports, wherever it does."""
    files = {
        module.removesuffix(".__init__"): path
        for package in ALLOWED
        for module, path in modules(package).items()
    }
    return {
        module: {
            next(each for each in (name, name.rpartition(".")[0]) if each in files)
            for _, name in imported(path.read_text(), module)
            if name in files or name.rpartition(".")[0] in files
        }
        - {module}
        for module, path in files.items()
    }


def test_no_modules_import_each_other_in_a_circle() -> None:
    left = graph()
    while left:
        ground = {module for module, names in left.items() if not names & left.keys()}
        assert ground, f"a circle among {sorted(left)}"
        left = {module: names for module, names in left.items() if module not in ground}


# --- nothing names a game ------------------------------------------------------------------------

GAMES = {game.slug for game in games()} & {"klondike", "spider"}
METHODS = set(method_slugs()) - {"random", "shortest"}  # words of their own
# Modules that may name games or solvers, and why. A module of a game, by its folder or its own
# name, may name that game.
MAY_NAME = {
    "engine.games": "the registry of games",
    "solvers.registry": "the registry of solvers",
    "catalogue.jobs.fill": "what an empty catalogue is filled with",
    "catalogue.reproduction.published": "published figures",
    "catalogue.reproduction.definitions": "published experiments",
    "thoughtful.commands.fairness": "servers of one game, which deal hands",
    "dashboard.pages.fairness": "the same",
    "migrations": "names as they were",
}


def names_in(source: str) -> Iterator[tuple[int, str, bool]]:
    """Line and text of every identifier and string of a source, but for docstrings.

    The third value tells whether it can name a solver: values and attributes cannot.
    """
    tree = ast.parse(source)
    answer = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef)
        and node.body
        and isinstance(node.body[0], ast.Expr)
    }
    # Examples in the help of commands can be pasted.
    answer |= {
        id(example)
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
        if node.func.id == "examples"
        for example in ast.walk(node)
    }
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Constant)
            and isinstance(node.value, str)
            and id(node) not in answer
        ):
            yield node.lineno, node.value, True
        elif isinstance(node, ast.Name):
            yield node.lineno, node.id, False
        elif isinstance(node, ast.Attribute):
            yield node.lineno, node.attr, False
        elif isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield node.lineno, node.name, False
    yield from ((line, text, True) for line, text in imported(source, ""))


def named(source: str, games: set[str], methods: set[str]) -> list[tuple[int, str]]:
    """The games and solvers that a source names, and where."""
    found = []
    for line, text, is_text in names_in(source):
        found += [(line, game) for game in games if game in text.lower()]
        # A solver is named by a text that begins with its slug: ``exact``, ``uct(width=5)``.
        if is_text:
            begins = [slug for slug in methods if text == slug or text.startswith(f"{slug}(")]
            found += [(line, slug) for slug in begins]
    return found


@pytest.mark.parametrize("package", ALLOWED)
def test_only_its_own_modules_name_a_game_and_the_registry_a_solver(package: str) -> None:
    seen = set()
    for module, path in modules(package).items():
        exempt = [each for each in MAY_NAME if within(module, {each})]
        own = (GAMES | {"patience"}) & set(module.split("."))
        # A solver's own modules name it, and a game's own its solvers.
        found = named(path.read_text(), GAMES - own, set() if own else METHODS)
        seen |= {each for each in exempt if found}
        assert exempt or found == [], f"{module} names {found}"
    assert {each for each in MAY_NAME if within(each, {package})} <= seen, "no longer needed"


@pytest.mark.parametrize(
    ("source", "names"),
    [
        ("from engine.klondike import rules", {"klondike"}),
        ("GAME = 'Spider, in words'", {"spider"}),
        ("def klondike_table(): ...", {"klondike"}),
        ("solver = parse_solver('exact(nodes=5)')", {"exact"}),
        ("reference = 'exact'", {"exact"}),
        ('"""Spider in a docstring, and `exact`."""', set()),
        ("word = 'exactly so'", set()),
        ("if row.exact: exact = row.nodes", set()),
    ],
)
def test_a_name_is_seen(source: str, names: set[str]) -> None:
    assert {name for _, name in named(source, GAMES, METHODS)} == names


def test_a_game_loads_without_the_other() -> None:
    """Nor does a solver of one load solvers of the other, or rules a compiler."""
    for program in (
        "import engine.klondike, engine.spider, thoughtful.command_line\n"
        "assert 'numba' not in sys.modules",
        "import solvers.registry as registry\n"
        "assert [method.slug for method in registry.methods_of('spider')]\n"
        "assert not [name for name in sys.modules if name.startswith('solvers.klondike')]",
        "import solvers.registry as registry\n"
        "assert [method.slug for method in registry.methods_of('klondike')]\n"
        "assert not [name for name in sys.modules if name.startswith('solvers.spider')]",
    ):
        ended = subprocess.run(
            [sys.executable, "-c", f"import sys\n{program}"], capture_output=True, text=True
        )
        assert ended.returncode == 0, ended.stderr


def test_no_two_classes_share_a_name() -> None:
    homes = defaultdict(list)
    # The public package has the words of those below it, for what it makes of theirs.
    for package in set(ALLOWED) - {"migrations", "thoughtful"}:
        for module, path in modules(package).items():
            for node in ast.walk(ast.parse(path.read_text())):
                if isinstance(node, ast.ClassDef):
                    homes[node.name].append(module)
    assert {name: where for name, where in homes.items() if len(where) > 1} == {}


def test_every_package_is_installed() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    packages = {
        module.removesuffix(".__init__")
        for package in ALLOWED
        for module in modules(package)
        if module.endswith("__init__")
    }
    with_modules = {
        module.rpartition(".")[0]
        for package in ALLOWED
        for module in modules(package)
        if "." in module
    }
    assert set(project["tool"]["setuptools"]["packages"]) == packages
    assert with_modules == packages, "a folder of modules lacks its __init__.py"


def test_no_module_is_named_for_being_useful() -> None:
    names = {
        part for package in ALLOWED for module in modules(package) for part in module.split(".")
    }
    assert not names & {"util", "utils", "helper", "helpers", "common", "misc", "manager"}


def test_no_package_hides_a_module_of_the_standard_library() -> None:
    assert not set(ALLOWED) & sys.stdlib_module_names


def test_solvers_measure_deals_by_the_clock_without_compiling() -> None:
    clocks = re.compile(r"\btime\.(thread_time|process_time)")
    files = (ROOT / "solvers").rglob("*.py")
    assert [path.name for path in files if clocks.search(path.read_text())] == []


# --- sentences -----------------------------------------------------------------------------------

FORBIDDEN = re.compile(r"""\b(so many|whoever)\b|\"{3}What\b""", re.IGNORECASE)


def test_sentences_name_what_they_speak_of() -> None:
    """Words that leave the reader to guess: a docstring begins with a noun or a verb."""
    found = [
        f"{module} line {number}: {line.strip()}"
        for package in ALLOWED
        for module, path in modules(package).items()
        for number, line in enumerate(path.read_text().splitlines(), start=1)
        if FORBIDDEN.search(line)
    ]
    assert found == []
    for wrong in ("for whoever asks", "of so many deals", 'x = 1\n"""What it is."""'):
        assert FORBIDDEN.search(wrong)
