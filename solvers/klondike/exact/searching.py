"""The two searches of `exact` as Python calls them: on deals, or on positions in mid-game.

`solvers.klondike.exact.load` prepares a search, `solvers.klondike.exact.by_hand` and
`solvers.klondike.exact.by_stocks` are the searches themselves, and `solvers.klondike.exact.unfold`
turns their steps into standard moves, which `solvers.klondike.solution.shorten` makes fewer where
it knows the rules. The search by hand is compiled for each family of rulesets by itself.
"""

import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import product, starmap
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.cardset import ALL
from engine.kernels.compiling import Part, solving_time_ns
from engine.kernels.decorators import SettledKernel
from engine.kernels.records import words_of
from engine.klondike.flat import DOWN_FROM, RUN, flatten, new_position
from engine.klondike.referee import KlondikePosition
from engine.klondike.rules import KlondikeRules
from solvers.klondike.dead_ends.pair_reachability import PART as PAIRS_PART
from solvers.klondike.dead_ends.pair_reachability import loses, new_work
from solvers.klondike.exact import by_hand, by_stocks
from solvers.klondike.exact.layout import new_layout
from solvers.klondike.exact.load import USUAL, cards_dealt, load, load_deal
from solvers.klondike.exact.rules import (
    BUILDING,
    PAIRS,
    RULES_BY_HAND,
    RULES_BY_STOCKS,
    SPACES,
    has_usual_rules,
)
from solvers.klondike.exact.search import MEMORY_SPENT, NODES_SPENT, PAUSED, UNWINNABLE, WON
from solvers.klondike.exact.unfold import LONGEST, unfold_and_shorten
from solvers.klondike.exact.workspace import NEVER, Workspace, new_workspace, new_workspaces
from solvers.klondike.solution import option
from solvers.klondike.solution.plays import new_scratch
from solvers.method import Values
from solvers.outcome import Outcome, Result

# Nodes of the search for a solution that brings no card back: where the first search has brought
# some back, these suffice for three in four deals.
_STRICT_NODES = 2_000
# MiB of a search by hand between searches by stocks.
HAND_BETWEEN_MIB = 16


class _ThreadWorkspace(threading.local):
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
        # Of each search what its memory was made for, and its words, see `engine.kernels.records`.
        self.for_hand: tuple[int, int, bool] | None = None
        self.for_stocks: tuple[int, int] | None = None
        self.hand: Workspace
        self.outer: Workspace
        self.inner: Workspace
        self.layout_words = words_of(self.layout)
        self.hand_words: tuple[Any, ...]
        self.outer_words: tuple[Any, ...]
        self.inner_words: tuple[Any, ...]

    def prepare_by_hand(self, draw: int, mebibytes: int, partial_runs: bool) -> None:
        """Make a workspace for these rules and this memory unless it is the one at hand."""
        wanted = (draw, mebibytes, not partial_runs)
        if self.for_hand != wanted:
            self.hand = new_workspace(*wanted)
            self.hand_words = words_of(self.hand)
            self.for_hand = wanted

    def prepare_by_stocks(self, draw: int, mebibytes: int) -> None:
        """Make workspaces for this draw and memory unless they are those at hand."""
        if self.for_stocks != (draw, mebibytes):
            self.outer, self.inner = new_workspaces(draw, mebibytes)
            self.outer_words, self.inner_words = words_of(self.outer), words_of(self.inner)
            self.for_stocks = (draw, mebibytes)

    def place(self, building: int, spaces: int, redeals: int) -> tuple[Any, ...]:
        """The arguments of `load`."""
        layout = self.layout
        return (
            self.flat,
            self.start,
            building,
            spaces,
            redeals,
            layout.below,
            layout.stock_sets,
            layout.stock_index,
            layout.column_of,
        )

    def ways(
        self, line: NDArray[np.int64], building: int, spaces: int, whole: bool, rounds: int
    ) -> "_Ways":
        """How steps become moves."""
        return (
            (self.flat, self.piles, line),
            (building, spaces, whole, self.layout.column_of, rounds, self.scratch, self.solution),
        )


