"""The command `thoughtful`, whatever lies in the current directory or on the path.

The packages have common names. A folder or module of the same name that stands before them on
the path (`PYTHONPATH`, or the directory of a script) would be imported in their place; here the
packages beside this file are found first, and only these: everything else is found as usual.
Processes started from here import this module first, as Python has them import the main module.

``python -m thoughtful_command MODULE ARGUMENT…`` runs one of our modules as a program in this way.
"""

import atexit
import gc
import os
import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from types import ModuleType

HOME = str(Path(__file__).resolve().parent)
PACKAGES = frozenset({"engine", "solvers", "catalogue", "dashboard", "migrations", "thoughtful"})


class _OwnPackages:
    """Finds our packages beside this file."""

    @staticmethod
    def find_spec(
        name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        return PathFinder.find_spec(name, [HOME], target) if name in PACKAGES else None


if _OwnPackages not in sys.meta_path:
    sys.meta_path.insert(0, _OwnPackages)


def _freeze() -> None:
    # DuckDB would report all that is frozen as leaks.
    if "duckdb" not in sys.modules:
        gc.freeze()


def main() -> None:
    """Run the command line."""
    # What imports make lives as long as the process. Looking for garbage among it, every few
    # hundred objects and all over again at the end, took a fifth of a short command.
    gc.set_threshold(50_000)
    atexit.register(_freeze)
    # NumPy's linear algebra starts a thread for each core, and each waits busily for work: two
    # seconds of CPU time a command on 16 cores. What is large here is shared among processes.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    from thoughtful.command_line import main as command

    command()


def _run(arguments: Sequence[str]) -> None:
    from runpy import run_module

    if not arguments:
        sys.exit(
            "thoughtful_command: expected the name of a module, such as thoughtful.command_line"
        )
    module, *sys.argv[1:] = arguments
    run_module(module, run_name="__main__")


if __name__ == "__main__":
    _run(sys.argv[1:])
