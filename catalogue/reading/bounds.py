"""Bounds of a ruleset on a sample: a lower and an upper bound on the share of winnable deals.

Lower bound = winnable / n, upper bound = 1 − unwinnable / n, where n counts every deal attempted,
including unresolved ones: dividing by resolved deals only would favour those decided quickly.

**Coverage of the intervals.** Let W of the n deals truly be winnable, a binomial count. The counts
known at any moment bracket it: winnable ≤ W ≤ n − unwinnable, in whatever order the deals are
solved and whichever budgets were exhausted. The ends L and U of each method's interval never fall
as the count rises, so L(winnable) ≤ L(W) and U(W) ≤ U(n − unwinnable): the `span` from the low end
of the lower bound's interval to the high end of the upper bound's contains the true share whenever
the interval of W does, hence with at least its probability, and for a confidence sequence at all n
at once.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
from sqlalchemy import Row, Select, func, select
from sqlalchemy.orm import Session

from catalogue import statistics
from catalogue.outcomes import ledger
from catalogue.outcomes.seals import seal_of_bound
from catalogue.reading.block_reader import read_statuses
from catalogue.reading.claims import NO_CLAIMS, Claims, claims_on
from catalogue.reading.samples import attempted_prefix, seen_prefix, status_counts
from catalogue.schema import (
    BLOCK_SIZE,
    IMPORTED,
    BoundRow,
    DealingRow,
    JobRow,
    JobSolverRow,
    RulesetRow,
    StatusBlockRow,
)
from catalogue.statistics import Interval
from catalogue.store import Catalogue, lock
from engine.dealing.dealers import Sample
from engine.rulesets import parse_ruleset
from engine.text.numbers import per_cent

if TYPE_CHECKING:  # the runner needs no pandas
    import pandas as pd

# The stop rule of jobs that looks at the interval (`catalogue.jobs.stop_rules`).
WIDTH = "width"
# Advisory locks of jobs' bounds; those of blocks of seeds, taken before, have smaller numbers.
_BOUNDS_LOCK = 1 << 20


@dataclass(frozen=True, slots=True)
class BoundIntervals:
    """Intervals of the two ends of a bound, as shares.

    Attributes:
        lower: interval of the share known winnable.
        upper: interval of the share not proved unwinnable.
        span: from the low end of `lower` to the high end of `upper`; it contains the true winnable
            share with at least the probability of the level (see the module).
    """

    lower: Interval
    upper: Interval

    @property
    def span(self) -> Interval:
        return Interval(self.lower.low, self.upper.high)


@dataclass(frozen=True, slots=True)
class BoundPoint:
    """The counts behind a bound at a moment.

    Attributes:
        ruleset: its slug.
        sample: the deals.
        n: number of them attempted from the first on without a gap; the denominator of every
            percentage.
        winnable: number of the n known winnable.
        unwinnable: number of the n proved unwinnable.
        created_at: the moment.
        job_id: the job whose solvers had all attempted the n deals, or None if attempts of any
            solver count.
        stops_by_width: whether n is where a job stops by the width of its interval. A size chosen
            by looking at the interval is not a fixed one: only the confidence sequence holds.
        claims: those of the unwinnable deals that are so on the word of other programs alone.
    """

    ruleset: str
    sample: Sample
    n: int
    winnable: int
    unwinnable: int
    created_at: datetime
    job_id: int | None = None
    stops_by_width: bool = False
    claims: Claims = NO_CLAIMS

    @property
    def unresolved(self) -> int:
        """Attempted, but neither known winnable nor proved unwinnable."""
        return self.n - self.winnable - self.unwinnable

    @property
    def lower(self) -> float:
        """The share known winnable; 0 without deals."""
        return self.winnable / self.n if self.n else 0.0

    @property
    def upper(self) -> float:
        """The share not proved unwinnable; 1 without deals."""
        return 1 - self.unwinnable / self.n if self.n else 1.0

    @property
    def upper_proved(self) -> float:
        """`upper` without the claims of other programs; 1 without deals."""
        return 1 - (self.unwinnable - self.claims.deals) / self.n if self.n else 1.0

    @property
    def claims_in_words(self) -> str:
        """The sentence on the claims of other programs; empty without any."""
        if not self.claims.deals:
            return ""
        return (
            f"{self.claims.deals:,} of the unwinnable are claimed by "
            f"{', '.join(self.claims.by)}, and not proved here; without them the upper bound is "
            f"{per_cent(self.upper_proved, self.digits)} %"
        )

    @property
    def digits(self) -> int:
        """The decimals of its percentages."""
        return statistics.digits_for(self.n)

    @property
    def complete(self) -> bool:
        """Whether the whole sample has been attempted."""
        return self.n == self.sample.count

    @property
    def attempted(self) -> Sample | None:
        """The first n deals of the sample; None if n is 0."""
        return replace(self.sample, count=self.n) if self.n else None

    @property
    def methods(self) -> tuple[str, ...]:
        """The methods of `catalogue.statistics` whose intervals hold, the default first."""
        return ("sequence",) if self.stops_by_width else statistics.METHODS

    def intervals(self, level: float = 0.99, method: str | None = None) -> BoundIntervals:
        """Intervals of both bounds, by default of the first of `methods`.

        Use ``sequence`` for a bound that is watched as it grows.

        Raises:
            BadInput: unknown method, or a level not between 0 and 1.
        """
        method = method or self.methods[0]
        return BoundIntervals(
            statistics.interval(self.winnable, self.n, level, method),
            statistics.interval(self.n - self.unwinnable, self.n, level, method),
        )


def record_bound(session: Session, job_id: int) -> bool:
    """Add a `bound` row for a job's sample if its counts have changed since the job's last one.

    The row counts statuses over the contiguous prefix of the sample's seeds on which *all* the
    job's solvers have an outcome, or that they have skipped if the job infers, so that slow deals
    are never left out. The statuses come from outcomes of any solver. Call it inside the
    transaction that wrote the outcomes; it takes a few small queries, however large the sample is.

    Returns:
        Whether a row was written.
    """
    # The seals of a job's bounds are a chain: one writer at a time may add to it.
    lock(session, _BOUNDS_LOCK + job_id % _BOUNDS_LOCK)
    job = session.get_one(JobRow, job_id)
    solver_ids = session.scalars(
        select(JobSolverRow.solver_id).where(JobSolverRow.job_id == job_id)
    ).all()
    last = session.execute(
        select(BoundRow.n, BoundRow.winnable, BoundRow.unwinnable, BoundRow.seal)
        .where(
            BoundRow.ruleset_id == job.ruleset_id,
            BoundRow.dealer == job.dealer,
            BoundRow.first_seed == job.first_seed,
            BoundRow.job_id == job_id,
        )
        .order_by(BoundRow.id.desc())
        .limit(1)
    ).first()
    n = attempted_prefix(
        session,
        job.ruleset_id,
        solver_ids,
        job.dealer,
        job.first_seed,
        job.deals,
        known=last.n if last else 0,
        skipped=job.inferred is not None,
    )
    if n == 0:
        return False
    counts = status_counts(session, job.ruleset_id, job.dealer, job.first_seed, n)
    if last is not None and tuple(last)[:3] == (n, counts.winnable, counts.unwinnable):
        return False
    values = {
        "ruleset_id": job.ruleset_id,
        "dealer": job.dealer,
        "first_seed": job.first_seed,
        "n": n,
        "winnable": counts.winnable,
        "unwinnable": counts.unwinnable,
        "job_id": job_id,
        "created_at": datetime.now(UTC),
    }
    seal = seal_of_bound(values, None if last is None else last.seal)
    session.add(BoundRow(**values, seal=seal))
    ledger.add(session, "bound", {**values, "seal": seal})
    session.flush()
    return True


def bounds_of(cat: Catalogue, ruleset: str, sample: Sample) -> BoundPoint:
    """The current bound of any sample, whether or not it belongs to a job.

    n counts its contiguous prefix of deals that any solver has attempted.

    Raises:
        BadInput: unknown ruleset.
    """
    slug = parse_ruleset(ruleset).slug
    with cat.session() as session:
        ruleset_id = RulesetRow.id_of(session, slug)
        if ruleset_id is None:
            return BoundPoint(slug, sample, 0, 0, 0, datetime.now(UTC))
        n = seen_prefix(session, ruleset_id, sample.dealer, sample.first, sample.count)
        counts = status_counts(session, ruleset_id, sample.dealer, sample.first, n)
        stops = _stops_by_width(session, ruleset_id, sample, n)
        claims = claims_on(session, ruleset_id, sample.dealer, sample.first, n)
    return BoundPoint(
        slug,
        sample,
        n,
        counts.winnable,
        counts.unwinnable,
        datetime.now(UTC),
        stops_by_width=stops,
        claims=claims,
    )


def latest(cat: Catalogue, ruleset: str | None = None) -> list[BoundPoint]:
    """The current bound of every sample that a job has attempted, by ruleset and sample.

    The attempted part of a sample is that recorded by its jobs; the statuses are the current ones.
    If several jobs have the same sample, the one with the narrowest 99 % span is used.

    Raises:
        BadInput: unknown ruleset.
    """
    newest = select(func.max(BoundRow.id)).group_by(BoundRow.job_id, BoundRow.ruleset_id)
    query = _rows().where(BoundRow.id.in_(newest))
    if ruleset is not None:
        query = query.where(RulesetRow.slug == parse_ruleset(ruleset).slug)
    best: dict[tuple[str, Sample], BoundPoint] = {}
    with cat.session() as session:
        for row in session.execute(query):
            recorded = _point(row)
            counts = status_counts(session, row.ruleset_id, row.dealer, row.first_seed, recorded.n)
            point = recorded
            if (counts.winnable, counts.unwinnable) != (recorded.winnable, recorded.unwinnable):
                point = replace(
                    recorded,
                    winnable=counts.winnable,
                    unwinnable=counts.unwinnable,
                    created_at=datetime.now(UTC),
                )
            of_deals = (row.ruleset_id, row.dealer, row.first_seed, recorded.n)
            point = replace(point, claims=claims_on(session, *of_deals))
            key = (point.ruleset, point.sample)
            if key not in best or _span_width(point) <= _span_width(best[key]):
                best[key] = point
    return sorted(
        best.values(),
        key=lambda p: (p.ruleset, p.sample.dealer, p.sample.first, p.sample.count),
    )


def stored_samples(cat: Catalogue, ruleset: str | None = None) -> list[tuple[str, Sample]]:
    """Of each ruleset and dealer with outcomes, the first run of attempted deals without a gap.

    `solve --store` and imports store outcomes of no job; their bounds are asked for by sample.

    Raises:
        BadInput: unknown ruleset.
    """
    query = (
        select(
            RulesetRow.slug,
            StatusBlockRow.ruleset_id,
            StatusBlockRow.dealing_id,
            DealingRow.dealer,
            func.min(StatusBlockRow.block).label("block"),
            func.max(StatusBlockRow.block).label("last"),
        )
        .join(RulesetRow, RulesetRow.id == StatusBlockRow.ruleset_id)
        .join(DealingRow, DealingRow.id == StatusBlockRow.dealing_id)
        .where(DealingRow.dealer != IMPORTED, StatusBlockRow.deals > 0)
        .group_by(
            RulesetRow.slug,
            StatusBlockRow.ruleset_id,
            StatusBlockRow.dealing_id,
            DealingRow.dealer,
        )
        .order_by(RulesetRow.slug, DealingRow.dealer)
    )
    if ruleset is not None:
        query = query.where(RulesetRow.slug == parse_ruleset(ruleset).slug)
    found = []
    with cat.session() as session:
        for row in session.execute(query).all():
            statuses = read_statuses(session, row.ruleset_id, row.dealing_id, row.block)
            start = row.block * BLOCK_SIZE
            first = start + statuses.first + int((statuses.status > 0).argmax())
            most = (row.last + 1) * BLOCK_SIZE - first
            count = seen_prefix(session, row.ruleset_id, row.dealer, first, most)
            found.append((row.slug, Sample(row.dealer, first, count)))
    return found


def headline(cat: Catalogue) -> dict[str, BoundPoint]:
    """For each ruleset the bound of `latest` with the narrowest 99 % Clopper–Pearson span."""
    best: dict[str, BoundPoint] = {}
    for point in latest(cat):
        known = best.get(point.ruleset)
        if known is None or _span_width(point) < _span_width(known):
            best[point.ruleset] = point
    return best


def headline_sample(cat: Catalogue, ruleset: str) -> Sample | None:
    """The attempted part of the sample of a ruleset's `headline`; None if it has none."""
    point = headline(cat).get(ruleset)
    return None if point is None else point.attempted


