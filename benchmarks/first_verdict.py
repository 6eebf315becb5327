"""Seconds to the first verdict on a machine that has compiled nothing.

    python benchmarks/first_verdict.py
    python benchmarks/first_verdict.py --deals pysolfc:12 thoughtful-1:42 --times 5
    python benchmarks/first_verdict.py --package /path/to/another/checkout/.venv/bin/thoughtful

For each deal runs `thoughtful solve` with an empty kernel cache, and once more with what the first
run has left there. Prints the seconds by the clock until the verdict is printed and until the
command ends, the CPU seconds of the command and of the processes that it waited for, and the same
for the second run. The load of the machine is printed beside, since compiling takes all processors.
"""

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from measuring.figures import table

DEALS = ("pysolfc:12", "thoughtful-1:42", "thoughtful-1:5")


def main() -> int:
    """Measure and print; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--deals", nargs="+", default=list(DEALS))
    parser.add_argument("--rules", default="klondike-draw3")
    parser.add_argument("--times", type=int, default=3, help="runs of each deal")
    parser.add_argument(
        "--package",
        default=str(Path(sys.executable).with_name("thoughtful")),
        help="the command to run, for comparisons with another checkout",
    )
    arguments = parser.parse_args()
    processors = len(os.sched_getaffinity(0))
    print(f"{processors} processors, load {os.getloadavg()[0]:.1f}")
    rows = []
    for deal in arguments.deals:
        for _ in range(arguments.times):
            with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as cache:
                command = [arguments.package, "solve", deal, "--rules", arguments.rules]
                for run in ("nothing compiled", "again"):
                    verdict, end, cpu, answer = _timed(command, cache)
                    seconds = [f"{number:.1f}" for number in (verdict, end, cpu)]
                    rows.append([deal, answer, run, *seconds, f"{os.getloadavg()[0]:.1f}"])
    heading = ["deal", "verdict", "", "s to verdict", "s to end", "CPU s", "load"]
    print(table(heading, rows))
    return 0


def _timed(command: list[str], cache: str) -> tuple[float, float, float, str]:
    """Seconds until the first line of output and until the end, CPU seconds, the verdict."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    since = time.perf_counter()
    process = subprocess.Popen(
        command,
        env={**os.environ, "NUMBA_CACHE_DIR": cache, "PYTHONUNBUFFERED": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert process.stdout is not None
    line = process.stdout.readline()
    verdict = time.perf_counter() - since
    process.stdout.read()
    code = process.wait()
    end = time.perf_counter() - since
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if code != 0:
        raise SystemExit(f"{' '.join(command)} ended with {code}")
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return verdict, end, cpu, line.partition(": ")[2].split(" by ")[0].strip()


if __name__ == "__main__":
    sys.exit(main())
