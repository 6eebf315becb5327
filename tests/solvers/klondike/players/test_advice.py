"""Tests of advice on positions in mid-game, from what is seen of them."""

from collections import deque
from itertools import permutations
from random import Random

import numpy as np
import pytest

from engine.cards import card_name
from engine.dealing.dealers import deal_by_id, get_dealer
from engine.errors import BadInput
from engine.games import game_of
from engine.kernels.compiler import COMPILED
from engine.klondike.moves import unpack_solution
from engine.klondike.referee import KlondikePosition
from engine.klondike.rules import PRESETS, KlondikeRules
from engine.klondike.seen import stand_in
from engine.replay import positions
from engine.rulesets import parse_ruleset
from samples import sizes
from solvers.advice import Advice
from solvers.choice import Ability, capable, quick_player
from solvers.klondike.players import exact_uct_search as kernel
from solvers.klondike.players.exact_uct_player import ExactUctPlayer
from solvers.klondike.players.exact_uct_search import UctSettings
from solvers.klondike.players.game import seen_at_start
from solvers.klondike.players.step_policy import load_weights
from solvers.outcome import Result
from solvers.search_tree import PARTS, TIMES, WINS
from solvers.solver import Solver, parse_solver

DRAW1, DRAW3 = PRESETS["klondike-draw1"], PRESETS["klondike-draw3"]
PLAYER = parse_solver("exact-uct(trajectories=60, nodes=300)")
GUIDED = parse_solver("policy-uct(trajectories=60, nodes=300)")


def start_of(seed: int, rules: KlondikeRules) -> KlondikePosition:
    return KlondikePosition.start(deal_by_id(f"thoughtful-1:{seed}"), rules)


def played(seed: int, rules: KlondikeRules, moves: int) -> KlondikePosition:
    """A position of random play that prefers moves off the stock, so that cards turn up."""
    position, chance = start_of(seed, rules), Random(seed)
    for _ in range(moves):
        legal = position.legal_moves()
        if not legal:
            break
        others = [move for move in legal if str(move) not in ("T", "R")]
        position = position.play(
            chance.choice(others if others and chance.random() < 0.8 else legal)
        )
    return position


def nearly_open(seed: int, most: int) -> KlondikePosition | None:
    """A position of draw 1 with at most so many hidden cards; None for a deal that is lost.

    It lies on the way to a win, but for three random moves at the end, which may lose it.
    """
    position, chance = start_of(seed, DRAW1), Random(seed)
    moves = parse_solver("exact").solve_position(position).moves
    if moves is None:
        return None
    for move in unpack_solution(moves):
        if sum(map(len, position.down)) <= most:
            break
        position = position.play(move)
    for _ in range(3):
        after = position.play(chance.choice(position.legal_moves()))
        if sum(map(len, after.down)) < sum(map(len, position.down)):
            break
        position = after
    return position


def end_of(position: KlondikePosition, advice: Advice) -> KlondikePosition:
    """The position after all moves of an advice; the referee judges them."""
    return deque(positions(position, advice.moves), maxlen=1).pop()


@pytest.mark.parametrize("rules", [DRAW1, DRAW3], ids=str)
def test_at_the_start_the_player_begins_as_in_a_whole_game(rules: KlondikeRules) -> None:
    for seed in range(200, 230):
        start = start_of(seed, rules)
        whole, middle = (ExactUctPlayer(UctSettings(rules.draw, 5, 0.5, 50)) for _ in range(2))
        cards = get_dealer("thoughtful-1").deal_block(seed, 1)[0]
        whole.begin(seen_at_start(cards), 0)
        middle.begin_at(stand_in(start.observation(), rules), 0)
        assert middle.position == whole.position
        assert middle.steps() == whole.steps()
        for name in ("stock_sets", "stock_index", "column_of"):
            mine, theirs = (getattr(each.work.known, name) for each in (middle, whole))
            assert np.array_equal(mine, theirs), name


@pytest.mark.parametrize("count", sizes(12, 20))
@pytest.mark.parametrize("player", [PLAYER, GUIDED], ids=str)
@pytest.mark.parametrize("rules", [DRAW1, DRAW3], ids=str)
def test_every_play_is_legal_and_the_best_comes_first(
    rules: KlondikeRules, player: Solver, count: int
) -> None:
    for seed in range(300, 300 + count):
        position = played(seed, rules, seed % 70)
        found = player.advise(position.observation(), rules)
        assert len({advice.moves for advice in found}) == len(found)
        for advice in found:
            assert advice.moves
            # What is turned up on the way may differ, so only the first card that turns up counts.
            step = position
            for move in advice.moves:
                assert step.why_illegal(move) is None
                after = step.play(move)
                if sum(map(len, after.down)) < sum(map(len, step.down)):
                    break
                step = after
            assert 0 <= (advice.chance or 0) <= 1
            assert advice.trajectories > 0
        assert found == player.advise(position.observation(), rules)


