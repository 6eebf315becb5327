"""Tests of the checks of inferred outcomes: damage to them and to their sources is found."""

import shutil
from pathlib import Path

import numpy as np
import pytest

from catalogue import store
from catalogue.blocks import EVERYTHING, VERDICTS, WON, Outcomes
from catalogue.jobs.queue import submit
from catalogue.jobs.task import read_task
from catalogue.schema import BlockRow
from catalogue.verify.running import verify
from damages.damage import Damage
from damages.inferred import DAMAGES
from damages.trying import do
from engine.dealing.dealers import parse_sample
from verified import key_of, rewritten

CHECKS = ["names", "inferred", "translations"]
# Some under both orders: wins follow from draw 3, proofs from draw 1.
SEEDS = range(24)


def done(cat: store.Catalogue, ruleset: str, solver: str, keep: str, infer: bool) -> None:
    sample = parse_sample(f"thoughtful-1:{SEEDS.start}-{SEEDS[-1]}")
    task = read_task(cat, submit(cat, ruleset, sample, [solver], keep=keep, infer=infer))
    with cat.session() as session:
        work = task.work(session, SEEDS)
    assert work is not None
    with cat.begin() as session:
        task.store(session, [work.function(*work.arguments)])


def fill(cat: store.Catalogue, keep: str) -> None:
    done(cat, "klondike-draw3", "exact(nodes=400)", keep, False)
    done(cat, "klondike-draw1", "dead-end", keep, True)
    done(cat, "klondike-draw3-redeals0", "dead-end", keep, True)


@pytest.fixture(scope="session")
def inferred(tmp_path_factory: pytest.TempPathFactory, initialised_sqlite: Path) -> Path:
    """The file of a catalogue with inferred outcomes."""
    path = tmp_path_factory.mktemp("inferred") / "sound.db"
    shutil.copy(initialised_sqlite, path)
    with store.open_catalogue(f"sqlite:///{path}") as cat:
        fill(cat, EVERYTHING)
        found = verify(cat, only=CHECKS)
        assert found.faults == ()
        assert found.checked["inferred outcome"] > found.checked["translation"] > 0
    return path


@pytest.mark.parametrize("damage", DAMAGES, ids=lambda damage: damage.kind)
def test_damage_is_found(inferred: Path, tmp_path: Path, damage: Damage) -> None:
    path = Path(shutil.copy(inferred, tmp_path / "damaged.db"))
    do(path, damage)
    with store.open_catalogue(f"sqlite:///{path}") as cat:
        faults = [str(fault) for fault in verify(cat, share=1.0, only=CHECKS).faults]
    assert any(damage.said in fault for fault in faults), faults


def test_verdicts_are_held_against_their_sources(sqlite_catalogue: store.Catalogue) -> None:
    """The source is solved again, and its solution translated; a verdict too many is found."""
    cat = sqlite_catalogue
    fill(cat, VERDICTS)
    sound = verify(cat, resolve_share=1.0, only=CHECKS)
    assert sound.faults == ()
    assert sound.checked["translation"] > 0
    with cat.begin() as session:
        key = key_of(session, "inferred", "klondike-draw1")
        columns = Outcomes.decode(session.get_one(BlockRow, key).columns)
        at = int(np.flatnonzero(columns.result == 0)[0])
        columns.result[at] = WON
        columns.nodes[at] = 0
        rewritten(session, key, columns)
    faults = verify(cat, only=CHECKS).faults
    assert [fault.where.split()[0] for fault in faults] == [f"thoughtful-1:{columns.first + at}"]
    assert "not so under klondike-draw3" in faults[0].what
