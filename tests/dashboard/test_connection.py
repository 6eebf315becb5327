"""Tests of how a page says what is wrong."""

import re

from streamlit.testing.v1 import AppTest

from patience import SECONDS


def script() -> None:
    from dashboard.connection import sentences
    from engine.rulesets import parse_ruleset

    with sentences():
        parse_ruleset("whist" * 4_000)


def test_a_sentence_about_an_endless_value_is_cut_in_its_middle() -> None:
    app = AppTest.from_function(script, default_timeout=SECONDS).run()
    assert not app.exception
    (error,) = app.error
    said = re.sub(r"\\(.)", r"\1", error.value)
    assert len(said) < 1_000
    assert said.startswith("unknown ruleset 'whistwhist")
    assert "expected one of klondike-draw3" in said
