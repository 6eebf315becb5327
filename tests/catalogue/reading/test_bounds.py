"""Tests of bounds as a job grows, with chunks in any order, against a recount."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import numpy as np
import pytest
from sqlalchemy import event, func, select

from catalogue import statistics
from catalogue.jobs.queue import submit
from catalogue.outcomes.names import ensure_ruleset, ensure_solver
from catalogue.reading import bounds, samples
from catalogue.reading.bounds import BoundPoint, record_bound
from catalogue.schema import BLOCK_SIZE, BoundRow, JobRow, JobSolverRow, RulesetRow, SolverRow
from engine.dealing.dealers import Sample, get_dealer
from engine.errors import BadInput
from engine.klondike.deal import KlondikeDeal
from engine.rulesets import parse_ruleset
from solvers.outcome import Outcome, Result
from thoughtful.commands import bounds as bounds_command

DRAW3 = "klondike-draw3"


def naive_prefix(known: Any, methods: set[str], dealer: str, first: int, count: int) -> int:
    by_seed: dict[int, set[str]] = {}
    for fact in known.facts:
        if fact.dealer == dealer and fact.ruleset == DRAW3 and fact.solver.version == 1:
            by_seed.setdefault(fact.seed, set()).add(fact.solver.method)
    for n in range(count):
        if not methods <= by_seed.get(first + n, set()) or first + n not in by_seed:
            return n
    return count


def naive_counts(known: Any, dealer: str, first: int, count: int) -> samples.StatusCounts:
    results: dict[int, set[str]] = {}
    for fact in known.facts:
        if fact.dealer == dealer and fact.ruleset == DRAW3 and first <= fact.seed < first + count:
            results.setdefault(fact.seed, set()).add(fact.outcome.result)
    seen = results.values()
    return samples.StatusCounts(
        len(results),
        sum("won" in each for each in seen),
        sum("unwinnable" in each and "won" not in each for each in seen),
        sum("unwinnable" in each and "won" in each for each in seen),
    )


RANGES = [
    ("thoughtful-1", 0, 2300),
    ("thoughtful-1", 0, 1000),
    ("thoughtful-1", 0, 1),
    ("thoughtful-1", 17, 1),
    ("thoughtful-1", 999, 2),
    ("thoughtful-1", 500, 1500),
    ("thoughtful-1", 1000, 1000),
    ("thoughtful-1", 1001, 5000),
    ("thoughtful-1", 2099, 80),
    ("thoughtful-1", 2150, 500),
    ("thoughtful-1", 5000, 3000),
    ("solvitaire", 0, 61),
    ("solvitaire", 1, 59),
]


@pytest.mark.parametrize(("dealer", "first", "count"), RANGES)
def test_counts_of_a_range_equal_a_recount(known: Any, dealer: str, first: int, count: int) -> None:
    with known.catalogue.session() as session:
        ruleset_id = session.scalar(select(RulesetRow.id).where(RulesetRow.slug == DRAW3))
        ids = {
            row.method: row.id
            for row in session.scalars(select(SolverRow).where(SolverRow.version == 1))
        }
        for methods in ({"exact"}, {"exact", "dead-end"}, {"exact", "dead-end", "yan-heuristic"}):
            n = samples.attempted_prefix(
                session, ruleset_id, [ids[m] for m in methods], dealer, first, count
            )
            assert n == naive_prefix(known, methods, dealer, first, count)
            for earlier in (0, n // 2, n):
                assert n == samples.attempted_prefix(
                    session, ruleset_id, [ids[m] for m in methods], dealer, first, count, earlier
                )
        n = samples.seen_prefix(session, ruleset_id, dealer, first, count)
        assert n == naive_prefix(known, set(), dealer, first, count)
        found = samples.status_counts(session, ruleset_id, dealer, first, count)
        assert found == naive_counts(known, dealer, first, count)
        for method, solver_id in ids.items():
            outcomes = [
                fact.outcome
                for fact in known.facts
                if (fact.dealer, fact.ruleset, fact.solver.method, fact.solver.version)
                == (dealer, DRAW3, method, 1)
                and first <= fact.seed < first + count
            ]
            results = [outcome.result for outcome in outcomes]
            done = samples.outcome_counts(session, ruleset_id, solver_id, dealer, first, count)
            assert done.attempted == len(outcomes)
            assert (done.won, done.lost) == (results.count("won"), results.count("lost"))
            assert done.unwinnable == results.count("unwinnable")
            assert done.gave_up == results.count("gave_up")
            assert done.nodes == sum(outcome.nodes for outcome in outcomes)
            assert done.cpu_ms == pytest.approx(sum(outcome.cpu_ms for outcome in outcomes))


@pytest.mark.parametrize(("dealer", "first", "count"), RANGES)
def test_the_bound_of_any_sample_is_of_its_attempted_prefix(
    known: Any, dealer: str, first: int, count: int
) -> None:
    point = bounds.bounds_of(known.catalogue, DRAW3, Sample(dealer, first, count))
    assert point.n == naive_prefix(known, set(), dealer, first, count)
    expected = naive_counts(known, dealer, first, point.n)
    assert (point.winnable, point.unwinnable) == (expected.winnable, expected.unwinnable)
    assert point.unresolved == point.n - point.winnable - point.unwinnable >= 0
    assert point.complete == (point.n == count)


def test_a_ruleset_without_outcomes_has_an_empty_bound(known: Any) -> None:
    point = bounds.bounds_of(known.catalogue, "klondike-vegas", Sample("thoughtful-1", 0, 10))
    assert (point.n, point.lower, point.upper, point.attempted) == (0, 0.0, 1.0, None)
    span = point.intervals(method="sequence").span
    assert (span.low, span.high) == (0.0, 1.0)
    with pytest.raises(BadInput, match="unknown ruleset"):
        bounds.bounds_of(known.catalogue, "bridge", Sample("thoughtful-1", 0, 10))


def test_a_bound_counts_unresolved_deals_in_its_denominator() -> None:
    point = BoundPoint(DRAW3, Sample("thoughtful-1", 0, 2000), 1000, 600, 100, datetime.now(UTC))
    assert (point.lower, point.upper, point.unresolved) == (0.6, 0.9, 300)
    assert not point.complete
    assert point.attempted == Sample("thoughtful-1", 0, 1000)
    for method in statistics.METHODS:
        around = point.intervals(0.95, method)
        assert around.lower == statistics.interval(600, 1000, 0.95, method)
        assert around.upper == statistics.interval(900, 1000, 0.95, method)
        assert around.span.low == around.lower.low < 0.6 < 0.9 < around.span.high
    # A size that was chosen by looking at the interval has no fixed-sample interval.
    stopped = replace(point, stops_by_width=True)
    assert stopped.methods == ("sequence",)
    assert stopped.intervals(0.95) == point.intervals(0.95, "sequence")
    assert point.intervals(0.95) == point.intervals(0.95, "clopper-pearson")


class Growing:
    """A job whose outcomes arrive seed by seed, in an order of ours."""

    def __init__(self, known: Any, sample: Sample, solvers: list[Any]) -> None:
        self.known, self.sample, self.solvers = known, sample, solvers
        rules = parse_ruleset(DRAW3)
        with known.catalogue.begin() as session:
            job = JobRow(
                kind="outcomes",
                total=sample.count * len(solvers),
                ruleset_id=ensure_ruleset(session, rules),
                dealer=sample.dealer,
                first_seed=sample.first,
                deals=sample.count,
                state="running",
                done=0,
                created_at=datetime.now(UTC),
                keep="everything",
                priority=0,
                until={},
                next_seed=sample.first,
                cpu_ms=0.0,
                seal=0,
            )
            session.add(job)
            session.flush()
            self.job_id = job.id
            session.add_all(
                JobSolverRow(job_id=job.id, place=k, solver_id=ensure_solver(session, solver))
                for k, solver in enumerate(solvers)
            )

    def arrive(self, seeds: Any, results: Callable[[int], dict[Any, Outcome]]) -> bool:
        """Write outcomes of these seeds and record the bound in a later transaction."""
        seeds = [int(seed) for seed in seeds]
        if seeds:
            dealer = get_dealer(self.sample.dealer)
            self.known.write(
                parse_ruleset(DRAW3),
                self.sample.dealer,
                [(seed, dealer.deal(seed), results(seed)) for seed in seeds],
            )
        with self.known.catalogue.begin() as session:
            return record_bound(session, self.job_id)


@pytest.fixture
def filling(catalogue: Any, known_type: type) -> Any:
    """An empty catalogue that keeps the facts written to it."""
    return known_type(catalogue)


def verdict(seed: int) -> Outcome:
    if seed % 5 == 0:
        return Outcome(Result.GAVE_UP, 100, 1.0)
    return Outcome(Result.UNWINNABLE, seed, 1.0)


def test_rows_follow_the_contiguous_prefix_in_whatever_order_chunks_come(
    filling: Any, solver_keys: Any
) -> None:
    sample = Sample("thoughtful-1", 950, 1200)
    exact, dead_end = solver_keys["exact"], solver_keys["dead-end"]
    job = Growing(filling, sample, [exact, dead_end])
    rng = np.random.default_rng(3)
    chunks = np.array_split(np.arange(950, 2150), 30)
    n = 0
    for k in rng.permutation(30):
        # The second solver lags behind: the prefix needs both.
        job.arrive(chunks[k], lambda seed: {exact: verdict(seed)})
        moved = job.arrive(chunks[k], lambda seed: {dead_end: Outcome(Result.GAVE_UP, 1, 0.1)})
        grown = naive_prefix(filling, {"exact", "dead-end"}, "thoughtful-1", 950, 1200)
        assert moved == (grown > n)
        n = grown
    assert n == 1200
    assert not job.arrive([], lambda seed: {})  # nothing moved, nothing written

    history = bounds.history(filling.catalogue, DRAW3, sample)
    assert [point.n for point in history] == sorted({point.n for point in history})
    assert history[-1].complete
    for point in history:
        expected = naive_counts(filling, "thoughtful-1", 950, point.n)
        assert (point.winnable, point.unwinnable) == (expected.winnable, expected.unwinnable)
        assert (point.sample, point.job_id) == (sample, job.job_id)
    assert [p.created_at for p in history] == sorted(p.created_at for p in history)
    assert bounds.latest(filling.catalogue) == [history[-1]]
    assert bounds.headline(filling.catalogue) == {DRAW3: history[-1]}


def test_a_later_verdict_of_another_solver_moves_the_bound(filling: Any, solver_keys: Any) -> None:
    sample = Sample("thoughtful-1", 0, 1100)
    job = Growing(filling, sample, [solver_keys["exact"]])
    assert job.arrive(range(1100), lambda seed: {solver_keys["exact"]: verdict(seed)})
    (before,) = bounds.latest(filling.catalogue)
    assert before.unresolved == 220
    filling.write(
        parse_ruleset(DRAW3),
        "thoughtful-1",
        [
            (seed, KlondikeDeal.of(get_dealer("thoughtful-1").deal_block(seed, 1)[0]),
             {solver_keys["dead-end"]: Outcome(Result.UNWINNABLE, 1, 1.0)})
            for seed in (5, 1000, 1095)
        ],
    )  # fmt: skip
    # The current state is shown, although the job has recorded nothing since.
    (after,) = bounds.latest(filling.catalogue, DRAW3)
    assert (after.n, after.unwinnable) == (1100, before.unwinnable + 3)
    assert after.created_at > before.created_at
    assert job.arrive([], lambda seed: {})
    assert [p.unwinnable for p in bounds.history(filling.catalogue, DRAW3, sample)] == [
        before.unwinnable,
        before.unwinnable + 3,
    ]


def test_a_bound_of_millions_of_deals_has_the_digits_that_they_are_worth(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The interval of 20,000,000 deals is 0.026 points wide, which two decimals would hide."""
    monkeypatch.setenv("COLUMNS", "120")  # the table is not to be folded
    for n, winnable, share, span in (
        (1_000_000, 904_214, "90.42 %", "90.36 to 90.48 %"),
        (20_000_000, 18_084_000, "90.420 %", "90.407 to 90.433 %"),
    ):
        sample = Sample("thoughtful-1", 0, n)
        bounds_command._print(
            BoundPoint("klondike-draw1", sample, n, winnable, n - winnable, datetime.now(UTC))
        )
        printed = capsys.readouterr().out
        assert f"lower bound  {share}" in printed
        assert printed.count(span) == 6, printed  # of two methods: both ends, and the span


