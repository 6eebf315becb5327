"""Measure how many shards of a job a second are claimed and completed, by several processes.

The shards are empty: what is measured is the queue alone, on a PostgreSQL or SQLite database that
is thrown away. Each claim is a transaction of its own, of one shard or of several (``--at-once``).
Completed shards are deleted, with the job's progress, in a transaction every so often (``--every``,
0 for one after each claim), as a runner does with the results that have piled up:

    python benchmarks/claims.py --processes 4 --seconds 10
    python benchmarks/claims.py --at-once 6 --every 0 --url postgresql://…

Without a URL, a PostgreSQL server of its own is started, with durable commits (``fsync`` on). The
CPU time is that of these processes, without the server.
"""

import argparse
import multiprocessing
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from sqlalchemy import func, select

from catalogue import store
from catalogue.jobs import claims
from catalogue.jobs.queue import change, locked, submit
from catalogue.schema import JobRow, ShardRow
from engine.dealing.dealers import Sample
from measuring.databases import new_postgresql

DEALS = 100
# Shards that a process makes when it finds too few.
WINDOW = 200


@contextmanager
def database(url: str | None) -> Iterator[str]:
    """The URL of a database that is initialised: the one given, or a new one on PostgreSQL."""
    if url is not None:
        store.init(url)
        yield url
        return
    with new_postgresql() as new:
        store.init(new)
        yield new


def work(
    url: str, job_id: int, at_once: int, seconds: float, every: float, start: Any, answer: Any
) -> None:
    """Claim and complete shards for some seconds, and make more when there are too few.

    Args:
        url: of the catalogue.
        job_id: the job.
        at_once: shards in a claim.
        seconds: how long.
        every: seconds after which completed shards are deleted.
        start: a barrier of all processes.
        answer: a queue for the number of shards, the seconds that they took, and the CPU seconds.
    """
    done = 0
    with store.open_catalogue(url) as cat:
        runner = claims.register(cat, 1)
        start.wait()
        begin = stored = time.perf_counter()
        cpu = time.process_time()
        mine: list[int] = []
        while (now := time.perf_counter()) - begin < seconds:
            with cat.begin() as session:
                shards = claims.claim(session, runner, job_id, at_once)
            mine += [shard.id for shard in shards]
            if len(shards) < at_once:
                with cat.begin() as session:
                    job = locked(session, job_id)
                    ends = range(job.next_seed, job.next_seed + WINDOW * DEALS, DEALS)
                    claims.add_shards(session, job_id, [range(k, k + DEALS) for k in ends])
                    job.next_seed = ends.stop
            if mine and now - stored >= every:
                done += _complete(cat, runner, job_id, mine)
                mine, stored = [], now
        done += _complete(cat, runner, job_id, mine)
        answer.put((done, time.perf_counter() - begin, time.process_time() - cpu))


def _complete(cat: store.Catalogue, runner: int, job_id: int, mine: list[int]) -> int:
    with cat.begin() as session:
        own = claims.complete(session, runner, mine)
        job = locked(session, job_id)
        job.done += DEALS * len(own)
        session.flush()
    return len(own)


def measure(
    url: str, processes: int, at_once: int, seconds: float, every: float
) -> tuple[float, float]:
    """Shards a second, and CPU milliseconds of a shard."""
    with store.open_catalogue(url) as cat:
        sample = Sample("thoughtful-1", 0, 10**12)
        job_id = submit(
            cat, "klondike-draw3", sample, [f"exact(nodes={processes * 100 + at_once})"]
        )
        with cat.begin() as session:
            change(session, locked(session, job_id), state="running")
        answer: Any = multiprocessing.Queue()
        start = multiprocessing.Barrier(processes)
        each = [
            multiprocessing.Process(
                target=work, args=(url, job_id, at_once, seconds, every, start, answer)
            )
            for _ in range(processes)
        ]
        for process in each:
            process.start()
        found = [answer.get() for _ in each]
        for process in each:
            process.join()
        with cat.session() as session:
            left = session.scalar(
                select(func.count()).select_from(ShardRow).where(ShardRow.job_id == job_id)
            )
            job = session.get_one(JobRow, job_id)
        done = sum(shards for shards, _, _ in found)
        assert job.done == DEALS * done, "a shard was completed twice"
        assert job.next_seed == DEALS * (done + (left or 0)), "shards were lost"
    seconds_taken = max(float(took) for _, took, _ in found)
    cpu = sum(float(spent) for _, _, spent in found)
    return done / seconds_taken, 1000 * cpu / max(done, 1)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--url", help="a database, by default a PostgreSQL server of its own")
    parser.add_argument("--processes", type=int, default=4)
    parser.add_argument("--at-once", type=int, nargs="*", default=[1, 6])
    parser.add_argument("--every", type=float, default=1.0)
    parser.add_argument("--seconds", type=float, default=10.0)
    arguments = parser.parse_args()
    with database(arguments.url) as url:
        for at_once in arguments.at_once:
            rate, cpu_ms = measure(
                url, arguments.processes, at_once, arguments.seconds, arguments.every
            )
            print(
                f"{arguments.processes} processes, {at_once} at once: {rate:,.0f} shards a second "
                f"claimed and completed, {cpu_ms:.2f} CPU ms each",
                flush=True,
            )


if __name__ == "__main__":
    multiprocessing.set_start_method("spawn")
    main()
