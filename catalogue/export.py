"""Writing a selection of the catalogue to files, with a README that explains every column.

Rows are streamed from the database in batches, so memory stays the same however many there are,
and all tables show the catalogue at one moment, even while a job runs.
"""

import json
import secrets
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any, Literal, Self, get_args

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
from sqlalchemy import func, select
from sqlalchemy.orm import Session

from catalogue.export_tables import TABLES, Selection, Table
from catalogue.schema import REVISION
from catalogue.store import Catalogue
from engine.errors import BadInput

Format = Literal["parquet", "csv", "jsonl"]
FORMATS: tuple[Format, ...] = get_args(Format)
README = "README.md"
BATCH = 10_000


@dataclass(frozen=True, slots=True)
class Exported:
    """What an export wrote.

    Attributes:
        directory: where the files are.
        format: one of `FORMATS`.
        rows: how many rows each table has, by its name.
        files: every file written, README included.
    """

    directory: Path
    format: Format
    rows: dict[str, int]
    files: list[Path]


def export(
    cat: Catalogue,
    directory: Path | str,
    *,
    format: Format = "parquet",
    selection: Selection | None = None,
    overwrite: bool = False,
    on_progress: Callable[[str, int, int], None] | None = None,
) -> Exported:
    """Write deals, statuses, outcomes, solutions, dead ends, regrets and bounds, one file each.

    The directory appears when all is written, or not at all.

    Args:
        cat: the catalogue.
        directory: a directory that does not exist yet, or is empty.
        format: ``parquet``, ``csv`` or ``jsonl`` (JSON lines).
        selection: which deals; all of them by default.
        overwrite: also replace an earlier export in that directory.
        on_progress: called with a table's name, its rows so far and their number.

    Raises:
        BadInput: unknown format, a directory that may not be replaced, or one that cannot be
            written to.
    """
    if format not in FORMATS:
        raise BadInput(f"unknown format {format!r}: expected one of {', '.join(FORMATS)}")
    chosen = selection or Selection()
    target = Path(directory).expanduser().absolute()
    _check_replaceable(target, overwrite)
    # Beside the target, so that renaming moves no data.
    token = secrets.token_hex(4)
    partial = target.with_name(f".{target.name}.{token}.part")
    try:
        partial.mkdir(parents=True)
        rows = _write(cat, partial, format, chosen, on_progress)
        _put_in_place(partial, target, target.with_name(f".{target.name}.{token}.old"))
    except OSError as error:
        reason = error.strerror or error
        raise BadInput(f"the export cannot be written to {target}: {reason}") from None
    finally:
        shutil.rmtree(partial, ignore_errors=True)
    return Exported(target, format, rows, sorted(target.iterdir()))


def _check_replaceable(target: Path, overwrite: bool) -> None:
    if not target.exists():
        return
    if not target.is_dir():
        raise BadInput(f"{target} is a file: expected a directory to export to")
    found = {path.name for path in target.iterdir()}
    if not found:
        return
    if not overwrite:
        raise BadInput(f"the directory {target} is not empty: export to a new one or overwrite it")
    # Whatever else lies there is not ours to delete.
    ours = {f"{table.name}.{ending}" for table in TABLES for ending in FORMATS} | {README}
    if foreign := sorted(found - ours):
        raise BadInput(
            f"the directory {target} holds more than an export ({foreign[0]}): "
            "it will not be overwritten"
        )


def _put_in_place(partial: Path, target: Path, old: Path) -> None:
    if target.exists():
        target.rename(old)
    try:
        partial.rename(target)
    except OSError:
        if old.exists():
            old.rename(target)
        raise
    shutil.rmtree(old, ignore_errors=True)


def _write(
    cat: Catalogue,
    directory: Path,
    format: Format,
    selection: Selection,
    on_progress: Callable[[str, int, int], None] | None,
) -> dict[str, int]:
    started = datetime.now(UTC)
    rows = {}
    with cat.session() as session:
        for table in TABLES:
            path = directory / f"{table.name}.{format}"
            rows[table.name] = _write_table(session, path, format, selection, table, on_progress)
    readme = _readme(format, selection, rows, started)
    (directory / README).write_text(readme, encoding="utf-8")
    return rows


