"""`import` and `convert`: what other programs write, into the catalogue and into other forms."""

import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, Annotated, BinaryIO

import typer

from catalogue.commands import console, options
from engine.errors import BadInput
from engine.games import DEFAULT_RULESET

if TYPE_CHECKING:
    from engine.intake import WrongEntry

Source = Annotated[str, typer.Argument(metavar="FILE", help="A file; - is standard input")]
From = Annotated[
    str | None,
    typer.Option(
        "--from",
        metavar="FORMAT",
        help="The format of all entries; by default that which each of them looks like",
    ),
]
SkipBad = Annotated[
    bool, typer.Option("--skip-bad", help="Succeed although some entries cannot be read")
]


def import_(
    file: Source,
    form: From = None,
    rules: options.Rules = DEFAULT_RULESET,
    skip_bad: SkipBad = False,
    report: Annotated[
        str | None,
        typer.Option("--report", metavar="FILE", help="Write wrong entries here, as JSON lines"),
    ] = None,
    outcomes: Annotated[
        str | None,
        typer.Option(
            "--outcomes",
            metavar="NAME",
            help="Import results of another program's solver under this name, such as lonelybot",
        ),
    ] = None,
    version: Annotated[
        int,
        typer.Option(
            "--version", metavar="V", help="Version of that solver", parser=options.whole(1, 10**6)
        ),
    ] = 1,
    notation: Annotated[
        str | None,
        typer.Option("--notation", metavar="NOTATION", help="That of the moves of the results"),
    ] = None,
    json: options.AsJson = False,
    database: options.Database = None,
) -> None:
    """Bring deals, or the results of another solver, from a file into the catalogue.

    An entry is a line, such as the name of a deal, its digits or its JSON, or a board of
    several lines. Good entries are kept; each wrong one is reported with its line and the
    reason, and the exit code is then 2, unless --skip-bad is given. Blank lines and lines that
    begin with # are ignored. A deal that names its dealer and seed is stored under that name,
    any other under the digest of its cards. The formats are in docs/formats.md.

    With --outcomes each entry is JSON with a deal, its outcome and for a win its moves, which
    the referee replays before anything is stored.
    """
    from catalogue.intake.deals import import_deals
    from catalogue.intake.outcomes import foreign_solver, import_outcomes
    from catalogue.settings import check_writable
    from catalogue.store import open_catalogue
    from engine.games import game_of
    from engine.intake import check_form, read_entries
    from engine.notations import check_notation
    from engine.rulesets import parse_ruleset

    ruleset = parse_ruleset(rules)
    if form is not None:
        check_form(form, game_of(ruleset))
    if notation is not None:
        if outcomes is None:
            raise BadInput("--notation needs --outcomes")
        check_notation(notation, game_of(ruleset))
    solver = None if outcomes is None else foreign_solver(outcomes, version)
    check_writable()
    with ExitStack() as stack:
        stream, lines = stack.enter_context(opened(file))
        catalogue = stack.enter_context(open_catalogue(database))
        tell = stack.enter_context(reporting(file, report))
        advance = stack.enter_context(console.progress("importing", lines))
        entries = read_entries(stream, ruleset, form)
        if solver is None:
            counts = import_deals(
                catalogue,
                entries,
                ruleset,
                on_wrong=tell,
                on_batch=lambda line, so_far: advance(line, f"{so_far.wrong} wrong"),
            )
        else:
            counts = import_outcomes(
                catalogue,
                entries,
                ruleset,
                solver,
                notation=notation,
                on_wrong=tell,
                on_batch=lambda line, so_far: advance(line, f"{so_far.wrong} wrong"),
            )
    if json:
        console.emit(
            {"read": counts.read, "kept": counts.kept, "new": counts.new, "wrong": counts.wrong}
        )
    else:
        what = "deals" if solver is None else f"outcomes of {solver.name} v{solver.version}"
        print(
            f"{counts.kept} {what} kept, {counts.new} of them new; "
            f"{counts.wrong} wrong entries left out"
        )
    if counts.wrong and not skip_bad:
        raise typer.Exit(2)


@contextmanager
def opened(file: str) -> Iterator[tuple[BinaryIO, int | None]]:
    """A file or standard input, and the number of its lines if it can be read twice.

    Raises:
        BadInput: it cannot be read.
    """
    if file == "-":
        # A separate stream, since the interpreter must not close this one.
        with open(0, "rb", closefd=False) as stream:
            yield stream, None
        return
    try:
        with open(file, "rb") as stream:
            lines = None
            if Path(file).is_file() and sys.stderr.isatty():
                lines = sum(piece.count(b"\n") for piece in iter(lambda: stream.read(1 << 20), b""))
                stream.seek(0)
            yield stream, lines
    except OSError as error:
        raise BadInput(f"cannot read {file}: {error.strerror}") from None


@contextmanager
def reporting(file: str, report: str | None = None) -> "Iterator[Callable[[WrongEntry], None]]":
    """A function that reports wrong entries on standard error, and in a file if one is named.

    Raises:
        BadInput: the file cannot be written.
    """
    import json

    name = "standard input" if file == "-" else file
    with ExitStack() as stack:
        target: IO[str] | None = None
        if report is not None:
            try:
                target = stack.enter_context(open(report, "w", encoding="utf-8"))
            except OSError as error:
                raise BadInput(f"cannot write {report}: {error.strerror}") from None

        def tell(wrong: "WrongEntry") -> None:
            console.remark(f"{name}, line {wrong.line}: {' '.join(wrong.reason.split())}")
            if target is not None:
                told = {"line": wrong.line, "reason": wrong.reason, "text": wrong.text}
                print(json.dumps(told), file=target)

        yield tell
