"""How well difficulties tell who wins: on deals and players that had no part in the fit.

The deals are halved at random. For each player and each half, a model is fitted to the *other* half
without that player, so that neither had any part in it; from it come two difficulties of each deal
of the half: *predicted* from its features alone, and *played*, which rests on the games of the
other players as well. Both are compared with what the player did.

The area under the curve (AUC) is the chance that of a game won and a game lost by the same player
the lost one was on the harder deal, ties counted half. Intervals are bootstrapped over deals.
Rivals are single numbers: nodes of the exact search, length of its solution, share of the plays
that keep the win; which way round they count is seen on the other half.

A calibration compares chances with the share won. The ability of a player that had no part is
fitted to its games on the other half. Games on one deal depend on each other, so that the error of
a share is that of a sum over deals, and the test is a chi-squared one of the shares of ten bins.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.optimize import minimize_scalar
from scipy.stats import chi2, spearmanr

from catalogue.difficulty.rasch import GameCounts, Model, Reals, Whole, fit

_RESAMPLES = 1000
_BINS = 10
_LEVEL = 0.95
_SEED = 20_261_123
PREDICTED, PLAYED = "predicted", "played"


@dataclass(frozen=True, slots=True)
class _Scored:
    """The predictions of difficulties for the games of one player on held-out deals.

    Attributes:
        won: int64[n] of its games on each deal, and lost.
        scores: float64[n] for each way to tell how hard a deal is.
        chances: float64[n], the chances to win, for predicted and played difficulties.
    """

    deals: Whole
    won: Whole
    lost: Whole
    scores: dict[str, Reals]
    chances: dict[str, Reals]


def validate(games: GameCounts, features: Reals, rivals: dict[str, Reals]) -> dict[str, Any]:
    """Validate the model on n deals; returns what is stored and shown, as JSON has it.

    Args:
        games: of p players on the deals.
        features: float64[n, q], the features that it uses.
        rivals: float64[n] each, other numbers that may tell how hard a deal is.
    """
    n = len(features)
    first = np.zeros(n, dtype=np.bool_)
    first[np.random.default_rng(_SEED).permutation(n)[: n // 2]] = True
    halves = (first, ~first)
    scored = [
        _held_out(games, features, rivals, player, half)
        for player in range(games.won.shape[1])
        for half in halves
        if _can_be_held_out(games, player, half)
    ]
    found: dict[str, Any] = {"deals": n, "level": _LEVEL}
    if scored:
        found["auc"] = _aucs(scored, n)
        found["calibration"] = {kind: _calibration(scored, kind, n) for kind in (PREDICTED, PLAYED)}
    found["stability"] = _stability(games, features, halves)
    return found


def _can_be_held_out(games: GameCounts, player: int, half: Any) -> bool:
    """Whether all players have won and lost on the other half, of which there are others."""
    other = games.of(~half)
    won, played = other.won.sum(axis=0), other.played.sum(axis=0)
    return bool(
        games.won.shape[1] > 1
        and ((won > 0) & (won < played)).all()
        and games.played[half, player].sum() > 0
    )


def _held_out(
    games: GameCounts, features: Reals, rivals: dict[str, Reals], player: int, half: Any
) -> _Scored:
    others = np.arange(games.won.shape[1]) != player
    model = fit(games.of(~half).by(others), features[~half])
    known = {}
    for kind, rows in (("other", ~half), ("own", half)):
        expected = model.predict(features[rows])
        played = model.rate(games.of(rows).by(others), expected)
        known[kind] = {
            PREDICTED: (expected, np.full(len(expected), model.spread)),
            PLAYED: played,
        }
    won, lost = _won_lost(games, player, half)
    trained = _won_lost(games, player, ~half)
    scores = {kind: known["own"][kind][0] for kind in (PREDICTED, PLAYED)}
    for name, values in rivals.items():
        sign = 1 if _auc(values[~half], *trained) >= 0.5 else -1
        scores[name] = sign * values[half]
    chances = {}
    for kind in (PREDICTED, PLAYED):
        ability = _ability(model, known["other"][kind], *trained)
        chances[kind] = model.chance(ability, *known["own"][kind])
    return _Scored(np.flatnonzero(half), won, lost, scores, chances)


def _won_lost(games: GameCounts, player: int, rows: Any) -> tuple[Whole, Whole]:
    won = games.won[rows, player]
    return won, games.played[rows, player] - won


def _ability(model: Model, rated: tuple[Reals, Reals], won: Whole, lost: Whole) -> float:
    """The ability that best explains games on rated deals."""

    def loss(ability: float) -> float:
        chance = np.clip(model.chance(ability, *rated), 1e-12, 1 - 1e-12)
        return -float((won * np.log(chance) + lost * np.log(1 - chance)).sum())

    return float(minimize_scalar(loss, bounds=(-15, 15), method="bounded").x)


def _auc(score: Reals, won: Whole, lost: Whole) -> float:
    pairs, agreeing = _pairs(score, won[None].astype(float), lost[None].astype(float))
    return float(agreeing[0] / pairs[0]) if pairs[0] else 0.5


def _pairs(score: Reals, won: Reals, lost: Reals) -> tuple[Reals, Reals]:
    """Pairs of a game won and a game lost, and those whose lost deal is the harder one.

    Args:
        score: float64[n], larger is harder.
        won: float64[m, n], games won on each deal, of m resamples.
        lost: float64[m, n], games lost.

    Returns:
        float64[m] each.
    """
    order = np.argsort(score, kind="stable")
    _, start = np.unique(score[order], return_index=True)
    # Games of deals with the same score are ties.
    of_won = np.add.reduceat(won[:, order], start, axis=1)
    of_lost = np.add.reduceat(lost[:, order], start, axis=1)
    easier_won = np.cumsum(of_won, axis=1) - of_won
    agreeing = (of_lost * (easier_won + of_won / 2)).sum(axis=1)
    return won.sum(axis=1) * lost.sum(axis=1), agreeing


def _aucs(scored: list[_Scored], n: int) -> dict[str, Any]:
    """The AUC of each way to tell, with intervals, and the differences from the predicted one."""
    chance = np.random.default_rng(_SEED + 1)
    weights = np.ones((_RESAMPLES + 1, n))
    weights[1:] = chance.multinomial(n, np.full(n, 1 / n), size=_RESAMPLES)
    names = list(scored[0].scores)
    pairs = {name: np.zeros(_RESAMPLES + 1) for name in names}
    agreeing = {name: np.zeros(_RESAMPLES + 1) for name in names}
    for each in scored:
        drawn = weights[:, each.deals]
        won, lost = drawn * each.won, drawn * each.lost
        for name in names:
            here = _pairs(each.scores[name], won, lost)
            pairs[name] += here[0]
            agreeing[name] += here[1]
    areas = {name: agreeing[name] / np.maximum(pairs[name], 1) for name in names}
    found: dict[str, Any] = {
        name: {"auc": float(area[0]), **_ends(area[1:])} for name, area in areas.items()
    }
    for name in names:
        gain = areas[PREDICTED] - areas[name]
        if name not in (PREDICTED, PLAYED):
            found[name]["behind"] = {"gain": float(gain[0]), **_ends(gain[1:])}
    found["games"] = int(sum((each.won + each.lost).sum() for each in scored))
    return found


def _ends(values: Reals) -> dict[str, float]:
    low, high = np.quantile(values, [(1 - _LEVEL) / 2, (1 + _LEVEL) / 2])
    return {"low": float(low), "high": float(high)}


def _calibration(scored: list[_Scored], kind: str, n: int) -> dict[str, Any]:
    """Chances and shares won in bins of equally many games, and whether they agree."""
    chance = np.concatenate([each.chances[kind] for each in scored])
    won = np.concatenate([each.won for each in scored]).astype(float)
    games = won + np.concatenate([each.lost for each in scored])
    deals = np.concatenate([each.deals for each in scored])
    order = np.argsort(chance, kind="stable")
    place = np.cumsum(games[order]) - games[order] / 2
    bins = np.minimum((place * _BINS / games.sum()).astype(int), _BINS - 1)
    rows, beyond = [], []
    for number in range(_BINS):
        inside = order[bins == number]
        count = games[inside].sum()
        if not count:
            continue
        excess = np.zeros(n)
        np.add.at(excess, deals[inside], won[inside] - games[inside] * chance[inside])
        beyond.append(excess)
        error = float(np.sqrt((excess**2).sum()) / count)
        rows.append(
            {
                "games": int(count),
                "expected": float((games[inside] * chance[inside]).sum() / count),
                "won": float(won[inside].sum() / count),
                "error": error,
            }
        )
    # The excesses of the bins depend on each other, since players share deals.
    excesses = np.array(beyond)
    total = excesses.sum(axis=1)
    covariance = excesses @ excesses.T
    statistic = float(total @ np.linalg.pinv(covariance) @ total)
    return {
        "bins": rows,
        "statistic": statistic,
        "degrees": len(rows),
        "p": float(chi2.sf(statistic, len(rows))),
    }


def _stability(games: GameCounts, features: Reals, halves: Any) -> dict[str, Any]:
    """How alike the difficulties and levels are that the two halves give to all deals."""
    rated, levels, predicted = [], [], []
    for half in halves:
        some = games.of(half)
        won, played = some.won.sum(axis=0), some.played.sum(axis=0)
        usable = (won > 0) & (won < played)
        if not usable.any():
            return {}
        model = fit(some.by(usable), features[half])
        expected = model.predict(features)
        difficulty, _ = model.rate(games.by(usable), expected)
        limits = limits_of(difficulty[half])
        rated.append(difficulty)
        predicted.append(expected)
        levels.append(np.searchsorted(limits, difficulty, side="right"))
    gap = np.abs(levels[0] - levels[1])
    return {
        "predicted": float(spearmanr(*predicted).statistic),
        "played": float(spearmanr(*rated).statistic),
        "levels": float(spearmanr(*levels).statistic),
        "same_level": float((gap == 0).mean()),
        "within_one": float((gap <= 1).mean()),
    }


def limits_of(difficulty: Reals) -> Reals:
    """The difficulties at which levels 2 to 10 begin, float64[9]: tenths of the deals of a fit."""
    limits: Reals = np.quantile(difficulty, np.arange(1, 10) / 10)
    return limits
