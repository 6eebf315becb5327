"""`shortest`: shortest solutions, proved to be, and shorter forms of given ones."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from engine.errors import BadInput
from engine.games import DEFAULT_RULESET
from engine.text.numbers import significant
from thoughtful.terminal import completing, console, files, given, options
from thoughtful.terminal.examples import examples
from thoughtful.terminal.files import read_text
from thoughtful.terminal.moves import moves_of

if TYPE_CHECKING:
    from engine.game import Position, Rules
    from engine.intake import InputPosition
    from engine.text.deal_lines import InputDeal
    from solvers.shortest import Shortest, ShortestSearch


_ENDED_BY = {
    "memory": "the {memory:,} MiB of memory were spent, more are given with --memory",
    "time": "the {seconds} s of CPU time were spent, more are given with --seconds",
    "nodes": "as many nodes as a search has at most were expanded",
}


@examples(
    "thoughtful shortest thoughtful-1:42",
    "thoughtful shortest thoughtful-1:2 --count minimal-klondike --json",
    "thoughtful solve thoughtful-1:2 --json > won.jsonl",
    "thoughtful shortest thoughtful-1:2 --shorten --file won.jsonl",
)
def shortest(
    deals: Annotated[
        list[str],
        typer.Argument(
            metavar="DEAL",
            autocompletion=completing.deals,
            help="dealer:seed, dealer:first-last, the digest of a deal in the catalogue, a deal or "
            "a position in any format, or a file of them",
        ),
    ],
    rules: options.Rules = DEFAULT_RULESET,
    count: Annotated[
        str | None,
        typer.Option(
            "--count",
            metavar="COUNT",
            autocompletion=completing.counts,
            help="How moves are counted: standard (turns, redeals and plays), or as another "
            "program does",
        ),
    ] = None,
    seconds: Annotated[
        float,
        typer.Option(
            "--seconds",
            metavar="S",
            parser=options.number,
            help="CPU seconds for each deal; 0 for no limit",
        ),
    ] = 60.0,
    memory: Annotated[
        int,
        typer.Option(
            "--memory",
            metavar="MIB",
            parser=options.whole(1, 65_536),
            help="MiB of memory for the search",
        ),
    ] = 1024,
    moves: Annotated[
        str | None, typer.Option("--moves", metavar="MOVES", help="A solution that is known")
    ] = None,
    file: Annotated[
        str | None,
        typer.Option(
            "--file",
            metavar="FILE",
            help="A file of moves or of results of `thoughtful solve --json` with solutions that "
            "are known; - is standard input",
        ),
    ] = None,
    shorten: Annotated[
        bool,
        typer.Option("--shorten", help="Only shorten the known solution, without a proof"),
    ] = False,
    form: given.From = None,
    notation: given.Notation = None,
    json: options.AsJson = False,
    database: options.Database = None,
) -> None:
    """Find shortest solutions, and prove that there are no shorter ones.

    If time or memory runs out first, prints the shortest solution known, a number of moves
    below which there is none, and which of the two ran out. With --moves or --file the search
    begins with a known solution of any solver; the referee replays it first. With
    --shorten that solution is only shortened, which takes some 20 ms and proves nothing.
    """
    from engine.notations import OWN, list_moves, read_moves, write_moves
    from engine.replay import replay
    from engine.rulesets import parse_ruleset

    ruleset = parse_ruleset(rules)
    if not 0 <= seconds <= 1e9:
        raise BadInput(
            f"--seconds {significant(seconds)} is out of range: expected 0 to 1,000,000,000"
        )
    if moves is not None and file is not None:
        raise BadInput("--moves and --file cannot be given together")
    if shorten and moves is None and file is None:
        raise BadInput("--shorten needs a solution: give --moves or --file")
    named = list(given.deals_given(deals, ruleset, form, database))
    if moves is not None and len(named) != 1:
        raise BadInput(f"--moves is the solution of one deal, and {len(named)} are given")
    text = None if file is None else read_text(file)
    starts = [_start_of(item, ruleset) for item in named]
    searches = {
        under: _search_under(under, count, notation)
        for under in dict.fromkeys(start.rules for start in starts)
    }

    for item, start in zip(named, starts, strict=True):
        search, counted = searches[start.rules]
        known: Any = None
        if moves is not None:
            known = read_moves(moves, start)
        elif text is not None:
            known = moves_of(text, str(item.id), files.shown(file or "-"), start, None)
        if known is not None:
            if not replay(start, known).is_won:
                raise BadInput(f"the moves given for {item.id} are legal and do not win")
            shorter = search.shorten(start, known)
            known = min(known, shorter, key=lambda line: search.measure(start, line, counted))
        if shorten:
            length = search.measure(start, known, counted)
            found = None
        else:
            found = search.find(
                start,
                count=counted,
                known=known,
                mebibytes=memory,
                seconds=seconds or None,
            )
            known, length = found.moves, found.length or 0
        if json:
            line = {"id": item.id, "count": counted, **_facts(found, length)}
            if known is not None:
                line["moves"] = list_moves(known, start, notation or OWN)
                line |= {} if notation is None else {"notation": notation}
            console.emit(line)
            continue
        cost = "" if found is None else f" ({found.nodes:,} nodes, {found.cpu_ms:,.1f} ms)"
        ended = ""
        if found is not None and found.ended_by is not None:
            words = _ENDED_BY[found.ended_by]
            ended = f": {words.format(memory=memory, seconds=significant(seconds))}"
        print(f"{item.id} under {start.rules}: {_verdict(found, length)}{cost}{ended}")
        if known is not None:
            written = write_moves(known, start, notation or OWN)
            print("\n".join(f"  {line}" for line in written.splitlines()))


def _start_of(item: "InputDeal | InputPosition", rules: "Rules") -> "Position":
    from engine.games import game_of
    from engine.intake import InputPosition
    from engine.rulesets import parse_ruleset

    if isinstance(item, InputPosition):
        return item.position
    stated = rules if item.rules is None else parse_ruleset(item.rules)
    return game_of(stated).start(item.deal, stated)


def _search_under(
    rules: "Rules", count: str | None, notation: str | None
) -> "tuple[ShortestSearch, str]":
    """The search under a ruleset, which is loaded, and the count of moves.

    Raises:
        BadInput: there is none under the ruleset, or it has no such count, or the game has no such
            notation.
    """
    from engine.games import game_of
    from engine.notations import check_notation
    from solvers.choice import finder_of_shortest

    solver = finder_of_shortest(rules)
    search = solver.method.shortest
    assert search is not None
    counted = search.counts[0].slug if count is None else count
    search.check_count(counted)
    if notation is not None:
        check_notation(notation, game_of(rules))
    solver.warm_up(rules)
    return search, counted


def _facts(found: "Shortest | None", length: int) -> dict[str, Any]:
    if found is None:
        return {"outcome": "won", "length": length, "proved": False}
    facts: dict[str, Any] = {"outcome": "won", "length": found.length}
    if found.moves is None:
        facts = {"outcome": "unwinnable" if found.bound is None else "gave_up", "length": None}
    return facts | {
        "proved": found.is_proved,
        "bound": found.bound,
        "nodes": found.nodes,
        "cpu_ms": round(found.cpu_ms, 3),
        "ended_by": found.ended_by,
    }


def _verdict(found: "Shortest | None", length: int) -> str:
    if found is None:
        return f"shortened to {length} moves"
    if found.bound is None:
        return "unwinnable"
    if found.moves is None:
        return f"no solution found, and none of fewer than {found.bound} moves exists"
    if found.is_proved:
        return f"{length} moves, and there is no shorter solution"
    return f"{length} moves; none of fewer than {found.bound} exists"
