"""The names that are known: rulesets, dealers and solvers, as frames."""

from importlib.metadata import version as installed_version
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd


def version() -> str:
    """The version of Thoughtful that is installed."""
    return installed_version("thoughtful")


def rulesets() -> "pd.DataFrame":
    """The named rulesets, one a row: ``ruleset``, ``game`` and ``meaning``, a sentence.

    Other rulesets are composed by their options; `thoughtful rulesets` explains how.
    """
    from engine.games import games
    from thoughtful.frames import frame

    rows = [
        {"ruleset": slug, "game": game.slug, "meaning": game.rulesets.describe(rules)}
        for game in games()
        for slug, rules in game.rulesets.presets.items()
    ]
    return frame(rows, {"ruleset": "string", "game": "string", "meaning": "string"})


def dealers() -> "pd.DataFrame":
    """The dealers: ``dealer``, ``first`` and ``last`` seed as text, ``games`` and ``summary``.

    Seeds are text since some dealers know more than 64 bits hold.
    """
    from engine.dealing.dealers import dealers as every_dealer
    from thoughtful.frames import frame

    rows = [
        {
            "dealer": dealer.slug,
            "first": str(dealer.min_seed),
            "last": str(dealer.max_seed),
            "games": " ".join(game.slug for game in dealer.games),
            "summary": dealer.summary,
        }
        for dealer in every_dealer().values()
    ]
    return frame(rows, dict.fromkeys(("dealer", "first", "last", "games", "summary"), "string"))


def solvers(rules: str | None = None) -> "pd.DataFrame":
    """The solvers and players, one a row.

    Args:
        rules: only those that play this ruleset.

    Returns:
        Columns: ``solver``, ``version``, ``decides`` (whether it proves deals unwinnable),
        ``sees`` (``deal`` if all cards are known to it, ``observation`` if only what a person
        sees), ``game``, ``parameters`` with their defaults, and ``summary``.

    Raises:
        BadInput: unknown ruleset.
    """
    from engine.rulesets import parse_ruleset
    from solvers.registry import get_method, method_slugs
    from solvers.solver import parse_solver
    from thoughtful.frames import frame

    wanted = None if rules is None else parse_ruleset(rules)
    rows: list[dict[str, Any]] = []
    for slug in method_slugs():
        method = get_method(slug)
        if wanted is not None and not parse_solver(slug).plays(wanted):
            continue
        rows.append(
            {
                "solver": slug,
                "version": method.version,
                "decides": method.decides,
                "sees": method.sees,
                "game": method.game,
                "parameters": ", ".join(
                    f"{each.name}={each.default}" for each in method.parameters
                ),
                "summary": method.summary,
            }
        )
    types = dict.fromkeys(("solver", "sees", "game", "parameters", "summary"), "string")
    order = ("solver", "version", "decides", "sees", "game", "parameters", "summary")
    types |= {"version": "Int64", "decides": "boolean"}
    return frame(rows, {name: types[name] for name in order})
