"""Jobs that find regrets, by analysing a player's lost games on winnable deals.

The games are played again, since the catalogue stores the moves of won games only and a player
plays the same deal in the same way. Each piece of work is a transaction, so a job that is stopped
loses at most the pieces in flight.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from sqlalchemy import insert, select
from sqlalchemy.orm import Session

from catalogue.jobs.queue import enqueue
from catalogue.jobs.queue import submit as submit_outcomes
from catalogue.jobs.task import JobSpec, Piece, Progress
from catalogue.regret.games import PlayedGames, count_regrets, row_key, without_regret
from catalogue.schema import DealRow, RegretRow
from catalogue.store import Catalogue, lock
from engine.dealing.dealers import Sample
from engine.games import game_of
from engine.rulesets import parse_ruleset
from solvers import regret
from solvers.registry import parse_solver

# Games per piece, whose rows are one transaction; fewer for slow players.
_PIECE = 100
_LOCK = -3


@dataclass(frozen=True, slots=True)
class Found:
    """Results of a worker: for each deal the packed moves of its game, and the regret."""

    deal_ids: tuple[int, ...]
    games: tuple[tuple[bytes, regret.Regret], ...]


def submit(cat: Catalogue, games: PlayedGames) -> tuple[int, int]:
    """Submit the two jobs of a player's regrets, and return their numbers.

    The first has judge and player solve the sample; the second finds the regrets of the games
    that the player lost.

    Raises:
        BadInput: see `catalogue.jobs.queue.submit`.
    """
    solvers = [str(games.judge), str(games.player)]
    first = submit_outcomes(cat, games.rules.slug, games.sample, solvers)
    with cat.session() as session:
        key = row_key(session, games)
        done, total = (0, 0) if key is None else count_regrets(session, *key, games.sample)
    # A job that was done when fewer deals were known winnable may have work left.
    second = enqueue(
        cat, "regrets", games.rules, games.sample, [games.player], total, again=done < total
    )
    return first, second


@dataclass(frozen=True, slots=True)
class RegretsTask:
    """A job that finds regrets; see `catalogue.jobs.task.Task`."""

    spec: JobSpec

    @property
    def _sample(self) -> Sample:
        return Sample(self.spec.dealer, self.spec.first, self.spec.count)

    @property
    def _games(self) -> PlayedGames:
        spec = self.spec
        player = parse_solver(spec.solvers[0].name)
        return PlayedGames(parse_ruleset(spec.ruleset), self._sample, player)

    def pieces(self, cat: Catalogue, workers: int) -> Iterator[Piece]:
        """The games left, queried lazily."""
        games, spec = self._games, self.spec
        with cat.session() as session:
            left = list(without_regret(session, spec.ruleset_id, spec.solver_ids[0], self._sample))
        size = max(1, min(games.player.chunk, _PIECE))
        for start in range(0, len(left), size):
            ids = tuple(left[start : start + size])
            with cat.session() as session:
                found = session.execute(
                    select(DealRow.id, DealRow.cards).where(DealRow.id.in_(ids))
                )
                cards = {each.id: each.cards for each in found}
            yield Piece(
                f"{len(ids)} lost games of {spec.dealer} from deal {ids[0]} on",
                find_regrets,
                (
                    ids,
                    b"".join(cards[deal_id] for deal_id in ids),
                    spec.ruleset,
                    str(games.player),
                    str(games.judge),
                ),
                len(ids),
            )

    def store(self, session: Session, results: Sequence[Found]) -> Progress:
        """Add the regrets that are missing, since another process may have added some meanwhile."""
        spec = self.spec
        if results:
            lock(session, _LOCK)
        for found in results:
            _write(session, spec.ruleset_id, spec.solver_ids[0], self._games, found)
        return Progress(*count_regrets(session, spec.ruleset_id, spec.solver_ids[0], self._sample))


def find_regrets(
    deal_ids: tuple[int, ...], cards: bytes, ruleset: str, player: str, judge: str
) -> Found:
    """Play games again and find where each was lost; runs in the worker processes.

    Args:
        deal_ids: ids of the deals in the catalogue.
        cards: their cards, one byte each in flat order.
        ruleset: slug of the ruleset.
        player: the player that lost.
        judge: the solver that decides positions.

    Raises:
        BadInput: the player does not repeat a game that it lost.
    """
    rules = parse_ruleset(ruleset)
    deals = np.frombuffer(cards, dtype=np.uint8).reshape(-1, game_of(rules).cards)
    found = regret.play_again(deals, rules, parse_solver(player), parse_solver(judge))
    return Found(deal_ids, tuple(found))


def _write(
    session: Session, ruleset_id: int, solver_id: int, games: PlayedGames, found: Found
) -> None:
    game, judge = game_of(games.rules), games.judge.method
    present = set(
        session.scalars(
            select(RegretRow.deal_id).where(
                RegretRow.ruleset_id == ruleset_id,
                RegretRow.solver_id == solver_id,
                RegretRow.deal_id.in_(found.deal_ids),
            )
        )
    )
    rows = [
        {
            "ruleset_id": ruleset_id,
            "solver_id": solver_id,
            "deal_id": deal_id,
            "kind": each.kind.value,
            "step": each.step,
            "action": each.action,
            "length": game.length(moves),
            "moves": moves,
            "judge": judge.slug,
            "judge_version": judge.version,
        }
        for deal_id, (moves, each) in zip(found.deal_ids, found.games, strict=True)
        if deal_id not in present
    ]
    if rows:
        session.execute(insert(RegretRow), rows)
