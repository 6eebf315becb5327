"""How much memory and time it takes to build a dataset, and whether two builds are the same.

    python benchmarks/dataset.py --file million.db --rules klondike-draw3 --deals 1000000

The file is a catalogue, such as `benchmarks/pages.py` fills and keeps. `thoughtful dataset build`
runs in a process of its own: first on a tenth of the deals, then twice on all of them. It prints
the peak of the memory that was resident in each process, the time, the bytes, the checksum of the
file of checksums, whether all bytes of both builds are equal, and whether the counts are those of
`catalogue.reading.bounds`.
"""

import argparse
import filecmp
import os
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from catalogue.datasets.checking import SUMS, all_files, count, sum_of
from catalogue.reading.bounds import bounds_of
from catalogue.store import open_catalogue
from engine.dealing.dealers import Sample

DEALER = "thoughtful-1"


@dataclass(frozen=True)
class Run:
    """A build: peak of resident memory in MiB, seconds, CPU seconds, bytes."""

    peak: float
    seconds: float
    cpu: float
    bytes: int


def build(url: str, rules: str, deals: int, output: Path) -> Run:
    """Build a dataset in a process of its own."""
    arguments = ["dataset", "build", "benchmark", "--rules", rules, "--database", url]
    arguments += ["--sample", f"{DEALER}:0-{deals - 1}", "--output", str(output)]
    began = time.perf_counter()
    process = subprocess.Popen([sys.executable, "-m", "thoughtful", *arguments])
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        raise SystemExit(f"the build ended with status {status}")
    seconds = time.perf_counter() - began
    size = sum((output / name).stat().st_size for name in [*all_files(output), SUMS])
    return Run(usage.ru_maxrss / 1024, seconds, usage.ru_utime + usage.ru_stime, size)


def main() -> None:
    """Measure, and print a table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--file", required=True, help="catalogue, a SQLite file")
    parser.add_argument("--rules", default="klondike-draw3")
    parser.add_argument("--deals", type=int, default=1_000_000)
    options = parser.parse_args()
    url = f"sqlite:///{Path(options.file).absolute()}"
    with TemporaryDirectory() as folder:
        first, second = Path(folder, "first"), Path(folder, "second")
        plan = [
            (options.deals // 10, Path(folder, "tenth")),
            (options.deals, first),
            (options.deals, second),
        ]
        print("| deals | peak MiB | seconds | CPU seconds | bytes | SHA256SUMS |", flush=True)
        print("|--:|--:|--:|--:|--:|---|", flush=True)
        for deals, output in plan:
            run = build(url, options.rules, deals, output)
            print(
                f"| {deals:,} | {run.peak:.0f} | {run.seconds:.0f} | {run.cpu:.0f} | "
                f"{run.bytes:,} | {sum_of(output / SUMS)} |",
                flush=True,
            )
        names = [*all_files(first), SUMS]
        _, differ, wrong = filecmp.cmpfiles(first, second, names, shallow=False)
        same = not differ and not wrong and all_files(second) == names[:-1]
        print(f"byte for byte the same: {same}")
        (part,) = count(first)["samples"]
        with open_catalogue(url) as catalogue:
            bound = bounds_of(catalogue, options.rules, Sample(DEALER, 0, options.deals))
        answer = part["deals_attempted"], part["winnable"], part["unwinnable"]
        known = bound.n, bound.winnable, bound.unwinnable
        print(f"attempted, winnable, unwinnable: dataset {answer}, catalogue {known}")
        if not same or answer != known:
            raise SystemExit("the builds or the counts differ")


if __name__ == "__main__":
    main()
