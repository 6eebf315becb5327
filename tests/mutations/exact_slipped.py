"""A program that says what `exact` makes of positions while its source has one slip after another.

It is run by Python itself, which is quicker here than compiling: ``NUMBA_DISABLE_JIT=1``. For each
line of standard input, a JSON list of a file in `solvers/klondike/exact`, the text there, what
stands instead of it, a budget of nodes, and positions with their right verdicts, it prints a JSON
list of its own verdicts. The first wrong one is the last: it catches the slip.
"""

import json
import os
import sys
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import CodeType
from typing import Any

TESTS = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(TESTS.parent), str(TESTS)]

FOLDER = TESTS.parent / "solvers" / "klondike" / "exact"
WRITTEN = {"won": "winnable"}


def put_in(file: str, old: str, new: str) -> None:
    """Have the file imported with another text in it."""
    path = str(FOLDER / file)
    loader: Any = SourceFileLoader
    code_of = loader.get_code

    def get_code(self: SourceFileLoader, name: str) -> CodeType | None:
        if self.path != path:
            code: CodeType | None = code_of(self, name)
            return code
        source = Path(path).read_text(encoding="utf-8")
        assert source.count(old) == 1, f"{file} has changed: {old!r}"
        return compile(source.replace(old, new), path, "exec")

    loader.get_code = get_code


def verdicts(nodes: int, positions: list[tuple[str, str]]) -> list[str]:
    """What is said of positions, up to the first wrong verdict; giving up is not wrong."""
    from position_text import parse_position
    from solvers.klondike.exact import method as exact
    from solvers.klondike.exact import restarts, search

    # How soon the search restarts and asks is fixed, so that positions stay sharp when these
    # numbers are tuned.
    fixed: Any = search
    fixed._ASK_AFTER, fixed._LEAST = 100, 10_000
    fixed = restarts
    fixed.FIRST_RESTART = 300
    said = []
    for text, right in positions:
        position = parse_position(text)
        try:
            exact._load(position)
            values = {"nodes": nodes, "memory_mib": 2}
            ended = exact._search(position.rules.draw, values, 0)
            said.append(exact._outcome(ended, 0).result.value)
        except (AssertionError, IndexError):
            said.append("no play")
        if said[-1] != "gave_up" and WRITTEN.get(said[-1], said[-1]) != right:
            break
    return said


def main() -> None:
    """Answer every line in a process of its own, which has all modules but those of solvers."""
    # Nothing of the solvers may be imported here: it would stay as it is without the slip.
    import numba  # noqa: F401

    import position_text  # noqa: F401

    assert not any(name.startswith("solvers") for name in sys.modules)
    for line in sys.stdin:
        sys.stdout.flush()
        child = os.fork()
        if child:
            _, status = os.waitpid(child, 0)
            assert status == 0, line
            continue
        file, old, new, nodes, positions = json.loads(line)
        put_in(file, old, new)
        print(json.dumps(verdicts(nodes, positions)), flush=True)
        os._exit(0)


if __name__ == "__main__":
    main()