# How steps become moves: the arguments of `unfold_and_shorten` before their number, and after it.
_Ways = tuple[tuple[Any, ...], tuple[Any, ...]]
work = _ThreadWorkspace()


class _Family(NamedTuple):
    """The rulesets that share a compiled search by hand."""

    usual_tableau: bool
    worrying_back: bool
    unlimited: bool
    partial_runs: bool


def _family_of(rules: KlondikeRules) -> _Family:
    return _Family(
        rules.has_usual_tableau, rules.worrying_back, rules.redeals is None, rules.partial_runs
    )


def _switches(family: _Family) -> tuple[int | None, ...]:
    """The argument of the kernel for a family: None for the usual one, which is compiled apart."""
    return tuple(None if usual else 1 for usual in family)


_IN_ORDER = np.arange(52, dtype=np.uint8)[None]
_FAMILIES = tuple(starmap(_Family, product((True, False), repeat=4)))
_HERE = "solvers.klondike.exact.searching"


def _loaded(own: _ThreadWorkspace) -> _ThreadWorkspace:
    """A workspace with a deal, loaded in each way."""
    place = own.place(*USUAL)
    load_deal(_IN_ORDER, 0, 1, *place)
    load(*place)
    return own


def _run_by_hand(family: _Family) -> None:
    own = _loaded(_ThreadWorkspace())
    own.prepare_by_hand(1, 1, family.partial_runs)
    before = own.start, 1, 0, *USUAL[:2], *_switches(family), 1, 1
    by_hand.search(*before, False, own.layout_words, own.hand_words, own.report)


def _run_by_stocks() -> None:
    own = _loaded(_ThreadWorkspace())
    own.prepare_by_stocks(1, 1)
    words = own.layout_words, own.outer_words, own.inner_words
    by_stocks.decide(own.start, 1, 0, 1, False, *words, own.report)


def _run_solution() -> None:
    own = _loaded(_ThreadWorkspace())
    own.prepare_by_stocks(1, 1)
    before, after = own.ways(own.outer.line, *USUAL[:2], False, 1)
    unfold_and_shorten(*before, 0, *after)


def _is_for(family: _Family, root: Any, types: Sequence[Any]) -> bool:
    """Whether a kernel of these types serves a family."""
    if root is not by_hand.search:
        return True
    asked = [switch is None for switch in _switches(family)]
    return [str(each) == "none" for each in types[_SWITCHES]] == asked


# Where the family's switches stand among the arguments of the search.
_SWITCHES = slice(5, 9)
_PARTS_BY_HAND = tuple(
    Part(
        f"{_HERE}:_PARTS_BY_HAND:{number}",
        (load_deal, load, by_hand.search),
        partial(_run_by_hand, family),
        partial(_is_for, family),
    )
    for number, family in enumerate(_FAMILIES)
)
_PART_BY_STOCKS = Part(
    f"{_HERE}:_PART_BY_STOCKS", (load_deal, load, by_stocks.decide), _run_by_stocks
)
_SOLUTION = Part(f"{_HERE}:_SOLUTION", (unfold_and_shorten,), _run_solution)
# All that the search by stocks ever needs.
PARTS_BY_STOCKS = _PART_BY_STOCKS, PAIRS_PART, _SOLUTION
_LOAD_DEAL, _UNFOLD = SettledKernel(load_deal), SettledKernel(unfold_and_shorten)
_BY_HAND_OF = {family: SettledKernel(by_hand.search) for family in _FAMILIES}
_DECIDE = SettledKernel(by_stocks.decide)


