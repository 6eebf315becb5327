"""The difficulty and the level of deals with features, by the model of their ruleset."""

from collections import defaultdict
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

import numpy as np
from sqlalchemy import bindparam, func, select, update
from sqlalchemy.orm import Session

from catalogue.blocks import WON
from catalogue.difficulty.rasch import GameCounts, Model, Reals, Whole
from catalogue.outcomes import ledger
from catalogue.outcomes.names import ensure_provenance
from catalogue.outcomes.provenance import Provenance
from catalogue.outcomes.rows import insert_or_nothing, replace_row, table_of
from catalogue.outcomes.seals import seal_of_difficulty
from catalogue.reading.samples import attempts
from catalogue.schema import (
    BLOCK_SIZE,
    BlockRow,
    DealingRow,
    DifficultyRow,
    FeaturesRow,
    SolverRow,
    within,
)
from engine.dealing.dealers import Sample
from engine.errors import BadInput
from engine.game import Rules
from solvers import trials
from solvers.features import VERSION
from solvers.registry import get_method

# What the name of a feature begins with that is a number of trials won.
_TRIALS_OF = "trials of "
# Names of the levels, the easiest first; each holds a tenth of the deals of the fit.
LEVELS = (
    "Effortless",
    "Very easy",
    "Easy",
    "Fairly easy",
    "Moderate",
    "Tricky",
    "Fairly hard",
    "Hard",
    "Very hard",
    "Fiendish",
)
# What the model knows of a deal that nobody has played: how hard it was for the exact solver, how
# long its solution is, how often one must choose, and how unlikely random play is to win. Of the
# last two difficulty is no linear function, for which further functions of them make up. Where no
# random game was won, luck is taken to be `UNSEEN_LUCK`: its bound says little.
FEATURES = (
    "log nodes",
    "length",
    "walk choices",
    "log of walk choices",
    "luck",
    "root of luck",
    "square of luck",
)
# About what the estimate can still see, a win in ten million games, in nats.
UNSEEN_LUCK = 16.0
_SEED = "random_seed"
# Columns of a row of features that follow from the model.
DERIVED = ("difficulty", "deviation", "level", "games")
# Rows that are graded at once.
_AT_ONCE = 10_000


@dataclass(frozen=True, slots=True)
class Player:
    """A player of the catalogue: the solvers that differ in nothing but their random seed.

    Attributes:
        name: a solver's without the random seed.
        version: of its method.
        solver_ids: its solvers.
    """

    name: str
    version: int
    solver_ids: tuple[int, ...]

    def __str__(self) -> str:
        return f"{self.name} v{self.version}"


@dataclass(frozen=True, slots=True)
class RatedPlayer:
    """A player of a fit, with its ability in logits, the standard error, and its games there."""

    name: str
    version: int
    ability: float
    error: float
    played: int
    won: int


@dataclass(frozen=True, slots=True)
class DifficultyModel:
    """The model of a ruleset, as it is stored.

    Attributes:
        sample: the deals of the fit, with all that had no part in it.
        fitted: number of deals that had features and games.
        players: the weakest first.
        rasch: the fitted numbers; its players are those in the same order, its features `inputs`.
        limits: float64[9], the difficulties at which levels 2 to 10 begin.
        features_version: of `solvers.features`, or of `solvers.trials`.
        validation: of `catalogue.difficulty.validation`.
        created_at: when it was fitted.
        inputs: names of the features that it uses, `FEATURES` or those of `trial_names`.
        is_shipped: whether it comes with the package, and the catalogue has none.
    """

    sample: Sample
    fitted: int
    players: tuple[RatedPlayer, ...]
    rasch: Model
    limits: Reals
    features_version: int
    validation: dict[str, Any]
    created_at: datetime
    inputs: tuple[str, ...] = FEATURES
    is_shipped: bool = False

    @property
    def rests_on_trials(self) -> bool:
        """Whether trials of deals are its features, for lack of an analysis of their plays."""
        return self.inputs != FEATURES

    @property
    def is_old(self) -> bool:
        """Whether it rests on features of an older version than this program finds."""
        return self.features_version != (trials.VERSION if self.rests_on_trials else VERSION)

    def level(self, difficulty: Reals) -> Whole:
        """The levels of deals, 1 to 10."""
        found: Whole = np.searchsorted(self.limits, difficulty, side="right").astype(np.int64) + 1
        return found


def read_model(session: Session, ruleset_id: int) -> DifficultyModel | None:
    """The model of a ruleset; None if there is none."""
    row = session.get(DifficultyRow, ruleset_id)
    return None if row is None else model_of(row)


