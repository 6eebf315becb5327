"""Tests of `exact-uct`: information barrier, twin in plain Python, wins."""

import json
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from importlib.resources import files
from pathlib import Path
from random import Random

import numpy as np
import pytest
from numpy.typing import NDArray

from conformance.barrier import compare_games
from engine.cards import rank
from engine.cardset import BIT_OF_CARD
from engine.dealing.dealers import get_dealer
from engine.errors import BadInput
from engine.kernels.compiler import COMPILED
from engine.klondike.deal import KlondikeDeal
from engine.klondike.moves import unpack_solution
from engine.klondike.referee import KlondikePosition, proves_win
from engine.klondike.rules import PRESETS, KlondikeRules, parse_klondike
from klondike_tables import klondike_views, line_of, permuted
from solvers.klondike.exact.searching import BY_STOCKS
from solvers.klondike.players import exact_uct_player, step_policy
from solvers.klondike.players import exact_uct_search as kernel
from solvers.klondike.players.exact_uct_player import ExactUctPlayer, play_deal
from solvers.klondike.players.exact_uct_search import UctSettings
from solvers.klondike.players.game import FACE_DOWN, HIDDEN, seen_at_start
from solvers.klondike.players.policy_uct import INNER_PRIOR, PRIOR
from solvers.klondike.players.step_policy import WEIGHTS, load_weights
from solvers.outcome import Outcome, Result
from solvers.registry import get_method
from solvers.search_tree import PARTS
from solvers.solver import parse_solver
from twins.exact_uct import KING, NaiveExactUct
from twins.step_policy import naive_logit

DRAW3 = PRESETS["klondike-draw3"]
DRAW1 = PRESETS["klondike-draw1"]
QUICK = "exact-uct(trajectories=40, nodes=200)"
GUIDED = "policy-uct(trajectories=40, nodes=200)"
ALONE = "policy-uct(trajectories=0)"
COLUMN = np.repeat(np.arange(7), np.arange(7))


def some_deals(first: int, count: int) -> NDArray[np.uint8]:
    return get_dealer("thoughtful-1").deal_block(first, count)


def new_player(
    trajectories: int,
    nodes: int = 200,
    draw: int = 3,
    *,
    prior: int = 0,
    undecided: int = 0,
    inner: int = 0,
) -> ExactUctPlayer:
    player = ExactUctPlayer(UctSettings(draw, trajectories, 0.5, nodes, undecided, prior, inner))
    # Random ones, of which each part counts.
    player.work.policy.weights[:] = np.random.default_rng(1).normal(0, 0.3, WEIGHTS)
    return player


def made(outcome: Outcome) -> bytes:
    """The moves of a game, won or lost."""
    moves = outcome.moves or outcome.played
    assert moves is not None
    return moves


@pytest.mark.parametrize(("player", "least"), [(QUICK, 300), (GUIDED, 100), (ALONE, 100)])
def test_deals_that_look_alike_are_played_alike(player: str, least: int) -> None:
    chooser = Random(5)
    cards = some_deals(1_200_000, 25)
    others = np.array([permuted(row, chooser) for row in cards])
    compared, parted = compare_games(
        parse_solver(player), DRAW3, cards, others, line_of, partial(klondike_views, DRAW3)
    )
    assert compared > least
    assert parted > 15


def test_a_player_is_handed_no_hidden_card() -> None:
    cards = some_deals(1_200_100, 1)[0]
    handed = seen_at_start(cards)
    assert (handed[FACE_DOWN] == HIDDEN).all()
    player = new_player(50)
    player.begin(handed, 0)
    hidden = {int(BIT_OF_CARD[card]) for card in cards[FACE_DOWN]}
    assert set(np.flatnonzero(player.work.known.column_of >= 0)).isdisjoint(hidden)
    unseen = int(kernel.unseen(player.position, player.work.known))
    assert {bit for bit in range(52) if unseen >> bit & 1} == hidden


