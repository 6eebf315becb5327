"""`solve`: solving deals and positions directly, without a job."""

import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Annotated

import typer

from catalogue.commands import completing, console, given, options
from catalogue.commands.play import read_position
from engine.errors import BadInput
from engine.games import DEFAULT_RULESET

if TYPE_CHECKING:
    from catalogue.pipe import Solved
    from catalogue.solving import Batch
    from engine.game import Position, Rules
    from engine.text.deal_lines import InputDeal
    from solvers.outcome import Outcome
    from solvers.registry import Solver

# Deals stored in one transaction, and some more as they come in batches.
_STORED_AT_ONCE = 100


def solve(
    deals: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="DEAL",
            autocompletion=completing.deals,
            help="dealer:seed, dealer:first-last, the digest of a deal in the catalogue, a deal in "
            "any format, or a file of deals",
        ),
    ] = None,
    rules: options.Rules = DEFAULT_RULESET,
    solver: Annotated[
        str | None,
        typer.Option(
            "--solver",
            "-s",
            metavar="SOLVER",
            autocompletion=completing.solvers,
            help="The solver, with any parameters; by default one that decides deals of the "
            "ruleset, or else the best player of it; see `thoughtful solvers`",
        ),
    ] = None,
    source: Annotated[
        str | None,
        typer.Option(
            "--input",
            "-i",
            metavar="FILE",
            help="Solve these deals, in any format; - is standard input",
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
        typer.Option(
            "--position", metavar="FILE", help="Solve this mid-game position, in any format"
        ),
    ] = None,
    form: given.From = None,
    notation: given.Notation = None,
    workers: options.Workers = 1,
    store: Annotated[
        bool, typer.Option("--store", help="Store the outcomes of DEALs in the catalogue")
    ] = False,
    json: options.AsJson = False,
    database: options.Database = None,
) -> None:
    """Solve named deals, a file of deals, or a mid-game position.

    A deal is given by name or in any format that can be read, by itself or in a file. A JSON
    line of --input is {"id": ..., "tableau": [7 columns, bottom to top], "stock":
    [first drawn ... last drawn]} or {"id": ..., "dealer": ..., "seed": ...}; for Spider
    "tableau" has 10 columns and "stock" 5 rows of ten. A line of results has id, outcome
    (won, lost, unwinnable, gave_up), nodes, cpu_ms and, when won, moves. cpu_ms is without the
    time of compiling, and null for a deal that was solved without the compiler while kernels were
    being compiled. Where the notation of --to has no sign for a move, moves is null and error says
    why. Results are in the order of the deals. No catalogue is needed.
    """
    from engine.games import game_of
    from engine.intake import check_form
    from engine.notations import check_notation
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
        raise BadInput("--store applies only to DEALs, and not to --input or --position")
    ruleset = parse_ruleset(rules)
    configured = default_solver(ruleset) if solver is None else parse_solver(solver)
    configured.check_plays(ruleset)
    if form is not None:
        check_form(form, game_of(ruleset))
    if notation is not None:
        check_notation(notation, game_of(ruleset))

    printer = _Printer(ruleset, configured, json, notation)
    if deals:
        from catalogue.pipe import solve_chunks

        named = given.deals_given(deals, ruleset, form, database)
        are_there = all(map(given.is_there, deals))
        solved = solve_chunks(named, ruleset, configured, workers=workers or 1, are_there=are_there)
        _print_solved(solved, store, database, printer)
    elif source is not None:
        _solve_file(source, target, ruleset, configured, workers or 1, form, notation)
    elif position is not None:
        start = read_position(position, ruleset, form)
        outcome = configured.solve_position(start)
        printer.print(position, outcome, start)


