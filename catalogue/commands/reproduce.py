"""`reproduce`: repeating a published experiment and comparing its tables with ours."""

import os
import platform
import textwrap
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from catalogue.commands import completing, console, options
from catalogue.commands.runner import JobReporter

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from catalogue.experiments.definitions import Experiment
    from catalogue.experiments.reproduction import Reproduced, WinsWithin
    from catalogue.statistics import Interval


def reproduce(
    experiment: Annotated[
        str,
        typer.Argument(
            metavar="EXPERIMENT", help="yan-2004, bjarnason-2007, bjarnason-2009 or monkey"
        ),
    ],
    rows: Annotated[
        list[str] | None,
        typer.Option(
            "--rows",
            metavar="ROWS",
            help="Play only these rows, separated by commas or in repeated options; by default all",
        ),
    ] = None,
    games: Annotated[
        int | None,
        typer.Option(
            "--games",
            "-n",
            metavar="N",
            parser=options.whole(1, 10**9),
            help="Number of games of each row; by default fewer for slower methods",
        ),
    ] = None,
    first: Annotated[
        str,
        typer.Option(
            "--first",
            metavar="DEAL",
            autocompletion=completing.deals,
            help="The first deal of every row",
        ),
    ] = "thoughtful-1:0",
    plot: Annotated[
        str | None,
        typer.Option(
            "--plot",
            metavar="FILE",
            help="Plot wins against time into this .svg, .png or .html file",
        ),
    ] = None,
    workers: options.Workers = None,
    json: options.AsJson = False,
    database: options.Database = None,
) -> None:
    """Repeat a published experiment and print its tables next to ours.

    Each row is a job, whose outcomes are stored in the catalogue, where they can be compared
    and exported deal by deal. An interrupted command resumes when it is run again. All
    intervals are at 99 %.
    """
    from catalogue import store
    from catalogue.experiments import reproduction
    from catalogue.experiments.definitions import get_experiment
    from catalogue.jobs import runner
    from catalogue.jobs.queue import get_job
    from engine.dealing.dealers import parse_deal_id

    chosen = get_experiment(experiment)
    names = [name for text in rows or () for name in text.split(",")]
    dealer, seed = parse_deal_id(first)
    attempts = reproduction.plan(chosen.choose(names), games, (dealer.slug, seed))
    if plot is not None:
        # Altair takes as long to load as everything else.
        from catalogue.experiments import wins_over_time

        figure = wins_over_time.check_path(plot)
    store.init(database)
    stop = threading.Event()
    with store.open_catalogue(database) as catalogue:
        numbers = reproduction.submit(catalogue, attempts)
        with JobReporter() as report:
            runner.run(catalogue, workers=workers, only=numbers, on_progress=report, stop=stop)
        ended = [get_job(catalogue, number) for number in numbers]
        if any(job.state != "done" for job in ended):
            if stop.is_set():
                console.remark(
                    "the games played so far are stored: run the same command again to resume"
                )
                raise typer.Exit(130)
            for job in ended:
                if job.state == "cancelled":
                    console.remark(f"job {job.id} was cancelled: the same command submits it again")
            raise typer.Exit(1)
        found = reproduction.read(catalogue, attempts)
    if json:
        for each in found:
            console.emit(_plain(chosen, each))
    else:
        _print(chosen, found)
    if plot is not None:
        wins_over_time.save(wins_over_time.wins_over_time(found), figure)
        console.remark(f"wins against time: {figure}")


# --- text, in Markdown ---------------------------------------------------------------------------


def _print(experiment: "Experiment", found: "Sequence[Reproduced]") -> None:
    from catalogue.experiments.reproduction import WITHIN

    _say(f"{experiment.source}, {experiment.tables}. Rules: {experiment.rules}.")
    for each in found:
        print(
            f"- `{each.row.name}` ({each.row.figure.system}): {each.solver}, version "
            f"{each.version}, under {each.row.ruleset} on {each.sample}"
        )
    print()
    _say(
        "Games won in percent, published and here, and mean time per game, then and now; 99 % "
        "intervals in parentheses. The difference is our share minus the published one; it is "
        "consistent with chance if its interval contains 0."
    )
    columns = ("row", "published", "games", "ours", "games", "difference", "verdict")
    console.print_markdown(
        (*columns, "then", "now", "speed-up"),
        [(*_wins(each), *_time(each)) for each in found],
        numbers=(1, 2, 3, 4, 5, 7, 8, 9),
    )
    print()
    _say(
        f"Then: {experiment.hardware}. Now: CPU time of the thread that played the game, on "
        f"{_machine()}."
    )
    _say(
        "Games won within a time limit, in percent of all games: published; ours within that many "
        "CPU seconds here; and ours within the limit divided by the row's speed-up, which "
        "estimates the row on a machine as slow as the published one."
    )
    console.print_markdown(
        ("row", "time", *(f"{limit:g} s" for limit in WITHIN)),
        [line for each in found for line in _within(each)],
        numbers=range(2, 2 + len(WITHIN)),
    )
    averaged = [
        f"`{each.row.name}`"
        for each in found
        if not each.timed_alone and each.mean_seconds is not None
    ]
    if averaged:
        print()
        _say(
            f"Times of {', '.join(averaged)} are averages over batches of games, not of single "
            "games: their mean has no interval, and wins within a limit are approximate."
        )


