"""`convert`: deals and positions in the form of another program."""

from contextlib import ExitStack
from pathlib import Path
from typing import Annotated

import typer

from engine.errors import BadInput
from engine.games import DEFAULT_RULESET
from thoughtful.terminal import completing, console, given, options
from thoughtful.terminal.entries import SkipBad, Source, reporting
from thoughtful.terminal.examples import examples
from thoughtful.terminal.given import opened

# Entries between two updates of the bar.
_SHOWN_EVERY = 1_000


@examples(
    "thoughtful deal thoughtful-1:2-29 --json | thoughtful convert - --to pysolfc",
    "thoughtful solve thoughtful-1:2 --json > won.jsonl",
    "thoughtful convert won.jsonl --to json --notation minimal-klondike",
)
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
    form: given.From = None,
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
            help="Notation of the moves in the file (default: detected)",
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
