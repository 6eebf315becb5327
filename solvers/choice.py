"""Choice of a solver for a ruleset: by default, by an ability, by strength."""

from collections.abc import Callable, Iterable
from enum import Enum

from engine.errors import BadInput
from engine.game import Rules
from engine.games import games
from solvers.method import Method
from solvers.registry import methods_of
from solvers.solver import Solver, configure


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


def default_shown(rules: Rules) -> Solver:
    """The default solver of a ruleset for somebody who looks at its solutions.

    Raises:
        BadInput: no solver plays the ruleset.
    """
    return as_shown(default_solver(rules))


def as_shown(solver: Solver) -> Solver:
    """A solver with its method's values for solutions that people look at."""
    return configure(solver.method, {**dict(solver.values), **solver.method.shown})


def default_grader(rules: Rules) -> Solver:
    """Who wins the deals that are chosen for people: the first whose nodes tell how hard they are.

    Where nobody's do, the default player that advises, since a deal that is won only with all cards
    known may be none for people; else the default solver.

    Raises:
        BadInput: no solver plays the ruleset.
    """
    advising = None
    for method in methods_of(rules.game):
        if method.plays(rules):
            if method.decides and method.grades:
                return configure(method, {})
            if advising is None and method.advise is not None:
                advising = method
    return default_solver(rules) if advising is None else configure(advising, {})


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
    """Who is asked whether a position can be won; None without anybody."""
    return capable(rules, Ability.DECIDE)


def ladder(rules: Rules) -> list[Solver]:
    """The players of graded strength that play a ruleset; see `Method.ladder`."""
    return [
        configure(method, values)
        for method in methods_of(rules.game)
        if method.plays(rules)
        for values in method.ladder
    ]


def quick_player(rules: Rules) -> Solver | None:
    """The best player of a ruleset that can play many games from a position; None without one.

    The first with `Method.playouts`.
    """
    for method in methods_of(rules.game):
        if method.playouts is not None and method.plays(rules):
            return configure(method, method.playouts)
    return None


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


def _where(works: Callable[[Rules], bool]) -> str:
    """The named rulesets for which something works, for sentences that refuse another one."""
    found = [
        slug for game in games() for slug, rules in game.rulesets.presets.items() if works(rules)
    ]
    return ", ".join(found) or "no ruleset"
