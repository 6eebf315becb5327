"""Fit the model of the difficulty of a ruleset's deals, validate it, and grade all its deals."""

from collections.abc import Sequence
from datetime import UTC, datetime

import numpy as np
from sqlalchemy import func, select

from catalogue.difficulty.grading import (
    FEATURES,
    DifficultyModel,
    RatedPlayer,
    columns_of,
    features_of,
    features_rows,
    games_of,
    grade,
    player_name,
    players_of,
)
from catalogue.difficulty.playing import FEWEST
from catalogue.difficulty.rasch import fit
from catalogue.difficulty.validation import limits_of, validate
from catalogue.outcomes import ledger
from catalogue.outcomes.names import ensure_provenance
from catalogue.outcomes.provenance import this_provenance
from catalogue.outcomes.rows import replace_row
from catalogue.outcomes.seals import seal_of_difficulty
from catalogue.reading.block_reader import dealing_of
from catalogue.schema import DealingRow, DifficultyRow, FeaturesRow, RulesetRow
from catalogue.store import Catalogue
from engine.dealing.dealers import Sample
from engine.errors import BadInput
from engine.game import Rules
from solvers.features import VERSION
from solvers.solver import Solver


def fit_difficulty(
    cat: Catalogue, rules: Rules, sample: Sample, solvers: Sequence[Solver]
) -> DifficultyModel:
    """Fit the model to the games of players that are stored, store it, and grade all deals.

    Args:
        cat: the catalogue, open for writing.
        rules: the ruleset.
        sample: the deals to fit it to; those with features and games count.
        solvers: the players, each with all its random seeds; games of others do not count.

    Raises:
        BadInput: there are too few deals with features and games, or fewer than two players that
            have both won and lost.
    """
    with cat.session() as session:
        ruleset_id = session.scalar(select(RulesetRow.id).where(RulesetRow.slug == rules.slug))
        dealing_id = None if ruleset_id is None else dealing_of(session, ruleset_id, sample.dealer)
        rows = []
        if ruleset_id is not None and dealing_id is not None:
            seeds = range(sample.first, sample.last + 1)
            rows = features_rows(session, ruleset_id, dealing_id, seeds)
        rows = [row for row in rows if row.version == VERSION]
        wanted = {player_name(each.method.slug, dict(each.values)) for each in solvers}
        known = [] if ruleset_id is None else players_of(session, ruleset_id)
        players = [player for player in known if player.name in wanted]
        places = np.array([row.seed for row in rows], dtype=np.int64)
        games = games_of(session, ruleset_id or 0, sample.dealer, places, players)
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
    kept = [row for row, played_on in zip(rows, there.tolist(), strict=True) if played_on]
    features = features_of(kept)
    model = fit(games, features)
    difficulty, _ = model.rate(games, model.predict(features))
    rivals = {
        "nodes": np.array([row.nodes for row in kept], dtype=np.float64),
        "length": np.array([row.length for row in kept], dtype=np.float64),
        "winning share": -np.array([row.winning / max(row.plays, 1) for row in kept]),
    }
    validation = validate(games, features, rivals)
    validation["likelihood"] = model.likelihood
    validation["explained"] = float(np.var(model.predict(features))) / float(
        np.var(model.predict(features)) + model.spread**2
    )
    found = DifficultyModel(
        sample,
        len(kept),
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
        VERSION,
        validation,
        datetime.now(UTC),
    )
    store_model(cat, rules, found)
    return found


def store_model(cat: Catalogue, rules: Rules, model: DifficultyModel) -> None:
    """Store the model of a ruleset, which must have outcomes, and grade all deals with features."""
    assert len(model.rasch.weights) == len(FEATURES)
    with cat.begin() as session:
        ruleset_id = session.scalars(
            select(RulesetRow.id).where(RulesetRow.slug == rules.slug)
        ).one()
        provenance_id = ensure_provenance(session, this_provenance())
        row = {"ruleset_id": ruleset_id, **columns_of(model), "provenance_id": provenance_id}
        if session.get(DifficultyRow, ruleset_id) is None:
            ledger.add(session, "difficulty", row)
        replace_row(session, DifficultyRow, {**row, "seal": seal_of_difficulty(row)})
        spans = session.execute(
            select(DealingRow.dealer, func.min(FeaturesRow.seed), func.max(FeaturesRow.seed))
            .join(DealingRow, DealingRow.id == FeaturesRow.dealing_id)
            .where(FeaturesRow.ruleset_id == ruleset_id)
            .group_by(DealingRow.dealer)
        ).all()
        for dealer, low, high in spans:
            grade(session, ruleset_id, dealer, range(low, high + 1))
