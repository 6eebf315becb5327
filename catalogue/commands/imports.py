"""`import` and `convert`: what other programs write, into the catalogue and into other forms."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, Annotated

import typer

from catalogue.commands import completing, console, options
from catalogue.commands.given import opened, shown
from engine.errors import BadInput
from engine.games import DEFAULT_RULESET

if TYPE_CHECKING:
    from engine.intake import WrongEntry

# Entries between two updates of the bar.
_SHOWN_EVERY = 1_000

Source = Annotated[str, typer.Argument(metavar="FILE", help="A file; - is standard input")]
From = Annotated[
    str | None,
    typer.Option(
        "--from",
        metavar="FORMAT",
        autocompletion=completing.formats,
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
        typer.Option(
            "--notation",
            metavar="NOTATION",
            autocompletion=completing.notations,
            help="That of the moves of the results",
        ),
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
    with ExitStack() as stack:
        stream, lines = stack.enter_context(opened(file))
        catalogue = stack.enter_context(open_catalogue(database))
        catalogue.check_may_write()
        tell = stack.enter_context(reporting(file, report))
        advance = stack.enter_context(console.progress("importing", lines))
        # Of deals, only the game matters; outcomes are under the ruleset.
        asked = solver is not None or options.names_rules()
        entries = read_entries(stream, ruleset, form, asked=asked)
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


def convert(
    file: Source,
    to: Annotated[
        str,
        typer.Option(
            "--to",
            metavar="FORMAT",
            autocompletion=completing.formats,
            help="The format to write; see docs/formats.md",
        ),
    ],
    form: From = None,
    rules: options.Rules = DEFAULT_RULESET,
    notation: Annotated[
        str | None,
        typer.Option(
            "--notation",
            metavar="NOTATION",
            autocompletion=completing.notations,
            help="Write the moves of solutions in this notation, such as pysolfc",
        ),
    ] = None,
    read_in: Annotated[
        str | None,
        typer.Option(
            "--moves-from",
            metavar="NOTATION",
            autocompletion=completing.notations,
            help="The notation of moves that are read; by default that which they look like",
        ),
    ] = None,
    skip_bad: SkipBad = False,
    output: Annotated[
        str,
        typer.Option("--output", "-o", metavar="FILE", help="Write here; - is standard output"),
    ] = "-",
) -> None:
    """Write the deals, positions and solutions of a file in another format.

    Entries are read as by `thoughtful import`; wrong ones are reported and left out, and the
    exit code is then 2, unless --skip-bad is given. The formats are those of deals, such as
    pysolfc, klondike-solver, solvitaire and microsoft, and json (one line for an entry, with
    the moves if there are any), text (positions as a person types them), csv, and name.
    """
    from catalogue.streams import opened_output
    from engine.converting import EntryWriter
    from engine.games import game_of
    from engine.intake import WrongEntry, check_form, read_entries
    from engine.notations import check_notation
    from engine.rulesets import parse_ruleset

    ruleset = parse_ruleset(rules)
    game = game_of(ruleset)
    if form is not None:
        check_form(form, game)
    if read_in is not None:
        check_notation(read_in, game)
    writers = {game.slug: EntryWriter(to, game, notation, read_in)}
    both = [Path(name) for name in (file, output) if name != "-" and Path(name).exists()]
    if len(both) == 2 and both[0].samefile(both[1]):
        raise BadInput(f"cannot write {output}: it is the input file, name another file")
    read = wrong = 0
    with ExitStack() as stack:
        stream, lines = stack.enter_context(opened(file))
        target = stack.enter_context(opened_output(output))
        tell = stack.enter_context(reporting(file))
        advance = stack.enter_context(console.progress("converting", lines))
        target.write(writers[game.slug].heading)
        for entry in read_entries(stream, ruleset, form, asked=options.names_rules()):
            read += 1
            try:
                if isinstance(entry, WrongEntry):
                    raise BadInput(entry.reason)
                own = entry.rules.game
                if own not in writers:
                    writers[own] = EntryWriter(to, game_of(entry.rules), notation, read_in)
                target.write(writers[own].write(entry))
            except BadInput as error:
                wrong += 1
                tell(WrongEntry(entry.line, str(error), ""))
            if read % _SHOWN_EVERY == 0:
                advance(entry.line, f"{wrong} wrong")
    if wrong and not skip_bad:
        raise typer.Exit(2)


@contextmanager
def reporting(file: str, report: str | None = None) -> "Iterator[Callable[[WrongEntry], None]]":
    """A function that reports wrong entries on standard error, and in a file if one is named.

    Raises:
        BadInput: the file cannot be written.
    """
    import json

    from catalogue.streams import open_report

    name = shown(file)
    with ExitStack() as stack:
        target: IO[str] | None = None
        if report is not None:
            target = stack.enter_context(open_report(report))

        def tell(wrong: "WrongEntry") -> None:
            console.remark(f"{name}, line {wrong.line}: {' '.join(wrong.reason.split())}")
            if target is not None:
                told = {"line": wrong.line, "reason": wrong.reason, "text": wrong.text}
                print(json.dumps(told), file=target)

        yield tell
