"""`exact`: decide a deal or a mid-game position of Klondike by complete search.

Plays every ruleset. The search here is that of any draw count with unlimited redeals, partial runs,
worrying back and the usual tableau; `solvers.klondike.exact_all` has one of every ruleset. That
one decides all but draw 1 with unlimited redeals, where the two take turns. What they leave out,
and why nothing is lost by it, is proved in `docs/search.md`.
`solvers.klondike.exact.load` prepares the search, `solvers.klondike.exact.search` is the search
itself, and `solvers.klondike.exact.unfold` turns its steps into standard moves, which
`solvers.klondike.solution.shorten` makes fewer.
"""

import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from operator import attrgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.cardset import ALL
from engine.compiling import Part, solving_time_ns
from engine.kernels import SettledKernel
from engine.klondike.checker import CHECKER
from engine.klondike.flat import flatten, new_position
from engine.klondike.referee import KlondikePosition
from engine.klondike.rules import KlondikeRules
from engine.records import words_of
from solvers.forgiveness import Forgiveness
from solvers.klondike.dead_ends.pair_reachability import PART as PAIRS_PART
from solvers.klondike.dead_ends.pair_reachability import loses, new_work
from solvers.klondike.exact import search as kernel
from solvers.klondike.exact.layout import new_layout
from solvers.klondike.exact.load import cards_dealt, load, load_deal
from solvers.klondike.exact.rules import PAIRS, has_usual_rules
from solvers.klondike.exact.rules import RULES as RULES
from solvers.klondike.exact.unfold import LONGEST, unfold_and_shorten
from solvers.klondike.exact.workspace import Workspace, new_workspaces
from solvers.klondike.solution import option
from solvers.klondike.solution.plays import new_scratch
from solvers.outcome import Outcome, Result
from solvers.registry import DealSearch, Method, Parameter, Values


class _ThreadWorkspace(threading.local):
    """Memory of the solver's searches; one per thread, so that they can run side by side."""

    def __init__(self) -> None:
        self.layout = new_layout()
        self.start = np.zeros(6, dtype=np.int64)
        self.report = np.zeros(2, dtype=np.int64)
        self.solution = np.zeros(LONGEST, dtype=np.uint8)
        self.flat = new_position()
        self.piles = new_position()
        self.scratch = new_scratch()
        self.pairs = new_work()
        self.prepared: tuple[int, int] | None = None
        self.search: Workspace
        self.inner: Workspace
        # The words of all, see `engine.records`.
        self.layout_words = words_of(self.layout)
        self.search_words: tuple[Any, ...]
        self.inner_words: tuple[Any, ...]

    def prepare(self, draw: int, mebibytes: int) -> None:
        """Make workspaces for this draw and memory unless they are those at hand."""
        if self.prepared != (draw, mebibytes):
            self.search, self.inner = new_workspaces(draw, mebibytes)
            self.search_words, self.inner_words = words_of(self.search), words_of(self.inner)
            self.prepared = (draw, mebibytes)


_work = _ThreadWorkspace()


def _run_search() -> None:
    own = _ThreadWorkspace()
    own.prepare(1, 1)
    place = _place_in(own)
    load_deal(_IN_ORDER, 0, 1, *place)
    load(*place)
    words = own.layout_words, own.search_words, own.inner_words
    kernel.decide(own.start, 1, 0, 1, False, *words, own.report)


def _run_solution() -> None:
    own = _ThreadWorkspace()
    own.prepare(1, 1)
    load_deal(_IN_ORDER, 0, 1, *_place_in(own))
    before, after = _ways_in(own, 1)
    unfold_and_shorten(*before, 0, *after)


def _place_in(own: _ThreadWorkspace) -> tuple[Any, ...]:
    """The arguments of `load`."""
    layout = own.layout
    return (
        own.flat,
        own.start,
        layout.below,
        layout.stock_sets,
        layout.stock_index,
        layout.column_of,
    )