@pytest.mark.parametrize(
    ("prior", "undecided", "inner"), [(0, 0, 0), (0, 32, 0), (30, 48, 0), (30, 48, 6)]
)
@pytest.mark.parametrize(("draw", "trajectories"), [(3, 24), (1, 12), (2, 40), (3, 0), (1, 0)])
def test_games_agree_step_by_step(
    draw: int, trajectories: int, prior: int, undecided: int, inner: int
) -> None:
    # With few positions for a leaf many are left undecided.
    nodes = 20 if undecided else 100
    player = new_player(trajectories, nodes, draw, prior=prior, undecided=undecided, inner=inner)
    weights = player.work.policy.weights
    twin = NaiveExactUct(draw, trajectories, nodes, weights, prior, undecided / PARTS, inner)
    decisions = 0
    for cards in some_deals(1_200_200 + draw, 4 if COMPILED else 1):
        hidden = [
            [int(BIT_OF_CARD[card]) for card in cards[FACE_DOWN[column == COLUMN]]]
            for column in range(7)
        ]
        player.begin(seen_at_start(cards), 3)
        twin.begin(seen_at_start(cards), 3)
        while len(twin.table.up) < 52 and len(twin.unseen(twin.table)) > 1:
            assert player.position.up == sum(1 << bit for bit in twin.table.up)
            assert player.position.loose == sum(1 << bit for bit in twin.table.loose)
            assert player.position.stock == twin.table.stock
            for step in player.steps():
                said = kernel.rate(player.position, step, draw, player.work)
                features = twin.features(step, twin.table)
                assert player.work.policy.features == pytest.approx(features)
                assert said == pytest.approx(naive_logit(features, weights))
            edge = player.choose()
            if not twin.node.edges:
                assert edge < 0
                break
            found = twin.think()
            first, count = player.tree.nodes[player.node, :2].tolist()
            assert player.tree.edges[first : first + count, :3].tolist() == [
                [each.step, each.times, PARTS * each.wins] for each in twin.node.edges
            ]
            assert player.step_of(edge) == found.step
            assert player.work.rng.tolist() == twin.rng.tolist()
            decisions += count > 1
            card = -1
            if player.digs(found.step):
                card = hidden[twin.column_of(twin.table, found.step & 63)].pop()
            player.go_on(edge, card)
            twin.go_on(found, card)
    assert decisions > (30 if COMPILED else 5)


@pytest.mark.parametrize("ruleset", [DRAW3, DRAW1], ids=str)
def test_wins_replay_and_games_that_are_lost_can_be_played(ruleset: KlondikeRules) -> None:
    deals = some_deals(1_200_300, 40)
    outcomes = parse_solver(QUICK).solve(deals, ruleset)
    known = BY_STOCKS.solve(deals, ruleset, {"nodes": 2_000_000, "memory_mib": 256})
    won = lost = 0
    for cards, outcome, status in zip(deals, outcomes, known, strict=True):
        if outcome.result == Result.WON:
            won += 1
            assert status.result == Result.WON
            moves = unpack_solution(outcome.moves or b"")
            assert proves_win(KlondikeDeal.of(cards), ruleset, moves)
            assert outcome.played is None
        else:
            lost += 1
            assert outcome.result == Result.LOST
            assert outcome.moves is None
            position = KlondikePosition.start(KlondikeDeal.of(cards), ruleset)
            for move in unpack_solution(outcome.played or b""):
                position = position.play(move)
    assert won > 4
    assert lost > 4


def test_a_king_that_stands_alone_from_the_start_may_move() -> None:
    """Nothing lies under the first column's card, so a king there is not locked in it."""
    deals = some_deals(1_200_400, 300)
    kings = deals[[rank(int(cards[0])) == KING for cards in deals]][:6]
    assert len(kings) == 6
    for cards in kings:
        player = new_player(20)
        player.begin(seen_at_start(cards), 0)
        assert player.position.loose == 1 << int(BIT_OF_CARD[cards[0]])
        play_deal(cards, player, 0)


def test_an_outcome_depends_on_deal_and_parameters_only() -> None:
    deals = some_deals(1_200_500, 12)
    solver = parse_solver(QUICK)
    together = [(o.result, o.nodes, made(o)) for o in solver.solve(deals, DRAW3)]
    parse_solver("exact-uct(trajectories=90)").solve(deals[:2], DRAW3)
    parse_solver(QUICK).solve(deals[:1], DRAW1)
    alone = [solver.solve(deals[at : at + 1], DRAW3)[0] for at in reversed(range(12))][::-1]
    assert [(o.result, o.nodes, made(o)) for o in alone] == together
    with ThreadPoolExecutor(2) as pool:
        halves = list(pool.map(lambda part: solver.solve(part, DRAW3), np.split(deals, 2)))
    assert [(o.result, o.nodes, made(o)) for half in halves for o in half] == together
    other = parse_solver(QUICK.replace(")", ", random_seed=1)")).solve(deals, DRAW3)
    assert [made(o) for o in other] != [moves for _, _, moves in together]


