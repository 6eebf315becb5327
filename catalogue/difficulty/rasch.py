"""The Rasch model: one number for how hard a deal is, and one for how able a player is.

A player of ability θ wins a deal of difficulty δ with the chance 1 / (1 + exp(δ − θ)) (Rasch 1960,
"Probabilistic Models for Some Intelligence and Attainment Tests"); both are in logits. Of a deal
that nobody has played the difficulty is normally distributed about a linear function of its
features, with the same spread for all deals (the latent regression of Mislevy 1984, "Estimating
latent distributions", Psychometrika 49). Abilities, weights of the features and spread maximize the
marginal likelihood, in which the difficulties are integrated out (Bock and Aitkin 1981,
Psychometrika 46). The difficulty of a deal is then the mean of its posterior distribution, and its
deviation that distribution's standard deviation. The mean difficulty of the deals of the fit is
zero.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import expit, logsumexp

from engine.errors import BadInput

Reals = NDArray[np.float64]
Whole = NDArray[np.int64]

# Points of the quadrature over the difficulty of a deal, in standard deviations of the prior: the
# trapezoidal rule, whose error for such functions falls exponentially with the distance of the
# points, and is far below that of Gauss and Hermite's where the posterior is narrow.
_POINTS = np.linspace(-6, 6, 81)
_WEIGHTS = np.exp(-(_POINTS**2) / 2) / np.exp(-(_POINTS**2) / 2).sum()
_LOG_WEIGHTS = np.log(_WEIGHTS)


@dataclass(frozen=True, slots=True)
class GameCounts:
    """Games of p players on n deals, both int64[n, p].

    Attributes:
        won: the number won.
        played: the number played; zero where there were none.
    """

    won: Whole
    played: Whole

    def of(self, rows: NDArray[np.bool_] | Whole) -> "GameCounts":
        """The games on some of the deals."""
        return GameCounts(self.won[rows], self.played[rows])

    def by(self, columns: NDArray[np.bool_] | Whole) -> "GameCounts":
        """The games of some of the players."""
        return GameCounts(self.won[:, columns], self.played[:, columns])


@dataclass(frozen=True, slots=True)
class Model:
    """A fitted model of p players and q features.

    Attributes:
        abilities: float64[p], in logits.
        errors: float64[p], their standard errors.
        centers: float64[q], of the features.
        weights: float64[q], logits of difficulty for one more of a feature.
        spread: standard deviation of the difficulty about what the features tell.
        likelihood: the logarithm of the marginal likelihood.
    """

    abilities: Reals
    errors: Reals
    centers: Reals
    weights: Reals
    spread: float
    likelihood: float

    def predict(self, features: Reals) -> Reals:
        """The expected difficulty of deals that nobody has played, float64[n] of float64[n, q]."""
        predicted: Reals = (features - self.centers) @ self.weights
        return predicted

    def rate(self, games: GameCounts, expected: Reals) -> tuple[Reals, Reals]:
        """Difficulty and deviation of n deals, from games and what their features let expect.

        Args:
            games: on these deals, by the players of the fit.
            expected: float64[n], of `predict`.
        """
        difficulty = expected[:, None] + self.spread * _POINTS
        weight = _posterior(_log_likelihood(self.abilities, difficulty, games))
        mean = (weight * difficulty).sum(axis=1)
        variance = (weight * (difficulty - mean[:, None]) ** 2).sum(axis=1)
        return mean, np.sqrt(variance)

    def chance(self, ability: float, difficulty: Reals, deviation: Reals) -> Reals:
        """The chance that a player of an ability wins deals, float64[n], their deviation included.

        Args:
            ability: in logits.
            difficulty: float64[n].
            deviation: float64[n].
        """
        points = difficulty[:, None] + deviation[:, None] * _POINTS
        chance: Reals = expit(ability - points) @ _WEIGHTS
        return chance


def fit(games: GameCounts, features: Reals) -> Model:
    """Fit the model to the games of p players on n deals with q features.

    Args:
        games: of the players, who must each have won and lost some.
        features: float64[n, q]; with q = 0 the plain Rasch model with a normal population of deals.

    Raises:
        BadInput: a player that won or lost all its games, for then it has no finite ability.
    """
    won, played = games.won.sum(axis=0), games.played.sum(axis=0)
    if len(games.won) == 0 or not ((won > 0) & (won < played)).all():
        raise BadInput(
            "a Rasch model needs players that have both won and lost: leave out those of which all "
            "games ended alike"
        )
    centers = features.mean(axis=0)
    scales = features.std(axis=0)
    scales[scales == 0] = 1
    inputs = (features - centers) / scales
    players = games.won.shape[1]
    share = won / played
    start = np.concatenate([np.log(share / (1 - share)), np.zeros(inputs.shape[1]), [0.0]])
    found = minimize(_loss, start, (games, inputs), jac=True, method="L-BFGS-B", options=_OPTIONS)
    values = found.x
    return Model(
        values[:players],
        _errors(values, games, inputs)[:players],
        centers,
        values[players:-1] / scales,
        float(np.exp(values[-1])),
        -float(found.fun),
    )


_OPTIONS = {"maxiter": 1000, "ftol": 1e-12, "gtol": 1e-6}


def _loss(values: Reals, games: GameCounts, inputs: Reals) -> tuple[float, Reals]:
    """The negative logarithm of the marginal likelihood, and its gradient.

    Args:
        values: float64[p + q + 1], abilities, weights, and the logarithm of the spread.
        games: of n deals.
        inputs: float64[n, q], their standardized features.
    """
    players = games.won.shape[1]
    abilities, weights, spread = values[:players], values[players:-1], np.exp(values[-1])
    difficulty = (inputs @ weights)[:, None] + spread * _POINTS
    likelihood = _log_likelihood(abilities, difficulty, games)
    posterior = _posterior(likelihood)
    # Of each player the games won beyond expectation at each point, summed as they are needed.
    slope = np.zeros_like(difficulty)
    gradient = np.empty_like(values)
    for player in range(players):
        chance = expit(abilities[player] - difficulty)
        beyond = games.won[:, player, None] - games.played[:, player, None] * chance
        gradient[player] = (posterior * beyond).sum()
        slope -= beyond
    slope *= posterior
    gradient[players:-1] = inputs.T @ slope.sum(axis=1)
    gradient[-1] = (slope * (spread * _POINTS)).sum()
    return -float(logsumexp(likelihood + _LOG_WEIGHTS, axis=1).sum()), -gradient


def _log_likelihood(abilities: Reals, difficulty: Reals, games: GameCounts) -> Reals:
    """Of the games of each deal at each of its points of difficulty, float64[n, points]."""
    total = np.zeros_like(difficulty)
    for player, ability in enumerate(abilities):
        gap = ability - difficulty
        won, played = games.won[:, player, None], games.played[:, player, None]
        total += won * gap - played * np.logaddexp(0, gap)
    return total


def _posterior(likelihood: Reals) -> Reals:
    """The posterior weights of the points of each deal, float64[n, points]."""
    weighted = likelihood + _LOG_WEIGHTS
    posterior: Reals = np.exp(weighted - logsumexp(weighted, axis=1, keepdims=True))
    return posterior


def _errors(values: Reals, games: GameCounts, inputs: Reals) -> Reals:
    """Standard errors of all parameters, from the curvature of the likelihood at its maximum."""
    step = 1e-4
    size = len(values)
    curvature = np.empty((size, size))
    for at in range(size):
        ahead, behind = values.copy(), values.copy()
        ahead[at] += step
        behind[at] -= step
        curvature[at] = (_loss(ahead, games, inputs)[1] - _loss(behind, games, inputs)[1]) / (
            2 * step
        )
    covariance = np.linalg.pinv((curvature + curvature.T) / 2)
    errors: Reals = np.sqrt(np.maximum(np.diag(covariance), 0))
    return errors
