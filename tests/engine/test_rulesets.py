import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import BadInput, Renamed
from engine.game import Rules
from engine.games import game_of
from engine.klondike.rules import (
    BUILDINGS,
    MAX_DRAW,
    MAX_REDEALS,
    PRESETS,
    SPACES,
    KlondikeRules,
    parse_klondike,
)
from engine.rulesets import named_rulesets, parse_ruleset
from engine.spider.rules import PRESETS as SPIDER_PRESETS
from engine.spider.rules import SpiderRules

spider = st.builds(SpiderRules, suits=st.sampled_from([1, 2, 4]), deal_onto_empty=st.booleans())
klondike = st.builds(
    KlondikeRules,
    draw=st.integers(1, MAX_DRAW),
    redeals=st.none() | st.integers(0, MAX_REDEALS),
    partial_runs=st.booleans(),
    worrying_back=st.booleans(),
    building=st.sampled_from(BUILDINGS),
    spaces=st.sampled_from(SPACES),
)
rules = klondike | spider


@given(rules)
def test_slugs_round_trip_over_all_options(some: Rules) -> None:
    assert parse_ruleset(some.slug) == some
    assert str(some) == some.slug


@given(rules, rules)
def test_different_rules_have_different_titles(one: Rules, other: Rules) -> None:
    titles = [game_of(each).rulesets.title(each) for each in (one, other)]
    assert (titles[0] == titles[1]) == (one == other)


@pytest.mark.parametrize(
    ("slug", "title"),
    [
        ("klondike-draw3", "Klondike, draw 3"),
        ("klondike-vegas1", "Klondike, draw 1, no redeal"),
        ("spider-1", "Spider, 1 suit"),
        ("spider-2-relaxed", "Spider, 2 suits, rows onto empty columns"),
    ],
)
def test_players_call_rules_by_their_title(slug: str, title: str) -> None:
    rules = parse_ruleset(slug)
    assert game_of(rules).rulesets.title(rules) == title


@given(rules, rules)
def test_different_rules_have_different_slugs(one: Rules, other: Rules) -> None:
    assert (one == other) == (one.slug == other.slug)


def test_the_presets_are_the_published_rules() -> None:
    assert {name: (r.draw, r.redeals, r.partial_runs, r.worrying_back) for name, r in
            PRESETS.items()} == {
        "klondike-draw3": (3, None, True, True),
        "klondike-draw1": (1, None, True, True),
        "klondike-draw2": (2, None, True, True),
        "klondike-yan": (3, None, False, True),
        "klondike-vegas": (3, 2, True, True),
        "klondike-vegas1": (1, 0, True, True),
    }  # fmt: skip
    for name, preset in PRESETS.items():
        assert preset.slug == name
        assert parse_ruleset(name) == preset
        assert preset.has_usual_tableau


def test_the_slugs_of_what_is_built_and_of_empty_columns() -> None:
    rules = KlondikeRules(2, 1, False, False, "any-suit", "none")
    assert rules.slug == (
        "klondike-draw2-redeals1-whole-runs-no-worrying-back-build-any-suit-spaces-none"
    )
    assert KlondikeRules(building="same-suit").slug == "klondike-draw3-build-same-suit"
    assert KlondikeRules(spaces="any").slug == "klondike-draw3-spaces-any"


@pytest.mark.parametrize("option", ["building", "spaces"])
def test_an_unknown_option_is_refused(option: str) -> None:
    with pytest.raises(BadInput, match=f"{option} 'red' is unknown: expected one of "):
        KlondikeRules(**{option: "red"})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("composed", "preset"),
    [
        ("klondike-draw3-redeals2", "klondike-vegas"),
        ("klondike-draw1-redeals0", "klondike-vegas1"),
        ("klondike-draw3-whole-runs", "klondike-yan"),
    ],
)
def test_a_presets_composed_name_means_the_preset(composed: str, preset: str) -> None:
    assert parse_ruleset(composed).slug == preset


