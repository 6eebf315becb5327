"""Is this deal winnable? The answer for any deal or position, from the catalogue or a search.

A win is shown with its moves, which the referee has replayed; a loss is the end of a complete
search, and of a starting deal often a dead end. What the time does not suffice for is said to be
undecided.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import numpy as np

from catalogue.reading.deal_detail import DealOutcome, deal_detail
from catalogue.store import Catalogue
from engine.errors import BadInput
from engine.game import Deal, Move, Position, Rules
from engine.games import game_of
from engine.rulesets import parse_ruleset
from solvers.advice import Advice
from solvers.analysis import Verdict, decide
from solvers.outcome import DeadEnd
from solvers.registry import adviser, explainer, judge

# Time for the answer, and for each further ruleset.
MILLISECONDS = 1_000.0
FURTHER_MILLISECONDS = 250.0
# MiB of memory of a search that takes longer than the usual one.
_LONG_MIB = 256


@dataclass(frozen=True, slots=True)
class Answer:
    """What is found out about a position under a ruleset.

    Attributes:
        ruleset: slug.
        verdict: the verdict.
        moves: those of a win; empty without one.
        solver: who decided, or could not; None if no solver decides positions of the ruleset.
        nodes: positions that it entered.
        dead_end: why a starting deal cannot be won, if a test for it tells.
    """

    ruleset: str
    verdict: Verdict
    moves: tuple[Move, ...]
    solver: str | None
    nodes: int = 0
    dead_end: DeadEnd | None = None


@dataclass(frozen=True, slots=True)
class StoredAnswer:
    """What the catalogue knows of a deal under a ruleset.

    Attributes:
        verdict: the verdict; unknown if it was only attempted.
        solver: who decided it, or attempted it, as text.
        since: when that was stored, if it is known.
        moves: those of the shortest solution; empty if none is stored.
        nodes: positions that were entered to decide it, if an exact search did.
        dead_end: why it cannot be won, if a dead end is stored.
        follows_from: slug of the ruleset that the verdict follows from, if it was inferred.
    """

    verdict: Verdict
    solver: str
    since: datetime | None
    moves: tuple[Move, ...]
    nodes: int | None
    dead_end: DeadEnd | None
    follows_from: str | None = None


_VERDICTS = {"winnable": Verdict.WIN, "unwinnable": Verdict.LOSS}
_DECIDING = {"winnable": "won", "unwinnable": "unwinnable"}


def known(cat: Catalogue, name: str | None, deal: Deal, rules: Rules) -> StoredAnswer | None:
    """What the catalogue knows of a starting deal; None if nothing, or a contradiction.

    Args:
        cat: the catalogue.
        name: the deal's name, if it has one; else deals with the same cards are looked for.
        deal: the deal.
        rules: the ruleset.

    Raises:
        BadInput: the catalogue cannot be asked.
    """
    try:
        detail = deal_detail(cat, name or deal.digest, game_of(rules), quick_seconds=0)
    except BadInput as error:
        if name is not None or error.__cause__ is not None:
            raise
        return None
    status = detail.status(rules.slug)
    if status is None or status.alarm:
        return None
    here = [each for each in detail.outcomes if each.ruleset == rules.slug]
    wanted = _DECIDING.get(status.status)
    told = [each for each in here if wanted is None or each.result == wanted]
    if not told:
        return None
    best = detail.best(rules.slug)
    # Of those that say the same, the one whose moves or reason are shown, else the first stored.
    dead = next((each for each in told if each.dead_end is not None), None)
    shown = best if wanted == "won" and best is not None else dead or min(told, key=_stored)
    return StoredAnswer(
        _VERDICTS.get(status.status, Verdict.UNKNOWN),
        f"{shown.solver} v{shown.version}",
        shown.created_at,
        () if shown.moves is None else tuple(detail.game.unpack(shown.moves)),
        status.nodes if status.exact else None,
        shown.dead_end,
        shown.follows_from,
    )


def _stored(outcome: DealOutcome) -> tuple[bool, float]:
    at = outcome.created_at
    return at is None, 0.0 if at is None else at.timestamp()


def answer(
    position: Position, milliseconds: float | None = None, deal: Deal | None = None
) -> Answer:
    """Decide a position within about that time, by default MILLISECONDS.

    Args:
        position: the position.
        milliseconds: the time.
        deal: the deal, if the position is the start of one; then a loss is explained.

    Raises:
        BadInput: the position is none that a table could show.
    """
    slug = position.rules.slug
    decider = judge(position.rules)
    usual = MILLISECONDS if milliseconds is None else milliseconds
    memory = {"memory_mib": _LONG_MIB} if usual > MILLISECONDS else {}
    found = decide(position, usual, **memory)
    dead_end = None
    if deal is not None and found.verdict == Verdict.LOSS:
        dead_end = dead_end_of(deal, position.rules)
    solver = None if decider is None else decider.method.slug
    return Answer(slug, found.verdict, found.win, solver, found.nodes, dead_end)


def dead_end_of(deal: Deal, rules: Rules) -> DeadEnd | None:
    """Why a starting deal cannot be won, if a test for dead ends tells."""
    tests = explainer(rules)
    if tests is None:
        return None
    (outcome,) = tests.solve(np.array([deal.as_array()]), rules)
    return outcome.dead_end


def under_other_rulesets(deal: Deal, rules: Rules) -> list[Answer]:
    """The answers for a starting deal under the presets of its game other than these rules."""
    game = game_of(rules)
    others = (parse_ruleset(slug) for slug in game.rulesets.presets)
    return [
        answer(game.start(deal, other), FURTHER_MILLISECONDS)
        for other in others
        if other != rules and judge(other) is not None
    ]


def plays_with_hidden_cards(observation: Mapping[str, Any], rules: Rules) -> list[Advice] | None:
    """The plays of a position of which some cards are not known; None if no player advises.

    Raises:
        BadInput: what is seen is impossible.
    """
    player = adviser(rules)
    return None if player is None else player.advise(observation, rules)
