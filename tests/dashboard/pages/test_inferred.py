"""Test of what the pages tell of outcomes that follow from other rulesets."""

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from catalogue import store
from catalogue.jobs.queue import submit
from catalogue.jobs.task import read_task
from catalogue.reading.deal_detail import deal_detail
from engine.dealing.dealers import parse_sample
from patience import SECONDS


def done(cat: store.Catalogue, ruleset: str, solver: str, infer: bool) -> None:
    sample = parse_sample("thoughtful-1:0-29")
    number = submit(cat, ruleset, sample, [solver], keep="verdicts", infer=infer)
    task = read_task(cat, number)
    with cat.session() as session:
        work = task.work(session, range(30))
    assert work is not None
    with cat.begin() as session:
        task.store(session, [work.function(*work.arguments)])


@pytest.fixture
def inferred(empty: Path, monkeypatch: pytest.MonkeyPatch) -> store.Catalogue:
    """A catalogue with a deal that is unwinnable because it is so when cards are drawn by one."""
    url = f"sqlite:///{empty}"
    monkeypatch.setenv("THOUGHTFUL_DATABASE_URL", url)
    cat = store.open_catalogue(url)
    done(cat, "klondike-draw1", "dead-end", False)
    done(cat, "klondike-draw3", "dead-end", True)
    return cat


def page(name: str, **query: str) -> AppTest:
    app = AppTest.from_string(f"from dashboard.pages.{name} import show\nshow()")
    for key, value in query.items():
        app.query_params[key] = value
    app.run(timeout=SECONDS)
    assert not app.exception
    return app


@pytest.mark.slow
def test_a_deal_says_what_it_follows_from(inferred: store.Catalogue) -> None:
    detail = deal_detail(inferred, "thoughtful-1:1", quick_seconds=0)
    assert [o.by for o in detail.outcomes if o.follows_from] == ["follows from klondike-draw1"]
    app = page("deal", deal="thoughtful-1:1", rules="klondike-draw3")
    answer = [caption.value for caption in app.caption]
    (follows,) = (text for text in answer if text.startswith("Follows from"))
    assert follows == (
        "Follows from [Klondike, draw 1](./?deal=thoughtful-1:1&rules=klondike-draw1), which "
        "allows more: unwinnable there, it is unwinnable here."
    )
    assert not any("exact search covered" in markdown.value for markdown in app.markdown)
    # What follows is not solved again.
    assert not any("Only the verdict of" in text for text in answer)
    assert not any(button.label.startswith("Solve again") for button in app.button)
    other = page("deal", deal="thoughtful-1:1", rules="klondike-draw1")
    assert not any(caption.value.startswith("Follows from") for caption in other.caption)


@pytest.mark.slow
@pytest.mark.thorough
def test_jobs_say_how_many_deals_were_inferred(inferred: store.Catalogue) -> None:
    answer = [caption.value for caption in page("jobs").caption]
    assert [text for text in answer if text.endswith("deals inferred")] == [
        "dead-end · keeps verdicts · 4 deals inferred"
    ]
