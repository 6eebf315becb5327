"""Registry of all methods by slug, their parameters, and the solvers configured from them.

A *method* is an entry of the registry; a *solver* is a method with values for its parameters. A
solver prints as ``exact(nodes=5000000)`` and parses back; the catalogue keys outcomes by that text
and by the version of the method, which rises with every change of its outcomes.
"""

import importlib
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from enum import Enum
from functools import partial
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from engine.errors import BadInput, note_renamed
from engine.game import Position, Rules
from engine.games import game_of, games, get_game
from engine.kernels import compiling
from engine.kernels.compiler import COMPILED
from engine.kernels.compiling import Part
from engine.plug_ins import entry_points_of, load_entry_point
from solvers.advice import Advice
from solvers.forgiveness import Forgiveness
from solvers.interpreted import solve_meanwhile
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
        game: slug of the game that it plays.
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
        ladder: values of its players of graded strength, whose games tell how hard a deal is.
        load_forgiveness: tells which plays keep a win; loaded when first needed. None if it cannot.
        shortest: finds shortest solutions, and proves them to be. None if it cannot.
        parts: what is compiled when it is first used, what is needed most often at the front, by
            `engine.kernels.compiling.Part.need`, or a function from rules to that; empty if it is
            not known which kernels these are.
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
    ladder: tuple[Values, ...] = field(default=(), hash=False)
    load_forgiveness: Callable[[], Forgiveness] | None = None
    shortest: ShortestSearch | None = None
    parts: tuple[Part, ...] | Callable[[Any], tuple[Part, ...]] = field(default=(), hash=False)

    def forgiveness(self, rules: Rules) -> Forgiveness | None:
        """The search for plays that keep a win under a ruleset; None if the method has none."""
        found = None if self.load_forgiveness is None else self.load_forgiveness()
        return found if found is not None and found.plays(rules) else None


# Slugs and parts of the methods whose kernels this process has loaded.
_warm: set[tuple[str, tuple[Part, ...]]] = set()
# By which the times of deals may add up to more than all of them took: clocks have steps.
_ROUNDING_MS = 1.0


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
        return rules.game == self.method.game and self.method.plays(rules)

    def check_plays(self, rules: Rules) -> None:
        """Raise BadInput unless the method plays the ruleset."""
        if not self.plays(rules):
            same = rules.game == self.method.game
            played = self.method.rulesets if same else get_game(self.method.game).name
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
        return parts if isinstance(parts, tuple) else parts(rules)

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


# For each game, slug -> module and the name by which it defines the method; the methods that decide
# come first, and of players the simplest. Modules load on first use, because importing compiled
# kernels takes longer than most commands. Other packages add methods by entry points of
# the group, with such values.
GROUP = "thoughtful.solvers"
_BUILT_IN = {
    "klondike": {
        "exact": "solvers.klondike.exact.method:METHOD",
        "exact-plain": "solvers.klondike.exact_plain.method:METHOD",
        "shortest": "solvers.klondike.shortest.method:METHOD",
        "dead-end": "solvers.klondike.dead_ends.method:METHOD",
        "greedy": "solvers.klondike.players.planners:GREEDY_PLAYER",
        "random": "solvers.klondike.players.planners:RANDOM_PLAYER",
        "hop": "solvers.klondike.players.planners:HOP",
        "uct": "solvers.klondike.players.planners:UCT",
        "sparse-uct": "solvers.klondike.players.planners:SPARSE_UCT",
        "ensemble-uct": "solvers.klondike.players.planners:ENSEMBLE_UCT",
        "ensemble-sparse-uct": "solvers.klondike.players.planners:ENSEMBLE_SPARSE_UCT",
        "hop-uct": "solvers.klondike.players.planners:HOP_UCT",
        "exact-uct": "solvers.klondike.players.exact_uct:METHOD",
        "multistage": "solvers.klondike.rollouts.multistage:METHOD",
        "nested-rollout": "solvers.klondike.rollouts.nested_rollout:METHOD",
        "yan-heuristic": "solvers.klondike.yan.heuristic:METHOD",
        "yan-rollout": "solvers.klondike.yan.rollout:METHOD",
    },
    "spider": {
        "monkey": "solvers.spider.monkey:METHOD",
        "look-ahead": "solvers.spider.look_ahead:METHOD",
        "spider-player": "solvers.spider.player:METHOD",
    },
}
# Former slugs.
_RENAMED = {"thoughtful-player": "exact-uct"}

_SOLVER = re.compile(r"\s*(?P<slug>[a-z][a-z0-9-]*)\s*(\((?P<values>[^()]*)\))?\s*", re.ASCII)
_VALUE = re.compile(r"\s*(?P<name>[a-z][a-z0-9_]*)\s*=\s*(?P<value>-?[0-9][0-9_]*)\s*", re.ASCII)


def method_slugs() -> list[str]:
    """The slugs of the registry, sorted."""
    return sorted({slug for own in _BUILT_IN.values() for slug in own} | set(_slugs_of_packages()))


def get_method(slug: str) -> Method:
    """Look up a method by its slug.

    Raises:
        BadInput: unknown slug.
    """
    if slug in _RENAMED:
        note_renamed("solver", slug, _RENAMED[slug])
        slug = _RENAMED[slug]
    for own in _BUILT_IN.values():
        if slug in own:
            return _load(own[slug])
    if slug not in _slugs_of_packages():
        raise BadInput(f"unknown solver {slug!r}: expected one of {', '.join(method_slugs())}")
    return _load_of_package(slug)


