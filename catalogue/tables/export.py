"""Exports: a selection of the catalogue as files, one a table, with a README on every column.

All tables show the catalogue at one moment, even while a job runs.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

from catalogue.schema import REVISION
from catalogue.store import Catalogue
from catalogue.tables.columns import CatalogueTable, described, tables
from catalogue.tables.formats import FORMATS, LOADING, Format, format_named
from catalogue.tables.parts import Source
from catalogue.tables.selection import Selection
from catalogue.tables.writing import Progress, complete_directory, write_tables

README = "README.md"


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
    format: str = "parquet",
    selection: Selection | None = None,
    overwrite: bool = False,
    on_progress: Progress | None = None,
) -> Exported:
    """Write all tables, one file each; the directory appears only when the export is complete.

    Args:
        cat: the catalogue.
        directory: a directory that does not exist yet, or is empty.
        format: one of `FORMATS`.
        selection: the deals to export; all of them by default.
        overwrite: also replace an earlier export in that directory.
        on_progress: is told of the rows that are written.

    Raises:
        BadInput: unknown format, or a directory that may not be replaced or cannot be written to.
    """
    form, chosen, known = format_named(format), selection or Selection(), tables()
    ours = {f"{name}.{ending}" for name in known for ending in FORMATS} | {README}
    replaced, hint = (ours, "") if overwrite else ((), ", or overwrite an earlier one")
    with complete_directory(directory, "export", replaced, hint) as (target, partial):
        started = datetime.now(UTC)
        with cat.session() as session:
            source = Source.of(session, chosen)
            rows = write_tables(
                source, list(known.values()), partial, form, sharded=False, on_progress=on_progress
            )
        text = "\n".join(_readme(form, chosen, known, rows, started)) + "\n"
        (partial / README).write_text(text, encoding="utf-8")
    return Exported(target, form, rows, sorted(target.iterdir()))


def _readme(
    form: Format,
    selection: Selection,
    known: dict[str, CatalogueTable],
    rows: dict[str, int],
    at: datetime,
) -> Iterator[str]:
    """The lines of the README: selection, loading, and the meaning of every column."""
    loading = LOADING[form]
    yield f"""# Solitaire deals, solved

An export of a Thoughtful catalogue.

- Selection: {selection}
- Exported: {at:%Y-%m-%d %H:%M:%S} UTC, all tables at the same moment
- Written by: thoughtful {version("thoughtful")}, schema {REVISION}
- Format: {loading.name}

| table | rows | contents |
|---|---|---|"""
    for name, table in known.items():
        yield f"| [{name}.{form}]({name}.{form}) | {rows[name]} | {table.meaning} |"
    yield f"""
Join tables by `deal` and `game` and, where present, `ruleset`, `solver` and `version`:

```python
import pandas as pd
statuses = pd.{loading.pandas}("statuses.{form}"{loading.options})

import duckdb
duckdb.sql("SELECT ruleset, status, count(*) FROM 'statuses.{form}' GROUP BY ALL")
```

**Percentages.** Divide by all deals attempted in a contiguous range of seeds, including the \
unresolved ones. Dividing by resolved deals only is biased: quick deals finish first.
Imported deals are not part of any percentage.

**Solutions.** Of some outcomes neither the solution nor the dead end is kept: they have no row in \
`solutions` and `dead_ends`. The same solver in the same version finds them again: \
`thoughtful solve DEAL --rules RULESET --solver SOLVER --json`."""
    for name, table in known.items():
        yield f"\n## {name}\n\n{table.meaning}\n"
        yield from described(table)
