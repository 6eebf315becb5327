"""`job submit|list|show|…`: submitting jobs, following their progress, and steering them."""

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from engine.errors import BadInput
from engine.games import DEFAULT_RULESET
from thoughtful.terminal import completing, console, options
from thoughtful.terminal.examples import examples
from thoughtful.terminal.jobs import in_words, left, rate, share

if TYPE_CHECKING:
    from datetime import datetime

    from catalogue.jobs.estimate import Estimate
    from catalogue.jobs.queue import JobInfo

Number = Annotated[
    int,
    typer.Argument(metavar="JOB", parser=options.whole(1, 2**31 - 1), help="Number of the job"),
]


@examples(
    "thoughtful job submit thoughtful-1:0-999 --solver dead-end --solver exact",
    "thoughtful job submit pysolfc:1-50 -s 'exact(nodes=100000)' --priority 5",
    "thoughtful job submit thoughtful-1:0-999 -r klondike-yan -s yan-heuristic",
    "thoughtful job submit thoughtful-1:0-99 -r spider-4 -s 'monkey(level=3)'",
    "thoughtful job submit thoughtful-1:0-999999 --keep verdicts --until-width 5",
    "thoughtful job submit thoughtful-1:0-999999999 --keep verdicts --dry-run",
)
def submit(
    sample: Annotated[
        str,
        typer.Argument(
            metavar="SAMPLE",
            autocompletion=completing.deals,
            help="dealer:first-last, such as thoughtful-1:0-999",
        ),
    ],
    rules: options.Rules = DEFAULT_RULESET,
    solvers: Annotated[
        list[str] | None,
        typer.Option(
            "--solver",
            "-s",
            metavar="SOLVER",
            autocompletion=completing.solvers,
            help="A solver; repeat the option for several, which run in this order; the default is "
            "that of `thoughtful solve`",
        ),
    ] = None,
    keep: Annotated[
        str,
        typer.Option(
            "--keep",
            metavar="WHAT",
            help="everything: a row for each outcome, with its solution; verdicts: 3 bytes a deal, "
            "from which the rest can be recomputed",
        ),
    ] = "everything",
    priority: Annotated[
        int | None,
        typer.Option(
            "--priority",
            metavar="N",
            parser=options.integer,
            help="Jobs with a higher priority run first (default: 0)",
        ),
    ] = None,
    until_width: Annotated[
        float | None,
        typer.Option(
            "--until-width",
            metavar="POINTS",
            parser=options.number,
            help="Stop when the 99 % confidence sequence of the winnable share is narrower than "
            "this many percentage points",
        ),
    ] = None,
    until_cpu_hours: Annotated[
        float | None,
        typer.Option(
            "--until-cpu-hours",
            metavar="HOURS",
            parser=options.number,
            help="Stop after this much CPU time",
        ),
    ] = None,
    until_deals: Annotated[
        int | None,
        typer.Option(
            "--until-deals",
            metavar="N",
            parser=options.integer,
            help="Solve at most the first N deals",
        ),
    ] = None,
    infer: Annotated[
        bool,
        typer.Option(
            "--infer",
            help="Do not solve deals whose outcomes follow from those under other rulesets",
        ),
    ] = False,
    dry_run: Annotated[
        bool,
        typer.Option("--dry-run", help="Print what the job would cost, and submit nothing"),
    ] = False,
    yes: Annotated[
        bool, typer.Option("--yes", "-y", help="Submit a job of any size without asking")
    ] = False,
    json: options.AsJson = False,
    database: options.Database = None,
) -> None:
    """Queue a job: solvers to run on a sample of deals under a ruleset.

    A job declares which outcomes are wanted; runners compute those that are missing.
    Submitting the same job again returns its existing number. A job that would take longer
    than a day, or has more than 1,000,000,000 deals, is submitted only after confirmation.
    """
    from catalogue.jobs import queue as jobs
    from catalogue.jobs.estimate import estimate
    from catalogue.store import open_catalogue
    from engine.dealing.dealers import parse_sample
    from engine.rulesets import parse_ruleset
    from solvers.choice import default_solver
    from solvers.solver import parse_solver

    given = {"width": until_width, "cpu_hours": until_cpu_hours, "deals": until_deals}
    until = {name: value for name, value in given.items() if value is not None}
    with open_catalogue(database) as catalogue:
        ruleset, deals = parse_ruleset(rules), parse_sample(sample)
        wanted = solvers or [str(default_solver(ruleset))]
        asked = jobs.Submission(
            ruleset,
            deals,
            [parse_solver(text) for text in wanted],
            keep=keep,
            priority=priority,
            until=until or None,
            infer=infer,
        )
        asked.check()
        cost = estimate(catalogue, asked, measure=dry_run)
        if dry_run:
            _print_estimate(cost, json)
            return
        if cost.is_large and not yes:
            _ask(cost)
        number = jobs.enqueue(catalogue, asked)
        _print(jobs.get_job(catalogue, number), json)