def model_of(row: Any) -> DifficultyModel:
    """The model that a row holds.

    Raises:
        BadInput: the row is damaged.
    """
    try:
        players = tuple(RatedPlayer(**player) for player in row.players)
        rasch = Model(
            np.array([player.ability for player in players]),
            np.array([player.error for player in players]),
            np.array([each["center"] for each in row.features]),
            np.array([each["weight"] for each in row.features]),
            float(row.spread),
            float(row.validation["likelihood"]),
        )
        names = tuple(each["name"] for each in row.features)
        known = names == FEATURES or all(name.startswith(_TRIALS_OF) for name in names)
        if not known or len(row.limits) != len(LEVELS) - 1:
            raise ValueError(f"it has the features {', '.join(names)} and {len(row.limits)} limits")
        return DifficultyModel(
            Sample(row.dealer, row.first_seed, row.deals),
            row.fitted,
            players,
            rasch,
            np.array(row.limits, dtype=np.float64),
            row.features_version,
            row.validation,
            row.created_at,
            names,
        )
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise BadInput(f"the model of difficulty is damaged: {error}") from None


def columns_of(model: DifficultyModel) -> dict[str, Any]:
    """The columns of a model's row, but for its ruleset, provenance and seal."""
    features = zip(
        model.inputs, model.rasch.centers.tolist(), model.rasch.weights.tolist(), strict=True
    )
    return {
        "dealer": model.sample.dealer,
        "first_seed": model.sample.first,
        "deals": model.sample.count,
        "fitted": model.fitted,
        "features_version": model.features_version,
        "players": [asdict(player) for player in model.players],
        "features": [
            {"name": name, "center": center, "weight": weight} for name, center, weight in features
        ],
        "spread": model.rasch.spread,
        "limits": model.limits.tolist(),
        "validation": model.validation,
        "created_at": model.created_at,
    }


def features_of(rows: Any) -> Reals:
    """`FEATURES` of rows of features, float64[n, len(FEATURES)]."""
    values = [
        (
            max(row.nodes, 1),
            row.length,
            row.walk_choices,
            UNSEEN_LUCK if row.luck_error is None and row.version > 1 else row.luck,
        )
        for row in rows
    ]
    nodes, length, choices, luck = np.array(values, dtype=np.float64).reshape(-1, 4).T
    found: Reals = np.stack(
        [np.log(nodes), length, choices, np.log1p(choices), luck, np.sqrt(luck), luck**2], axis=1
    )
    return found


def trial_names(rules: Rules) -> tuple[str, ...]:
    """The names of the features that are trials of deals of a ruleset."""
    return tuple(
        f"{_TRIALS_OF}{player_name(player.method.slug, dict(player.said))} v{player.method.version}"
        for player in trials.trial_players(rules)
    )


def features_of_trials(wins: Whole) -> Reals:
    """Features of the trials of n deals, float64[n, p]: log odds against a win.

    Half a game is added to those won and half a one to those lost, so that they are finite.

    Args:
        wins: int64[n, p], games that each of p players won of `trials.GAMES`.
    """
    found: Reals = np.log((trials.GAMES - wins + 0.5) / (wins + 0.5))
    return found


def players_of(session: Session, ruleset_id: int) -> list[Player]:
    """The players that have outcomes under a ruleset: methods that do not see the hidden cards."""
    rows = session.execute(
        select(SolverRow)
        .where(
            SolverRow.id.in_(
                select(BlockRow.solver_id).where(BlockRow.ruleset_id == ruleset_id).distinct()
            )
        )
        .order_by(SolverRow.name, SolverRow.version)
    ).scalars()
    found: dict[tuple[str, int], list[int]] = defaultdict(list)
    for row in rows:
        try:
            sees = get_method(row.method).sees
        except BadInput:
            continue  # of a package that is not installed
        if sees != "observation":
            continue
        found[player_name(row.method, row.parameters), row.version].append(row.id)
    return [Player(name, version, tuple(ids)) for (name, version), ids in sorted(found.items())]


def player_name(method: str, parameters: dict[str, int]) -> str:
    """The name of a player: that of its solvers without the random seed."""
    values = [f"{name}={value}" for name, value in parameters.items() if name != _SEED]
    return f"{method}({', '.join(values)})" if values else method


