"""`replay`: the positions along a line of moves."""

import re
from typing import TYPE_CHECKING, Annotated

import typer

from engine.errors import BadInput
from engine.games import DEFAULT_RULESET
from thoughtful.terminal import completing, console, given, options
from thoughtful.terminal.examples import examples
from thoughtful.terminal.files import read_text, shown
from thoughtful.terminal.moves import moves_of

if TYPE_CHECKING:
    from catalogue.reading.deal_detail import DealDetail
    from engine.game import Game, Move, Position, Rules
    from engine.intake import ReadEntry

_NAME = re.compile(r"[^\s:{]+:[0-9]+")


@examples(
    "thoughtful replay thoughtful-1:42",
    'thoughtful replay thoughtful-1:42 --moves "T T T" --show',
    "thoughtful solve thoughtful-1:2 --json | thoughtful replay -",
    "thoughtful replay thoughtful-1:3 --moves 'LI IJ IB' --to klondike-solver",
)
def replay(
    deal: Annotated[
        str | None,
        typer.Argument(
            metavar="DEAL",
            autocompletion=completing.deals,
            help="dealer:seed, the digest of a deal in the catalogue, a deal, a position or a "
            "result in any format, or a file of one",
        ),
    ] = None,
    rules: options.Rules = DEFAULT_RULESET,
    moves: Annotated[
        str | None,
        typer.Option("--moves", "-m", metavar="MOVES", help='Moves separated by spaces: "T W3 26"'),
    ] = None,
    file: Annotated[
        str | None,
        typer.Option(
            "--file",
            metavar="FILE",
            help="A file of moves or of results of `thoughtful solve --json`; - is standard input",
        ),
    ] = None,
    position: Annotated[
        str | None,
        typer.Option(
            "--position",
            metavar="FILE",
            help="Start from this position, in any format, instead of a deal",
        ),
    ] = None,
    show: Annotated[bool, typer.Option("--show", help="Print the table after each move")] = False,
    form: Annotated[
        str | None,
        typer.Option(
            "--from",
            metavar="FORMAT",
            autocompletion=completing.formats,
            help="Format of the deal, or notation of the moves, or both (default: detected)",
        ),
    ] = None,
    notation: given.Notation = None,
    json: options.AsJson = False,
    database: options.Database = None,
) -> None:
    """Replay moves with the referee; by default the shortest solution in the catalogue.

    Prints whether the game is won, or names the first illegal move and says why it is illegal.
    Moves may be in the notations of MinimalKlondike, Klondike-Solver, PySolFC and FreeCell's
    players; --notation prints them in one of these.
    """
    from engine.dealing.dealers import parse_deal_id
    from engine.games import game_of
    from engine.notations import check_notation, list_moves, read_moves, write_moves
    from engine.replay import positions
    from engine.rulesets import parse_ruleset

    ruleset = parse_ruleset(rules)
    game = game_of(ruleset)
    if (deal is None) == (position is None):
        raise BadInput("replay needs either a deal, such as thoughtful-1:42, or --position FILE")
    if moves is not None and file is not None:
        raise BadInput("--moves and --file exclude each other")
    of_deal, of_moves = _forms(form, game)
    if notation is not None:
        check_notation(notation, game)
    detail = entry = None
    if position is not None:
        start = given.entry_in(position, ruleset, of_deal).position
    else:
        assert deal is not None
        digest = "".join(deal.split()).isalnum() and len(deal) == 32
        if not digest and not _NAME.fullmatch(deal):
            entry = given.entry_of(deal, ruleset, of_deal)
            start = entry.position
        elif digest or (moves is None and file is None):
            # Only the cards of an imported deal have to be read from the catalogue.
            detail = _stored(deal, database, game)
            start = game.start(detail.cards, ruleset)
        else:
            dealer, seed = parse_deal_id(deal)
            start = game.start(dealer.deal(seed, game), ruleset)

    ruleset = start.rules
    if moves is not None:
        listed = read_moves(moves, start, of_moves)
    elif file is not None:
        listed = moves_of(read_text(file), deal, shown(file), start, of_moves)
    elif entry is not None:
        listed = _own_moves(entry, ruleset, of_moves, database)
    elif deal is not None:
        listed = _stored_solution(detail, deal, ruleset)
    else:
        raise BadInput("replay from a position needs --moves or --file")

    reached = start
    for number, reached in enumerate(positions(start, listed)):
        if show:
            _show(number, listed[number - 1] if number else None, reached, json)
    if show and json:
        return
    if json:
        answer = {"length": len(listed), "won": reached.is_won, "position": reached.to_json()}
        if notation is not None:
            answer |= {"played": list_moves(listed, start, notation), "notation": notation}
        console.emit({"id": deal if entry is None else entry.id, **answer})
    else:
        if notation is not None:
            print(f"{write_moves(listed, start, notation)}\n")
        elif not show:
            print(f"{reached}\n")
        end = "won" if reached.is_won else f"not won: {reached.progress}"
        print(f"{len(listed)} moves, all legal under {ruleset}: {end}")


def _forms(form: str | None, game: "Game") -> tuple[str | None, str | None]:
    """The format of a deal and the notation of moves that one name stands for."""
    from engine.intake import forms
    from engine.notations import OWN

    if form is None:
        return None, None
    own = [OWN, *(notation.slug for notation in game.notations)]
    known = forms(game)
    if form not in known and form not in own:
        raise BadInput(
            f"unknown format {form!r}: expected one of {', '.join(dict.fromkeys([*own, *known]))}"
        )
    return form if form in known else None, form if form in own else None


def _own_moves(
    entry: "ReadEntry", rules: "Rules", notation: str | None, database: str | None
) -> "tuple[Move, ...]":
    """The moves that come with a deal, or those of its solution in the catalogue."""
    listed = entry.moves(notation)
    if listed is not None:
        return listed
    if entry.deal is None:
        raise BadInput("replay from a position needs --moves or --file")
    from engine.games import game_of

    name = entry.deal.digest if entry.dealer is None else f"{entry.dealer}:{entry.seed}"
    return _stored_solution(_stored(name, database, game_of(rules)), name, rules)


def _stored(deal: str, database: str | None, game: "Game") -> "DealDetail":
    from catalogue.reading.deal_detail import deal_detail
    from catalogue.store import open_catalogue

    with open_catalogue(database) as catalogue:
        detail = deal_detail(catalogue, deal, game)
    if detail.game != game:
        raise BadInput(f"{deal} is a deal of {detail.game.name}: expected one of {game.name}")
    return detail


def _stored_solution(detail: "DealDetail | None", deal: str, rules: "Rules") -> "tuple[Move, ...]":
    from engine.games import game_of

    best = None if detail is None else detail.best(rules.slug)
    if best is None or best.moves is None:
        raise BadInput(
            f"the catalogue has no solution of {deal} under {rules}: give --moves or --file, "
            f"or solve the deal with `thoughtful solve {deal} --rules {rules} --store`"
        )
    return game_of(rules).unpack(best.moves)


def _show(number: int, move: "Move | None", position: "Position", json: bool) -> None:
    if json:
        text = None if move is None else str(move)
        console.emit({"number": number, "move": text, "position": position.to_json()})
    else:
        heading = "start" if move is None else f"move {number}: {move} ({move.kind.value})"
        print(f"{heading}\n{position}\n")
