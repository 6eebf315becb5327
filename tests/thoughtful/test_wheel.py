"""The wheel: what is in it, and whether it works where nothing of this tree is."""

import os
import shutil
import subprocess
import sys
import venv
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from paths import ROOT
from patience import SECONDS
from serving import DASHBOARD_PAGE, free_port, wait_for_dashboard
from thoughtful.own_packages import PACKAGES

pytestmark = pytest.mark.thorough
# What the wheel puts into site-packages, beside its metadata.
LIES_THERE = {*PACKAGES, "thoughtful", "thoughtful_command.py"}


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Built from a copy of the tree, so that nothing is written into this one."""
    folder = tmp_path_factory.mktemp("wheel")
    source = folder / "source"
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split("\0")
    for name in filter(None, listed):
        if (ROOT / name).is_file():
            (source / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, source / name)
    built = [sys.executable, "-m", "pip", "wheel", "--no-deps", "--quiet", "--wheel-dir", folder]
    subprocess.run([*built, source], check=True, timeout=SECONDS)
    (found,) = folder.glob("*.whl")
    return found


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The folder of the programs of a fresh environment with nothing but the wheel."""
    folder = tmp_path_factory.mktemp("fresh")
    venv.create(folder / "env", with_pip=True)
    programs = folder / "env" / "bin"
    subprocess.run(
        [
            *(programs / "python", "-m", "pip", "install", "--quiet"),
            *("--constraint", ROOT / "constraints.txt", f"{wheel}[cluster,dashboard]"),
        ],
        check=True,
        timeout=5 * SECONDS,  # more than a hundred packages, on a machine with other work
        cwd=folder,
    )
    yield programs
    shutil.rmtree(folder / "env")


def test_the_wheel_holds_the_packages_and_nothing_else(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    top = {name.split("/")[0] for name in names}
    assert {name for name in top if not name.endswith(".dist-info")} == LIES_THERE
    assert "thoughtful/py.typed" in names
    # Every source file and every file that goes to the browser.
    there = {
        path.relative_to(ROOT).as_posix()
        for package in LIES_THERE
        for path in ([ROOT / package] if package.endswith(".py") else (ROOT / package).rglob("*.*"))
        if path.is_file() and "__pycache__" not in path.parts
    }
    unpacked = {"migrations/README.md", "migrations/script.py.mako"}
    assert there - set(names) <= unpacked


def test_it_works_in_a_fresh_environment(installed: Path, tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'fresh.db'}"
    variables = {**os.environ, "THOUGHTFUL_DATABASE_URL": url, "PYTHONPATH": ""}

    def run(*arguments: str, program: str = "thoughtful") -> str:
        ended = subprocess.run(
            [installed / program, *arguments],
            cwd=tmp_path,
            env=variables,
            capture_output=True,
            text=True,
            timeout=SECONDS,
        )
        assert ended.returncode == 0, ended.stderr
        return ended.stdout

    home = run("-c", "import thoughtful; print(thoughtful.__file__)", program="python")
    assert Path(home.strip()).is_relative_to(installed.parent)
    # A folder without code stands before nothing here.
    for name in PACKAGES:
        (tmp_path / name).mkdir()
    run("-c", "import thoughtful", program="python")
    assert "won" in run("solve", "pysolfc:12345", "--rules", "klondike-draw3")
    run("init")
    run("solve", "thoughtful-1:0-29", "--store")
    run("list", "--dealer", "thoughtful-1", "--seeds", "0-29", "--output", "won.txt")
    assert "listed" in run("list", "--read", "won.txt")
    run("dataset", "build", "small")
    assert (tmp_path / "small-1.0.0" / "README.md").is_file()
    assert (tmp_path / "small-1.0.0" / "puzzles").is_dir()

    port = free_port()
    with subprocess.Popen(
        [installed / "thoughtful", "up", "--port", str(port), "--seeds", "50"],
        cwd=tmp_path,
        env=variables,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            wait_for_dashboard(port, process, DASHBOARD_PAGE)
        finally:
            process.terminate()
            _, answer = process.communicate(timeout=SECONDS)
    assert process.returncode == 0, answer
    assert "Traceback" not in answer
