"""Fairness of a server: exact chances, uniform p-values, an honest e-value, and what it reads."""

import json
from collections import Counter
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import combinations
from math import comb, log
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import binomtest, chisquare, kstest
from statsmodels.stats.multitest import multipletests

from catalogue import cli
from catalogue.fairness import (
    ALPHA,
    FEWEST,
    MOST,
    Question,
    Report,
    Share,
    examine,
    holm,
    likeliest_hand,
    monte_carlo_p,
    places_statistic,
    pooled,
    repeats_bound,
)
from catalogue.fairness_hands import read_hands
from catalogue.fairness_power import games_for_power, redealing_power, sum_chances
from catalogue.fairness_watch import (
    LOST,
    RATIOS,
    THRESHOLD,
    UNKNOWN,
    WON,
    alternatives,
    kind_from,
    log_evidence,
    log_processes,
    redealt,
    tilted,
)
from catalogue.fairness_words import conclusions, limits
from catalogue.honest_hands import honest_hands, kind_of, seeded
from catalogue.turnover_chances import (
    floats,
    guaranteed_chances,
    mean,
    suited_chances,
    turnover_ways,
)
from engine.cards import card_name
from engine.dealers import get_dealer
from engine.errors import BadInput
from engine.games import SPIDER
from engine.spider import SpiderDeal, as_counted
from engine.turnovers import guaranteed_turnovers, suited_turnovers

HAND = "JC TD 9D 4S 4H KC 2S 7D QH 5C"
Thoughtful = Callable[..., tuple[int, str, str]]


def honest(random_seed: int, hands: int, suits: int = 4) -> NDArray[np.uint8]:
    """Hands drawn apart from what `examine` draws with the same seed."""
    return honest_hands(seeded(random_seed, 77), hands, suits)


def redealing(random_seed: int, hands: int) -> NDArray[np.uint8]:
    """Hands of a server that deals every second kind hand anew, once."""
    generator = seeded(random_seed, 78)
    dealt = honest_hands(generator, hands)
    again = (guaranteed_turnovers(dealt) >= 5) & (generator.random(hands) < 0.5)
    dealt[again] = honest_hands(generator, int(again.sum()))
    return dealt


# --- exact chances -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("ranks", "copies", "chains", "cards"),
    [(4, 2, 2, 4), (4, 4, 1, 4), (3, 2, 2, 5), (5, 2, 1, 6), (3, 1, 4, 5), (2, 8, 1, 3)],
)
def test_ways_are_those_counted_one_by_one(
    ranks: int, copies: int, chains: int, cards: int
) -> None:
    deck = [(c, r) for c in range(chains) for r in range(ranks) for _ in range(copies)]
    counted_ways = [0] * (cards + 1)
    for chosen in combinations(deck, cards):
        held = Counter(chosen)
        counted_ways[sum(min(held[c, r], held[c, r + 1]) for c, r in deck[::copies])] += 1
    assert turnover_ways(ranks, copies, chains, cards) == tuple(counted_ways)
    assert sum(counted_ways) == comb(ranks * copies * chains, cards)


def test_chances_add_up_to_one_and_all_ten_cannot_be_turned() -> None:
    for chances in (guaranteed_chances(), suited_chances(2), suited_chances(4)):
        assert sum(chances) == 1
        assert chances[10] == 0 < chances[9]
    assert suited_chances(1) == guaranteed_chances()
    assert float(mean(guaranteed_chances())) == pytest.approx(3.966965, abs=1e-6)


@pytest.mark.parametrize("suits", [1, 2, 4])
def test_chances_are_those_of_dealt_hands(suits: int) -> None:
    # Not our simulation: the deals of a frozen dealer, and the turnovers of the engine.
    deals = get_dealer("thoughtful-1").deal_block(0, 40_000, SPIDER)
    hands = deals[:, [5, 11, 17, 23, 28, 33, 38, 43, 48, 53]]
    assert card_name(int(hands[0, 3])) == card_name(SpiderDeal.of(deals[0]).tableau[3][-1])
    for turnovers, chances in (
        (guaranteed_turnovers(hands), guaranteed_chances()),
        (suited_turnovers(as_counted(hands, suits)), suited_chances(suits)),
    ):
        cell, shares = pooled(chances)
        found = np.bincount(cell[turnovers], minlength=len(shares))
        assert chisquare(found, len(hands) * shares).pvalue > 0.001


