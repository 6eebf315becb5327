"""The games of a player in the catalogue, and lost ones whose regret is missing."""

from collections.abc import Iterator
from dataclasses import dataclass

from sqlalchemy import ColumnElement, func, select
from sqlalchemy.orm import Session

from catalogue.outcomes.chunk import SolverKey
from catalogue.outcomes.writing import check_seed
from catalogue.reading.samples import stored_deals
from catalogue.schema import (
    BLOCK_SIZE,
    OutcomeRow,
    RegretRow,
    RulesetRow,
    SolverRow,
    StatusRow,
    same_outcome,
)
from engine.dealing.dealers import Sample
from engine.errors import BadInput
from engine.game import Rules
from engine.rulesets import parse_ruleset
from solvers import registry
from solvers.outcome import Result


@dataclass(frozen=True, slots=True)
class PlayedGames:
    """The games of a player on a sample under a ruleset."""

    rules: Rules
    sample: Sample
    player: registry.Solver

    def __str__(self) -> str:
        return (
            f"{self.player}, version {self.player.method.version}, under {self.rules} "
            f"on {self.sample}"
        )

    @property
    def judge(self) -> registry.Solver:
        """The solver that decides the positions of these games.

        Raises:
            BadInput: no solver does so under the ruleset.
        """
        judge = registry.judge(self.rules)
        if judge is None:
            raise BadInput(f"no solver decides positions under {self.rules.slug}")
        return judge


def games_of(ruleset: str, sample: Sample, player: str | None = None) -> PlayedGames:
    """The games of a player, by default the game's simplest one.

    Raises:
        BadInput: unknown ruleset or solver, one that is not a player or does not play the ruleset,
            seeds too large to be stored, or a ruleset under which no solver decides positions.
    """
    rules = parse_ruleset(ruleset)
    solver = registry.default_player(rules) if player is None else registry.parse_solver(player)
    if solver.method.sees != "observation":
        players = [
            method.slug
            for method in registry.methods_of(rules.game)
            if method.sees == "observation"
        ]
        raise BadInput(
            f"{solver.method.slug} is not a player, it is given the whole deal: "
            f"expected one of {', '.join(sorted(players))}"
        )
    check_seed(sample.last)
    solver.check_plays(rules)
    games = PlayedGames(rules, sample, solver)
    games.judge.check_plays(rules)
    return games


def row_key(session: Session, games: PlayedGames) -> tuple[int, int] | None:
    """The ids of ruleset and player; None if one of them is not in the catalogue."""
    player = SolverKey.of(games.player)
    ruleset_id = session.scalar(select(RulesetRow.id).where(RulesetRow.slug == games.rules.slug))
    solver_id = session.scalar(
        select(SolverRow.id).where(
            SolverRow.name == player.name, SolverRow.version == player.version
        )
    )
    return None if ruleset_id is None or solver_id is None else (ruleset_id, solver_id)


def blocks(session: Session, ruleset_id: int, sample: Sample) -> Iterator[dict[int, int]]:
    """Yield the stored deals of a sample, seed by id, block by block."""
    start = sample.first
    while start <= sample.last:
        stop = min((start // BLOCK_SIZE + 1) * BLOCK_SIZE, sample.last + 1)
        yield stored_deals(session, ruleset_id, sample.dealer, range(start, stop))
        start = stop


def is_lost_but_winnable(ruleset_id: int, solver_id: int) -> tuple[ColumnElement[bool], ...]:
    """The conditions for a player's outcome to have a regret: lost, on a winnable deal."""
    return (
        OutcomeRow.ruleset_id == ruleset_id,
        OutcomeRow.solver_id == solver_id,
        OutcomeRow.result == Result.LOST.value,
        StatusRow.ruleset_id == OutcomeRow.ruleset_id,
        StatusRow.deal_id == OutcomeRow.deal_id,
        StatusRow.status == "winnable",
    )


def without_regret(
    session: Session, ruleset_id: int, solver_id: int, sample: Sample
) -> Iterator[int]:
    """Yield the ids of deals whose regret is missing, block by block of seeds."""
    for deals in blocks(session, ruleset_id, sample):
        yield from sorted(
            session.scalars(
                select(OutcomeRow.deal_id)
                .select_from(OutcomeRow)
                .join(StatusRow, StatusRow.deal_id == OutcomeRow.deal_id)
                .outerjoin(RegretRow, same_outcome(RegretRow))
                .where(
                    *is_lost_but_winnable(ruleset_id, solver_id),
                    OutcomeRow.deal_id.in_(deals),
                    RegretRow.deal_id.is_(None),
                )
            )
        )


def count_regrets(
    session: Session, ruleset_id: int, solver_id: int, sample: Sample
) -> tuple[int, int]:
    """The number of games of the sample with a regret, and of those that should have one."""
    found = total = 0
    for deals in blocks(session, ruleset_id, sample):
        row = session.execute(
            select(func.count(RegretRow.deal_id), func.count())
            .select_from(OutcomeRow)
            .join(StatusRow, StatusRow.deal_id == OutcomeRow.deal_id)
            .outerjoin(RegretRow, same_outcome(RegretRow))
            .where(*is_lost_but_winnable(ruleset_id, solver_id), OutcomeRow.deal_id.in_(deals))
        ).one()
        found, total = found + row[0], total + row[1]
    return found, total
