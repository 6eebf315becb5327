"""Is a position winnable, within a budget of nodes, time and memory?

The decider of a ruleset (`solvers.choice.decider`) is a solver that searches the position with
few nodes at first and then with more, so that most positions cost what they need and not what they
may, and so that the time by the clock holds although a search cannot be stopped: none begins that
should last longer than what is left.

The clock stands still while kernels are compiled or loaded. Where there is no verdict, `Ending`
says what ended the search.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from functools import cache, lru_cache

import numpy as np

from engine.game import Deal, Move, Position, Rules
from engine.games import game_of
from engine.kernels import compiling
from engine.proof import check_wins
from engine.replay import replay
from engine.rulesets import parse_ruleset
from solvers.choice import as_shown, decider
from solvers.method import Method
from solvers.outcome import DeadEnd, Outcome, Result
from solvers.solver import Solver, configure

# Nodes of the first search, and how many times more each further one has.
FIRST_NODES = 1_000
MORE = 8
# MiB of a decider's memory: of these there is one a thread.
MEMORY_MIB = 64
# Nodes of a search whose time says something of how fast the next ones are.
_TELLING_NODES = 1_000
# Searches of this share of the nodes of a round are still worth while.
_LEAST_SHARE = 2
# More nodes than any solver takes.
_UNLIMITED = 10**12


class Verdict(StrEnum):
    """Whether a position can be won; of a move, whether the position after it can."""

    WINNABLE = "winnable"
    UNWINNABLE = "unwinnable"
    UNDECIDED = "undecided"

    @classmethod
    def of(cls, result: Result) -> "Verdict":
        """The verdict that a solver's result proves."""
        proofs = {Result.WON: cls.WINNABLE, Result.UNWINNABLE: cls.UNWINNABLE}
        return proofs.get(result, cls.UNDECIDED)


class Ending(StrEnum):
    """The end of a search without a verdict."""

    NODES = "nodes"
    TIME = "time"
    MEMORY = "memory"
    CANCELLED = "cancelled"
    NO_SOLVER = "no_solver"


# The endings after which more time would tell nothing else.
SETTLED = frozenset({Ending.MEMORY, Ending.NO_SOLVER})


@dataclass(frozen=True, slots=True)
class Budget:
    """The cost that deciding a position may have.

    Attributes:
        milliseconds: time by the clock after which no search begins, from when the kernels are
            there; the first search begins always.
        nodes: most positions that one search enters; None for as many as the time suffices for.
        memory_mib: MiB of the solver's memory, which the thread keeps.
        first_nodes: nodes of the first search.
    """

    milliseconds: float
    nodes: int | None = None
    memory_mib: int = MEMORY_MIB
    first_nodes: int = FIRST_NODES


@dataclass(frozen=True, slots=True)
class Decision:
    """A verdict on a position.

    Attributes:
        verdict: the verdict.
        win: the moves of a win, which the referee has replayed; none unless it is one, or the
            position is won already.
        nodes: positions that the last search entered.
        ending: what ended the search without a verdict; None if there is one.
        is_shown: whether the win was made as short as those that people look at.
    """

    verdict: Verdict
    win: tuple[Move, ...] = ()
    nodes: int = 0
    ending: Ending | None = None
    is_shown: bool = False


# What is known of a position before anything is searched; None if nothing is.
Known = Callable[[Position], Decision | None]


def nothing(_position: Position) -> Decision | None:
    """Nothing is known of any position."""
    return None


def decide(
    position: Position,
    budget: Budget,
    deal: Deal | None = None,
    known: Known = nothing,
    *,
    is_shown: bool = False,
) -> Decision:
    """Decide a position within a budget.

    Args:
        position: any position of a game.
        budget: what it may cost.
        deal: the deal, if the position is the start of one: that is quicker.
        known: what is known already.
        is_shown: see `DecisionSearch`.

    Raises:
        BadInput: the solver does not take the position.
    """
    if position.is_won:
        return Decision(Verdict.WINNABLE)
    found = known(position)
    return (
        found
        if found is not None
        else DecisionSearch(position.rules, budget, is_shown=is_shown).decide(position, deal)
    )


