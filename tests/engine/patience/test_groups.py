"""Groups that move one by one: exactly those that a referee who lets groups move would let pass."""

from dataclasses import replace
from random import Random

import pytest

from engine.dealing.dealers import get_dealer
from engine.games import game_of
from engine.patience.groups import group_moves
from engine.patience.moves import PatienceMove
from engine.patience.referee import PatiencePosition
from engine.replay import replay
from engine.rulesets import parse_ruleset


def together(position: PatiencePosition) -> PatiencePosition:
    """The position under rules by which cards in order move together."""
    o = position.rules.options
    options = replace(o, groups="yes", group_building=o.building)
    return replace(position, rules=replace(position.rules, options=options))


def expected(position: PatiencePosition) -> set[PatienceMove]:
    """The groups for which free cells and empty columns suffice, by the formula of players."""
    found = set()
    for move in together(position).legal_moves():
        if move.cards < 2:
            continue
        onto = position.columns[move.target]
        if not onto and len(position.columns[move.source]) == move.cards:
            continue
        spaces = [
            pile for at, pile in enumerate(position.columns) if not pile and at != move.target
        ]
        stops = len(spaces) if position.rules.options.spaces == "any" else 0
        if move.cards <= (1 + position.cells.count(None)) * 2**stops:
            found.add(move)
    return found


@pytest.mark.parametrize("ruleset", ["freecell", "eight-off", "bakers-game", "freecell-2-cells"])
def test_groups_are_those_for_which_there_is_room(ruleset: str) -> None:
    rules, chooser, seen = parse_ruleset(ruleset), Random(ruleset), set()
    game = game_of(rules)
    preference = game.load_actions().preference
    for seed in range(1, 13):
        position = game.start(get_dealer("microsoft").deal(seed, game), rules)
        for _ in range(60):
            moves = position.legal_moves()
            if not moves:
                break
            assert isinstance(position, PatiencePosition)
            found = dict(group_moves(position))
            assert set(found) == expected(position)
            for group, steps in found.items():
                # They lead where the group would lead.
                assert together(replay(position, steps)) == together(position).play(group)
                seen.add((group.cards, not position.columns[group.target]))
            best = min(moves, key=lambda move: preference(position, move))
            position = position.play(best if chooser.random() < 0.5 else chooser.choice(moves))
    assert any(cards > 2 for cards, _ in seen)
    assert any(is_empty for _, is_empty in seen) or ruleset != "freecell"


def test_no_group_moves_one_by_one_where_groups_move() -> None:
    rules = parse_ruleset("yukon")
    game = game_of(rules)
    position = game.start(get_dealer("thoughtful-1").deal(1, game), rules)
    assert isinstance(position, PatiencePosition)
    assert list(group_moves(position)) == []
