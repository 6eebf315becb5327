"""Options that several commands share, so that they read and mean the same everywhere."""

from typing import Annotated

import typer

Rules = Annotated[
    str, typer.Option("--rules", "-r", metavar="RULESET", help="The ruleset: `thoughtful rulesets`")
]
Database = Annotated[
    str | None,
    typer.Option(
        "--database",
        metavar="URL",
        help="The catalogue to use; by default THOUGHTFUL_DATABASE_URL, or a SQLite file",
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON instead of text for eyes")]
Workers = Annotated[
    int | None, typer.Option("--workers", "-w", min=1, max=4096, help="How many processes solve")
]
