"""Tests of values that come with a link, on a page that has nothing else."""

import pytest
from streamlit.testing.v1 import AppTest

from patience import SECONDS


def script() -> None:
    import streamlit as st

    from dashboard.elements.links import check_amount, check_choice, check_number, keep_place

    keep_place()
    number = st.number_input(
        "Number", 0, None, None, 1, key="number", bind=check_number("number", "number")
    )
    page = st.pagination(3, key="page", bind=check_number("page", "page", 1, 3))
    width = st.number_input(
        "Width", 0.5, 2.0, 1.0, key="width", bind=check_amount("width", "width", 0.5, 2.0)
    )
    box = st.checkbox("Box", key="box", bind=check_choice("box", ["true", "false"], "box"))
    st.text(f"{number} {page} {width} {box}")


def opened(**link: str) -> AppTest:
    app = AppTest.from_function(script, default_timeout=SECONDS)
    app.query_params.update(link)
    return app.run()


def test_good_values_are_read_and_kept() -> None:
    link = {"number": "12", "page": "3", "width": "1.5", "box": "true"}
    app = opened(**link)
    assert not app.exception
    assert not app.warning
    assert app.text[0].value == "12 3 1.5 True"
    assert app.query_params == link


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("number", "inf"),
        ("number", "9" * 400),
        ("number", "1e3"),
        ("number", "1_000"),
        ("number", "-1"),
        ("number", "nan"),
        ("page", "0"),
        ("page", "4"),
        ("page", "two"),
        ("width", "inf"),
        ("width", "3"),
        ("box", "TRUE"),
    ],
)
def test_what_is_left_out_is_said_once_and_is_left_out(name: str, value: str) -> None:
    app = opened(**{name: value})
    assert not app.exception
    assert len(app.warning) == 1
    assert app.text[0].value == "None 1 1.0 False"
    assert name not in app.query_params
    app.number_input(key="number").set_value(5).run()
    assert not app.exception
    assert not app.warning
    assert app.text[0].value == "5 1 1.0 False"


def rules_script() -> None:
    import streamlit as st

    from dashboard.elements.links import choose_ruleset, keep_place, read_former_names

    keep_place()
    read_former_names()
    st.text(choose_ruleset(st, ["klondike-draw3", "klondike-draw1", "spider-1"]))


@pytest.mark.parametrize("name", ["rules", "ruleset"])
def test_a_link_names_the_ruleset_as_rules_and_old_links_are_read(name: str) -> None:
    app = AppTest.from_function(rules_script, default_timeout=SECONDS)
    app.query_params[name] = "klondike-draw1"
    app.run()
    assert not app.exception
    assert app.text[0].value == "klondike-draw1"
    assert app.query_params == {"rules": "klondike-draw1"}
    # People read its name, the link has its slug.
    (box,) = app.selectbox
    assert box.options == ["Klondike, draw 3", "Klondike, draw 1", "Spider, 1 suit"]
    box.select("spider-1").run()
    assert not app.exception
    assert app.text[0].value == "spider-1"
    assert app.query_params == {"rules": "spider-1"}


def test_a_wrong_ruleset_of_a_link_is_said_once() -> None:
    app = AppTest.from_function(rules_script, default_timeout=SECONDS)
    app.query_params["rules"] = "bridge"
    app.run()
    assert not app.exception
    (warning,) = app.warning
    assert "bridge" in warning.value
    assert app.text[0].value == "klondike-draw3"
    assert "rules" not in app.query_params
    assert not app.run().warning
