"""The table of bounds: the history of the bounds of samples."""

from collections.abc import Iterator, Sequence
from typing import Any

from sqlalchemy import func, select

from catalogue import statistics
from catalogue.exports.columns import (
    MOMENT,
    REAL,
    RULESET,
    TEXT,
    WHOLE,
    Columns,
    ExportColumn,
    ExportTable,
    Rows,
    Source,
    column,
)
from catalogue.exports.selection import Selection
from catalogue.schema import BoundRow, RulesetRow


def _bounds_query(selection: Selection) -> Rows:
    query = (
        select(
            RulesetRow.slug,
            BoundRow.dealer,
            BoundRow.first_seed,
            BoundRow.n,
            BoundRow.winnable,
            BoundRow.unwinnable,
            BoundRow.created_at,
            BoundRow.job_id,
        )
        .join(RulesetRow, RulesetRow.id == BoundRow.ruleset_id)
        .where(*selection.ruled())
        .order_by(BoundRow.id)
    )
    return query if selection.dealer is None else query.where(BoundRow.dealer == selection.dealer)


def _bounds_values(rows: Sequence[Any]) -> Sequence[Sequence[Any]]:
    slug, dealer, first, n, winnable, unwinnable, at = column(
        rows, "slug", "dealer", "first_seed", "n", "winnable", "unwinnable", "created_at"
    )
    possible = [size - lost for size, lost in zip(n, unwinnable, strict=True)]
    low, _ = statistics.intervals(winnable, n, 0.99, "sequence")
    _, high = statistics.intervals(possible, n, 0.99, "sequence")
    return [
        slug,
        dealer,
        first,
        n,
        winnable,
        unwinnable,
        [known / size for known, size in zip(winnable, n, strict=True)],
        [known / size for known, size in zip(possible, n, strict=True)],
        low.tolist(),
        high.tolist(),
        at,
        column(rows, "job_id")[0],
    ]


def _read_bounds(source: Source) -> Iterator[Columns]:
    query = _bounds_query(source.selection).execution_options(yield_per=source.batch)
    for rows in source.session.execute(query).partitions():
        yield _bounds_values(rows)


def _count_bounds(source: Source) -> int:
    rows = _bounds_query(source.selection).order_by(None).subquery()
    return source.session.scalar(select(func.count()).select_from(rows)) or 0


BOUNDS = ExportTable(
    "bounds",
    "History of the bounds of samples. Bounds are of whole samples, whatever status or seeds are "
    "selected, and count every deal attempted, unresolved ones included.",
    (
        RULESET,
        ExportColumn("dealer", TEXT, "dealer of the sample"),
        ExportColumn("first_seed", WHOLE, "first seed of the sample"),
        ExportColumn("n", WHOLE, "size of the sample: n seeds from the first, all attempted"),
        ExportColumn("winnable", WHOLE, "of these, known winnable"),
        ExportColumn("unwinnable", WHOLE, "of these, proved unwinnable"),
        ExportColumn("lower", REAL, "lower bound: winnable / n"),
        ExportColumn("upper", REAL, "upper bound: 1 − unwinnable / n"),
        ExportColumn(
            "low",
            REAL,
            "low end of the interval of the true winnable share, a confidence sequence at 99 %, "
            "valid for all rows of a job at once",
        ),
        ExportColumn("high", REAL, "high end of that interval"),
        ExportColumn("recorded_at", MOMENT, "when it was recorded, UTC"),
        ExportColumn("job", WHOLE, "number of the job whose sample it is; empty if none"),
    ),
    _read_bounds,
    _count_bounds,
)
