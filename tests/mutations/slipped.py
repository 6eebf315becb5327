"""A program that says what a solver makes of positions while its source has one slip after another.

It is run by Python itself, which is quicker here than compiling: ``NUMBA_DISABLE_JIT=1``. For each
line of standard input, a JSON list of the solver (`exact` or `exact_all`), the path of a file of
its source, the text there, what stands instead of it, a budget of nodes, the rules that are
switched off, and positions as in `position_text`, it prints a JSON list of verdicts. Where the line
of a win does not win, or the search fails, the verdict is "no play".
"""

import json
import os
import sys
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import CodeType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from engine.klondike.referee import KlondikePosition
    from solvers.outcome import Outcome

TESTS = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(TESTS.parent), str(TESTS)]


def put_in(path: str, old: str, new: str) -> None:
    """Have the file imported with another text in it."""
    modules = list(sys.modules.values())
    assert all(getattr(module, "__file__", None) != path for module in modules), "too late"
    loader: Any = SourceFileLoader
    code_of = loader.get_code

    def get_code(self: SourceFileLoader, name: str) -> CodeType | None:
        if self.path != path:
            code: CodeType | None = code_of(self, name)
            return code
        source = Path(path).read_text(encoding="utf-8")
        assert source.count(old) == 1, f"{path} has changed: {old!r}"
        return compile(source.replace(old, new), path, "exec")

    loader.get_code = get_code


def _exact(position: "KlondikePosition", nodes: int, off: list[str]) -> "Outcome":
    """What `exact` says of a position."""
    from solvers.klondike.exact import method, restarts, search

    # How soon the search restarts and asks is fixed, so that positions stay sharp when these
    # numbers are tuned.
    fixed: Any = search
    fixed._ASK_AFTER, fixed._LEAST = 100, 10_000
    fixed = restarts
    fixed.FIRST_RESTART = 300
    method._load(position)
    bits = sum(method.RULES[rule] for rule in off)
    method._work.prepare(position.rules.draw, 2)
    ended = method._search(position.rules.draw, {"nodes": nodes, "memory_mib": 2}, bits)
    return method._outcome(ended, 0, method._solution(ended, method._ways({})))


def _exact_all(position: "KlondikePosition", nodes: int, off: list[str]) -> "Outcome":
    """What `exact-all` says of a position."""
    from solvers.klondike.exact import restarts
    from solvers.klondike.exact_all import entries, method, search

    # So soon that small positions get to them.
    fixed: Any = search
    fixed._ASK_AFTER, fixed._AT_FIRST_BY_HAND, fixed._SHARE_BY_HAND = 5, 30, 30
    fixed._AT_FIRST_WHOLE = 30
    fixed._NOW_AND_THEN = 1
    fixed = restarts
    fixed.FIRST_RESTART = 20
    fixed = entries
    fixed.SMALLEST_TABLE = 16
    method.flatten(position, method._work.flat)
    method.load(*method._place(position.rules, position.redeals_used))
    bits = sum(method.RULES[rule] for rule in off)
    method._work.prepare(position.rules.draw, 2, position.rules.partial_runs)
    ended = method._search(position.rules, {"nodes": nodes, "memory_mib": 2}, bits)
    return method._outcome(ended, 0, method._solution(ended, method._ways(position.rules, {})))


def verdict(solver: str, text: str, nodes: int, off: list[str]) -> str:
    """What is said of one position, written as in `position_text`."""
    from engine.errors import BadInput
    from engine.klondike.moves import unpack_solution
    from engine.replay import replay
    from position_text import parse_position
    from solvers.outcome import Result

    position = parse_position(text)
    try:
        outcome = {"exact": _exact, "exact_all": _exact_all}[solver](position, nodes, off)
        if outcome.result is not Result.WON:
            return outcome.result.value
        assert outcome.moves is not None
        assert replay(position, unpack_solution(outcome.moves)).is_won
    except (AssertionError, IndexError, BadInput):
        return "no play"
    return "winnable"


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
        solver, path, old, new, nodes, off, positions = json.loads(line)
        put_in(path, old, new)
        print(json.dumps([verdict(solver, each, nodes, off) for each in positions]), flush=True)
        os._exit(0)


if __name__ == "__main__":
    main()
