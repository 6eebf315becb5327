"""`solve`: solving deals and positions directly, without a job."""

import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import chain, groupby
from typing import TYPE_CHECKING, Annotated

import typer

from engine.errors import BadInput
from engine.games import DEFAULT_RULESET
from engine.text.numbers import counted
from thoughtful.terminal import completing, console, files, given, options
from thoughtful.terminal.examples import examples

if TYPE_CHECKING:
    from catalogue.pipe import Solved, SolvedPosition
    from catalogue.solving import Batch
    from engine.game import Rules
    from engine.intake import InputPosition, WrongEntry
    from engine.text.deal_lines import InputDeal
    from solvers.outcome import Outcome
    from solvers.solver import Solver

# Deals stored in one transaction, and some more as they come in batches.
_STORED_AT_ONCE = 100


@examples(
    "thoughtful solve thoughtful-1:42",
    "thoughtful solve thoughtful-1:2-9 --rules klondike-draw1 --json",
    "thoughtful solve thoughtful-1:42 --store",
    "thoughtful solve thoughtful-1:3 -r spider-1 -s 'monkey(level=3, period=50)'",
    "thoughtful deal thoughtful-1:2-29 --json > deals.jsonl",
    "thoughtful solve --input deals.jsonl --output results.jsonl --workers 2",
    "thoughtful deal pysolfc:1-3 -f pysolfc | thoughtful solve - --to pysolfc",
)
def solve(
    deals: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="DEAL",
            autocompletion=completing.deals,
            help="dealer:seed, dealer:first-last, the digest of a deal in the catalogue, a deal or "
            "a position in any format, or a file of them",
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
            help="Solve these deals and positions, in any format; - is standard input",
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
    skip_bad: Annotated[
        bool,
        typer.Option("--skip-bad", help="Solve a file although some entries cannot be read"),
    ] = False,
    store: Annotated[
        bool, typer.Option("--store", help="Store the outcomes of DEALs in the catalogue")
    ] = False,
    json: options.AsJson = False,
    database: options.Database = None,
) -> None:
    """Solve named deals, a file of deals, or a mid-game position.

    A deal is given by name or in any format that can be read, by itself or in a file. A JSON line
    of --input is {"id": ..., "tableau": [7 columns, bottom to top], "stock": [first drawn ... last
    drawn]} or {"id": ..., "dealer": ..., "seed": ...}; for Spider "tableau" has 10 columns and
    "stock" 5 rows of ten, and for other games `thoughtful deal --json` prints such a line. A line
    of results has id, outcome (won, lost, unwinnable, gave_up), nodes, cpu_ms and, when won, moves.
    cpu_ms is without the time of compiling, and null for a deal that was solved without the
    compiler while kernels were being compiled. Where the notation of --to has no sign for a move,
    moves is null and error says why. Results are in the order of the deals, and in the place of an
    entry that cannot be read stands a line with outcome null and the error. Solutions printed as
    text are made shorter, for some 20 ms each; with --json, --input and --store they are as jobs
    store them. No catalogue is needed.
    """
    from engine.games import game_of
    from engine.intake import InputPosition, check_form
    from engine.notations import check_notation
    from engine.rulesets import parse_ruleset
    from solvers.choice import default_solver
    from solvers.solver import parse_solver

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
    configured = None if solver is None else parse_solver(solver)
    if deals or options.names_rules():
        (configured or default_solver(ruleset)).check_plays(ruleset)
    if form is not None:
        check_form(form, game_of(ruleset))
    if notation is not None:
        check_notation(notation, game_of(ruleset))

    is_shown = not (json or store or source is not None)
    run = _Run(ruleset, configured, form, notation, workers or 1, skip_bad, json, is_shown)
    wrong = 0
    if source is not None:
        wrong = _solve_file(source, target, run)
    elif position is not None:
        start = given.entry_in(position, ruleset, form).position
        outcome = run.solver_under(start.rules).solve_position(start)
        run.print(InputPosition(position, start), outcome)
    else:
        assert deals
        wrong = _solve_named(deals, run, database, store=store)
    if wrong and not skip_bad:
        raise typer.Exit(2)


def _solve_file(source: str, target: str, run: "_Run") -> int:
    """Solve a file; return how many entries cannot be read."""
    from catalogue.pipe import solve_file
    from engine.intake import WrongEntry

    since = time.perf_counter()
    done = 0
    with console.progress("solving") as advance:

        def count(solved: "Solved | SolvedPosition | WrongEntry") -> None:
            nonlocal done
            if isinstance(solved, WrongEntry):
                _tell(solved, files.shown(source))
                return
            done += 1
            advance(done, solved.outcome.result.value)

        counts = solve_file(
            source,
            target,
            run.rules,
            run.solver,
            workers=run.workers,
            form=run.form,
            notation=run.notation,
            asked=options.names_rules(),
            skip_bad=run.skip_bad,
            on_result=count,
        )
    parts = [f"{number} {result}" for result, number in sorted(counts.items())]
    seconds = time.perf_counter() - since
    console.remark(f"{counted(done, 'deal')}: {', '.join(parts) or 'none'}; {seconds:.1f} s")
    return counts["wrong"]


