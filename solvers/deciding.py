"""Is a position winnable, within a budget of nodes and time?

A judge (`solvers.registry.judge`) searches the position with few nodes at first and then with more,
so that most positions cost what they need and not what they may, and so that the time by the clock
holds although a search cannot be stopped: none begins that should last longer than what is left.
"""

import time
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from engine.game import Deal, Position
from engine.games import game_of
from engine.proof import check_wins
from engine.replay import replay
from engine.rulesets import parse_ruleset
from solvers.analysis import Verdict, configured_judge
from solvers.outcome import Outcome, Result

# Nodes of the first search, which takes about a millisecond, and how many times more the next has.
FIRST_NODES = 8_000
_MORE = 8
# Nodes of a search whose time says something of how fast the next ones are.
_TELLING_NODES = 1_000
# Searches of this share of the nodes of a round are still worth while.
_LEAST_SHARE = 2


class Spent(StrEnum):
    """Which limit was reached before there was a verdict."""

    NODES = "nodes"
    TIME = "time"
    MEMORY = "memory"
    NO_JUDGE = "no_judge"


@dataclass(frozen=True, slots=True)
class Decided:
    """What came of it.

    Attributes:
        verdict: the verdict.
        moves: of a win, packed; proved by the referee.
        nodes: positions that the last search entered.
        spent: why there is no verdict; None if there is one.
    """

    verdict: Verdict
    moves: bytes | None
    nodes: int
    spent: Spent | None


def decide_within(
    position: Position,
    nodes: int,
    milliseconds: float,
    memory_mib: int,
    deal: Deal | None = None,
    *,
    first_nodes: int = FIRST_NODES,
) -> Decided:
    """Decide a position within a budget.

    Args:
        position: any position of a game.
        nodes: most positions that one search enters.
        milliseconds: time by the clock after which no search begins; the first begins always.
        memory_mib: MiB of the judge's memory, which the thread keeps.
        deal: the deal, if the position is the start of one: that is quicker.
        first_nodes: nodes of the first search.

    Raises:
        BadInput: the judge does not take the position.
    """
    if position.is_won:
        return Decided(Verdict.WIN, b"", 0, None)
    deadline = time.perf_counter() + milliseconds / 1000
    allowed = min(first_nodes, nodes)
    while True:
        solver = configured_judge(position.rules.slug, allowed, memory_mib)
        if solver is None:
            return Decided(Verdict.UNKNOWN, None, 0, Spent.NO_JUDGE)
        since = time.perf_counter()
        if deal is None:
            outcome = solver.solve_position(position)
        else:
            (outcome,) = solver.solve(np.array([deal.as_array()]), position.rules)
        now = time.perf_counter()
        if outcome.result != Result.GAVE_UP:
            return _decided(outcome, position, deal)
        if outcome.nodes < allowed:
            return Decided(Verdict.UNKNOWN, None, outcome.nodes, Spent.MEMORY)
        if allowed >= nodes:
            return Decided(Verdict.UNKNOWN, None, outcome.nodes, Spent.NODES)
        wanted = min(allowed * _MORE, nodes)
        if allowed >= _TELLING_NODES:
            speed = outcome.nodes / max(now - since, 1e-6)
            wanted = min(wanted, int(speed * max(0.0, deadline - now)))
        if wanted < _LEAST_SHARE * allowed or now >= deadline:
            return Decided(Verdict.UNKNOWN, None, outcome.nodes, Spent.TIME)
        allowed = wanted


def _decided(outcome: Outcome, position: Position, deal: Deal | None) -> Decided:
    """The verdict of an outcome, its win proved."""
    if outcome.result == Result.UNWINNABLE:
        return Decided(Verdict.LOSS, None, outcome.nodes, None)
    assert outcome.moves is not None
    game, rules = game_of(position.rules), parse_ruleset(position.rules.slug)
    if deal is None:
        assert replay(position, game.unpack(outcome.moves)).is_won, "the judge's win is none"
    else:
        (reason,) = check_wins(game, np.array([deal.as_array()]), rules, [outcome.moves])
        assert reason is None, f"the judge's win is none: {reason}"
    return Decided(Verdict.WIN, outcome.moves, outcome.nodes, None)
