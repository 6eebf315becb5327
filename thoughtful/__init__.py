"""Thoughtful from Python: deals, positions, solvers and the catalogue, in one import.

    >>> import thoughtful
    >>> outcome = thoughtful.solve("pysolfc:12345", "klondike-draw3")
    >>> outcome.result, len(outcome.solution)
    ('won', 154)

What is named here is the public interface: it is small, typed, mirrors the commands of the command
line under the same names (`docs/python.md`), and changes only with the changelog. Errors are
`BadInput` with one sentence; `IllegalMove` and `ReplayError` are among them. Rows come as pandas
frames whose columns have types that can hold missing values (`Int64`, `string`).
"""

from thoughtful.own_packages import check_packages

check_packages()  # before the first import of one

from engine.errors import BadInput, IllegalMove  # noqa: E402
from engine.replay import ReplayError  # noqa: E402
from thoughtful.deals import Deal, convert, deal, deals, read  # noqa: E402
from thoughtful.hints import Hint, Hints, chances, hint  # noqa: E402
from thoughtful.lists import read_list, write_list  # noqa: E402
from thoughtful.names import dealers, rulesets, solvers, version  # noqa: E402
from thoughtful.positions import Position, position  # noqa: E402
from thoughtful.solutions import Solution, replay  # noqa: E402
from thoughtful.solving import (  # noqa: E402
    Outcome,
    Shortest,
    Verdict,
    shortest,
    solve,
    solve_all,
    verdict,
)
from thoughtful.stored import Catalogue, Comparison, catalogue  # noqa: E402

__all__ = [
    "BadInput",
    "Catalogue",
    "Comparison",
    "Deal",
    "Hint",
    "Hints",
    "IllegalMove",
    "Outcome",
    "Position",
    "ReplayError",
    "Shortest",
    "Solution",
    "Verdict",
    "catalogue",
    "chances",
    "convert",
    "deal",
    "dealers",
    "deals",
    "hint",
    "position",
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
