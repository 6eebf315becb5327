"""Seconds to the first verdict on a machine that has compiled nothing.

    python benchmarks/first_verdict.py
    python benchmarks/first_verdict.py --deals pysolfc:12 thoughtful-1:42 --times 5
    python benchmarks/first_verdict.py --package /path/to/another/checkout/.venv/bin/thoughtful

For each deal runs `thoughtful solve` with an empty kernel cache, and ends what it has left behind
to go on compiling. Prints the seconds by the clock until the verdict is printed and until the
command ends, the CPU seconds of the command alone and of all its processes until it ended, and
whether the verdict is that of the compiled search or of the interpreter. Then the same for each
deal with everything compiled. The load of the machine before each run is printed beside, since
compiling takes all processors. Python's own compiled modules are kept between the runs, as an
installation has them.
"""

import argparse
import os
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from measuring.figures import table

# Two short searches, one of 35,000 nodes, and one of a million.
DEALS = ("pysolfc:12", "thoughtful-1:42", "thoughtful-1:5", "thoughtful-1:82")
_TICKS = os.sysconf("SC_CLK_TCK")


class _Run(NamedTuple):
    """What a command printed of a deal, and what that took, in seconds."""

    verdict: str
    is_interpreted: bool
    to_verdict: float
    to_end: float
    cpu_of_command: float
    cpu_of_all: float


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
    print(f"{len(os.sched_getaffinity(0))} processors", flush=True)
    rows = []

    def measure(deal: str, cache: str, state: str) -> None:
        load = os.getloadavg()[0]
        run = _timed([arguments.package, "solve", deal, "--rules", arguments.rules], cache)
        way = "interpreted" if run.is_interpreted else "compiled"
        rows.append([deal, run.verdict, state, way, *(f"{n:.1f}" for n in run[2:]), f"{load:.1f}"])
        print(" ".join(rows[-1]), file=sys.stderr, flush=True)

    for deal in arguments.deals:
        for _ in range(arguments.times):
            with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as cache:
                measure(deal, cache, "nothing compiled")
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as cache:
        # By a process that does not leave it to others.
        _warm_up(Path(arguments.package).with_name("python"), arguments.rules, cache)
        for deal in arguments.deals:
            for _ in range(arguments.times):
                measure(deal, cache, "all compiled")
    heading = ["deal", "verdict", "", "search", "s to verdict", "s to end"]
    print(table([*heading, "CPU s of command", "CPU s of all", "load"], rows))
    return 0


def _environment(cache: str) -> dict[str, str]:
    return {
        **os.environ,
        "NUMBA_CACHE_DIR": cache,
        "PYTHONUNBUFFERED": "1",
        "PYTHONDONTWRITEBYTECODE": "",
    }


def _warm_up(python: Path, rules: str, cache: str) -> None:
    program = (
        "import thoughtful_command\n"
        "from engine.rulesets import parse_ruleset\n"
        "from engine import games, proof\n"
        "from solvers.choice import default_solver\n"
        f"rules = parse_ruleset({rules!r})\n"
        "default_solver(rules).warm_up(rules)\n"
        "proof.warm_up(games.game_of(rules), rules)\n"
    )
    subprocess.run([python, "-c", program], env=_environment(cache), check=True)


def _timed(command: list[str], cache: str) -> _Run:
    """Run a command on one deal, and end all that it started."""
    since = time.perf_counter()
    process = subprocess.Popen(
        command,
        env=_environment(cache),
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        start_new_session=True,
    )
    assert process.stdout is not None
    line = process.stdout.readline()
    verdict = time.perf_counter() - since
    process.stdout.read()
    # It has ended, but is not waited for, so that it can still be counted with the others.
    os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
    end = time.perf_counter() - since
    cpu = _cpu_seconds(process.pid)
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    if process.wait() != 0:
        raise SystemExit(f"{' '.join(command)} ended with {process.returncode}")
    said, _, cost = line.partition(": ")[2].partition(" by ")
    own = cpu.pop(process.pid)
    timed = cost.rstrip().endswith(" ms)")
    return _Run(said.strip(), not timed, verdict, end, own, own + sum(cpu.values()))


def _cpu_seconds(session: int) -> dict[int, float]:
    """CPU seconds of each process of a session, children waited for included."""
    found = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            fields = path.read_text().rpartition(")")[2].split()
            if int(fields[3]) == session:
                found[int(path.parent.name)] = sum(map(int, fields[11:15])) / _TICKS
    return found


if __name__ == "__main__":
    sys.exit(main())
