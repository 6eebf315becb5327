"""Damage to a small catalogue, column by column: each is found, and what is damaged is named."""

import shutil
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import pytest

from catalogue import store
from catalogue.schema import Base
from catalogue.verify.checks import CHECKS
from catalogue.verify.report import VerificationReport
from catalogue.verify.running import verify
from damages.following import DAMAGES as FOLLOWING
from damages.trying import DAMAGES, do, missed
from samples import thorough_case


def checked_by_default(cat: store.Catalogue, only: Sequence[str]) -> VerificationReport:
    return verify(cat, resolve_share=0.0, only=only)


def checked(path: Path, resolve_share: float = 0.0, *only: str) -> VerificationReport:
    with store.open_catalogue(f"sqlite:///{path}") as cat:
        return verify(cat, resolve_share=resolve_share, only=only)


@pytest.fixture
def database(sound: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(sound, tmp_path / "damaged.db"))


@pytest.mark.thorough
def test_a_sound_catalogue_has_no_fault(sound: Path) -> None:
    report = checked(sound, 1.0)
    assert report.faults == ()
    for kind in ("rerun", "verdict", "losing move", "deal of a block", "job", "bound", "batch"):
        assert report.checked[kind], kind


def test_a_sound_catalogue_has_no_fault_but_for_what_takes_several_solvers(sound: Path) -> None:
    assert checked(sound).faults == ()
    assert checked(sound, 1.0, "reruns", "blocks-again").faults == ()


# Damages that do not touch each other, so that one run must find all.
TOGETHER = (
    "ruleset.options",
    "deal.digest",
    "deal.cards",
    "solver.version earlier",
    "provenance.processor",
    "batch.created_at",
    "outcome.nodes",
    "outcome.cpu_us of an imported deal",
    "outcome.nodes of a retained row",
    "solution.length",
    "dead_end.witness",
    "regret.step",
    "regret.reference_version earlier",
    "features.luck",
    "features.level",
    "difficulty.spread",
    "status_block.winnable of imported deals",
    "block.provenance of another",
    "block.cpu_us",
    "status_block.alarms",
    "status_block.cells",
    "job.priority",
    "job_solver.solver_id of another",
    "runner.workers",
    "shard.deals",
    "bound.created_at",
    "verification.findings",
    "index missing",
    "trigger",
)
NAMES = [check.name for check in CHECKS]
# Some of the others in `make test`.
FEW = [kind for kind in DAMAGES if kind not in TOGETHER][::40]
REST = [kind for kind in DAMAGES if kind not in FEW]


def test_damages_together_are_all_found(database: Path) -> None:
    for kind in TOGETHER:
        do(database, DAMAGES[kind])
    faults = [str(fault) for fault in checked(database).faults]
    for kind in TOGETHER:
        assert any(DAMAGES[kind].said in fault for fault in faults), kind


@pytest.mark.parametrize("kinds", [FEW, thorough_case(REST)], ids=["few", "rest"])
def test_damage_is_found_and_named(sound: Path, tmp_path: Path, kinds: list[str]) -> None:
    damages = [DAMAGES[kind] for kind in kinds]
    assert missed(sound, tmp_path, damages, checked_by_default, NAMES) == {}


def test_a_view_and_an_index_of_ones_own_are_remarks(database: Path) -> None:
    with closing(sqlite3.connect(database)) as connection:
        connection.executescript(
            "CREATE INDEX my_index ON outcome (nodes); CREATE VIEW my_view AS SELECT * FROM job"
        )
    report = checked(database, 0.0, "tables")
    assert report.faults == ()
    assert report.holds
    assert [remark.partition(":")[0] for remark in report.remarks] == [
        "unknown index",
        "unknown view",
    ]
    assert "my_view" in str(report)


def test_cards_of_imported_deals_are_all_checked_whatever_the_share(database: Path) -> None:
    do(database, DAMAGES["deal.cards"])
    with store.open_catalogue(f"sqlite:///{database}") as cat:
        report = verify(cat, share=0.0, resolve_share=0.0, only=["cards"])
    assert report.checked["imported cards"] == 5
    assert any(DAMAGES["deal.cards"].said in str(fault) for fault in report.faults)


def test_every_column_is_damaged() -> None:
    # The others are in `test_following.py`.
    done = {kind.split()[0] for kind in (*DAMAGES, *(each.kind for each in FOLLOWING))}
    every = {
        f"{table.name}.{column.name}"
        for table in Base.metadata.sorted_tables
        for column in table.columns
    }
    assert every - done == set()
    assert len(DAMAGES) >= 60
