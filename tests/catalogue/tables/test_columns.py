"""Tests of the dictionary of columns."""

import csv
from importlib.resources import files

import pyarrow as pa
import pytest

from catalogue.datasets.checking import dataset_tables
from catalogue.tables.columns import columns, tables


def test_every_column_of_the_dictionary_is_of_a_table_and_there_once() -> None:
    text = (files("catalogue.tables") / "dictionary.csv").read_text("utf-8")
    names = [row["name"] for row in csv.DictReader(text.splitlines())]
    assert len(set(names)) == len(names)
    used = {column.name for table in tables().values() for column in table.columns}
    assert used == columns().keys() >= set(names)


def test_every_column_says_what_it_holds() -> None:
    for column in columns().values():
        assert column.meaning
        assert column.source
        assert column.sql_type
        assert "{" not in column.meaning, "a word that was not put in"


def test_a_dataset_has_no_column_that_differs_from_run_to_run() -> None:
    published = {column.name for table in dataset_tables().values() for column in table.columns}
    assert published.isdisjoint({"cpu_ms", "stored_at", "program", "revision", "processor"})
    assert {"deal", "cards", "status", "result", "moves", "level"} <= published


def test_a_batch_takes_the_columns_of_its_table() -> None:
    table = tables()["dead_ends"]
    values = {each.name: [None] for each in table.columns} | {"more": ["left out"]}
    batch = table.batch(values | {"witness": lambda: ["AS KH"]})
    assert batch.schema == table.schema
    assert batch["witness"].to_pylist() == ["AS KH"]
    with pytest.raises(KeyError, match="witness"):
        table.batch({name: value for name, value in values.items() if name != "witness"})
    with pytest.raises(pa.ArrowInvalid):
        table.batch(values | {"version": ["no number"]})
