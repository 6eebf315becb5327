"""Tests of forecasts of the width of an interval, against a search one size after the other."""

from datetime import UTC, datetime, timedelta

import pytest

from catalogue import statistics
from catalogue.jobs.queue import locked, submit
from catalogue.outcomes.chunk import Chunk, SolverKey
from catalogue.outcomes.writing import write_chunk
from catalogue.reading.bounds import BoundPoint, latest, record_bound
from catalogue.reading.forecast import forecast, rate_of
from catalogue.schema import JobRow
from catalogue.store import Catalogue
from engine.dealing.dealers import Sample, get_dealer
from engine.errors import BadInput
from engine.rulesets import parse_ruleset
from solvers.outcome import Outcome, Result
from solvers.solver import parse_solver

DRAW3 = "klondike-draw3"
SAMPLE = Sample("thoughtful-1", 0, 10_000)


def point(winnable: int, unwinnable: int, n: int) -> BoundPoint:
    return BoundPoint(DRAW3, SAMPLE, n, winnable, unwinnable, datetime.now(UTC))


def naive_width(winnable: int, unwinnable: int, n: int, size: int) -> float:
    low = statistics.interval(winnable * size // n, size, 0.99, "sequence").low
    high = statistics.interval(size - unwinnable * size // n, size, 0.99, "sequence").high
    return high - low


@pytest.mark.parametrize(
    ("counts", "width"),
    [((8, 2, 10), 0.5), ((16, 3, 20), 0.45), ((0, 10, 10), 0.2), ((20, 0, 20), 0.15)],
)
def test_the_size_is_nearly_the_smallest(
    sqlite_catalogue: Catalogue, counts: tuple[int, int, int], width: float
) -> None:
    smallest = next(size for size in range(counts[2], 2000) if naive_width(*counts, size) < width)
    found = forecast(sqlite_catalogue, point(*counts), width)
    assert found.deals is not None
    assert naive_width(*counts, found.deals) < width
    # Whole deals make the width go up and down a little.
    assert smallest <= found.deals <= 1.1 * smallest
    assert found.further == found.deals - counts[2]
    assert found.now == pytest.approx(naive_width(*counts, counts[2]))
    assert found.seconds is None  # of no job


def test_what_cannot_be_reached(sqlite_catalogue: Catalogue) -> None:
    given_up = point(700, 200, 1000)
    for width in (0.001, 0.1):
        found = forecast(sqlite_catalogue, given_up, width)
        assert (found.deals, found.further, found.gap) == (None, 0, 0.1)
    reached = forecast(sqlite_catalogue, given_up, 0.101)
    assert reached.deals is not None
    assert naive_width(700, 200, 1000, reached.deals) < 0.101
    # Without a gap it is only a matter of numbers, of too many in the end.
    assert forecast(sqlite_catalogue, point(800, 200, 1000), 1e-8).deals is None
    narrow = forecast(sqlite_catalogue, given_up, 0.9)
    assert (narrow.deals, narrow.further) == (1000, 0)


@pytest.mark.parametrize("width", [0.0, -1.0, 1.1, float("nan")])
def test_a_width_out_of_range(sqlite_catalogue: Catalogue, width: float) -> None:
    with pytest.raises(BadInput, match="out of range"):
        forecast(sqlite_catalogue, point(8, 2, 10), width)
    with pytest.raises(BadInput, match="no deals"):
        forecast(sqlite_catalogue, point(0, 0, 0), 0.5)


def test_the_rate_is_that_of_the_job_or_of_its_history(catalogue: Catalogue) -> None:
    dealer, rules, solver = get_dealer("thoughtful-1"), parse_ruleset(DRAW3), "exact(nodes=10)"
    key = SolverKey.of(parse_solver(solver))
    job_id = submit(catalogue, DRAW3, SAMPLE, [solver])
    lost = [Outcome(Result.UNWINNABLE, 1, 0.1)] * 50
    with catalogue.begin() as session:
        chunk = Chunk(
            rules, dealer.slug, tuple(range(50)), dealer.deal_block(0, 50), ((key, tuple(lost)),)
        )
        write_chunk(session, chunk)
        assert record_bound(session, job_id)
    (bound,) = latest(catalogue, DRAW3)
    assert rate_of(catalogue, bound) is None  # the job has not spent any time

    def set_job(**values: object) -> None:
        with catalogue.begin() as session:
            job: JobRow = locked(session, job_id)
            for name, value in values.items():
                setattr(job, name, value)

    set_job(cpu_ms=5.0, started_at=bound.created_at - timedelta(seconds=25))
    history = rate_of(catalogue, bound)
    assert history is not None
    assert (history.source, history.deals) == ("history", 50)
    assert history.seconds == pytest.approx(25, abs=0.01)
    assert history.per_second == pytest.approx(2, rel=1e-3)

    set_job(state="running", rate=40.0)
    running = rate_of(catalogue, bound)
    assert running is not None
    assert (running.source, running.per_second) == ("rate", 40.0)
    ahead = forecast(catalogue, bound, 0.05)
    assert ahead.seconds == pytest.approx(ahead.further / 40)