def _solve_file(
    source: str,
    target: str,
    rules: "Rules",
    solver: "Solver",
    workers: int,
    form: str | None,
    notation: str | None,
) -> None:
    from catalogue.pipe import solve_file

    since = time.perf_counter()
    done = 0
    with console.progress("solving") as advance:

        def count(solved: "Solved") -> None:
            nonlocal done
            done += 1
            advance(done, solved.outcome.result.value)

        counts = solve_file(
            source,
            target,
            rules,
            solver,
            workers=workers,
            form=form,
            notation=notation,
            on_result=count,
        )
    parts = [f"{number} {result}" for result, number in sorted(counts.items())]
    seconds = time.perf_counter() - since
    console.remark(f"{done} deals: {', '.join(parts) or 'none'}; {seconds:.1f} s")


def _print_solved(
    solved: "Iterator[Batch]", store: bool, database: str | None, printer: "_Printer"
) -> None:
    from catalogue.pipe import one_by_one

    def print_all(batches: "Iterable[Batch]") -> None:
        for item, outcome in chain.from_iterable(one_by_one(*each) for each in batches):
            printer.print(item, outcome)

    if not store:
        print_all(solved)
        return

    from catalogue.solving import store_solved
    from catalogue.store import open_catalogue

    added = 0
    with open_catalogue(database) as catalogue:
        catalogue.check_may_write()  # before anything is solved
        while some := list(_some(solved)):
            added += store_solved(catalogue, some)
            print_all(some)
    console.remark(f"outcomes added to the catalogue: {added}")


def _some(batches: "Iterator[Batch]") -> "Iterator[Batch]":
    """The next batches, to be stored together."""
    count = 0
    for batch in batches:
        yield batch
        count += len(batch[0])
        if count >= _STORED_AT_ONCE:
            return


@dataclass(frozen=True, slots=True)
class _Printer:
    """Prints outcomes as text or JSON, their moves in a notation."""

    rules: "Rules"
    solver: "Solver"
    json: bool
    notation: str | None

    def print(
        self, item: "InputDeal | str", outcome: "Outcome", start: "Position | None" = None
    ) -> None:
        """Print the outcome of a deal, or that of a position from a file."""
        from catalogue.pipe import result_line
        from engine.games import game_of
        from engine.notations import OWN, write_moves

        game = game_of(self.rules)
        name = item if isinstance(item, str) else item.id
        if not isinstance(item, str) and self.notation is not None:
            start = game.start(item.deal, self.rules)
        if self.json:
            console.emit(result_line(name, outcome, game, self.notation, start))
            return
        cost = f"{outcome.nodes:,} nodes"
        if outcome.cpu_ms is not None:
            cost += f", {outcome.cpu_ms:,.1f} ms"
        verdict = f"{name} under {self.rules}: {outcome.result.value.replace('_', ' ')}"
        if outcome.moves is None:
            print(f"{verdict} by {self.solver} ({cost}){self._why(outcome)}")
        else:
            length = game.length(outcome.moves)
            print(f"{verdict} in {length} moves by {self.solver} ({cost})")
            if start is None:
                # The referees have judged this win of a deal: it need not be replayed once more.
                text = game.text(outcome.moves)
            else:
                try:
                    text = write_moves(game.unpack(outcome.moves), start, self.notation or OWN)
                except BadInput as error:
                    # The other deals are solved and written all the same.
                    text = f"not written: {error}"
            print("\n".join(f"  {line}" for line in text.splitlines()))
        if outcome.dead_end is not None and not isinstance(item, str) and game.load_dead_ends:
            kind, witness = outcome.dead_end.kind, outcome.dead_end.witness
            print(f"  {game.load_dead_ends().explain(item.deal, self.rules, kind, witness)}")

    def _why(self, outcome: "Outcome") -> str:
        """What ended a search without a verdict, if the solver tells."""
        from solvers.deciding import Ending, ending_of

        nodes = dict(self.solver.values).get("nodes")
        if not self.solver.method.decides or nodes is None:
            return ""
        ending = ending_of(outcome, nodes)
        if ending == Ending.MEMORY:
            return ": its memory did not suffice (more with memory_mib)"
        return ": its nodes did not suffice (more with nodes)" if ending == Ending.NODES else ""
