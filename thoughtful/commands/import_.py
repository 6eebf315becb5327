"""`import`: deals and results of files into the catalogue."""

from contextlib import ExitStack
from typing import Annotated

import typer

from engine.errors import BadInput
from engine.games import DEFAULT_RULESET
from engine.text.numbers import counted
from thoughtful.terminal import completing, console, given, options
from thoughtful.terminal.entries import SkipBad, Source, reporting
from thoughtful.terminal.examples import examples
from thoughtful.terminal.given import opened


@examples(
    "thoughtful deal pysolfc:1-20 --format pysolfc | thoughtful import -",
    "echo 11982 | thoughtful import - --from greenfelt",
    "thoughtful solve thoughtful-1:2 --json > won.jsonl",
    "thoughtful import won.jsonl --outcomes lonelybot",
)
def import_(
    file: Source,
    form: given.From = None,
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
            help="Notation of the moves of the results",
        ),
    ] = None,
    json: options.AsJson = False,
    database: options.Database = None,
) -> None:
    """Import deals, or the results of another solver, from a file into the catalogue.

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
        what = "deal" if solver is None else "outcome"
        kept = counted(counts.kept, what)
        by = "" if solver is None else f" of {solver.name} v{solver.version}"
        wrong = f"{counts.wrong:,} wrong {'entry' if counts.wrong == 1 else 'entries'}"
        print(f"{kept}{by} kept, {counts.new:,} of them new; {wrong} left out")
    if counts.wrong and not skip_bad:
        raise typer.Exit(2)
