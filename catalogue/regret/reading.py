"""Reading regrets: lost games on winnable deals, and the moves that lost them."""

from collections import Counter
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import ColumnElement, select
from sqlalchemy.orm import Session

from catalogue.blocks import ALARM, LOST, RESULTS, UNWINNABLE, WINNABLE
from catalogue.outcomes.compression import decompress
from catalogue.reading.block_reader import dealing_of, read_outcomes, read_statuses
from catalogue.regret.games import PlayedGames, row_key
from catalogue.schema import BLOCK_SIZE, DealRow, RegretRow, within
from catalogue.statistics import Interval, clopper_pearson
from catalogue.store import Catalogue
from engine import replay
from engine.dealing.dealers import get_dealer
from engine.games import game_of
from solvers.outcome import Result
from solvers.regret import RegretKind

LEVEL = 0.99


@dataclass(slots=True)
class Stage:
    """Lost games on winnable deals at the beginning of one of their stages (`Actions.stage`).

    Attributes:
        games: number of games that came there.
        winnable: number of these known to be winnable still.
        lost: number of these proved lost.
    """

    games: int = 0
    winnable: int = 0
    lost: int = 0

    @property
    def winnable_interval(self) -> Interval:
        """Clopper–Pearson interval at 99 % of the share known to be winnable."""
        return clopper_pearson(self.winnable, self.games, LEVEL)


@dataclass(frozen=True, slots=True)
class Regrets:
    """Summary of a player's games, especially of lost ones.

    Attributes:
        games: the player and the deals.
        attempted: number of deals of the sample that it has played.
        lost: number of these that it lost.
        winnable: number of lost games on deals known winnable.
        unwinnable: number of lost games on deals proved unwinnable; the rest are unresolved.
        kinds: number of the winnable ones by `solvers.regret.RegretKind`.
        actions: number of games lost by a move, by action (`engine.game.Actions`).
        numbers: int64[k] for the k games lost by a move, the number of that move, from 1.
        lengths: int64[k], the number of moves of those games.
        stages: the stages of all games whose regret is stored, from the first that a move began;
            empty for a game without stages.
    """

    games: PlayedGames
    attempted: int
    lost: int
    winnable: int
    unwinnable: int
    kinds: Counter[str]
    actions: Counter[str]
    numbers: NDArray[np.int64]
    lengths: NDArray[np.int64]
    stages: tuple[Stage, ...] = ()

    @property
    def unresolved(self) -> int:
        """The number of lost games on unresolved deals."""
        return self.lost - self.winnable - self.unwinnable

    @property
    def left(self) -> int:
        """The number of lost games on winnable deals whose regret is missing."""
        return self.winnable - self.kinds.total()

    @property
    def winnable_interval(self) -> Interval | None:
        """Clopper–Pearson interval at 99 % of the share of lost games that could be won.

        Its low end counts no unresolved deal as winnable, its high end all of them.
        """
        if not self.lost:
            return None
        return Interval(
            clopper_pearson(self.winnable, self.lost, LEVEL).low,
            clopper_pearson(self.winnable + self.unresolved, self.lost, LEVEL).high,
        )

    @property
    def shares(self) -> tuple[float, float, float] | None:
        """Relative position of the losing move: lower quartile, median, upper quartile.

        Over the games lost by a move, as the share of moves up to and including the losing one.
        """
        if not len(self.numbers):
            return None
        low, middle, high = np.quantile(self.numbers / self.lengths, (0.25, 0.5, 0.75))
        return float(low), float(middle), float(high)


def read(cat: Catalogue, games: PlayedGames) -> Regrets:
    """Read the summary of stored games."""
    seen = _GameCounts()
    with cat.session() as session:
        key = row_key(session, games)
        if key is not None:
            _count(session, key, games, seen)
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
        tuple(seen.stages),
    )


@dataclass(slots=True)
class _GameCounts:
    """Counts from which `Regrets` is made."""

    results: Counter[str] = field(default_factory=Counter)
    statuses: Counter[str] = field(default_factory=Counter)
    kinds: Counter[str] = field(default_factory=Counter)
    actions: Counter[str] = field(default_factory=Counter)
    numbers: list[int] = field(default_factory=list)
    lengths: list[int] = field(default_factory=list)
    stages: list[Stage] = field(default_factory=list)


