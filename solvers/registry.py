"""The registry: every method by its slug, its parameters, and the solvers configured from them.

A *method* is what the registry holds; a *solver* is a method with values for its parameters. A
solver prints as ``exact(nodes=5000000)`` and parses back; the catalogue keys outcomes by that text
and by the method's version. Whoever changes what a method returns raises its version.
"""

import importlib
import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from engine.dealers import get_dealer
from engine.errors import BadInput
from engine.games import Position, game_of, get_game
from engine.rulesets import Rules
from solvers.outcome import Outcome

Values = Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Parameter:
    """A whole number that a method takes, with its default and its range (both ends included)."""

    name: str
    default: int
    low: int
    high: int
    help: str


@dataclass(frozen=True, slots=True)
class Method:
    """An entry of the registry.

    Attributes:
        slug: the name, such as ``dead-end``.
        version: raised with every change of behaviour.
        summary: one sentence for lists.
        sees: ``deal`` for a solver, ``observation`` for a player.
        source: paper and section for a published method, else None.
        parameters: in the order in which they print.
        rulesets: the rulesets it plays, in words, for error messages.
        plays: whether it plays a ruleset of its game.
        chunk: how many deals make a piece of work of a second or so, or a function that says so
            for given values.
        solve: deals uint8[n, cards] in flat order, rules of its game, values -> one outcome a deal,
            in order.
            Thread-safe; the outcome of a deal depends on nothing but these arguments.
        solve_position: the same for one position in mid-game, where the method can.
        game: slug of the game it plays.
        enough: values above the lowest that a first game needs to come by all kernels, see
            `Solver.warm_up`.
    """

    slug: str
    version: int
    summary: str
    sees: Literal["deal", "observation"]
    source: str | None
    parameters: tuple[Parameter, ...]
    rulesets: str
    plays: Callable[[Any], bool]
    chunk: int | Callable[[Values], int]
    solve: Callable[[NDArray[np.uint8], Any, Values], list[Outcome]]
    solve_position: Callable[[Any, Values], Outcome] | None = None
    game: str = "klondike"
    enough: Values = field(default_factory=dict, hash=False)


COMPILED = os.environ.get("NUMBA_DISABLE_JIT", "0") in ("", "0")

# Slugs of the methods whose kernels this process has.
_warm: set[str] = set()


@dataclass(frozen=True, slots=True)
class Solver:
    """A method with a value for each of its parameters."""

    method: Method
    values: tuple[tuple[str, int], ...]

    def __str__(self) -> str:
        if not self.values:
            return self.method.slug
        return f"{self.method.slug}({', '.join(f'{n}={v}' for n, v in self.values)})"

    @property
    def chunk(self) -> int:
        """How many deals make a piece of work of a second or so."""
        chunk = self.method.chunk
        return chunk if isinstance(chunk, int) else chunk(dict(self.values))

    def plays(self, rules: Rules) -> bool:
        """Whether the method plays the ruleset."""
        return rules.game == self.method.game and self.method.plays(rules)

    def check_plays(self, rules: Rules) -> None:
        """Raise BadInput unless the method plays the ruleset."""
        if not self.plays(rules):
            same = rules.game == self.method.game
            played = self.method.rulesets if same else get_game(self.method.game).name
            raise BadInput(f"{self.method.slug} does not play {rules.slug}: it plays {played}")

    def solve(self, deals: NDArray[np.uint8], rules: Rules) -> list[Outcome]:
        """One outcome for each row of deals uint8[n, cards] (flat order), in order.

        Raises:
            BadInput: the method does not play the ruleset.
        """
        self.warm_up(rules)
        return self.method.solve(deals, rules, dict(self.values))

    def warm_up(self, rules: Rules) -> None:
        """Have the method's kernels compiled or loaded, so that no deal's CPU time counts it.

        Done once a process, by the smallest pieces of work there are: a deal with its cards in
        order and a shuffled one.

        Raises:
            BadInput: the method does not play the ruleset.
        """
        self.check_plays(rules)
        if self.method.slug not in _warm and COMPILED:
            game = game_of(rules)
            deals = get_dealer("thoughtful-1").deal_block(0, 2, game)
            deals[1] = np.tile(np.arange(52, dtype=np.uint8), game.decks)
            least = {parameter.name: parameter.low for parameter in self.method.parameters}
            self.method.solve(deals, rules, {**least, **self.method.enough})
            _warm.add(self.method.slug)

    def solve_position(self, position: Position) -> Outcome:
        """The outcome from a position in mid-game.

        Raises:
            BadInput: the method does not play the ruleset, or only plays from starting deals.
        """
        self.check_plays(position.rules)
        if self.method.solve_position is None:
            raise BadInput(f"{self.method.slug} plays only from the start of a deal")
        return self.method.solve_position(position, dict(self.values))


# slug -> module and the name by which it defines the method. Modules load when first asked for,
# because importing compiled kernels takes longer than most commands.
_MODULES = {
    "dead-end": "solvers.dead_end:METHOD",
    "ensemble-sparse-uct": "solvers.planners:ENSEMBLE_SPARSE_UCT",
    "ensemble-uct": "solvers.planners:ENSEMBLE_UCT",
    "exact": "solvers.exact:METHOD",
    "exact-plain": "solvers.exact_plain:METHOD",
    "greedy": "solvers.planners:GREEDY_PLAYER",
    "hop": "solvers.planners:HOP",
    "hop-uct": "solvers.planners:HOP_UCT",
    "look-ahead": "solvers.look_ahead:METHOD",
    "monkey": "solvers.monkey:METHOD",
    "multistage": "solvers.multistage:METHOD",
    "nested-rollout": "solvers.nested_rollout:METHOD",
    "random": "solvers.planners:RANDOM_PLAYER",
    "sparse-uct": "solvers.planners:SPARSE_UCT",
    "spider-player": "solvers.spider_player:METHOD",
    "thoughtful-player": "solvers.thoughtful_player:METHOD",
    "uct": "solvers.planners:UCT",
    "yan-heuristic": "solvers.yan:METHOD",
    "yan-rollout": "solvers.yan_rollout:METHOD",
}

_SOLVER = re.compile(r"\s*(?P<slug>[a-z][a-z0-9-]*)\s*(\((?P<values>[^()]*)\))?\s*", re.ASCII)
_VALUE = re.compile(r"\s*(?P<name>[a-z][a-z0-9_]*)\s*=\s*(?P<value>-?[0-9][0-9_]*)\s*", re.ASCII)


def method_slugs() -> list[str]:
    """Every slug of the registry, sorted."""
    return sorted(_MODULES)


def get_method(slug: str) -> Method:
    """The method with this slug.

    Raises:
        BadInput: there is none.
    """
    if slug not in _MODULES:
        raise BadInput(f"unknown solver {slug!r}: expected one of {', '.join(method_slugs())}")
    module, name = _MODULES[slug].split(":")
    method: Method = getattr(importlib.import_module(module), name)
    return method


def parse_solver(text: str) -> Solver:
    """Read ``exact`` or ``exact(nodes=1000000)``; parameters not named get their defaults.

    Raises:
        BadInput: malformed text, unknown slug or parameter, value out of range.
    """
    match = _SOLVER.fullmatch(text)
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
    """A solver of this method with these values, defaults for the others.

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
