"""Tests of the verification page, without a browser."""

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from catalogue.store import open_catalogue
from catalogue.verify.running import verify

PAGE = "from dashboard.pages.verification import show\nshow()"


def shown(path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Everything that the page says."""
    monkeypatch.setenv("THOUGHTFUL_DATABASE_URL", f"sqlite:///{path}")
    page = AppTest.from_string(PAGE, default_timeout=60).run()
    assert not page.exception
    kinds = ("markdown", "caption", "info", "error", "subheader")
    return "\n".join(str(each.value) for kind in kinds for each in getattr(page, kind))


def test_the_last_report_is_shown(
    initialised_sqlite: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = Path(shutil.copy(initialised_sqlite, tmp_path / "one.db"))
    assert "Never verified: run `thoughtful verify`" in shown(path, monkeypatch)
    with open_catalogue(f"sqlite:///{path}") as cat:
        verify(cat, share=0.25, seed=77, record=True)
        text = shown(path, monkeypatch)
        assert "no faults" in text
        assert "replayed 25%, solved again 1%; random seed 77" in text
        with closing(sqlite3.connect(path)) as database:
            database.execute("DELETE FROM seal")
            database.commit()
        verify(cat, only=["seals"], record=True)
    text = shown(path, monkeypatch)
    assert "**1 fault**" in text
    assert "only seals" in text
