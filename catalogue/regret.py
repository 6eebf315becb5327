"""Regret in the catalogue: which lost games could have been won, and which move lost each.

What is left to find is a query: the lost outcomes of a player on deals known winnable that have no
`regret`. So it may be stopped at any time and goes on from there. The games are played again, since
the catalogue keeps the moves of won games alone, and a player plays the same deal in the same way.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import insert, select
from sqlalchemy.orm import Session

from catalogue import jobs
from catalogue.chunk import SolverKey
from catalogue.outcomes import check_seed
from catalogue.regret_pool import JUDGE, Found, Piece, find_regrets
from catalogue.samples import stored_deals
from catalogue.schema import (
    BLOCK_SIZE,
    Deal,
    Outcome,
    Regret,
    Ruleset,
    Solver,
    Status,
    same_outcome,
)
from catalogue.settings import get_settings
from catalogue.statistics import Interval, clopper_pearson
from catalogue.store import Catalogue, lock
from engine.dealers import Sample
from engine.errors import BadInput
from engine.rulesets import KlondikeRules, parse_klondike
from solvers import registry
from solvers.outcome import Result

LEVEL = 0.99
# Games of one piece, whose rows are one transaction; less where the player takes longer.
_PIECE = 100
_LOCK = -3


@dataclass(frozen=True, slots=True)
class Games:
    """The games of one player on one sample under one ruleset."""

    rules: KlondikeRules
    sample: Sample
    player: registry.Solver

    def __str__(self) -> str:
        return (
            f"{self.player}, version {self.player.method.version}, under {self.rules} "
            f"on {self.sample}"
        )


@dataclass(frozen=True, slots=True)
class Regrets:
    """What the catalogue knows of the games of a player, of those it lost above all.

    Attributes:
        games: whose, on which deals.
        attempted: deals of the sample that it has played.
        lost: of these, how many it lost.
        winnable: of those lost, how many are on deals known winnable.
        unwinnable: how many on deals proved unwinnable; the rest is unresolved.
        kinds: of the winnable ones, how many have a regret of each `RegretKind`.
        actions: of those lost by a move, how many by each `Action`.
        numbers: int64[k] for the k games lost by a move, which move it was, counted from 1.
        lengths: int64[k], how many moves those games have.
    """

    games: Games
    attempted: int
    lost: int
    winnable: int
    unwinnable: int
    kinds: Counter[str]
    actions: Counter[str]
    numbers: NDArray[np.int64]
    lengths: NDArray[np.int64]

    @property
    def unresolved(self) -> int:
        """Lost games on deals of which nobody knows whether they can be won."""
        return self.lost - self.winnable - self.unwinnable

    @property
    def left(self) -> int:
        """Lost games on winnable deals of which no regret has been found yet."""
        return self.winnable - self.kinds.total()

    @property
    def winnable_interval(self) -> Interval | None:
        """Of the share of lost games that could be won: Clopper–Pearson at 99 %.

        From its low end were none of the unresolved winnable to its high end were all.
        """
        if not self.lost:
            return None
        return Interval(
            clopper_pearson(self.winnable, self.lost, LEVEL).low,
            clopper_pearson(self.winnable + self.unresolved, self.lost, LEVEL).high,
        )

    @property
    def shares(self) -> tuple[float, float, float] | None:
        """How far into the game the losing move was: lower quartile, median, upper quartile.

        Over the games lost by a move, as the share of their moves up to and with it.
        """
        if not len(self.numbers):
            return None
        low, middle, high = np.quantile(self.numbers / self.lengths, (0.25, 0.5, 0.75))
        return float(low), float(middle), float(high)


def games_of(ruleset: str, sample: Sample, player: str) -> Games:
    """The games of a player.

    Raises:
        BadInput: unknown ruleset or solver, one that is no player, seeds too large to be stored, or
            a ruleset of another game than Klondike, or one that the player or the exact solver does
            not play.
    """
    rules, solver = parse_klondike(ruleset), registry.parse_solver(player)
    if solver.method.sees != "observation":
        players = [
            slug
            for slug in registry.method_slugs()
            if registry.get_method(slug).sees == "observation"
        ]
        raise BadInput(
            f"{solver.method.slug} is no player, it is given the whole deal: "
            f"expected one of {', '.join(players)}"
        )
    check_seed(sample.last)
    solver.check_plays(rules)
    registry.parse_solver(JUDGE).check_plays(rules)
    return Games(rules, sample, solver)


def submit(cat: Catalogue, games: Games) -> int:
    """Submit the job that regret rests on, exact solver and player on the sample; its number."""
    return jobs.submit(cat, games.rules.slug, games.sample, [JUDGE, str(games.player)])


def find(
    cat: Catalogue,
    games: Games,
    *,
    workers: int | None = None,
    on_progress: Callable[[int, int], None] = lambda _done, _total: None,
) -> int:
    """Find the regrets that are missing; how many games were looked at.

    Each piece of the work is a transaction of its own, so whatever ends this loses at most the
    pieces in flight.

    Args:
        cat: the catalogue.
        games: whose.
        workers: processes on this machine; by default that of the settings, which is all cores.
        on_progress: called after each transaction with games looked at and games in all.

    Raises:
        BadInput: the player does not play a game again as it did.
    """
    with cat.session() as session:
        key = _key(session, games)
        left = [] if key is None else list(_left(session, games, key))
    on_progress(0, len(left))
    if key is None:
        return 0
    done = 0
    pieces = _pieces(cat, left, max(1, min(games.player.chunk, _PIECE)))
    for piece, found in find_regrets(
        pieces, games.rules.slug, str(games.player), workers or get_settings().workers
    ):
        with cat.begin() as session:
            _write(session, key, piece, found)
        done += len(found)
        on_progress(done, len(left))
    return done


def read(cat: Catalogue, games: Games) -> Regrets:
    """What the catalogue has of the games; it counts nothing that is not stored."""
    seen = _Seen()
    with cat.session() as session:
        key = _key(session, games)
        if key is not None:
            for deals in _blocks(session, key[0], games.sample):
                _count(session, key, deals, seen)
    return Regrets(
        games,
        seen.results.total(),
        seen.results[Result.LOST.value],
        seen.statuses["winnable"],
        seen.statuses["unwinnable"],
        seen.kinds,
        seen.actions,
        np.array(seen.numbers, dtype=np.int64),
        np.array(seen.lengths, dtype=np.int64),
    )


@dataclass(slots=True)
class _Seen:
    """Counts on their way to `Regrets`."""

    results: Counter[str] = field(default_factory=Counter)
    statuses: Counter[str] = field(default_factory=Counter)
    kinds: Counter[str] = field(default_factory=Counter)
    actions: Counter[str] = field(default_factory=Counter)
    numbers: list[int] = field(default_factory=list)
    lengths: list[int] = field(default_factory=list)


def _count(session: Session, key: tuple[int, int], deals: dict[int, int], seen: _Seen) -> None:
    ruleset_id, solver_id = key
    for result, status, kind, action, step, length in session.execute(
        select(
            Outcome.result,
            Status.status,
            Regret.kind,
            Regret.action,
            Regret.step,
            Regret.length,
        )
        .join(
            Status, (Status.ruleset_id == Outcome.ruleset_id) & (Status.deal_id == Outcome.deal_id)
        )
        .outerjoin(Regret, same_outcome(Regret))
        .where(
            Outcome.ruleset_id == ruleset_id,
            Outcome.solver_id == solver_id,
            Outcome.deal_id.in_(deals),
        )
    ):
        seen.results[result] += 1
        if result != Result.LOST.value:
            continue
        seen.statuses[status] += 1
        if status != "winnable" or kind is None:
            continue
        seen.kinds[kind] += 1
        if action is not None and step is not None:  # lost by a move
            seen.actions[action] += 1
            seen.numbers.append(step + 1)
            seen.lengths.append(length)


def _key(session: Session, games: Games) -> tuple[int, int] | None:
    """The ids of ruleset and player, None if the catalogue does not have one of them."""
    player = SolverKey.of(games.player)
    ruleset_id = session.scalar(select(Ruleset.id).where(Ruleset.slug == games.rules.slug))
    solver_id = session.scalar(
        select(Solver.id).where(Solver.name == player.name, Solver.version == player.version)
    )
    return None if ruleset_id is None or solver_id is None else (ruleset_id, solver_id)


def _blocks(session: Session, ruleset_id: int, sample: Sample) -> Iterator[dict[int, int]]:
    """The stored deals of a sample, id and seed, block by block."""
    start = sample.first
    while start <= sample.last:
        stop = min((start // BLOCK_SIZE + 1) * BLOCK_SIZE, sample.last + 1)
        yield stored_deals(session, ruleset_id, sample.dealer, range(start, stop))
        start = stop


def _left(session: Session, games: Games, key: tuple[int, int]) -> Iterator[int]:
    """The deals, by their ids, whose regret is missing, block by block of seeds."""
    ruleset_id, solver_id = key
    for deals in _blocks(session, ruleset_id, games.sample):
        yield from sorted(
            session.scalars(
                select(Outcome.deal_id)
                .join(
                    Status,
                    (Status.ruleset_id == Outcome.ruleset_id) & (Status.deal_id == Outcome.deal_id),
                )
                .outerjoin(Regret, same_outcome(Regret))
                .where(
                    Outcome.ruleset_id == ruleset_id,
                    Outcome.solver_id == solver_id,
                    Outcome.deal_id.in_(deals),
                    Outcome.result == Result.LOST.value,
                    Status.status == "winnable",
                    Regret.deal_id.is_(None),
                )
            )
        )


def _pieces(cat: Catalogue, left: Sequence[int], size: int) -> Iterator[Piece]:
    """The work, its cards looked up as it is asked for."""
    for start in range(0, len(left), size):
        ids = tuple(left[start : start + size])
        with cat.session() as session:
            found = session.execute(select(Deal.id, Deal.cards).where(Deal.id.in_(ids)))
            cards = {row.id: row.cards for row in found}
        yield Piece(ids, b"".join(cards[deal_id] for deal_id in ids))


def _write(session: Session, key: tuple[int, int], piece: Piece, found: Found) -> None:
    """Add the rows of a piece that are missing: another process may have added some meanwhile."""
    lock(session, _LOCK)
    ruleset_id, solver_id = key
    present = set(
        session.scalars(
            select(Regret.deal_id).where(
                Regret.ruleset_id == ruleset_id,
                Regret.solver_id == solver_id,
                Regret.deal_id.in_(piece.deal_ids),
            )
        )
    )
    version = registry.parse_solver(JUDGE).method.version
    rows = [
        {
            "ruleset_id": ruleset_id,
            "solver_id": solver_id,
            "deal_id": deal_id,
            "kind": regret.kind.value,
            "step": regret.step,
            "action": None if regret.action is None else regret.action.value,
            "length": len(moves),
            "moves": moves,
            "exact_version": version,
        }
        for deal_id, (moves, regret) in zip(piece.deal_ids, found, strict=True)
        if deal_id not in present
    ]
    if rows:
        session.execute(insert(Regret), rows)
