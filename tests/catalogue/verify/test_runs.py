"""Tests of runs of verification: shares, processes, stopping, going on, and the stored report."""

import multiprocessing
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from multiprocessing.process import BaseProcess
from pathlib import Path

import pytest
from sqlalchemy import select, text

from catalogue import processes, store
from catalogue.schema import VerificationRow
from catalogue.verify import dividing, running
from catalogue.verify.checking import checked
from catalogue.verify.checks import CHECKS, check_named
from catalogue.verify.context import CheckOptions, Context
from catalogue.verify.record import last_report
from catalogue.verify.running import resume, verify
from catalogue.verify.shards import CheckShard
from engine.errors import BadInput
from patience import SECONDS, wait_until
from samples import sizes


@pytest.fixture
def path(sound: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(sound, tmp_path / "copy.db"))


def opened(path: Path) -> store.Catalogue:
    return store.open_catalogue(f"sqlite:///{path}")


def test_a_share_is_drawn_by_its_seed_whatever_the_shards(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("catalogue.verify.context.LEAST", 0)
    with opened(path) as cat:
        some = verify(cat, share=0.5, resolve_share=0.0, seed=1)
        assert some == verify(cat, share=0.5, resolve_share=0.0, seed=1)
        assert some != verify(cat, share=0.5, resolve_share=0.0, seed=2)
        assert 0 < some.checked["cards"] < some.sampled["cards"].of == 31
        assert "drawn at random, none wrong: at most" in str(some)
        none = verify(cat, share=0.0, resolve_share=0.0)
        assert none.checked["cards"] == 0
        assert none.checked["imported cards"] == 5
        assert none.sampled["cards"].at_most is None
        assert none.checked["block"] == 8


@pytest.mark.parametrize("backend", ["postgresql"], indirect=True)
def test_tables_that_postgresql_knows_nothing_of_are_analyzed(catalogue: store.Catalogue) -> None:
    known = text("SELECT reltuples >= 0 FROM pg_class WHERE relname = 'outcome'")
    with catalogue.begin() as session:
        session.execute(text("UPDATE pg_class SET reltuples = -1 WHERE relname = 'outcome'"))
    assert not verify(catalogue, only=["blocks"]).faults
    with catalogue.session() as session:
        assert session.scalar(known)


def test_of_few_all_are_checked(path: Path) -> None:
    with opened(path) as cat:
        report = verify(cat, share=0.01, resolve_share=0.0)
        with cat.session() as session:
            stored = session.scalar(text("SELECT count(*) FROM solution"))
    assert 10 < stored == report.checked["solution"] == report.sampled["solution"].of
    assert f"solution: all {stored} were checked, none wrong" in str(report)


@pytest.mark.parametrize("share", [-0.1, 1.5, float("nan")])
def test_a_share_out_of_range(path: Path, share: float) -> None:
    with opened(path) as cat, pytest.raises(BadInput, match="out of range: expected 0 to 1"):
        verify(cat, share=share)


def test_the_stored_report_has_the_moments_of_the_one_that_was_returned(path: Path) -> None:
    with opened(path) as cat:
        returned = verify(cat, only=["tables"], record=True)
        stored = last_report(cat)
    assert stored is not None
    assert (stored.started_at, stored.finished_at) == (returned.started_at, returned.finished_at)


@pytest.mark.parametrize(("former", "name"), [("traits", "features"), ("statuses", "blocks")])
def test_a_check_may_be_named_by_its_former_name(path: Path, former: str, name: str) -> None:
    with opened(path) as cat:
        with pytest.warns(match=f"the check {former} is now called {name}"):
            report = verify(cat, seed=1, resolve_share=1.0, only=[former])
        assert report == verify(cat, seed=1, resolve_share=1.0, only=[name])
    assert any(report.checked.values())


def test_an_unknown_check_and_an_unknown_deal(path: Path) -> None:
    with opened(path) as cat:
        with pytest.raises(BadInput, match="unknown check 'luck': expected one of tables, names"):
            verify(cat, only=["luck"])
        with pytest.raises(BadInput, match="the catalogue has no deal thoughtful-1:99999"):
            verify(cat, deal="thoughtful-1:99999")
        with pytest.raises(BadInput, match="'Bob' is not a deal"):
            verify(cat, deal="Bob")


@pytest.mark.parametrize(
    ("deal", "blocks", "cards"), [("thoughtful-1:3", 6, 2), ("thoughtful-1:100", 5, 0)]
)
def test_a_single_deal_in_either_depth(path: Path, deal: str, blocks: int, cards: int) -> None:
    only = [check.name for check in CHECKS if check.name not in ("verdicts", "losing-moves")]
    with opened(path) as cat:
        report = verify(cat, deal=deal, only=only)
    assert report.faults == ()
    assert report.checked["block"] == blocks
    assert report.checked["cards"] >= cards
    assert report.checked["deal of a block"] == 2
    assert "job" not in report.checked


@pytest.mark.parametrize("workers", sizes(1, 2))
def test_processes_find_the_same(path: Path, workers: int) -> None:
    with closing(sqlite3.connect(path)) as database:
        database.execute("UPDATE outcome SET cpu_us = 5 WHERE deal_id = 3")
        database.commit()
    with opened(path) as cat:
        here = verify(cat, resolve_share=0.0, seed=1)
        there = verify(cat, resolve_share=0.0, seed=1, workers=workers)
    assert here == there
    assert here.found > 2


@pytest.mark.parametrize("name", ["blocks-again", "verdicts"])
def test_a_full_block_is_solved_again_in_many_shards(path: Path, name: str) -> None:
    """So that all workers share it, and what is stopped within it goes on within it."""
    check, options = check_named(name), CheckOptions(1.0, 1.0, 1)
    with opened(path) as cat:
        few = len(list(dividing.shards_of(check, Context(cat, options))))
    with closing(sqlite3.connect(path)) as database:
        database.execute("UPDATE block SET attempted = 65536 WHERE rowed < attempted")
        database.commit()
    with opened(path) as cat:
        context = Context(cat, options)
        made = list(dividing.shards_of(check, context))
        assert len(made) >= few + 15
        assert len({str(shard) for shard in made}) == len(made)
        for at in (0, 7, len(made) - 1):
            assert list(dividing.shards_of(check, context, made[at])) == made[at + 1 :]


def test_what_was_stopped_goes_on(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Interrupted after every few shards, again and again, it finds what one run finds."""
    with closing(sqlite3.connect(path)) as database:
        database.execute("UPDATE outcome SET cpu_us = 5 WHERE deal_id = 3")
        database.execute("UPDATE regret SET length = 5")
        database.commit()
    monkeypatch.setattr(running, "SAVE_SECONDS", 0.0)
    # Of a block that is interrupted, only the slices that are left are checked.
    monkeypatch.setattr(dividing, "SLICE", 4_096)
    with closing(sqlite3.connect(path)) as database:
        database.execute("UPDATE block SET attempted = 5000 WHERE rowed < attempted")
        database.commit()
    with opened(path) as cat:
        whole = verify(cat, resolve_share=0.0, seed=1)
        passed = 0

        def interrupt(_check: str, _done: int) -> None:
            nonlocal passed
            passed += 1
            if passed % 9 == 0:
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            verify(cat, resolve_share=0.0, seed=1, record=True, on_progress=interrupt)
        stopped = last_report(cat)
        assert stopped is not None
        assert stopped.state == "stopped"
        assert "--resume" in str(stopped)
        report, interruptions = None, 1
        while report is None:
            try:
                report = resume(cat, on_progress=interrupt)
            except KeyboardInterrupt:
                interruptions += 1
        assert interruptions > 5
        # It has a row itself, which has a seal.
        whole.checked["seal"] += 1
        assert report == whole
        assert report.sampled["deal of a block"].of == 240
        last = last_report(cat)
        assert last == whole
        assert last is not None
        assert last.number == stopped.number
        # Its row is sealed like the others.
        assert verify(cat, only=["seals"]).faults == ()
        with pytest.raises(BadInput, match="the last verification is done"):
            resume(cat)


def test_what_another_version_began_is_not_gone_on_with(
    sqlite_catalogue: store.Catalogue,
) -> None:
    """Options that it did not have would leave checks out."""

    def interrupt(_check: str, _done: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        verify(sqlite_catalogue, record=True, on_progress=interrupt)
    with sqlite_catalogue.begin() as session:
        row = session.scalars(select(VerificationRow)).one()
        row.options = {name: row.options[name] for name in row.options if name != "last_batch"}
    with pytest.raises(BadInput, match="begun by another version of the program"):
        resume(sqlite_catalogue)


def test_nothing_to_go_on_with(sqlite_catalogue: store.Catalogue) -> None:
    assert last_report(sqlite_catalogue) is None
    with pytest.raises(BadInput, match="there is no verification to go on with"):
        resume(sqlite_catalogue)


def test_a_catalogue_that_may_only_be_read_is_verified(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("THOUGHTFUL_READ_ONLY", "1")
    with opened(path) as cat:
        report = verify(cat, only=["tables"], record=True)
    assert report.holds
    assert report.number is None
    assert "the report is not stored: THOUGHTFUL_READ_ONLY is set" in str(report)


def test_a_shard_that_ends_its_process_is_a_fault(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with opened(path) as cat:
        context = Context(cat, CheckOptions(1.0, 0.0, 1))
        shards = [
            CheckShard("solutions", "solution"),
            *dividing.shards_of(check_named("blocks"), context, None),
        ]

        killed: list[BaseProcess] = []

        def kill() -> None:
            if not killed:
                killed.extend(multiprocessing.active_children())
                killed[0].kill()

        monkeypatch.setattr(processes, "WAIT_SECONDS", 0.01)  # the process has not even begun
        found = dict(checked(context, shards, 1, kill))
    assert not any(found[shard].faults for shard in shards[1:])
    (fault,) = found[shards[0]].faults
    assert (fault.kind, "ended with code -9" in fault.what) == ("check", True)


def test_one_unreadable_row_is_named_and_the_others_are_checked(path: Path) -> None:
    with closing(sqlite3.connect(path)) as database:
        database.execute("UPDATE solution SET moves = 'text' WHERE deal_id = 3")
        database.commit()
    with opened(path) as cat:
        report = verify(cat, only=["solutions"])
    assert report.faults
    assert all("thoughtful-1:2 by" in fault.where for fault in report.faults)
    assert report.checked["solution"] + len(report.faults) >= 16


@pytest.mark.thorough
def test_ctrl_c_stops_it_within_two_seconds(path: Path) -> None:
    """In the middle of searches that take long, with processes."""
    environment = {**os.environ, "THOUGHTFUL_DATABASE_URL": f"sqlite:///{path}"}
    command = [sys.executable, "-m", "thoughtful", "verify", "--everything", "--workers", "2"]
    process = subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )

    def started() -> bool:
        with opened(path) as cat:
            last = last_report(cat)
        return last is not None and last.number == 2 and last.checked.get("block", 0) > 0

    wait_until(started, "the second verification has stored what it checked")
    before = time.monotonic()
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=SECONDS)
    assert time.monotonic() - before < 2
    assert process.returncode == 130
    with opened(path) as cat:
        last = last_report(cat)
    assert last is not None
    assert last.state in ("stopped", "running")
