"""`export`: tables of the catalogue as files."""

from typing import Annotated

import typer

from thoughtful.terminal import completing, console, options
from thoughtful.terminal.examples import examples


@examples(
    "thoughtful export solved-deals",
    "thoughtful export winnable -f csv -r klondike-draw3 --status winnable",
)
def export(
    directory: Annotated[
        str, typer.Argument(metavar="DIR", help="A directory that is empty or does not exist")
    ],
    form: Annotated[
        str,
        typer.Option(
            "--format",
            "-f",
            metavar="FORMAT",
            autocompletion=completing.file_formats,
            help="parquet, csv or jsonl",
        ),
    ] = "parquet",
    rules: options.OnlyRules = None,
    status: Annotated[
        str | None,
        typer.Option(
            "--status",
            metavar="STATUS",
            autocompletion=completing.statuses,
            help="Export only deals of this status: winnable, unwinnable or unresolved",
        ),
    ] = None,
    dealer: Annotated[
        str | None,
        typer.Option(
            "--dealer",
            metavar="DEALER",
            autocompletion=completing.dealers,
            help="Export only deals of this dealer, or imported",
        ),
    ] = None,
    sample: options.OnlySample = None,
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Replace an earlier export in the directory")
    ] = False,
    json: options.AsJson = False,
    database: options.Database = None,
) -> None:
    """Export all tables of the catalogue to Parquet, CSV or JSON-lines files.

    A README in the directory explains every column. The directory appears only when the
    export is complete.
    """
    from catalogue.store import open_catalogue
    from catalogue.tables.export import export as write
    from catalogue.tables.selection import Selection

    selection = Selection.of(rules, status, dealer, sample)
    with open_catalogue(database) as catalogue, console.progress("exporting") as advance:
        written = write(
            catalogue,
            directory,
            format=form,
            selection=selection,
            overwrite=overwrite,
            on_progress=advance,
        )
    if json:
        console.emit(
            {
                "directory": str(written.directory),
                "format": written.format,
                "rows": written.rows,
                "files": [path.name for path in written.files],
            }
        )
        return
    for table, rows in written.rows.items():
        print(f"{rows:>12,} {table}")
    print(f"in {written.directory}, explained in README.md there")
