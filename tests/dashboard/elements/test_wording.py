"""Tests of the wording of cards, numbers, moments and rules."""

import pytest
from streamlit.testing.v1 import AppTest

from catalogue.difficulty.playable import PLAYED
from catalogue.reproduction.published import as_published
from dashboard.elements import wording
from dashboard.elements.card_text import card_sign, with_signs
from engine.cards import parse_card
from engine.dealing.dealers import Sample
from engine.klondike.rules import PRESETS


def test_cards_get_their_signs() -> None:
    assert card_sign(parse_card("TC")) == "10♣"
    assert with_signs("TC lies under QH, and AS is in a CASE.") == (
        "10♣ lies under Q♥, and A♠ is in a CASE."
    )


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (None, "–"),
        (0.4, "0 s"),
        (59, "59 s"),
        (59.7, "1 min"),
        (3580, "1 h 0 min"),
        (12_000, "3 h 20 min"),
        (90_000, "1 d 1 h"),
    ],
)
def test_durations(seconds: float | None, words: str) -> None:
    assert wording.duration(seconds) == words


def test_numbers() -> None:
    assert wording.percent(0.8195) == "81.95\N{NO-BREAK SPACE}%"
    assert wording.percent(0.99996, 0) == "99.996\N{NO-BREAK SPACE}%"
    assert as_published(81.945, 0.084) == "81.945 ± 0.084"
    assert as_published(91.44259, None) == "91.443"
    assert (wording.count(None), wording.count(1234567)) == ("–", "1,234,567")


def test_rules_are_listed_as_people_look_for_them() -> None:
    slugs = ["alina", "accordion", "freecell", "spider-2", "klondike-draw3", "klondike-draw1"]
    played = ["klondike-draw1", "klondike-draw3", "spider-2", "freecell"]
    assert wording.for_players(slugs) == [*played, "accordion", "alina"]
    # The catalogue begins with the rules that most is known of.
    assert wording.by_preference(slugs)[:2] == ["klondike-draw3", "klondike-draw1"]
    titles = [wording.ruleset_title(slug) for slug in wording.for_players(["spider-2", *PRESETS])]
    rest = [title for title in titles if title not in map(wording.ruleset_title, PLAYED)]
    assert rest == sorted(rest, key=str.casefold)


def test_samples_in_words() -> None:
    assert wording.sample_title(Sample("thoughtful-1", 0, 10_000)) == "deals 0 to 9,999"
    assert wording.sample_title(Sample("thoughtful-1", 13, 1)) == "deal 13"
    assert wording.sample_title(Sample("microsoft", 1, 30)) == "deals 1 to 30 of Microsoft"
    assert wording.sample_title(Sample("pysolfc", 1, 30)) == "deals 1 to 30 of pysolfc"


def test_every_preset_reads_differently() -> None:
    assert len({wording.rules_in_words(slug) for slug in PRESETS}) == len(PRESETS)
    assert wording.rules_in_words("klondike-draw3-redeals1") == (
        "Klondike, 3 cards turned at a time, 1 redeal; parts of a run may move, cards may return "
        "from the foundations."
    )


def test_claims_of_other_programs_are_said_beside_a_bound() -> None:
    def page(claimed: int) -> None:
        from datetime import UTC, datetime

        from catalogue.reading.bounds import BoundPoint
        from catalogue.reading.claims import Claims
        from dashboard.elements.published import show_claims
        from engine.dealing.dealers import Sample

        claims = Claims(claimed, ("lonelybot version 3",) if claimed else ())
        sample = Sample("thoughtful-1", 0, 200)
        point = BoundPoint("klondike-draw3", sample, 200, 0, 200, datetime.now(UTC), claims=claims)
        show_claims(point)

    (answer,) = AppTest.from_function(page, args=(160,)).run().warning
    assert answer.value.startswith("160 of the unwinnable are claimed by lonelybot version 3")
    assert "without them the upper bound is 80.00 %" in answer.value.replace("\\", "")
    assert not AppTest.from_function(page, args=(0,)).run().warning
