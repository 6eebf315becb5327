"""Kernels compiled from older sources must never be used."""

import os
import subprocess
import sys
from pathlib import Path

HELPER = "CONSTANT = {}\n"
KERNEL = """\
from numba import njit

from engine.helper import CONSTANT


@njit(cache=True)
def constant():
    return CONSTANT


print(constant())
"""


def run(folder: Path, environment: dict[str, str]) -> str:
    ended = subprocess.run(
        [sys.executable, "-c", "import engine.kernel"],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    return ended.stdout.strip()


def test_a_change_in_another_file_is_noticed(tmp_path: Path) -> None:
    """Numba alone would go on printing 1: the kernel's own file has not changed."""
    source = Path(__file__).parents[2] / "engine"
    package = tmp_path / "engine"
    package.mkdir()
    for name in ("__init__.py", "kernel_cache.py"):
        (package / name).write_text((source / name).read_text())
    (package / "kernel.py").write_text(KERNEL)
    environment = {
        name: value
        for name, value in os.environ.items()
        if name not in ("NUMBA_CACHE_DIR", "NUMBA_DISABLE_JIT", "PYTHONPATH")
    }
    environment |= {"XDG_CACHE_HOME": str(tmp_path / "cache"), "HOME": str(tmp_path)}
    # Python takes a file of the same size, changed within a second, for the one it compiled.
    environment["PYTHONDONTWRITEBYTECODE"] = "1"
    for number in (1, 2, 1):
        (package / "helper.py").write_text(HELPER.format(number))
        assert run(tmp_path, environment) == str(number)
    folders = [path for path in tmp_path.rglob("kernels/*") if path.is_dir()]
    assert len(folders) == 2
    # A user's own choice of folder is respected.
    chosen = tmp_path / "chosen"
    run(tmp_path, environment | {"NUMBA_CACHE_DIR": str(chosen)})
    assert any(chosen.rglob("*.nbi"))
