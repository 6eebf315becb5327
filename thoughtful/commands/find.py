"""`find`: deals of a level, and the deal of the day."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from engine.errors import BadInput
from engine.games import DEFAULT_RULESET
from thoughtful.terminal import completing, console, options
from thoughtful.terminal.examples import examples

if TYPE_CHECKING:
    from catalogue.difficulty.reading import DealConditions, GradedDeal, Supply


@examples(
    "thoughtful find --level 6-8",
    "thoughtful find --winnable --count 1000 --level 3-5",
    "thoughtful find --needs worrying-back --critical-before 20 --length 0-130",
    "thoughtful find --day",
)
def find(
    rules: options.Rules = DEFAULT_RULESET,
    level: Annotated[
        str | None,
        typer.Option(
            metavar="A-B",
            autocompletion=completing.levels,
            help="Level, 1 to 10: one, or from A to B",
        ),
    ] = None,
    length: Annotated[
        str | None, typer.Option(metavar="A-B", help="Moves of the solution, such as 0-90")
    ] = None,
    critical: Annotated[
        str | None,
        typer.Option(
            metavar="A-B", help="Critical moments of the solution, where one play keeps the win"
        ),
    ] = None,
    critical_before: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            parser=options.whole(1, 10_000),
            help="The first critical moment comes before move N",
        ),
    ] = None,
    needs: Annotated[
        str | None,
        typer.Option(
            metavar="OPTION",
            help="An option of the rules without which the deal cannot be won: worrying-back",
        ),
    ] = None,
    dealer: Annotated[
        str | None,
        typer.Option(
            metavar="DEALER", autocompletion=completing.dealers, help="Only deals of this dealer"
        ),
    ] = None,
    count: Annotated[
        int,
        typer.Option(
            "--count",
            "-n",
            metavar="N",
            parser=options.whole(1, 1_000_000),
            help="Maximum number of deals",
        ),
    ] = 20,
    winnable: Annotated[
        bool,
        typer.Option("--winnable", help="Only deals proved winnable; no others are ever found"),
    ] = True,
    after: Annotated[
        str | None,
        typer.Option(metavar="DEAL", autocompletion=completing.deals, help="Go on after this deal"),
    ] = None,
    day: Annotated[
        bool,
        typer.Option(
            "--day",
            help="The deal of the day under the rules, the same on every installation; it needs no "
            "catalogue",
        ),
    ] = False,
    json: options.AsJson = False,
    database: options.Database = None,
) -> None:
    """Find winnable deals by level, length, critical moments, and the options that they need.

    If the catalogue has fewer than requested, it says what is missing. With --day it shows the
    deal of the day instead, from the easiest of a week on Monday to the hardest on Sunday.
    """
    from catalogue.difficulty.reading import MOST_COUNTED, DealConditions, model, supply
    from catalogue.difficulty.reading import find as read
    from catalogue.store import open_catalogue
    from engine.dealing.dealers import get_dealer, parse_deal_id
    from engine.rulesets import parse_ruleset

    if day:
        conditions = {
            "--level": level,
            "--length": length,
            "--critical": critical,
            "--critical-before": critical_before,
            "--needs": needs,
            "--dealer": dealer,
            "--after": after,
        }
        _tell_day(
            rules, [option for option, value in conditions.items() if value is not None], json
        )
        return
    wanted = DealConditions(
        parse_ruleset(rules).slug,
        None if dealer is None else get_dealer(dealer).slug,
        _span("--level", level),
        _span("--length", length),
        _span("--critical", critical),
        critical_before,
        needs,
    )
    wanted.check()
    place = None
    if after is not None:
        last, seed = parse_deal_id(after)
        place = last.slug, seed
    with open_catalogue(database) as catalogue:
        found = read(catalogue, wanted, count, place)
        deals, total = found.deals, found.total
        if found.others:
            console.remark(
                f"{found.others:,} deals have features of another version and are left out; "
                "those of a sample are computed again by `thoughtful difficulty grade SAMPLE "
                f"--rules {wanted.ruleset}`"
            )
        lack = None
        if len(deals) < count:
            is_fitted = model(catalogue, wanted.ruleset) is not None
            lack = _lack(wanted, supply(catalogue, wanted), is_fitted)
    if json:
        for each in deals:
            console.emit(plain_deal(each))
        if lack is not None:
            console.remark(f"{len(deals):,} of the {count:,} deals asked for: {lack}")
        return
    if not deals:
        console.remark("no deal matches" + ("" if lack is None else f": {lack}"))
        return
    console.show_table(
        ("deal", "level", "difficulty", "games", "moves", "critical", "first at", "needs"),
        [
            (
                each.deal,
                "" if each.level is None else f"{each.level} {each.name}",
                ""
                if each.difficulty is None
                else f"{each.difficulty:+.2f} ± {each.deviation or 0:.2f}",
                str(each.games),
                str(each.length),
                str(each.critical),
                "" if each.first_critical is None else str(each.first_critical + 1),
                " ".join(each.needs),
            )
            for each in deals
        ],
    )
    more = "or more " if total >= MOST_COUNTED else ""
    console.remark(f"{len(deals)} of {total:,} {more}that match")
    if lack is not None:
        console.remark(f"that is fewer than the {count:,} asked for: {lack}")


def _tell_day(rules: str, conditions: list[str], json: bool) -> None:
    """Print the deal of today, of Universal Time."""
    from datetime import UTC, datetime

    from catalogue.difficulty.deal_of_day import deal_of_day

    if conditions:
        raise BadInput(
            "--day is the one deal that a day has under the rules, whatever else is wanted: "
            f"leave {' and '.join(conditions)} out"
        )
    found = deal_of_day(datetime.now(UTC).date(), rules)
    if json:
        console.emit(found)
        return
    print(
        f"{found.date}: {found.deal} under {found.ruleset}, winnable in {found.length} moves; "
        f"{found.sentence}"
    )


def _lack(wanted: "DealConditions", there: "Supply", is_fitted: bool) -> str:
    """The reason why no more deals match, and the command that finds some."""
    from catalogue.difficulty.playing import advice_of_fit
    from engine.rulesets import parse_ruleset
    from solvers.features import tracer

    rules = parse_ruleset(wanted.ruleset)
    try:
        tracer(rules)
    except BadInput as error:
        return (
            f"{error}, so that no deal has features; `thoughtful list --rules {rules.slug} "
            "--dealer DEALER --seeds A-B` finds winnable deals without"
        )
    where = f"under {wanted.ruleset}" + ("" if wanted.dealer is None else f" of {wanted.dealer}")
    if not is_fitted and not there.with_level:
        known = f"none of the {there.winnable:,} winnable deals" if there.winnable else "no deal"
        return f"{known} {where} has a level: {advice_of_fit(rules)}"
    if there.with_level < there.winnable:
        return (
            f"{there.with_level:,} of the {there.winnable:,} winnable deals {where} have a level; "
            f"`thoughtful difficulty grade SAMPLE --rules {wanted.ruleset}` grades more"
        )
    known = f"all {there.winnable:,} winnable deals {where} have a level"
    if not there.winnable:
        known = f"no deal {where} is known to be winnable"
    return (
        f"{known}; solve more by "
        f"`thoughtful job submit SAMPLE --rules {wanted.ruleset}` and `thoughtful runner`, "
        f"and grade them by `thoughtful difficulty grade SAMPLE --rules {wanted.ruleset}`"
    )


def _span(option: str, text: str | None) -> tuple[int | None, int | None]:
    """The ends of a range such as ``3-5``, or of one number."""
    if text is None:
        return None, None
    ends = text.split("-")
    if len(ends) > 2 or not all(end.isascii() and end.isdigit() and len(end) <= 9 for end in ends):
        raise typer.BadParameter(f"{option} {text!r}: expected a number or a range such as 3-5")
    return int(ends[0]), int(ends[-1])


def plain_deal(deal: "GradedDeal") -> dict[str, Any]:
    from dataclasses import asdict

    return {**asdict(deal), "name": deal.name}
