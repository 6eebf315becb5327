"""`solve`: decide deals and positions at once, without a job."""

import time
from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING, Annotated

import typer

from catalogue.commands import console, options
from catalogue.commands.play import deals_named, read_position
from engine.errors import BadInput

if TYPE_CHECKING:
    from catalogue.pipe import Solved
    from catalogue.store import Catalogue
    from engine.formats import InputDeal
    from engine.rulesets import Rules
    from solvers.outcome import Outcome
    from solvers.registry import Solver

# Outcomes kept in one transaction.
_STORED_AT_ONCE = 100


def solve(
    deals: Annotated[
        list[str] | None,
        typer.Argument(metavar="DEAL", help="dealer:seed or dealer:first-last"),
    ] = None,
    rules: options.Rules = "klondike-draw3",
    solver: Annotated[
        str,
        typer.Option(
            "--solver",
            "-s",
            metavar="SOLVER",
            help="The solver, such as exact(nodes=1000000): `thoughtful solvers`",
        ),
    ] = "exact",
    source: Annotated[
        str | None,
        typer.Option(
            "--input", "-i", metavar="FILE", help="Deals as JSON lines; - is standard input"
        ),
    ] = None,
    target: Annotated[
        str,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="Where results of --input go; - is standard output",
        ),
    ] = "-",
    position: Annotated[
        str | None,
        typer.Option("--position", metavar="FILE", help="Solve a mid-game position, as JSON"),
    ] = None,
    workers: options.Workers = 1,
    store: Annotated[
        bool, typer.Option("--store", help="Keep the outcomes of DEALs in the catalogue")
    ] = False,
    json: options.AsJson = False,
    database: options.Database = None,
) -> None:
    """Solve deals: named ones, a file of them, or one position in mid-game.

    A line of --input is {"id": ..., "tableau": [7 columns, bottom to top], "stock":
    [first drawn ... last drawn]} or {"id": ..., "dealer": ..., "seed": ...}; for Spider
    "tableau" has 10 columns and "stock" 5 rows of ten. A line of results has id, outcome
    (won, lost, unwinnable, gave_up), nodes, cpu_ms and, when won, moves. Results come in
    the order of the deals and need no catalogue.
    """
    from engine.games import game_of
    from engine.rulesets import parse_ruleset
    from solvers.registry import parse_solver

    if bool(deals) + (source is not None) + (position is not None) != 1:
        raise BadInput(
            "solve needs one of these: deals such as thoughtful-1:42, --input FILE, "
            "or --position FILE"
        )
    if target != "-" and source is None:
        raise BadInput("--output needs --input")
    if store and not deals:
        raise BadInput("--store keeps outcomes of deals named by dealer and seed only")
    ruleset, configured = parse_ruleset(rules), parse_solver(solver)
    configured.check_plays(ruleset)

    if deals:
        named = deals_named(deals, game_of(ruleset))
        _solve_named(named, ruleset, configured, workers or 1, store, database, json)
    elif source is not None:
        _solve_file(source, target, ruleset, configured, workers or 1)
    elif position is not None:
        start = read_position(position, ruleset)
        outcome = configured.solve_position(start)
        _print_outcome(position, outcome, ruleset, configured, json)


def _solve_file(source: str, target: str, rules: "Rules", solver: "Solver", workers: int) -> None:
    from catalogue.pipe import solve_file

    since = time.perf_counter()
    done = 0
    with console.progress("solving") as advance:

        def count(solved: "Solved") -> None:
            nonlocal done
            done += 1
            advance(done, solved.outcome.result.value)

        counts = solve_file(source, target, rules, solver, workers=workers, on_result=count)
    parts = [f"{number} {result}" for result, number in sorted(counts.items())]
    seconds = time.perf_counter() - since
    console.remark(f"{done} deals: {', '.join(parts) or 'none'}; {seconds:.1f} s")


def _solve_named(
    deals: "Iterator[InputDeal]",
    rules: "Rules",
    solver: "Solver",
    workers: int,
    store: bool,
    database: str | None,
    json: bool,
) -> None:
    from catalogue.pipe import solve_all

    if not store:
        for given, outcome in solve_all(deals, rules, solver, workers=workers):
            _print_outcome(given, outcome, rules, solver, json)
        return

    from catalogue.store import open_catalogue

    added = 0
    with open_catalogue(database) as catalogue:
        solved = solve_all(deals, rules, solver, workers=workers)
        while batch := list(islice(solved, _STORED_AT_ONCE)):
            added += _store(catalogue, batch, rules, solver)
            for given, outcome in batch:
                _print_outcome(given, outcome, rules, solver, json)
    console.remark(f"outcomes new in the catalogue: {added}")


def _store(catalogue: "Catalogue", batch: "list[Solved]", rules: "Rules", solver: "Solver") -> int:
    """Keep outcomes, dealer by dealer; how many were not there yet."""
    import numpy as np

    from catalogue.chunk import Chunk, SolverKey
    from catalogue.outcomes import write_chunk

    added = 0
    for dealer in sorted({given.dealer for given, _ in batch if given.dealer is not None}):
        own = [(given, outcome) for given, outcome in batch if given.dealer == dealer]
        chunk = Chunk(
            rules,
            dealer,
            tuple(given.seed for given, _ in own if given.seed is not None),
            np.stack([given.deal.as_array() for given, _ in own]),
            ((SolverKey.of(solver), tuple(outcome for _, outcome in own)),),
        )
        with catalogue.begin() as session:
            added += write_chunk(session, chunk).outcomes
    return added


def _print_outcome(
    given: "InputDeal | str",
    outcome: "Outcome",
    rules: "Rules",
    solver: "Solver",
    json: bool,
) -> None:
    from catalogue.pipe import result_line
    from engine.games import game_of

    game = game_of(rules)
    name = given if isinstance(given, str) else given.id
    if json:
        console.emit(result_line(name, outcome, game))
        return
    cost = f"{outcome.nodes:,} nodes, {outcome.cpu_ms:,.1f} ms"
    verdict = outcome.result.value.replace("_", " ")
    if outcome.moves is None:
        print(f"{name} under {rules}: {verdict} by {solver} ({cost})")
    else:
        moves = game.unpack(outcome.moves)
        print(f"{name} under {rules}: {verdict} in {len(moves)} moves by {solver} ({cost})")
        print(f"  {' '.join(map(str, moves))}")
    if outcome.dead_end is not None and not isinstance(given, str):
        from engine.deals import KlondikeDeal
        from solvers.dead_end import explain

        if isinstance(given.deal, KlondikeDeal):
            print(f"  {explain(outcome.dead_end, given.deal)}")
