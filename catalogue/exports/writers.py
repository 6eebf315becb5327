"""Writers of the file formats of an export, which write tables in batches."""

import json
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any, BinaryIO, Literal, Self, get_args

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet

Format = Literal["parquet", "csv", "jsonl"]
FORMATS: tuple[Format, ...] = get_args(Format)


class _Parquet:
    def __init__(self, file: Path | BinaryIO, schema: pa.Schema) -> None:
        self._writer = pa.parquet.ParquetWriter(file, schema, compression="zstd")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._writer.close()

    def write(self, batch: pa.RecordBatch) -> None:
        self._writer.write_batch(batch)


class _Csv:
    def __init__(self, file: Path | BinaryIO, schema: pa.Schema) -> None:
        self._writer = pa.csv.CSVWriter(file, schema)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._writer.close()

    def write(self, batch: pa.RecordBatch) -> None:
        self._writer.write(batch)


class _JsonLines:
    def __init__(self, file: Path | BinaryIO, _schema: pa.Schema) -> None:
        self._is_own = isinstance(file, Path)
        self._file = file.open("wb") if isinstance(file, Path) else file

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._is_own:
            self._file.close()

    def write(self, batch: pa.RecordBatch) -> None:
        for row in batch.to_pylist():
            line = json.dumps(row, ensure_ascii=False, default=_plain)
            self._file.write(line.encode() + b"\n")


def _plain(value: Any) -> str:
    return value.isoformat() if isinstance(value, datetime) else str(value)


WRITERS: dict[Format, Callable[[Path | BinaryIO, pa.Schema], Any]] = {
    "parquet": _Parquet,
    "csv": _Csv,
    "jsonl": _JsonLines,
}
