"""The file formats of tables: writing and reading them in batches, and how others load them."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any, BinaryIO, Literal, NamedTuple, Protocol, get_args

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet

from engine.errors import BadInput

Format = Literal["parquet", "csv", "jsonl"]
FORMATS: tuple[Format, ...] = get_args(Format)


class Loading(NamedTuple):
    """How others load a format.

    Attributes:
        name: in words.
        media: its media type.
        pandas, polars, duckdb: the readers of those packages, which `polars` calls scan.
        datasets: the loader of the package of that name.
        options: more arguments of the reader of pandas.
    """

    name: str
    media: str
    pandas: str
    polars: str
    duckdb: str
    datasets: str
    options: str = ""


LOADING: dict[Format, Loading] = {
    "parquet": Loading(
        "Parquet",
        "application/x-parquet",
        *("read_parquet", "scan_parquet", "read_parquet", "parquet"),
    ),
    "csv": Loading(
        "CSV with a header line; an empty field is a missing value",
        "text/csv",
        *("read_csv", "scan_csv", "read_csv", "csv"),
    ),
    "jsonl": Loading(
        "JSON lines: one object per line; `null` is a missing value, times are ISO 8601",
        "application/jsonlines",
        *("read_json", "scan_ndjson", "read_json", "json", ", lines=True"),
    ),
}


class Writer(Protocol):
    """Writes batches of rows."""

    def write(self, batch: pa.RecordBatch) -> Any:
        """Write some rows."""


class _JsonLines:
    def __init__(self, file: BinaryIO) -> None:
        self._file = file

    def write(self, batch: pa.RecordBatch) -> None:
        for row in batch.to_pylist():
            line = json.dumps(row, ensure_ascii=False, default=_plain)
            self._file.write(line.encode() + b"\n")


def _plain(value: Any) -> str:
    return value.isoformat() if isinstance(value, datetime) else str(value)


def format_named(text: str) -> Format:
    """A format by its name.

    Raises:
        BadInput: there is none of this name.
    """
    for each in FORMATS:
        if each == text:
            return each
    raise BadInput(f"unknown format {text!r}: expected one of {', '.join(FORMATS)}")


@contextmanager
def writing(file: Path | BinaryIO, form: Format, schema: pa.Schema) -> Iterator[Writer]:
    """A writer of rows to a file or a stream, which is whole at the end of the context."""
    if form == "parquet":
        with pa.parquet.ParquetWriter(file, schema, compression="zstd") as parquet:
            yield parquet
    elif form == "csv":
        with pa.csv.CSVWriter(file, schema) as csv:
            yield csv
    elif isinstance(file, Path):
        with file.open("wb") as stream:
            yield _JsonLines(stream)
    else:
        yield _JsonLines(file)
