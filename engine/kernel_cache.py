"""Where compiled kernels are kept: a folder of their own for each state of the sources.

Numba keeps a compiled kernel as long as the kernel's own file is unchanged, although the kernel may
have taken in functions and constants of other files. After an update such kernels would be mixed
with new ones, which can give wrong results or write where they must not. So the folder is named by
a digest of all sources that hold kernels or what kernels use.
"""

import hashlib
import os
import shutil
import sys
import time
from pathlib import Path

import platformdirs

_PACKAGES = ("engine", "solvers")
_KEPT_DAYS = 30
_VARIABLE = "NUMBA_CACHE_DIR"


def use_cache_of_these_sources() -> None:
    """Tell Numba where to keep kernels, unless the user did; to be called before one is defined."""
    if _VARIABLE in os.environ:
        return
    folder = Path(platformdirs.user_cache_dir("thoughtful", appauthor=False)) / "kernels"
    own = folder / _digest(Path(__file__).parents[1])
    try:
        own.mkdir(parents=True, exist_ok=True)
        os.utime(own)
        _remove_old(folder)
    except OSError:
        return  # nowhere to write: Numba finds a place of its own, or compiles each time
    os.environ[_VARIABLE] = str(own)  # for Numba, if it is still to come, and for child processes
    if "numba" in sys.modules:
        sys.modules["numba"].config.CACHE_DIR = str(own)


def _digest(root: Path) -> str:
    digest = hashlib.sha256()
    for package in _PACKAGES:
        for path in sorted((root / package).glob("*.py")):
            digest.update(path.name.encode())
            digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def _remove_old(folder: Path) -> None:
    """Remove the folders of sources that nobody has run for a month."""
    for path in folder.iterdir():
        if path.stat().st_mtime < time.time() - 86_400 * _KEPT_DAYS:
            shutil.rmtree(path, ignore_errors=True)