def history(
    cat: Catalogue, ruleset: str, sample: Sample, points: int = 1000, job_id: int | None = None
) -> list[BoundPoint]:
    """The history of the bound of a sample as recorded by its jobs, oldest first.

    Each job on the sample has its own series, identified by `job_id`, whose n only grows; if it is
    given, that series alone is returned. Of more than `points` rows an even selection is returned,
    including the first and the last.

    Raises:
        BadInput: unknown ruleset.
    """
    query = (
        _rows()
        .where(
            RulesetRow.slug == parse_ruleset(ruleset).slug,
            BoundRow.dealer == sample.dealer,
            BoundRow.first_seed == sample.first,
            JobRow.deals == sample.count,
        )
        .order_by(BoundRow.id)
    )
    if job_id is not None:
        query = query.where(BoundRow.job_id == job_id)
    with cat.session() as session:
        rows: Sequence[Row[*tuple[object, ...]]] = session.execute(query).all()
    if len(rows) > points:
        chosen = np.unique(np.linspace(0, len(rows) - 1, max(points, 2)).round().astype(int))
        rows = [rows[index] for index in chosen]
    return [_point(row) for row in rows]


def history_frame(
    cat: Catalogue,
    ruleset: str,
    sample: Sample,
    level: float = 0.99,
    method: str = "sequence",
    points: int = 1000,
    job_id: int | None = None,
) -> "pd.DataFrame":
    """`history` with intervals, for charts.

    Columns: stored_at, job_id, n, winnable, unwinnable, unresolved; the shares lower and upper;
    low and high, the ends of the span of the true share (see the module).

    Raises:
        BadInput: unknown ruleset or method, or a level not between 0 and 1.
    """
    import pandas as pd

    grown = history(cat, ruleset, sample, points, job_id)
    n = np.array([point.n for point in grown], dtype=np.int64)
    winnable = np.array([point.winnable for point in grown], dtype=np.int64)
    unwinnable = np.array([point.unwinnable for point in grown], dtype=np.int64)
    low, _ = statistics.intervals(winnable, n, level, method)
    _, high = statistics.intervals(n - unwinnable, n, level, method)
    return pd.DataFrame(
        {
            "stored_at": pd.to_datetime([point.created_at for point in grown], utc=True),
            "job_id": pd.array([point.job_id for point in grown], dtype="Int64"),
            "n": n,
            "winnable": winnable,
            "unwinnable": unwinnable,
            "unresolved": n - winnable - unwinnable,
            "lower": [point.lower for point in grown],
            "upper": [point.upper for point in grown],
            "low": low,
            "high": high,
        }
    )


