"""Test whether a Spider server deals honestly, by comparing its hands with honest shuffles.

The *hand* of a game is the ten cards that are face up before the first move. These questions are
asked of n hands. Each has a p-value: the probability that an honest shuffle gives a result at least
as extreme.

- ``guaranteed``, ``suited``: is the mean number of guaranteed or suited turnovers too far from its
  exact expectation, on either side?
- ``distribution``: do the numbers of guaranteed turnovers occur with the right frequencies?
  Pearson's statistic, over numbers pooled at both ends.
- ``places``: does each card lie on each column equally often? Pearson's statistic over card ×
  column. Its cells are dependent, since a card occurs a limited number of times in a hand, so no
  chi-squared distribution is claimed.
- ``repeats``: were hands dealt again, all ten cards in the same columns?
- ``hard``: does the share of hands that `look-ahead` never wins in 50 tries differ from that of
  honest deals? Fisher's exact test of two shares.

The first four are Monte-Carlo tests (Barnard 1963; Dwass 1957, "Modified randomization tests for
nonparametric hypotheses"): B honest servers of n hands are simulated, and the p-value is the rank
of the real one among all B + 1, ties broken at random. Under an honest shuffle that is exactly
uniform on 1/(B+1), 2/(B+1), …, 1, for every n. Repeats are too unlikely to simulate; their p-value
is an upper bound instead, which is 1 until a hand is repeated.

The p-values are corrected for multiple testing: under an honest shuffle the probability that any of
Holm's (1979) adjusted p-values is at most 5 percent is at most 5 percent, however the questions
depend on each other. This is valid for a number of games that was fixed beforehand. The e-value of
`catalogue.spider.watch` may be watched as games are added.
"""

# mypy: allow-untyped-calls

import hashlib
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from catalogue.spider.honest_hands import honest_hands, kind_of, kinds, seeded
from catalogue.spider.power import games_for_power, redealing_power
from catalogue.spider.turnover_chances import floats, guaranteed_chances, mean, suited_chances
from catalogue.spider.watch import (
    LOST,
    THRESHOLD,
    WON,
    log_mean,
    log_processes,
)
from catalogue.statistics import Interval, clopper_pearson
from engine.errors import BadInput
from engine.spider.deal import CARDS, COLUMNS
from engine.spider.turnovers import guaranteed_turnovers, suited_turnovers

SUITS = (1, 2, 4)
SIMULATIONS = 1999
# Level of the adjusted p-values; 1 / THRESHOLD.
ALPHA = 0.05
# With fewer hands only the e-value is computed.
FEWEST = 10
# Simulating honest servers with more hands takes minutes.
MOST = 100_000
# Numbers of turnovers with a smaller probability are pooled into one cell.
POOLED = Fraction(3, 100)
# Tries of `look-ahead` on each hand.
TRIES = 50
# Hands simulated at once, and the most in all: more take several minutes.
_BATCH = 200_000
MOST_SIMULATED = 1_000_000_000


@dataclass(frozen=True, slots=True)
class Share:
    """`count` of `total`."""

    count: int
    total: int

    def __post_init__(self) -> None:
        if not 0 <= self.count <= self.total or self.total < 1:
            raise BadInput(
                f"{self.count}/{self.total} is not a share: expected K/N with K from 0 to N and N "
                "at least 1"
            )

    @property
    def value(self) -> float:
        return self.count / self.total

    def interval(self, level: float = 0.95) -> Interval:
        return clopper_pearson(self.count, self.total, level)

    def __str__(self) -> str:
        return f"{self.count}/{self.total}"


# Hands of honest deals that `look-ahead`, with its default parameters, never wins in 50 tries, by
# the number of suits (`python benchmarks/spider.py tries`, thoughtful-1:0-199). For other numbers
# of suits, which are not measured, a reference must be given.
REFERENCE: Mapping[int, Share] = {4: Share(91, 200)}


@dataclass(frozen=True, slots=True)
class FairnessTest:
    """A test of the hands, with its result.

    Attributes:
        slug: its name, see above.
        words: the question.
        found: the result: a mean, Pearson's statistic, a number of repeats or a share.
        honest: the expected result of an honest shuffle; for repeats, an upper bound.
        side: ``fewer`` or ``more`` than that, where the question is two-sided; otherwise None.
        p_value: the probability of a result at least as extreme from an honest shuffle.
        adjusted: Holm's adjusted p-value among all questions asked.
    """

    slug: str
    words: str
    found: float
    honest: float
    side: str | None
    p_value: float
    adjusted: float

    @property
    def odd(self) -> bool:
        """Whether the result is significant after the correction for multiple testing."""
        return self.adjusted <= ALPHA