def _tell(wrong: "WrongEntry", place: str) -> None:
    console.remark(f"{place}, line {wrong.line}: {' '.join(wrong.reason.split())}")


def _solve_named(deals: list[str], run: "_Run", database: str | None, *, store: bool) -> int:
    """Solve what arguments name; return how many entries of files cannot be read."""
    from catalogue.pipe import solve_given, wrong_line
    from engine.intake import WrongEntry

    wrong = 0

    def skip(entry: "WrongEntry") -> None:
        nonlocal wrong
        wrong += 1
        _tell(entry, "the file" if len(deals) > 1 else files.shown(deals[0]))
        if run.json:
            console.emit(wrong_line(entry))

    are_there = all(map(given.is_there, deals))
    # What comes through a pipe is solved as it comes, so a wrong line cannot keep it from that.
    on_wrong = skip if run.skip_bad or not are_there else None
    named = given.deals_given(deals, run.rules, run.form, database, on_wrong)
    if store:
        _store(given.only_deals(named, "positions are not stored"), run, database)
        return wrong
    for solved in solve_given(
        named,
        run.rules,
        run.solver,
        workers=run.workers,
        are_there=are_there,
        default=run.default,
    ):
        assert not isinstance(solved, WrongEntry)
        run.print(*solved)
    return wrong


def _store(named: "Iterable[InputDeal]", run: "_Run", database: str | None) -> None:
    from catalogue.pipe import one_by_one, ruleset_of, solve_chunks
    from catalogue.solving import store_solved
    from catalogue.store import open_catalogue
    from engine.rulesets import parse_ruleset

    added = 0
    with open_catalogue(database) as catalogue:
        catalogue.check_may_write()  # before anything is solved
        for slug, group in groupby(named, lambda item: ruleset_of(item, run.rules).slug):
            under = parse_ruleset(slug)
            solved = solve_chunks(group, under, run.solver_under(under), workers=run.workers)
            while some := list(_some(solved)):
                added += store_solved(catalogue, some)
                for item, outcome in chain.from_iterable(one_by_one(*each) for each in some):
                    run.print(item, outcome)
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
class _Run:
    """The options of the command, and how outcomes are printed by them."""

    rules: "Rules"
    solver: "Solver | None"
    form: str | None
    notation: str | None
    workers: int
    skip_bad: bool
    json: bool
    is_shown: bool

    @property
    def default(self) -> "Callable[[Rules], Solver]":
        """The default solver by ruleset: solutions printed as text are for somebody to look at."""
        from solvers.choice import default_shown, default_solver

        return default_shown if self.is_shown else default_solver

    def solver_under(self, rules: "Rules") -> "Solver":
        """The solver of a ruleset: that which was named, or the default one."""
        chosen = self.solver or self.default(rules)
        chosen.check_plays(rules)
        return chosen

    def print(self, item: "InputDeal | InputPosition", outcome: "Outcome") -> None:
        """Print the outcome of a deal or position."""
        from catalogue.pipe import result_line, ruleset_of, start_of
        from engine.games import game_of
        from engine.intake import InputPosition
        from engine.notations import OWN, write_moves
        from engine.text.deal_lines import InputDeal
        from solvers.deciding import dead_end_words

        rules = ruleset_of(item, self.rules)
        solver = self.solver_under(rules)
        game = game_of(rules)
        # The referees have judged this win of a deal: it need not be replayed once more.
        replayed = self.notation is not None or isinstance(item, InputPosition)
        start = start_of(item, rules) if replayed else None
        if self.json:
            console.emit(result_line(item.id, outcome, game, self.notation, start))
            return
        cost = f"{outcome.nodes:,} nodes"
        if outcome.cpu_ms is not None:
            cost += f", {outcome.cpu_ms:,.1f} ms"
        verdict = f"{item.id} under {rules}: {outcome.result.value.replace('_', ' ')}"
        if outcome.moves is None:
            print(f"{verdict} by {solver} ({cost}){_why(solver, outcome)}")
        else:
            length = game.length(outcome.moves)
            print(f"{verdict} in {length} moves by {solver} ({cost})")
            if start is None:
                text = game.text(outcome.moves)
            else:
                try:
                    text = write_moves(game.unpack(outcome.moves), start, self.notation or OWN)
                except BadInput as error:
                    # The other deals are solved and written all the same.
                    text = f"not written: {error}"
            print("\n".join(f"  {line}" for line in text.splitlines()))
        if isinstance(item, InputDeal):
            lost = dead_end_words(item.deal, rules, outcome.dead_end)
            if lost is not None:
                print(f"  {lost}")


def _why(solver: "Solver", outcome: "Outcome") -> str:
    """The ending of a search without a verdict, if the solver tells."""
    from solvers.deciding import Ending, ending_of

    nodes = dict(solver.values).get("nodes")
    if not solver.method.decides or nodes is None:
        return ""
    ending = ending_of(outcome, nodes)
    if ending == Ending.MEMORY:
        return ": its memory did not suffice (more with memory_mib)"
    return ": its nodes did not suffice (more with nodes)" if ending == Ending.NODES else ""
