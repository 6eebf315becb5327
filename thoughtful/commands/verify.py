"""`verify`: checking the catalogue."""

from typing import TYPE_CHECKING, Annotated

import typer

from catalogue.verify.checks import CHECKS
from engine.errors import BadInput
from thoughtful.terminal import completing, console, options
from thoughtful.terminal.examples import examples

if TYPE_CHECKING:
    from catalogue.verify.report import VerificationReport


@examples(
    "thoughtful verify",
    "thoughtful verify --share 1 --json",
    "thoughtful verify --only solutions --only cards --share 0.5 --seed 7",
    "thoughtful verify --deal thoughtful-1:42",
    "thoughtful verify --last",
)
def verify(
    context: typer.Context,
    checked: Annotated[
        float,
        typer.Option(
            "--share",
            metavar="SHARE",
            parser=options.share,
            help="Share of the games to replay, dead ends to check and deals to deal again",
        ),
    ] = 0.1,
    resolved: Annotated[
        float,
        typer.Option(
            "--resolve",
            metavar="SHARE",
            parser=options.share,
            help="Share of the outcomes, verdicts and losing moves to check with a solver",
        ),
    ] = 0.01,
    only: Annotated[
        list[str] | None,
        typer.Option(
            "--only",
            metavar="CHECK",
            help="Run only this check; repeat the option for several",
        ),
    ] = None,
    deal: Annotated[
        str | None,
        typer.Option(
            "--deal",
            metavar="DEAL",
            autocompletion=completing.deals,
            help="Check only this deal, with everything known about it",
        ),
    ] = None,
    everything: Annotated[
        bool,
        typer.Option("--everything", help="Check all rows, as --share 1 --resolve 1 does"),
    ] = False,
    seed: Annotated[
        int | None,
        typer.Option(
            "--seed",
            metavar="N",
            parser=options.integer,
            help="Random seed of the selection; fresh by default",
        ),
    ] = None,
    workers: Annotated[
        int | None,
        typer.Option(
            "--workers",
            "-w",
            metavar="N",
            parser=options.whole(1, 4096),
            help="Number of processes that check (default: all cores for a large catalogue)",
        ),
    ] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on with the last verification, which was stopped")
    ] = False,
    last: Annotated[
        bool, typer.Option("--last", help="Print the report of the last verification")
    ] = False,
    json: options.AsJson = False,
    database: options.Database = None,
) -> None:
    """Verify the catalogue: recompute what is stored and report what is wrong.

    Every status, count, job, bound, seal, reference and value is checked, and a random share of
    the rest; the report says what follows for all of it. Nothing is repaired. Exit code 1 means
    that something is wrong.

    Several processes share the work. Ctrl-C stops it, and --resume goes on. The report
    is stored in the catalogue.
    """
    from catalogue.database import Damaged, parse_url, shown
    from catalogue.store import open_catalogue

    if everything:
        for name, option in (("checked", "--share"), ("resolved", "--resolve")):
            source = context.get_parameter_source(name)
            if source is not None and source.name == "COMMANDLINE":
                raise BadInput(f"--everything checks all rows: leave out {option}")
    try:
        opened = open_catalogue(database)
    except Damaged as error:
        from catalogue.verify.report import unopened

        report = unopened(shown(parse_url(database)), str(error))
        _print(report, json)
        raise typer.Exit(1) from None
    with opened as catalogue:
        if last:
            from catalogue.verify.record import last_report

            found = last_report(catalogue)
            if found is None:
                raise BadInput("nothing has been verified yet: run `thoughtful verify`")
            _print(found, json)
            return
        from catalogue.settings import get_settings
        from catalogue.verify import running

        share, again = (1.0, 1.0) if everything else (checked, resolved)
        count = workers
        if count is None:
            most = get_settings().workers
            count = running.workers_for(catalogue, share, again, most)
        with console.progress("verifying") as advance:

            def show(check: str, done: int) -> None:
                advance(done, check)

            if resume:
                report = running.resume(catalogue, workers=count, on_progress=show)
            else:
                report = running.verify(
                    catalogue,
                    share=share,
                    resolve_share=again,
                    seed=seed,
                    only=only or (),
                    deal=deal,
                    workers=count,
                    record=True,
                    on_progress=show,
                )
    _print(report, json)
    if not report.holds:
        raise typer.Exit(1)


def _listed() -> str:
    """The checks in words, for the help."""
    words = [f"{check.name} ({check.meaning})" for check in CHECKS]
    drawn = ", ".join(check.name for check in CHECKS if check.sampled)
    return f"The checks are {'; '.join(words)}. Of {drawn} a random share is checked."


# The help is made of it.
verify.__doc__ = f"{verify.__doc__}\n\n    {_listed()}"


def _print(report: "VerificationReport", json: bool) -> None:
    if json:
        console.emit(report.plain())
    else:
        print(report)
