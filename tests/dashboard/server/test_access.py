"""Tests of who may change something, on a real dashboard with a real sign-in."""

import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psycopg
import pytest
from playwright.sync_api import Page, expect

from browsing import settle
from catalogue import store
from catalogue.jobs.queue import list_jobs, submit
from engine.dealing.dealers import parse_sample
from oidc import Provider, provider
from serving import free_port, serving

pytestmark = [pytest.mark.slow, pytest.mark.thorough]
SUBMITTED = "thoughtful-1:0-9"


@pytest.fixture
def queued(initialised_sqlite: Path, tmp_path: Path) -> str:
    """The URL of a catalogue with one queued job."""
    path = tmp_path / "thoughtful.db"
    shutil.copy(initialised_sqlite, path)
    with store.open_catalogue(f"sqlite:///{path}") as cat:
        submit(cat, "klondike-draw3", parse_sample(SUBMITTED), ["dead-end"])
    return f"sqlite:///{path}"


@pytest.fixture
def identities() -> Iterator[Provider]:
    """A provider of identities."""
    with provider() as made:
        yield made


@pytest.fixture
def guarded(queued: str, identities: Provider, tmp_path: Path) -> Iterator[Callable[..., str]]:
    """Start a dashboard that people sign in to; its address."""
    from contextlib import ExitStack

    with ExitStack() as stack:

        def start(**variables: str) -> str:
            port = free_port()
            secrets = tmp_path / ".streamlit" / "secrets.toml"
            secrets.parent.mkdir()
            secrets.write_text(identities.secrets(f"http://127.0.0.1:{port}"))
            return stack.enter_context(serving(queued, tmp_path, port, **variables))

        yield start


def states(url: str) -> list[str]:
    with store.open_catalogue(url) as cat:
        return [job.state for job in list_jobs(cat)]


def assert_reads_only(page: Page, sentence: str) -> None:
    expect(page.locator(".st-key-job-1")).to_contain_text(SUBMITTED)
    expect(page.get_by_text(sentence)).to_be_visible()
    for name in ("Submit", "Cancel"):
        expect(page.get_by_role("button", name=name)).to_have_count(0)


def test_a_read_only_dashboard_offers_nothing_that_writes(
    page: Page, queued: str, served: Callable[..., str]
) -> None:
    page.goto(f"{served(queued, THOUGHTFUL_READ_ONLY='1')}/jobs")
    assert_reads_only(page, "THOUGHTFUL_READ_ONLY is set: this installation only reads")
    expect(page.get_by_role("button", name="Sign in")).to_have_count(0)


def test_who_is_not_signed_in_reads_only(
    page: Page, queued: str, guarded: Callable[..., str]
) -> None:
    address = guarded()
    page.goto(f"{address}/jobs")
    settle(page)
    assert_reads_only(page, "only those who have signed in can change or start something here")
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_text("Signed in as ada@example.org")).to_be_visible()
    page.goto(f"{address}/jobs")
    settle(page)
    page.get_by_role("button", name="Submit").click()
    expect(page.get_by_text("Job 2 is queued.")).to_be_visible()
    page.locator(".st-key-job-1").get_by_role("button", name="Cancel").click()
    expect(page.get_by_test_id("finished-jobs")).to_contain_text("cancelled")
    assert states(queued) == ["cancelled", "queued"]
    page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_role("button", name="Sign in")).to_be_visible()
    page.goto(f"{address}/jobs")
    expect(page.get_by_text("only those who have signed in")).to_be_visible()


def test_an_identity_that_runs_out_writes_no_more(
    page: Page, queued: str, guarded: Callable[..., str], identities: Provider
) -> None:
    """The buttons are there when the page is drawn; it is the write that is refused."""
    address = guarded()
    seconds = 30
    identities.claims["exp"] = int(time.time()) + seconds
    page.goto(f"{address}/jobs")
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_text("Signed in as")).to_be_visible()
    page.goto(f"{address}/jobs")
    settle(page)
    send = page.get_by_role("button", name="Submit")
    expect(send).to_be_visible()
    page.wait_for_function(f"Date.now() > {1000 * (identities.claims['exp'] + 1)}")
    if send.count():
        send.click()
    expect(page.get_by_text("only those who have signed in").first).to_be_visible()
    assert states(queued) == ["queued"]


@pytest.mark.parametrize(
    "claims",
    [
        {"email": "eve@example.org", "email_verified": True},
        {"email": "ada@example.org", "email_verified": False},
    ],
)
def test_who_is_not_among_the_editors_reads_only(
    page: Page,
    guarded: Callable[..., str],
    identities: Provider,
    claims: dict[str, object],
) -> None:
    identities.claims = claims
    address = guarded(THOUGHTFUL_EDITORS="Ada@Example.org, bob@example.org")
    page.goto(f"{address}/jobs")
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_text("Signed in as")).to_be_visible()
    page.goto(f"{address}/jobs")
    assert_reads_only(page, "your account is not among those")


def test_secrets_that_cannot_be_read_open_nothing(
    page: Page, queued: str, served: Callable[..., str], tmp_path: Path
) -> None:
    secrets = tmp_path / ".streamlit" / "secrets.toml"
    secrets.parent.mkdir()
    secrets.write_text('[auth]\nclient_secret = "top-secret" and more')
    page.goto(f"{served(queued)}/jobs")
    assert_reads_only(page, "cannot be read as TOML, so nobody can sign in")
    assert "top-secret" not in page.content()
    assert all("top-secret" not in log.read_text() for log in tmp_path.glob("*.log"))


def test_a_page_that_takes_too_long_says_so(
    page: Page,
    served: Callable[..., str],
    initialised_postgres: str,
    new_postgres_database: Callable[[str], str],
) -> None:
    """A table that somebody has locked takes for ever; a slow query is no different."""
    url = new_postgres_database(initialised_postgres)
    address = served(url, THOUGHTFUL_QUERY_SECONDS="0.5")
    with psycopg.connect(url) as connection:
        connection.execute("LOCK TABLE ruleset IN ACCESS EXCLUSIVE MODE")
        page.goto(f"{address}/deals")
        expect(page.get_by_text("the database took longer than 0.5 s for this")).to_be_visible()
    page.goto(f"{address}/deals")
    expect(page.get_by_text("Nothing has been solved yet")).to_be_visible()
