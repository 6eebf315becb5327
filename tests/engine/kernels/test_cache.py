"""Tests that stale compiled kernels are never used, and current ones not recompiled."""

import ast
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.kernels.cache import imports_of
from engine.kernels.linking import LINKED
from paths import ROOT

# Modules that speak with Numba.
_OURS = ("decorators.py", "cache.py", "keeping.py", "linking.py")
CONSTANT = "CONSTANT = {}\n"
KERNEL = """\
from engine.kernels.decorators import kernel
from {home} import CONSTANT


@kernel
def constant():
    return CONSTANT


print(constant(), sum(constant.stats.cache_hits.values()))
"""
# A kernel with an argument of a class whose name Numba keeps beside it.
TUPLE = """\
from typing import NamedTuple

from engine.kernels.decorators import kernel


class {name}(NamedTuple):
    x: int


@kernel
def of_tuple(values):
    return values.x


print(of_tuple({name}(7)), sum(of_tuple.stats.cache_hits.values()))
"""
# A kernel whose source changes between its import and its first call, while another process runs
# the new version.
LATE = """\
import subprocess
import sys
from pathlib import Path

from engine.kernels.decorators import kernel

CONSTANT = 1


@kernel
def constant():
    return CONSTANT


if CONSTANT == 1:
    source = Path(__file__)
    source.write_text(source.read_text().replace("CONSTANT = 1\\n", "CONSTANT = 20\\n", 1))
    subprocess.run([sys.executable, "-c", "import engine.late"], check=True)
print(constant(), sum(constant.stats.cache_hits.values()), flush=True)
"""
# Kernels that need more than their machine code: memory that is counted, Python objects, both of
# their own and of a function of Numba's that is compiled into them, and a variable of Numba's.
NEEDY = """\
import sys

import numpy as np

from engine.kernels.decorators import kernel, search_kernel


@kernel
def allocate(length):
    return np.arange(length)


@kernel
def refuse(number):
    if number > 1:
        raise ValueError("more than one")
    return number


@kernel
def print_list(number):
    print([number], "of", number)
    return number


@kernel
def is_hashed_to_zero(text):
    return hash(text) == 0


@search_kernel
def fill(array):
    array[:] = 7
    return array.sum()


def error_of(number):
    try:
        return refuse(number)
    except ValueError as error:
        return error.args


array = np.zeros(3, np.int64)
print(fill(array), array.tolist(), "numba.np.arrayobj" in sys.modules)
print(error_of(1), error_of(2))
print(allocate(4).tolist(), print_list(5), is_hashed_to_zero("text"), flush=True)
kernels = (allocate, refuse, print_list, is_hashed_to_zero, fill)
print(sum(sum(each.stats.cache_hits.values()) for each in kernels))
"""
CALLER = """\
from engine.kernels.decorators import kernel
from engine.needy import allocate, fill


@kernel
def both(length):
    return fill(allocate(length))


print(both(3), sum(both.stats.cache_hits.values()))
for each in allocate._cache._cache_file._load_index(), fill._cache._cache_file._load_index():
    print(len(each))
"""
# A kernel of a user who knows nothing of ours.
FOREIGN = """\
from numba import njit


@njit(cache=True)
def one():
    return 1


one()
print(one._cache.cache_path)
"""


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A folder with a package `engine` that has what kernels need, and no more."""
    package = tmp_path / "engine"
    (package / "kernels").mkdir(parents=True)
    (package / "__init__.py").write_text("")
    for name in ("__init__.py", "compiler.py", "compiling.py", *_OURS):
        (package / "kernels" / name).write_text((ROOT / "engine" / "kernels" / name).read_text())
    return tmp_path


def run(folder: Path, modules: str, **more: str) -> str:
    """What modules print when they are imported in a process of its own."""
    environment = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("NUMBA_") and name != "PYTHONPATH"
    }
    environment |= {"XDG_CACHE_HOME": str(folder / "cache"), "HOME": str(folder), **more}
    # Python takes a file of the same size, changed within a second, for the one it compiled.
    environment["PYTHONDONTWRITEBYTECODE"] = "1"
    ended = subprocess.run(
        [sys.executable, "-c", f"import {modules}"],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    return ended.stdout.strip()


def test_a_kernel_is_compiled_again_when_something_it_rests_on_changes(checkout: Path) -> None:
    """Numba alone would go on printing 1: the kernels' own files do not change."""
    for folder in ("engine/deep", "solvers/game", "golf"):
        place = checkout
        for part in folder.split("/"):
            place /= part
            place.mkdir(exist_ok=True)
            (place / "__init__.py").touch()
    other = checkout / "engine" / "deep" / "other.py"
    (checkout / "engine" / "root.py").write_text(KERNEL.format(home="engine.deep.other"))
    # A step further away, and in a package that is not ours.
    game = checkout / "solvers" / "game"
    (game / "middle.py").write_text("from engine.deep.other import CONSTANT as CONSTANT\n")
    (game / "leaf.py").write_text(KERNEL.format(home="solvers.game.middle"))
    (checkout / "golf" / "rules.py").write_text(CONSTANT.format(7))
    (checkout / "golf" / "search.py").write_text(KERNEL.format(home="golf.rules"))
    # Nothing that a kernel rests on.
    stranger = checkout / "engine" / "stranger.py"
    stranger.touch()
    kernels = "engine.root, solvers.game.leaf, golf.search"

    other.write_text(CONSTANT.format(1))
    assert run(checkout, kernels).split("\n") == ["1 0", "1 0", "7 0"]
    stranger.write_text("from engine.root import constant\n")
    assert run(checkout, kernels).split("\n") == ["1 1", "1 1", "7 1"]
    for number in (2, 1):
        other.write_text(CONSTANT.format(number))
        assert run(checkout, kernels).split("\n") == [f"{number} 0", f"{number} 0", "7 1"]
    (checkout / "golf" / "rules.py").write_text(CONSTANT.format(8))
    assert run(checkout, kernels).split("\n") == ["1 1", "1 1", "8 0"]


