"""`bounds`: winnable shares with their intervals."""

from typing import TYPE_CHECKING

from engine.text.numbers import per_cent, significant
from thoughtful.terminal import console, options
from thoughtful.terminal.examples import examples

if TYPE_CHECKING:
    from catalogue.reading.bounds import BoundPoint
    from catalogue.reproduction.published import Figure
    from catalogue.statistics import Interval
    from engine.dealing.dealers import Sample

LEVELS = (0.95, 0.99)

_METHODS = {
    "clopper-pearson": "Clopper-Pearson, fixed sample",
    "wilson": "Wilson, fixed sample",
    "sequence": "confidence sequence, any time",
}


@examples(
    "thoughtful bounds",
    "thoughtful bounds --rules klondike-draw3 --sample thoughtful-1:0-999 --json",
)
def bounds(
    rules: options.OnlyRules = None,
    sample: options.OnlySample = None,
    json: options.AsJson = False,
    database: options.Database = None,
) -> None:
    """Print lower and upper bounds on the share of winnable deals, with intervals.

    The lower bound counts the deals known to be winnable, the upper bound those not proved
    unwinnable, both as a share of all deals attempted, unresolved ones included. Published
    figures are listed for comparison. While a job runs, only the confidence sequence is
    valid.
    """
    from catalogue.reading import overview
    from catalogue.reading.bounds import bounds_of, latest, stored_samples
    from catalogue.store import open_catalogue
    from engine.dealing.dealers import parse_sample
    from engine.rulesets import parse_ruleset

    stored: list[tuple[str, Sample]] = []
    wanted = None if sample is None else parse_sample(sample)
    slug = None if rules is None else parse_ruleset(rules).slug
    with open_catalogue(database) as catalogue:
        if wanted is None:
            points = latest(catalogue, slug)
            stored = [] if points else stored_samples(catalogue, slug)
        else:
            slugs = overview.rulesets(catalogue) if slug is None else [slug]
            points = [bounds_of(catalogue, name, wanted) for name in slugs]
    for index, point in enumerate(points):
        if json:
            console.emit(_plain(point))
        else:
            print("\n" if index else "", end="")
            _print(point)
    if not points:
        console.remark(_why_none(stored))


def _published(point: "BoundPoint") -> "list[Figure]":
    from catalogue.reproduction.published import figures

    return figures(point.ruleset, measures="winnable", sees="deal")


def _why_none(stored: "list[tuple[str, Sample]]") -> str:
    """The sentence for a catalogue without the bounds of a job."""
    if not stored:
        return (
            "nothing has been attempted yet: run `thoughtful job submit`, then `thoughtful runner`"
        )
    deals = sum(sample.count for _, sample in stored)
    were = "deal was" if deals == 1 else "deals were"
    ruleset, sample = max(stored, key=lambda each: each[1].count)
    return (
        f"bounds are computed over the samples of jobs, and there is none; {deals:,} {were} "
        "attempted otherwise, whose bounds are printed by name of a sample, such as `thoughtful "
        f"bounds --rules {ruleset} --sample {sample}`"
    )


def _plain(point: "BoundPoint") -> dict[str, object]:
    """A bound as plain data; shares run from 0 to 1."""
    intervals = []
    for method in point.methods:
        for level in LEVELS:
            both = point.intervals(level, method)
            ends = {"lower": both.lower, "upper": both.upper, "span": both.span}
            intervals.append(
                {"method": method, "level": level}
                | {name: [end.low, end.high] for name, end in ends.items()}
            )
    published = []
    for figure in _published(point):
        counts = (point.winnable, point.unwinnable, point.n)
        compared = figure.agreement(*counts) if point.n else None
        published.append(
            {
                "system": figure.system,
                "percent": figure.percent,
                "half_width": figure.half_width,
                "level": figure.level,
                "games": figure.games,
                "source": figure.source,
                "agrees_at_99": None if compared is None else compared.agrees,
                "agreeing_at_99": console.both_ends(figure.agreeing(*counts) if point.n else None),
            }
        )
    return {
        "ruleset": point.ruleset,
        "sample": str(point.sample),
        "deals": point.sample.count,
        "n": point.n,
        "winnable": point.winnable,
        "unwinnable": point.unwinnable,
        "unresolved": point.unresolved,
        "lower": point.lower,
        "upper": point.upper,
        "stops_by_width": point.stops_by_width,
        "claimed": point.claims.deals,
        "claimed_by": point.claims.by,
        "upper_proved": point.upper_proved,
        "intervals": intervals,
        "published": published,
        "at": point.created_at,
    }


def _print(point: "BoundPoint") -> None:
    digits = point.digits
    print(f"{point.ruleset} on {point.sample}: {point.n:,} of {point.sample.count:,} attempted")
    print(f"  winnable   {point.winnable:>11,}   lower bound {_percent(point.lower, digits)}")
    print(f"  unwinnable {point.unwinnable:>11,}   upper bound {_percent(point.upper, digits)}")
    print(f"  unresolved {point.unresolved:>11,}")
    if point.claims_in_words:
        print(f"  {point.claims_in_words}")
    if not point.n:
        return
    rows = []
    for method in point.methods:
        for level in LEVELS:
            both = point.intervals(level, method)
            shares = [_span(each, digits) for each in (both.lower, both.upper, both.span)]
            rows.append((_METHODS[method], f"{level:.0%}".replace("%", " %"), *shares))
    console.show_table(("interval", "level", "lower bound", "upper bound", "winnable"), rows)
    if point.stops_by_width:
        print("  No fixed-sample interval holds: the job stops by the width of its interval.")
    for figure in _published(point):
        width = (
            ""
            if figure.half_width is None
            else f" ± {significant(figure.half_width)} ({figure.level:.0%})".replace("%", " %")
        )
        counts = (point.winnable, point.unwinnable, point.n)
        verdict = "agrees" if figure.agreement(*counts).agrees else "does not agree"
        figured = f"{significant(figure.percent, 12)} %{width}"
        print(f"  published {figured}, {figure.system}: {verdict} at 99 %;")
        print(
            f"    on this sample any figure from {_span(figure.agreeing(*counts), 2)} would agree"
        )


def _percent(share: float, digits: int) -> str:
    return f"{per_cent(share, digits):>{digits + 4}} %"


def _span(interval: "Interval", digits: int) -> str:
    return f"{per_cent(interval.low, digits)} to {per_cent(interval.high, digits)} %"
