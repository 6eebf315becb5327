"""Tests of seals: a row has the seal that it was stored with."""

import sqlite3

from catalogue.outcomes.seals import seal_of_row


def test_a_zero_has_one_seal_whatever_its_sign() -> None:
    """SQLite keeps no sign of a zero, as the luck of a deal that every game wins may have one."""
    database = sqlite3.connect(":memory:")
    database.execute("CREATE TABLE features (luck DOUBLE)")
    for luck in (-0.0, 0.0, 1.5):
        database.execute("INSERT INTO features VALUES (?)", (luck,))
        ((stored,),) = database.execute(
            "SELECT luck FROM features WHERE rowid = last_insert_rowid()"
        )
        assert seal_of_row("features", luck) == seal_of_row("features", stored)
    assert seal_of_row("features", 0.0) != seal_of_row("features", 0)