def _ask(cost: "Estimate") -> None:
    words = (
        f"this job has {cost.deals:,} deals and would take about {in_words(cost.seconds)} on "
        f"{cost.workers} workers"
    )
    if not sys.stdin.isatty():
        raise BadInput(f"{words}: repeat the command with --yes if that is what you want")
    typer.confirm(f"{words[0].upper()}{words[1:]}. Submit it?", abort=True, err=True)


def _print_estimate(cost: "Estimate", json: bool) -> None:
    if json:
        console.emit(cost)
        return
    rows = [
        ("missing", f"{cost.outcomes:,} outcomes on {cost.deals:,} deals"),
        *([] if cost.inferred is None else [("inferred", f"{cost.inferred:,} of the deals")]),
        ("CPU time", _interval(cost)),
        ("time", f"{in_words(cost.seconds)} on {cost.workers} workers"),
        ("database", f"{cost.bytes / 1e6:,.1f} MB"),
        ("source", f"{cost.sampled:,} {cost.source}" if cost.sampled else cost.source),
    ]
    for name, value in rows:
        print(f"{name:<10} {value}")


def _interval(cost: "Estimate") -> str:
    words = in_words(cost.cpu_seconds)
    if cost.cpu_low is None or cost.cpu_high is None:
        return words
    return f"{words} (99 %: {in_words(cost.cpu_low)} to {in_words(cost.cpu_high)})"


@examples(
    "thoughtful job list",
)
def list_all(json: options.AsJson = False, database: options.Database = None) -> None:
    """List all jobs, oldest first."""
    from catalogue.jobs import queue as jobs
    from catalogue.store import open_catalogue

    with open_catalogue(database) as catalogue:
        listed = jobs.list_jobs(catalogue)
    if json:
        for job in listed:
            console.emit(_plain(job))
        return
    console.show_table(
        (
            "job",
            "kind",
            "state",
            "priority",
            "done",
            "rate",
            "left",
            "ruleset",
            "sample",
            "solvers",
        ),
        (
            (
                job.id,
                job.kind,
                _state(job),
                job.priority,
                f"{share(job)} of {job.total:,}",
                rate(job),
                left(job),
                job.ruleset,
                job.sample,
                " ".join(job.solvers),
            )
            for job in listed
        ),
        numbers=("job", "priority", "rate", "left"),
    )


@examples(
    "thoughtful job show 1",
)
def show(number: Number, json: options.AsJson = False, database: options.Database = None) -> None:
    """Show the state, progress, rate and error of a job."""
    from catalogue.jobs import queue as jobs
    from catalogue.store import open_catalogue

    with open_catalogue(database) as catalogue:
        _print(jobs.get_job(catalogue, number), json)


