"""`exact` under every ruleset but the usual ones: decide a deal or a mid-game position.

It decides those, too, so that the two searches can judge each other. The search is described, and
proved complete, in `docs/search.md`, section "Every ruleset". `solvers.klondike.exact_all.load`
prepares it, `solvers.klondike.exact_all.search` is the search itself, compiled for each family of
rulesets by itself, and `solvers.klondike.exact_all.unfold` turns its steps into standard moves,
which `solvers.klondike.solution.shorten` makes fewer where it knows the rules.
"""

import threading
import time

import numpy as np
from numpy.typing import NDArray

from engine.klondike.flat import new_position, set_up
from engine.klondike.referee import KlondikePosition
from engine.klondike.rules import KlondikeRules
from solvers.klondike.exact.layout import new_layout
from solvers.klondike.exact_all import search as kernel
from solvers.klondike.exact_all.load import flatten, load
from solvers.klondike.exact_all.rules import BUILDING, SPACES
from solvers.klondike.exact_all.rules import RULES as RULES
from solvers.klondike.exact_all.unfold import LONGEST, unfold
from solvers.klondike.exact_all.workspace import RulesetWorkspace, new_workspace
from solvers.klondike.solution.plays import new_scratch
from solvers.klondike.solution.shorten import shorten
from solvers.outcome import Outcome, Result
from solvers.registry import Values


class _RulesetMemory(threading.local):
    """Memory of the solver's searches; one per thread, so that they can run side by side."""

    def __init__(self) -> None:
        self.layout = new_layout()
        self.start = np.zeros(9, dtype=np.int64)
        self.report = np.zeros(2, dtype=np.int64)
        self.solution = np.zeros(LONGEST, dtype=np.uint8)
        self.flat = new_position()
        self.piles = new_position()
        self.scratch = new_scratch()
        self.prepared: tuple[int, int] | None = None
        self.search: RulesetWorkspace

    def prepare(self, draw: int, mebibytes: int) -> None:
        """Make a workspace for this draw and memory unless it is the one at hand."""
        if self.prepared != (draw, mebibytes):
            self.search = new_workspace(draw, mebibytes)
            self.prepared = (draw, mebibytes)


_work = _RulesetMemory()

# Families of rulesets for which the search is compiled, or loaded, in this process.
_compiled: set[tuple[bool, ...]] = set()


def _compile(rules: KlondikeRules) -> None:
    """Compile what a ruleset needs, so that no deal's time holds it."""
    family = (
        rules.has_usual_tableau,
        rules.worrying_back,
        rules.redeals is None,
        rules.partial_runs,
    )
    if family in _compiled:
        return
    cards = np.arange(52, dtype=np.uint8)
    set_up(cards, rules.draw, _work.flat)
    _load(rules, 0)
    _search(rules, {"nodes": 1, "memory_mib": 1}, 0)
    _work.report[1] = 0
    _solution(rules)
    _compiled.add(family)


def _load(rules: KlondikeRules, redeals_used: int) -> None:
    """Bring the position in `flat` into the form that the kernel takes."""
    work, layout = _work, _work.layout
    load(
        work.flat,
        work.start,
        BUILDING[rules.building],
        SPACES[rules.spaces],
        -1 if rules.redeals is None else rules.redeals - redeals_used,
        layout.below,
        layout.stock_sets,
        layout.stock_index,
        layout.column_of,
    )


def _search(rules: KlondikeRules, values: Values, off: int) -> int:
    """Run the kernel on the loaded position; nodes and line are in the workspace."""
    work = _work
    work.prepare(rules.draw, values["memory_mib"])
    return kernel.search(  # type: ignore[no-any-return]
        work.start,
        rules.draw,
        off,
        BUILDING[rules.building],
        SPACES[rules.spaces],
        None if rules.has_usual_tableau else 1,
        None if rules.worrying_back else 1,
        None if rules.redeals is None else 1,
        None if rules.partial_runs else 1,
        values["nodes"],
        work.layout,
        work.search,
        work.report,
    )


def _solution(rules: KlondikeRules) -> bytes:
    """Return the standard moves of the line that was found, packed, and shortened if possible."""
    work = _work
    work.piles[:] = work.flat
    count = unfold(
        work.piles,
        work.search.line,
        int(work.report[1]),
        BUILDING[rules.building],
        SPACES[rules.spaces],
        not rules.partial_runs,
        work.layout.column_of,
        work.solution,
    )
    assert count >= 0, "the search made a step that cannot be played"
    # Shortening knows no limit of redeals, and only how runs move where parts of them may.
    if rules.has_usual_tableau and rules.partial_runs and rules.redeals is None:
        count = shorten(work.flat, work.solution, count, work.scratch)
    return work.solution[:count].tobytes()


_RESULTS = {
    kernel.WON: Result.WON,
    kernel.UNWINNABLE: Result.UNWINNABLE,
    kernel.NODES_SPENT: Result.GAVE_UP,
    kernel.MEMORY_SPENT: Result.GAVE_UP,
}


def _outcome(ended: int, rules: KlondikeRules, since: int) -> Outcome:
    moves = _solution(rules) if ended == kernel.WON else None
    cpu_ms = (time.thread_time_ns() - since) / 1e6
    return Outcome(_RESULTS[ended], int(_work.report[0]), cpu_ms, moves)


def solve(
    deals: NDArray[np.uint8], rules: KlondikeRules, values: Values, off: int = 0
) -> list[Outcome]:
    """Decide deals uint8[n, 52] under any rules; see `solvers.registry.Method`.

    `off` has the bits of `RULES` that are to be switched off; the verdicts stay the same.
    """
    _compile(rules)
    outcomes = []
    for cards in deals:
        since = time.thread_time_ns()
        set_up(cards, rules.draw, _work.flat)
        _load(rules, 0)
        outcomes.append(_outcome(_search(rules, values, off), rules, since))
    return outcomes


def solve_position(position: KlondikePosition, values: Values, off: int = 0) -> Outcome:
    """Decide a position in mid-game; `off` as for `solve`.

    Raises:
        BadInput: the position is none that a table could show.
    """
    position.checked()
    _compile(position.rules)
    since = time.thread_time_ns()
    flatten(position, _work.flat)
    _load(position.rules, position.redeals_used)
    return _outcome(_search(position.rules, values, off), position.rules, since)
