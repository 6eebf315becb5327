"""What two runners at once reach of the sum of what each reaches alone, on PostgreSQL.

    python benchmarks/runners.py --deals 10000 --rounds 3
    python benchmarks/runners.py --rounds 0 --stop-one

The cores of this machine are divided into two halves. A runner, the processes of its workers, and
everything that they start are bound to one of them. Each runner alone works on a job of `--deals`
deals; then both work on one job of twice as many. Alone, the server of PostgreSQL is bound to the
runner's half as well, so that it takes its share of the time of those cores and of no other; for
both, it has all cores. This program, which only waits, is bound like the server.

Before a job is timed, all runners have worked on a loading job and ended another one, so that their
workers are there and their kernels loaded. The time of a job is from the moment that the first
runner begins it to its end, by the clock of the database. The other one begins it up to a second
later, since idle runners look for jobs once a second; so jobs should take much longer. The ratio
is that of the deals a second of both to the sum of those of each alone: below 1 they disturb each
other.

With `--stop-one`, one of two runners gets SIGTERM when half of a job is done, and the other ends
the job. Then every deal of the job must have one outcome, no more and no less.

The machine should have nothing else to do.
"""

import argparse
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

import psutil
from sqlalchemy import func, select, text

from catalogue import store
from catalogue.blocks import KEEPS
from catalogue.jobs import queue
from catalogue.schema import BlockRow, DealRow, OutcomeRow
from catalogue.verify.running import verify
from engine.dealing.dealers import Sample
from measuring.databases import new_postgresql

DEALER = "thoughtful-1"
# A state that has not come after this many seconds never comes.
PATIENCE = 600.0
# Deals of a loading job, for each runner.
LOADING = 500


@dataclass
class Bench:
    """A catalogue on a new server, and which seeds come next.

    Attributes:
        cat: the catalogue.
        ruleset: that of all jobs.
        solver: that of all jobs.
        keep: what all jobs keep.
        workers: processes of each runner.
        seed: the first that no job has had yet.
    """

    cat: store.Catalogue
    ruleset: str
    solver: str
    keep: str
    workers: int
    seed: int = field(default=50_000_000)

    def submit(self, deals: int) -> int:
        """Queue a job on the next seeds, and return its number."""
        sample = Sample(DEALER, self.seed, deals)
        self.seed += deals
        return queue.submit(self.cat, self.ruleset, sample, [self.solver], keep=self.keep)

    def seconds(self, deals: int, halves: Sequence[Collection[int]]) -> float:
        """Wall seconds that a job takes, by a warm runner on each of some sets of cores."""
        self.bind({core for half in halves for core in half})
        with self.runners(halves):
            self.load(len(halves))
            job = self.wait(self.submit(deals), lambda job: not job.is_open)
        return seconds_of(job)

    def stop_one(self, deals: int, halves: Sequence[Collection[int]]) -> None:
        """Stop one of two runners half way, and check that nothing is lost and nothing doubled."""
        self.bind({core for half in halves for core in half})
        with self.runners(halves) as processes:
            self.load(len(halves))
            job_id = self.submit(deals)
            at = self.wait(job_id, lambda job: 2 * job.done >= deals)
            assert at.is_open, "the job had ended before a runner was stopped"
            processes[0].send_signal(signal.SIGTERM)
            code = processes[0].wait(PATIENCE)
            left = queue.get_job(self.cat, job_id)
            assert left.is_open, "the job had ended before the runner had"
            job = self.wait(job_id, lambda job: not job.is_open)
        deals_stored, rows, attempted = self.count(job.sample)
        print(
            f"one of two runners stopped at {at.done:,} of {deals:,} deals, exit code {code}; the "
            f"job is {job.state} with {job.done:,} done, {deals_stored:,} deals, {rows:,} rows of "
            f"outcomes and {attempted:,} outcomes in blocks"
        )
        stored = deals if self.keep == KEEPS[0] else 0
        assert (job.done, attempted, rows, deals_stored) == (deals, deals, stored, stored)
        report = verify(self.cat, share=0.01, resolve_share=0.0)
        assert not report.faults, report.faults
        print("nothing lost, nothing doubled; verify finds no fault")

    def count(self, sample: Sample) -> tuple[int, int, int]:
        """Deals and outcomes of a sample that have rows, and all outcomes in blocks but others'."""
        seeds = DealRow.seed.between(sample.first, sample.last)
        with self.cat.session() as session:
            deals = session.scalar(select(func.count()).select_from(DealRow).where(seeds))
            rows = session.scalar(
                select(func.count())
                .select_from(OutcomeRow)
                .join(DealRow, DealRow.id == OutcomeRow.deal_id)
                .where(seeds)
            )
            attempted = session.scalar(select(func.sum(BlockRow.attempted)))
        others = sum(job.done for job in queue.list_jobs(self.cat) if job.sample != sample)
        return int(deals or 0), int(rows or 0), int(attempted or 0) - others

    def load(self, runners: int) -> None:
        """Have runners work until all of them have, and then once more."""
        seen: set[str] = set()

        def over(job: queue.JobInfo) -> bool:
            seen.update(job.runners)
            return not job.is_open

        while len(seen) < runners:
            self.wait(self.submit(LOADING * runners), over)
        self.wait(self.submit(LOADING * runners), over)

    def wait(self, job_id: int, reached: Callable[[queue.JobInfo], bool]) -> queue.JobInfo:
        """The job, as soon as it has reached a state."""
        deadline = time.monotonic() + PATIENCE
        while not reached(job := queue.get_job(self.cat, job_id)):
            assert time.monotonic() < deadline, f"no end of {job}"
            time.sleep(0.05)
        assert job.state not in ("failed", "cancelled"), job.error
        return job

    def bind(self, cores: Collection[int]) -> None:
        """Bind the server and this program to some cores."""
        os.sched_setaffinity(0, cores)
        with self.cat.session() as session:
            backend = session.execute(text("SELECT pg_backend_pid()")).scalar_one()
            postmaster = psutil.Process(backend).parent()
            assert postmaster is not None
            for process in (postmaster, *postmaster.children()):
                process.cpu_affinity(list(cores))

    @contextmanager
    def runners(self, halves: Sequence[Collection[int]]) -> Iterator[list[subprocess.Popen[bytes]]]:
        """Runners as processes of their own, each on its cores; they end with the block."""
        url = self.cat.engine.url.render_as_string(hide_password=False)
        command = [
            sys.executable, "-m", "thoughtful", "runner",
            "--watch", "--workers", str(self.workers), "--database", url,
        ]  # fmt: skip
        mine = os.sched_getaffinity(0)
        processes = []
        try:
            for half in halves:
                os.sched_setaffinity(0, half)  # which the process inherits
                processes.append(subprocess.Popen(command, stdout=subprocess.DEVNULL))
            os.sched_setaffinity(0, mine)
            yield processes
        finally:
            for process in processes:
                process.terminate()
            for process in processes:
                process.wait(PATIENCE)