def test_a_small_tree_grows(monkeypatch: pytest.MonkeyPatch) -> None:
    """Room is made between trajectories, in the middle of a decision or at its end."""
    monkeypatch.setattr(exact_uct_player, "_FEW", 4096)
    small, large = new_player(300), new_player(300)
    monkeypatch.undo()
    assert len(small.tree.nodes) == 4096
    for cards in some_deals(1_200_600, 3):
        won, moves = play_deal(cards, small, 0)
        assert (won, moves) == play_deal(cards, large, 0)
    assert len(small.tree.nodes) > 4096


@pytest.mark.thorough
def test_more_thought_wins_more() -> None:
    deals = some_deals(1_200_700, 60)
    won = [
        sum(o.result == Result.WON for o in parse_solver(name).solve(deals, DRAW3))
        for name in ("greedy", "exact-uct(trajectories=100, nodes=300)")
    ]
    assert won[1] > won[0]


def test_rules_it_does_not_play() -> None:
    with pytest.raises(BadInput, match="exact-uct does not play klondike-yan"):
        parse_solver("exact-uct").solve(some_deals(0, 1), PRESETS["klondike-yan"])
    with pytest.raises(BadInput, match="trajectories=0 of exact-uct is out of range"):
        parse_solver("exact-uct(trajectories=0)")


def test_where_no_policy_is_learned_it_is_one_sentence(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    with pytest.raises(BadInput, match="policy-uct does not play klondike-draw2"):
        parse_solver(GUIDED).solve(some_deals(0, 1), parse_klondike("klondike-draw2"))
    with pytest.raises(BadInput, match="no policy of steps has been learned for klondike-draw2"):
        load_weights("klondike-draw2")
    folder = tmp_path / "policies"
    folder.mkdir()
    whole = files("solvers.klondike.players") / "policies" / "klondike-draw3.json"
    data = json.loads(whole.read_text())
    data["weights"][0] += 1
    for text in ("", "{}", "[]", json.dumps(data)):
        (folder / "klondike-draw3.json").write_text(text)
        monkeypatch.setattr(step_policy, "files", lambda _: tmp_path)
        with pytest.raises(BadInput, match="weights for klondike-draw3 are damaged"):
            load_weights.__wrapped__("klondike-draw3")


# The weights that a version plays with, and for how many visits the policy counts, at the position
# and in the tree; others raise the version.
WEIGHTS_OF_VERSION = {
    2: (
        "b6a83d2cc0b791ebc36537fd11fe0d2b04a14bae91ba15a3a3748052e3f64e3d",
        "6d1902fc7dcd0cad8113c1ab3ea600725e0712da9432c81ff2b9cc5f9ddd8c49",
        500,
        {1: 0, 3: 50},
    )
}


def test_the_weights_are_those_of_the_version() -> None:
    folder = files("solvers.klondike.players") / "policies"
    digests = tuple(
        json.loads((folder / f"klondike-draw{draw}.json").read_text())["sha256"] for draw in (1, 3)
    )
    version = get_method("policy-uct").version
    assert (*digests, PRIOR, INNER_PRIOR) == WEIGHTS_OF_VERSION[version]


def test_the_policy_plays_with_the_weights_of_its_draw() -> None:
    for rules in (DRAW1, DRAW3, DRAW1):
        deals = some_deals(1_200_800, 40)
        won = [o.result == Result.WON for o in parse_solver(ALONE).solve(deals, rules)]
        nobody = ExactUctPlayer(UctSettings(rules.draw, 0, 0.5, 256, 32, 500))
        lost = [not play_deal(cards, nobody, 0)[0] for cards in deals]
        own = ExactUctPlayer(UctSettings(rules.draw, 0, 0.5, 256, 32, 500))
        own.work.policy.weights[:] = load_weights(str(rules))
        assert [play_deal(cards, own, 0)[0] for cards in deals] == won
        assert sum(won) > 40 - sum(lost) + 5


@pytest.mark.parametrize("name", [GUIDED, ALONE])
def test_an_outcome_with_a_learned_policy_depends_on_the_deal_only(name: str) -> None:
    deals = some_deals(1_200_500, 6)
    together = [made(o) for o in parse_solver(name).solve(deals, DRAW3)]
    without = [made(o) for o in parse_solver(QUICK).solve(deals, DRAW3)]
    assert [made(o) for o in parse_solver(name).solve(deals, DRAW3)] == together != without