# How steps become moves: the arguments of `unfold_and_shorten` before their number, and after it.
_Ways = tuple[tuple[Any, ...], tuple[Any, ...]]


def _ways_in(own: _ThreadWorkspace, rounds: int) -> _Ways:
    return (
        (own.flat, own.piles, own.search.line),
        (own.layout.column_of, rounds, own.scratch, own.solution),
    )


_IN_ORDER = np.arange(52, dtype=np.uint8)[None]
_HERE = "solvers.klondike.exact.method"
_SEARCH = Part(f"{_HERE}:_SEARCH", (load_deal, load, kernel.decide), _run_search)
_SOLUTION = Part(f"{_HERE}:_SOLUTION", (unfold_and_shorten,), _run_solution)
_LOAD_DEAL, _UNFOLD = SettledKernel(load_deal), SettledKernel(unfold_and_shorten)
_DECIDE = SettledKernel(kernel.decide)


def _load(position: KlondikePosition) -> None:
    """Write a position to this thread's workspace, as piles and in the form the kernel takes."""
    flatten(position, _work.flat)
    load(*_place_in(_work))


def _search(
    draw: int,
    values: Values,
    off: int,
    deal: Callable[[], NDArray[np.uint8] | None] | None = None,
) -> int:
    """Run the kernel on the loaded position and return how it ended.

    The workspace must be prepared; nodes and line are there afterwards. `deal`, which is asked in
    long searches alone, gives the cards of the deal of which the position is the start, or None.
    """
    work = _work
    before = work.start, draw, off, values["nodes"]
    after = work.layout_words, work.search_words, work.inner_words, work.report
    decide = _DECIDE.made or _DECIDE.form(*before, False, *after)
    ended: int = decide(*before, False, *after)
    if ended == kernel.PAUSED:
        cards = None if deal is None or off & PAIRS != 0 else deal()
        if cards is not None:
            PAIRS_PART.need()
            if loses(cards, draw, ALL, work.pairs):
                return kernel.UNWINNABLE
        ended = decide(*before, True, *after)
    return ended


def _ways(values: Values) -> _Ways:
    """How steps become moves; the workspace must be prepared."""
    return _ways_in(_work, option.rounds_of(values))


def _solution(ended: int, ways: _Ways) -> bytes | None:
    """Return the standard moves of a win that was found, packed, made in these `_ways`."""
    if ended != kernel.WON:
        return None
    work = _work
    _SOLUTION.need()
    before, after = ways
    steps = int(work.report[1])
    unfold = _UNFOLD.made or _UNFOLD.form(*before, steps, *after)
    count = unfold(*before, steps, *after)
    assert count >= 0, "the search made a step that cannot be played"
    return work.solution[:count].tobytes()


_RESULTS = {
    kernel.WON: Result.WON,
    kernel.UNWINNABLE: Result.UNWINNABLE,
    kernel.NODES_SPENT: Result.GAVE_UP,
    kernel.MEMORY_SPENT: Result.GAVE_UP,
}


def _outcome(ended: int, since: int, moves: bytes | None = None) -> Outcome:
    """The outcome of the search that this thread just ended, begun at that CPU time in ns."""
    cpu_ms = (solving_time_ns() - since) / 1e6
    return Outcome(_RESULTS[ended], int(_work.report[0]), cpu_ms, moves)


def solve(
    deals: NDArray[np.uint8], rules: KlondikeRules, values: Values, off: int = 0
) -> list[Outcome]:
    """Decide deals uint8[n, 52] under usual rules; see `solvers.registry.Method`.

    `off` has the bits of `RULES` that are to be switched off; the verdicts stay the same.
    """
    _prepare(rules, values)
    ways = _ways(values)
    return [
        _outcome(ended, since, _solution(ended, ways))
        for since, ended in _searched(deals, rules, values, off)
    ]


