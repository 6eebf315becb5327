"""`dataset build|check`: datasets to publish, and whether one is as it was built."""

from pathlib import Path
from typing import Annotated

import typer

from thoughtful.terminal import completing, console, options
from thoughtful.terminal.examples import examples


@examples(
    "thoughtful dataset build deals-solved",
    "thoughtful dataset build small --sample thoughtful-1:0-999 --format csv",
)
def build(
    name: Annotated[
        str, typer.Argument(metavar="NAME", help="Lower-case letters, digits and hyphens")
    ],
    rules: Annotated[
        list[str] | None,
        typer.Option(
            "--rules",
            "-r",
            metavar="RULESET",
            autocompletion=completing.rulesets,
            help="Only this ruleset; repeat the option for several (default: all)",
        ),
    ] = None,
    sample: Annotated[
        str | None,
        typer.Option(
            "--sample",
            metavar="SAMPLE",
            autocompletion=completing.deals,
            help="The deals: dealer:first-last; by default all that have a dealer",
        ),
    ] = None,
    form: Annotated[
        str,
        typer.Option(
            "--format",
            metavar="FORMAT",
            autocompletion=completing.file_formats,
            help="parquet, csv or jsonl",
        ),
    ] = "parquet",
    version: Annotated[
        str, typer.Option("--version", metavar="VERSION", help="Three numbers such as 1.0.0")
    ] = "1.0.0",
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="DIR",
            help="A directory that is new or empty; by default NAME-VERSION",
        ),
    ] = None,
    solve: Annotated[
        bool,
        typer.Option(
            "--solve", help="Solve again the winnable deals of which only the verdict is kept"
        ),
    ] = False,
    author: Annotated[
        list[str] | None,
        typer.Option(
            "--author", metavar="NAME", help="Author for the card; repeat the option for several"
        ),
    ] = None,
    contact: Annotated[
        str | None,
        typer.Option("--contact", metavar="TEXT", help="Contact address for the card"),
    ] = None,
    json: options.AsJson = False,
    database: options.Database = None,
) -> None:
    """Build a dataset of deals, statuses, solutions, difficulty, outcomes and puzzles.

    It has a dataset card, a data dictionary, Croissant metadata, provenance and checksums, and is
    byte for byte the same when it is built again from the same catalogue. The directory appears
    only when it is complete.
    """
    from catalogue.datasets.building import build as make
    from catalogue.store import open_catalogue
    from engine.dealing.dealers import parse_sample

    part = None if sample is None else parse_sample(sample)
    with open_catalogue(database) as catalogue, console.progress("rows") as advance:
        built = make(
            catalogue,
            name,
            output,
            rulesets=[options.slug_of_rules(each) for each in rules or ()],
            sample=part,
            format=form,
            version=version,
            solve=solve,
            authors=author or (),
            contact=contact,
            on_progress=advance,
        )
    if json:
        about = {"directory": str(built.directory), "name": name, "version": version}
        console.emit({**about, "sha256sums": built.sums, **built.counts})
        return
    for table, rows in built.counts["rows"].items():
        print(f"{rows:>12,} {table}")
    print(f"in {built.directory}, explained in README.md there")


@examples(
    "thoughtful dataset check deals-solved-1.0.0",
    "thoughtful dataset check deals-solved-1.0.0 --replay",
)
def check(
    directory: Annotated[Path, typer.Argument(metavar="DIR", help="Directory of a dataset")],
    replay: Annotated[
        bool,
        typer.Option(
            "--replay", help="Deal all deals again, and replay every solution by the referees"
        ),
    ] = False,
    json: options.AsJson = False,
) -> None:
    """Check the files of a dataset against their checksums, and its counts against its data.

    Checksums can be made to fit changed data; --replay checks the data themselves. Exit
    code 1 says that something is wrong.
    """
    from catalogue.datasets.checking import faults

    found = faults(directory)
    if replay:
        from catalogue.datasets.replaying import replay_faults

        found += replay_faults(directory)
    if json:
        console.emit({"directory": str(directory), "faults": found})
    else:
        for each in found:
            print(each)
        if not found:
            replayed = ", and all its solutions win" if replay else ""
            print(f"{directory} is as it was built{replayed}")
    if found:
        raise typer.Exit(1)
