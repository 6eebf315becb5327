"""`catalogue compact`: dropping the rows of outcomes, or making them again."""

from typing import TYPE_CHECKING, Annotated

import typer

from engine.errors import BadInput
from engine.text.numbers import counted
from thoughtful.terminal import completing, console, options
from thoughtful.terminal.examples import examples

if TYPE_CHECKING:
    from catalogue.outcomes.compaction import BlockKey
    from catalogue.store import Catalogue


@examples(
    "thoughtful catalogue compact --rules klondike-yan --dry-run",
    "thoughtful catalogue compact --rules klondike-yan",
    "thoughtful catalogue compact --rules klondike-yan --back",
)
def compact(
    rules: options.OnlyRules = None,
    dealer: Annotated[
        str | None,
        typer.Option(
            "--dealer",
            metavar="DEALER",
            autocompletion=completing.dealers,
            help="Only deals of this dealer",
        ),
    ] = None,
    solver: Annotated[
        str | None,
        typer.Option(
            "--solver",
            "-s",
            metavar="SOLVER",
            autocompletion=completing.solvers,
            help="Only outcomes of this solver",
        ),
    ] = None,
    back: Annotated[
        bool,
        typer.Option("--back", help="Restore the rows by solving the deals again"),
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say what would be done, and do nothing")
    ] = False,
    workers: options.Workers = None,
    json: options.AsJson = False,
    database: options.Database = None,
) -> None:
    """Drop the rows of outcomes and their solutions, or restore them.

    What is known of a deal stays in its block, in about three bytes: result, nodes, length of the
    solution and time. Rows are kept of imported deals, of other programs' outcomes, of those that
    took longer than a second, of deals that a deciding solver left undecided, and of games with a
    regret. With --back the solvers solve their deals again; an outcome that differs from that of
    the block ends the command with an error.

    It may be stopped at any time, and goes on when it is started again.
    """
    from catalogue.outcomes import compaction
    from catalogue.reading.deal_filter import ruleset_id_named, solver_ids_named
    from catalogue.store import open_catalogue
    from engine.dealing.dealers import get_dealer

    if dealer is not None:
        get_dealer(dealer)
    with open_catalogue(database) as cat:
        with cat.session() as session:
            ruleset_id = None if rules is None else ruleset_id_named(session, rules)
            solver_ids = None if solver is None else solver_ids_named(session, solver)
        keys = compaction.blocks_with_rows(cat, back, ruleset_id, dealer, solver_ids)
        rows = _solve_again(cat, keys, dry_run, workers) if back else _drop(cat, keys, dry_run)
    answer = {"blocks": len(keys), "rows": rows, "back": back, "done": not dry_run}
    if json:
        console.emit(answer)
        return
    verb = "made again" if back else "dropped"
    would = "would be " if dry_run else ""
    print(f"{counted(len(keys), 'block')}: {counted(rows, 'outcome')} {would}{verb}")


def _drop(cat: "Catalogue", keys: "list[BlockKey]", dry_run: bool) -> int:
    from catalogue.outcomes import compaction

    if dry_run:
        return sum(compaction.sizes(cat, keys))
    dropped = 0
    with console.progress("blocks", len(keys)) as advance:
        for done, rows in enumerate(compaction.compact(cat, keys), start=1):
            dropped += rows
            advance(done, f"{dropped:,} rows")
    if dropped:
        compaction.give_back_space(cat)
    return dropped


def _solve_again(
    cat: "Catalogue", keys: "list[BlockKey]", dry_run: bool, workers: int | None
) -> int:
    from catalogue.jobs import queue
    from catalogue.jobs.runner import run
    from catalogue.outcomes import compaction
    from thoughtful.terminal.jobs import JobReporter

    spans = compaction.spans(cat, keys)
    if dry_run:
        return sum(span.missing for span in spans)
    jobs = [
        queue.submit(cat, span.ruleset, span.sample, [span.solver], keep="everything")
        for span in spans
    ]
    if jobs:
        with JobReporter() as report:
            run(cat, workers=workers, only=jobs, on_progress=report)
        failed = [job for n in jobs if (job := queue.get_job(cat, n)).state != "done"]
        if failed:
            raise BadInput(f"job {failed[0].id} is {failed[0].state}: {failed[0].error}")
    return sum(span.missing for span in spans)
