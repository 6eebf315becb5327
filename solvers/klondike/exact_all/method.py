"""`exact` under every ruleset: decide a deal or a mid-game position.

At draw 1 with unlimited redeals it takes turns with the search of `solvers.klondike.exact.method`.
The search is described, and proved complete, in `docs/search.md`, section "Every ruleset".
`solvers.klondike.exact_all.load` prepares it, `solvers.klondike.exact_all.search` is the search
itself, compiled for each family of rulesets by itself, and `solvers.klondike.exact_all.unfold`
turns its steps into standard moves, which `solvers.klondike.solution.shorten` makes fewer where it
knows the rules.
"""

import threading
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import product, starmap
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.cardset import ALL
from engine.compiling import Part, solving_time_ns
from engine.kernels import SettledKernel
from engine.klondike.flat import flatten, new_position
from engine.klondike.referee import KlondikePosition
from engine.klondike.rules import KlondikeRules
from engine.records import words_of
from solvers.klondike.dead_ends.pair_reachability import PART as PAIRS_PART
from solvers.klondike.dead_ends.pair_reachability import loses, new_work
from solvers.klondike.exact.layout import new_layout
from solvers.klondike.exact.load import cards_dealt
from solvers.klondike.exact.workspace import NEVER
from solvers.klondike.exact_all import search as kernel
from solvers.klondike.exact_all.load import load, load_deal
from solvers.klondike.exact_all.rules import BUILDING, PAIRS, SPACES
from solvers.klondike.exact_all.rules import RULES as RULES
from solvers.klondike.exact_all.unfold import LONGEST, unfold_and_shorten
from solvers.klondike.exact_all.workspace import RulesetWorkspace, new_workspace
from solvers.klondike.solution import option
from solvers.klondike.solution.plays import new_scratch
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
        self.pairs = new_work()
        self.prepared: tuple[int, int, bool] | None = None
        self.search: RulesetWorkspace
        # The words of both, see `engine.records`.
        self.layout_words = words_of(self.layout)
        self.search_words: tuple[Any, ...]

    def prepare(self, draw: int, mebibytes: int, partial_runs: bool) -> None:
        """Make a workspace for these rules and this memory unless it is the one at hand."""
        wanted = (draw, mebibytes, not partial_runs)
        if self.prepared != wanted:
            self.search = new_workspace(*wanted)
            self.search_words = words_of(self.search)
            self.prepared = wanted


_work = _RulesetMemory()

# After so many nodes pairs of facts are looked at once.
_PAUSE = 2_000


class _Family(NamedTuple):
    """The rulesets that share a compiled search."""

    usual_tableau: bool
    worrying_back: bool
    unlimited: bool
    partial_runs: bool


def _family_of(rules: KlondikeRules) -> _Family:
    return _Family(
        rules.has_usual_tableau, rules.worrying_back, rules.redeals is None, rules.partial_runs
    )


def _switches(family: _Family) -> tuple[int | None, ...]:
    """What the kernel takes for a family: None for what is usual, which is compiled apart."""
    return tuple(None if usual else 1 for usual in family)


_IN_ORDER = np.arange(52, dtype=np.uint8)[None]
_FAMILIES = tuple(starmap(_Family, product((True, False), repeat=4)))
_HERE = "solvers.klondike.exact_all.method"


def _run_search(family: _Family) -> None:
    own = _RulesetMemory()
    own.prepare(1, 1, family.partial_runs)
    place = _place_in(own, 0, 0, -1)
    load_deal(_IN_ORDER, 0, 1, *place)
    load(*place)
    kernel.search(
        own.start,
        1,
        0,
        0,
        0,
        *_switches(family),
        1,
        1,
        False,
        own.layout_words,
        own.search_words,
        own.report,
    )


def _run_solution() -> None:
    own = _RulesetMemory()
    own.prepare(1, 1, True)
    before, after = _ways_in(own, 0, 0, False, 1)
    load_deal(_IN_ORDER, 0, 1, *_place_in(own, 0, 0, -1))
    unfold_and_shorten(*before, 0, *after)


