"""Writers of the file formats of an export, which write tables in batches."""

import json
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any, Literal, Self, get_args

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet

Format = Literal["parquet", "csv", "jsonl"]
FORMATS: tuple[Format, ...] = get_args(Format)


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


WRITERS: dict[Format, Callable[[Path, pa.Schema], Any]] = {
    "parquet": _Parquet,
    "csv": _Csv,
    "jsonl": _JsonLines,
}