def _write_table(
    session: Session,
    path: Path,
    format: Format,
    selection: Selection,
    table: Table,
    on_progress: Callable[[str, int, int], None] | None,
) -> int:
    query = table.query(selection)
    total = 0
    if on_progress is not None:
        unsorted = query.order_by(None).subquery()
        total = session.scalar(select(func.count()).select_from(unsorted)) or 0
        on_progress(table.name, 0, total)
    done = 0
    stream = session.execute(query.execution_options(yield_per=BATCH))
    with _WRITERS[format](path, table.schema) as writer:
        for rows in stream.partitions():
            values = [
                pa.array(column, type=kind.type)
                for column, kind in zip(table.values(rows), table.columns, strict=True)
            ]
            writer.write(pa.record_batch(values, schema=table.schema))
            done += len(rows)
            if on_progress is not None:
                on_progress(table.name, done, total)
    return done


class _Parquet:
    def __init__(self, path: Path, schema: pa.Schema) -> None:
        self._writer = pa.parquet.ParquetWriter(path, schema, compression="zstd")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._writer.close()

    def write(self, batch: pa.RecordBatch) -> None:
        self._writer.write_batch(batch)


class _Csv:
    def __init__(self, path: Path, schema: pa.Schema) -> None:
        self._writer = pa.csv.CSVWriter(path, schema)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._writer.close()

    def write(self, batch: pa.RecordBatch) -> None:
        self._writer.write(batch)


class _JsonLines:
    def __init__(self, path: Path, _schema: pa.Schema) -> None:
        self._file = path.open("w", encoding="utf-8")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def write(self, batch: pa.RecordBatch) -> None:
        for row in batch.to_pylist():
            self._file.write(json.dumps(row, ensure_ascii=False, default=datetime.isoformat))
            self._file.write("\n")


_WRITERS: dict[Format, Callable[[Path, pa.Schema], Any]] = {
    "parquet": _Parquet,
    "csv": _Csv,
    "jsonl": _JsonLines,
}

_WORDS = {
    "parquet": "Parquet",
    "csv": "CSV with a header line; an empty field is a missing value",
    "jsonl": "JSON lines: one object a line; `null` is a missing value, moments are ISO 8601",
}

_LOADED = {
    "parquet": ('pd.read_parquet("statuses.parquet")', "'statuses.parquet'"),
    "csv": ('pd.read_csv("statuses.csv")', "'statuses.csv'"),
    "jsonl": ('pd.read_json("statuses.jsonl", lines=True)', "'statuses.jsonl'"),
}


def _readme(format: Format, selection: Selection, rows: dict[str, int], at: datetime) -> str:
    pandas, duckdb = _LOADED[format]
    lines = [
        "# Solitaire deals, solved",
        "",
        "An export of a Thoughtful catalogue.",
        "",
        f"- Selection: {selection}",
        f"- Taken: {at:%Y-%m-%d %H:%M:%S} UTC, all tables at the same moment",
        f"- Written by: thoughtful {version('thoughtful')}, schema {REVISION}",
        f"- Format: {_WORDS[format]}",
        "",
        "| table | rows | what it holds |",
        "|---|---|---|",
        *(
            f"| [{t.name}.{format}]({t.name}.{format}) | {rows[t.name]} | {t.meaning} |"
            for t in TABLES
        ),
        "",
        "Tables are joined by `deal` and `game`, and by `ruleset`, `solver` and `version` too:",
        "",
        "```python",
        "import pandas as pd",
        f"statuses = {pandas}",
        "",
        "import duckdb",
        f'duckdb.sql("SELECT ruleset, status, count(*) FROM {duckdb} GROUP BY ALL")',
        "```",
        "",
        "**Percentages.** Divide by all deals attempted in a contiguous range of seeds, unresolved "
        "ones too. Divided by the resolved ones only, a share is wrong: quick deals finish first.",
        "Deals brought in by hand are part of no percentage.",
    ]
    for table in TABLES:
        lines += ["", f"## {table.name}", "", table.meaning, "", "| column | type | meaning |"]
        lines.append("|---|---|---|")
        for column in table.columns:
            meaning = column.meaning.replace("|", "\\|")
            lines.append(f"| `{column.name}` | {column.type} | {meaning} |")
    return "\n".join(lines) + "\n"
