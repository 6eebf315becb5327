"""The contents of a dataset, counted from its files, and whether they are as they were written."""

import hashlib
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv
import pyarrow.json
import pyarrow.parquet

from catalogue.datasets.tables import DatasetTable, dataset_tables
from engine.errors import BadInput

SUMS, COMPLETENESS, PROVENANCE = "SHA256SUMS", "completeness.json", "provenance.json"
_BYTES = 1 << 20


def part_files(directory: Path, table: str) -> list[Path]:
    """The files of a table, in the order of their rows."""
    return sorted((directory / table).glob("*.*"))


def read_batches(path: Path, table: DatasetTable, names: Sequence[str]) -> Iterator[pa.RecordBatch]:
    """Some columns of a file, some rows at a time."""
    kinds = {each.name: each.type for each in table.columns}
    if path.suffix == ".parquet":
        with pyarrow.parquet.ParquetFile(path) as file:
            there = set(file.schema_arrow.names)
            yield from file.iter_batches(columns=[each for each in names if each in there])
    elif path.suffix == ".csv":
        how = pyarrow.csv.ConvertOptions(
            column_types=kinds,
            include_columns=list(names),
            strings_can_be_null=False,
            include_missing_columns=True,
        )
        with pyarrow.csv.open_csv(path, convert_options=how) as reader:
            yield from reader
    elif path.stat().st_size:
        how = pyarrow.json.ParseOptions(explicit_schema=table.schema)
        with pyarrow.json.open_json(path, parse_options=how) as reader:
            for batch in reader:
                yield batch.select(list(names))


def count(directory: Path) -> dict[str, Any]:
    """Count the rows of a dataset: of each table, and of each ruleset and dealer.

    Raises:
        BadInput: a file cannot be read as what its name says.
    """
    tables: dict[str, int] = {}
    parts: dict[tuple[str, str], dict[str, Any]] = {}
    for table in dataset_tables().values():
        tables[table.name] = 0
        for path in part_files(directory, table.name):
            try:
                tables[table.name] += _count_file(path, table, parts)
            except (pa.ArrowException, OSError, KeyError) as error:
                reason = str(error).splitlines()[0]
                raise BadInput(f"{path} is no part of the table {table.name}: {reason}") from None
    return {"rows": tables, "samples": [parts[key] for key in sorted(parts)]}


_COUNTED = {
    "verdicts": ("ruleset", "dealer", "seed", "status", "wins", "proofs", "claims"),
    "solutions": ("ruleset", "dealer", "seed", "made_again"),
    "difficulty": ("ruleset", "dealer", "level"),
}


def _count_file(path: Path, table: DatasetTable, parts: dict[Any, dict[str, Any]]) -> int:
    rows, previous = 0, None
    names = _COUNTED.get(table.name, (table.columns[0].name,))
    for batch in read_batches(path, table, names):
        rows += batch.num_rows
        if table.name not in _COUNTED or not batch.num_rows:
            continue
        key = batch["ruleset"][0].as_py(), batch["dealer"][0].as_py()
        part = parts.setdefault(key, _empty(*key))
        if table.name == "verdicts":
            _add_verdicts(part, batch)
        elif table.name == "difficulty":
            part["with_level"] += batch.num_rows - batch["level"].null_count
        else:
            seeds = batch["seed"].to_pylist()
            # A deal's solutions follow each other.
            part["with_solution"] += sum(
                a != b for a, b in zip(seeds, [previous, *seeds[:-1]], strict=True)
            )
            part["solutions_made_again"] += pc.sum(batch["made_again"]).as_py()
            previous = seeds[-1]
    return rows


def _empty(ruleset: str, dealer: str) -> dict[str, Any]:
    counts = ("deals_attempted", "decided", "winnable", "unwinnable", "undecided")
    more = ("contradictions", "with_solution", "solutions_made_again", "with_level")
    return {
        "ruleset": ruleset,
        "dealer": dealer,
        "first_seed": None,
        "last_seed": None,
        **dict.fromkeys((*counts, *more), 0),
    }


def _add_verdicts(part: dict[str, Any], batch: pa.RecordBatch) -> None:
    ends = pc.min_max(batch["seed"]).as_py()
    first, last = part["first_seed"], part["last_seed"]
    part["first_seed"] = ends["min"] if first is None else min(first, ends["min"])
    part["last_seed"] = ends["max"] if last is None else max(last, ends["max"])
    part["deals_attempted"] += batch.num_rows
    found = {
        each["values"]: each["counts"] for each in pc.value_counts(batch["status"]).to_pylist()
    }
    part["winnable"] += found.get("winnable", 0)
    part["unwinnable"] += found.get("unwinnable", 0)
    part["undecided"] += found.get("unresolved", 0)
    part["decided"] = part["winnable"] + part["unwinnable"]
    both = pc.and_(pc.greater(batch["wins"], 0), pc.greater(batch["proofs"], 0))
    part["contradictions"] += pc.sum(both).as_py()
    # A dataset from before has no such column.
    if "claims" in batch.schema.names and not batch["claims"].null_count:
        on_word = pc.and_(
            pc.equal(batch["status"], "unwinnable"),
            pc.and_(pc.greater(batch["claims"], 0), pc.equal(batch["claims"], batch["proofs"])),
        )
        part["claimed"] = part.get("claimed", 0) + pc.sum(on_word).as_py()


def sum_of(path: Path) -> str:
    """The SHA-256 of a file, in hexadecimal digits."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while some := file.read(_BYTES):
            digest.update(some)
    return digest.hexdigest()


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
        told = json.loads((directory / COMPLETENESS).read_text("utf-8"))
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
        found = count(directory)
    except BadInput as error:
        return [*wrong, str(error)]
    if found != told:
        wrong.append(f"{COMPLETENESS} differs from the counts of the data")
    return wrong
