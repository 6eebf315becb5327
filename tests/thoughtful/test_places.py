"""Tests of where the package is: folders of the same names, scripts that start processes."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import thoughtful
from catalogue import spawning
from engine.errors import BadInput
from paths import ROOT
from patience import SECONDS
from thoughtful.own_packages import PACKAGES

COMMAND = Path(sys.executable).with_name("thoughtful")
pytestmark = pytest.mark.slow


@pytest.fixture
def crowded(tmp_path: Path) -> Path:
    """A folder in which something of every name of ours lies, which fails when it is imported."""
    fails = (
        f"open({str(tmp_path / 'imported')!r}, 'w').close()\n"
        "raise RuntimeError('this is not the package that was meant')\n"
    )
    for number, name in enumerate(sorted({*PACKAGES, "thoughtful"})):
        if number % 2:
            (tmp_path / f"{name}.py").write_text(fails)
        else:
            (tmp_path / name).mkdir()
            (tmp_path / name / "__init__.py").write_text(fails)
    return tmp_path


def python(folder: Path, *arguments: str, path: Path | None = None) -> tuple[int, str]:
    ended = subprocess.run(
        [sys.executable, *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=SECONDS,
        env={**os.environ, "PYTHONPATH": "" if path is None else str(path)},
    )
    return ended.returncode, ended.stdout + ended.stderr


def typed(folder: Path, *arguments: str, **variables: str) -> str:
    """What the command prints in a folder that is also on the path."""
    ended = subprocess.run(
        [COMMAND, *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=SECONDS,
        env={
            **os.environ,
            "PYTHONPATH": str(folder),
            "THOUGHTFUL_DATABASE_URL": f"sqlite:///{folder / 'some.db'}",
            **variables,
        },
    )
    assert ended.returncode == 0, ended.stderr
    return ended.stdout + ended.stderr


def test_the_command_works_whatever_lies_there(crowded: Path) -> None:
    assert "klondike-draw3" in typed(crowded, "rulesets")
    assert "the catalogue is ready" in typed(crowded, "init")


@pytest.mark.thorough
def test_processes_work_whatever_lies_there(crowded: Path) -> None:
    typed(crowded, "init")
    typed(crowded, "job", "submit", "thoughtful-1:0-99", "--solver", "dead-end")
    assert "1 job done" in typed(crowded, "runner", "--workers", "2")
    lines = typed(crowded, "solve", "thoughtful-1:0-40", "--workers", "2", "--json")
    assert lines.count('"outcome"') == 41
    # With nothing compiled, other processes compile what is needed later.
    answer = typed(crowded, "solve", "thoughtful-1:42", NUMBA_CACHE_DIR=str(crowded / "kernels"))
    assert "won in" in answer
    assert not (crowded / "imported").exists()


@pytest.mark.parametrize("name", PACKAGES)
@pytest.mark.parametrize("kind", ["folder", "module"])
def test_a_package_that_stands_before_ours_is_named(tmp_path: Path, name: str, kind: str) -> None:
    if kind == "folder":
        place = tmp_path / name
        place.mkdir()
        (place / "__init__.py").touch()
    else:
        place = tmp_path / f"{name}.py"
        place.touch()
    code, answer = python(tmp_path, "-c", "import thoughtful")
    assert code == 1
    assert answer.splitlines()[-1].startswith(
        f"ImportError: {place.resolve()} stands before Thoughtful's own package '{name}'"
    )


def test_what_comes_onto_the_path_later_stands_before_nothing(crowded: Path) -> None:
    (crowded / "later.py").write_text(
        "import os, sys, thoughtful\n"
        f"os.chdir({str(crowded)!r})\n"
        f"sys.path.insert(0, {str(crowded)!r})\n"
        "print(len(thoughtful.position('pysolfc:1').svg()) > 1000)\n"
    )
    elsewhere = crowded / "elsewhere"
    elsewhere.mkdir()
    shutil.move(crowded / "later.py", elsewhere / "later.py")
    assert python(elsewhere, "later.py") == (0, "True\n")


def test_a_foreign_module_that_is_loaded_is_named(tmp_path: Path) -> None:
    answer = python(
        tmp_path,
        "-c",
        "import sys, types; sys.modules['engine'] = types.ModuleType('engine'); import thoughtful",
    )[1]
    assert "something else stands before Thoughtful's own package 'engine'" in answer


def test_a_folder_without_code_is_named_where_python_would_take_it(tmp_path: Path) -> None:
    """It does in an installation that can be edited, and does not in any other."""
    for name in PACKAGES:
        (tmp_path / name).mkdir()
    _, taken = python(tmp_path, "-c", "import engine; print(engine.__file__)")
    code, answer = python(tmp_path, "-c", "import thoughtful")
    if taken == "None\n":
        assert code == 1
        assert f"{tmp_path / PACKAGES[0]} stands before" in answer
    else:
        assert (code, answer) == (0, "")


UNGUARDED = """import thoughtful

