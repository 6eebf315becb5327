"""Deals solved in a moment, and levels where no fit was made, with plausible numbers."""

from collections.abc import Mapping
from datetime import UTC, datetime

import numpy as np
from sqlalchemy import insert, select

from catalogue.difficulty.grading import DifficultyModel, RatedPlayer
from catalogue.difficulty.rasch import Model
from catalogue.pipe import solve_chunks
from catalogue.reading.levels import Rating
from catalogue.schema import BatchRow, DealingRow, FeaturesRow, RulesetRow, SolverRow
from catalogue.solving import store_solved
from catalogue.store import Catalogue
from engine.dealing.dealers import Sample, deal_by_id
from engine.games import game_of
from engine.rulesets import parse_ruleset
from engine.text.deal_lines import InputDeal
from solvers.features import VERSION
from solvers.solver import parse_solver


def solve_into(cat: Catalogue, ruleset: str, count: int, solver: str) -> None:
    """Store the outcomes of a solver on the first deals of `thoughtful-1`."""
    rules = parse_ruleset(ruleset)
    given = [
        InputDeal(
            name := f"thoughtful-1:{seed}", deal_by_id(name, game_of(rules)), "thoughtful-1", seed
        )
        for seed in range(count)
    ]
    store_solved(cat, solve_chunks(given, rules, parse_solver(solver)))


def plausible_model(sample: Sample) -> DifficultyModel:
    """A model that was never fitted, said to be of a sample."""
    centers = [4.0, 120.0, 9.0, 2.0, 6.0, 2.4, 40.0]
    weights = [0.2, 0.01, 0.02, 0.1, 0.3, 0.2, -0.01]
    numbers = (np.array(each) for each in ([-2.0], [0.3], centers, weights))
    return DifficultyModel(
        sample,
        sample.count,
        (RatedPlayer("greedy", 1, -2.0, 0.3, 12, 2),),
        Model(*numbers, 0.9, -50.0),
        np.linspace(-2, 2, 9),
        VERSION,
        {"deals": sample.count, "level": 0.95, "likelihood": -50.0, "explained": 0.5},
        datetime(2026, 11, 1, tzinfo=UTC),
    )


def put_ratings(
    cat: Catalogue, ruleset: str, dealer: str, ratings: Mapping[int, Rating | None]
) -> None:
    """Give deals of a dealer, by their seeds, features with a rating; None for none."""
    with cat.begin() as session:
        row = session.execute(
            select(RulesetRow.id, DealingRow.id)
            .join(DealingRow, DealingRow.game == RulesetRow.game)
            .where(RulesetRow.slug == ruleset, DealingRow.dealer == dealer)
        ).one()
        keys = {
            "ruleset_id": row[0],
            "dealing_id": row[1],
            "solver_id": session.scalar(select(SolverRow.id).limit(1)),
            "batch_id": session.scalar(select(BatchRow.id).limit(1)),
        }
        features = {
            "version": VERSION, "nodes": 10, "length": 100, "plays": 50, "winning": 40,
            "choices": 5, "critical": 1, "first_critical": 7, "walk_choices": 3.0,
            "walk_critical": 1.0, "luck": 2.0, "luck_error": 0.1, "needs": "", "unsure": "",
        }  # fmt: skip
        session.execute(
            insert(FeaturesRow),
            [
                {**keys, **features, "seed": seed}
                | (dict.fromkeys(Rating._fields) if rating is None else rating._asdict())
                for seed, rating in ratings.items()
            ],
        )