@dataclass(frozen=True, slots=True)
class FairnessReport:
    """All results for a server.

    Attributes:
        suits: number of suits that it plays with.
        games: number of hands given.
        questions: those that were asked; none about the hands if there are fewer than `FEWEST`.
        counts: hands by their guaranteed turnovers, 0 to 10.
        log_evidence: natural logarithm of the e-value after each game, in the order given.
        parts: the processes whose mean it is, with the e-value of each after the last game.
        simulations: number of honest servers that each Monte-Carlo test simulates.
        random_seed: of the simulation.
        power: the probability that ``guaranteed``, corrected for this many questions, would detect
            a server that redeals kind hands in this many games; None if it was not asked.
        enough: number of games at which that probability is 90 %, with this many questions.
        won: games that the person won, if given.
        hard: hands that `look-ahead` never wins, if given.
        reference: the same for honest deals.
    """

    suits: int
    games: int
    questions: tuple[FairnessTest, ...]
    counts: tuple[int, ...]
    log_evidence: NDArray[np.float64]
    parts: Mapping[str, float]
    simulations: int
    random_seed: int
    power: float | None
    enough: int
    won: Share | None = None
    hard: Share | None = None
    reference: Share | None = None

    @property
    def e_value(self) -> float:
        """The e-value after the last game; 1 before the first."""
        return e_value(self.log_evidence[-1]) if self.games else 1.0

    @property
    def highest(self) -> float:
        """The highest e-value after any game."""
        return e_value(max(0.0, self.log_evidence.max(initial=0.0)))

    @property
    def caught_at(self) -> int | None:
        """The number of the game after which the e-value first reached the threshold."""
        reached = np.flatnonzero(self.log_evidence >= math.log(THRESHOLD))
        return int(reached[0]) + 1 if len(reached) else None

    @property
    def odd(self) -> list[FairnessTest]:
        """The questions with a significant result after the correction."""
        return [question for question in self.questions if question.odd]

    def grown(self, every: int) -> list[tuple[int, float, float]]:
        """Games, e-value and highest e-value so far, after every `every` games and at the end."""
        tops = np.maximum.accumulate(np.maximum(self.log_evidence, 0.0))
        at = sorted({*range(every, self.games + 1, every), *([self.games] if self.games else [])})
        return [(n, e_value(self.log_evidence[n - 1]), e_value(tops[n - 1])) for n in at]


def e_value(logarithm: float) -> float:
    """The e-value from its logarithm, capped at the largest float."""
    return math.exp(min(float(logarithm), 700.0))


def examine(
    cards: NDArray[np.uint8] | None,
    suits: int,
    *,
    won: NDArray[np.int8] | None = None,
    hard: Share | None = None,
    reference: Share | None = None,
    simulations: int = SIMULATIONS,
    random_seed: int | None = None,
) -> FairnessReport:
    """Assess a server by all questions.

    Args:
        cards: the hands uint8[n, 10] of cards as they count, in the order of dealing, or None.
        suits: number of suits that the server plays with. With one suit, suited turnovers equal
            the guaranteed ones and are left out.
        won: `catalogue.spider.watch.WON`, `LOST` or `UNKNOWN` for each hand, int8[n]; None if
            not known for any.
        hard: hands that `look-ahead` did not win in 50 tries each, of those it tried.
        reference: the same for honest deals; by default that of `REFERENCE`.
        simulations: number of honest servers for each Monte-Carlo test.
        random_seed: of the simulation; it must not be chosen by its result. By default it is
            derived from the hands, so that different servers are compared with different
            simulations, and the same hands always with the same one.

    Raises:
        BadInput: wrong number of suits, nothing to examine, too many hands, or no reference.
    """
    if suits not in SUITS:
        raise BadInput(f"Spider is played with 1, 2 or 4 suits, not {suits}")
    hands = np.empty((0, COLUMNS), dtype=np.uint8) if cards is None else cards
    if not len(hands) and hard is None:
        raise BadInput("there are no hands: give the ten face-up cards of at least one game")
    if len(hands) > MOST:
        raise BadInput(f"{len(hands):,} hands are too many: expected at most {MOST:,}")
    if len(hands) * simulations > MOST_SIMULATED:
        raise BadInput(
            f"{simulations:,} simulated servers of {len(hands):,} hands are too many: expected at "
            f"most {MOST_SIMULATED:,} hands in all"
        )
    if random_seed is None:
        random_seed = seed_of(hands)
    if hard is not None:
        reference = reference or REFERENCE.get(suits)
        if reference is None:
            raise BadInput(
                f"the share of hard hands of {suits}-suit Spider needs a reference K/N of "
                "honest deals"
            )
    guaranteed, suited = guaranteed_turnovers(hands), suited_turnovers(hands)
    processes = log_processes(guaranteed, suited, suits, won)
    asked = []
    if len(hands) >= FEWEST:
        asked = _asked_of_hands(hands, guaranteed, suited, suits, simulations, random_seed)
    if hard is not None and reference is not None:
        asked.append(_ask_hard(hard, reference))
    questions = _adjusted(asked)
    # Corrected for all the questions that would be asked of a sufficient number of hands.
    level = ALPHA / ((4 if suits == 1 else 5) + (hard is not None))
    return FairnessReport(
        suits,
        len(hands),
        questions,
        tuple(int(count) for count in np.bincount(guaranteed, minlength=COLUMNS + 1)),
        log_mean(processes),
        {name: e_value(logs[-1]) if len(logs) else 1.0 for name, logs in processes.items()},
        simulations,
        random_seed,
        redealing_power(len(hands), level) if len(hands) >= FEWEST else None,
        games_for_power(0.9, level),
        None if won is None else _share_won(won),
        hard,
        reference if hard is not None else None,
    )