def _place_in(own: _RulesetMemory, building: int, spaces: int, redeals: int) -> tuple[Any, ...]:
    """The arguments of `load`."""
    layout = own.layout
    return (
        own.flat,
        own.start,
        building,
        spaces,
        redeals,
        layout.below,
        layout.stock_sets,
        layout.stock_index,
        layout.column_of,
    )


# How steps become moves: the arguments of `unfold_and_shorten` before their number, and after it.
_Ways = tuple[tuple[Any, ...], tuple[Any, ...]]


def _ways_in(own: _RulesetMemory, building: int, spaces: int, whole: bool, rounds: int) -> _Ways:
    return (
        (own.flat, own.piles, own.search.line),
        (building, spaces, whole, own.layout.column_of, rounds, own.scratch, own.solution),
    )


def _is_for(family: _Family, root: Any, types: Sequence[Any]) -> bool:
    """Whether a kernel of these types serves a family."""
    if root is not kernel.search:
        return True
    asked = [switch is None for switch in _switches(family)]
    return [str(each) == "none" for each in types[_SWITCHES]] == asked


# Where the family's switches stand among the arguments of the search.
_SWITCHES = slice(5, 9)
_SEARCHES = tuple(
    Part(
        f"{_HERE}:_SEARCHES:{number}",
        (load_deal, load, kernel.search),
        partial(_run_search, family),
        partial(_is_for, family),
    )
    for number, family in enumerate(_FAMILIES)
)
_SOLUTION = Part(f"{_HERE}:_SOLUTION", (unfold_and_shorten,), _run_solution)
_LOAD_DEAL, _UNFOLD = SettledKernel(load_deal), SettledKernel(unfold_and_shorten)
_SEARCH_OF = {family: SettledKernel(kernel.search) for family in _FAMILIES}


def parts(rules: KlondikeRules) -> tuple[Part, ...]:
    """What is compiled when a deal is first decided under these rules."""
    search = _SEARCHES[_FAMILIES.index(_family_of(rules))]
    return (search, PAIRS_PART, _SOLUTION) if _looks_at_pairs(rules) else (search, _SOLUTION)


def _prepare(rules: KlondikeRules, values: Values) -> None:
    """Have kernels and workspace ready, so that the first deal's time does not hold that."""
    parts(rules)[0].need()
    _work.prepare(rules.draw, values["memory_mib"], rules.partial_runs)


def _place(rules: KlondikeRules, redeals_used: int) -> tuple[Any, ...]:
    """What `load` takes to bring the position in `flat` into the form that the kernel takes."""
    left = -1 if rules.redeals is None else rules.redeals - redeals_used
    return _place_in(_work, BUILDING[rules.building], SPACES[rules.spaces], left)


class _Question(NamedTuple):
    """What the kernel is asked of the loaded position, the same for all deals of a batch.

    Attributes:
        draw: cards turned at once.
        search: the kernel.
        before: its arguments before `goes_on`.
        after: those after it.
    """

    draw: int
    search: Callable[..., int]
    before: tuple[Any, ...]
    after: tuple[Any, ...]


def _question(rules: KlondikeRules, values: Values, off: int, pauses: bool) -> _Question:
    """The question of whether a position is won; with `pauses` the search stops once.

    The workspace must be prepared.
    """
    work = _work
    family = _family_of(rules)
    before = (
        work.start,
        rules.draw,
        off,
        BUILDING[rules.building],
        SPACES[rules.spaces],
        *_switches(family),
        values["nodes"],
        _PAUSE if pauses and off & PAIRS == 0 and _looks_at_pairs(rules) else NEVER,
    )
    after = work.layout_words, work.search_words, work.report
    search = _SEARCH_OF[family].form(*before, False, *after)
    return _Question(rules.draw, search, before, after)


def _search(
    rules: KlondikeRules,
    values: Values,
    off: int,
    deal: Callable[[], NDArray[np.uint8] | None] | None = None,
) -> int:
    """Run the kernel on the loaded position and return how it ended.

    The workspace must be prepared; nodes and line are there afterwards. `deal`, which is asked in
    long searches alone, gives the cards of the deal of which the position is the start, or None.
    """
    return _ask(_question(rules, values, off, deal is not None), deal)


