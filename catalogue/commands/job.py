"""`job submit|list|show|cancel`: submitting jobs and following their progress."""

from typing import TYPE_CHECKING, Annotated

import typer

from catalogue.commands import console, options
from engine.games import DEFAULT_RULESET

if TYPE_CHECKING:
    from datetime import datetime

    from catalogue.jobs.queue import JobInfo

Number = Annotated[
    int,
    typer.Argument(metavar="JOB", parser=options.whole(1, 2**31 - 1), help="Number of the job"),
]


def submit(
    sample: Annotated[
        str, typer.Argument(metavar="SAMPLE", help="dealer:first-last, such as thoughtful-1:0-999")
    ],
    rules: options.Rules = DEFAULT_RULESET,
    solvers: Annotated[
        list[str] | None,
        typer.Option(
            "--solver",
            "-s",
            metavar="SOLVER",
            help="A solver; repeat the option for several, which run in this order; the default is "
            "that of `thoughtful solve`",
        ),
    ] = None,
    json: options.AsJson = False,
    database: options.Database = None,
) -> None:
    """Queue a job: solvers to run on a sample of deals under a ruleset.

    A job declares which outcomes are wanted; a runner computes those that are missing.
    Submitting the same job again returns its existing number.
    """
    from catalogue.jobs import queue as jobs
    from catalogue.store import open_catalogue
    from engine.dealing.dealers import parse_sample
    from engine.rulesets import parse_ruleset
    from solvers.registry import default_solver

    with open_catalogue(database) as catalogue:
        wanted = solvers or [str(default_solver(parse_ruleset(rules)))]
        number = jobs.submit(catalogue, rules, parse_sample(sample), wanted)
        _print(jobs.get_job(catalogue, number), json)


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
        ("job", "state", "done", "rate", "left", "ruleset", "sample", "solvers"),
        (
            (
                job.id,
                _state(job),
                f"{share(job)} of {job.total:,}",
                rate(job),
                left(job),
                job.ruleset,
                job.sample,
                " ".join(job.solvers),
            )
            for job in listed
        ),
        numbers=("job", "rate", "left"),
    )


def show(number: Number, json: options.AsJson = False, database: options.Database = None) -> None:
    """Show the state, progress, rate and error of a job."""
    from catalogue.jobs import queue as jobs
    from catalogue.store import open_catalogue

    with open_catalogue(database) as catalogue:
        _print(jobs.get_job(catalogue, number), json)


def cancel(number: Number, json: options.AsJson = False, database: options.Database = None) -> None:
    """Cancel a job; the outcomes it has stored are kept."""
    from catalogue.jobs import queue as jobs
    from catalogue.store import open_catalogue

    with open_catalogue(database) as catalogue:
        jobs.cancel(catalogue, number)
        _print(jobs.get_job(catalogue, number), json)


def _plain(job: "JobInfo") -> dict[str, object]:
    data: dict[str, object] = {name: getattr(job, name) for name in job.__dataclass_fields__}
    return {**data, "sample": str(job.sample), "stalled": job.stalled}


def _print(job: "JobInfo", json: bool) -> None:
    if json:
        console.emit(_plain(job))
        return
    rows: list[tuple[str, object]] = [
        ("job", job.id),
        ("state", _state(job)),
        ("ruleset", job.ruleset),
        ("sample", f"{job.sample} ({job.sample.count:,} deals)"),
        ("solvers", ", ".join(job.solvers)),
        ("done", f"{job.done:,} of {job.total:,} outcomes ({share(job)})"),
        ("rate", rate(job)),
        ("time left", left(job)),
        ("submitted", _moment(job.created_at)),
        ("started", _moment(job.started_at)),
        ("finished", _moment(job.finished_at)),
        ("runner", job.runner),
        ("error", job.error),
    ]
    for name, value in rows:
        if value not in (None, ""):
            print(f"{name:<10} {value}")


def _state(job: "JobInfo") -> str:
    return "running, but its runner has stopped responding" if job.stalled else job.state


def share(job: "JobInfo") -> str:
    """The share of a job that is done, as text."""
    # Truncated, not rounded: only a complete job shows 100 %.
    return f"{job.done * 1000 // job.total / 10:.1f} %"


def rate(job: "JobInfo") -> str:
    """The rate of a running job, as text; empty for other jobs."""
    return "" if job.rate is None else f"{job.rate:,.1f}/s"


def left(job: "JobInfo") -> str:
    """The time left of a job, as text; empty if unknown."""
    if job.eta_seconds is None:
        return ""
    minutes, seconds = divmod(round(job.eta_seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes:02} min" if hours else f"{minutes} min {seconds:02} s"


def _moment(at: "datetime | None") -> str:
    return "" if at is None else f"{at:%Y-%m-%d %H:%M:%S} UTC"