@pytest.mark.parametrize("rules", [DRAW1, DRAW3], ids=str)
def test_the_policy_counts_in_shares(rules: KlondikeRules) -> None:
    """As 500 trajectories, in which the steps differ from the best as the policy tells."""
    player = ExactUctPlayer(UctSettings(rules.draw, 60, 0.5, 300, 0, 500))
    player.work.policy.weights[:] = load_weights(str(rules))
    compared = 0
    for seed in range(40):
        player.begin(seen_at_start(get_dealer("thoughtful-1").deal(seed).as_array()), 0)
        # Cards of the stock that may go up at once do.
        while len(steps := player.steps()) == 1 and not player.digs(steps[0]):
            player.go_on(player.edges_of(player.node)[0], -1)
        if len(steps) == 1:
            continue
        best, *others = player.explore()
        first = player.edges_of(player.node)[0]
        edge_of = {step: first + number for number, step in enumerate(player.steps())}
        table = player.tree.edges
        edge = edge_of[best[0][0]]
        share = table[edge, WINS] / PARTS / table[edge, TIMES]
        assert best[1:] == (round(table[edge, WINS] / PARTS), table[edge, TIMES])
        said = {s: kernel.rate(player.position, s, rules.draw, player.work) for s in edge_of}
        for (step, *_), wins, times in others:
            edge = edge_of[step]
            rated = min(1, max(0, share + 0.02 * (said[step] - said[best[0][0]])))
            mean = (table[edge, WINS] / PARTS + 500 * rated) / (times + 500)
            assert abs(wins - times * mean) <= 0.5 + 1e-9
            compared += 1
    assert compared > 15


@pytest.mark.parametrize("stock", [True, False], ids=["the stock is seen", "no card of it is"])
def test_advice_of_the_policy_alone(stock: bool) -> None:
    """It takes a trajectory of each play, so that each has a chance."""
    seen = start_of(3, DRAW3).observation()
    if not stock:
        seen = {**seen, "stock": ["??"] * 24}
    found = parse_solver("policy-uct(trajectories=0)").advise(seen, DRAW3)
    assert len(found) > 1
    assert all(play.trajectories > 0 for play in found)
    assert found == parse_solver("policy-uct(trajectories=1)").advise(seen, DRAW3)


def test_advice_that_is_certain_is_right() -> None:
    decided = 0
    for seed in range(400, 415):
        position = nearly_open(seed, 1)
        if position is None:
            continue
        reference = parse_solver("exact-plain(nodes=200000)")
        for advice in PLAYER.advise(position.observation(), DRAW1):
            assert advice.certain
            assert advice.error == 0
            if advice.wins:
                assert end_of(position, advice).is_won
            else:
                after = end_of(position, advice)
                assert reference.solve_position(after).result == Result.UNWINNABLE
            decided += 1
    assert decided > 10


def test_a_chance_is_at_most_the_share_of_completions_that_can_be_won() -> None:
    """Whoever knows all cards does as well at least; beyond it lies only chance."""
    looked = 0
    for seed in range(500, 520):
        position = nearly_open(seed, 4)
        if position is None:
            continue
        hidden = [card for column in position.down for card in column]
        exact = parse_solver("exact")
        wins = total = 0
        for order in permutations(hidden):
            rest = iter(order)
            down = tuple(tuple(next(rest) for _ in column) for column in position.down)
            other = KlondikePosition(
                position.rules, down, position.up, position.foundations, position.stock,
                position.waste, position.redeals_used,
            )  # fmt: skip
            wins += exact.solve_position(other).result == Result.WON
            total += 1
        for advice in PLAYER.advise(position.observation(), DRAW1):
            assert advice.chance <= wins / total + 4 * advice.error
            looked += 1
    assert looked > 20


def test_of_the_same_share_of_trajectories_the_chance_is_less_with_more_cards_hidden() -> None:
    """As games end: shares are too high, since leaves are decided with all cards known."""
    early, late = played(300, DRAW3, 0), nearly_open(500, 4)
    assert late is not None
    (much, *_), (little, *_) = (
        PLAYER.advise(position.observation(), position.rules) for position in (early, late)
    )
    assert much.calibration is not None
    assert little.calibration is not None
    assert much.chance < much.wins / much.trajectories
    for share in (0.1, 0.5, 0.9):
        assert much.calibration.chance(share) < share - 0.03
        assert much.calibration.chance(share) < little.calibration.chance(share) - 0.05


