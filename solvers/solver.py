"""Solvers: methods with values for their parameters, from text and as text.

A solver prints as ``exact(nodes=5000000)`` and parses back; the catalogue keys outcomes by that
text and by the version of the method, which rises with every change of its outcomes.
"""

import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.errors import BadInput
from engine.game import Position, Rules
from engine.games import game_of, games_of_family
from engine.kernels import compiling
from engine.kernels.compiler import COMPILED
from engine.kernels.compiling import Part
from solvers.advice import Advice
from solvers.interpreted import solve_meanwhile
from solvers.method import DealSearch, Method, Values
from solvers.outcome import Outcome, Result
from solvers.registry import get_method, who_plays

# Slugs and parts of the methods whose kernels this process has loaded.
_warm: set[tuple[str, tuple[Part, ...]]] = set()
# By which the times of deals may add up to more than all of them took: clocks have steps.
_ROUNDING_MS = 1.0
_SOLVER = re.compile(r"\s*(?P<slug>[a-z][a-z0-9-]*)\s*(\((?P<values>[^()]*)\))?\s*", re.ASCII)
_VALUE = re.compile(r"\s*(?P<name>[a-z][a-z0-9_]*)\s*=\s*(?P<value>-?[0-9][0-9_]*)\s*", re.ASCII)


@dataclass(frozen=True, slots=True)
class Solver:
    """A method with a value for each of its parameters."""

    method: Method
    values: tuple[tuple[str, int], ...]

    def __str__(self) -> str:
        said = ", ".join(f"{name}={value}" for name, value in self.said)
        return f"{self.method.slug}({said})" if said else self.method.slug

    @property
    def said(self) -> tuple[tuple[str, int], ...]:
        """The values that its name has."""
        return tuple(
            (name, value)
            for (name, value), parameter in zip(self.values, self.method.parameters, strict=True)
            if parameter.is_said or value != parameter.default
        )

    @property
    def chunk(self) -> int:
        """Number of deals in a chunk of work of about a second."""
        chunk = self.method.chunk
        return chunk if isinstance(chunk, int) else chunk(dict(self.values))

    def is_warm(self, rules: Rules) -> bool:
        """Whether this process has loaded the kernels that the method has for a ruleset."""
        return not COMPILED or (self.method.slug, self.parts(rules)) in _warm

    def is_ready(self, rules: Rules) -> bool:
        """Whether nothing needs to be compiled before the method plays a ruleset, if known."""
        parts = self.parts(rules)
        return self.is_warm(rules) or (bool(parts) and not any(part.is_missing for part in parts))

    def plays(self, rules: Rules) -> bool:
        """Whether the method plays the ruleset."""
        return self.method.is_for(rules.game) and self.method.plays(rules)

    def check_plays(self, rules: Rules) -> None:
        """Raise BadInput unless the method plays the ruleset."""
        if not self.plays(rules):
            same = self.method.is_for(rules.game)
            played = self.method.rulesets if same else games_of_family(self.method.game)
            raise BadInput(
                f"{self.method.slug} does not play {rules.slug}: it plays {played}; "
                f"who plays {rules.slug}: {', '.join(who_plays(rules)) or 'nobody'}"
            )

    def solve(self, deals: NDArray[np.uint8], rules: Rules) -> list[Outcome]:
        """Solve deals uint8[n, cards] in flat order; one outcome for each, in order.

        Raises:
            BadInput: the method does not play the ruleset.
        """
        return self._run(self.method.solve, deals, rules)

    def decide(self, deals: NDArray[np.uint8], rules: Rules) -> list[Outcome]:
        """Find the verdicts on deals uint8[n, cards] alone; one outcome for each, in order.

        A win may have no moves, so that no referee can check it: for questions, not for storing.

        Raises:
            BadInput: the method does not play the ruleset.
        """
        return self._run(self.method.decide or self.method.solve, deals, rules)

    def _run(self, search: DealSearch, deals: NDArray[np.uint8], rules: Rules) -> list[Outcome]:
        self.check_plays(rules)
        # Kernels would be compiled again for arrays that cannot be written to.
        deals = np.require(deals, requirements=["C", "W"])
        values = dict(self.values)
        if self.is_being_compiled(rules):

            def compiled(at: int) -> Outcome:
                return _timed(lambda: search(deals[at : at + 1], rules, values))[0]

            return [
                solve_meanwhile(str(self), rules.slug, deals[at], partial(compiled, at))
                for at in range(len(deals))
            ]
        self.prepare(rules)
        return _timed(lambda: search(deals, rules, values))

    def parts(self, rules: Rules) -> tuple[Part, ...]:
        """The kernels that are compiled when the method is first used under a ruleset."""
        parts = self.method.parts
        return parts if isinstance(parts, tuple) else parts(rules, dict(self.values))

    def is_being_compiled(self, rules: Rules) -> bool:
        """Whether other processes compile kernels of the method, begun with now if need be.

        None do unless that is switched on (`engine.kernels.compiling.side_by_side`).
        """
        return compiling.is_side_by_side() and compiling.begin_elsewhere(self.parts(rules))

    def prepare(self, rules: Rules) -> None:
        """Make the method ready for its first deal.

        For somebody who waits for the first answer, only what that needs is compiled, while it is
        needed (`engine.kernels.compiling`); else everything is, by `warm_up`.

        Raises:
            BadInput: the method does not play the ruleset.
        """
        self.check_plays(rules)
        parts = self.parts(rules)
        if parts and compiling.is_side_by_side():
            compiling.begin(parts)
        else:
            self.warm_up(rules)

    def load(self, rules: Rules) -> bool:
        """Load all kernels of the method, if the kernel cache has them; whether they are loaded.

        Of a method that does not tell its parts, nothing is known and nothing loaded.
        """
        parts = self.parts(rules)
        if not parts or any(part.is_missing for part in parts):
            return False
        for part in parts:
            part.need()
        return True

    def warm_up(self, rules: Rules) -> None:
        """Compile or load the kernels of the method, so that no CPU time of a deal includes it.

        Done once for each process, by the cheapest work: a shuffled deal and one with its cards in
        order, or two shuffled deals.

        Raises:
            BadInput: the method does not play the ruleset.
        """
        self.check_plays(rules)
        if not self.is_warm(rules):
            game = game_of(rules)
            dealing = game.dealings[0]
            deals = dealing.block(dealing.dealer.min_seed, 2)
            # Not a deal of games that give a card a place of its own.
            with suppress(BadInput):
                deals[1] = game.deal(np.tile(np.arange(52), game.decks)).as_array()
            compiling.begin(self.parts(rules))
            for part in self.parts(rules):
                part.need()
            least = {parameter.name: parameter.low for parameter in self.method.parameters}
            self.method.solve(deals, rules, {**least, **self.method.warm_up})
            _warm.add((self.method.slug, self.parts(rules)))

    def solve_position(self, position: Position) -> Outcome:
        """Solve a position in mid-game.

        Raises:
            BadInput: the method does not play the ruleset, or only plays from starting deals.
        """
        self.check_plays(position.rules)
        if self.method.solve_position is None:
            raise BadInput(f"{self.method.slug} plays only from the start of a deal")
        play, values = self.method.solve_position, dict(self.values)

        def compiled() -> Outcome:
            return _timed(lambda: [play(position, values)])[0]

        if self.is_being_compiled(position.rules):
            return solve_meanwhile(str(self), position.rules.slug, position, compiled)
        return compiled()

    def decide_position(self, position: Position) -> Result:
        """Find the verdict on a position in mid-game alone: a win has no moves to be replayed.

        Raises:
            BadInput: the method does not play the ruleset, or only plays from starting deals.
        """
        self.check_plays(position.rules)
        alone = self.method.decide_position
        if alone is None or self.is_being_compiled(position.rules):
            return self.solve_position(position).result
        return alone(position, dict(self.values))

    def advise(self, observation: Mapping[str, Any], rules: Rules) -> list[Advice]:
        """Advise on the plays from a position in mid-game, the best first; empty if there is none.

        Args:
            observation: what is seen of the position, as `engine.game.Position.observation` gives
                it; the method never has the hidden cards.
            rules: the ruleset.

        Raises:
            BadInput: the method does not play the ruleset or gives no advice, or what is seen is
                impossible.
        """
        self.check_plays(rules)
        if self.method.advise is None:
            raise BadInput(f"{self.method.slug} plays only whole games: it gives no advice")
        self.prepare(rules)
        return self.method.advise(observation, rules, dict(self.values))