@pytest.mark.thorough
def test_a_class_that_a_kernel_takes_may_be_renamed(checkout: Path) -> None:
    """Numba alone would fail to read what it kept; and no files of the old version stay."""
    source = checkout / "engine" / "tuples.py"
    for name, hits in (("Area", 0), ("Area", 1), ("Workspace", 0), ("Workspace", 1)):
        source.write_text(TUPLE.format(name=name))
        assert run(checkout, "engine.tuples") == f"7 {hits}"
        assert len(kept(checkout, "tuples.*")) == 2  # an index and compiled code


@pytest.mark.parametrize("home", ["our folder", "another"])
def test_a_source_may_change_before_the_first_call(checkout: Path, home: str) -> None:
    """The old version is not kept as the new one, nor are the new one's kernels removed."""
    (checkout / "engine" / "late.py").write_text(LATE)
    # Where our folder cannot be written, Numba keeps kernels beside the source.
    unwritable = (
        {} if home == "our folder" else {"HOME": "/dev/null", "XDG_CACHE_HOME": "/dev/null"}
    )
    assert run(checkout, "engine.late", **unwritable) == "20 0\n1 0"
    found = 1 if home == "our folder" else 0
    assert run(checkout, "engine.late", **unwritable) == f"20 {found}"
    assert run(checkout, "engine.late", **unwritable) == "20 1"


@pytest.mark.skipif(not LINKED, reason="this release of Numba keeps kernels in its own way")
def test_a_kept_kernel_does_what_it_did(checkout: Path) -> None:
    """Also one that allocates, raises or has Python objects; and it is loaded without the rest."""
    (checkout / "engine" / "needy.py").write_text(NEEDY)
    (checkout / "engine" / "caller.py").write_text(CALLER)
    answer = "1 ('more than one',)\n[5] of 5\n[0, 1, 2, 3] 5 False"
    assert run(checkout, "engine.needy") == f"21 [7, 7, 7] True\n{answer}\n0"
    loaded = f"21 [7, 7, 7] False\n{answer}\n5"
    assert run(checkout, "engine.needy") == loaded
    # A kernel is compiled that calls two which are loaded, and their own code stays as it is kept.
    for hits in (0, 1):
        assert run(checkout, "engine.caller") == f"{loaded}\n21 {hits}\n1\n1"


@pytest.mark.skipif(not LINKED, reason="this release of Numba keeps kernels in its own way")
def test_a_loaded_kernel_is_not_linked_with_another(checkout: Path) -> None:
    """What is kept has nothing to be linked: Numba would otherwise link an empty function."""
    (checkout / "engine" / "other.py").write_text(CONSTANT.format(1))
    (checkout / "engine" / "root.py").write_text(
        KERNEL.format(home="engine.other") + "compiled, = constant.overloads.values()\n"
        "if constant.stats.cache_hits:\n"
        "    try:\n"
        "        compiled.library._get_module_for_linking()\n"
        "    except RuntimeError as error:\n"
        "        print(error)\n"
    )
    assert run(checkout, "engine.root") == "1 0"
    first, second = run(checkout, "engine.root").splitlines()
    assert first == "1 1"
    assert second.startswith("library unfit for linking")


def kept(checkout: Path, pattern: str) -> list[Path]:
    return sorted((checkout / "cache").rglob(pattern))