def decide(deals: NDArray[np.uint8], rules: KlondikeRules, values: Values) -> list[Outcome]:
    """Find the verdicts on deals uint8[n, 52] under usual rules: wins have no moves."""
    _prepare(rules, values)
    return [_outcome(ended, since) for since, ended in _searched(deals, rules, values, 0)]


def _searched(
    deals: NDArray[np.uint8], rules: KlondikeRules, values: Values, off: int
) -> Iterator[tuple[int, int]]:
    """Search deals in turn; give the thread's CPU time before each, in ns, and how it ended.

    The workspace must be prepared. What was found is there until the next one.
    """
    # Always of one type, as the settled kernel needs it.
    deals = np.array(deals, dtype=np.uint8, order="C")
    place = rules.draw, *_place_in(_work)
    load_next = _LOAD_DEAL.form(deals, 0, *place)
    for number in range(len(deals)):
        since = solving_time_ns()
        load_next(deals, number, *place)
        yield since, _search(rules.draw, values, off, partial(deals.__getitem__, number))


def _prepare(rules: KlondikeRules, values: Values) -> None:
    """Have kernels and workspace ready, so that the first deal's time does not hold that."""
    _SEARCH.need()
    _work.prepare(rules.draw, values["memory_mib"])


def solve_position(position: KlondikePosition, values: Values) -> Outcome:
    """Decide a position in mid-game under usual rules.

    Raises:
        BadInput: the position is none that a table could show.
    """
    since, ended = _search_position(position, values)
    return _outcome(ended, since, _solution(ended, _ways(values)))


def decide_position(position: KlondikePosition, values: Values) -> Outcome:
    """Find the verdict on a position in mid-game under usual rules: a win has no moves.

    Raises:
        BadInput: the position is none that a table could show.
    """
    since, ended = _search_position(position, values)
    return _outcome(ended, since)


def _search_position(position: KlondikePosition, values: Values) -> tuple[int, int]:
    """Search a position; return the thread's CPU time at the start, in ns, and how it ended."""
    position.checked()
    _prepare(position.rules, values)
    since = solving_time_ns()
    _load(position)
    return since, _search(position.rules.draw, values, 0, partial(cards_dealt, position))


def _other() -> Any:
    """The module of the search for every ruleset.

    It is loaded only where it is needed, because that takes longer than most deals.
    """
    from solvers.klondike.exact_all import method

    return method


def search_of(rules: KlondikeRules) -> Any:
    """The module whose `solve` and `solve_position` decide deals under these rules.

    At draw 1 the other one takes its turn, see `_in_turns`.
    """
    return sys.modules[__name__] if _takes_turns(rules) else _other()


def _takes_turns(rules: KlondikeRules) -> bool:
    return rules.draw == 1 and has_usual_rules(rules)


# Nodes of the first search at draw 1, and nodes and MiB of the second one.
_FIRST, _SECOND, _SECOND_MIB = 2_000, 30_000, 16


def _first(values: Values) -> Values:
    """The values of the first search at draw 1."""
    return {**values, "nodes": min(values["nodes"], _FIRST)}


def _in_turns(first: Outcome, values: Values, attempt: Callable[[Any, Values], Outcome]) -> Outcome:
    """Go on where a first search gave up: by the other search for a while, then here once more.

    What is hard for one of the two is often easy for the other. `attempt` solves by a module's
    search with values.
    """
    if first.result is not Result.GAVE_UP:
        return first
    turns = (
        (_other(), _SECOND, min(_SECOND_MIB, values["memory_mib"])),
        (sys.modules[__name__], values["nodes"], values["memory_mib"]),
    )
    outcome, nodes, cpu_ms = first, first.nodes, first.cpu_ms or 0.0
    for module, most, memory_mib in turns:
        left = values["nodes"] - nodes
        if outcome.result is not Result.GAVE_UP or left <= 0:
            break
        own = {**values, "nodes": min(most, left), "memory_mib": memory_mib}
        outcome = attempt(module, own)
        nodes += outcome.nodes
        cpu_ms += outcome.cpu_ms or 0.0
    return replace(outcome, nodes=nodes, cpu_ms=cpu_ms)