def parse_solver(text: str) -> Solver:
    """Parse ``exact`` or ``exact(nodes=1000000)``; other parameters get their defaults.

    Raises:
        BadInput: malformed text, unknown slug or parameter, value out of range.
    """
    match = _SOLVER.fullmatch(text) if isinstance(text, str) else None
    if match is None:
        raise BadInput(
            f"{text!r} is not a solver: expected a name, with parameters if any, "
            "such as exact(nodes=1000000)"
        )
    method = get_method(match["slug"])
    given: dict[str, int] = {}
    for part in filter(None, (part.strip() for part in (match["values"] or "").split(","))):
        value = _VALUE.fullmatch(part)
        if value is None:
            raise BadInput(f"{part!r} in {text!r} is not a parameter: expected name=whole number")
        if value["name"] in given:
            raise BadInput(f"parameter {value['name']} is named twice in {text!r}")
        given[value["name"]] = int(value["value"])
    return configure(method, given)


def configure(method: Method, given: Values) -> Solver:
    """Make a solver from a method and values; other parameters get their defaults.

    Raises:
        BadInput: unknown parameter or value out of range.
    """
    known = {parameter.name for parameter in method.parameters}
    for name in given:
        if name not in known:
            expected = ", ".join(sorted(known)) or "none"
            raise BadInput(f"{method.slug} has no parameter {name!r}: expected {expected}")
    values = []
    for parameter in method.parameters:
        value = given.get(parameter.name, parameter.default)
        if not parameter.low <= value <= parameter.high:
            raise BadInput(
                f"{parameter.name}={value} of {method.slug} is out of range: "
                f"expected {parameter.low} to {parameter.high}"
            )
        values.append((parameter.name, value))
    return Solver(method, tuple(values))


def _timed(search: Callable[[], list[Outcome]]) -> list[Outcome]:
    """The outcomes of a search, without their CPU times if these hold more than solving.

    A method that does not measure by `solving_time_ns`, such as one of another package, counts the
    kernels that it compiles in the middle of a deal. Nobody can tell of which deal that was.
    """
    since = compiling.solving_time_ns()
    outcomes = search()
    spent = (compiling.solving_time_ns() - since) / 1e6
    if sum(outcome.cpu_ms or 0.0 for outcome in outcomes) <= spent + _ROUNDING_MS:
        return outcomes
    return [replace(outcome, cpu_ms=None) for outcome in outcomes]