def methods_of(game: str) -> Iterator[Method]:
    """The methods that play a game, those that decide first; each is loaded when it is yielded."""
    yield from map(_load, _BUILT_IN.get(game, {}).values())
    others = map(_load_of_package, _slugs_of_packages())
    own = [method for method in others if method.game == game]
    yield from sorted(own, key=lambda method: (not method.decides, method.slug))


def default_solver(rules: Rules) -> Solver:
    """The default solver of a ruleset: the first that decides, else who advises on positions.

    Without either, the first that plays it.

    Raises:
        BadInput: no solver plays the ruleset.
    """
    others = []
    for method in methods_of(rules.game):
        if method.plays(rules):
            if method.decides:
                return configure(method, {})
            others.append(method)
    advising = [method for method in others if method.advise is not None]
    return _first(rules, "solver", [*advising, *others])


def who_plays(rules: Rules) -> list[str]:
    """The slugs of the methods that play a ruleset, those that decide first."""
    return [method.slug for method in methods_of(rules.game) if method.plays(rules)]


def _where(works: Callable[[Rules], bool]) -> str:
    """The named rulesets for which something works, for sentences that refuse another one."""
    found = [
        slug for game in games() for slug, rules in game.rulesets.presets.items() if works(rules)
    ]
    return ", ".join(found) or "no ruleset"


class Ability(Enum):
    """An ability that a method may have; see `capable`."""

    DECIDE = "decides positions in mid-game"
    ADVISE = "advises on positions of which it sees the open cards"
    EXPLAIN = "proves starting deals lost by dead ends"
    FORGIVE = "tells which plays keep a win"
    SHORTEST = "finds shortest solutions"
    RANDOM = "plays at random"


def _plays_at_random(method: Method, _rules: Rules) -> bool:
    """Whether it is a player whose only parameter is the seed."""
    parameters = [parameter.name for parameter in method.parameters]
    return method.sees == "observation" and parameters == ["random_seed"]


_ABLE: dict[Ability, Callable[[Method, Rules], bool]] = {
    Ability.DECIDE: lambda method, _: method.decides and method.solve_position is not None,
    Ability.ADVISE: lambda method, _: method.advise is not None,
    Ability.EXPLAIN: lambda method, _: method.explains,
    Ability.FORGIVE: lambda method, rules: method.forgiveness(rules) is not None,
    Ability.SHORTEST: lambda method, _: method.shortest is not None,
    Ability.RANDOM: _plays_at_random,
}


def capable(rules: Rules, ability: Ability, independent_of: str | None = None) -> Solver | None:
    """The first method that plays a ruleset and has an ability, with its defaults; None without.

    Args:
        rules: the ruleset.
        ability: what it must be able to do.
        independent_of: slug of a method whose search it must not share.
    """
    for method in methods_of(rules.game):
        if (
            method.plays(rules)
            and (independent_of is None or independent_of in method.independent_of)
            and _ABLE[ability](method, rules)
        ):
            return configure(method, {})
    return None


def default_player(rules: Rules) -> Solver:
    """The default player of a ruleset: the first of the registry.

    Raises:
        BadInput: no player plays the ruleset.
    """
    methods = (method for method in methods_of(rules.game) if method.sees == "observation")
    return _first(rules, "player", methods)


def _first(rules: Rules, what: str, methods: Iterable[Method]) -> Solver:
    for method in methods:
        solver = configure(method, {})
        if solver.plays(rules):
            return solver
    raise BadInput(f"no {what} plays {rules.slug}")


def decider(rules: Rules) -> Solver | None:
    """Who is asked whether a position can be won; None without anybody.

    One that decides positions, or else the default solver of the ruleset, if it plays on from
    positions: what it wins can be won.
    """
    found = capable(rules, Ability.DECIDE)
    if found is None:
        with suppress(BadInput):
            found = default_solver(rules)
    return None if found is None or found.method.solve_position is None else found


def ladder(rules: Rules) -> list[Solver]:
    """The players of graded strength that play a ruleset; see `Method.ladder`."""
    return [
        configure(method, values)
        for method in methods_of(rules.game)
        if method.plays(rules)
        for values in method.ladder
    ]


def finder_of_shortest(rules: Rules) -> Solver:
    """The first solver that finds shortest solutions under a ruleset.

    Raises:
        BadInput: no solver finds them.
    """
    finder = capable(rules, Ability.SHORTEST)
    if finder is not None:
        return finder
    found = _where(lambda other: capable(other, Ability.SHORTEST) is not None)
    able = [method.rulesets for method in methods_of(rules.game) if method.shortest is not None]
    played = f"{able[0]}, such as" if able else "one of"
    raise BadInput(
        f"no solver finds shortest solutions under {rules.slug}: expected {played} {found}"
    )


def _slugs_of_packages() -> list[str]:
    """The methods of other packages."""
    built_in = {slug for own in _BUILT_IN.values() for slug in own}
    return [slug for slug in entry_points_of(GROUP) if slug not in built_in]


def _load(where: str) -> Method:
    module, name = where.split(":")
    method: Method = getattr(importlib.import_module(module), name)
    return method


def _load_of_package(slug: str) -> Method:
    method: Method = load_entry_point(GROUP, slug, "METHOD")
    return method


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