def test_the_headline_is_the_sample_that_says_most(filling: Any, solver_keys: Any) -> None:
    exact, dead_end = solver_keys["exact"], solver_keys["dead-end"]
    wide = Growing(filling, Sample("thoughtful-1", 0, 1500), [dead_end])
    wide.arrive(range(1500), lambda seed: {dead_end: Outcome(Result.GAVE_UP, 1, 0.1)})
    sharp = Growing(filling, Sample("thoughtful-1", 0, 300), [exact])
    sharp.arrive(range(300), lambda seed: {exact: verdict(seed)})
    found = {point.sample.count: point for point in bounds.latest(filling.catalogue)}
    assert set(found) == {1500, 300}
    assert found[1500].unwinnable == found[300].unwinnable == 240
    assert bounds.headline(filling.catalogue)[DRAW3] == found[300]
    assert bounds.latest(filling.catalogue, "klondike-yan") == []


def test_two_jobs_on_one_sample_are_two_series(filling: Any, solver_keys: Any) -> None:
    sample = Sample("thoughtful-1", 0, 40)
    for name in ("dead-end", "exact"):
        job = Growing(filling, sample, [solver_keys[name]])
        for start in (0, 20):
            job.arrive(range(start, start + 20), lambda s: {solver_keys[name]: verdict(s)})  # noqa: B023
    history = bounds.history(filling.catalogue, DRAW3, sample)
    assert [(p.job_id, p.n) for p in history] == [(1, 20), (1, 40), (2, 20), (2, 40)]
    assert len(bounds.latest(filling.catalogue)) == 1


