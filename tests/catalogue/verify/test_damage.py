"""Damage to a small catalogue, column by column: each is found, and what is damaged is named."""

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from catalogue import store
from catalogue.schema import Base
from catalogue.verify.report import VerificationReport
from catalogue.verify.running import verify
from damages.blocks import BLOCKS
from damages.difficulty import DIFFICULTY
from damages.facts import FACTS
from damages.jobs import JOBS
from damages.schema import SCHEMA
from samples import thorough_case


def checked(path: Path, resolve_share: float = 0.0, *only: str) -> VerificationReport:
    with store.open_catalogue(f"sqlite:///{path}") as cat:
        return verify(cat, resolve_share=resolve_share, only=only)


@pytest.fixture
def database(sound: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(sound, tmp_path / "damaged.db"))


def damaged(path: Path, statements: str) -> None:
    """As anybody can with `sqlite3`: nothing is enforced, whatever the schema says."""
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(
            f"PRAGMA foreign_keys = OFF; PRAGMA writable_schema = ON; {statements}"
        )
        schema = ("DROP", "ALTER", "CREATE")
        assert connection.total_changes or any(word in statements for word in schema)


@pytest.mark.thorough
def test_a_sound_catalogue_has_no_fault(sound: Path) -> None:
    report = checked(sound, 1.0)
    assert report.faults == ()
    for kind in ("rerun", "verdict", "losing move", "deal of a block", "job", "bound", "batch"):
        assert report.checked[kind], kind


def test_a_sound_catalogue_has_no_fault_but_for_what_takes_several_solvers(sound: Path) -> None:
    assert checked(sound).faults == ()
    assert checked(sound, 1.0, "reruns", "blocks-again").faults == ()


DAMAGES = {damage.kind: damage for damage in (*FACTS, *DIFFICULTY, *BLOCKS, *JOBS, *SCHEMA)}
# Damages that do not touch each other, so that one run must find all.
TOGETHER = (
    "ruleset.options",
    "deal.digest",
    "deal.cards",
    "solver.version earlier",
    "maker.processor",
    "batch.created_at",
    "outcome.nodes",
    "outcome.cpu_us of an imported deal",
    "outcome.nodes of a retained row",
    "solution.length",
    "dead_end.witness",
    "regret.step",
    "regret.judge_version earlier",
    "trait.luck",
    "trait.level",
    "difficulty.spread",
    "status.proofs",
    "block.made of another",
    "block.cpu_us",
    "status_block.alarms",
    "status_block.cells",
    "job.priority",
    "job_solver.solver_id of another",
    "runner.workers",
    "piece.deals",
    "bound.created_at",
    "verification.findings",
    "index missing",
    "trigger",
)
# Some of the others in `make test`.
FEW = [kind for kind in DAMAGES if kind not in TOGETHER][::40]


def test_damages_together_are_all_found(database: Path) -> None:
    for kind in TOGETHER:
        damaged(database, DAMAGES[kind].statements)
    faults = [str(fault) for fault in checked(database).faults]
    for kind in TOGETHER:
        assert any(DAMAGES[kind].said in fault for fault in faults), kind


@pytest.mark.parametrize(
    "kind", [*FEW, *(thorough_case(kind) for kind in DAMAGES if kind not in FEW)]
)
def test_damage_is_found_and_named(database: Path, kind: str) -> None:
    damaged(database, DAMAGES[kind].statements)
    faults = [str(fault) for fault in checked(database).faults]
    assert any(DAMAGES[kind].said in fault for fault in faults), "\n".join(faults)


def test_every_column_is_damaged() -> None:
    done = {kind.split()[0] for kind in DAMAGES}
    every = {
        f"{table.name}.{column.name}"
        for table in Base.metadata.sorted_tables
        for column in table.columns
    }
    assert every - done == set()
    assert len(DAMAGES) >= 60
