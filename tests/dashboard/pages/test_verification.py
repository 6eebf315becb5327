"""Tests of the verification page, without a browser."""

import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from catalogue.store import open_catalogue
from catalogue.verify.record import last_report
from catalogue.verify.running import verify
from dashboard.elements.verifying import VERIFIER, Verifier
from engine.errors import BadInput
from patience import SECONDS, wait_until

PAGE = "from dashboard.pages.verification import show\nshow()"


@pytest.fixture
def verifier() -> Iterator[Verifier]:
    """The one of this process, which a server has to itself."""
    yield VERIFIER
    VERIFIER.stop()


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
    assert "Nothing has been verified yet." in shown(path, monkeypatch)
    with open_catalogue(f"sqlite:///{path}") as cat:
        verify(cat, share=0.25, seed=77, record=True)
        text = shown(path, monkeypatch)
        assert "no faults" in text
        said = text.replace("\N{NO-BREAK SPACE}", " ")
        assert "replayed 25 %, solved again 1 %; random seed 77" in said
        with closing(sqlite3.connect(path)) as database:
            database.execute("DELETE FROM seal")
            database.commit()
        verify(cat, only=["seals"], record=True)
    text = shown(path, monkeypatch)
    assert "**1 fault**" in text
    assert "only seals" in text


@pytest.mark.thorough
def test_a_button_verifies_the_catalogue(
    initialised_sqlite: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, verifier: Verifier
) -> None:
    path = Path(shutil.copy(initialised_sqlite, tmp_path / "one.db"))
    assert "Nothing has been verified yet." in shown(path, monkeypatch)
    page = AppTest.from_string(PAGE, default_timeout=SECONDS).run()
    page.button(key="verify").click().run()
    wait_until(lambda: not verifier.is_running, "the catalogue is verified")
    assert verifier.failure is None
    text = shown(path, monkeypatch)
    assert "no faults" in text
    assert "all checks" in text
    # One that is done cannot be gone on with, which is told in the program's own sentence.
    page = AppTest.from_string(PAGE, default_timeout=SECONDS).run()
    assert [each.key for each in page.button] == ["verify"]
    verifier.begin(resume=True)
    wait_until(lambda: not verifier.is_running, "it is refused")
    assert "the last verification is done" in shown(path, monkeypatch)


@pytest.mark.thorough
def test_a_verification_is_stopped_and_gone_on_with(
    initialised_sqlite: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, verifier: Verifier
) -> None:
    path = Path(shutil.copy(initialised_sqlite, tmp_path / "one.db"))
    shown(path, monkeypatch)
    verifier.begin(resume=False)
    with pytest.raises(BadInput, match="running already"):
        verifier.begin(resume=False)
    page = AppTest.from_string(PAGE, default_timeout=SECONDS).run()
    assert not page.exception
    verifier.stop()
    assert not verifier.is_running
    # It may have been stopped before it had anything to go on with.
    page = AppTest.from_string(PAGE, default_timeout=SECONDS).run()
    page.button[-1].click().run()
    wait_until(lambda: not verifier.is_running, "it has gone on")
    assert verifier.failure is None
    with open_catalogue(f"sqlite:///{path}") as cat:
        report = last_report(cat)
    assert report is not None
    assert report.state == "done"
