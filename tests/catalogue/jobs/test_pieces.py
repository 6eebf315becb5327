"""Tests of the pieces of a job: their sizes, and the seeds that are in them."""

import numpy as np
import pytest
from sqlalchemy import select

from catalogue import store
from catalogue.jobs import runner
from catalogue.jobs.pieces import Pace, cut, make_pieces
from catalogue.jobs.queue import locked
from catalogue.jobs.task import read_task
from catalogue.schema import BLOCK_SIZE, PieceRow
from job_runs import submit_range


@pytest.mark.parametrize(
    ("chunk", "left", "workers", "size"),
    [
        (100, 10_000, 2, 100),
        (100, 12, 2, 3),  # nobody stands idle
        (100, 1, 64, 1),
    ],
)
def test_sizes_of_first_pieces(chunk: int, left: int, workers: int, size: int) -> None:
    assert Pace(chunk, 10_000).size(left, workers) == size


def test_pieces_grow_to_a_minute() -> None:
    """A second, 4, 16, a minute, by the time that the last ones took."""
    pace = Pace(100, 16_384)
    seconds = []
    for _ in range(6):
        deals = pace.size(10**9, 2)
        seconds.append(deals / 50)  # this machine solves 50 a second
        pace.finished(deals, seconds[-1])
    assert seconds == pytest.approx([2, 4, 16, 60, 60, 60])
    # Deals turn out ten times as hard: the next piece is shorter.
    pace.finished(3000, 600)
    assert pace.size(10**9, 2) < 1000
    # Never larger than what fits, and small at the end of a job.
    fast = Pace(4000, 16_384)
    for _ in range(6):
        fast.finished(fast.size(10**9, 2), 0.01)
    assert fast.size(10**9, 2) == 16_384
    assert pace.size(1000, 2) == 250
    # But not so small that sending it takes longer than solving it.
    assert fast.size(1000, 2) == 16_384


def test_pieces_respect_blocks() -> None:
    assert cut(range(10, 20), 100) == range(10, 20)
    assert cut(range(0, BLOCK_SIZE), 16_384) == range(16_384)
    # Equal parts of what is left, rather than a small one at the end.
    assert cut(range(0, BLOCK_SIZE), 40_000) == range(32_768)
    assert cut(range(5, 105), 40) == range(5, 39)


@pytest.mark.parametrize(("first", "count"), [(0, 2500), (777, 1500), (5, 3)])
@pytest.mark.parametrize("stored", [(), (0, 100), (1000, 1000), (770, 800)])
def test_pieces_are_the_seeds_that_are_missing(
    sqlite_catalogue: store.Catalogue,
    scheduler: str,
    first: int,
    count: int,
    stored: tuple[int, ...],
) -> None:
    if stored:
        submit_range(sqlite_catalogue, f"{stored[0]}-{stored[0] + stored[1] - 1}", ["dead-end"])
        runner.run(sqlite_catalogue, scheduler=scheduler)
    job_id = submit_range(sqlite_catalogue, f"{first}-{first + count - 1}", ["dead-end"])
    task = read_task(sqlite_catalogue, job_id)
    seeds = []
    with sqlite_catalogue.begin() as session:
        job = locked(session, job_id)
        while job.next_seed < first + count:
            make_pieces(session, task, job, Pace(100, 1000), 2, 3)
        pieces = session.execute(
            select(PieceRow.first_seed, PieceRow.deals).order_by(PieceRow.first_seed)
        ).all()
        for start, deals in pieces:
            work = task.work(session, range(start, start + deals))
            assert work is not None
            ((_, _, missing),) = work.arguments[3]
            seeds += [start + int(at) for at in np.flatnonzero(missing)]
            assert work.deals == missing.sum()
        covered = sum(deals for _, deals in pieces)
        assert job.done + covered == count
    done = range(stored[0], stored[0] + stored[1]) if stored else range(0)
    assert seeds == [seed for seed in range(first, first + count) if seed not in done]
