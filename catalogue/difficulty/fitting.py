"""Fit the model of the difficulty of a ruleset's deals, validate it, and grade all its deals."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any, NamedTuple

import numpy as np

from catalogue.difficulty.deal_of_day import quick_solver
from catalogue.difficulty.grading import (
    FEATURES,
    DifficultyModel,
    RatedPlayer,
    features_of,
    features_of_trials,
    features_rows,
    games_of,
    player_name,
    players_of,
    put_model,
    trial_names,
)
from catalogue.difficulty.playing import FEWEST
from catalogue.difficulty.rasch import Reals, Whole, fit
from catalogue.difficulty.validation import limits_of, validate
from catalogue.outcomes.provenance import this_provenance
from catalogue.reading.block_reader import dealing_of
from catalogue.schema import RulesetRow
from catalogue.store import Catalogue
from engine.dealing.dealers import Sample, get_dealer
from engine.errors import BadInput
from engine.game import Rules
from engine.games import game_of
from solvers.choice import Ability, capable
from solvers.features import VERSION
from solvers.outcome import Result
from solvers.solver import Solver
from solvers.trials import VERSION as TRIALS_VERSION
from solvers.trials import trials

# Deals that are dealt and solved at a time for trials.
_DEALT_AT_ONCE = 100


def fit_difficulty(
    cat: Catalogue, rules: Rules, sample: Sample, solvers: Sequence[Solver]
) -> DifficultyModel:
    """Fit the model to the games of players that are stored, store it, and grade all deals.

    Args:
        cat: the catalogue, open for writing.
        rules: the ruleset.
        sample: the deals to fit it to; those with features and games count. Where no solver tells
            plays, trials of the deals that `quick_solver` wins are their features, and are played
            here.
        solvers: the players, each with all its random seeds; games of others do not count.

    Raises:
        BadInput: there are too few deals with features and games, or fewer than two players that
            have both won and lost.
    """
    with cat.session() as session:
        ruleset_id = RulesetRow.id_of(session, rules.slug)
        dealing_id = None if ruleset_id is None else dealing_of(session, ruleset_id, sample.dealer)
        if capable(rules, Ability.FORGIVE) is None:
            graded = _by_trials(rules, sample)
        elif ruleset_id is not None and dealing_id is not None:
            seeds = range(sample.first, sample.last + 1)
            graded = _by_features(features_rows(session, ruleset_id, dealing_id, seeds))
        else:
            graded = _by_features([])
        wanted = {player_name(each.method.slug, dict(each.said)) for each in solvers}
        known = [] if ruleset_id is None else players_of(session, ruleset_id)
        players = [player for player in known if player.name in wanted]
        games = games_of(session, ruleset_id or 0, sample.dealer, graded.seeds, players)
    won, played = games.won.sum(axis=0), games.played.sum(axis=0)
    usable = np.flatnonzero((won > 0) & (won < played))
    if len(usable) < 2:
        raise BadInput(
            f"{len(usable)} players have both won and lost winnable deals of {sample} under "
            f"{rules.slug}: expected two or more"
        )
    usable = usable[np.argsort(won[usable] / played[usable], kind="stable")]
    games = games.by(usable)
    there = games.played.sum(axis=1) > 0
    if there.sum() < FEWEST:
        raise BadInput(
            f"{there.sum()} deals of {sample} under {rules.slug} have features and games of "
            f"players: expected {FEWEST} or more"
        )
    games = games.of(there)
    features = graded.features[there]
    model = fit(games, features)
    difficulty, _ = model.rate(games, model.predict(features))
    rivals = {name: values[there] for name, values in graded.rivals.items()}
    validation = validate(games, features, rivals)
    validation["likelihood"] = model.likelihood
    validation["explained"] = float(np.var(model.predict(features))) / float(
        np.var(model.predict(features)) + model.spread**2
    )
    found = DifficultyModel(
        sample,
        len(features),
        tuple(
            RatedPlayer(
                players[at].name,
                players[at].version,
                float(model.abilities[number]),
                float(model.errors[number]),
                int(games.played[:, number].sum()),
                int(games.won[:, number].sum()),
            )
            for number, at in enumerate(usable.tolist())
        ),
        model,
        limits_of(difficulty),
        graded.version,
        validation,
        datetime.now(UTC),
        graded.names,
    )
    store_model(cat, rules, found)
    return found


class _Graded(NamedTuple):
    """The n winnable deals of a sample with what is to predict their difficulty.

    Attributes:
        seeds: int64[n], ascending.
        names: of the q features.
        version: of the features.
        features: float64[n, q].
        rivals: float64[n] each, other numbers that may tell how hard a deal is.
    """

    seeds: Whole
    names: tuple[str, ...]
    version: int
    features: Reals
    rivals: dict[str, Reals]


def _by_features(rows: Sequence[Any]) -> _Graded:
    rows = [row for row in rows if row.version == VERSION]
    return _Graded(
        np.array([row.seed for row in rows], dtype=np.int64),
        FEATURES,
        VERSION,
        features_of(rows),
        {
            "nodes": np.array([row.nodes for row in rows], dtype=np.float64),
            "length": np.array([row.length for row in rows], dtype=np.float64),
            "winning share": -np.array([row.winning / max(row.plays, 1) for row in rows]),
        },
    )


def _by_trials(rules: Rules, sample: Sample) -> _Graded:
    """Deals that the solver of `winnable_deals` wins, of which trials are played."""
    game, solver = game_of(rules), quick_solver(rules)
    seeds, wins, lengths = [], [], []
    for first in range(sample.first, sample.last + 1, _DEALT_AT_ONCE):
        count = min(_DEALT_AT_ONCE, sample.last + 1 - first)
        cards = get_dealer(sample.dealer).deal_block(first, count, game)
        for number, outcome in enumerate(solver.solve(cards, rules)):
            if outcome.result is Result.WON and outcome.moves is not None:
                seeds.append(first + number)
                wins.append(trials(game.deal(cards[number]), rules))
                lengths.append(len(game.unpack(outcome.moves)))
    names = trial_names(rules)
    return _Graded(
        np.array(seeds, dtype=np.int64),
        names,
        TRIALS_VERSION,
        features_of_trials(np.array(wins, dtype=np.int64).reshape(-1, len(names))),
        {"length": np.array(lengths, dtype=np.float64)},
    )


def store_model(cat: Catalogue, rules: Rules, model: DifficultyModel) -> None:
    """Store the model of a ruleset, which must have outcomes, and grade all deals with features."""
    assert len(model.rasch.weights) == len(model.inputs)
    with cat.begin() as session:
        ruleset_id = RulesetRow.id_of(session, rules.slug)
        assert ruleset_id is not None
        put_model(session, ruleset_id, model, this_provenance())