class DecisionSearch:
    """Questions to the decider of a ruleset, within one budget.

    Args:
        rules: the ruleset.
        budget: what they may cost together.
        is_shown: whether people look at the wins of `decide`, which then take some 20 ms more.
    """

    def __init__(self, rules: Rules, budget: Budget, *, is_shown: bool = False) -> None:
        self.is_shown = is_shown
        self.budget = budget
        self.rules = rules
        solver = _decider_of(rules.slug)
        # Its kernels are loaded once, out of the time.
        self.solver = as_shown(solver) if is_shown and solver is not None else solver
        self._is_loaded = False
        # Nodes that the solver enters in a second, as far as it has been seen.
        self._speed = 0.0
        self._deadline = time.perf_counter() + budget.milliseconds / 1000

    @property
    def left(self) -> float:
        """Seconds that are left."""
        return self._deadline - time.perf_counter()

    def decide(
        self, position: Position, deal: Deal | None = None, *, nodes: int | None = None
    ) -> Decision:
        """Decide a position by ever longer searches, of which the first begins always.

        Args:
            position: the position.
            deal: the deal, if the position is the start of one: that is quicker.
            nodes: most positions that one search enters, if fewer than those of the budget.
        """
        if position.is_won:
            return Decision(Verdict.WINNABLE)
        if self.solver is None:
            return Decision(Verdict.UNDECIDED, ending=Ending.NO_SOLVER)
        most = min(self.budget.nodes or _UNLIMITED, nodes or _UNLIMITED)
        allowed = min(self.budget.first_nodes, most)
        while True:
            outcome = self.ask(position, allowed, deal, is_shown=self.is_shown)
            if outcome.result in (Result.WON, Result.UNWINNABLE):
                return self._decided(outcome, position, deal)
            ending = ending_of(outcome, allowed)
            if ending != Ending.NODES or allowed >= most:
                return Decision(Verdict.UNDECIDED, (), outcome.nodes, ending)
            wanted = min(MORE * allowed, most)
            affordable = self.affordable(wanted)
            is_worth_while = affordable >= min(wanted, _LEAST_SHARE * allowed)
            if not is_worth_while or self.left <= 0:
                return Decision(Verdict.UNDECIDED, (), outcome.nodes, Ending.TIME)
            allowed = affordable

    def affordable(self, nodes: int) -> int:
        """The number of nodes, up to a limit, for which the time left should suffice."""
        if not self._speed:
            return nodes
        return min(nodes, int(self._speed * max(0.0, self.left)))

    def ask(
        self, position: Position, nodes: int, deal: Deal | None = None, *, is_shown: bool = False
    ) -> Outcome:
        """Have the solver search a position with a limit of nodes, whatever the time.

        Raises:
            BadInput: the solver does not take the position.
        """
        assert self.solver is not None
        solver = _configured(self.solver.method, nodes, self.budget.memory_mib, is_shown)
        compiles = self._is_being_compiled()
        since = time.perf_counter()
        if deal is None:
            outcome = solver.solve_position(position)
        else:
            (outcome,) = solver.solve(np.array([deal.as_array()]), self.rules)
        taken = time.perf_counter() - since
        if compiles:
            # The clock stands still, and who answered without the compiler says nothing of speed.
            self._deadline += taken
        elif outcome.nodes >= _TELLING_NODES:
            self._speed = outcome.nodes / max(taken, 1e-6)
        return outcome

    def _is_being_compiled(self) -> bool:
        """Whether kernels of the solver are being compiled; else they are loaded, out of time."""
        assert self.solver is not None
        if self._is_loaded:
            return False
        if self.solver.is_being_compiled(self.rules):
            return True
        since = time.perf_counter()
        if not (compiling.is_side_by_side() and self.solver.load(self.rules)):
            self.solver.prepare(self.rules)
        self._deadline += time.perf_counter() - since
        self._is_loaded = True
        return False

    def _decided(self, outcome: Outcome, position: Position, deal: Deal | None) -> Decision:
        """The decision of an outcome, its win proved."""
        if outcome.result == Result.UNWINNABLE:
            return Decision(Verdict.UNWINNABLE, (), outcome.nodes)
        assert outcome.moves is not None
        game = game_of(self.rules)
        moves = tuple(game.unpack(outcome.moves))
        if deal is None:
            assert replay(position, moves).is_won, "the solver's win is none"
        else:
            cards = np.array([deal.as_array()])
            (reason,) = check_wins(game, cards, self.rules, [outcome.moves])
            assert reason is None, f"the solver's win is none: {reason}"
        return Decision(Verdict.WINNABLE, moves, outcome.nodes, is_shown=self.is_shown)


def ending_of(outcome: Outcome, nodes: int) -> Ending | None:
    """The ending of a search with a limit of nodes, by its outcome; None if it has a verdict."""
    if outcome.result != Result.GAVE_UP:
        return None
    return Ending.MEMORY if outcome.nodes < nodes else Ending.NODES


def limit_of(ending: Ending | None, budget: Budget) -> str | None:
    """The limit of a budget that ended a search, in words; None if none did."""
    if ending == Ending.NODES:
        return f"{budget.nodes or 0:,} nodes"
    if ending == Ending.MEMORY:
        return f"{budget.memory_mib:,} MiB of memory"
    return seconds_words(budget.milliseconds) if ending == Ending.TIME else None


def ending_words(ending: Ending, budget: Budget, rules: Rules) -> str:
    """Why there is no verdict under a ruleset, in a sentence without its full stop."""
    limit = limit_of(ending, budget)
    if limit is not None:
        return f"{limit} did not suffice"
    if ending == Ending.CANCELLED:
        return "the search was cancelled"
    return f"no solver decides positions under {rules.slug}"


def seconds_words(milliseconds: float) -> str:
    """A time for people: 250 ms, 1 s, 2.5 s."""
    if milliseconds < 1000:
        return f"{milliseconds:.0f} ms"
    return f"{milliseconds / 1000:,.3f}".rstrip("0").rstrip(".") + " s"


@cache
def _decider_of(ruleset: str) -> Solver | None:
    return decider(parse_ruleset(ruleset))


@lru_cache(maxsize=256)
def _configured(method: Method, nodes: int, memory_mib: int, is_shown: bool) -> Solver:
    """A method with these limits of nodes and memory, of those that it has.

    And with its values for wins that people look at, if they do.
    """
    names = {parameter.name for parameter in method.parameters}
    limits = {"nodes": nodes, "memory_mib": memory_mib}
    values = {name: limit for name, limit in limits.items() if name in names}
    return configure(method, {**values, **(method.shown if is_shown else {})})


def dead_end_words(deal: Deal | None, rules: Rules, dead_end: DeadEnd | None) -> str | None:
    """Why a deal with a dead end cannot be won; None without one."""
    load = game_of(rules).load_dead_ends
    if deal is None or dead_end is None or load is None:
        return None
    return load().explain(deal, rules, dead_end.kind, dead_end.witness)
