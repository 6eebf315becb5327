"""`exact`: decide a deal or a mid-game position of Klondike by complete search.

Plays every ruleset: by the search by hand, `solvers.klondike.exact.by_hand`. At draw 1 with the
usual rules otherwise it takes turns with the search by stocks, `solvers.klondike.exact.by_stocks`.
What they leave out, and why nothing is lost by it, is proved in `docs/search/`. The two as Python
calls them are in `solvers.klondike.exact.searching`.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from operator import attrgetter

import numpy as np
from numpy.typing import NDArray

from engine.kernels.compiling import Part
from engine.klondike.checker import CHECKER
from engine.klondike.referee import KlondikePosition
from engine.klondike.rules import KlondikeRules
from solvers.forgiveness import Forgiveness
from solvers.klondike.exact.rules import has_usual_rules
from solvers.klondike.exact.searching import (
    BY_HAND,
    BY_STOCKS,
    HAND_BETWEEN_MIB,
    ExactSearch,
    part_without_returns,
)
from solvers.klondike.solution import option
from solvers.method import DealSearch, Method, Parameter, Values
from solvers.outcome import Outcome, Result


def _takes_turns(rules: KlondikeRules) -> bool:
    return rules.draw == 1 and has_usual_rules(rules)


def search_of(rules: KlondikeRules) -> ExactSearch:
    """The search that decides deals under these rules, or where two take turns, begins."""
    return BY_STOCKS if _takes_turns(rules) else BY_HAND


# Nodes of the first search at draw 1, and of the second one.
_FIRST, _SECOND = 2_000, 30_000


def _first(values: Values) -> Values:
    """The values of the first search at draw 1."""
    return {**values, "nodes": min(values["nodes"], _FIRST)}


def _in_turns(
    first: Outcome, values: Values, attempt: Callable[[ExactSearch, Values], Outcome]
) -> Outcome:
    """Go on where a first search gave up: by the other search for a while, then here once more.

    What is hard for one of the two is often easy for the other. `attempt` solves by a search with
    values.
    """
    if first.result is not Result.GAVE_UP:
        return first
    turns = (
        (BY_HAND, _SECOND, min(HAND_BETWEEN_MIB, values["memory_mib"])),
        (BY_STOCKS, values["nodes"], values["memory_mib"]),
    )
    outcome, nodes, cpu_ms = first, first.nodes, first.cpu_ms or 0.0
    for search, most, memory_mib in turns:
        left = values["nodes"] - nodes
        if outcome.result is not Result.GAVE_UP or left <= 0:
            break
        own = {**values, "nodes": min(most, left), "memory_mib": memory_mib}
        outcome = attempt(search, own)
        nodes += outcome.nodes
        cpu_ms += outcome.cpu_ms or 0.0
    return replace(outcome, nodes=nodes, cpu_ms=cpu_ms)


def _solve(deals: NDArray[np.uint8], rules: KlondikeRules, values: Values) -> list[Outcome]:
    """Decide deals under any rules."""
    return _any_deals(attrgetter("solve"), deals, rules, values)


def _decide(deals: NDArray[np.uint8], rules: KlondikeRules, values: Values) -> list[Outcome]:
    """Find the verdicts on deals under any rules: wins have no moves."""
    return _any_deals(attrgetter("decide"), deals, rules, values)


def _any_deals(
    of: Callable[[ExactSearch], DealSearch],
    deals: NDArray[np.uint8],
    rules: KlondikeRules,
    values: Values,
) -> list[Outcome]:
    """Search deals by the search for these rules, or by both in turns; `of` is what it does."""
    if not _takes_turns(rules):
        return of(BY_HAND)(deals, rules, values)

    def attempt(at: int, search: ExactSearch, values: Values) -> Outcome:
        return of(search)(deals[at : at + 1], rules, values)[0]

    return [
        _in_turns(first, values, partial(attempt, at))
        for at, first in enumerate(of(BY_STOCKS)(deals, rules, _first(values)))
    ]


def _solve_position(position: KlondikePosition, values: Values) -> Outcome:
    """Decide a position in mid-game under any rules."""
    return _any_position(attrgetter("solve_position"), position, values)


def _decide_position(position: KlondikePosition, values: Values) -> Result:
    """Find the verdict on a position in mid-game under any rules."""
    return _any_position(attrgetter("decide_position"), position, values).result


def _any_position(
    of: Callable[[ExactSearch], Callable[[KlondikePosition, Values], Outcome]],
    position: KlondikePosition,
    values: Values,
) -> Outcome:
    """Search a position by the search for its rules, or by both in turns; `of` is what it does."""

    def attempt(search: ExactSearch, values: Values) -> Outcome:
        return of(search)(position, values)

    if not _takes_turns(position.rules):
        return attempt(BY_HAND, values)
    return _in_turns(attempt(BY_STOCKS, _first(values)), values, attempt)


def _parts(rules: KlondikeRules, values: Values) -> tuple[Part, ...]:
    """While these are being compiled, short searches are done without the compiler.

    A long one needs the pairs before it goes on. Few wins are judged without the compiler, too.
    """
    parts = BY_HAND.parts(rules)
    if _takes_turns(rules):
        parts = tuple(dict.fromkeys((*BY_STOCKS.parts(rules), *parts)))
    if option.avoids_returns(values) and has_usual_rules(rules):
        parts = (*parts, part_without_returns(rules))
    if option.is_searched(values) and has_usual_rules(rules):
        from solvers.klondike.shortest.improving import PART

        parts = (*parts, PART)
    return (*parts, CHECKER)


def _forgiveness() -> Forgiveness:
    from solvers.klondike.exact.forgiveness import FORGIVENESS

    return FORGIVENESS


METHOD = Method(
    slug="exact",
    version=11,
    summary="Complete depth-first search; decides every deal its budget suffices for. With "
    "shorten=2 or 4 solutions are shorter, and with shorten=0 as found: in more and less time.",
    game="klondike",
    sees="deal",
    source=None,
    parameters=(
        Parameter(
            "nodes",
            1_000_000_000,
            1,
            10**12,
            "positions entered before giving up; a question of a relaxed game is finished first",
        ),
        Parameter("memory_mib", 768, 1, 65_536, "MiB for positions entered before giving up"),
        option.SHORTEN,
        option.RETURNS,
    ),
    rulesets="every Klondike ruleset",
    plays=lambda rules: True,
    chunk=100,
    solve=_solve,
    solve_position=_solve_position,
    decide=_decide,
    decide_position=_decide_position,
    decides=True,
    grades=True,
    # To win one, and to search another for so long that its pairs of cards are looked at.
    warm_up={"nodes": 100_000, "memory_mib": 8, option.SHORTEN.name: 1},
    load_forgiveness=_forgiveness,
    parts=_parts,
    shown={option.SHORTEN.name: option.SEARCH},
    traced={option.RETURNS.name: 1},
)
