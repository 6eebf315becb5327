"""`reproduce`: repeating a published experiment and comparing its tables with ours."""

from typing import TYPE_CHECKING, Annotated

import typer

from engine.text.numbers import significant
from thoughtful.commands.reproduction.figures import duration, machine, percent, say
from thoughtful.terminal import completing, console, options
from thoughtful.terminal.examples import examples
from thoughtful.terminal.jobs import run_to_end

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from catalogue.reproduction.definitions import PlayedExperiment
    from catalogue.reproduction.reproduction import Reproduced, WinsWithin
    from catalogue.statistics import Interval


@examples(
    "thoughtful reproduce bjarnason-2007 --rows n=0,n=1 --games 200 --plot w.svg",
    "thoughtful reproduce bjarnason-2007 --rows 'n0=1;n1=1' --games 50 -w 2",
    "thoughtful reproduce yan-2004 --rows 0 --games 500 --first pysolfc:1 --json",
    "thoughtful reproduce blake-gent-2026 --rows draw8 -n 500",
    "thoughtful reproduce blake-gent-2026 --rows alpha-star,trigon -n 200",
)
def reproduce(
    experiment: Annotated[
        str,
        typer.Argument(
            metavar="EXPERIMENT",
            help="yan-2004, bjarnason-2007, bjarnason-2009, monkey or blake-gent-2026",
        ),
    ],
    rows: Annotated[
        list[str] | None,
        typer.Option(
            "--rows",
            metavar="ROWS",
            help="Play only these rows, separated by commas or in repeated options; by default all "
            "that are published, of blake-gent-2026 those of tables 3 and 4; table-8 is all of "
            "table 8",
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
        str | None,
        typer.Option(
            "--first",
            metavar="DEAL",
            autocompletion=completing.deals,
            help="The first deal of every row; by default thoughtful-1:0, and for blake-gent-2026, "
            "whose deals are known, solvitaire:1",
        ),
    ] = None,
    plot: Annotated[
        str | None,
        typer.Option(
            "--plot",
            metavar="FILE",
            help="Plot wins against time, or for blake-gent-2026 shares by draw or by game, into "
            "this .svg, .png or .html file",
        ),
    ] = None,
    infer: Annotated[
        bool,
        typer.Option(
            "--infer",
            help="For blake-gent-2026: do not solve deals whose outcomes follow from those under "
            "other rulesets, such as those of earlier rows",
        ),
    ] = False,
    earlier: Annotated[
        str | None,
        typer.Option(
            "--earlier",
            metavar="FILE",
            help="For blake-gent-2026: run nothing, and take the rows that earlier runs printed "
            "with --json from this file; - is standard input",
        ),
    ] = None,
    workers: options.Workers = None,
    json: options.AsJson = False,
    database: options.Database = None,
) -> None:
    """Repeat a published experiment and print its tables next to ours.

    Each row is a job, whose outcomes are stored in the catalogue, where they can be compared
    and exported deal by deal. An interrupted command resumes when it is run again. All
    intervals are at 99 %; those of blake-gent-2026, which decides deals, are the paper's, at 95 %.
    """
    from catalogue import store
    from catalogue.reproduction import reproduction
    from catalogue.reproduction.definitions import BLAKE_GENT_2026, get_experiment
    from engine.errors import BadInput

    names = [name for text in rows or () for name in text.split(",")]
    if plot is not None:
        # Altair takes as long to load as everything else.
        from catalogue.reproduction import wins_over_time

        figure = wins_over_time.check_path(plot)
    if experiment == BLAKE_GENT_2026.name:
        from thoughtful.commands.reproduction import winnability

        if earlier is not None:
            asked = {"--games": games, "--first": first, "--infer": infer}
            asked |= {"--workers": workers, "--database": database}
            if useless := [name for name, value in asked.items() if value]:
                raise BadInput(f"with --earlier nothing is run: leave out {', '.join(useless)}")
            answer = winnability.reported(names, earlier, plot)
        else:
            answer = winnability.decided(names, games, first, plot, infer, workers, database)
        winnability.show(answer, json, None if plot is None else figure)
        return
    chosen = get_experiment(experiment)
    if infer:
        raise BadInput(
            f"--infer is of {BLAKE_GENT_2026.name}: what a player would have done does not follow"
        )
    if earlier is not None:
        raise BadInput(f"--earlier is of {BLAKE_GENT_2026.name}")
    attempts = reproduction.plan(chosen.choose(names), games, chosen.first_of(first))
    store.init(database)
    with store.open_catalogue(database) as catalogue:
        run_to_end(catalogue, reproduction.submit(catalogue, attempts), workers)
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


def _print(experiment: "PlayedExperiment", found: "Sequence[Reproduced]") -> None:
    from catalogue.reproduction.reproduction import WITHIN

    say(f"{experiment.source}, {experiment.tables}. Rules: {experiment.rules}.")
    for each in found:
        print(
            f"- `{each.row.name}` ({each.row.figure.system}): {each.solver}, version "
            f"{each.version}, under {each.row.ruleset} on {each.sample}"
        )
    print()
    say(
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
    say(
        f"Then: {experiment.hardware}. Now: CPU time of the thread that played the game, on "
        f"{machine()}."
    )
    say(
        "Games won within a time limit, in percent of all games: published; ours within that many "
        "CPU seconds here; and ours within the limit divided by the row's speed-up, which "
        "estimates the row on a machine as slow as the published one."
    )
    console.print_markdown(
        ("row", "time", *(f"{significant(limit)} s" for limit in WITHIN)),
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
        say(
            f"Times of {', '.join(averaged)} are averages over batches of games, not of single "
            "games: their mean has no interval, and wins within a limit are approximate."
        )


def _wins(each: "Reproduced") -> tuple[str, ...]:
    figure, gap = each.row.figure, each.agreement
    width = "" if figure.half_width is None else f" ± {_as_printed(figure.half_width)}"
    return (
        each.row.name,
        f"{_as_printed(figure.percent)}{width}",
        "" if figure.games is None else f"{figure.games:,}",
        percent(each.share, each.interval),
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
    minutes = "" if then is None else f"{significant(then / 60, 4)} min"
    return (
        minutes if then is None or then >= 600 else f"{significant(then)} s",
        ranged(each.mean_seconds, each.mean_interval, duration),
        ranged(each.speed_up, each.speed_up_interval, significant),
    )


def _within(each: "Reproduced") -> list[tuple[str, ...]]:
    from catalogue.reproduction.reproduction import WITHIN

    def line(name: str, points: "list[WinsWithin]") -> tuple[str, ...]:
        shares = (percent(point.share, point.interval) for point in points)
        return (each.row.name, name, *shares)

    published = dict(each.row.figure.within)
    lines = []
    if published:
        shares = (f"{published[limit]:.2f}" if limit in published else "" for limit in WITHIN)
        lines.append((each.row.name, "published", *shares))
    if each.mean_seconds is not None:
        lines.append(line("ours, CPU seconds here", each.within(WITHIN)))
    if each.speed_up is not None:
        name = f"ours, seconds ÷ {significant(each.speed_up)}"
        lines.append(line(name, each.within_scaled(WITHIN)))
    return lines


def _as_printed(percent: float) -> str:
    """Two decimals, or more where the paper has more."""
    return max(f"{percent:.2f}", f"{significant(percent, 12)}", key=len)


# --- plain data ----------------------------------------------------------------------------------


def _plain(experiment: "PlayedExperiment", each: "Reproduced") -> dict[str, object]:
    """A row as JSON data; shares run from 0 to 1, the paper's percentages are as printed."""
    from catalogue.reproduction.reproduction import LEVEL, WITHIN

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
        "machine": machine(),
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