@pytest.mark.thorough
def test_a_long_history_is_thinned_evenly_and_charted(filling: Any, solver_keys: Any) -> None:
    sample = Sample("thoughtful-1", 0, 100)
    job = Growing(filling, sample, [solver_keys["exact"]])
    for seed in range(100):
        job.arrive([seed], lambda s: {solver_keys["exact"]: verdict(s)})
    thin = bounds.history(filling.catalogue, DRAW3, sample, points=12)
    assert len(thin) == 12
    assert (thin[0].n, thin[-1].n) == (1, 100)
    assert max(np.diff([p.n for p in thin])) <= 10
    frame = bounds.history_frame(filling.catalogue, DRAW3, sample)
    assert list(frame.n) == list(range(1, 101))
    last = frame.iloc[-1]
    span = bounds.latest(filling.catalogue)[0].intervals(0.99, "sequence").span
    assert (last.low, last.high) == (span.low, span.high)
    assert (last.lower, last.upper, last.unresolved) == (0.0, 1 - 80 / 100, 20)
    assert frame["stored_at"].dt.tz is not None
    empty = bounds.history_frame(filling.catalogue, DRAW3, Sample("thoughtful-1", 5, 5))
    assert list(empty.columns) == list(frame.columns)
    assert empty.empty


@contextmanager
def statements(catalogue: Any) -> Iterator[list[str]]:
    seen: list[str] = []

    def note(*args: Any) -> None:
        seen.append(args[2])

    event.listen(catalogue.engine, "before_cursor_execute", note)
    try:
        yield seen
    finally:
        event.remove(catalogue.engine, "before_cursor_execute", note)


