"""Tests of the tables of patience games: the cards follow the referee, in every game."""

from random import Random

import pytest

from dashboard.viewer.renderer import Piles, renderer_of
from engine.dealing.dealers import get_dealer
from engine.games import game_of, get_game
from engine.patience.presets import game_slugs
from engine.patience.rules import PatienceRules
from samples import sizes


def presets() -> list[PatienceRules]:
    games = [slug for slug in game_slugs() if not slug.startswith("own-")]
    return [rules for slug in games for rules in get_game(slug).rulesets.presets.values()]


def kinds(piles: Piles) -> dict[str, list[str]]:
    """The piles with cards of one kind alike: only their order of names may differ."""
    return {pile: [name[:2] for name in names] for pile, names in piles.items()}


@pytest.mark.parametrize(("seeds", "most"), sizes((2, 60), (10, 300)))
@pytest.mark.parametrize("rules", presets(), ids=str)
def test_the_table_follows_the_referee(rules: PatienceRules, seeds: int, most: int) -> None:
    game, renderer = game_of(rules), renderer_of(rules.game)
    assert renderer is not None
    chooser, told = Random(str(rules)), set()
    for seed in range(1, seeds + 1):
        position = game.start(get_dealer("solvitaire").deal(seed, game), rules)
        table = renderer.table(position)
        for _ in range(most):
            legal = position.legal_moves()
            if not legal or position.is_won:
                break
            move = chooser.choice(list(legal))
            after = position.play(move)
            step = table.play(position, move, after)
            assert kinds(table.piles) == kinds(renderer.table(after).piles), str(move)
            names = [name for names in table.piles.values() for name in names]
            assert len(set(names)) == len(names)
            assert set(step.moved) <= set(names)
            assert step.name == str(move)
            told.add(step.sentence)
            position = after
    assert all(sentence.endswith(".") and "None" not in sentence for sentence in told)
    assert len(told) > 2


def test_slots_are_named_as_piles() -> None:
    """Each slot of a layout is a pile of some ruleset of its game, and each other pile a column."""
    for slug in {rules.game for rules in presets()}:
        renderer = renderer_of(slug)
        assert renderer is not None
        assert renderer.layout is not None
        slots = {slot["pile"] for group in renderer.layout["groups"] for slot in group}
        found: set[str] = set()
        for rules in get_game(slug).rulesets.presets.values():
            deal = get_dealer("solvitaire").deal(1, get_game(slug))
            found |= renderer.table(get_game(slug).start(deal, rules)).piles.keys()
        columns = range(1, renderer.layout["columns"] + 1)
        assert found - slots == {f"{side}{at}" for side in ("down", "up") for at in columns}
        assert slots <= found
