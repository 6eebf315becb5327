"""Solving: outcomes and shortest solutions."""

from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any

from engine.games import game_of
from thoughtful.dealing import Deal, Several, inputs
from thoughtful.positions import Position, position
from thoughtful.reading import entry_of, seconds_of, whole
from thoughtful.solutions import Solution

if TYPE_CHECKING:
    import pandas as pd

    from solvers.outcome import Outcome as SolverOutcome
    from solvers.solver import Solver

Given = str | dict[str, Any] | Deal | Position


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of a solver on a deal or a position.

    Attributes:
        result: ``won``; ``unwinnable``, which is proved; ``lost`` or ``gave_up``, which prove
            nothing.
        solver: who it was, with parameters.
        version: its version.
        nodes: positions that it entered.
        cpu_ms: milliseconds of CPU time.
        solution: of a win, replayed by the referee; else None.
        dead_end: why a deal cannot be won, in words, if a test for dead ends tells; else None.
    """

    result: str
    solver: str
    version: int
    nodes: int
    cpu_ms: float | None
    solution: Solution | None
    dead_end: str | None

    def _repr_html_(self) -> str:
        words = f"<p>{self.result} ({escape(self.solver)}, {self.nodes:,} nodes)</p>"
        if self.solution is not None:
            return words + self.solution._repr_html_()
        return words if self.dead_end is None else f"{words}<p>{escape(self.dead_end)}</p>"


@dataclass(frozen=True, slots=True)
class Shortest:
    """The shortest solution known, and what is proved about it.

    Attributes:
        solution: the shortest known; None if none is.
        length: its length by the count that was asked for.
        bound: no solution is shorter; None if it is proved that there is none at all.
        is_proved: whether the solution is proved to be a shortest one, or that there is none.
        nodes: positions entered.
        cpu_ms: milliseconds of CPU time.
        ended_by: what was spent before the search had ended, ``memory`` or ``time``; None if it is
            proved.
    """

    solution: Solution | None
    length: int | None
    bound: int | None
    is_proved: bool
    nodes: int
    cpu_ms: float
    ended_by: str | None = None

    def _repr_html_(self) -> str:
        if self.solution is None:
            words = "no solution exists" if self.is_proved else "no solution is known"
            return f"<p>{words}</p>"
        least = "proved shortest" if self.is_proved else f"none is shorter than {self.bound}"
        return f"<p>{self.length} moves: {least}</p>{self.solution._repr_html_()}"


def solve(given: Given, rules: str | None = None, solver: str | None = None) -> Outcome:
    """Solve a deal, or a position in mid-game.

    Args:
        given: a deal or a position, see `position`.
        rules: the ruleset; by default that of what is given, see `position`.
        solver: the solver, with any parameters, such as ``exact(nodes=1000)``; by default the
            first that decides deals of the ruleset, with its solutions made as short as it can
            make them in some 20 ms.

    Raises:
        BadInput: there is no such deal, ruleset or solver, or the solver does not play it.
    """
    from catalogue.pipe import solve_all as solve_deals
    from solvers.choice import default_shown

    if isinstance(given, str | dict):
        entry = entry_of(given, rules)
        start = Position(entry.position)
        item = None if entry.deal is None else entry.as_input()
    else:
        start = position(given, rules)
        item = given._as_input() if isinstance(given, Deal) else None
    ruleset = start.referee.rules
    by = default_shown(ruleset) if solver is None else _solver(ruleset, solver)
    if item is None:
        return _outcome(start, by, by.solve_position(start.referee))
    (solved,) = solve_deals([item], ruleset, by)
    return _outcome(start, by, solved.outcome, item.deal)


def solve_all(
    given: Several,
    rules: str | None = None,
    solver: str | None = None,
    workers: int = 1,
) -> "pd.DataFrame":
    """Solve many deals, without a catalogue.

    Args:
        given: a sample such as ``thoughtful-1:0-999``, or deals.
        rules: the ruleset of all; by default that of the first deal.
        solver: see `solve`.
        workers: number of processes.

    Returns:
        One row a deal, in their order: ``deal``, ``result``, ``nodes``, ``cpu_ms``, ``length`` and
        ``moves`` (a list) of a win, ``dead_end`` (its kind).

    Raises:
        BadInput: as in `solve`; or a script without a guard would start processes.
    """
    from catalogue.pipe import solve_all as solve_deals
    from thoughtful.frames import LIST, REAL, TEXT, WHOLE, frame

    whole(workers, "workers", 1, 1024)
    ruleset, items = inputs(given, rules)
    by, game = _solver(ruleset, solver), game_of(ruleset)
    rows = []
    for item, outcome in solve_deals(items, ruleset, by, workers=workers, are_there=True):
        moves = None if outcome.moves is None else game.unpack(outcome.moves)
        rows.append(
            {
                "deal": str(item.id),
                "result": outcome.result.value,
                "nodes": outcome.nodes,
                "cpu_ms": outcome.cpu_ms,
                "length": None if moves is None else len(moves),
                "moves": None if moves is None else list(map(str, moves)),
                "dead_end": None if outcome.dead_end is None else outcome.dead_end.kind,
            }
        )
    types = {"deal": TEXT, "result": TEXT, "nodes": WHOLE, "cpu_ms": REAL, "length": WHOLE}
    return frame(rows, types | {"moves": LIST, "dead_end": TEXT})


def shortest(
    given: Given,
    rules: str | None = None,
    *,
    count: str | None = None,
    seconds: float = 60.0,
    memory_mib: int = 1024,
) -> Shortest:
    """Find a shortest solution, and prove that there is no shorter one.

    Args:
        given: a deal or a position, see `position`.
        rules: the ruleset; by default that of what is given, see `position`.
        count: how moves are counted: ``standard``, or as another program does.
        seconds: of CPU time; 0 for no limit.
        memory_mib: MiB of memory for the search.

    Raises:
        BadInput: as in `solve`, or unknown count.
    """
    from solvers.choice import finder_of_shortest

    start = position(given, rules)
    search = finder_of_shortest(start.referee.rules).method.shortest
    assert search is not None  # that is what the solver was found by
    counted = search.counts[0].slug if count is None else count
    search.check_count(counted)
    whole(memory_mib, "memory_mib", 1, 65_536)
    found = search.find(
        start.referee,
        count=counted,
        known=None,
        mebibytes=memory_mib,
        seconds=seconds_of(seconds) or None,
    )
    solution = None if found.moves is None else Solution(start, found.moves)
    return Shortest(
        solution,
        found.length,
        found.bound,
        found.is_proved,
        found.nodes,
        found.cpu_ms,
        found.ended_by,
    )


def _solver(rules: Any, solver: str | None) -> "Solver":
    from solvers.choice import default_solver
    from solvers.solver import parse_solver

    found = default_solver(rules) if solver is None else parse_solver(solver)
    found.check_plays(rules)
    return found


def _outcome(start: Position, by: "Solver", outcome: "SolverOutcome", deal: Any = None) -> Outcome:
    from solvers.deciding import dead_end_words

    rules = start.referee.rules
    game = game_of(rules)
    solution = None if outcome.moves is None else Solution(start, game.unpack(outcome.moves))
    return Outcome(
        outcome.result.value,
        str(by),
        by.method.version,
        outcome.nodes,
        outcome.cpu_ms,
        solution,
        dead_end_words(deal, rules, outcome.dead_end),
    )
