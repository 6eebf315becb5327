"""The contents of a dataset, counted from its files, and whether they are as they were written."""

import hashlib
import json
from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

import duckdb

from catalogue.tables.columns import CatalogueTable, tables
from engine.errors import BadInput

SUMS, COMPLETENESS, PROVENANCE = "SHA256SUMS", "completeness.json", "provenance.json"
TABLES = ("puzzles", "deals", "statuses", "solutions", "difficulty", "outcomes")
# Rows that are read at once.
_ROWS = 8192
# The readers of DuckDB.
_READERS = {
    ".parquet": "read_parquet(?)",
    ".csv": "read_csv(?, auto_detect = false, header = true, columns = {columns})",
    ".jsonl": "read_json(?, format = 'newline_delimited', columns = {columns})",
}
_COUNTS = {
    "statuses": (
        "min(seed) AS first_seed",
        "max(seed) AS last_seed",
        "count(*) AS deals_attempted",
        "count(*) FILTER (status <> 'unresolved') AS decided",
        "count(*) FILTER (status = 'winnable') AS winnable",
        "count(*) FILTER (status = 'unwinnable') AS unwinnable",
        "count(*) FILTER (status = 'unwinnable' AND claims > 0 AND claims = proofs) AS claimed",
        "count(*) FILTER (status = 'unresolved') AS unresolved",
        "count(*) FILTER (wins > 0 AND proofs > 0) AS contradictions",
    ),
    "solutions": (
        "count(DISTINCT seed) AS with_solution",
        "count(*) FILTER (made_again) AS solutions_made_again",
    ),
    "difficulty": ("count(level) AS with_level",),
}


def dataset_tables() -> dict[str, CatalogueTable]:
    """The tables of a dataset by their names, in the order in which they are described."""
    known = tables()
    return {name: known[name].published for name in TABLES}


def part_files(directory: Path, table: str) -> list[Path]:
    """The files of a table, in the order of their rows."""
    return sorted((directory / table).glob("*.*"))


def read_rows(
    path: Path, table: CatalogueTable, names: Sequence[str], grouped: str = ""
) -> Iterator[list[dict[str, Any]]]:
    """Some columns of a file of a table, or aggregates of them, some rows at a time.

    Raises:
        BadInput: the file cannot be read as what its name says.
    """
    kinds = {each.name: each.sql_type for each in table.columns}
    try:
        reader = _READERS[path.suffix].format(columns=kinds)
        with duckdb.connect() as connection:
            query = f"SELECT {', '.join(names)} FROM {reader} {grouped}"
            found = connection.sql(query, params=[str(path)])
            for batch in found.to_arrow_reader(_ROWS):
                if batch.num_rows:
                    yield batch.to_pylist()
    except (duckdb.Error, KeyError) as error:
        reason = str(error).splitlines()[0]
        raise BadInput(f"{path} is no part of the table {table.name}: {reason}") from None


def count(directory: Path) -> dict[str, Any]:
    """Count the rows of a dataset: of each table, and of each ruleset and dealer.

    Raises:
        BadInput: a file cannot be read as what its name says.
    """
    tables = dataset_tables()
    rows, samples = dict.fromkeys(tables, 0), dict[tuple[str, str], dict[str, Any]]()
    for name, table in tables.items():
        key = ("ruleset", "dealer") if name in _COUNTS else ()
        counted = (*key, *_COUNTS.get(name, ()), "count(*) AS rows")
        for path in part_files(directory, name):
            for found in chain.from_iterable(read_rows(path, table, counted, "GROUP BY ALL")):
                rows[name] += found.pop("rows")
                if key:
                    _add(samples, found)
    return {"rows": rows, "samples": [samples[key] for key in sorted(samples)]}


def _add(samples: dict[tuple[str, str], dict[str, Any]], found: dict[str, Any]) -> None:
    """Add the counts of a file to those of its ruleset and dealer."""
    key = found.pop("ruleset"), found.pop("dealer")
    names = (each.rpartition(" ")[2] for counts in _COUNTS.values() for each in counts)
    none = {"ruleset": key[0], "dealer": key[1], **dict.fromkeys(names, 0)}
    mine = samples.setdefault(key, none | {"first_seed": None, "last_seed": None})
    for name, value in found.items():
        if name.endswith("_seed"):
            ends = {value, value if mine[name] is None else mine[name]}
            mine[name] = min(ends) if name == "first_seed" else max(ends)
        else:
            mine[name] += value


def sum_of(path: Path) -> str:
    """The SHA-256 of a file, in hexadecimal digits."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def all_files(directory: Path) -> list[str]:
    """The files of a dataset but for the checksums, relative to its directory, in order."""
    found = [path.relative_to(directory).as_posix() for path in directory.rglob("*")]
    return sorted(n for n in found if n != SUMS and (directory / n).is_file())


def faults(directory: Path) -> list[str]:
    """The faults of a dataset: checksums, files too many or too few, counts.

    Raises:
        BadInput: the directory holds no dataset.
    """
    try:
        lines = (directory / SUMS).read_text("utf-8").splitlines()
        stored = json.loads((directory / COMPLETENESS).read_text("utf-8"))
    except (OSError, ValueError):
        raise BadInput(
            f"{directory} holds no dataset: expected a directory with {SUMS} and {COMPLETENESS}"
        ) from None
    sums = {name: digest for digest, _, name in (line.partition("  ") for line in lines)}
    present = all_files(directory)
    wrong = [f"{name} is missing" for name in sorted(sums.keys() - set(present))]
    for name in present:
        if name not in sums:
            wrong.append(f"{name} has no checksum in {SUMS}")
        elif sum_of(directory / name) != sums[name]:
            wrong.append(f"{name} differs from its checksum in {SUMS}")
    try:
        if count(directory) != stored:
            wrong.append(f"{COMPLETENESS} differs from the counts of the data")
    except BadInput as error:
        wrong.append(str(error))
    return wrong