@pytest.mark.parametrize(
    ("slug", "message"),
    [
        ("klondike-draw9x", "unknown ruleset 'klondike-draw9x': expected one of "),
        ("klondike", "unknown ruleset"),
        ("Klondike-draw3", "unknown ruleset"),
        ("klondike-draw0", "unknown ruleset"),
        ("klondike-draw03", "unknown ruleset"),
        ("klondike-draw3 ", "unknown ruleset"),
        ("klondike-draw3-whole-runs-redeals2", "unknown ruleset"),
        ("klondike-draw3-spaces-any-build-any-suit", "unknown ruleset"),
        ("klondike-draw3-build-alternating", "unknown ruleset"),
        ("klondike-draw3-spaces-kings", "unknown ruleset"),
        ("klondike-draw25", "draw 25 is out of range: expected 1 to 24"),
        ("klondike-draw3-redeals1001", "redeals 1001 is out of range: expected 0 to 1000"),
    ],
)
def test_wrong_slugs(slug: str, message: str) -> None:
    with pytest.raises(BadInput) as caught:
        parse_ruleset(slug)
    assert message in str(caught.value)


@pytest.mark.parametrize("options", [{"draw": 0}, {"draw": 25}, {"redeals": -1}])
def test_options_out_of_range(options: dict[str, int]) -> None:
    with pytest.raises(BadInput, match="out of range"):
        KlondikeRules(**options)  # type: ignore[arg-type]


@given(st.text() | st.from_regex(r"klondike-draw[0-9]*(-[a-z0-9]+){0,3}", fullmatch=True))
def test_garbage_is_bad_input_or_a_ruleset(text: str) -> None:
    try:
        found = parse_ruleset(text)
    except BadInput:
        return
    assert parse_ruleset(found.slug) == found


def test_the_presets_of_spider() -> None:
    assert {name: (r.suits, r.deal_onto_empty) for name, r in SPIDER_PRESETS.items()} == {
        "spider-4": (4, False),
        "spider-2": (2, False),
        "spider-1": (1, False),
        "spider-4-relaxed": (4, True),
        "spider-2-relaxed": (2, True),
        "spider-1-relaxed": (1, True),
    }
    named = named_rulesets()
    assert {slug: named[slug] for slug in (*PRESETS, *SPIDER_PRESETS)} == {
        **PRESETS,
        **SPIDER_PRESETS,
    }
    for name, preset in {**PRESETS, **SPIDER_PRESETS}.items():
        assert preset.slug == name
        assert preset.game == name.partition("-")[0]
    assert len(named) > 80


@pytest.mark.parametrize("former", ["spider-2-deal-onto-empty", "spider-2-monkey"])
def test_a_former_name_works_with_a_note(former: str) -> None:
    with pytest.warns(Renamed, match=f"the ruleset {former} is now called spider-2-relaxed"):
        assert parse_ruleset(former).slug == "spider-2-relaxed"


@pytest.mark.parametrize(
    "slug", ["spider", "spider-3", "spider-4-monkey-monkey", "spider-4-relaxed-monkey", "Spider-4"]
)
def test_slugs_that_no_ruleset_of_spider_has(slug: str) -> None:
    said = r"unknown ruleset .*: expected one of \d+, such as .*spider-\d"
    with pytest.raises(BadInput, match=said):
        parse_ruleset(slug)


def test_three_suits_are_not_played() -> None:
    with pytest.raises(BadInput, match="Spider is played with 1, 2 or 4 suits, not 3"):
        SpiderRules(3)


def test_some_things_are_klondikes_alone() -> None:
    assert parse_klondike("klondike-yan") == PRESETS["klondike-yan"]
    with pytest.raises(BadInput) as caught:
        parse_klondike("spider-4")
    assert str(caught.value) == (
        "spider-4 is not a ruleset of Klondike: expected one such as klondike-draw3"
    )
