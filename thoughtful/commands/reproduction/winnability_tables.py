"""Tables of `reproduce blake-gent-2026`: winnable shares by ruleset, published and here."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from engine.text.numbers import significant
from thoughtful.commands.reproduction.figures import duration, say
from thoughtful.terminal import console

if TYPE_CHECKING:
    from catalogue.reproduction.definitions import Experiment, WinnabilityRow
    from catalogue.reproduction.winnability import Necessity, ReportedRow


def show(
    experiment: "Experiment[WinnabilityRow]",
    found: "Sequence[ReportedRow]",
    needed: "Sequence[Necessity]",
    machines: "Sequence[str]",
    *,
    json: bool,
) -> None:
    """Print the rows and, where a row is there with and without it, the necessity of an option.

    Args:
        experiment: the published one.
        found: the rows.
        needed: the necessities.
        machines: where each row was decided.
        json: print JSON instead of text.
    """
    if not json:
        _print(experiment, found, needed, machines)
        return
    for each, machine in zip(found, machines, strict=True):
        console.emit(_plain(experiment, each, machine))
    for pair in needed:
        console.emit(_plain_necessity(experiment, pair))


# --- text, in Markdown ---------------------------------------------------------------------------


def _print(
    experiment: "Experiment[WinnabilityRow]",
    found: "Sequence[ReportedRow]",
    needed: "Sequence[Necessity]",
    machines: "Sequence[str]",
) -> None:
    say(f"{experiment.source}, {experiment.tables}.")
    for each in found:
        print(
            f"- `{each.row.name}`: {each.row.ruleset} by {each.solver}, version {each.version}, on "
            f"{each.sample}"
        )
    print()
    say(
        "Deals that are winnable, unwinnable and undecided, and the winnable share in percent, "
        "published and here; the interval is Wilson's at 95 %, undecided deals counted as "
        "unwinnable below and as winnable above. Where the deals are the published ones, a row "
        "agrees if one number of winnable deals fits both counts; on other deals the two intervals "
        "overlap or not."
    )
    if players := list(dict.fromkeys(each.row.player for each in found if each.row.player)):
        say(
            f"{' and '.join(players)} does not see the face-down cards: of its rows the counts are "
            "games won and lost, and the share is that of its wins."
        )
    console.print_markdown(
        ("row", "published", "%", "ours", "%", "verdict", "then", "now", "speed-up"),
        [_cells(each) for each in found],
        numbers=(1, 2, 3, 4, 6, 7, 8),
    )
    print()
    say(
        "Now: mean CPU time of a deal, over all that are stored in the blocks of the sample, on "
        f"{'; '.join(dict.fromkeys(machines))}."
    )
    followed = [f"{each.inferred:,} of `{each.row.name}`" for each in found if each.inferred]
    if followed:
        say(
            f"Not solved, as their outcomes follow from other rulesets: {', '.join(followed)}. The "
            "time is that of the other deals."
        )
    if needed:
        say(
            "Necessity: the winnable deals that cannot be won without an option, in percent of the "
            "winnable ones, with the interval of the same kind."
        )
        console.print_markdown(
            ("row", "without", "published", "needing", "winnable", "ours"),
            [
                (
                    pair.lax.name,
                    pair.strict.name,
                    "" if pair.published is None else _as_published(*pair.published, 2),
                    f"{pair.needing:,}",
                    f"{pair.winnable:,}",
                    pair.share,
                )
                for pair in needed
            ],
            numbers=(2, 3, 4, 5),
        )


def _cells(each: "ReportedRow") -> tuple[str, ...]:
    figure = each.row.figure
    counts = None if figure is None else figure.counts
    return (
        each.row.name,
        ""
        if counts is None
        else f"{counts.winnable:,} / {counts.unwinnable:,} / {counts.undecided:,}",
        ""
        if figure is None or figure.half_width is None
        else figure.text
        if figure.is_range
        else _as_published(figure.percent, figure.half_width, figure.decimals),
        " / ".join(f"{number:,}" for number in each.counts.values()),
        each.share,
        each.verdict,
        "" if figure is None or figure.seconds is None else f"{significant(figure.seconds)} s",
        "" if each.cpu_ms is None else duration(each.cpu_ms / 1000),
        "" if each.speed_up is None else significant(each.speed_up),
    )


def _as_published(percent: float, half_width: float, digits: int) -> str:
    return f"{percent:.{digits}f} ± {half_width:.{digits}f}"


# --- plain data ----------------------------------------------------------------------------------


def _plain(
    experiment: "Experiment[WinnabilityRow]", each: "ReportedRow", machine: str
) -> dict[str, object]:
    """A row as JSON data; shares run from 0 to 1, the paper's percentages are as printed."""
    from catalogue.reproduction.winnability import LEVEL

    figure = each.row.figure
    return {
        "experiment": experiment.name,
        "row": each.row.name,
        "solver": each.solver,
        "version": each.version,
        "ruleset": each.row.ruleset,
        "sample": str(each.sample),
        "published": None
        if figure is None
        else {
            "source": experiment.source,
            "tables": experiment.tables,
            "percent": figure.percent,
            "half_width": figure.half_width,
            "level": figure.level,
            "games": figure.games,
            "counts": figure.counts,
            "mean_seconds": figure.seconds,
        },
        "deals": each.deals,
        **each.counts,
        "inferred": each.inferred,
        "level": LEVEL,
        "interval": console.both_ends(each.interval),
        "published_deals": each.is_whole,
        "agrees": each.agrees,
        "machine": machine,
        "mean_cpu_ms": each.cpu_ms,
        "speed_up": each.speed_up,
    }


def _plain_necessity(
    experiment: "Experiment[WinnabilityRow]", pair: "Necessity"
) -> dict[str, object]:
    """The necessity of an option as JSON data."""
    from catalogue.reproduction.winnability import LEVEL

    published = None
    if pair.published is not None:
        published = {"percent": pair.published[0], "half_width": pair.published[1]}
    return {
        "experiment": experiment.name,
        "necessity": pair.option,
        "row": pair.lax.name,
        "without": pair.strict.name,
        "published": published,
        "needing": pair.needing,
        "winnable": pair.winnable,
        "bounds": console.both_ends(pair.bounds),
        "level": LEVEL,
        "interval": console.both_ends(pair.interval),
    }
