"""Every kind of damage with `--everything`: what is found by default is found then too.

Three checks are left out, `verdicts`, `losing-moves` and `traits`: they solve all deals with
another solver, or many positions of each, which takes nearly all of the time. A check that runs as
well can only add faults, so what is found without them is found with them.
"""

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from catalogue import store
from catalogue.verify.checks import CHECKS
from catalogue.verify.running import verify
from damages.blocks import BLOCKS
from damages.difficulty import DIFFICULTY
from damages.facts import FACTS
from damages.jobs import JOBS
from damages.schema import SCHEMA

DAMAGES = (*FACTS, *DIFFICULTY, *BLOCKS, *JOBS, *SCHEMA)
LEFT_OUT = ("verdicts", "losing-moves", "traits")
NAMES = [check.name for check in CHECKS if check.name not in LEFT_OUT]
PARTS = 8


def faults_of(cat: store.Catalogue) -> list[str]:
    report = verify(cat, share=1.0, resolve_share=1.0, only=NAMES)
    return [str(fault) for fault in report.faults]


@pytest.mark.thorough
@pytest.mark.parametrize("part", range(PARTS))
def test_every_damage_is_found_by_everything(sound: Path, tmp_path: Path, part: int) -> None:
    assert len(CHECKS) == len(NAMES) + len(LEFT_OUT)
    path = Path(shutil.copy(sound, tmp_path / "damaged.db"))
    missed = []
    # Opened once, since the queries of a new engine take longer to compile than to run.
    with store.open_catalogue(f"sqlite:///{path}") as cat:
        assert faults_of(cat) == []
        for damage in DAMAGES[part::PARTS]:
            cat.engine.dispose()
            for each in tmp_path.iterdir():
                each.unlink()
            shutil.copy(sound, path)
            with closing(sqlite3.connect(path)) as database:
                database.executescript(
                    f"PRAGMA foreign_keys = OFF; PRAGMA writable_schema = ON; {damage.statements}"
                )
            if not any(damage.said in fault for fault in faults_of(cat)):
                missed.append(damage.kind)
    assert missed == []
