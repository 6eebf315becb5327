"""Garbage in every link, field and upload of the pages: one sentence, and the page goes on.

The page that answers questions and the HTTP API have tests of their own.
"""

import re
import shutil
import sqlite3
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from streamlit.components.v2.component_manager import BidiComponentManager
from streamlit.testing.v1 import AppTest

import dashboard
from catalogue import asking
from patience import SECONDS
from samples import sizes

ENTRY = Path(dashboard.__file__).parent / "pages" / "app.py"

# Good links. With those that the page's own fields write they hold every parameter that it reads.
LINKS: dict[str, list[dict[str, str]]] = {
    "overview": [{}],
    "deal": [
        {"deal": "thoughtful-1:3", "rules": "klondike-draw1", "view": "board", "line": "T T"},
    ],
    "deals": [{}],
    "find": [{"after": "thoughtful-1:1"}],
    # Of the other ruleset only one solver is known, and another is offered.
    "compare": [{}, {"ruleset": "klondike-draw1"}],
    "bounds": [{}],
    "atlas": [{}],
    "difficulty": [{}],
    "downloads": [{}],
    "fairness": [{}],
    "jobs": [{}],
    "verification": [{}],
}
# Pages with fields that a visitor types in, or uploads to.
WITH_FIELDS = ("deal", "deals", "find", "compare", "bounds", "atlas")
WITH_FIELDS += ("downloads", "fairness", "jobs")
# The root has the overview and the deals' pages, as the entry script decides.
AT_ROOT = ("overview", "deal")

# Inputs of a page whose parameters or fields do not have some each.
FEWEST = 2
# No page reads anything that contains it.
SKULL = "☠"
# The longest sentence that is still read.
LONGEST = 810

HANDS = "JC TD 9D 4S 4H KC 2S 7D QH 5C\n2C 3C 4C 5C 6C 7C 8C 9C TC JC"
NEARLY = [
    *("thoughtful-1:42", "thoughtful-1:18446744073709551615", "thoughtful-1:0-119", "pysolfc:1-9"),
    *("klondike-draw3", "klondike-draw2", "spider-4", "klondike(draw=3)", "won", "unresolved"),
    *("search nodes", "nodes", "largest first", "down", "any", "-", "any kind", "relaxed", "cpu"),
    *("first won, second not won", "won.not-won", "worrying-back", "true", "replay", "board"),
    *("exact(nodes=20000)", "dead-end v2", "0", "1", "12", "2.50", "1e3", "1_000", "0-999"),
    *("T T W3 26 7F", "2026-11-01", "٣", "NaN", "inf", "-Infinity", "9" * 15, "9" * 400),
    *("9" * 5000, f"thoughtful-1:{'9' * 5000}", f"thoughtful-1:0-{'9' * 5000}", HANDS),
    *("../../etc/passwd", "' OR 1=1 --", "<script>alert(1)</script>", "[x](y) `z` $x$"),
    *("tries,wins,hand\n50,0,thoughtful-1:3", '{"tableau": [["QH"]], "stock": [', "[" * 9999),
]


def values() -> st.SearchStrategy[str]:
    """Text of any kind: junk, numbers, and what can nearly be read."""
    junk = st.text(st.characters(codec="utf-8"), max_size=12) | st.sampled_from(
        ["\0", "\n", "-", "1", "e9", ":", "\x1b", "\u202e", "\u2028", "`", SKULL]
    )

    def spoilt(text: str, junk: str, at: int, drop: int) -> str:
        return text[:at] + junk + text[at + drop :]

    return st.one_of(
        junk,
        st.builds(spoilt, st.sampled_from(NEARLY), junk, st.integers(0, 30), st.integers(0, 4)),
        st.sampled_from(NEARLY),
        st.builds(lambda text, times: text * times, junk, st.integers(100, 2_000)),
        st.one_of(st.integers(), st.integers(-(10**40), 10**40), st.floats()).map(str),
    )


def try_out(
    test: Callable[..., None], each: int, places: Sequence[Any], *more: st.SearchStrategy[Any]
) -> None:
    """Try garbage `each` times at each of the places of a page, or else a few times at any."""
    tried = settings(
        max_examples=each or FEWEST, deadline=None, suppress_health_check=list(HealthCheck)
    )
    # Drawn among all, some would hardly ever be tried.
    for some in [[place] for place in places] if each else [places]:
        tried(given(st.sampled_from(some), *more)(test))()


def script(page: str) -> None:
    from importlib import import_module

    from dashboard.elements.links import keep_place
    from dashboard.server.connection import sentences

    keep_place()
    with sentences():
        import_module(f"dashboard.pages.{page}").show()


def opened(page: str, link: dict[str, Any]) -> AppTest:
    """A page as the first that a visitor opens."""
    if page in AT_ROOT:
        app = AppTest.from_file(ENTRY, default_timeout=SECONDS)
    else:
        app = AppTest.from_function(script, default_timeout=SECONDS, args=(page,))
    app.query_params.update(link)
    return app.run()


def answer(app: AppTest) -> list[str]:
    """The sentences about wrong input; an exception is none."""
    assert not app.exception
    sentences = [each.value for each in (*app.error, *app.warning)]
    for sentence in sentences:
        assert sentence.strip()
        assert "Traceback" not in sentence
        assert len(re.sub(r"\\(.)", r"\1", sentence)) <= LONGEST
    return sentences


