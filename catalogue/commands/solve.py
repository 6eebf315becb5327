"""`solve`: solving deals and positions directly, without a job."""

import time
from collections.abc import Iterator
from itertools import chain, islice
from typing import TYPE_CHECKING, Annotated

import typer

from catalogue.commands import console, options
from catalogue.commands.play import deals_named, read_position
from engine.errors import BadInput
from engine.games import DEFAULT_RULESET

if TYPE_CHECKING:
    from catalogue.pipe import Solved
    from engine.game import Rules
    from engine.text.deal_lines import InputDeal
    from solvers.outcome import Outcome
    from solvers.registry import Solver

# Batches of deals stored in one transaction.
_STORED_AT_ONCE = 100


def solve(
    deals: Annotated[
        list[str] | None,
        typer.Argument(metavar="DEAL", help="dealer:seed or dealer:first-last"),
    ] = None,
    rules: options.Rules = DEFAULT_RULESET,
    solver: Annotated[
        str | None,
        typer.Option(
            "--solver",
            "-s",
            metavar="SOLVER",
            help="The solver, with any parameters; by default the first of `thoughtful solvers` "
            "that decides deals of the ruleset, or else the first that plays it",
        ),
    ] = None,
    source: Annotated[
        str | None,
        typer.Option(
            "--input",
            "-i",
            metavar="FILE",
            help="Solve these deals, JSON lines; - is standard input",
        ),
    ] = None,
    target: Annotated[
        str,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="Write the results of --input here; - is standard output",
        ),
    ] = "-",
    position: Annotated[
        str | None,
        typer.Option("--position", metavar="FILE", help="Solve this mid-game position, as JSON"),
    ] = None,
    workers: options.Workers = 1,
    store: Annotated[
        bool, typer.Option("--store", help="Store the outcomes of DEALs in the catalogue")
    ] = False,
    json: options.AsJson = False,
    database: options.Database = None,
) -> None:
    """Solve named deals, a file of deals, or a mid-game position.

    A line of --input is {"id": ..., "tableau": [7 columns, bottom to top], "stock":
    [first drawn ... last drawn]} or {"id": ..., "dealer": ..., "seed": ...}; for Spider
    "tableau" has 10 columns and "stock" 5 rows of ten. A line of results has id, outcome
    (won, lost, unwinnable, gave_up), nodes, cpu_ms and, when won, moves. Results are in the
    order of the deals. No catalogue is needed.
    """
    from engine.games import game_of
    from engine.rulesets import parse_ruleset
    from solvers.registry import default_solver, parse_solver

    if bool(deals) + (source is not None) + (position is not None) != 1:
        raise BadInput(
            "solve needs one of these: deals such as thoughtful-1:42, --input FILE, "
            "or --position FILE"
        )
    if target != "-" and source is None:
        raise BadInput("--output needs --input")
    if store and not deals:
        raise BadInput("--store applies only to deals named by dealer and seed")
    ruleset = parse_ruleset(rules)
    configured = default_solver(ruleset) if solver is None else parse_solver(solver)
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
    from catalogue.pipe import one_by_one, solve_all, solve_chunks

    if not store:
        for given, outcome in solve_all(deals, rules, solver, workers=workers):
            _print_outcome(given, outcome, rules, solver, json)
        return

    from catalogue.settings import check_writable
    from catalogue.solving import store_solved
    from catalogue.store import open_catalogue

    check_writable()  # before anything is solved
    added = 0
    with open_catalogue(database) as catalogue:
        solved = solve_chunks(deals, rules, solver, workers=workers)
        while batch := list(islice(solved, _STORED_AT_ONCE)):
            added += store_solved(catalogue, batch)
            for given, outcome in chain.from_iterable(one_by_one(*each) for each in batch):
                _print_outcome(given, outcome, rules, solver, json)
    console.remark(f"outcomes added to the catalogue: {added}")


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
    cost = f"{outcome.nodes:,} nodes"
    if outcome.cpu_ms is not None:
        cost += f", {outcome.cpu_ms:,.1f} ms"
    verdict = outcome.result.value.replace("_", " ")
    if outcome.moves is None:
        print(f"{name} under {rules}: {verdict} by {solver} ({cost})")
    else:
        moves = game.unpack(outcome.moves)
        print(f"{name} under {rules}: {verdict} in {len(moves)} moves by {solver} ({cost})")
        print(f"  {' '.join(map(str, moves))}")
    if outcome.dead_end is not None and not isinstance(given, str) and game.load_dead_ends:
        kind, witness = outcome.dead_end.kind, outcome.dead_end.witness
        print(f"  {game.load_dead_ends().explain(given.deal, rules, kind, witness)}")