@pytest.mark.parametrize("suits", [1, 2, 4])
def test_honest_hands_are_ten_different_cards_of_two_decks(suits: int) -> None:
    hands = honest(1, 30_000, suits)
    most = max(Counter(row.tolist()).most_common(1)[0][1] for row in hands[:5000])
    assert most <= 8 // suits
    kinds = kind_of(hands, suits)
    assert set(kinds.ravel().tolist()) == set(range(13 * suits))
    for column in (0, 4, 9):
        assert chisquare(np.bincount(kinds[:, column])).pvalue > 0.001
    # A pair of one kind among ten: 104 cards, each of which has 8 / suits − 1 fellows.
    pairs = sum(sum(comb(n, 2) for n in Counter(row.tolist()).values()) for row in hands[:20_000])
    expected = 20_000 * 45 * (8 // suits - 1) / 103
    assert pairs == pytest.approx(expected, rel=0.03)


def test_the_sum_of_games_is_exact() -> None:
    chances = guaranteed_chances()
    two = [Fraction(0)] * 21
    for a, p in enumerate(chances):
        for b, q in enumerate(chances):
            two[a + b] += p * q
    assert sum_chances(chances, 2) == pytest.approx([float(p) for p in two], abs=1e-14)


# --- the e-value ---------------------------------------------------------------------------------


@pytest.mark.parametrize("chances", [guaranteed_chances(), suited_chances(2), suited_chances(4)])
def test_each_factor_has_the_mean_one_exactly(chances: tuple[Fraction, ...]) -> None:
    mixed = alternatives(chances)
    assert sum(each.weight for each in mixed) == 1
    for each in mixed:
        assert sum(p * f for p, f in zip(chances, each.factors, strict=True)) == 1
        assert min(each.factors) > 0
    assert sum(redealt(chances, kind_from(chances))) == 1


def test_the_mean_e_value_of_three_games_is_one() -> None:
    chances = guaranteed_chances()
    games = np.stack(np.meshgrid(*[np.arange(10)] * 3), axis=-1).reshape(-1, 3)
    weights = floats(chances)[games].prod(axis=1)
    values = np.exp(log_evidence(games, games, 1))
    assert (weights[:, None] * values).sum(axis=0) == pytest.approx([1, 1, 1], abs=1e-12)


def test_the_e_value_is_the_mean_of_mixed_products() -> None:
    guaranteed, suited = np.array([4, 2, 7, 3]), np.array([1, 0, 3, 1])
    expected = []
    for n in range(1, 5):
        both = []
        for turned, chances in ((guaranteed, guaranteed_chances()), (suited, suited_chances(4))):
            total = Fraction(0)
            for each in alternatives(chances):
                product = each.weight
                for g in turned[:n]:
                    product *= each.factors[g]
                total += product
            both.append(total)
        expected.append(float(sum(both) / 2))
    assert np.exp(log_evidence(guaranteed, suited, 4)) == pytest.approx(expected)


def test_honest_servers_are_seldom_suspected_however_long_they_are_watched() -> None:
    hands = honest(3, 400 * 500)
    logs = log_evidence(
        guaranteed_turnovers(hands).reshape(400, 500), suited_turnovers(hands).reshape(400, 500), 4
    )
    reached = int((logs >= log(THRESHOLD)).any(axis=1).sum())
    # More than 5 % by chance alone is what this refuses.
    assert binomtest(reached, 400, 1 / THRESHOLD, "greater").pvalue > 0.001


def test_a_server_that_redeals_kind_hands_is_caught() -> None:
    hands = redealing(1, 100 * 500)
    logs = log_evidence(
        guaranteed_turnovers(hands).reshape(100, 500), suited_turnovers(hands).reshape(100, 500), 4
    )
    there = logs >= log(THRESHOLD)
    assert there.any(axis=1).mean() > 0.9
    assert np.median(np.where(there.any(axis=1), there.argmax(axis=1), 500)) < 200
    report = examine(hands[:600], 4, simulations=499)
    assert {"guaranteed", "distribution"} <= {question.slug for question in report.odd}
    assert report.questions[0].side == "fewer"
    assert report.caught_at is not None
    assert report.grown(100)[-1][0] == 600
    at = report.caught_at
    assert report.log_evidence[at - 1] >= log(THRESHOLD) > report.log_evidence[: at - 1].max()
    assert any("Not what an honest shuffle gives" in each for each in conclusions(report))


def test_outcomes_are_asked_about_by_what_came_before() -> None:
    guaranteed = np.array([4, 2, 7, 3, 5])
    won = np.array([WON, LOST, UNKNOWN, WON, LOST], dtype=np.int8)
    chances = guaranteed_chances()
    expected = []
    for n in range(1, 6):
        total = Fraction(0)
        for ratio in RATIOS:
            for after_loss in (Fraction(1), 1 / ratio):
                product = Fraction(1)
                for at in range(1, n):
                    tilt = {WON: ratio, LOST: after_loss}.get(int(won[at - 1]), Fraction(1))
                    product *= tilted(chances, tilt)[guaranteed[at]] / chances[guaranteed[at]]
                total += product
        expected.append(float(total / (2 * len(RATIOS))))
    parts = log_processes(guaranteed, guaranteed, 4, won)
    assert list(parts) == ["guaranteed", "suited", "outcomes"]
    assert np.exp(parts["outcomes"]) == pytest.approx(expected)
    mean_of_three = np.mean([np.exp(part) for part in parts.values()], axis=0)
    assert np.exp(log_evidence(guaranteed, guaranteed, 4, won)) == pytest.approx(mean_of_three)


def test_outcomes_that_hang_on_the_hand_leave_the_mean_at_one() -> None:
    chances = guaranteed_chances()
    games = np.stack(np.meshgrid(*[np.arange(10)] * 3), axis=-1).reshape(-1, 3)
    # Kind hands are won, as a good player does.
    won = (games >= 4).astype(np.int8)
    weights = floats(chances)[games].prod(axis=1)
    values = np.exp(log_evidence(games, games, 1, won))
    assert (weights[:, None] * values).sum(axis=0) == pytest.approx([1, 1, 1], abs=1e-12)


def test_a_server_that_turns_unkind_after_wins_is_caught() -> None:
    generator = seeded(9)
    hands, others = honest_hands(generator, 600), honest_hands(generator, 600)
    won = (generator.random(600) < 0.5).astype(np.int8)
    kind = guaranteed_turnovers(hands) >= 5
    after_win = np.concatenate([[False], won[:-1] == WON])
    hands[kind & after_win] = others[kind & after_win]
    report = examine(hands, 4, won=won, simulations=99)
    assert report.parts["outcomes"] > THRESHOLD > 1
    assert report.won == Share(int(won.sum()), 600)
    assert any("after wins and after losses" in each for each in conclusions(report))
    assert "outcomes" not in examine(hands, 4, simulations=99).parts


# --- p-values ------------------------------------------------------------------------------------


def test_a_rank_among_the_simulated_is_uniform_and_ties_are_split() -> None:
    generator = seeded(5)
    none, some = np.zeros(9), np.arange(9.0)
    assert monte_carlo_p(10.0, some, generator) == 0.1
    assert monte_carlo_p(-1.0, some, generator) == 1.0
    assert monte_carlo_p(4.5, some, generator) == 0.5
    tied = [monte_carlo_p(0.0, none, generator) for _ in range(4000)]
    assert set(np.round(np.array(tied) * 10)) == set(range(1, 11))
    assert chisquare(np.bincount(np.round(np.array(tied) * 10).astype(int))[1:]).pvalue > 0.001


def test_p_values_of_honest_servers_are_uniform() -> None:
    servers, simulations = 2000, 99
    found: dict[str, list[float]] = {}
    odd = 0
    for number in range(servers):
        report = examine(honest(number, 12), 4, simulations=simulations, random_seed=number)
        odd += bool(report.odd)
        for question in report.questions:
            found.setdefault(question.slug, []).append(question.p_value)
    assert set(found.pop("repeats")) == {1.0}
    assert set(found) == {"guaranteed", "suited", "distribution", "places"}
    splitter = np.random.default_rng(1)
    for slug, values in found.items():
        spread = np.array(values) - splitter.random(servers) / (simulations + 1)
        assert kstest(spread, "uniform").pvalue > 0.001, slug
    assert binomtest(odd, servers, ALPHA, "greater").pvalue > 0.001


def test_holm_is_that_of_statsmodels() -> None:
    assert holm([0.01, 0.04, 0.03, 0.5]) == pytest.approx([0.04, 0.09, 0.09, 0.5])
    assert holm([]) == []
    generator = np.random.default_rng(1)
    for _ in range(10):
        p_values = np.round(generator.random(generator.integers(1, 8)), 1) ** 2
        expected = multipletests(p_values, method="holm")[1]
        assert holm(p_values.tolist()) == pytest.approx(expected.tolist())


def test_each_question_answers_the_same_whatever_else_is_asked() -> None:
    hands = honest(1, 50)
    alone = examine(hands, 4, simulations=199)
    more = examine(hands, 4, simulations=199, hard=Share(3, 9), reference=Share(50, 100))
    assert [q.p_value for q in alone.questions] == [q.p_value for q in more.questions[:-1]]
    assert [q.slug for q in more.questions][-1] == "hard"
    assert min(q.adjusted - q.p_value for q in more.questions) >= 0
    other = examine(hands, 4, simulations=199, random_seed=1)
    assert [q.p_value for q in alone.questions] != [q.p_value for q in other.questions]


def test_one_suit_leaves_suits_out() -> None:
    report = examine(honest(1, 40, 1), 1, simulations=99)
    assert [q.slug for q in report.questions] == ["guaranteed", "distribution", "places", "repeats"]
    assert any("With one suit" in each for each in limits(report))


def test_hands_dealt_again_are_noticed() -> None:
    hands = honest(1, 40)
    report = examine(np.concatenate([hands, hands[:1]]), 4, simulations=99)
    (repeats,) = [q for q in report.questions if q.slug == "repeats"]
    assert repeats.found == 1
    assert repeats.odd
    # And the bound is one: honest chances of a small "deck" are below it.
    assert repeats_bound(41, 1, 4) == pytest.approx(820 * likeliest_hand(4))
    assert repeats_bound(41, 0, 4) == 1
    assert repeats_bound(41, 2, 4) < repeats_bound(41, 1, 4) ** 2
    assert likeliest_hand(4) == pytest.approx(np.prod([2 / (104 - step) for step in range(10)]))


def test_cards_that_favour_a_column_are_noticed() -> None:
    hands = honest(2, 300)
    assert examine(hands, 4, simulations=199).odd == []
    # Every third hand has its highest rank first: the same cards, other columns.
    for row in hands[::3]:
        at = int(np.argmax(row))
        row[0], row[at] = row[at], row[0]
    report = examine(hands, 4, simulations=199)
    assert [q.slug for q in report.odd] == ["places"]


def test_places_statistic_is_pearsons() -> None:
    hands = honest(1, 30)
    expected = 0.0
    for column in range(10):
        found = Counter(hands[:, column].tolist())
        expected += sum((found[card] - 30 / 52) ** 2 / (30 / 52) for card in range(52))
    assert places_statistic(hands[None], 4)[0] == pytest.approx(expected)


def test_hard_hands_are_compared_with_fishers_test() -> None:
    report = examine(None, 4, hard=Share(40, 40), reference=Share(50, 100))
    (question,) = report.questions
    # 90 of 140 are hard; which 40 are the server's? All choices at most as likely as this one.
    ways = [comb(90, hard) * comb(50, 40 - hard) for hard in range(41)]
    rare = sum(way for way in ways if way <= ways[40])
    assert question.p_value == pytest.approx(rare / comb(140, 40))
    assert question.side == "more"
    assert report.games == 0
    assert report.e_value == report.highest == 1
    assert report.grown(10) == []


def test_too_few_games_are_called_so() -> None:
    none = examine(honest(1, FEWEST - 1), 4)
    assert none.questions == ()
    assert none.power is None
    assert conclusions(none)[0].startswith("Too few games: 9 games")
    few = examine(honest(1, 20), 4, simulations=99)
    assert few.power is not None
    assert few.power < 0.2
    assert conclusions(few)[0].startswith("Few games: with 20")
    many = examine(honest(1, 500), 4, simulations=99)
    assert not any("ew games" in each for each in conclusions(many))


def test_power_is_that_of_simulated_cheats() -> None:
    games, runs, level = 150, 4000, 0.05
    hands = redealing(2, runs * games)
    sums = guaranteed_turnovers(hands).reshape(runs, games).sum(axis=1)
    honest_sums = sum_chances(guaranteed_chances(), games)
    distance = np.abs(np.arange(len(honest_sums)) - games * float(mean(guaranteed_chances())))
    p = np.array([honest_sums[distance >= distance[total] - 1e-9].sum() for total in sums])
    power = redealing_power(games, level)
    assert binomtest(int((p <= level).sum()), runs, power).pvalue > 0.001
    needed = games_for_power(0.9, 0.05)
    assert redealing_power(needed, 0.05) >= 0.9
    assert redealing_power(needed - 30, 0.05) < 0.9


def test_what_cannot_be_examined() -> None:
    for arguments, words in (
        ((None, 4), "no hands"),
        ((honest(1, 20), 3), "1, 2 or 4 suits, not 3"),
        ((np.zeros((MOST + 1, 10), dtype=np.uint8), 4), "too many"),
    ):
        with pytest.raises(BadInput, match=words):
            examine(*arguments)
    with pytest.raises(BadInput, match="needs a reference"):
        examine(None, 4, hard=Share(1, 2))
    for count, total in ((3, 2), (-1, 2), (0, 0)):
        with pytest.raises(BadInput, match="no share"):
            Share(count, total)


# --- reading -------------------------------------------------------------------------------------


def names(cards: NDArray[np.uint8] | None) -> list[str]:
    assert cards is not None
    return [" ".join(map(card_name, row)) for row in cards.tolist()]


@pytest.mark.parametrize(
    "line",
    [
        HAND,
        HAND.lower(),
        HAND.replace(" ", ","),
        HAND.replace(" ", ", "),
        HAND.replace(" ", "; ").replace("TD", "10D"),
        HAND.replace(" ", "\t").replace("C", "♣").replace("H", "♥").replace("D", "♦"),
        f"# a remark\n\n  {HAND} \n\n",
        f"\ufeffhand\n{HAND}",
        f"note,Hand,won\nwell,{HAND},yes",
        ",".join(map(str, range(1, 11))) + "\n" + HAND.replace(" ", ", "),
    ],
)
def test_a_hand_in_each_form(line: str) -> None:
    assert names(read_hands(line, 4).cards) == [HAND]


def test_deals_are_read_by_name_and_as_json() -> None:
    deals = get_dealer("thoughtful-1").deal_block(7, 3, SPIDER)
    expected = [
        " ".join(card_name(column[-1]) for column in SpiderDeal.of(deal).tableau) for deal in deals
    ]
    for text in (
        "thoughtful-1:7\nthoughtful-1:8\nthoughtful-1:9",
        "thoughtful-1:7-9",
        "\n".join(json.dumps({"dealer": "thoughtful-1", "seed": seed}) for seed in (7, 8, 9)),
        "\n".join(json.dumps({"id": 1, **SpiderDeal.of(deal).to_json()}) for deal in deals),
        "hand\nthoughtful-1:7\nthoughtful-1:8\nthoughtful-1:9",
    ):
        assert names(read_hands(text, 4).cards) == expected


def test_columns_stand_as_they_were_written() -> None:
    deal = SpiderDeal.of(get_dealer("thoughtful-1").deal_block(7, 1, SPIDER)[0]).to_json()
    turned = {"tableau": deal["tableau"][::-1], "stock": [row[::-1] for row in deal["stock"]]}
    straight = names(read_hands(json.dumps(deal), 4).cards)[0].split()
    assert names(read_hands(json.dumps(turned), 4).cards)[0].split() == straight[::-1]


def test_suits_are_told_apart_as_played() -> None:
    assert names(read_hands(HAND, 1).cards) == ["JS TS 9S 4S 4S KS 2S 7S QS 5S"]
    assert names(read_hands(HAND, 2).cards) == ["JS TH 9H 4S 4H KS 2S 7H QH 5S"]
    assert names(read_hands("J 10 9 4 4 K 2 7 Q 5", 1).cards) == ["JS TS 9S 4S 4S KS 2S 7S QS 5S"]


def test_outcomes_are_read() -> None:
    given = read_hands(f"hand,won,tries,wins\n{HAND},yes,50,0\n{HAND},lost,50,3\n{HAND},,,\n", 4)
    assert given.cards is not None
    assert len(given.cards) == 3
    assert given.won is not None
    assert given.won.tolist() == [WON, LOST, UNKNOWN]
    assert given.hard == Share(1, 2)
    assert read_hands(HAND, 4).won is None
    alone = read_hands("hand,tries,wins\nfirst,50,0\n,50,0\nthird,50,1", 4)
    assert alone.cards is None
    assert alone.hard == Share(2, 3)
    deal = SpiderDeal.of(get_dealer("thoughtful-1").deal_block(7, 1, SPIDER)[0])
    ended = read_hands(json.dumps({**deal.to_json(), "won": True}) + f"\n{HAND}", 4).won
    assert ended is not None
    assert ended.tolist() == [WON, UNKNOWN]


DEAL = SpiderDeal.of(get_dealer("thoughtful-1").deal_block(7, 1, SPIDER)[0]).to_json()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", ["there are no hands"]),
        ("# nothing\n\n", ["there are no hands"]),
        (f"{HAND}\n\n{HAND} AC", ["line 3", "11 cards", "expected 10"]),
        ("QC", ["line 1", "1 card,"]),
        (HAND.replace("TD", "1D"), ["line 1", "'1D' is not a card"]),
        (HAND.replace("TD", "10"), ["'10' is not a card"]),
        (HAND.replace("TD 9D", "JC JC"), ["JC 3 times in one hand", "4-suit", "twice"]),
        ("thoughtful-1:x", ["'thoughtful-1:x' is not a deal"]),
        ("nobody:1", ["unknown dealer 'nobody'"]),
        ("greenfelt:1", ["does not deal Spider"]),
        ("thoughtful-1:9-1", ["run backwards"]),
        ("thoughtful-1:0-100000", ["100,001 hands", "at most 100,000"]),
        ("thoughtful-1:0-99998\n" + f"{HAND}\n{HAND}", ["line 3", "more than 100,000 hands"]),
        ('{"tableau": [', ["line 1", "not JSON", "character"]),
        ('{"seed": ' + "1" * 5000 + "}", ["not JSON we can read"]),
        ('{"id": 1}', ['"tableau" and "stock"']),
        ('{"dealer": "thoughtful-1", "seed": true}', ['"dealer" and "seed"']),
        ('{"tableau": [["QC"]], "stock": []}', ["10 columns"]),
        (json.dumps({**DEAL, "won": "yes"}), ['"won" must be true or false']),
        ("hand,won", ["no line below its heads"]),
        ("won\nyes", ["line 1", "expected a column 'hand'"]),
        ("hand,hand\n", ["the column 'hand' is there twice"]),
        ("1,2,3\n", ["the column '4' is missing"]),
        ("hand,tries\n", ["'tries' and 'wins' belong together"]),
        (f"hand,won\n{HAND}", ["line 2", "1 cells, expected 2"]),
        (f"hand,won\n{HAND},perhaps", ["line 2", "'perhaps'", "yes or no"]),
        ("hand,won,tries,wins\na,yes,50,0", ["line 2", "beside the cards"]),
        ("hand,tries,wins\na,20,0", ["line 2", "20 tries, expected 50"]),
        ("hand,tries,wins\na,50,51", ["51 wins in 50 tries"]),
        ("hand,tries,wins\na,50,", ["'' is no number of wins"]),
        (f"hand\n{'x' * 200_000}", ["line 2", "not CSV"]),
        ("hand\n\n,", ["line 3", "2 cells"]),
    ],
)
def test_what_cannot_be_read_is_one_sentence(text: str, words: Sequence[str]) -> None:
    with pytest.raises(BadInput) as caught:
        read_hands(text, 4)
    for each in words:
        assert each in str(caught.value)


