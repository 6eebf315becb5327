"""`deal` and `replay`: printing deals and replaying moves."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from catalogue.commands import console, options
from engine.errors import BadInput
from engine.games import DEFAULT_RULESET

if TYPE_CHECKING:
    from catalogue.reading.deal_detail import DealDetail
    from engine.game import Game, Move, Position, Rules
    from engine.text.deal_lines import InputDeal

# Deals of a sample made at once; more would only use memory.
_BLOCK = 1000


def deals_named(texts: list[str], game: "Game") -> "Iterator[InputDeal]":
    """The deals of a game named by texts such as ``thoughtful-1:42`` and ``thoughtful-1:0-99``.

    Raises:
        BadInput: a text names neither a deal nor a sample, or a dealer that does not deal the game;
            raised before the first deal is made.
    """
    from engine.dealing.dealers import Sample, get_dealer, parse_deal_id, parse_sample

    samples = []
    for text in texts:
        if "-" in text.rpartition(":")[2].lstrip("-"):
            samples.append(parse_sample(text))
        else:
            dealer, seed = parse_deal_id(text)
            samples.append(Sample(dealer.slug, seed, 1))
        get_dealer(samples[-1].dealer).check_game(game)
    return _dealt(samples, game)


def _dealt(samples: list[Any], game: "Game") -> "Iterator[InputDeal]":
    from engine.dealing.dealers import get_dealer
    from engine.text.deal_lines import InputDeal

    for sample in samples:
        dealer = get_dealer(sample.dealer)
        for first in range(sample.first, sample.last + 1, _BLOCK):
            cards = dealer.deal_block(first, min(_BLOCK, sample.last + 1 - first), game)
            for seed, row in enumerate(cards, start=first):
                yield InputDeal(f"{dealer.slug}:{seed}", game.deal(row), dealer.slug, seed)


def deal(
    deals: Annotated[
        list[str], typer.Argument(metavar="DEAL", help="dealer:seed or dealer:first-last")
    ],
    rules: options.Rules = DEFAULT_RULESET,
    form: Annotated[
        str | None,
        typer.Option(
            "--format",
            "-f",
            metavar="FORMAT",
            help="Write the deals in the format of another program, such as json or pysolfc",
        ),
    ] = None,
    json: Annotated[
        bool, typer.Option("--json", help="Print JSON lines for `thoughtful solve --input`")
    ] = False,
) -> None:
    """Print deals as laid out on the table, or in the format of another program.

    Cards are listed from the bottom of each column, face-down cards in brackets. A deal is
    named by its dealer and seed, several deals by a range of seeds. The ruleset determines
    the game and, in Spider, the number of suits.
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
    for index, item in enumerate(deals_named(deals, game)):
        if json:
            print(write_deal_line(item))
        elif writer is not None:
            print(writer.write(item.deal).rstrip("\n"))
        else:
            start = game.start(item.deal, ruleset)
            to_come = f"\n\n{start.to_come}" if start.to_come else ""
            print(f"{'' if index == 0 else chr(10)}{item.id}\n{start}{to_come}")


def replay(
    deal: Annotated[
        str | None,
        typer.Argument(
            metavar="DEAL", help="dealer:seed, or the digest of a deal in the catalogue"
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
            help="Start from this position, as JSON, instead of a deal",
        ),
    ] = None,
    show: Annotated[bool, typer.Option("--show", help="Print the table after each move")] = False,
    json: options.AsJson = False,
    database: options.Database = None,
) -> None:
    """Replay moves with the referee; by default the shortest solution in the catalogue.

    Prints whether the game is won, or names the first illegal move and says why it is illegal.
    """
    from engine.dealing.dealers import parse_deal_id
    from engine.games import game_of
    from engine.replay import positions
    from engine.rulesets import parse_ruleset

    ruleset = parse_ruleset(rules)
    game = game_of(ruleset)
    if (deal is None) == (position is None):
        raise BadInput("replay needs either a deal, such as thoughtful-1:42, or --position FILE")
    if moves is not None and file is not None:
        raise BadInput("--moves and --file exclude each other")
    detail = None
    if position is not None:
        start = read_position(position, ruleset)
    else:
        assert deal is not None
        # Only the cards of an imported deal have to be read from the catalogue.
        if ":" not in deal or (moves is None and file is None):
            detail = _stored(deal, database, game)
            cards = detail.cards
        else:
            dealer, seed = parse_deal_id(deal)
            cards = dealer.deal(seed, game)
        start = game.start(cards, ruleset)

    if moves is not None:
        listed = game.parse_solution(moves)
    elif file is not None:
        listed = _moves_of(read_text(file), deal, _shown(file), game)
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
        answer = {"moves": len(listed), "won": reached.is_won, "position": reached.to_json()}
        console.emit({"id": deal, **answer})
    else:
        if not show:
            print(f"{reached}\n")
        end = "won" if reached.is_won else f"not won: {reached.progress}"
        print(f"{len(listed)} moves, all legal under {ruleset}: {end}")


def read_text(file: str) -> str:
    """Read a text file; ``-`` is standard input.

    Raises:
        BadInput: it cannot be read or is not UTF-8.
    """
    try:
        data = sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()
        return data.decode("utf-8-sig")  # some editors write a byte order mark
    except OSError as error:
        raise BadInput(f"cannot read {_shown(file)}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise BadInput(f"{_shown(file)} is not UTF-8 text") from None


def _shown(file: str) -> str:
    return "standard input" if file == "-" else file


def read_json(file: str) -> Any:
    """Read the JSON value of a file.

    Raises:
        BadInput: it cannot be read or is not JSON.
    """
    return _parsed(read_text(file), _shown(file))


def _parsed(text: str, place: str) -> Any:
    import json

    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise BadInput(f"{place} is not JSON: {error}") from None


def read_position(file: str, rules: "Rules") -> "Position":
    """Read a position from a JSON file, in the form of `Position.to_json`.

    Raises:
        BadInput: the file cannot be read or holds no position, or one of another ruleset.
    """
    from engine.games import game_of

    data = read_json(file)
    try:
        if isinstance(data, dict) and data.get("rules") not in (None, rules.slug):
            raise BadInput(f"the position is of {data['rules']}, not of {rules}")
        return game_of(rules).position_from_json(data, rules)
    except BadInput as error:
        raise BadInput(f"{_shown(file)}: {error}") from None


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


def _moves_of(text: str, deal: str | None, place: str, game: "Game") -> "tuple[Move, ...]":
    """Parse moves, or find the moves of a deal in results written as JSON lines."""
    try:
        if not text.lstrip().startswith("{"):
            return game.parse_solution(text)
        for number, line in enumerate(text.splitlines(), start=1):
            if not line.strip():
                continue
            result = _parsed(line, f"line {number}")
            if not isinstance(result, dict):
                raise BadInput(f"line {number} is not a result of `thoughtful solve --json`")
            if deal is None or result.get("id") == deal:
                moves = result.get("moves")
                if not isinstance(moves, list):
                    raise BadInput(f"line {number} has no list of moves: only a win has one")
                return tuple(game.parse_move(move) for move in moves)
        raise BadInput(f"no line has the id {deal}")
    except BadInput as error:
        raise BadInput(f"{place}: {error}") from None


def _show(number: int, move: "Move | None", position: "Position", json: bool) -> None:
    if json:
        text = None if move is None else str(move)
        console.emit({"number": number, "move": text, "position": position.to_json()})
    else:
        heading = "start" if move is None else f"move {number}: {move} ({move.kind.value})"
        print(f"{heading}\n{position}\n")