class _Question(NamedTuple):
    """The question to a kernel about the loaded position, the same for all deals of a batch.

    Attributes:
        draw: cards turned at once.
        search: the kernel.
        before: its arguments before `goes_on`.
        after: those after it.
        looks_at_pairs: whether pairs of facts are looked at where it pauses.
    """

    draw: int
    search: Callable[..., int]
    before: tuple[Any, ...]
    after: tuple[Any, ...]
    looks_at_pairs: bool


_RESULTS = {
    WON: Result.WON,
    UNWINNABLE: Result.UNWINNABLE,
    NODES_SPENT: Result.GAVE_UP,
    MEMORY_SPENT: Result.GAVE_UP,
}


class ExactSearch(ABC):
    """One of the two searches.

    Attributes:
        RULES: the pruning rules that can be switched off: of their bits is what `off` has.
            Verdicts stay the same.
    """

    RULES: Mapping[str, int]

    @abstractmethod
    def parts(self, rules: KlondikeRules) -> tuple[Part, ...]:
        """The kernels that are compiled when a deal is first decided under these rules."""

    @abstractmethod
    def prepare(self, rules: KlondikeRules, values: Values) -> None:
        """Have kernels and workspace ready, so that the first deal's time does not hold that."""

    @abstractmethod
    def question(self, rules: KlondikeRules, values: Values, off: int) -> _Question:
        """The question of whether a position is won; the workspace must be prepared."""

    @property
    @abstractmethod
    def line(self) -> NDArray[np.int64]:
        """The steps of the last win; the workspace must be prepared."""

    def solve(
        self, deals: NDArray[np.uint8], rules: KlondikeRules, values: Values, off: int = 0
    ) -> list[Outcome]:
        """Decide deals uint8[n, 52]; see `solvers.method.Method`."""
        self.prepare(rules, values)
        ways = self.ways(rules, values)
        return [
            outcome_of(ended, since, self._shown(solution_of(ended, ways), rules, values))
            for since, ended in self._searched(deals, rules, values, off)
        ]

    def decide(
        self, deals: NDArray[np.uint8], rules: KlondikeRules, values: Values
    ) -> list[Outcome]:
        """Find the verdicts on deals uint8[n, 52]: wins have no moves."""
        self.prepare(rules, values)
        found = self._searched(deals, rules, values, 0)
        return [outcome_of(ended, since) for since, ended in found]

    def solve_position(self, position: KlondikePosition, values: Values, off: int = 0) -> Outcome:
        """Decide a position in mid-game.

        Raises:
            BadInput: the position is none that a table could show.
        """
        since, ended = self._search_position(position, values, off)
        moves = solution_of(ended, self.ways(position.rules, values))
        return outcome_of(ended, since, self._shown(moves, position.rules, values))

    def decide_position(self, position: KlondikePosition, values: Values) -> Outcome:
        """Find the verdict on a position in mid-game: a win has no moves.

        Raises:
            BadInput: the position is none that a table could show.
        """
        since, ended = self._search_position(position, values, 0)
        return outcome_of(ended, since)

    def ways(self, rules: KlondikeRules, values: Values) -> _Ways:
        """How steps become moves, which are shortened if the values ask for it and rules are known.

        The workspace must be prepared.
        """
        rounds = option.rounds_of(values) if _can_shorten(rules) else 0
        building, spaces = BUILDING[rules.building], SPACES[rules.spaces]
        return work.ways(self.line, building, spaces, not rules.partial_runs, rounds)

    def _shown(self, moves: bytes | None, rules: KlondikeRules, values: Values) -> bytes | None:
        """A solution of the loaded position, by further searches if the values ask for them."""
        if moves is None or not has_usual_rules(rules):
            return moves
        if option.avoids_returns(values) and _brings_back(moves):
            moves = self._without_returns(moves, rules, values)
        if option.is_searched(values):
            # Most processes never need it, and its kernels take time to import.
            from solvers.klondike.shortest.improving import improved_line

            moves = improved_line(work.flat, moves)
        return moves

    def _without_returns(self, moves: bytes, rules: KlondikeRules, values: Values) -> bytes:
        """A solution of the loaded position that brings no card back, unless it is longer."""
        strict = replace(rules, worrying_back=False)
        # The workspace that this solver's searches by hand have.
        mebibytes = values["memory_mib"] if self is BY_HAND else HAND_BETWEEN_MIB
        own = {
            **values,
            "nodes": min(values["nodes"], _STRICT_NODES),
            "memory_mib": min(mebibytes, values["memory_mib"]),
        }
        report = work.report.copy()  # of the search that decided the deal
        BY_HAND.prepare(strict, own)
        ended = answer(BY_HAND.question(strict, own, 0))
        found = solution_of(ended, BY_HAND.ways(strict, own))
        work.report[:] = report
        return moves if found is None or len(found) > len(moves) else found

    def _searched(
        self, deals: NDArray[np.uint8], rules: KlondikeRules, values: Values, off: int
    ) -> Iterator[tuple[int, int]]:
        """Search deals in turn; give the thread's CPU time before each, in ns, and how it ended.

        The workspace must be prepared. What was found is there until the next one.
        """
        question = self.question(rules, values, off)
        # Always of one type, as the settled kernel needs it.
        deals = np.array(deals, dtype=np.uint8, order="C")
        place = rules.draw, *place_of(rules)
        load_next = _LOAD_DEAL.form(deals, 0, *place)
        for number in range(len(deals)):
            since = solving_time_ns()
            load_next(deals, number, *place)
            yield since, answer(question, partial(deals.__getitem__, number))

    def _search_position(
        self, position: KlondikePosition, values: Values, off: int
    ) -> tuple[int, int]:
        """Search a position; return the thread's CPU time at the start, in ns, and how it ended."""
        position.checked()
        self.prepare(position.rules, values)
        since = solving_time_ns()
        load_position(position)
        question = self.question(position.rules, values, off)
        return since, answer(question, partial(cards_dealt, position))


