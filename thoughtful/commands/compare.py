"""`compare`: two solvers on the deals that both have attempted."""

from typing import TYPE_CHECKING, Annotated

import typer

from engine.games import DEFAULT_RULESET
from engine.text.numbers import per_cent
from thoughtful.terminal import completing, console, options
from thoughtful.terminal.examples import examples

if TYPE_CHECKING:
    from catalogue.reading.comparison import Comparison


@examples(
    "thoughtful compare dead-end exact --rules klondike-draw3",
    "thoughtful compare dead-end exact --sample thoughtful-1:0-99 --json",
)
def compare(
    first: Annotated[
        str, typer.Argument(metavar="A", help="A solver, such as 'exact(nodes=1000)' or 'exact v1'")
    ],
    second: Annotated[str, typer.Argument(metavar="B", help="Another solver")],
    rules: options.Rules = DEFAULT_RULESET,
    sample: Annotated[
        str | None,
        typer.Option(
            "--sample",
            metavar="SAMPLE",
            autocompletion=completing.deals,
            help="Sample to compare on: dealer:first-last (default: that of the bounds)",
        ),
    ] = None,
    json: options.AsJson = False,
    database: options.Database = None,
) -> None:
    """Compare two solvers on the deals that both have attempted.

    Prints how many deals each won and the other did not, the difference of their shares with
    its 99 % interval, McNemar's exact test, and what each spends for the same number of wins.
    The comparison is over the deals that both attempted, up to the first gap in the sample.
    The name of a method alone is its solver with the defaults, or its only one with outcomes.
    """
    from catalogue.reading.comparison import compare as read
    from catalogue.store import open_catalogue
    from engine.dealing.dealers import parse_sample

    wanted = None if sample is None else parse_sample(sample)
    with open_catalogue(database) as catalogue:
        found = read(catalogue, rules, first, second, wanted)
    if json:
        console.emit(_plain(found))
        return
    if not found.counted:
        console.remark(
            "no deal was attempted by both from the sample's first one on: run "
            f"`thoughtful job submit SAMPLE --rules {found.ruleset}` with both as --solver"
        )
        return
    _print(found)


def _plain(found: "Comparison") -> dict[str, object]:
    from catalogue.reading.comparison import THREE

    return {
        "ruleset": found.ruleset,
        "sample": None if found.sample is None else str(found.sample),
        "first": str(found.first),
        "second": str(found.second),
        "deals": found.wins.n,
        "both": found.wins.both,
        "only_first": found.wins.only_first,
        "only_second": found.wins.only_second,
        "neither": found.wins.neither,
        "difference": found.wins.difference,
        "interval_99": console.both_ends(found.wins.interval),
        "p_value": found.wins.p_value,
        "cells": {
            f"{one}.{other}": found.deals(f"{one}.{other}") for one in THREE for other in THREE
        },
        **{
            name: {
                "solver": str(solver),
                "won": cost.won,
                "interval_99": console.both_ends(cost.interval),
                "nodes": cost.nodes,
                "cpu_ms": cost.cpu_ms,
                "cpu_may_hold_compiling": cost.may_hold_compiling,
            }
            for name, solver, cost in (
                ("first_cost", found.first, found.first_cost),
                ("second_cost", found.second, found.second_cost),
            )
        },
        "equal_strength": [
            {"won": won, "first": one, "second": other}
            for won, one, other in found.equal_strength()
        ],
    }


def _print(found: "Comparison") -> None:
    from catalogue.reading.timing import REMARK

    wins, n = found.wins, found.wins.n
    print(f"A: {found.first}\nB: {found.second}")
    print(f"{found.ruleset} on {found.sample}: both attempted the first {n:,} deals")
    print(found.sentence)
    rows = []
    for name, cost in (("A", found.first_cost), ("B", found.second_cost)):
        low, high = (per_cent(end, 2) for end in (cost.interval.low, cost.interval.high))
        rows.append(
            (
                name,
                f"{cost.won:,}",
                f"{per_cent(cost.won / n, 2)} ({low} to {high})",
                f"{cost.nodes / n:,.1f}",
                f"{cost.cpu_ms / n:,.3f}",
            )
        )
    console.show_table(
        ("", "won", "won, % (99 % interval)", "nodes/deal", "CPU ms/deal"),
        rows,
        numbers=("won", "nodes/deal", "CPU ms/deal"),
    )
    for name, cost in (("A", found.first_cost), ("B", found.second_cost)):
        if cost.may_hold_compiling:
            print(f"  CPU times of {name} {REMARK}")
    from catalogue.reading.comparison import THREE

    console.show_table(
        ("", *(f"B {side}" for side in THREE)),
        [(f"A {one}", *(f"{found.deals(f'{one}.{b}'):,}" for b in THREE)) for one in THREE],
        numbers=tuple(f"B {side}" for side in THREE),
    )
    ends = (100 * wins.interval.low, 100 * wins.interval.high)
    print(f"  only A won {wins.only_first:,}, only B won {wins.only_second:,}")
    print(
        f"  A - B: {100 * wins.difference:+.2f} points of {n:,} deals "
        f"(99 %: {ends[0]:+.2f} to {ends[1]:+.2f})"
    )
    print(f"  McNemar's exact test: {wins.p_text}")
    steps = found.equal_strength()
    if steps:
        numbers = ("wins", "A nodes", "B nodes", "A CPU s", "B CPU s")
        print("Spent for the same wins, with a limit on each deal's nodes (estimated):")
        console.show_table(
            numbers,
            [
                (
                    f"{won:,}",
                    f"{one.nodes:,.0f}",
                    f"{other.nodes:,.0f}",
                    f"{one.cpu_ms / 1000:,.2f}",
                    f"{other.cpu_ms / 1000:,.2f}",
                )
                for won, one, other in steps
            ],
            numbers=numbers,
        )