def bound(app: AppTest) -> dict[str, Any]:
    """The fields that a link fills in, by their names in it."""
    fields = {getattr(getattr(each, "proto", None), "query_param_key", ""): each for each in app}
    return {name: field for name, field in fields.items() if name}


def is_default(field: Any, value: str) -> bool:
    """Whether a field has a value that a link may leave out."""
    if field.type == "selectbox":
        return bool(value == field.options[field.index])
    if field.type == "checkbox":
        return value.lower() == str(field.value).lower()
    if field.type == "text_input":
        return bool(value == field.value)
    return field.value is not None and float(value) == field.value


@pytest.fixture
def served(filled: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file of a catalogue that every page reads, and that jobs may be written to."""
    path = Path(shutil.copy(filled, tmp_path / "thoughtful.db"))
    monkeypatch.setenv("THOUGHTFUL_DATABASE_URL", f"sqlite:///{path}")
    # Reading alone is meant; what is read is searched for no time.
    monkeypatch.setattr(asking, "MILLISECONDS", 0.0)
    # Each session would look for components among all packages, longer than a page takes.
    monkeypatch.setattr(
        BidiComponentManager, "discover_and_register_components", lambda self, **_: None
    )
    return path


@pytest.mark.parametrize("each", sizes(0, 4))
@pytest.mark.parametrize("page", LINKS)
@pytest.mark.usefixtures("served")
def test_garbage_in_a_link_is_one_sentence(page: str, each: int) -> None:
    fields = [bound(opened(page, link)) for link in LINKS[page]]
    names = [(at, name) for at, link in enumerate(LINKS[page]) for name in {**fields[at], **link}]

    def follow(place: tuple[int, str], value: str, before: str | None) -> None:
        at, name = place
        app = opened(
            page, {**LINKS[page][at], name: [value] if before is None else [before, value]}
        )
        said = answer(app)
        assert len(said) <= 1
        if names and SKULL in value:
            assert said
        if app.warning:
            # It was said that the value is left out.
            assert name not in app.query_params
        elif name in fields[at] and not said and name not in app.query_params:
            assert is_default(fields[at][name], value)

    try_out(follow, each, names or [(0, "anything")], values(), st.none() | values())
    for link in LINKS[page]:
        assert answer(opened(page, link)) == []


@pytest.mark.parametrize(
    ("page", "name", "option"),
    [
        ("deals", "sort", "nodes"),
        ("deals", "dead_end", "any"),
        ("find", "needs", "worrying-back"),
    ],
)
@pytest.mark.usefixtures("served")
def test_an_option_that_a_link_names_in_other_words_is_told_of(
    page: str, name: str, option: str
) -> None:
    (sentence,) = answer(opened(page, {name: option}))
    assert "is none of those here" in sentence


def typed_in(app: AppTest) -> list[Any]:
    """The fields that take more than a choice of what the page offers."""
    choices = [each for each in (*app.selectbox, *app.multiselect) if each.proto.accept_new_options]
    free = (*app.text_input, *app.text_area, *app.number_input, *app.file_uploader)
    return [*free, *choices]


def fill(field: Any, value: str, number: float, uploaded: bytes) -> None:
    """Give a field what it can send."""
    match field.type:
        case "number_input":
            field.set_value(number)
        case "file_uploader":
            # The browser sends no file of another ending, and Streamlit takes no other name.
            name = "".join(filter(str.isprintable, value[:100]))
            field.set_value((f"{name}.csv", uploaded, "text/csv"))
        case "selectbox":
            field.options.append(value)
            field.set_value(value)
        case "multiselect":
            field.options.append(value)
            field.set_value([*field.value, value])
        case _:
            field.set_value(value)


def sent(app: AppTest, field: Any) -> AppTest:
    """The page after a field was filled in, and its form sent."""
    forms = [each for each in app.button if each.form_id and each.form_id == field.proto.form_id]
    return forms[0].click().run() if forms else app.run()


def forget_jobs(path: Path) -> None:
    """Forget what the last visitor submitted: the next one would see a longer and longer list."""
    with closing(sqlite3.connect(path)) as connection, connection:
        for table in ("shard", "job_solver"):
            connection.execute(
                f"DELETE FROM {table} WHERE job_id IN (SELECT id FROM job WHERE state = 'queued')"
            )
        connection.execute("DELETE FROM job WHERE state = 'queued'")


@pytest.mark.parametrize("each", sizes(0, 4))
@pytest.mark.parametrize("page", WITH_FIELDS)
def test_garbage_in_a_field_is_one_sentence(page: str, each: int, served: Path) -> None:
    link = LINKS[page][0]
    fields = len(typed_in(opened(page, link)))

    def send(at: int, value: str, number: float, uploaded: bytes) -> None:
        app = opened(page, link)
        field = typed_in(app)[at]
        fill(field, value, number, uploaded)
        sent(app, field)
        said = answer(app)
        assert len(said) <= 1
        if SKULL in value and field.type not in ("number_input", "file_uploader"):
            assert said
        forget_jobs(served)

    # An infinite number can be typed in nowhere.
    numbers = st.integers(-(2**62), 2**62) | st.floats(allow_nan=False, allow_infinity=False)
    files = st.binary(max_size=60) | values().map(lambda text: text.encode())
    try_out(send, each, range(fields), values(), numbers, files)
    assert answer(opened(page, link)) == []
