"""Tests of how a page says what is wrong."""

import re
import shutil
import sqlite3
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from catalogue.settings import PREFIX
from patience import SECONDS


def script() -> None:
    from dashboard.server.connection import sentences
    from engine.rulesets import parse_ruleset

    with sentences():
        parse_ruleset("whist" * 4_000)


def test_a_sentence_about_an_endless_value_is_cut_in_its_middle() -> None:
    app = AppTest.from_function(script, default_timeout=SECONDS).run()
    assert not app.exception
    (error,) = app.error
    said = re.sub(r"\\(.)", r"\1", error.value)
    assert len(said) < 1_000
    assert said.startswith("Unknown ruleset 'whistwhist")
    assert said.endswith(".")
    # What was expected is long, too, and is folded.
    (folded,) = app.get("html")
    assert re.search(r"<details.*<p>One of \d+, such as klondike-draw3", folded.proto.body)


def page() -> None:
    import streamlit as st

    from dashboard.server.connection import catalogue, sentences

    with sentences(), catalogue().session() as session:
        # Whichever file a connection has open, it is the one that has the name now.
        file = session.connection().exec_driver_sql("SELECT name FROM marked").scalar()
        st.text(file)


def test_a_file_that_takes_the_place_of_another_is_read(
    initialised_sqlite: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "thoughtful.db"
    monkeypatch.setenv(f"{PREFIX}DATABASE_URL", f"sqlite:///{path}")
    for name in ("first", "second"):
        made = Path(shutil.copy(initialised_sqlite, tmp_path / name))
        with sqlite3.connect(made) as connection:
            connection.execute(f"CREATE TABLE marked AS SELECT '{name}' AS name")
        connection.close()
        path.unlink(missing_ok=True)
        made.rename(path)
        app = AppTest.from_function(page, default_timeout=SECONDS).run()
        assert not app.exception
        assert [each.value for each in app.text] == [name]