class _ByHand(ExactSearch):
    """The search by hand, of every ruleset."""

    RULES = RULES_BY_HAND

    def parts(self, rules: KlondikeRules) -> tuple[Part, ...]:
        """The kernels that are compiled when a deal is first decided under these rules."""
        search = _PARTS_BY_HAND[_FAMILIES.index(_family_of(rules))]
        return (search, PAIRS_PART, _SOLUTION) if _looks_at_pairs(rules) else (search, _SOLUTION)

    def prepare(self, rules: KlondikeRules, values: Values) -> None:
        """Have kernels and workspace ready, so that the first deal's time does not hold that."""
        self.parts(rules)[0].need()
        work.prepare_by_hand(rules.draw, values["memory_mib"], rules.partial_runs)

    def question(self, rules: KlondikeRules, values: Values, off: int) -> _Question:
        """The question of whether a position is won; the workspace must be prepared."""
        family = _family_of(rules)
        looks_at_pairs = off & PAIRS == 0 and _looks_at_pairs(rules)
        before = (
            work.start,
            rules.draw,
            off,
            BUILDING[rules.building],
            SPACES[rules.spaces],
            *_switches(family),
            values["nodes"],
            by_stocks.PAUSE if looks_at_pairs else NEVER,
        )
        after = work.layout_words, work.hand_words, work.report
        search = _BY_HAND_OF[family].form(*before, False, *after)
        return _Question(rules.draw, search, before, after, looks_at_pairs)

    @property
    def line(self) -> NDArray[np.int64]:
        """The steps of the last win; the workspace must be prepared."""
        return work.hand.line


