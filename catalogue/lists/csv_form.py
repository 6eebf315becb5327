"""CSV: a row for each listed and each undecided deal, with its name, category and level.

Each row has the number of all rows, too, so that a file that was cut is seen. One from before has
not.

The names are those of deals everywhere, so `thoughtful import` and `thoughtful solve` read the
file too.
"""

import csv
import io
from collections.abc import Iterator
from typing import Any, BinaryIO

from catalogue.lists.grades import (
    CATEGORIES,
    UNDECIDED,
    UNGRADED,
    ListedSeed,
    listed,
    totals,
    undecided,
)
from catalogue.lists.header import ListHeader, checked
from catalogue.lists.lines import lines_of, seed_of
from catalogue.lists.seed_list import ROWS, SeedList
from catalogue.lists.spool import Spool
from catalogue.lists.text_form import level_of
from engine.errors import BadInput

COLUMNS = ("deal", "ruleset", "category", "level", "rows")
# Those of files that do not tell how many rows they have.
EARLIER = COLUMNS[:-1]


def write(header: ListHeader, spool: Spool, out: BinaryIO) -> None:
    """Write a list."""
    out.write(f"{','.join(COLUMNS)}\n".encode())
    count = sum(totals(spool.chunks(), header.levels))
    for first, grades in spool.chunks():
        rows = io.StringIO()
        writer = csv.writer(rows, lineterminator="\n")
        for place in (listed(grades, header.levels) | undecided(grades)).nonzero()[0].tolist():
            grade = int(grades[place])
            level = "" if grade >= UNGRADED else grade
            deal = f"{header.dealer}:{first + place}"
            writer.writerow((deal, header.ruleset, CATEGORIES[grade], level, count))
        out.write(rows.getvalue().encode())


def read(stream: BinaryIO) -> SeedList:
    """Read a list; all its deals are of one dealer and ruleset, which the first row tells.

    Raises:
        BadInput: the first line has not the names of the columns.
    """
    lines = lines_of(stream)
    _, title = next(lines, (1, ""))
    columns = tuple(title.split(","))
    if columns not in (COLUMNS, EARLIER):
        raise BadInput(f"line 1 is {title[:60]!r}: expected {','.join(COLUMNS)}")
    rows = _rows(lines, len(columns))
    first = next(rows, None)
    if first is None:
        return SeedList({}, iter(()))
    facts = {
        "ruleset": checked("ruleset", first[1][1]),
        "dealer": checked("dealer", first[1][0].partition(":")[0]),
    }
    tail = first[1][len(EARLIER) :]
    counts = {ROWS: seed_of(tail[0], first[0])} if tail else {}
    return SeedList(facts, _entries(first, rows, facts), counts)


def _rows(lines: Iterator[tuple[int, str]], columns: int) -> Iterator[tuple[int, list[str]]]:
    for number, line in lines:
        if not line:
            continue
        try:
            (row,) = csv.reader([line])
        except csv.Error as error:
            raise BadInput(f"line {number} is no line of CSV: {error}") from None
        if len(row) != columns:
            raise BadInput(f"line {number} has {len(row)} values: expected {columns}")
        yield number, row


def _entries(
    first: tuple[int, list[str]], rows: Iterator[tuple[int, list[str]]], facts: dict[str, Any]
) -> Iterator[ListedSeed]:
    row: tuple[int, list[str]] | None = first
    while row is not None:
        number, (deal, ruleset, category, level, *count) = row
        if count != first[1][len(EARLIER) :]:
            raise BadInput(
                f"line {number}: it is of a list of {count[0][:40]!r} rows, the first of one of "
                f"{first[1][-1][:40]!r}"
            )
        dealer, _, seed = deal.partition(":")
        if (dealer, ruleset) != (facts["dealer"], facts["ruleset"]):
            raise BadInput(
                f"line {number}: {deal[:40]!r} under {ruleset[:40]!r} is of another list: expected "
                f"a deal of {facts['dealer']} under {facts['ruleset']}"
            )
        if category in UNDECIDED and not level:
            yield ListedSeed(seed_of(seed, number), UNDECIDED[category])
        elif category == "winnable":
            yield ListedSeed(seed_of(seed, number), level_of(level, number))
        else:
            raise BadInput(
                f"line {number}: {category[:40]!r} with level {level[:40]!r} is no category of a "
                f"listed deal: expected winnable, or {', '.join(UNDECIDED)} without a level"
            )
        row = next(rows, None)
