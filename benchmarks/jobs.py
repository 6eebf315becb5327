"""What a job reaches of the speed of its bare solver, with everything that a job does.

    python benchmarks/jobs.py --rulesets klondike-draw1 klondike-draw3 --deals 20000 --workers 2

The bare solver runs in as many processes as the job has workers, on deals that have been dealt, and
nothing is replayed, packed or stored. The job deals, solves, has a referee judge every win, writes
rows, blocks and indexes, and records bounds. Processes are started and kernels loaded before either
is timed. The two take turns on the same deals, and the ratio is that of their throughputs: below 1
the job is slower. Beside it stands the ratio of the CPU seconds of all their processes, which
changes less with what else the machine does, but knows nothing of processes that wait.
"""

import argparse
import contextlib
import multiprocessing
import threading
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import numpy as np
import psutil
from numpy.typing import NDArray

from catalogue import store
from catalogue.blocks import KEEPS
from catalogue.jobs import queue
from catalogue.jobs.runner import run
from engine.dealing.dealers import Sample, get_dealer
from engine.rulesets import parse_ruleset
from measuring.databases import new_postgresql
from solvers.solver import parse_solver

DEALER = "thoughtful-1"
CHUNK = 250


def solve(cards: NDArray[np.uint8], ruleset: str, solver: str) -> int:
    """Solve deals, and return their number."""
    rules = parse_ruleset(ruleset)
    return sum(1 for _ in parse_solver(solver).solve(cards, rules))


def warm(ruleset: str, solver: str) -> None:
    """Load the kernels in a process, and keep it busy so that each gets its turn."""
    parse_solver(solver).warm_up(parse_ruleset(ruleset))
    time.sleep(0.5)


class Seconds(NamedTuple):
    """Time by the clock, and CPU time of all processes."""

    wall: float
    cpu: float


def cpu_seconds() -> float:
    """CPU time of this process and of those that it has started and that live."""
    mine = psutil.Process()
    spent = 0.0
    for process in (mine, *mine.children(recursive=True)):
        with contextlib.suppress(psutil.NoSuchProcess):
            times = process.cpu_times()
            spent += times.user + times.system
    return spent


def bare_seconds(pool: ProcessPoolExecutor, ruleset: str, solver: str, sample: Sample) -> Seconds:
    """What the processes of a pool take for a sample."""
    cards = get_dealer(DEALER).deal_block(sample.first, sample.count)
    parts = [cards[at : at + CHUNK] for at in range(0, sample.count, CHUNK)]
    cpu, since = cpu_seconds(), time.perf_counter()
    done = sum(pool.map(solve, parts, [ruleset] * len(parts), [solver] * len(parts)))
    assert done == sample.count
    return Seconds(time.perf_counter() - since, cpu_seconds() - cpu)


def job_seconds(
    url: str, ruleset: str, solver: str, sample: Sample, workers: int, keep: str
) -> Seconds:
    """What a job on a sample takes, from its claim to its end, with warm workers."""
    with store.open_catalogue(url) as cat:
        # A job before it, so that the workers are there and their kernels loaded.
        loading = Sample(DEALER, 10**12 + sample.first, 16 * workers)
        first = queue.submit(cat, ruleset, loading, [solver], keep=keep)
        timed: list[int] = []
        cpu: list[float] = []
        over = threading.Event()

        def follow(job: queue.JobInfo) -> None:
            if job.id == first and not job.is_open:
                cpu.append(cpu_seconds())
                timed.append(queue.submit(cat, ruleset, sample, [solver], keep=keep))
            elif job.id in timed and not job.is_open:
                cpu.append(cpu_seconds())
                over.set()

        run(cat, workers=workers, watch=True, on_progress=follow, stop=over)
        job = queue.get_job(cat, timed[0])
        assert job.state == "done", (job.state, job.error)
        assert job.started_at is not None
        assert job.finished_at is not None
        return Seconds((job.finished_at - job.started_at).total_seconds(), cpu[1] - cpu[0])


def fresh_job_seconds(ruleset: str, sample: Sample, asked: argparse.Namespace) -> Seconds:
    """`job_seconds` on a new database."""
    with contextlib.ExitStack() as stack:
        if asked.database == "postgresql":
            url = stack.enter_context(new_postgresql())
        else:
            url = f"sqlite:///{Path(stack.enter_context(TemporaryDirectory())) / 'jobs.db'}"
        store.init(url)
        return job_seconds(url, ruleset, asked.solver, sample, asked.workers, asked.keep)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rulesets", nargs="+", default=["klondike-draw1", "klondike-draw3"])
    parser.add_argument("--solver", default="exact")
    parser.add_argument("--deals", type=int, default=20_000)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--keep", choices=KEEPS, default=KEEPS[0])
    parser.add_argument("--database", choices=("sqlite", "postgresql"), default="sqlite")
    asked = parser.parse_args()
    context = multiprocessing.get_context("spawn")
    for ruleset in asked.rulesets:
        ratios, shares = [], []
        with ProcessPoolExecutor(asked.workers, mp_context=context) as pool:
            list(pool.map(warm, [ruleset] * asked.workers, [asked.solver] * asked.workers))
            for number in range(asked.rounds):
                sample = Sample(DEALER, 40_000_000 + number * asked.deals, asked.deals)
                # Every other round the job goes first: the machine's speed drifts.
                if number % 2 == 0:
                    bare = bare_seconds(pool, ruleset, asked.solver, sample)
                job = fresh_job_seconds(ruleset, sample, asked)
                if number % 2 == 1:
                    bare = bare_seconds(pool, ruleset, asked.solver, sample)
                ratios.append(bare.wall / job.wall)
                shares.append(bare.cpu / job.cpu)
                print(
                    f"{ruleset} {asked.database} {asked.keep}: bare {asked.deals / bare.wall:,.0f} "
                    f"deals a second, job {asked.deals / job.wall:,.0f}, ratio {ratios[-1]:.3f}; "
                    f"CPU {bare.cpu:.1f} s and {job.cpu:.1f} s, ratio {shares[-1]:.3f}",
                    flush=True,
                )
        print(
            f"{ruleset}: ratio {np.mean(ratios):.3f}, {min(ratios):.3f} to {max(ratios):.3f}; of "
            f"CPU seconds {np.mean(shares):.3f}, {min(shares):.3f} to {max(shares):.3f}; in "
            f"{asked.rounds} rounds of {asked.deals:,} deals, {asked.workers} workers"
        )


if __name__ == "__main__":
    main()
