"""Is this deal winnable? The answer for any deal or position, at once, from nothing stored.

A win is shown with its moves, which the referee has replayed; a loss is the end of a complete
search. What the time does not suffice for is said to be undecided.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from engine.game import Deal, Move, Position, Rules
from engine.games import game_of
from engine.rulesets import parse_ruleset
from solvers.advice import Advice
from solvers.analysis import Verdict, win_from
from solvers.registry import adviser, judge

# Time for the answer, and for each further ruleset.
MILLISECONDS = 1_000.0
FURTHER_MILLISECONDS = 250.0


@dataclass(frozen=True, slots=True)
class Answer:
    """What is found out about a position under a ruleset.

    Attributes:
        ruleset: slug.
        verdict: the verdict.
        moves: those of a win; empty without one.
        solver: who decided, or could not; None if no solver decides positions of the ruleset.
    """

    ruleset: str
    verdict: Verdict
    moves: tuple[Move, ...]
    solver: str | None


def answer(position: Position, milliseconds: float | None = None) -> Answer:
    """Decide a position within about that time, by default MILLISECONDS.

    Raises:
        BadInput: the position is none that a table could show.
    """
    slug = position.rules.slug
    decider = judge(position.rules)
    verdict, moves = win_from(position, MILLISECONDS if milliseconds is None else milliseconds)
    return Answer(slug, verdict, moves, None if decider is None else decider.method.slug)


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
