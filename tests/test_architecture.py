"""Imports run one way: dashboard → catalogue → solvers → engine; migrations → catalogue.schema."""

import ast
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

# What each package may import of the house: whole packages, or single modules.
ALLOWED = {
    "engine": {"engine"},
    "solvers": {"solvers", "engine"},
    "catalogue": {"catalogue", "solvers", "engine"},
    "dashboard": {"dashboard", "catalogue", "solvers", "engine"},
    "migrations": {"migrations", "catalogue.schema"},
}
SQL = {"sqlalchemy", "alembic", "sqlite3", "psycopg"}
STATISTICS = {"scipy", "statsmodels"}
# What each package may not import of the world.
FOREIGN = {
    "engine": SQL | {"dask", "distributed", "streamlit"},
    "solvers": SQL | {"dask", "distributed", "streamlit"},
    "catalogue": {"streamlit"},
    "dashboard": SQL | STATISTICS,
}


def imported(source: str, module: str) -> Iterator[tuple[int, str]]:
    """Line and full name of everything that the source of `module` imports, wherever it does.

    ``from a import b`` counts as ``a.b``: b may be a module, and if it is not, its home still
    shows.
    """
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
    return [
        f"{module} line {line} imports {name}"
        for line, name in imported(source, module)
        if (name.split(".")[0] in ALLOWED and not within(name, ALLOWED[package]))
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
        ("solvers.exact", "from catalogue.schema import Deal"),
        ("solvers.deep.kernel", "from ...dashboard import app"),
        ("catalogue.cli", "import dashboard.serve"),
        ("dashboard.app", "from sqlalchemy import select"),
        ("dashboard.app", "import scipy.stats"),
        ("dashboard.app", "from migrations import env"),
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
        ("dashboard.app", "import engine.moves, solvers.registry\nfrom catalogue import store"),
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
    assert not [name for name in reached("engine.referee") if within(name, {"numba"})]
    # The same look at a module that does use kernels finds them.
    assert [name for name in reached("engine.dealers") if within(name, {"numba"})]


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