def games_of(
    session: Session, ruleset_id: int, dealer: str, seeds: Whole, players: list[Player]
) -> GameCounts:
    """The games of players on the deals of some seeds, ascending and of one dealer."""
    won = np.zeros((len(seeds), len(players)), dtype=np.int64)
    played = np.zeros_like(won)
    # Seeds may be far apart, so that they are read block by block.
    for block in np.unique(seeds // BLOCK_SIZE).tolist():
        inside = np.flatnonzero(seeds // BLOCK_SIZE == block)
        span = range(int(seeds[inside[0]]), int(seeds[inside[-1]]) + 1)
        for at, player in enumerate(players):
            for solver_id in player.solver_ids:
                results = attempts(session, ruleset_id, solver_id, dealer, span)
                results = results[seeds[inside] - span.start]
                won[inside, at] += results == WON
                played[inside, at] += results > 0
    return GameCounts(won, played)


def put_model(
    session: Session, ruleset_id: int, model: DifficultyModel, provenance: Provenance
) -> None:
    """Write the model of a ruleset in place of any other, and grade its deals with features."""
    provenance_id = ensure_provenance(session, provenance)
    row = {"ruleset_id": ruleset_id, **columns_of(model), "provenance_id": provenance_id}
    sealed = {**row, "seal": seal_of_difficulty(row)}
    # Of two runners that begin a ruleset at once, one adds the row.
    insertion = insert_or_nothing(session, DifficultyRow).returning(DifficultyRow.ruleset_id)
    if session.scalar(insertion, sealed) is not None:
        ledger.add(session, "difficulty", row)
    else:
        replace_row(session, DifficultyRow, sealed)
    spans = session.execute(
        select(DealingRow.dealer, func.min(FeaturesRow.seed), func.max(FeaturesRow.seed))
        .join(DealingRow, DealingRow.id == FeaturesRow.dealing_id)
        .where(FeaturesRow.ruleset_id == ruleset_id)
        .group_by(DealingRow.dealer)
    ).all()
    for dealer, low, high in spans:
        grade(session, ruleset_id, dealer, range(low, high + 1))


def grade(session: Session, ruleset_id: int, dealer: str, seeds: range) -> int:
    """Write difficulty and level of the deals of seeds that have features; returns their number."""
    model = read_model(session, ruleset_id)
    if model is None:
        return 0
    dealing_id = session.scalar(
        select(DealingRow.id)
        .join(FeaturesRow, FeaturesRow.dealing_id == DealingRow.id)
        .where(DealingRow.dealer == dealer, FeaturesRow.ruleset_id == ruleset_id)
        .limit(1)
    )
    if dealing_id is None:
        return 0
    count, table = 0, table_of(FeaturesRow)
    while seeds and (rows := features_rows(session, ruleset_id, dealing_id, seeds, _AT_ONCE)):
        seeds = range(rows[-1].seed + 1, seeds.stop)
        rated = rate(session, ruleset_id, dealer, rows, model)
        session.execute(
            update(table)
            .where(
                table.c.ruleset_id == ruleset_id,
                table.c.dealing_id == dealing_id,
                table.c.seed == bindparam("of_seed"),
            )
            .values({name: bindparam(f"to_{name}") for name in rated[0]}),
            [
                {"of_seed": row.seed, **{f"to_{name}": value for name, value in each.items()}}
                for row, each in zip(rows, rated, strict=True)
            ],
        )
        count += len(rows)
    return count


def features_rows(
    session: Session, ruleset_id: int, dealing_id: int, seeds: range, limit: int | None = None
) -> list[Any]:
    """The rows of features of seeds, in order; the first ones if there is a limit."""
    table = table_of(FeaturesRow)
    query = (
        select(table)
        .where(
            table.c.ruleset_id == ruleset_id,
            table.c.dealing_id == dealing_id,
            within(table.c.seed, seeds),
        )
        .order_by(table.c.seed)
        .limit(limit)
    )
    return list(session.execute(query).all())


def rate(
    session: Session, ruleset_id: int, dealer: str, rows: list[Any], model: DifficultyModel
) -> list[dict[str, Any]]:
    """Difficulty, deviation, level and games of rows of features, of one dealer and in order.

    Rows of another version than the model's features have none: features of two versions do not
    compare.
    """
    fitting = np.array([row.version == model.features_version for row in rows], dtype=np.bool_)
    known = {(each.name, each.version): each for each in players_of(session, ruleset_id)}
    # Of a player of the fit that is gone no games can be counted.
    players = [
        known.get((each.name, each.version), Player(each.name, each.version, ()))
        for each in model.players
    ]
    seeds = np.array([row.seed for row in rows], dtype=np.int64)
    games = games_of(session, ruleset_id, dealer, seeds, players)
    difficulty, deviation = model.rasch.rate(games, model.rasch.predict(features_of(rows)))
    return [
        {"difficulty": hard, "deviation": error, "level": level, "games": count}
        if fits
        else dict.fromkeys(DERIVED)
        for hard, error, level, count, fits in zip(
            difficulty.tolist(),
            deviation.tolist(),
            model.level(difficulty).tolist(),
            games.played.sum(axis=1).tolist(),
            fitting.tolist(),
            strict=True,
        )
    ]
