"""Tests of the bound on hidden play: its worlds, its plans, and what is never lost."""

from pathlib import Path

import numpy as np
import pytest

import hidden_bound
from engine.dealing.dealers import get_dealer, parse_sample
from engine.errors import BadInput
from engine.klondike import GAME
from engine.klondike.deal import KlondikeDeal
from engine.klondike.moves import unpack_solution
from engine.klondike.referee import KlondikePosition
from engine.klondike.rules import PRESETS
from solvers.klondike.exact_plain.method import decide_in_order
from solvers.outcome import Result
from solvers.solver import parse_solver

RULES = PRESETS["klondike-draw3"]
SETTING = hidden_bound.Setting(RULES, "thoughtful-1", 4, 100_000)


def test_worlds_differ_in_deep_cards_alone() -> None:
    (cards,) = get_dealer("thoughtful-1").deal_block(7, 1, GAME)
    worlds = [KlondikeDeal.of(each) for each in hidden_bound.worlds_of(cards, 50, 7)]
    first = worlds[0]
    assert first == KlondikeDeal.of(cards)
    for world in worlds:
        assert world.stock == first.stock
        assert [pile[-2:] for pile in world.tableau] == [pile[-2:] for pile in first.tableau]
    lowest = {world.tableau[6][0] for world in worlds}
    assert len(lowest) > 10


def test_there_is_a_plan_for_every_way_to_begin() -> None:
    assert len(set(hidden_bound.PLANS)) == 5 * 2**5
    assert all(plan.column in plan.first for plan in hidden_bound.PLANS)


def test_the_plan_that_a_win_follows_wins() -> None:
    deals = get_dealer("thoughtful-1").deal_block(0, 12, GAME)
    met = 0
    for cards, outcome in zip(deals, parse_solver("exact").solve(deals, RULES), strict=True):
        if outcome.moves is None:
            continue
        start = KlondikePosition.start(KlondikeDeal.of(cards), RULES)
        plan = hidden_bound.plan_of(start, unpack_solution(outcome.moves))
        assert plan in hidden_bound.PLANS
        values = {"nodes": 20_000, "memory_mib": 64, "merge": 1}
        found = decide_in_order(start, plan.turning, values)
        assert found.result is not Result.UNWINNABLE
        met += found.result is Result.WON
    assert met >= 5


def test_a_world_that_is_not_decided_is_lost_by_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hidden_bound, "_EXACT", parse_solver("exact(nodes=1)"))
    for seed in range(5):
        loss = hidden_bound.loss_of(SETTING._replace(nodes=1_000), seed)
        assert (loss.winnable, loss.lost) == (0, 0)


def test_runs_go_on_where_they_ended(tmp_path: Path) -> None:
    file, sample = tmp_path / "losses.jsonl", parse_sample("thoughtful-1:0-9")
    assert hidden_bound.kept(file, SETTING, sample) == []
    loss = hidden_bound.Loss(3, 4, 1, 20, 0)
    line = '{"seed": 3, "winnable": 4, "lost": 1, "searched": 20, "undecided": 0}'
    with file.open("a") as stream:
        stream.write(f"{line}\n{line[:20]}")
    assert hidden_bound.kept(file, SETTING, sample) == [loss]
    assert hidden_bound.kept(file, SETTING, sample) == [loss]
    assert hidden_bound.kept(file, SETTING, parse_sample("thoughtful-1:5-9")) == []
    with pytest.raises(BadInput, match="not of this setting"):
        hidden_bound.kept(file, SETTING._replace(worlds=5), sample)


def test_the_loss_is_what_the_best_plan_loses() -> None:
    """Of every plan, without ending early."""
    seed = 2_100_006
    (cards,) = get_dealer("thoughtful-1").deal_block(seed, 1, GAME)
    setting = SETTING._replace(nodes=5_000)
    worlds = hidden_bound.worlds_of(cards, setting.worlds, seed)
    won = [
        KlondikePosition.start(KlondikeDeal.of(world), RULES)
        for world, outcome in zip(worlds, parse_solver("exact").solve(worlds, RULES), strict=True)
        if outcome.result is Result.WON
    ]
    values = {"nodes": setting.nodes, "memory_mib": 64, "merge": 1}
    lost = [
        sum(decide_in_order(each, plan.turning, values).result is Result.UNWINNABLE for each in won)
        for plan in hidden_bound.PLANS
    ]
    found = hidden_bound.loss_of(setting, seed)
    assert (found.winnable, found.lost) == (len(won), min(lost)) == (3, 1)
    assert np.mean(lost) > min(lost)