@examples(
    "thoughtful job pause 1",
)
def pause(number: Number, json: options.AsJson = False, database: options.Database = None) -> None:
    """Pause a job: what is being solved is finished and stored, and nothing more is begun."""
    _steer(number, "pause", json, database)


@examples(
    "thoughtful job resume 1",
)
def resume(number: Number, json: options.AsJson = False, database: options.Database = None) -> None:
    """Let a paused job go on."""
    _steer(number, "resume", json, database)


@examples(
    "thoughtful job cancel 1",
)
def cancel(number: Number, json: options.AsJson = False, database: options.Database = None) -> None:
    """Cancel a job; the outcomes it has stored are kept."""
    from catalogue.jobs import queue as jobs
    from catalogue.store import open_catalogue

    with open_catalogue(database) as catalogue:
        jobs.cancel(catalogue, number)
        _print(jobs.get_job(catalogue, number), json)


@examples(
    "thoughtful job retry 1",
)
def retry(number: Number, json: options.AsJson = False, database: options.Database = None) -> None:
    """Queue a failed or cancelled job again, its failed shards included."""
    _steer(number, "retry", json, database)


@examples(
    "thoughtful job priority 1 10",
)
def priority(
    number: Number,
    value: Annotated[
        int,
        typer.Argument(
            metavar="N",
            parser=options.integer,
            help="The priority; a negative one is written after --",
        ),
    ],
    json: options.AsJson = False,
    database: options.Database = None,
) -> None:
    """Set the priority of a job: jobs with a higher priority run first."""
    from catalogue.jobs import queue as jobs
    from catalogue.store import open_catalogue

    with open_catalogue(database) as catalogue:
        jobs.set_priority(catalogue, number, value)
        _print(jobs.get_job(catalogue, number), json)


def _steer(number: int, what: str, json: bool, database: str | None) -> None:
    from catalogue.jobs import queue as jobs
    from catalogue.store import open_catalogue

    with open_catalogue(database) as catalogue:
        getattr(jobs, what)(catalogue, number)
        _print(jobs.get_job(catalogue, number), json)


def _plain(job: "JobInfo") -> dict[str, object]:
    data: dict[str, object] = {name: getattr(job, name) for name in job.__dataclass_fields__}
    return {**data, "sample": str(job.sample), "stalled": job.stalled}


def _print(job: "JobInfo", json: bool) -> None:
    if json:
        console.emit(_plain(job))
        return
    from catalogue.jobs.stop_rules import rules_in_words

    shards = ", ".join(f"{count} {state}" for state, count in sorted(job.shards.items()))
    rows: list[tuple[str, object]] = [
        ("job", job.id),
        ("kind", job.kind),
        ("state", _state(job)),
        ("ruleset", job.ruleset),
        ("sample", f"{job.sample} ({job.sample.count:,} deals)"),
        ("solvers", ", ".join(job.solvers)),
        ("keep", job.keep),
        ("priority", job.priority or ""),
        ("stops", rules_in_words(job.until)),
        ("done", f"{job.done:,} of {job.total:,} {job.kind} ({share(job)})"),
        ("inferred", None if job.inferred is None else f"{job.inferred:,} deals"),
        ("rate", rate(job)),
        ("time left", left(job)),
        ("CPU time", in_words(job.cpu_ms / 1000) if job.cpu_ms else ""),
        ("shards", shards),
        ("submitted", _moment(job.created_at)),
        ("started", _moment(job.started_at)),
        ("finished", _moment(job.finished_at)),
        ("runners", ", ".join(job.runners)),
        ("error" if job.state == "failed" else "stopped", job.error),
    ]
    for name, value in rows:
        if value not in (None, ""):
            print(f"{name:<10} {value}")


def _state(job: "JobInfo") -> str:
    return "running, but its runner has stopped responding" if job.stalled else job.state


def _moment(at: "datetime | None") -> str:
    return "" if at is None else f"{at:%Y-%m-%d %H:%M:%S} UTC"