def seconds_of(job: queue.JobInfo) -> float:
    """Wall seconds from the beginning of a job to its end."""
    assert job.started_at is not None
    assert job.finished_at is not None
    return (job.finished_at - job.started_at).total_seconds()


def summary(values: Sequence[float], form: str) -> str:
    """The mean of some values and their range."""
    mean = sum(values) / len(values)
    return f"{mean:{form}} ({min(values):{form}} to {max(values):{form}})"


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--ruleset", default="klondike-draw1")
    parser.add_argument("--solver", default="exact")
    parser.add_argument("--deals", type=int, default=6_000, help="of a runner alone")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--workers", type=int, default=2, help="of each runner")
    parser.add_argument("--keep", choices=KEEPS, default=KEEPS[0])
    parser.add_argument("--stop-one", action="store_true", help="stop one runner half way, at last")
    asked = parser.parse_args(arguments)
    before = os.sched_getaffinity(0)
    cores = sorted(before)
    if len(cores) < 2:
        print("two runners need two cores", file=sys.stderr)
        return 2
    halves = cores[: len(cores) // 2], cores[len(cores) // 2 : len(cores) // 2 * 2]
    speeds: dict[str, list[float]] = {"A alone": [], "B alone": [], "both": []}
    ratios = []
    try:
        with new_postgresql() as url:
            store.init(url)
            with store.open_catalogue(url) as cat:
                bench = Bench(cat, asked.ruleset, asked.solver, asked.keep, asked.workers)
                for _ in range(asked.rounds):
                    deals = asked.deals
                    alone = [deals / bench.seconds(deals, [half]) for half in halves]
                    both = 2 * deals / bench.seconds(2 * deals, halves)
                    ratios.append(both / sum(alone))
                    for name, speed in zip(speeds, (*alone, both), strict=True):
                        speeds[name].append(speed)
                    print(
                        f"deals a second: A alone {alone[0]:,.0f}, B alone {alone[1]:,.0f}, both "
                        f"{both:,.0f}; ratio {ratios[-1]:.3f}",
                        flush=True,
                    )
                if ratios:
                    print(
                        f"{asked.ruleset}, {asked.solver}, {asked.keep}; {asked.rounds} rounds of "
                        f"{asked.deals:,} deals alone and {2 * asked.deals:,} by both; "
                        f"{asked.workers} workers each, on cores {halves[0]} and {halves[1]}"
                    )
                    for name, values in speeds.items():
                        print(f"{name:8} {summary(values, ',.0f')} deals a second")
                    print(f"ratio    {summary(ratios, '.3f')}")
                if asked.stop_one:
                    bench.stop_one(2 * asked.deals, halves)
    finally:
        os.sched_setaffinity(0, before)
    return 0


if __name__ == "__main__":
    sys.exit(main())
