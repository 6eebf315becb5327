"""Features of a winnable deal: how closely play must be chosen to keep its win.

They are counted along the *line*, the win that an exact solver gives, and along *walks*, random
play that keeps to won positions (`solvers.forgiveness`). A walk shows what the line does not, since
that is a good way to win: how often somebody who makes no mistake must choose. *Luck* is how
unlikely plain random play is to win. Budgets are counted in nodes and games, so that the features
of a deal are a function of the deal, its ruleset and the solvers.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from math import log

import numpy as np
from numpy.typing import NDArray

from engine import replay
from engine.errors import BadInput
from engine.game import Deal, Move, Position, Rules
from engine.games import game_of
from engine.rulesets import parse_ruleset
from solvers.choice import Ability, capable
from solvers.forgiveness import Chance, Effort, Forgiveness, Walk
from solvers.moments import forgiveness_of, plays_along
from solvers.outcome import Result
from solvers.solver import Solver, configure

# Raised when any of the numbers below, or what is computed, changes.
VERSION = 2
# Nodes for a deal under stricter rules, whose solver is a slower one.
_STRICT_NODES = 300_000
_WALKS, _ROUGH_WALKS = 16, 2


@dataclass(frozen=True, slots=True)
class Features:
    """The features of a deal.

    Attributes:
        nodes: of the exact solver on the deal.
        length: moves of the line.
        plays: plays that there were to choose from in the positions of the line, in sum.
        winning: those of them that keep the win.
        choices: positions of the line in which some play keeps the win and another loses it.
        critical: those of them in which just one play keeps it.
        first_critical: moves of the line before the first critical position; None without one.
        walk_choices: choices in an average walk that comes to its win; where none does, those of
            the line.
        walk_critical: critical positions in the same.
        luck: −ln of the estimated chance that play at random wins (`solvers.forgiveness.Chance`),
            in nats. Where no game was won it is that of the most that the chance is likely to be.
        luck_error: the standard error of luck, that of the chance over the chance, in nats; None
            where no game was won.
        needs: options of the ruleset (`engine.game.Rulesets.without`) without which the deal is
            proved unwinnable.
        unsure: options of which that could not be decided.
    """

    nodes: int
    length: int
    plays: int
    winning: int
    choices: int
    critical: int
    first_critical: int | None
    walk_choices: float
    walk_critical: float
    luck: float
    luck_error: float | None
    needs: tuple[str, ...] = ()
    unsure: tuple[str, ...] = ()

    @property
    def version(self) -> int:
        """The version that found them."""
        return VERSION

    @property
    def winning_share(self) -> float:
        """The share of the plays along the line that keep the win; 1 if there are none."""
        return self.winning / self.plays if self.plays else 1.0


@dataclass(frozen=True, slots=True)
class Predictors:
    """Those of the features that predict a level: a tenth of a second instead of up to seconds.

    Attributes:
        nodes: see `Features`.
        length: see `Features`.
        walk_choices: see `Features`.
        luck: see `Features`; 0 where no game was won.
        luck_error: see `Features`.
    """

    nodes: int
    length: int
    walk_choices: float
    luck: float
    luck_error: float | None

    @property
    def version(self) -> int:
        """The version that found them."""
        return VERSION


def tracer(rules: Rules) -> Solver:
    """The solver that gives the line of a deal, and tells its plays.

    Raises:
        BadInput: there is none for the ruleset.
    """
    found = capable(rules, Ability.FORGIVE)
    if found is None:
        raise BadInput(f"no solver tells which plays keep a win under {rules.slug}")
    return found


def trace(deal: Deal, rules: Rules, by: Solver | None = None) -> Features:
    """The features of a deal under a ruleset.

    Args:
        deal: the deal, which can be won.
        rules: the ruleset.
        by: a solver that gives wins; by default `tracer`.

    Raises:
        BadInput: no solver tells the plays of the ruleset, or it does not win the deal.
    """
    forgiveness, game = forgiveness_of(rules), game_of(rules)
    start = game.start(deal, rules)
    nodes, packed = _line(start, by or tracer(rules), deal)
    moves = game.unpack(packed)
    plays = winning = choices = critical = 0
    first: int | None = None
    for at, step in enumerate(plays_along(start, moves)):
        if step is None:
            continue
        plays += step.plays
        winning += step.winning
        choices += step.is_choice
        if step.is_critical:
            critical += 1
            first = at if first is None else first
    cards = deal.as_array()
    ended = _walks(forgiveness, cards, rules, _WALKS)
    chance = forgiveness.chance(cards, rules, Effort.BOUNDED)
    return Features(
        nodes,
        len(moves),
        plays,
        winning,
        choices,
        critical,
        first,
        sum(walk.choices for walk in ended) / len(ended) if ended else float(choices),
        sum(walk.critical for walk in ended) / len(ended) if ended else float(critical),
        *_luck(chance),
        *_needs(deal, rules, moves),
    )


def predictors(
    deal: Deal, rules: Rules, by: Solver | None = None, rough: bool = False
) -> Predictors:
    """Find the features that predict the level of a deal, each number as `trace` does.

    Args:
        deal: the deal, which can be won.
        rules: the ruleset.
        by: a solver that gives wins; by default `tracer`.
        rough: from a few walks and games only, in less than less than a tenth of the time.

    Raises:
        BadInput: see `trace`.
    """
    forgiveness, game = forgiveness_of(rules), game_of(rules)
    start, cards = game.start(deal, rules), deal.as_array()
    nodes, packed = _line(start, by or tracer(rules), deal)
    moves = game.unpack(packed)
    ended = _walks(forgiveness, cards, rules, _ROUGH_WALKS if rough else _WALKS)
    if ended:
        choices = sum(walk.choices for walk in ended) / len(ended)
    else:
        choices = float(
            sum(step is not None and step.is_choice for step in plays_along(start, moves))
        )
    chance = forgiveness.chance(cards, rules, Effort.ROUGH if rough else Effort.USUAL)
    luck, error = _luck(chance)
    return Predictors(nodes, len(moves), choices, luck, error)


def _line(start: Position, by: Solver, deal: Deal) -> tuple[int, bytes]:
    """The nodes and the packed moves of a win."""
    outcome = configure(by.method, {**dict(by.values), **by.method.traced}).solve_position(start)
    if outcome.result != Result.WON or outcome.moves is None:
        raise BadInput(f"{by} does not win the deal {deal.digest} under {start.rules.slug}")
    return outcome.nodes, outcome.moves


def _walks(
    forgiveness: Forgiveness, cards: NDArray[np.uint8], rules: Rules, count: int
) -> list[Walk]:
    """Those of a number of walks that come to their win."""
    walks = (forgiveness.walk(cards, rules, number) for number in range(count))
    return [walk for walk in walks if walk.won]


def _luck(chance: Chance) -> tuple[float, float | None]:
    """The luck of a chance, and its standard error."""
    luck = abs(log(chance.value or chance.most))
    return luck, None if chance.error is None else chance.error / chance.value


def _needs(
    deal: Deal, rules: Rules, moves: Sequence[Move]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The options without which a deal cannot be won, and those of which that is not known.

    Args:
        deal: the deal.
        rules: the ruleset under which it is won.
        moves: of a win of it.
    """
    game = game_of(rules)
    needs, unsure = [], []
    for option, strict in game.rulesets.without(rules).items():
        start = game.start(deal, strict)
        if replay.wins(start, moves):
            continue
        solver = _strict_solver(strict.slug)
        result = Result.GAVE_UP if solver is None else solver.decide_position(start)
        if result == Result.UNWINNABLE:
            needs.append(option)
        elif result != Result.WON:
            unsure.append(option)
    return tuple(needs), tuple(unsure)


@cache
def _strict_solver(ruleset: str) -> Solver | None:
    found = capable(parse_ruleset(ruleset), Ability.DECIDE)
    if found is None or "nodes" not in dict(found.values):
        return found
    return configure(found.method, {"nodes": _STRICT_NODES})