@pytest.mark.parametrize("rules", [DRAW1, DRAW3], ids=str)
def test_where_the_stock_is_not_seen_turning_it_is_a_play_and_every_play_is_legal(
    rules: KlondikeRules,
) -> None:
    for seed in range(300, 300 + (6 if COMPILED else 1)):
        position = played(seed, rules, seed % 30)
        seen = position.observation()
        seen["stock"] = [*seen["stock"][:1], *["??"] * len(seen["stock"][1:])]
        if "??" not in seen["stock"]:
            continue
        found = PLAYER.advise(seen, rules)
        assert found == PLAYER.advise(seen, rules)
        assert found[0].chance == pytest.approx(max(play.chance or 0 for play in found), abs=0.0101)
        assert [play for play in found if str(play.moves[0]) == "T"]
        # What lies in the stock is not known, nor what turns up: every legal move is a play.
        assert {play.moves for play in found} == {(move,) for move in position.legal_moves()}
        for play in found:
            assert 0 < (play.error or 0) < 0.25


@pytest.mark.skipif(not COMPILED, reason="the search of every order takes minutes")
def test_the_chance_where_the_stock_is_not_seen_is_the_mean_over_all_orders() -> None:
    """Of whoever sees the stock, as it costs nothing to look."""
    looked = 0
    for seed in range(500, 530):
        position = nearly_open(seed, 3)
        if position is None or len(position.stock) < 2 or not any(position.down):
            continue
        seen = position.observation()
        known = seen["stock"][:-2]
        unseen = [card for column in position.down for card in column] + [*position.stock[-2:]]
        best = []
        for pair in permutations(unseen, 2):
            own = {**seen, "stock": [*known, *map(card_name, pair)]}
            plays = PLAYER.advise(own, DRAW1)
            best.append(plays[0].chance if plays else 0.0)
        # As many trajectories for each order as above.
        player = parse_solver("exact-uct(trajectories=600, nodes=300)")
        found = player.advise({**seen, "stock": [*known, "??", "??"]}, DRAW1)
        turn = next(play for play in found if str(play.moves[0]) == "T")
        assert turn.chance is not None
        assert turn.error is not None
        assert abs(turn.chance - sum(best) / len(best)) <= 4 * turn.error
        looked += 1
        if looked == 4:
            break
    assert looked == 4


def test_a_position_without_a_play_and_a_won_one_have_no_advice() -> None:
    won = KlondikePosition(DRAW1, ((),) * 7, ((),) * 7, (13, 13, 13, 13), ())
    assert PLAYER.advise(won.observation(), DRAW1) == []


def test_only_some_players_advise() -> None:
    assert str(capable(DRAW3, Ability.ADVISE)).startswith("policy-uct(")
    assert str(capable(parse_ruleset("klondike-draw2"), Ability.ADVISE)).startswith("exact-uct(")
    assert capable(PRESETS["klondike-yan"], Ability.ADVISE) is None
    seen = start_of(1, DRAW3).observation()
    with pytest.raises(BadInput, match="greedy plays only whole games: it gives no advice"):
        parse_solver("greedy").advise(seen, DRAW3)
    with pytest.raises(BadInput, match="exact-uct does not play klondike-yan"):
        PLAYER.advise(seen, PRESETS["klondike-yan"])


@pytest.mark.parametrize("stock", [[], ["stock"]], ids=["no stock", "a stock that is null"])
def test_a_malformed_observation_is_one_sentence(stock: list[str]) -> None:
    seen = {key: value for key, value in start_of(1, DRAW3).observation().items() if key != "stock"}
    with pytest.raises(BadInput, match='needs the keys "down"'):
        PLAYER.advise(seen | dict.fromkeys(stock), DRAW3)


@pytest.mark.parametrize("count", sizes(6, 15))
def test_playing_on_from_a_position(count: int) -> None:
    """A win replays from there, and the same seed plays the same game."""
    wins = 0
    for seed in range(600, 600 + count):
        position = played(seed, DRAW1, seed % 50)
        outcome = PLAYER.solve_position(position)
        assert outcome.moves == PLAYER.solve_position(position).moves
        if outcome.moves is not None:
            *_, end = positions(position, unpack_solution(outcome.moves))
            assert end.is_won
            wins += 1
    assert wins


@pytest.mark.parametrize(
    ("ruleset", "player"),
    [
        ("klondike-draw1", "policy-uct(trajectories=250,"),
        ("klondike-draw2", "exact-uct(trajectories=250,"),
        ("klondike-draw3", "policy-uct(trajectories=250,"),
        ("spider-4", "spider-player(width=25,"),
    ],
)
def test_who_plays_on_to_count_wins(ruleset: str, player: str) -> None:
    rules = parse_ruleset(ruleset)
    assert str(quick_player(rules)).startswith(player)
    adviser = capable(rules, Ability.ADVISE)
    assert adviser is not None
    game = game_of(rules)
    start = game.start(deal_by_id("thoughtful-1:3", game), rules)
    advice = adviser.advise(start.observation(), rules)
    assert any(play.trajectories for play in advice) == adviser.method.counts_wins


@pytest.mark.parametrize("ruleset", ["klondike-yan", "freecell"])
def test_nobody_plays_on(ruleset: str) -> None:
    assert quick_player(parse_ruleset(ruleset)) is None