def _say(text: str) -> None:
    """Print a paragraph."""
    print(f"{textwrap.fill(text, 100, break_on_hyphens=False)}\n")


def _wins(each: "Reproduced") -> tuple[str, ...]:
    figure, gap = each.row.figure, each.agreement
    width = "" if figure.half_width is None else f" ± {_as_printed(figure.half_width)}"
    return (
        each.row.name,
        f"{_as_printed(figure.percent)}{width}",
        "" if figure.games is None else f"{figure.games:,}",
        _percent(each.share, each.interval),
        f"{each.games:,}",
        f"{100 * gap.difference:+.2f} ({100 * gap.interval.low:+.2f} to "
        f"{100 * gap.interval.high:+.2f})",
        "consistent" if each.consistent else "not consistent",
    )


def _time(each: "Reproduced") -> tuple[str, ...]:
    def ranged(
        value: float | None, span: "Interval | None", shown: "Callable[[float], str]"
    ) -> str:
        if value is None:
            return ""
        text = shown(value)
        return text if span is None else f"{text} ({shown(span.low)} to {shown(span.high)})"

    then = each.row.figure.seconds
    return (
        "" if then is None else f"{then:g} s" if then < 600 else f"{then / 60:.4g} min",
        ranged(each.mean_seconds, each.mean_interval, _duration),
        ranged(each.speed_up, each.speed_up_interval, _round),
    )


def _within(each: "Reproduced") -> list[tuple[str, ...]]:
    from catalogue.experiments.reproduction import WITHIN

    def line(name: str, points: "list[WinsWithin]") -> tuple[str, ...]:
        shares = (_percent(point.share, point.interval) for point in points)
        return (each.row.name, name, *shares)

    published = dict(each.row.figure.within)
    lines = []
    if published:
        shares = (f"{published[limit]:.2f}" if limit in published else "" for limit in WITHIN)
        lines.append((each.row.name, "published", *shares))
    if each.mean_seconds is not None:
        lines.append(line("ours, CPU seconds here", each.within(WITHIN)))
    if each.speed_up is not None:
        name = f"ours, seconds ÷ {_round(each.speed_up)}"
        lines.append(line(name, each.within_scaled(WITHIN)))
    return lines


def _as_printed(percent: float) -> str:
    """Two decimals, or more where the paper has more."""
    return max(f"{percent:.2f}", f"{percent:g}", key=len)


def _percent(share: float, interval: "Interval") -> str:
    return f"{100 * share:.2f} ({100 * interval.low:.2f} to {100 * interval.high:.2f})"


def _round(number: float) -> str:
    """A number with three significant digits, or with all digits before the point."""
    return f"{number:,.0f}" if number >= 100 else f"{number:.3g}"


def _duration(seconds: float) -> str:
    """A duration in a suitable unit: ``14.8 µs``, ``3.64 s``, ``18.1 min``, ``105 min``."""
    for unit, size, limit in (("µs", 1e-6, 1e-3), ("ms", 1e-3, 1.0), ("s", 1.0, 600.0)):
        if seconds < limit:
            return f"{_round(seconds / size)} {unit}"
    return f"{_round(seconds / 60)} min"


def _machine() -> str:
    """The processor of this machine and its number of cores."""
    name = platform.processor() or platform.machine()
    try:
        listed = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        listed = []
    for line in listed:
        key, _, value = line.partition(":")
        if key.strip() == "model name":
            name = value.strip()
            break
    return f"{name}, {os.cpu_count()} cores"


# --- plain data ----------------------------------------------------------------------------------


def _plain(experiment: "Experiment", each: "Reproduced") -> dict[str, object]:
    """A row as JSON data; shares run from 0 to 1, the paper's percentages are as printed."""
    from catalogue.experiments.reproduction import LEVEL, WITHIN

    figure = each.row.figure
    return {
        "experiment": experiment.name,
        "row": each.row.name,
        "solver": each.solver,
        "version": each.version,
        "ruleset": each.row.ruleset,
        "sample": str(each.sample),
        "published": {
            "source": experiment.source,
            "tables": experiment.tables,
            "system": figure.system,
            "percent": figure.percent,
            "half_width": figure.half_width,
            "level": figure.level,
            "games": figure.games,
            "mean_seconds": figure.seconds,
            "hardware": experiment.hardware,
            "within": [{"seconds": s, "percent": percent} for s, percent in figure.within],
        },
        "games": each.games,
        "won": each.won,
        "share": each.share,
        "level": LEVEL,
        "interval": console.both_ends(each.interval),
        "difference": each.agreement.difference,
        "difference_interval": console.both_ends(each.agreement.interval),
        "consistent": each.consistent,
        "machine": _machine(),
        "mean_seconds": each.mean_seconds,
        "mean_seconds_interval": console.both_ends(each.mean_interval),
        "timed_alone": each.timed_alone,
        "speed_up": each.speed_up,
        "speed_up_interval": console.both_ends(each.speed_up_interval),
        "within": [_plain_within(point) for point in each.within(WITHIN)],
        "within_scaled": [
            {"seconds_of_the_paper": limit, **_plain_within(point)}
            for limit, point in zip(WITHIN, each.within_scaled(WITHIN), strict=False)
        ],
    }


def _plain_within(point: "WinsWithin") -> dict[str, object]:
    return {
        "seconds": point.seconds,
        "won": point.won,
        "share": point.share,
        "interval": console.both_ends(point.interval),
    }