def _ask(question: _Question, deal: Callable[[], NDArray[np.uint8] | None] | None) -> int:
    """`_search` of a `_question`."""
    work = _work
    draw, search, before, after = question
    ended = search(*before, False, *after)
    if ended == kernel.PAUSED:
        cards = None if deal is None else deal()
        if cards is not None:
            PAIRS_PART.need()
            if loses(cards, draw, ALL, work.pairs):
                return kernel.UNWINNABLE
        ended = search(*before, True, *after)
    return ended


def _looks_at_pairs(rules: KlondikeRules) -> bool:
    """Whether pairs of facts are looked at: seldom of use at draw 1 or with few redeals."""
    return rules.draw > 1 and rules.has_usual_tableau and rules.redeals is None


def _ways(rules: KlondikeRules, values: Values) -> _Ways:
    """How steps become moves, which are shortened if the values ask for it and the rules are known.

    The workspace must be prepared.
    """
    rounds = option.rounds_of(values) if _can_shorten(rules) else 0
    whole = not rules.partial_runs
    return _ways_in(_work, BUILDING[rules.building], SPACES[rules.spaces], whole, rounds)


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


def _can_shorten(rules: KlondikeRules) -> bool:
    # Shortening knows no limit of redeals, and only how runs move where parts of them may.
    return rules.has_usual_tableau and rules.partial_runs and rules.redeals is None


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
    """Decide deals uint8[n, 52] under any rules; see `solvers.registry.Method`.

    `off` has the bits of `RULES` that are to be switched off; the verdicts stay the same.
    """
    _prepare(rules, values)
    ways = _ways(rules, values)
    return [
        _outcome(ended, since, _solution(ended, ways))
        for since, ended in _searched(deals, rules, values, off)
    ]


def decide(deals: NDArray[np.uint8], rules: KlondikeRules, values: Values) -> list[Outcome]:
    """Find the verdicts on deals uint8[n, 52] under any rules: wins have no moves."""
    _prepare(rules, values)
    return [_outcome(ended, since) for since, ended in _searched(deals, rules, values, 0)]


def _searched(
    deals: NDArray[np.uint8], rules: KlondikeRules, values: Values, off: int
) -> Iterator[tuple[int, int]]:
    """Search deals in turn; give the thread's CPU time before each, in ns, and how it ended.

    The workspace must be prepared. What was found is there until the next one.
    """
    question = _question(rules, values, off, pauses=True)
    # Always of one type, as the settled kernel needs it.
    deals = np.array(deals, dtype=np.uint8, order="C")
    place = rules.draw, *_place(rules, 0)
    load_next = _LOAD_DEAL.form(deals, 0, *place)
    for number in range(len(deals)):
        since = solving_time_ns()
        load_next(deals, number, *place)
        yield since, _ask(question, partial(deals.__getitem__, number))


def solve_position(position: KlondikePosition, values: Values, off: int = 0) -> Outcome:
    """Decide a position in mid-game; `off` as for `solve`.

    Raises:
        BadInput: the position is none that a table could show.
    """
    since, ended = _search_position(position, values, off)
    return _outcome(ended, since, _solution(ended, _ways(position.rules, values)))


def decide_position(position: KlondikePosition, values: Values) -> Outcome:
    """Find the verdict on a position in mid-game: a win has no moves.

    Raises:
        BadInput: the position is none that a table could show.
    """
    since, ended = _search_position(position, values, 0)
    return _outcome(ended, since)


def _search_position(position: KlondikePosition, values: Values, off: int) -> tuple[int, int]:
    """Search a position; return the thread's CPU time at the start, in ns, and how it ended."""
    position.checked()
    _prepare(position.rules, values)
    since = solving_time_ns()
    flatten(position, _work.flat)
    load(*_place(position.rules, position.redeals_used))
    return since, _search(position.rules, values, off, partial(cards_dealt, position))