def seed_of(hands: NDArray[np.uint8]) -> int:
    """A random seed derived from hands uint8[n, 10], 0 to 2**31 − 1."""
    return int.from_bytes(hashlib.sha256(hands.tobytes()).digest()[:4], "big") >> 1


def _share_won(won: NDArray[np.int8]) -> Share | None:
    known = int(((won == WON) | (won == LOST)).sum())
    return Share(int((won == WON).sum()), known) if known else None


def _asked_of_hands(
    hands: NDArray[np.uint8],
    guaranteed: NDArray[np.int64],
    suited: NDArray[np.int64],
    suits: int,
    simulations: int,
    random_seed: int,
) -> list[FairnessTest]:
    """The questions about starting hands, with unadjusted p-values."""

    # Each question has its own random stream, so the other questions do not affect its answer.
    def draws(purpose: int) -> Generator:
        return seeded(random_seed, purpose)

    asked = [
        _ask_mean(
            "guaranteed",
            "Are guaranteed turnovers more or fewer than they should be, on average?",
            guaranteed,
            guaranteed_chances(),
            simulations,
            draws(1),
        )
    ]
    if suits > 1:
        asked.append(
            _ask_mean(
                "suited",
                "Are suited turnovers more or fewer than they should be, on average?",
                suited,
                suited_chances(suits),
                simulations,
                draws(2),
            )
        )
    asked += [
        _ask_distribution(guaranteed, simulations, draws(3)),
        _ask_places(hands, suits, simulations, draws(4)),
        _ask_repeats(hands, suits),
    ]
    return asked


def monte_carlo_p(observed: float, simulated: NDArray[np.float64], generator: Generator) -> float:
    """The Monte-Carlo p-value: the rank of an observed value among simulated ones, largest first.

    Ties are broken at random. If all values are exchangeable, it is exactly uniform on the
    multiples of 1 / (B + 1) up to 1.
    """
    above = int((simulated > observed).sum())
    ties = int((simulated == observed).sum())
    return (1 + above + int(generator.integers(0, ties + 1))) / (1 + len(simulated))


def _ask_mean(
    slug: str,
    words: str,
    turnovers: NDArray[np.int64],
    chances: Sequence[Fraction],
    simulations: int,
    generator: Generator,
) -> FairnessTest:
    n = len(turnovers)
    expected = float(mean(chances))
    # Hands are independent, so their turnovers can be drawn without their cards.
    sums = generator.multinomial(n, floats(chances), simulations) @ np.arange(len(chances))
    total = int(turnovers.sum())
    p_value = monte_carlo_p(abs(total - n * expected), np.abs(sums - n * expected), generator)
    side = "fewer" if total < n * expected else "more"
    return FairnessTest(slug, words, total / n, expected, side, p_value, p_value)


def _ask_distribution(
    guaranteed: NDArray[np.int64], simulations: int, generator: Generator
) -> FairnessTest:
    n = len(guaranteed)
    cell, shares = pooled(guaranteed_chances())
    found = np.bincount(cell[guaranteed], minlength=len(shares))
    simulated = pearson(generator.multinomial(n, shares, simulations), n * shares)
    observed = float(pearson(found[None, :], n * shares)[0])
    return FairnessTest(
        "distribution",
        "Does each number of guaranteed turnovers occur with the right frequency?",
        observed,
        len(shares) - 1,
        None,
        p_value := monte_carlo_p(observed, simulated, generator),
        p_value,
    )


def pooled(chances: Sequence[Fraction]) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """The cell of each number of turnovers, rare numbers at both ends pooled, and its chance."""
    first = next(g for g in range(len(chances)) if sum(chances[: g + 1]) >= POOLED)
    last = next(g for g in reversed(range(len(chances))) if sum(chances[g:]) >= POOLED)
    cell = np.clip(np.arange(len(chances), dtype=np.int64), first, last) - first
    shares = np.zeros(last - first + 1)
    np.add.at(shares, cell, floats(chances))
    return cell, shares


