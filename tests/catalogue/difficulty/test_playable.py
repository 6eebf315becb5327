"""Tests of deals to play by how hard they are, and of levels by the models that are shipped."""

import pytest

from catalogue.asking import shown_win
from catalogue.difficulty.deal_of_day import usual_dealer, winnable_deals
from catalogue.difficulty.playable import (
    BANDS,
    PLAYED,
    VERSION,
    Band,
    PlayableDeal,
    level_of,
    playable_deal,
)
from catalogue.difficulty.prediction import predicted_level
from catalogue.difficulty.shipped import shipped_model, shipped_rulesets
from engine.dealing.dealers import deal_by_id, parse_deal_id
from engine.errors import BadInput
from engine.games import game_of, offered_rulesets
from engine.rulesets import parse_ruleset

# Of version 1, by the key "2026": easy, medium, hard. Where one changes, as after a new fit,
# so do the deals of all keys: raise `VERSION`.
KNOWN = {
    "klondike-draw1": [730148424, 132638733, 412515618],
    "klondike-draw3": [218806433, 952760289, 963374467],
    "spider-1": [642743735, 508883343, 299037570],
    "spider-2": [711338483, 901963566, 619277217],
    "spider-4": [982345710, 246646577, 924758964],
    "freecell": [892032, 832261, 143687],
    "bakers-game": [637267, 738320, 519099],
    "eight-off": [101254, 240292, 310257],
    "seahaven-towers": [648951, 769701, 621251],
    "beleaguered-castle": [378058583, 306193345, 440476771],
}


@pytest.mark.parametrize("ruleset", shipped_rulesets())
def test_the_deals_of_keys_stay_what_they_are(ruleset: str) -> None:
    assert VERSION == 1
    assert [
        playable_deal(ruleset, band, "2026").deal for band in (Band.EASY, Band.MEDIUM, Band.HARD)
    ] == [f"{usual_dealer(parse_ruleset(ruleset)).slug}:{seed}" for seed in KNOWN[ruleset]]


@pytest.mark.parametrize("ruleset", shipped_rulesets())
def test_a_deal_of_a_band_has_a_level_of_it(ruleset: str) -> None:
    rules = parse_ruleset(ruleset)
    for band in (Band.EASY, Band.HARD):
        found = playable_deal(ruleset, band, "some key")
        assert found == playable_deal(ruleset, band, "some key")
        assert found.ruleset == ruleset
        level = level_of(deal_by_id(found.deal, game_of(rules)), rules)
        assert level is not None
        assert (found.level, found.level_name) == (level.number, level.name)
        low, high = BANDS[band]
        assert low <= level.number <= high
        assert found.length > 40


def test_the_deal_of_a_band_is_the_first_of_the_key_that_fits() -> None:
    """Written out: of the winnable deals of the key the first with both levels in the band."""
    rules, key = parse_ruleset("klondike-draw3"), f"play {VERSION} klondike-draw3 some words"
    model = shipped_model(rules.slug)
    assert model is not None
    chosen = set()
    for band in Band:
        low, high = BANDS[band]
        found = next(
            each
            for each in winnable_deals(rules, usual_dealer(rules), key, 10**9)
            if all(
                low <= predicted_level(model, each.deal, rules, rough=rough).number <= high
                for rough in (True, False)
            )
        )
        level = predicted_level(model, found.deal, rules)
        assert found.outcome.moves is not None
        game = game_of(rules)
        win = tuple(game.unpack(found.outcome.moves))
        assert playable_deal(rules.slug, band, "some words") == PlayableDeal(
            f"thoughtful-1:{found.seed}",
            rules.slug,
            level.number,
            level.name,
            len(shown_win(game.start(found.deal, rules), win, found.outcome.nodes)),
        )
        chosen.add(found.seed)
    assert len(chosen) == 3


def test_games_without_levels_are_played_with_numbers_that_players_know() -> None:
    assert {*shipped_rulesets(), *offered_rulesets()} == {*PLAYED}
    assert len(set(PLAYED)) == len(PLAYED)
    assert PLAYED[:2] == ("klondike-draw1", "klondike-draw3")
    assert offered_rulesets()[0] == "freecell"
    without = [ruleset for ruleset in offered_rulesets() if ruleset not in shipped_rulesets()]
    assert "yukon" in without
    for ruleset in without:
        rules = parse_ruleset(ruleset)
        with pytest.raises(BadInput, match=f"no levels are known under {ruleset}: expected"):
            playable_deal(ruleset, Band.HARD, "some key")
        found = playable_deal(ruleset, Band.ANY, "some key")
        assert (found.ruleset, found.level, found.level_name) == (ruleset, None, None)
        dealer, seed = parse_deal_id(found.deal)
        assert dealer == usual_dealer(rules)
        assert seed <= dealer.drawn
        assert found.length > 20
    # Microsoft's program has a million numbers.
    assert parse_deal_id(playable_deal("freecell", Band.ANY, "some key").deal)[0].drawn == 10**6


def test_what_cannot_be_played_is_refused() -> None:
    with pytest.raises(BadInput, match="whist"):
        playable_deal("whist", Band.ANY, "")
    with pytest.raises(BadInput, match="no levels are known under klondike-draw2"):
        playable_deal("klondike-draw2", Band.EASY, "")
    found = playable_deal("klondike-draw2", Band.ANY, "")
    assert (found.level, found.level_name) == (None, None)
