"""Tests of the checks of what follows from other rulesets: damage to it is found."""

import shutil
from pathlib import Path

import pytest
from sqlalchemy import select

from catalogue import store
from catalogue.blocks import EVERYTHING, VERDICTS
from catalogue.jobs.queue import submit
from catalogue.jobs.task import read_task
from catalogue.schema import StatusBlockRow
from catalogue.verify.running import verify
from damages.damage import Damage
from damages.following import DAMAGES
from damages.trying import do
from engine.dealing.dealers import parse_sample

CHECKS = ["blocks", "jobs", "seals", "values"]
# Some under both orders: wins follow from draw 3, proofs from draw 1.
SEEDS = range(24)


def done(
    cat: store.Catalogue, ruleset: str, solver: str, keep: str, infer: bool, seeds: range
) -> None:
    sample = parse_sample(f"thoughtful-1:{seeds.start}-{seeds[-1]}")
    task = read_task(cat, submit(cat, ruleset, sample, [solver], keep=keep, infer=infer))
    with cat.session() as session:
        work = task.work(session, seeds)
    assert work is not None
    with cat.begin() as session:
        task.store(session, [work.function(*work.arguments)])


def fill(cat: store.Catalogue, keep: str, seeds: range = SEEDS) -> None:
    done(cat, "klondike-draw3", "exact(nodes=400)", keep, False, seeds)
    done(cat, "klondike-draw1", "dead-end", keep, True, seeds)
    done(cat, "klondike-draw3-redeals0", "dead-end", keep, True, seeds)


@pytest.fixture(scope="session")
def following(tmp_path_factory: pytest.TempPathFactory, initialised_sqlite: Path) -> Path:
    """The file of a catalogue with deals that other rulesets decide."""
    path = tmp_path_factory.mktemp("following") / "sound.db"
    shutil.copy(initialised_sqlite, path)
    with store.open_catalogue(f"sqlite:///{path}") as cat:
        fill(cat, EVERYTHING)
        assert verify(cat, share=1.0, resolve_share=0.0).faults == ()
    return path


@pytest.mark.parametrize("damage", DAMAGES, ids=lambda damage: damage.kind)
def test_damage_is_found(following: Path, tmp_path: Path, damage: Damage) -> None:
    path = Path(shutil.copy(following, tmp_path / "damaged.db"))
    do(path, damage)
    with store.open_catalogue(f"sqlite:///{path}") as cat:
        faults = [str(fault) for fault in verify(cat, share=1.0, only=CHECKS).faults]
    assert any(damage.said in fault for fault in faults), faults


def test_verdicts_that_follow_are_asked_of_solvers(sqlite_catalogue: store.Catalogue) -> None:
    """Also those of deals that nobody has solved."""
    cat = sqlite_catalogue
    fill(cat, VERDICTS, range(8))
    sound = verify(cat, resolve_share=1.0, only=["blocks", "verdicts"])
    assert sound.faults == ()
    # Of each ruleset all deals that are decided.
    with cat.session() as session:
        decided = session.scalars(select(StatusBlockRow.winnable + StatusBlockRow.unwinnable)).all()
    assert sound.checked["verdict"] == sum(decided)