def _rows() -> Select[*tuple[object, ...]]:
    """Recorded bounds with the slug of their ruleset and the size of their job's sample."""
    return (
        select(
            RulesetRow.slug,
            BoundRow.ruleset_id,
            BoundRow.dealer,
            BoundRow.first_seed,
            BoundRow.n,
            BoundRow.winnable,
            BoundRow.unwinnable,
            BoundRow.created_at,
            BoundRow.job_id,
            JobRow.deals,
            JobRow.until,
        )
        .join(RulesetRow, RulesetRow.id == BoundRow.ruleset_id)
        .outerjoin(JobRow, JobRow.id == BoundRow.job_id)
    )


def _point(row: Row[*tuple[object, ...]]) -> BoundPoint:
    return BoundPoint(
        row.slug,
        Sample(row.dealer, row.first_seed, row.n if row.deals is None else row.deals),
        row.n,
        row.winnable,
        row.unwinnable,
        row.created_at,
        row.job_id,
        WIDTH in (row.until or {}),
    )


def _stops_by_width(session: Session, ruleset_id: int, sample: Sample, n: int) -> bool:
    """Whether n deals of a sample are where a job stops by the width of its interval."""
    jobs = session.execute(
        select(JobRow.until, JobRow.deals, func.max(BoundRow.n).label("n"))
        .join(BoundRow, BoundRow.job_id == JobRow.id)
        .where(
            JobRow.ruleset_id == ruleset_id,
            JobRow.dealer == sample.dealer,
            JobRow.first_seed == sample.first,
        )
        .group_by(JobRow.id)
    )
    return any(WIDTH in row.until and (row.deals == sample.count or row.n == n) for row in jobs)


@lru_cache(maxsize=4096)
def _width(winnable: int, unwinnable: int, n: int) -> float:
    low = statistics.clopper_pearson(winnable, n).low
    return statistics.clopper_pearson(n - unwinnable, n).high - low


def _span_width(point: BoundPoint) -> float:
    return _width(point.winnable, point.unwinnable, point.n)
