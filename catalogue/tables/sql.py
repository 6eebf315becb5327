"""Questions in SQL: DuckDB over the tables, each read when a query first names it.

The catalogue itself is not reachable from there: a query sees copies of the tables, and nothing of
the file system or the network.
"""

import json
import re
import tempfile
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from itertools import chain, count
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa

from catalogue.store import Catalogue
from catalogue.tables.columns import CatalogueTable, tables
from catalogue.tables.parts import Source
from catalogue.tables.rows import read
from catalogue.tables.selection import Selection
from engine.errors import BadInput

# "Binder Error: " and the like, which DuckDB's sentences begin with.
_KIND_OF_ERROR = re.compile(r"^[A-Z]\w+(?: [A-Z]\w+)* Error: ")
_NO_TABLE = re.compile(r"Table with name (\S+) does not exist")
# Rows that are read from the catalogue, and handed out, at once.
BATCH = 10_000
# Begins to show progress; what it gives is called with rows read so far, and of which table.
Progress = Callable[[], AbstractContextManager[Callable[[int, str], None]]]


class SqlTables:
    """The tables of a catalogue for queries in SQL.

    Args:
        cat: the catalogue.
        connection: an empty database of DuckDB.
        selection: the deals and rulesets that the tables are limited to.
        progress: how reading is shown.
    """

    def __init__(
        self,
        cat: Catalogue,
        connection: duckdb.DuckDBPyConnection,
        selection: Selection,
        progress: Progress,
    ) -> None:
        self.cat = cat
        self.selection = selection
        self._connection = connection
        self._progress = progress
        self._unread = tables()
        for table in self._unread.values():
            self._create(table)

    def split(self, text: str) -> list[str]:
        """The queries of a text, which semicolons part.

        Raises:
            BadInput: it is no SQL.
        """
        with _in_a_sentence():
            return [each.query for each in self._connection.extract_statements(text)]

    def query(self, text: str) -> pa.RecordBatchReader:
        """The rows of one query.

        Raises:
            BadInput: it is no query, names what does not exist, or fails.
        """
        with _in_a_sentence():
            (tree_text,) = self._row("SELECT json_serialize_sql(?::VARCHAR)", text)
            tree = json.loads(tree_text)
            if tree["error"]:
                raise BadInput(_refusal(tree["error_message"]))
            if len(tree["statements"]) != 1:
                raise BadInput(f"{len(tree['statements'])} queries at once: expected one")
            # This says what is wrong before anything is read.
            self._connection.execute(f"EXPLAIN {text}")
            self._read(set(_tables_of(tree)))
            return _with_own_names(self._connection.sql(text).to_arrow_reader(BATCH))

    def _row(self, text: str, *values: Any) -> tuple[Any, ...]:
        row: tuple[Any, ...] | None = self._connection.execute(text, list(values)).fetchone()
        assert row is not None
        return row

    def _create(self, table: CatalogueTable) -> None:
        columns = ", ".join(f'"{each.name}" {each.sql_type}' for each in table.columns)
        self._connection.execute(f"CREATE TABLE {table.name} ({columns})")

    def _read(self, names: set[str]) -> None:
        """Copy tables, all of the same moment, that have not been copied yet."""
        wanted = [table for name, table in self._unread.items() if name in names]
        if not wanted:
            return
        rows = 0
        with self.cat.session() as session, self._progress() as advance, self._transaction():
            for batch in read(Source.of(session, self.selection), wanted):
                arriving = pa.Table.from_batches([batch.rows])
                self._connection.register("arriving", arriving)
                self._connection.execute(f"INSERT INTO {batch.table.name} FROM arriving")
                rows += batch.rows.num_rows
                advance(rows, batch.table.name)
        for table in wanted:
            del self._unread[table.name]

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        """Keep all that is read, or nothing of it: a query after a failure reads it again."""
        self._connection.begin()
        try:
            yield
            self._connection.commit()
        except BaseException:
            self._connection.rollback()
            raise
        finally:
            self._connection.unregister("arriving")


@contextmanager
def sql_tables(
    cat: Catalogue,
    selection: Selection | None = None,
    progress: Progress = lambda: nullcontext(lambda _done, _remark: None),
) -> Iterator[SqlTables]:
    """Tables for queries, which leave nothing behind; see `SqlTables`.

    What does not fit into memory lies in a temporary file meanwhile.
    """
    with (
        tempfile.TemporaryDirectory(prefix="thoughtful-sql-") as folder,
        duckdb.connect(
            Path(folder) / "tables.duckdb",
            config={
                "enable_external_access": "false",
                "autoinstall_known_extensions": "false",
                "autoload_known_extensions": "false",
                "python_enable_replacements": "false",
            },
        ) as connection,
    ):
        found = SqlTables(cat, connection, selection or Selection(), progress)
        connection.execute("SET lock_configuration = true")
        yield found


def _with_own_names(found: pa.RecordBatchReader) -> pa.RecordBatchReader:
    """The same rows, with a number behind each name that another column has, too."""
    names: list[str] = []
    for name in found.schema.names:
        others = (f"{name}_{number}" for number in count(1))
        names.append(next(each for each in chain([name], others) if each not in names))
    if names == found.schema.names:
        return found
    schema = pa.schema([field.with_name(n) for field, n in zip(found.schema, names, strict=True)])
    batches = (pa.record_batch(batch.columns, schema=schema) for batch in found)
    return pa.RecordBatchReader.from_batches(schema, batches)


def _tables_of(tree: Any) -> Iterator[str]:
    """The names of the tables that the syntax tree of a query reads."""
    if isinstance(tree, dict):
        if tree.get("type") == "SHOW_REF" and tree.get("show_type") != "SUMMARY":
            return  # it describes the columns
        if tree.get("type") == "BASE_TABLE":
            yield tree["table_name"].lower()
        tree = list(tree.values())
    for part in tree if isinstance(tree, list) else ():
        yield from _tables_of(part)


@contextmanager
def _in_a_sentence() -> Iterator[None]:
    """Turn an error of DuckDB into one sentence."""
    try:
        yield
    except duckdb.Error as error:
        raise BadInput(_refusal(str(error))) from None


def _refusal(message: str) -> str:
    """The fault of a query as a sentence, without the excerpt of the query."""
    words = " ".join(message.partition("\n\nLINE ")[0].split())
    if words.startswith("Only SELECT statements"):
        return "only queries are answered (SELECT, FROM, WITH, DESCRIBE): nothing is changed here"
    missing = _NO_TABLE.search(words)
    if missing is not None:
        return f"there is no table {missing[1]}: expected {', '.join(tables())}"
    return f"the query fails: {_KIND_OF_ERROR.sub('', words)}"
