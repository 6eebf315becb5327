"""The README of an export: its selection, how to load it, and the meaning of every column."""

from collections.abc import Sequence
from datetime import datetime
from importlib.metadata import version

from catalogue.exports.columns import ExportTable
from catalogue.exports.selection import Selection
from catalogue.exports.writers import Format
from catalogue.schema import REVISION

_WORDS = {
    "parquet": "Parquet",
    "csv": "CSV with a header line; an empty field is a missing value",
    "jsonl": "JSON lines: one object per line; `null` is a missing value, times are ISO 8601",
}

_LOADED = {
    "parquet": ('pd.read_parquet("statuses.parquet")', "'statuses.parquet'"),
    "csv": ('pd.read_csv("statuses.csv")', "'statuses.csv'"),
    "jsonl": ('pd.read_json("statuses.jsonl", lines=True)', "'statuses.jsonl'"),
}


def readme(
    format: Format,
    selection: Selection,
    tables: Sequence[ExportTable],
    rows: dict[str, int],
    at: datetime,
) -> str:
    """Make the text of the file.

    Args:
        format: of the tables.
        selection: what was exported.
        tables: the tables.
        rows: number of rows of each table, by its name.
        at: the moment of the catalogue that was exported.
    """
    pandas, duckdb = _LOADED[format]
    lines = [
        "# Solitaire deals, solved",
        "",
        "An export of a Thoughtful catalogue.",
        "",
        f"- Selection: {selection}",
        f"- Exported: {at:%Y-%m-%d %H:%M:%S} UTC, all tables at the same moment",
        f"- Written by: thoughtful {version('thoughtful')}, schema {REVISION}",
        f"- Format: {_WORDS[format]}",
        "",
        "| table | rows | contents |",
        "|---|---|---|",
        *(
            f"| [{t.name}.{format}]({t.name}.{format}) | {rows[t.name]} | {t.meaning} |"
            for t in tables
        ),
        "",
        "Join tables by `deal` and `game` and, where present, `ruleset`, `solver` and `version`:",
        "",
        "```python",
        "import pandas as pd",
        f"statuses = {pandas}",
        "",
        "import duckdb",
        f'duckdb.sql("SELECT ruleset, status, count(*) FROM {duckdb} GROUP BY ALL")',
        "```",
        "",
        "**Percentages.** Divide by all deals attempted in a contiguous range of seeds, including "
        "the unresolved ones. Dividing by resolved deals only is biased: quick deals finish first.",
        "Imported deals are not part of any percentage.",
        "",
        "**Solutions.** Of some outcomes neither the solution nor the dead end is kept: they have "
        "no row in `solutions` and `dead_ends`. The same solver in the same version finds them "
        "again: `thoughtful solve DEAL --rules RULESET --solver SOLVER --json`.",
    ]
    for table in tables:
        lines += ["", f"## {table.name}", "", table.meaning, "", "| column | type | meaning |"]
        lines.append("|---|---|---|")
        for column in table.columns:
            meaning = column.meaning.replace("|", "\\|")
            lines.append(f"| `{column.name}` | {column.type} | {meaning} |")
    return "\n".join(lines) + "\n"