@pytest.mark.thorough
def test_nothing_is_kept_of_kernels_that_are_gone(checkout: Path) -> None:
    """Renamed kernels and removed modules: the files of others stay."""
    engine = checkout / "engine"
    (engine / "other.py").write_text(CONSTANT.format(1))
    for name in ("root", "leaf", "stays"):
        (engine / f"{name}.py").write_text(KERNEL.format(home="engine.other"))
    assert run(checkout, "engine.root, engine.leaf, engine.stays").split() == ["1", "0"] * 3
    stays = kept(checkout, "stays.*")
    assert len(stays) == len(kept(checkout, "root.*")) == len(kept(checkout, "leaf.*")) == 2

    (engine / "leaf.py").unlink()
    root = engine / "root.py"
    root.write_text(root.read_text().replace("constant", "renamed"))
    assert run(checkout, "engine.root") == "1 0"
    assert not kept(checkout, "leaf.*")
    assert not kept(checkout, "root.constant*")
    assert len(kept(checkout, "root.renamed*")) == 2
    assert kept(checkout, "stays.*") == stays


# The folder of kernels is removed between two kernels, and then something else is in its place.
REMOVED = """\
import shutil
from pathlib import Path

from engine.kernels.cache import kernel_folder
from engine.kernels.decorators import kernel


@kernel
def one(x):
    return x + 1


@kernel
def two(x):
    return x + 2


print(one(1))
shutil.rmtree(kernel_folder())
print(two(1), len(list(kernel_folder().rglob("*.nbi"))))
shutil.rmtree(kernel_folder())
kernel_folder().write_text("")
print(one(1.5), two(1.5))
"""


def test_a_folder_that_is_removed_meanwhile_stops_nothing(checkout: Path) -> None:
    (checkout / "engine" / "removed.py").write_text(REMOVED)
    assert run(checkout, "engine.removed").split() == ["2", "3", "1", "2.5", "3.5"]


def test_kernels_of_others_are_kept_whatever_the_clock_says(checkout: Path) -> None:
    (checkout / "engine" / "other.py").write_text(CONSTANT.format(1))
    (checkout / "engine" / "root.py").write_text(KERNEL.format(home="engine.other"))
    every = checkout / "cache" / "thoughtful" / "kernels"

    def used(name: str, days_ago: float) -> None:
        (every / name).mkdir(parents=True, exist_ok=True)
        os.utime(every / name, (time.time() - 86_400 * days_ago,) * 2)

    # As they are seen by a process whose clock is 400 days ahead.
    for at in range(9):
        used(f"other{at}", 400 + at)
    run(checkout, "engine.root")
    assert len(list(every.iterdir())) == 10
    # Of more, those go that were used a month before all that are kept.
    used("early", 450)
    used("late", 420)
    run(checkout, "engine.root")
    assert {path.name for path in every.glob("*l*")} == {"late"}
    assert len(list(every.glob("other*"))) == 9


def test_a_users_choice_of_folder_is_respected(checkout: Path) -> None:
    (checkout / "engine" / "other.py").write_text(CONSTANT.format(1))
    (checkout / "engine" / "root.py").write_text(KERNEL.format(home="engine.other"))
    chosen = checkout / "chosen"
    run(checkout, "engine.root", NUMBA_CACHE_DIR=str(chosen))
    assert any(chosen.rglob("*.nbi"))


def test_kernels_of_others_are_not_ours_to_keep(checkout: Path) -> None:
    (checkout / "mine.py").write_text(FOREIGN)
    assert Path(run(checkout, "engine.kernels.decorators, mine")) == checkout / "__pycache__"


def parsed_imports(source: str) -> Iterator[tuple[str, list[str]]]:
    """The same as `imports_of` by Python's own parser, where a module's own statements are."""
    for node in ast.parse(source).body:
        if isinstance(node, ast.Import):
            yield from ((alias.name, []) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module or "", [alias.name for alias in node.names]


def test_imports_are_read_as_python_reads_them() -> None:
    sources = [path for home in ("engine", "solvers") for path in (ROOT / home).rglob("*.py")]
    assert len(sources) > 80
    for path in sources:
        source = path.read_text(encoding="utf-8")
        assert sorted(imports_of(source)) == sorted(parsed_imports(source)), path
    hard = "import a.b as c, d  # e\nfrom f import (  # g\n    h as i,\n    j,  # k, l\n)\n"
    assert list(imports_of(hard)) == [("a.b", []), ("d", []), ("f", ["h", "j"])]


def test_every_kernel_is_in_our_cache() -> None:
    """A decorator straight from Numba would keep kernels by Numba's own rule."""
    for home in ("engine", "solvers"):
        for path in (ROOT / home).rglob("*.py"):
            source = path.read_text(encoding="utf-8")
            if "numba" in source and path.parent != ROOT / "engine" / "kernels":
                assert "from engine.kernels.decorators import" in source, path