print(len(thoughtful.solve_all("thoughtful-1:0-40", workers=2)))
"""
GUARDED = """import thoughtful


def main():
    print(len(thoughtful.solve_all("thoughtful-1:0-40", workers=2)))


if __name__ == "__main__":
    main()
"""


def test_a_script_without_a_guard_gets_a_sentence(tmp_path: Path) -> None:
    script = tmp_path / "plain.py"
    script.write_text(UNGUARDED)
    code, answer = python(tmp_path, str(script))
    assert code == 1
    last = answer.splitlines()[-1]
    assert last.startswith(f"engine.errors.BadInput: {script}, line 3 starts processes")
    assert 'put what the script does under `if __name__ == "__main__":`' in last


IN_A_THREAD = """import threading
import thoughtful

told = []


def work():
    try:
        thoughtful.solve_all("thoughtful-1:0-40", workers=2)
    except thoughtful.BadInput as error:
        told.append(str(error))


thread = threading.Thread(target=work)
thread.start()
thread.join()
print(*told)
"""


def test_a_thread_of_a_script_without_a_guard_gets_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "threads.py").write_text(IN_A_THREAD)
    code, answer = python(tmp_path, "threads.py")
    assert code == 0
    assert "threads.py, line 16 starts processes" in answer


@pytest.mark.thorough
def test_the_main_module_of_a_package_may_start_processes(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "__main__.py").write_text(UNGUARDED)
    assert python(tmp_path, "-m", "mine") == (0, "41\n")


@pytest.mark.thorough
@pytest.mark.parametrize("how", ["guarded", "console"])
def test_a_script_that_may_start_processes_does(tmp_path: Path, how: str) -> None:
    script = tmp_path / "plain.py"
    script.write_text(GUARDED)
    arguments = (str(script),) if how == "guarded" else ("-c", UNGUARDED)
    assert python(tmp_path, *arguments) == (0, "41\n")


def test_where_a_script_may_start_processes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def run(source: str) -> str:
        """What is told of a main module that calls the check as `check`."""
        file = tmp_path / "main.py"
        file.write_text(source, encoding="utf-8")
        names = {"__name__": "__main__", "check": spawning.check_may_start_processes}
        main = type(sys)("__main__")
        vars(main).update(names, __file__=str(file))
        with monkeypatch.context() as patch:
            patch.setitem(sys.modules, "__main__", main)
            try:
                exec(compile(file.read_bytes(), str(file), "exec"), vars(main))
            except BadInput as error:
                return str(error)
        return ""

    assert "line 1 starts" in run("check()")
    assert "line 3 starts" in run("def f():\n    check()\nf()")
    assert run('if __name__ == "__main__":\n    check()') == ""
    assert run("if '__main__' == __name__:\n    x = 1\n    check(\n    )") == ""
    assert run('def f():\n    check()\nif __name__ == "__main__":\n    f()') == ""
    assert run('try:\n    if __name__ == "__main__":\n        check()\nfinally:\n    pass') == ""
    assert run("if __name__ != '__main__':\n    pass\nelse:\n    check()") == ""
    assert run("__name__ == '__main__' and check()") == ""
    assert run("if __name__ == '__main__' and not [] and 1 != 2:\n    check()") == ""
    assert run("if not __name__ == '__main__':\n    pass\nelse:\n    check()") == ""
    assert "line 1 starts" in run("exec('check()')")
    assert "line 1 starts" in run("\ufeffcheck()")
    assert "line 2 starts" in run("told = []\nfor each in [1]: check()")
    assert "line 3 starts" in run('if __name__ == "__main__":\n    pass\ncheck()')


def test_the_package_is_the_one_of_this_tree() -> None:
    assert Path(thoughtful.__file__).parent == ROOT / "thoughtful"
    assert (ROOT / "thoughtful" / "py.typed").exists()
