"""Jobs while they run: progress, and how far they are in words."""

import logging
import threading
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack, nullcontext
from typing import TYPE_CHECKING

import typer

from catalogue import logs
from engine.text.numbers import per_cent
from thoughtful.terminal import console

if TYPE_CHECKING:
    from collections.abc import Sequence

    from catalogue.jobs.queue import JobInfo
    from catalogue.store import Catalogue

_log = logging.getLogger(__name__)

# Interval of progress lines where there is no progress bar, as in a log.
_LINE_SECONDS = 15


class JobReporter:
    """Progress report of the jobs: a bar on a terminal, occasional lines elsewhere.

    Where log lines are JSON, they are all there is on standard error.
    """

    def __init__(self, bar: bool = True) -> None:
        self.failed = False
        self._silent = logs.are_json()
        self._bar = bar and console.is_terminal()
        self._job: int | None = None
        self._announced: set[int] = set()
        self._said = 0.0
        self._stack = ExitStack()
        self._advance: Callable[[int, str], None] = lambda _done, _remark: None

    def __enter__(self) -> "JobReporter":
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def say(self, text: str) -> None:
        """Print a line for people."""
        if not self._silent:
            console.remark(text)

    def __call__(self, job: "JobInfo") -> None:
        name = f"job {job.id}"
        if job.id != self._job:
            self._job, self._said = job.id, time.monotonic()
            self._stack.close()
            _log.info(
                "claimed",
                extra={
                    "job": job.id,
                    "kind": job.kind,
                    "ruleset": job.ruleset,
                    "sample": str(job.sample),
                    "solvers": list(job.solvers),
                    "runners": list(job.runners),
                },
            )
            what = "" if job.kind == "outcomes" else f"{job.kind} of "
            solvers = ", ".join(job.solvers)
            if job.id not in self._announced:
                # At the end of a job, shards of the next one are already under way.
                self._announced.add(job.id)
                self.say(f"{name}: {what}{solvers} on {job.sample} under {job.ruleset}")
            bar: AbstractContextManager[Callable[[int, str], None]] = (
                console.progress(name, job.total)
                if self._bar
                else nullcontext(lambda _done, _remark: None)
            )
            self._advance = self._stack.enter_context(bar)
        else:
            _log.info(
                "wrote",
                extra={"job": job.id, "done": job.done, "total": job.total, "rate": job.rate},
            )
        self._advance(job.done, rate(job))
        if job.state != "running":
            self._stack.close()
            self._job = None
            self._announced.discard(job.id)
            self.failed |= job.state == "failed"
            level = logging.ERROR if job.state == "failed" else logging.INFO
            values = {"job": job.id, "state": job.state, "done": job.done, "error": job.error}
            _log.log(level, "ended job", extra=values)
            self.say(f"{name}: {job.state}{f', {job.error}' if job.error else ''}")
        elif not self._bar and time.monotonic() - self._said > _LINE_SECONDS:
            self._said = time.monotonic()
            parts = (
                f"{job.done:,} of {job.total:,} {job.kind} ({share(job)})",
                rate(job),
                left(job),
            )
            self.say(f"{name}: {', '.join(part for part in parts if part)}")


def run_to_end(catalogue: "Catalogue", numbers: "Sequence[int]", workers: int | None) -> None:
    """Run jobs to their end.

    Raises:
        typer.Exit: they did not come to it.
    """
    from catalogue.jobs import runner
    from catalogue.jobs.queue import get_job

    stop = threading.Event()
    with JobReporter() as report:
        runner.run(catalogue, workers=workers, only=numbers, on_progress=report, stop=stop)
    ended = [get_job(catalogue, number) for number in numbers]
    if all(job.state == "done" for job in ended):
        return
    if stop.is_set():
        console.remark("what was found is stored: run the same command again to resume")
        raise typer.Exit(130)
    for job in ended:
        if job.state == "cancelled":
            console.remark(f"job {job.id} was cancelled: the same command submits it again")
    raise typer.Exit(1)


def share(job: "JobInfo") -> str:
    """The share of a job that is done, as text."""
    return f"{per_cent(job.done / job.total, 1)} %"


def rate(job: "JobInfo") -> str:
    """The rate of a running job, as text; empty for other jobs."""
    return "" if job.rate is None else f"{job.rate:,.1f}/s"


def left(job: "JobInfo") -> str:
    """The time left of a job, as text; empty if unknown."""
    if job.eta_seconds is None:
        return ""
    return in_words(job.eta_seconds)


def in_words(seconds: float) -> str:
    """A time as text, such as ``3 min 05 s``, ``2 h 10 min`` or ``12.3 years``."""
    if seconds < 10:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    if hours >= 365 * 24:
        return f"{hours / 24 / 365.25:,.1f} years"
    if hours >= 100:
        return f"{hours / 24:,.1f} days"
    return f"{hours} h {minutes:02} min" if hours else f"{minutes} min {rest:02} s"