def _count(session: Session, key: tuple[int, int], games: PlayedGames, seen: _GameCounts) -> None:
    """Count the games of a sample, block by block."""
    ruleset_id, solver_id = key
    sample = games.sample
    dealing_id = dealing_of(session, ruleset_id, sample.dealer)
    if dealing_id is None:
        return
    for block in range(sample.first // BLOCK_SIZE, sample.last // BLOCK_SIZE + 1):
        columns = read_outcomes(session, ruleset_id, dealing_id, block, [solver_id]).get(solver_id)
        if columns is None:
            continue
        statuses = read_statuses(session, ruleset_id, dealing_id, block)
        first = block * BLOCK_SIZE + columns.first
        inside = slice(max(sample.first - first, 0), max(sample.last + 1 - first, 0))
        results = np.bincount(columns.result[inside], minlength=5).tolist()
        seen.results.update(dict(zip(RESULTS, results[1:], strict=True)))
        at = columns.first - statuses.first
        of_games = statuses.status[at : at + len(columns)][inside]
        lost = np.bincount(of_games[columns.result[inside] == LOST], minlength=5)
        seen.statuses["winnable"] += int(lost[WINNABLE] + lost[ALARM])
        seen.statuses["unwinnable"] += int(lost[UNWINNABLE])
        low = max(first, sample.first)
        high = min(first + len(columns), sample.last + 1)
        _count_regrets(session, key, dealing_id, range(low, high), seen)
        if game_of(games.rules).load_actions().stage is not None:
            _count_stages(session, key, games, dealing_id, range(low, high), seen)


def _count_regrets(
    session: Session, key: tuple[int, int], dealing_id: int, seeds: range, seen: _GameCounts
) -> None:
    """Count the regrets of the games on some seeds, which always have rows."""
    for kind, action, step, length in session.execute(
        select(RegretRow.kind, RegretRow.action, RegretRow.step, RegretRow.length)
        .where(*_of_games(key, dealing_id, seeds))
        .order_by(DealRow.seed)
    ):
        seen.kinds[kind] += 1
        if action is not None and step is not None:  # lost by a move
            seen.actions[action] += 1
            seen.numbers.append(step + 1)
            seen.lengths.append(length)


def _count_stages(
    session: Session,
    key: tuple[int, int],
    games: PlayedGames,
    dealing_id: int,
    seeds: range,
    seen: _GameCounts,
) -> None:
    """Count at each stage of the games on some seeds whether they could still be won."""
    rules, dealer = games.rules, get_dealer(games.sample.dealer)
    game = game_of(rules)
    actions = game.load_actions()
    query = select(DealRow.seed, RegretRow.kind, RegretRow.step, RegretRow.moves)
    for seed, kind, step, stored in session.execute(
        query.where(*_of_games(key, dealing_id, seeds))
    ):
        moves = game.unpack(decompress(game.slug, stored))
        passed = replay.positions(game.start(dealer.deal(seed, game), rules), moves)
        begun = 0
        for number, (before, move) in enumerate(zip(passed, moves, strict=False), start=1):
            if actions.action_of(before, move) != actions.stage:
                continue
            begun += 1
            seen.stages += [Stage()] * (begun > len(seen.stages))
            stage = seen.stages[begun - 1]
            stage.games += 1
            if step is not None and number <= step:
                stage.winnable += 1
            elif kind in (RegretKind.MOVE, RegretKind.UNWINNABLE):
                stage.lost += 1


def _of_games(
    key: tuple[int, int], dealing_id: int, seeds: range
) -> tuple[ColumnElement[bool], ...]:
    """Conditions for the regrets of the games of a player on some seeds, with their deals."""
    return (
        DealRow.id == RegretRow.deal_id,
        RegretRow.ruleset_id == key[0],
        RegretRow.solver_id == key[1],
        DealRow.dealing_id == dealing_id,
        within(DealRow.seed, seeds),
    )
