"""The games of a player in the catalogue, and lost ones whose regret is missing."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import select
from sqlalchemy.orm import Session

from catalogue.blocks import ALARM, LOST, WINNABLE, Outcomes
from catalogue.outcomes.chunk import SolverKey
from catalogue.outcomes.names import check_seed
from catalogue.reading.block_reader import dealing_of, read_outcomes, read_statuses, summaries
from catalogue.schema import BLOCK_SIZE, DealRow, RegretRow, RulesetRow, SolverRow, within
from engine.dealing.dealers import Sample
from engine.errors import BadInput
from engine.game import Rules
from engine.rulesets import parse_ruleset
from solvers.choice import Ability, capable, default_player
from solvers.registry import methods_of
from solvers.solver import Solver, configure, parse_solver


@dataclass(frozen=True, slots=True)
class PlayedGames:
    """The games of a player on a sample under a ruleset."""

    rules: Rules
    sample: Sample
    player: Solver

    def __str__(self) -> str:
        return (
            f"{self.player}, version {self.player.method.version}, under {self.rules} "
            f"on {self.sample}"
        )

    @property
    def reference(self) -> Solver:
        """The solver that decides the positions of these games.

        Raises:
            BadInput: no solver does so under the ruleset.
        """
        reference = capable(self.rules, Ability.DECIDE)
        if reference is None:
            raise BadInput(f"no solver decides positions under {self.rules.slug}")
        return reference

    @property
    def position_reference(self) -> Solver:
        """The reference with its values for the positions of lost games."""
        method = self.reference.method
        return configure(method, method.reference)


def games_of(ruleset: str, sample: Sample, player: str | None = None) -> PlayedGames:
    """The games of a player, by default the game's simplest one.

    Raises:
        BadInput: unknown ruleset or solver, one that is not a player or does not play the ruleset,
            seeds too large to be stored, or a ruleset under which no solver decides positions.
    """
    rules = parse_ruleset(ruleset)
    solver = default_player(rules) if player is None else parse_solver(player)
    if solver.method.sees != "observation":
        default_player(rules)  # or there is none to be named
        players = [
            method.slug
            for method in methods_of(rules.game)
            if method.sees == "observation" and method.plays(rules)
        ]
        raise BadInput(
            f"{solver.method.slug} is not a player, it is given the whole deal: "
            f"expected one of {', '.join(sorted(players))}"
        )
    check_seed(sample.last)
    solver.check_plays(rules)
    games = PlayedGames(rules, sample, solver)
    games.reference.check_plays(rules)
    return games


def row_key(session: Session, games: PlayedGames) -> tuple[int, int] | None:
    """The ids of ruleset and player; None if one of them is not in the catalogue."""
    player = SolverKey.of(games.player)
    ruleset_id = RulesetRow.id_of(session, games.rules.slug)
    solver_id = SolverRow.id_of(session, player.name, player.version)
    return None if ruleset_id is None or solver_id is None else (ruleset_id, solver_id)


def lost_but_winnable(
    session: Session, ruleset_id: int, solver_id: int, dealer: str, seeds: range
) -> NDArray[np.int64]:
    """The seeds of a player's games that have a regret: lost, with a row, on a winnable deal."""
    lost = [
        of_seeds[
            each.rowed & (each.result == LOST) & ((statuses == WINNABLE) | (statuses == ALARM))
        ]
        for of_seeds, each, statuses in games_in(session, ruleset_id, solver_id, dealer, seeds)
    ]
    return np.concatenate(lost) if lost else np.zeros(0, dtype=np.int64)


def games_in(
    session: Session, ruleset_id: int, solver_id: int, dealer: str, seeds: range
) -> Iterator[tuple[NDArray[np.int64], Outcomes, NDArray[np.uint8]]]:
    """Yield the games of a player block by block: seeds, outcomes, and statuses of the deals."""
    dealing_id = dealing_of(session, ruleset_id, dealer)
    if dealing_id is None or not seeds:
        return
    blocks = range(seeds.start // BLOCK_SIZE, (seeds.stop - 1) // BLOCK_SIZE + 1)
    for found in summaries(session, ruleset_id, dealing_id, blocks, [solver_id]):
        block = found.block
        read = read_outcomes(session, ruleset_id, dealing_id, block, [solver_id])
        statuses = read_statuses(session, ruleset_id, dealing_id, block)
        low = max(block * BLOCK_SIZE, seeds.start) - block * BLOCK_SIZE
        high = min((block + 1) * BLOCK_SIZE, seeds.stop) - block * BLOCK_SIZE
        outcomes = _cut(read[solver_id], low, high)
        status = np.zeros(BLOCK_SIZE, dtype=np.uint8)
        status[statuses.first : statuses.first + len(statuses)] = statuses.status
        yield np.arange(low, high) + block * BLOCK_SIZE, outcomes, status[low:high]


def with_regret(
    session: Session, ruleset_id: int, solver_id: int, dealer: str, seeds: range
) -> NDArray[np.int64]:
    """The seeds of a player's games whose regret is stored."""
    rows = session.scalars(
        select(DealRow.seed)
        .join(RegretRow, RegretRow.deal_id == DealRow.id)
        .where(
            DealRow.dealing_id == dealing_of(session, ruleset_id, dealer),
            within(DealRow.seed, seeds),
            RegretRow.ruleset_id == ruleset_id,
            RegretRow.solver_id == solver_id,
        )
        .order_by(DealRow.seed)
    )
    return np.array(rows.all(), dtype=np.int64)


def without_regret(
    session: Session, ruleset_id: int, solver_id: int, dealer: str, seeds: range
) -> NDArray[np.int64]:
    """The seeds of games whose regret is missing."""
    key = (session, ruleset_id, solver_id, dealer, seeds)
    return np.setdiff1d(lost_but_winnable(*key), with_regret(*key))


def count_regrets(
    session: Session, ruleset_id: int, solver_id: int, dealer: str, seeds: range
) -> tuple[int, int]:
    """The number of games with a regret, and of those that should have one."""
    key = (session, ruleset_id, solver_id, dealer, seeds)
    should = lost_but_winnable(*key)
    return len(np.intersect1d(should, with_regret(*key))), len(should)


def _cut(outcomes: Outcomes, low: int, high: int) -> Outcomes:
    """The outcomes on the places `low` to `high` − 1 of a block."""
    wide = outcomes.widened(low, high)
    inside = slice(low - wide.first, high - wide.first)
    return Outcomes(
        low,
        wide.result[inside],
        wide.nodes[inside],
        wide.length[inside],
        wide.dead_end[inside],
        wide.cpu_us[inside],
        wide.rowed[inside],
        wide.skipped[inside],
        wide.kinds,
    )
