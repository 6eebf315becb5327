"""Writing tables to files in a directory that appears only when it is complete."""

import secrets
import shutil
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pyarrow as pa

from catalogue.tables.columns import CatalogueTable
from catalogue.tables.formats import Format, Writer, writing
from catalogue.tables.parts import PART, Source
from catalogue.tables.rows import read
from engine.errors import BadInput

# Is told the number of rows so far, and which dealer and block they are of.
Progress = Callable[[int, str], None]


def write_tables(
    source: Source,
    tables: Sequence[CatalogueTable],
    directory: Path,
    form: Format,
    *,
    sharded: bool,
    on_progress: Progress | None = None,
) -> dict[str, int]:
    """Write tables, and return the number of rows of each.

    Args:
        source: where their rows come from.
        tables: the tables.
        directory: where the files are written.
        form: of the files.
        sharded: whether a table is a folder of files, one for each ruleset, dealer and block, whose
            names sort as the rows do, or one file.
        on_progress: is told of the rows that are written.
    """
    rows, written = dict.fromkeys((table.name for table in tables), 0), set[str]()

    def path_of(table: CatalogueTable, shard: str) -> Path:
        written.add(table.name)
        if not sharded:
            return directory / f"{table.name}.{form}"
        (directory / table.name).mkdir(exist_ok=True)
        return directory / table.name / f"{shard}.{form}"

    writers: dict[Path, _Buffer] = {}
    with ExitStack() as files:
        previous = None
        for batch in read(source, tables):
            if sharded and (batch.dealer, batch.block) != previous:
                files.close()
                writers.clear()
            previous = batch.dealer, batch.block
            path = path_of(batch.table, f"{batch.under}.{batch.dealer}.{batch.block:015}")
            if path not in writers:
                writer = files.enter_context(writing(path, form, batch.table.schema))
                writers[path] = _Buffer(writer)
                files.callback(writers[path].flush)
            writers[path].write(batch.rows)
            rows[batch.table.name] += batch.rows.num_rows
            if on_progress is not None:
                place = f"{batch.dealer}, block {batch.block}"
                on_progress(sum(rows.values()), place if batch.under else batch.table.name)
    for table in tables:
        if table.name not in written:
            with writing(path_of(table, "none"), form, table.schema):
                pass  # an empty table has a file, too
    return rows


class _Buffer:
    """Rows on their way to a writer, so that few rows at a time make no row group of their own."""

    def __init__(self, writer: Writer) -> None:
        self._writer = writer
        self._batches: list[pa.RecordBatch] = []

    def write(self, batch: pa.RecordBatch) -> None:
        self._batches.append(batch)
        if sum(each.num_rows for each in self._batches) >= PART:
            self.flush()

    def flush(self) -> None:
        if self._batches:
            for batch in pa.Table.from_batches(self._batches).combine_chunks().to_batches():
                self._writer.write(batch)
            self._batches.clear()


@contextmanager
def complete_directory(
    directory: Path | str, kind: str, ours: Collection[str] = (), hint: str = ""
) -> Iterator[tuple[Path, Path]]:
    """A directory, and one to fill in its place, which gets its name at the end of the context.

    Args:
        directory: one that does not exist yet, is empty, or has nothing but files that may go.
        kind: of what is written, such as ``export``.
        ours: names of files of an earlier one, which may be replaced.
        hint: the end of the sentence that refuses a directory in use.

    Raises:
        BadInput: the directory is in use, or cannot be written to.
    """
    target = Path(directory).expanduser().absolute()
    if target.exists():
        if not target.is_dir():
            raise BadInput(f"{target} is a file: expected a directory to write the {kind} to")
        # Foreign files are not ours to delete.
        if foreign := sorted(path.name for path in target.iterdir() if path.name not in ours):
            raise BadInput(
                f"the directory {target} is in use, by {foreign[0]}: expected one that is new or "
                f"empty for the {kind}{hint}"
            )
    # Next to the target, so that renaming moves no data.
    partial, old = (
        target.with_name(f".{target.name}.{secrets.token_hex(4)}.{end}") for end in ("part", "old")
    )
    try:
        partial.mkdir(parents=True)
        yield target, partial
        if target.exists():
            target.rename(old)
        try:
            partial.rename(target)
        except OSError:
            if old.exists():
                old.rename(target)
            raise
        shutil.rmtree(old, ignore_errors=True)
    except OSError as error:
        reason = error.strerror or error
        raise BadInput(f"the {kind} cannot be written to {target}: {reason}") from None
    finally:
        shutil.rmtree(partial, ignore_errors=True)