class _ByStocks(ExactSearch):
    """The search by stocks, of `solvers.klondike.exact.rules.USUAL_RULESETS`."""

    RULES = RULES_BY_STOCKS

    def parts(self, rules: KlondikeRules) -> tuple[Part, ...]:
        """The kernels that are compiled when a deal is first decided under these rules."""
        return PARTS_BY_STOCKS if rules.draw > 1 else (_PART_BY_STOCKS, _SOLUTION)

    def prepare(self, rules: KlondikeRules, values: Values) -> None:
        """Have kernels and workspace ready, so that the first deal's time does not hold that."""
        _PART_BY_STOCKS.need()
        work.prepare_by_stocks(rules.draw, values["memory_mib"])

    def question(self, rules: KlondikeRules, values: Values, off: int) -> _Question:
        """The question of whether a position is won; the workspace must be prepared."""
        before = work.start, rules.draw, off, values["nodes"]
        after = work.layout_words, work.outer_words, work.inner_words, work.report
        search = _DECIDE.form(*before, False, *after)
        return _Question(rules.draw, search, before, after, off & PAIRS == 0)

    @property
    def line(self) -> NDArray[np.int64]:
        """The steps of the last win; the workspace must be prepared."""
        return work.outer.line


BY_HAND, BY_STOCKS = _ByHand(), _ByStocks()


def place_of(rules: KlondikeRules, redeals_used: int = 0) -> tuple[Any, ...]:
    """The arguments of `load`, which brings the position in `flat` into the form of the kernels."""
    left = -1 if rules.redeals is None else rules.redeals - redeals_used
    return work.place(BUILDING[rules.building], SPACES[rules.spaces], left)


def load_position(position: KlondikePosition) -> None:
    """Write a position to this thread's workspace, as piles and in the form the kernels take."""
    flatten(position, work.flat)
    load(*place_of(position.rules, position.redeals_used))


def answer(question: _Question, deal: Callable[[], NDArray[np.uint8] | None] | None = None) -> int:
    """Ask a question of the loaded position, and return how its search ended.

    Nodes and line are there afterwards. `deal`, which is asked in long searches alone, gives the
    cards of the deal of which the position is the start, or None.
    """
    draw, search, before, after, looks_at_pairs = question
    ended = search(*before, False, *after)
    if ended == PAUSED:
        cards = deal() if looks_at_pairs and deal is not None else None
        if cards is not None:
            PAIRS_PART.need()
            if loses(cards, draw, ALL, work.pairs):
                return UNWINNABLE
        ended = search(*before, True, *after)
    return ended


def solution_of(ended: int, ways: _Ways) -> bytes | None:
    """Return the standard moves of a win that was found, packed, made in these `ways`."""
    if ended != WON:
        return None
    _SOLUTION.need()
    before, after = ways
    steps = int(work.report[1])
    unfold = _UNFOLD.made or _UNFOLD.form(*before, steps, *after)
    count = unfold(*before, steps, *after)
    assert count >= 0, "the search made a step that cannot be played"
    return work.solution[:count].tobytes()


# The moves that bring cards back from the foundations.
_RETURNS = bytes(range(DOWN_FROM, RUN))


def _brings_back(moves: bytes) -> bool:
    return len(moves.translate(None, _RETURNS)) < len(moves)


def outcome_of(ended: int, since: int, moves: bytes | None = None) -> Outcome:
    """The outcome of the search that this thread just ended, begun at that CPU time in ns."""
    cpu_ms = (solving_time_ns() - since) / 1e6
    return Outcome(_RESULTS[ended], int(work.report[0]), cpu_ms, moves)


def part_without_returns(rules: KlondikeRules) -> Part:
    """The part that is compiled when a deal is first searched again without bringing cards back."""
    return BY_HAND.parts(replace(rules, worrying_back=False))[0]


def _looks_at_pairs(rules: KlondikeRules) -> bool:
    """Whether pairs of facts are looked at: seldom of use at draw 1 or with few redeals."""
    return rules.draw > 1 and rules.has_usual_tableau and rules.redeals is None


def _can_shorten(rules: KlondikeRules) -> bool:
    # Shortening knows no limit of redeals, and only how runs move where parts of them may.
    return rules.has_usual_tableau and rules.partial_runs and rules.redeals is None