def pearson(counts: NDArray[np.int64], expected: NDArray[np.float64]) -> NDArray[np.float64]:
    """Pearson's statistic of each row, rounded so that permuted counts give exact ties."""
    statistic: NDArray[np.float64] = np.round(((counts - expected) ** 2 / expected).sum(axis=-1), 9)
    return statistic


def _ask_places(
    hands: NDArray[np.uint8], suits: int, simulations: int, generator: Generator
) -> FairnessTest:
    n = len(hands)
    observed = float(places_statistic(hands[None, :, :], suits)[0])
    simulated = []
    servers = max(1, _BATCH // n)
    for done in range(0, simulations, servers):
        some = min(servers, simulations - done)
        drawn = honest_hands(generator, some * n, suits)
        simulated.append(places_statistic(drawn.reshape(some, n, COLUMNS), suits))
    return FairnessTest(
        "places",
        "Does each card lie on each column equally often?",
        observed,
        # Each column alone is an honest draw of one card; only the sum is not chi-squared.
        COLUMNS * (kinds(suits) - 1),
        None,
        p_value := monte_carlo_p(observed, np.concatenate(simulated), generator),
        p_value,
    )


def places_statistic(hands: NDArray[np.uint8], suits: int) -> NDArray[np.float64]:
    """Pearson's statistic over card × column of each server's hands uint8[servers, n, 10]."""
    servers, n, _ = hands.shape
    cards = kinds(suits)
    cells = cards * COLUMNS
    flat = kind_of(hands, suits).astype(np.int64) * COLUMNS + np.arange(COLUMNS)
    flat += np.arange(servers)[:, None, None] * cells
    counts = np.bincount(flat.ravel(), minlength=servers * cells).reshape(servers, cells)
    return pearson(counts, np.full(cells, n / cards))


def _ask_repeats(hands: NDArray[np.uint8], suits: int) -> FairnessTest:
    n = len(hands)
    again = n - len(np.unique(hands, axis=0))
    p_value = repeats_bound(n, again, suits)
    expected = n * (n - 1) / 2 * likeliest_hand(suits)
    return FairnessTest(
        "repeats",
        "Were any hands dealt again, card by card?",
        again,
        expected,
        "more" if again else None,
        p_value,
        p_value,
    )


def likeliest_hand(suits: int) -> float:
    """The chance of the likeliest hand: ten different cards, each of 8 / suits copies."""
    return float(Fraction((8 // suits) ** COLUMNS, math.perm(CARDS, COLUMNS)))


def repeats_bound(hands: int, again: int, suits: int) -> float:
    """An upper bound on the probability of at least `again` hands that were dealt before.

    Given the earlier hands, hand i equals one of the i − 1 earlier ones with a probability of at
    most (i − 1) times that of the likeliest hand. The sum over all sets of r hands of the products
    of these probabilities is at most the r-th power of their sum, divided by r!.
    """
    if again == 0:
        return 1.0
    total = hands * (hands - 1) / 2 * likeliest_hand(suits)
    return min(1.0, math.exp(again * math.log(total) - math.lgamma(again + 1)))


def _ask_hard(hard: Share, reference: Share) -> FairnessTest:
    from scipy.stats import fisher_exact

    table = [
        [hard.count, hard.total - hard.count],
        [reference.count, reference.total - reference.count],
    ]
    p_value = min(1.0, float(fisher_exact(table, alternative="two-sided").pvalue))
    side = "fewer" if hard.value < reference.value else "more"
    return FairnessTest(
        "hard",
        "Are hands that look-ahead never wins more or less frequent than on honest deals?",
        hard.value,
        reference.value,
        side,
        p_value,
        p_value,
    )


def _adjusted(asked: Sequence[FairnessTest]) -> tuple[FairnessTest, ...]:
    """The questions with p-values adjusted by Holm's method."""
    return tuple(
        replace(question, adjusted=p_value)
        for question, p_value in zip(asked, holm([q.p_value for q in asked]), strict=True)
    )


def holm(p_values: Sequence[float]) -> list[float]:
    """Holm's (1979) adjusted p-values, in the same order.

    Not statsmodels' `multipletests`, which the tests compare it with: that runs the garbage
    collector at each call, which takes longer than the whole simulation.
    """
    order = np.argsort(p_values, kind="stable")
    stepped = np.sort(p_values) * np.arange(len(p_values), 0, -1)
    adjusted = np.empty(len(p_values))
    adjusted[order] = np.minimum(1.0, np.maximum.accumulate(stepped))
    return [float(p) for p in adjusted]