def test_recording_a_bound_takes_few_queries_and_reads_few_deals(
    filling: Any, solver_keys: Any
) -> None:
    """However long the sample is: whole blocks are counted from their rows."""
    exact = solver_keys["exact"]
    sample = Sample("thoughtful-1", 400, 3 * BLOCK_SIZE)
    job = Growing(filling, sample, [exact])
    job.arrive(range(400, 3100), lambda seed: {exact: verdict(seed)})
    filling.write(
        parse_ruleset(DRAW3), "thoughtful-1",
        [(s, get_dealer("thoughtful-1").deal(s), {exact: verdict(s)}) for s in range(3100, 3200)],
    )  # fmt: skip
    with filling.catalogue.begin() as session, statements(filling.catalogue) as seen:
        assert record_bound(session, job.job_id)
    reads = [statement for statement in seen if statement.startswith("SELECT")]
    assert len(reads) <= 11  # one of them takes the lock, on PostgreSQL
    # No rows of outcomes, and columns of one block only, the one where the prefix ends.
    answer = [" ".join(read.split()) for read in reads]
    assert sum("FROM outcome" in read for read in answer) == 0
    assert 1 <= sum("block.columns" in read for read in answer) <= 2
    with filling.catalogue.session() as session:
        newest = session.scalars(select(BoundRow).order_by(BoundRow.id.desc()).limit(1)).one()
        assert (newest.n, session.scalar(select(func.count()).select_from(BoundRow))) == (2800, 2)


def test_a_submitted_job_without_outcomes_has_no_bound(catalogue: Any) -> None:
    job_id = submit(catalogue, DRAW3, Sample("thoughtful-1", 0, 10), ["dead-end"])
    with catalogue.begin() as session:
        assert not record_bound(session, job_id)
    assert bounds.latest(catalogue) == []
    assert bounds.headline(catalogue) == {}
