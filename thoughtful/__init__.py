"""Thoughtful from Python: deals, positions, solvers and the catalogue, in one import.

    >>> import thoughtful
    >>> outcome = thoughtful.solve("pysolfc:12345", "klondike-draw3")
    >>> outcome.result, len(outcome.solution)
    ('won', 106)

What is named here is the public interface: it is small, typed, mirrors the commands of the command
line under the same names (`docs/python.md`), and changes only with the changelog. Errors are
`BadInput` with one sentence; `IllegalMove` and `ReplayError` are among them. Rows come as pandas
frames whose columns have types that can hold missing values (`Int64`, `string`).
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from thoughtful.own_packages import check_packages

check_packages()  # before the first import of one

if TYPE_CHECKING:
    from engine.errors import BadInput, IllegalMove
    from engine.replay import ReplayError
    from thoughtful.dealing import Deal, convert, deal, deals, read
    from thoughtful.hints import Answer, Hint, chances, hint, verdict
    from thoughtful.lists import read_list, write_list
    from thoughtful.names import dealers, rulesets, solvers, version
    from thoughtful.positions import Position, position
    from thoughtful.puzzles import Puzzle, puzzle
    from thoughtful.solutions import Solution, replay
    from thoughtful.solving import Outcome, Shortest, shortest, solve, solve_all
    from thoughtful.stored import Catalogue, Comparison, catalogue

# Where each public name is defined; it is loaded when it is first asked for, so that the command
# line, which is a part of this package, starts without them.
_HOMES = {
    "Answer": "thoughtful.hints",
    "BadInput": "engine.errors",
    "Catalogue": "thoughtful.stored",
    "Comparison": "thoughtful.stored",
    "Deal": "thoughtful.dealing",
    "Hint": "thoughtful.hints",
    "IllegalMove": "engine.errors",
    "Outcome": "thoughtful.solving",
    "Position": "thoughtful.positions",
    "Puzzle": "thoughtful.puzzles",
    "ReplayError": "engine.replay",
    "Shortest": "thoughtful.solving",
    "Solution": "thoughtful.solutions",
    "catalogue": "thoughtful.stored",
    "chances": "thoughtful.hints",
    "convert": "thoughtful.dealing",
    "deal": "thoughtful.dealing",
    "dealers": "thoughtful.names",
    "deals": "thoughtful.dealing",
    "hint": "thoughtful.hints",
    "position": "thoughtful.positions",
    "puzzle": "thoughtful.puzzles",
    "read": "thoughtful.dealing",
    "read_list": "thoughtful.lists",
    "replay": "thoughtful.solutions",
    "rulesets": "thoughtful.names",
    "shortest": "thoughtful.solving",
    "solve": "thoughtful.solving",
    "solve_all": "thoughtful.solving",
    "solvers": "thoughtful.names",
    "verdict": "thoughtful.hints",
    "version": "thoughtful.names",
    "write_list": "thoughtful.lists",
}


def __getattr__(name: str) -> Any:
    if name == "__version__":
        return import_module("thoughtful.names").version()
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = getattr(import_module(_HOMES[name]), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOMES})


__all__ = [
    "Answer",
    "BadInput",
    "Catalogue",
    "Comparison",
    "Deal",
    "Hint",
    "IllegalMove",
    "Outcome",
    "Position",
    "Puzzle",
    "ReplayError",
    "Shortest",
    "Solution",
    "catalogue",
    "chances",
    "convert",
    "deal",
    "dealers",
    "deals",
    "hint",
    "position",
    "puzzle",
    "read",
    "read_list",
    "replay",
    "rulesets",
    "shortest",
    "solve",
    "solve_all",
    "solvers",
    "verdict",
    "version",
    "write_list",
]
