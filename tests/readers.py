"""The reference readers of binary lists, in the languages whose tools this machine has."""

import shutil
import subprocess
from pathlib import Path

from paths import ROOT
from patience import SECONDS

READERS = ROOT / "docs" / "readers"
COMPILERS = ("cc", "gcc", "clang")
# The Python of the system will do, for the reader needs no library.
NEEDED = {"python": ("python3",), "javascript": ("node", "nodejs"), "c": COMPILERS}


def lacking(language: str) -> str | None:
    """Why a reader cannot run here; None if it can."""
    if any(shutil.which(name) for name in NEEDED[language]):
        return None
    return f"no {' or '.join(NEEDED[language])} is installed"


def command(language: str, folder: Path) -> list[str]:
    """The command of a reader; that in C is compiled into a folder, without a warning."""
    tool = next(filter(None, map(shutil.which, NEEDED[language])))
    if language != "c":
        ending = {"python": "py", "javascript": "mjs"}[language]
        return [tool, str(READERS / f"winnable_list.{ending}")]
    made = folder / "winnable_list"
    strict = ["-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic", "-O2"]
    source = str(READERS / "winnable_list.c")
    subprocess.run([tool, *strict, "-o", str(made), source], check=True, timeout=SECONDS)
    return [str(made)]


def run(
    reader: list[str], *arguments: str, cwd: Path | None = None
) -> subprocess.CompletedProcess[str]:
    """Run a reader."""
    command = [*reader, *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, cwd=cwd)
