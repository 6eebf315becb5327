"""The features and the predicted level of a deal that has none stored, at once."""

from collections.abc import Sequence
from types import SimpleNamespace
from typing import NamedTuple

import numpy as np

from catalogue.difficulty.features import row_of
from catalogue.difficulty.grading import (
    LEVELS,
    DifficultyModel,
    features_of,
    features_of_trials,
)
from catalogue.difficulty.rasch import GameCounts, Reals, Whole
from catalogue.difficulty.reading import GradedDeal, deal_of_row, model
from catalogue.store import Catalogue
from engine.game import Deal, Rules
from solvers.features import predictors, trace
from solvers.solver import Solver
from solvers.trials import trials


class DealLevel(NamedTuple):
    """The predicted level of a deal.

    Attributes:
        number: 1 to 10.
        difficulty: in logits, as the model counts it.
        deviation: the standard error of the difficulty.
    """

    number: int
    difficulty: float
    deviation: float

    @property
    def name(self) -> str:
        """The name of the level."""
        return LEVELS[self.number - 1]


def look_at(cat: Catalogue, rules: Rules, deal: Deal, name: str) -> GradedDeal:
    """Look at a winnable deal, such as an imported one; nothing is stored.

    Its level is that of a deal which nobody has played: the prediction from its features, with the
    spread of the model as its error. Without a model of this version's features it has none.

    Args:
        cat: the catalogue, for the model of the ruleset.
        rules: the ruleset.
        deal: the deal.
        name: what it is called in the answer.

    Raises:
        BadInput: no solver tells the plays of the ruleset, or the deal cannot be won.
    """
    row = SimpleNamespace(**row_of(trace(deal, rules)), slug=rules.slug, dealer="", seed=0)
    row.difficulty = row.deviation = row.level = row.games = None
    known = model(cat, rules.slug)
    if known is not None and not known.is_old:
        difficulty, deviation, level = predicted(known, [row])
        row.difficulty, row.deviation = float(difficulty[0]), float(deviation[0])
        row.level = int(level[0])
    return deal_of_row(row, known, name)


def predicted(known: DifficultyModel, features: Sequence[object]) -> tuple[Reals, Reals, Whole]:
    """Difficulties, deviations and levels of deals that nobody has played, by their features."""
    return _rated(known, features_of(features))


def predicted_level(
    known: DifficultyModel,
    deal: Deal,
    rules: Rules,
    by: Solver | None = None,
    rough: bool = False,
) -> DealLevel:
    """The level of a winnable deal that nobody has played, by what the model uses alone.

    Args:
        known: the model.
        deal: the deal.
        rules: the ruleset of the model.
        by: a solver that wins the deal; by default `solvers.features.tracer`.
        rough: about, in less than a tenth of the time; of trials nothing is rough.

    Raises:
        BadInput: the solver does not win the deal.
    """
    if known.rests_on_trials:
        inputs = features_of_trials(np.array([trials(deal, rules)]))
    else:
        inputs = features_of([predictors(deal, rules, by, rough)])
    difficulty, deviation, level = _rated(known, inputs)
    return DealLevel(int(level[0]), float(difficulty[0]), float(deviation[0]))


def _rated(known: DifficultyModel, inputs: Reals) -> tuple[Reals, Reals, Whole]:
    none = np.zeros((len(inputs), len(known.players)), dtype=np.int64)
    expected = known.rasch.predict(inputs)
    difficulty, deviation = known.rasch.rate(GameCounts(none, none), expected)
    return difficulty, deviation, known.level(difficulty)