def _solve_any(deals: NDArray[np.uint8], rules: KlondikeRules, values: Values) -> list[Outcome]:
    """Decide deals under any rules."""
    return _any_deals(attrgetter("solve"), deals, rules, values)


def _decide_any(deals: NDArray[np.uint8], rules: KlondikeRules, values: Values) -> list[Outcome]:
    """Find the verdicts on deals under any rules: wins have no moves."""
    return _any_deals(attrgetter("decide"), deals, rules, values)


def _any_deals(
    of: Callable[[Any], DealSearch],
    deals: NDArray[np.uint8],
    rules: KlondikeRules,
    values: Values,
) -> list[Outcome]:
    """Search deals by the module for these rules, or by both in turns; `of` is what it does."""
    if not _takes_turns(rules):
        return of(_other())(deals, rules, values)

    def attempt(at: int, module: Any, values: Values) -> Outcome:
        return of(module)(deals[at : at + 1], rules, values)[0]

    return [
        _in_turns(first, values, partial(attempt, at))
        for at, first in enumerate(of(sys.modules[__name__])(deals, rules, _first(values)))
    ]


def _solve_any_position(position: KlondikePosition, values: Values) -> Outcome:
    """Decide a position in mid-game under any rules."""
    return _any_position(attrgetter("solve_position"), position, values)


def _decide_any_position(position: KlondikePosition, values: Values) -> Result:
    """Find the verdict on a position in mid-game under any rules."""
    return _any_position(attrgetter("decide_position"), position, values).result


def _any_position(
    of: Callable[[Any], Callable[[KlondikePosition, Values], Outcome]],
    position: KlondikePosition,
    values: Values,
) -> Outcome:
    """Search a position by the module for its rules, or by both in turns; `of` is what it does."""

    def attempt(module: Any, values: Values) -> Outcome:
        return of(module)(position, values)

    if not _takes_turns(position.rules):
        return attempt(_other(), values)
    return _in_turns(attempt(sys.modules[__name__], _first(values)), values, attempt)


# While these are being compiled, short searches are done without the compiler, and a long one
# needs the pairs before it goes on. Few wins are judged without the compiler, too.
PARTS = (_SEARCH, PAIRS_PART, _SOLUTION, CHECKER)


def _parts(rules: KlondikeRules) -> tuple[Part, ...]:
    others: tuple[Part, ...] = _other().parts(rules)
    return (_SEARCH, _SOLUTION, *others, CHECKER) if _takes_turns(rules) else (*others, CHECKER)


def _forgiveness() -> Forgiveness:
    from solvers.klondike.exact.forgiveness import FORGIVENESS

    return FORGIVENESS


METHOD = Method(
    slug="exact",
    version=10,
    summary="Complete depth-first search; decides every deal its budget suffices for. With "
    "shorten=2 solutions are shorter, and with shorten=0 as found: in more and in less time.",
    game="klondike",
    sees="deal",
    source=None,
    parameters=(
        Parameter(
            "nodes",
            1_000_000_000,
            1,
            10**12,
            "positions entered before giving up; a question by hand is answered first",
        ),
        Parameter("memory_mib", 768, 1, 65_536, "MiB for positions entered before giving up"),
        option.SHORTEN,
    ),
    rulesets="every Klondike ruleset",
    plays=lambda rules: True,
    chunk=100,
    solve=_solve_any,
    solve_position=_solve_any_position,
    decide=_decide_any,
    decide_position=_decide_any_position,
    decides=True,
    grades=True,
    # To win one, and to search another for so long that its pairs of cards are looked at.
    warm_up={"nodes": 100_000, "memory_mib": 8, option.SHORTEN.name: 1},
    load_forgiveness=_forgiveness,
    parts=_parts,
)