# --- the command ---------------------------------------------------------------------------------


@pytest.fixture
def thoughtful(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> Thoughtful:
    """Run a command in this process, in an empty directory."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments: str) -> tuple[int, str, str]:
        capfd.readouterr()
        code = cli.run(arguments)
        return (code, *capfd.readouterr())

    return run


def test_the_command_prints_what_was_found(thoughtful: Thoughtful) -> None:
    Path("hands.txt").write_text("thoughtful-1:0-99\n")
    code, out, err = thoughtful("fairness", "hands.txt", "--simulations", "199", "--every", "40")
    assert (code, err) == (0, "")
    assert "100 games of 4-suit Spider" in out
    assert "What this says" in out
    assert "What it cannot say" in out
    assert [line.split()[0] for line in out.splitlines() if line.strip()[:3] in ("40 ", "80 ")] == [
        "40",
        "80",
    ]


def test_the_command_prints_the_report_as_json(thoughtful: Thoughtful) -> None:
    Path("hands.txt").write_text("thoughtful-1:0-99\n")
    code, out, _ = thoughtful(
        "fairness", "hands.txt", "--suits", "2", "--simulations", "199", "--watch", "50",
        "--hard", "21/40", "--reference", "50/100", "--json",
    )  # fmt: skip
    assert code == 0
    data = json.loads(out)
    expected = examine(
        read_hands("thoughtful-1:0-99", 2).cards,
        2,
        simulations=199,
        hard=Share(21, 40),
        reference=Share(50, 100),
    )
    assert data["games"] == 100
    assert data["e_value"] == expected.e_value
    assert [q["p_value"] for q in data["questions"]] == [q.p_value for q in expected.questions]
    assert [q["slug"] for q in data["questions"]][-1] == "hard"
    assert [row["games"] for row in data["grown"]] == [50, 100]
    assert sum(data["guaranteed_turnovers"]) == 100
    assert data["conclusions"] == conclusions(expected)
    assert data["hard"] == {"count": 21, "total": 40}


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((), ["needs FILE", "--hard"]),
        (("nowhere.txt",), ["cannot read nowhere.txt"]),
        (("bad.txt",), ["bad.txt: line 2: 9 cards"]),
        (("good.txt", "--suits", "3"), ["not 3"]),
        (("good.txt", "--suits", "four"), ["--suits", "four"]),
        (("good.txt", "--hard", "half"), ["--hard is 'half'", "K/N"]),
        (("good.txt", "--hard", "3/2", "--reference", "1/2"), ["3/2 is no share"]),
        (("good.txt", "--hard", "1/2"), ["needs a reference"]),
        (("good.txt", "--reference", "1/2"), ["--reference needs --hard"]),
        (("tries.csv", "--hard", "1/2", "--reference", "1/2"), ["tries already"]),
        (("good.txt", "--simulations", "1"), ["--simulations", "199 to"]),
        (("good.txt", "--every", "0"), ["--every", "0"]),
    ],
)
def test_wrong_input_is_one_sentence(
    thoughtful: Thoughtful, arguments: Sequence[str], words: Sequence[str]
) -> None:
    Path("bad.txt").write_text(f"{HAND}\n{HAND[:-3]}\n")
    Path("good.txt").write_text(f"{HAND}\n")
    Path("tries.csv").write_text("hand,tries,wins\na,50,0\n")
    code, out, err = thoughtful("fairness", *arguments)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert ". " not in err
    for each in words:
        assert each in err


def test_a_large_e_value_stays_a_number() -> None:
    zeros = np.zeros(2000, dtype=np.int64)
    logs = log_evidence(zeros, zeros, 4)
    report = Report(4, 2000, (), (2000, *[0] * 10), logs, {}, 99, 0, None, 1)
    assert 1e300 < report.e_value < float("inf")
    assert Question("places", "?", 1.0, 1.0, None, 0.01, 0.05).odd
    json.dumps(report.grown(500), allow_nan=False)
