"""The features and the predicted level of a deal that has none stored, at once."""

from collections.abc import Sequence
from types import SimpleNamespace

import numpy as np

from catalogue.difficulty.features import row_of
from catalogue.difficulty.grading import DifficultyModel, features_of
from catalogue.difficulty.rasch import GameCounts, Reals, Whole
from catalogue.difficulty.reading import GradedDeal, deal_of_row, model
from catalogue.store import Catalogue
from engine.game import Deal, Rules
from solvers.features import trace


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
    none = np.zeros((len(features), len(known.players)), dtype=np.int64)
    expected = known.rasch.predict(features_of(features))
    difficulty, deviation = known.rasch.rate(GameCounts(none, none), expected)
    return difficulty, deviation, known.level(difficulty)
