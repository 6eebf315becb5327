"""Damages tried one after another on copies of one catalogue, and which of them are not found."""

import shutil
import sqlite3
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path

from catalogue import store
from catalogue.verify.checks import CHECKS
from catalogue.verify.report import VerificationReport
from damages.blocks import BLOCKS
from damages.damage import Damage
from damages.difficulty import DIFFICULTY
from damages.facts import FACTS
from damages.jobs import JOBS
from damages.ledger import LEDGER
from damages.schema import SCHEMA

# These take most of the time, in this order.
SLOW = ("references", "tables", "values")
QUICK = tuple(check.name for check in CHECKS if check.name not in SLOW)

EVERY = (*FACTS, *DIFFICULTY, *BLOCKS, *JOBS, *LEDGER, *SCHEMA)
DAMAGES = {damage.kind: damage for damage in EVERY}
# Otherwise one of two of a name would never be done.
assert len(DAMAGES) == len(EVERY)


def do(path: Path, damage: Damage) -> None:
    """As anybody can with `sqlite3`: nothing is enforced, whatever the schema says."""
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(
            f"PRAGMA foreign_keys = OFF; PRAGMA writable_schema = ON; {damage.statements}"
        )
        schema = ("DROP", "ALTER", "CREATE")
        assert connection.total_changes or any(word in damage.statements for word in schema)


def missed(
    sound: Path,
    folder: Path,
    damages: Sequence[Damage],
    check: Callable[[store.Catalogue, Sequence[str]], VerificationReport],
    names: Sequence[str],
) -> dict[str, list[str]]:
    """The kinds of damage that are not found and named, each with the faults that are.

    The quick ones of the checks are run first, then the slow ones one by one. A check that runs as
    well can only add faults, so what some find alone is found by all.

    Args:
        sound: the file of a catalogue without a fault.
        folder: an empty one, for the copies.
        damages: each is done to a copy of its own.
        check: runs the checks with these names.
        names: of the checks that must find them.
    """
    path = Path(shutil.copy(sound, folder / "damaged.db"))
    found = {}
    # Opened once, since the queries of a new engine take longer to compile than to run.
    with store.open_catalogue(f"sqlite:///{path}") as cat:
        assert check(cat, names).faults == ()
        slow = [[name] for name in SLOW if name in names]
        parts = [[name for name in QUICK if name in names], *slow]
        for damage in damages:
            cat.engine.dispose()
            for each in folder.iterdir():
                each.unlink()
            shutil.copy(sound, path)
            do(path, damage)
            for only in (*parts, names):
                faults = [str(fault) for fault in check(cat, only).faults]
                if any(damage.said in fault for fault in faults):
                    break
            else:
                found[damage.kind] = faults
    return found
