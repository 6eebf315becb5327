"""`sql`: questions of one's own to the catalogue."""

import itertools
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from engine.errors import BadInput
from thoughtful.terminal import console, options
from thoughtful.terminal.examples import examples

if TYPE_CHECKING:
    import pyarrow as pa

    from catalogue.tables.formats import Format
    from catalogue.tables.sql import SqlTables

_SUFFIXES: dict[str, "Format"] = {
    ".csv": "csv",
    ".json": "jsonl",
    ".jsonl": "jsonl",
    ".parquet": "parquet",
}
# Rows of a table on the terminal; of more, the first are printed and the rest is counted.
_ROWS_SHOWN = 1_000


@examples(
    'thoughtful sql "SELECT status, count(*) FROM statuses GROUP BY status"',
    'thoughtful sql "FROM outcomes WHERE length < 99" -r klondike-draw3 --csv',
)
def sql(
    query: Annotated[
        str | None,
        typer.Argument(
            metavar="QUERY", help="A query; without one, they are read from standard input"
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="Write the rows to a file whose name ends in .csv, .json (one object a line) or "
            ".parquet",
        ),
    ] = None,
    csv: Annotated[bool, typer.Option("--csv", help="Print CSV")] = False,
    rules: options.OnlyRules = None,
    sample: options.OnlySample = None,
    json: options.AsJson = False,
    database: options.Database = None,
) -> None:
    """Run read-only queries in SQL over the catalogue.

    The tables are deals, statuses, outcomes, solutions, dead_ends, difficulty, puzzles, regrets and
    bounds, those of `thoughtful export`: SHOW TABLES lists them, and DESCRIBE outcomes lists the
    columns of one. The dialect is that of DuckDB. A table is read when a query first names it,
    blocks of seeds included; on a terminal without a query, a shell answers one query after
    another, over the tables as they were then.
    """
    from catalogue.store import open_catalogue
    from catalogue.tables.selection import Selection
    from catalogue.tables.sql import sql_tables

    if csv + json + (output is not None) > 1:
        raise BadInput("--csv, --json and --output exclude each other")
    if output is not None and output.suffix not in _SUFFIXES:
        raise BadInput(f"{output}: expected a name that ends in {', '.join(_SUFFIXES)}")
    if query is None and output is not None:
        raise BadInput("--output needs a query")
    selection = Selection.of(rules, sample=sample)
    with (
        open_catalogue(database) as catalogue,
        sql_tables(catalogue, selection, lambda: console.progress("reading")) as tables,
    ):
        if query is None:
            _answer_all(tables, csv, json)
        elif output is None:
            for each in tables.split(query):
                _print(tables.query(each), csv, json)
        else:
            rows = _write(tables.query(query), str(output), _SUFFIXES[output.suffix])
            console.remark(f"{output}: {rows:,} rows")


def _answer_all(tables: "SqlTables", csv: bool, json: bool) -> None:
    """Answer the queries of standard input; on a terminal a wrong one ends nothing."""
    is_shell = sys.stdin.isatty()
    if is_shell:
        console.remark("A query ends with a semicolon; SHOW TABLES; lists the tables, Ctrl-D ends.")
    for text in _typed() if is_shell else [sys.stdin.read()]:
        try:
            for each in tables.split(text):
                _print(tables.query(each), csv, json)
        except BadInput as error:
            if not is_shell:
                raise
            console.remark(str(error))


def _typed() -> Iterator[str]:
    """The queries typed on a terminal, up to each semicolon that ends a line."""
    import readline  # noqa: F401  # gives `input` a history

    lines: list[str] = []
    with suppress(EOFError):
        while True:
            lines.append(input("...> " if lines else "sql> "))
            if lines[-1].rstrip().endswith(";"):
                yield "\n".join(lines)
                lines = []


def _print(found: "pa.RecordBatchReader", csv: bool, json: bool) -> None:
    if csv:
        _write(found, "-", "csv")
        return
    rows = (row for batch in found for row in batch.to_pylist())
    if json:
        for row in rows:
            console.emit(row)
        return
    console.show_table(
        found.schema.names,
        [list(row.values()) for row in itertools.islice(rows, _ROWS_SHOWN)],
        numbers=[each.name for each in found.schema if _is_number(each.type)],
    )
    more = sum(1 for _ in rows)
    if more:
        console.remark(f"{more:,} more rows: --csv, --json and --output give all")


def _is_number(kind: Any) -> bool:
    from pyarrow import types

    return bool(types.is_integer(kind) or types.is_floating(kind) or types.is_decimal(kind))


def _write(found: "pa.RecordBatchReader", output: str, form: "Format") -> int:
    """Write rows to a file, which appears when it is whole; return their number.

    Raises:
        BadInput: it cannot be written, or CSV has no text for the values of a column.
    """
    from pyarrow import types

    from catalogue.streams import opened_bytes
    from catalogue.tables.formats import writing

    nested = [each.name for each in found.schema if types.is_nested(each.type)]
    if form == "csv" and nested:
        raise BadInput(f"CSV has no lists and structures, as in the column {nested[0]}: use JSON")
    rows = 0
    with opened_bytes(output) as stream, writing(stream, form, found.schema) as writer:
        for batch in found:
            writer.write(batch)
            rows += batch.num_rows
    return rows
