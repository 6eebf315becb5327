"""`deal`: the cards of deals."""

from typing import Annotated

import typer

from engine.errors import BadInput
from engine.games import DEFAULT_RULESET
from thoughtful.terminal import completing, given, options
from thoughtful.terminal.examples import examples


@examples(
    "thoughtful deal thoughtful-1:42",
    "thoughtful deal thoughtful-1:0-9 --json",
    "thoughtful deal pysolfc:1 --format solvitaire",
    "thoughtful deal thoughtful-1:3 --rules spider-4",
)
def deal(
    deals: Annotated[
        list[str],
        typer.Argument(
            metavar="DEAL",
            autocompletion=completing.deals,
            help="dealer:seed, dealer:first-last, a deal in any format, or a file",
        ),
    ],
    rules: options.Rules = DEFAULT_RULESET,
    form: Annotated[
        str | None,
        typer.Option(
            "--format",
            "-f",
            metavar="FORMAT",
            autocompletion=completing.formats,
            help="Write the deals in the format of another program, such as json or pysolfc",
        ),
    ] = None,
    source: given.From = None,
    json: Annotated[
        bool, typer.Option("--json", help="Print JSON lines for `thoughtful solve --input`")
    ] = False,
    database: options.Database = None,
) -> None:
    """Print deals as laid out on the table, or in the format of another program.

    Cards are listed from the bottom of each column, face-down cards in brackets. A deal is
    named by its dealer and seed, several deals by a range of seeds; or given in any format
    that can be read, or in a file (- is standard input). The ruleset determines the game and,
    in Spider, the number of suits.
    """
    from engine.formats import get_format
    from engine.games import game_of
    from engine.rulesets import parse_ruleset
    from engine.text.deal_lines import write_deal_line

    if json and form is not None:
        raise BadInput("--json and --format exclude each other")
    ruleset = parse_ruleset(rules)
    game = game_of(ruleset)
    writer = None if form is None else get_format(form)
    if writer is not None:
        writer.check_game(game)
    instead = "`thoughtful replay POSITION --moves ''` prints it"
    named = given.only_deals(given.deals_given(deals, ruleset, source, database), instead)
    for index, item in enumerate(named):
        if json:
            print(write_deal_line(item))
        elif writer is not None:
            print(writer.write(item.deal).rstrip("\n"))
        else:
            start = game_of(item.deal).start(item.deal, parse_ruleset(item.rules or rules))
            to_come = f"\n\n{start.to_come}" if start.to_come else ""
            print(f"{'' if index == 0 else chr(10)}{item.id}\n{start}{to_come}")
