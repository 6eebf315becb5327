"""Writing a selection of the catalogue to files, with a README that explains every column.

Rows are streamed in batches, from the database or from one block of seeds at a time, so memory use
does not depend on their number, and all tables show the catalogue at one moment, even while a job
runs.
"""

import secrets
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from catalogue.exports.columns import ExportTable, Source
from catalogue.exports.readme import readme
from catalogue.exports.selection import Selection
from catalogue.exports.tables import tables
from catalogue.exports.writers import FORMATS, WRITERS, Format
from catalogue.store import Catalogue
from engine.errors import BadInput

README = "README.md"
BATCH = 10_000


@dataclass(frozen=True, slots=True)
class Exported:
    """The result of an export.

    Attributes:
        directory: where the files are.
        format: one of `FORMATS`.
        rows: number of rows of each table, by its name.
        files: all files written, README included.
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

    The directory appears only when the export is complete.

    Args:
        cat: the catalogue.
        directory: a directory that does not exist yet, or is empty.
        format: ``parquet``, ``csv`` or ``jsonl`` (JSON lines).
        selection: the deals to export; all of them by default.
        overwrite: also replace an earlier export in that directory.
        on_progress: called with a table's name, its number of rows so far and in total; the latter
            may be too large where deals are selected by status, or verdicts have rows too.

    Raises:
        BadInput: unknown format, or a directory that may not be replaced or cannot be written to.
    """
    if format not in FORMATS:
        raise BadInput(f"unknown format {format!r}: expected one of {', '.join(FORMATS)}")
    chosen = selection or Selection()
    target = Path(directory).expanduser().absolute()
    _check_replaceable(target, overwrite)
    # Next to the target, so that renaming moves no data.
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
    # Foreign files are not ours to delete.
    ours = {f"{table.name}.{ending}" for table in tables() for ending in FORMATS} | {README}
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
    every = tables()
    with cat.session() as session:
        source = Source(cat, session, selection, BATCH)
        for table in every:
            path = directory / f"{table.name}.{format}"
            rows[table.name] = _write_table(source, path, format, table, on_progress)
    text = readme(format, selection, every, rows, started)
    (directory / README).write_text(text, encoding="utf-8")
    return rows


def _write_table(
    source: Source,
    path: Path,
    format: Format,
    table: ExportTable,
    on_progress: Callable[[str, int, int], None] | None,
) -> int:
    total = 0
    if on_progress is not None:
        total = table.count(source)
        on_progress(table.name, 0, total)
    done = 0
    with WRITERS[format](path, table.schema) as writer:
        for batch in table.batches(source):
            writer.write(batch)
            done += batch.num_rows
            if on_progress is not None:
                on_progress(table.name, done, total)
    return done
