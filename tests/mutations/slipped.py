"""A program that says what `exact` makes of positions while its source has one slip after another.

It is run by Python itself, which is quicker here than compiling: ``NUMBA_DISABLE_JIT=1``. For each
line of standard input, a JSON list of the search (`by_stocks` or `by_hand`), the path of a file of
its source, the text there, what stands instead of it, a budget of nodes, the rules that are
switched off, and positions as in `position_text`, it prints a JSON list of verdicts. Where the line
of a win does not win, or the search fails, the verdict is "no play".
"""

import json
import os
import sys
from collections.abc import Callable
from importlib import import_module
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import CodeType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from engine.klondike.referee import KlondikePosition
    from solvers.klondike.exact.searching import ExactSearch
    from solvers.outcome import Outcome


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


def _by_stocks(position: "KlondikePosition", nodes: int, off: list[str]) -> "Outcome":
    """What the search by stocks says of a position."""
    from solvers.klondike.exact import by_stocks, restarts, search, searching

    # How soon the search restarts and asks is fixed, so that positions stay sharp when these
    # numbers are tuned.
    fixed: Any = by_stocks
    fixed.ASK_AFTER, fixed._LEAST = 100, 10_000
    fixed = search
    fixed.ASK_AFTER = 100
    fixed = restarts
    fixed.FIRST_RESTART = 300
    return _outcome(searching.BY_STOCKS, position, nodes, off)


def _by_hand(position: "KlondikePosition", nodes: int, off: list[str]) -> "Outcome":
    """What the search by hand says of a position."""
    from solvers.klondike.exact import entries, restarts, search, searching

    # So soon that small positions get to them.
    fixed: Any = search
    fixed._BY_HAND_AFTER, fixed._AT_FIRST_BY_HAND, fixed._SHARE_BY_HAND = 5, 30, 30
    fixed._AT_FIRST_WHOLE = 30
    fixed._NOW_AND_THEN = 1
    fixed = restarts
    fixed.FIRST_RESTART = 20
    fixed = entries
    fixed.SMALLEST_TABLE = 16
    return _outcome(searching.BY_HAND, position, nodes, off)


def _outcome(
    exact_search: "ExactSearch", position: "KlondikePosition", nodes: int, off: list[str]
) -> "Outcome":
    """What a search says of a position that it need not check, without a look at pairs."""
    from solvers.klondike.exact import searching

    values = {"nodes": nodes, "memory_mib": 2}
    exact_search.prepare(position.rules, values)
    searching.load_position(position)
    bits = sum(exact_search.RULES[rule] for rule in off)
    ended = searching.answer(exact_search.question(position.rules, values, bits))
    ways = exact_search.ways(position.rules, {})
    return searching.outcome_of(ended, 0, searching.solution_of(ended, ways))


def verdict(search: str, text: str, nodes: int, off: list[str]) -> str:
    """What is said of one position, written as in `position_text`."""
    from engine.errors import BadInput
    from engine.klondike.moves import unpack_solution
    from engine.replay import replay
    from position_text import parse_position
    from solvers.outcome import Result

    position = parse_position(text)
    try:
        outcome = {"by_stocks": _by_stocks, "by_hand": _by_hand}[search](position, nodes, off)
        if outcome.result is not Result.WON:
            return outcome.result.value
        assert outcome.moves is not None
        assert replay(position, unpack_solution(outcome.moves)).is_won
    except (AssertionError, IndexError, BadInput):
        return "no play"
    return "winnable"


def answer_each(answer: Callable[[list[Any]], object], *loaded: str) -> None:
    """Print the answer to each line of standard input, found in a process of its own.

    These processes have all modules that this one has, for which some are loaded here, but none of
    the solvers: of these, each imports what its line makes of them.
    """
    for module in loaded:
        import_module(module)
    assert not any(name.startswith("solvers") for name in sys.modules)
    for line in sys.stdin:
        sys.stdout.flush()
        child = os.fork()
        if child:
            _, status = os.waitpid(child, 0)
            assert status == 0, line
            continue
        print(json.dumps(answer(json.loads(line))), flush=True)
        os._exit(0)


def verdicts_by(verdict: Callable[..., str]) -> Callable[[list[Any]], list[str]]:
    """An answer for `answer_each`: the verdicts on positions with a slip put in.

    Of a line: the path of a file, the text there, what stands instead of it, and lists of what the
    function takes.
    """

    def answer(line: list[Any]) -> list[str]:
        path, old, new, positions = line
        put_in(path, old, new)
        return [verdict(*each) for each in positions]

    return answer


def _answer(line: list[Any]) -> list[str]:
    """The verdicts on the positions of a line."""
    search, path, old, new, nodes, off, positions = line
    put_in(path, old, new)
    return [verdict(search, each, nodes, off) for each in positions]


def main() -> None:
    """Answer every line."""
    answer_each(_answer, "numba", "position_text")


if __name__ == "__main__":
    main()
