"""Methods: published or own ways to play or decide, with their parameters and their version."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from engine.game import Rules
from engine.games import family_of
from engine.kernels.compiling import Part
from solvers.advice import Advice
from solvers.forgiveness import Forgiveness
from solvers.outcome import Outcome, Result
from solvers.shortest import ShortestSearch

Values = Mapping[str, int]
# Deals uint8[n, cards], their rules, values of the parameters of a method -> an outcome of each.
DealSearch = Callable[[NDArray[np.uint8], Any, Values], list[Outcome]]


@dataclass(frozen=True, slots=True)
class Parameter:
    """An integer parameter of a method, with its default and its range (both ends included).

    Attributes:
        is_said: whether the name of a solver has it at its default, too. One that is younger than
            stored outcomes is not: they keep their solver's name.
    """

    name: str
    default: int
    low: int
    high: int
    help: str
    is_said: bool = True


@dataclass(frozen=True, slots=True)
class Method:
    """An entry of the registry.

    Attributes:
        slug: the name, such as ``dead-end``.
        version: raised with every change of behaviour.
        summary: one sentence for lists.
        game: slug of the game that it plays, or of a family of games (`engine.games.family_of`).
        sees: ``deal`` for a solver, ``observation`` for a player.
        source: paper and section for a published method, else None.
        parameters: in the order in which they print.
        rulesets: the rulesets it plays, in words, for error messages.
        plays: whether it plays a ruleset of its game.
        chunk: deals in a chunk of work of about a second, or a function from values to that number.
        solve: deals uint8[n, cards] in flat order, rules, values -> one outcome for each deal,
            in order. Thread-safe; the outcome of a deal depends on these arguments alone, but for
            its CPU time, by `engine.kernels.compiling.solving_time_ns`.
        solve_position: the same for one position in mid-game; None if the method cannot.
        decide: as `solve`, but of wins without the moves, which takes less time; None if it has
            no quicker way.
        decide_position: the verdict on a position alone; None if it has no quicker way.
        decides: whether, with enough nodes, each outcome is a win or a proof that there is none.
        grades: whether its nodes measure how hard a deal is.
        explains: whether each proof of it is a dead end, with its kind and its witness.
        independent_of: the methods whose verdicts it can check, as it shares no code with them
            outside the engine.
        warm_up: values for `Solver.warm_up` where the lowest ones do not reach all kernels.
        advise: of a player: an observation in mid-game, rules and values -> advice on each play,
            best first; empty if there is no play. None if it plays from the start alone.
        counts_wins: of a player: whether its advice counts wins; where it does not, games are
            played to count them.
        playouts: of a player: values with which it is quick enough to play many games from a
            position (`catalogue.chances`).
        ladder: values of its players of graded strength, whose games tell how hard a deal is.
        reference: values with which it decides positions of many lost games (`solvers.regret`), of
            which some would else take all that it may spend.
        trials: values, without the random seed, of its players whose games tell how hard a deal is
            where no method tells which plays keep a win.
        load_forgiveness: tells which plays keep a win; loaded when first needed. None if it cannot.
        shortest: finds shortest solutions, and proves them to be. None if it cannot.
        parts: what is compiled when it is first used, what is needed most often at the front, by
            `engine.kernels.compiling.Part.need`, or a function from rules and values to that; empty
            if it is not known which kernels these are.
        shown: values for solutions that people look at, which may take some 20 ms more.
        traced: values for the lines along which features are counted (`solvers.features`), which
            stay as they were where newer solutions are better.
        for_puzzles: values for the games of which `catalogue.difficulty.puzzles` makes puzzles.
    """

    slug: str
    version: int
    summary: str
    game: str
    sees: Literal["deal", "observation"]
    source: str | None
    parameters: tuple[Parameter, ...]
    rulesets: str
    plays: Callable[[Any], bool]
    chunk: int | Callable[[Values], int]
    solve: DealSearch
    solve_position: Callable[[Any, Values], Outcome] | None = None
    decide: DealSearch | None = None
    decide_position: Callable[[Any, Values], Result] | None = None
    decides: bool = False
    grades: bool = False
    explains: bool = False
    independent_of: frozenset[str] = frozenset()
    warm_up: Values = field(default_factory=dict, hash=False)
    advise: Callable[[Mapping[str, Any], Any, Values], list[Advice]] | None = None
    counts_wins: bool = True
    playouts: Values | None = field(default=None, hash=False)
    ladder: tuple[Values, ...] = field(default=(), hash=False)
    reference: Values = field(default_factory=dict, hash=False)
    trials: tuple[Values, ...] = field(default=(), hash=False)
    load_forgiveness: Callable[[], Forgiveness] | None = None
    shortest: ShortestSearch | None = None
    parts: tuple[Part, ...] | Callable[[Any, Values], tuple[Part, ...]] = field(
        default=(), hash=False
    )
    shown: Values = field(default_factory=dict, hash=False)
    traced: Values = field(default_factory=dict, hash=False)
    for_puzzles: Values = field(default_factory=dict, hash=False)

    def is_for(self, game: str) -> bool:
        """Whether it plays a game, under some of its rulesets at least."""
        return self.game in (game, family_of(game))

    def forgiveness(self, rules: Rules) -> Forgiveness | None:
        """The search for plays that keep a win under a ruleset; None if the method has none."""
        found = None if self.load_forgiveness is None else self.load_forgiveness()
        return found if found is not None and found.plays(rules) else None
