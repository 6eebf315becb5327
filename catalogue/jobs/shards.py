"""Shards of jobs: how large they are, and making them for a job's next seeds.

A shard is meant to take about a minute: long enough that storing it is cheap, short enough that
little is lost with a worker. The first ones are chunks of a second; from the time that these take,
the next ones follow, up to four times as long each time.
"""

import math
from dataclasses import dataclass

import numpy as np
from sqlalchemy.orm import Session

from catalogue.jobs.claims import add_shards
from catalogue.jobs.stop_rules import last_deals
from catalogue.jobs.task import Task
from catalogue.schema import BLOCK_SIZE, JobRow

LONGEST_SECONDS = 60.0
_GROWTH = 4
# Shorter shards take longer to be sent and stored than to be solved.
_SHORTEST_SECONDS = 0.2
# Blocks of seeds that are looked through in a transaction, in which other runners wait.
_BLOCKS = 4096
_READ_BLOCKS = 16


@dataclass(slots=True)
class Pace:
    """The size of a job's next shards, from the time that the last ones took.

    Attributes:
        chunk: deals in a first shard.
        largest: deals in a shard at most.
        target: seconds that the next shard is meant to take.
        seconds: that a deal takes, a moving average; None until a shard is done.
    """

    chunk: int
    largest: int
    target: float = 1.0
    seconds: float | None = None

    def finished(self, deals: int, seconds: float) -> None:
        """Learn from a shard that is done."""
        each = max(seconds, 1e-6) / max(deals, 1)
        self.seconds = each if self.seconds is None else (self.seconds + each) / 2
        if seconds >= self.target / 2 or deals >= self.largest:
            self.target = min(self.target * _GROWTH, LONGEST_SECONDS)
        elif self.target <= 1.0 and deals >= self.chunk:
            self.target = _GROWTH  # a chunk is less than a second

    def expected(self, deals: int) -> float:
        """Seconds that a shard of some deals is expected to take."""
        return deals * (self.seconds or 1.0 / self.chunk)

    def size(self, left: int, workers: int) -> int:
        """Deals in the next shard, of a job, given the deals left and the workers for them."""
        # At the end of a job nobody stands idle while another has much to do.
        share = math.ceil(left / (2 * workers))
        if self.seconds is None:
            return max(1, min(self.chunk, share))
        share = max(share, int(_SHORTEST_SECONDS / self.seconds))
        return max(1, min(int(self.target / self.seconds), share, self.largest))


def end_of(job: JobRow) -> int:
    """One more than the last seed that a job solves."""
    return job.first_seed + last_deals(job.until, job.deals)


def cut(seeds: range, size: int) -> range:
    """The first shard of some seeds of one block, of at most this size.

    It is an equal part of the seeds, and so the whole block if it may be that large.
    """
    return range(seeds.start, seeds.start + math.ceil(len(seeds) / math.ceil(len(seeds) / size)))


def make_shards(
    session: Session, task: Task, job: JobRow, pace: Pace, workers: int, most: int
) -> int:
    """Make the next shards of a job, skip what is there already, and return their number.

    Args:
        session: of a writing transaction that has locked the job.
        task: the job's task.
        job: its row, whose next seed and progress are brought up to date.
        pace: gives the size of shards.
        workers: that may work on the job.
        most: number of shards to be made at most.
    """
    end = end_of(job)
    first = job.next_seed // BLOCK_SIZE
    blocks = range(first, min(first + _BLOCKS, (end - 1) // BLOCK_SIZE + 1))
    finished = task.finished(session, blocks) if job.next_seed < end else set()
    made: list[range] = []
    read = 0
    for block in blocks:
        if len(made) >= most or read >= _READ_BLOCKS:
            break
        stop = min((block + 1) * BLOCK_SIZE, end)
        if block in finished:
            job.done += task.counted(session, range(job.next_seed, stop))
            job.next_seed = stop
            continue
        missing = task.missing(session, range(job.next_seed, stop))
        start = job.next_seed
        read += 1
        while job.next_seed < stop and len(made) < most:
            seeds = range(job.next_seed, stop)
            if missing is not None:
                left = missing[seeds.start - start :]
                there = int(np.argmax(left)) if left.any() else len(left)
                if there:
                    job.done += task.counted(session, seeds[:there])
                    job.next_seed += there
                    continue
            made.append(cut(seeds, pace.size(end - seeds.start, workers)))
            job.next_seed = made[-1].stop
    add_shards(session, job.id, made)
    session.flush()
    return len(made)
