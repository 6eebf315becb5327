"""What `thoughtful solve` costs beyond the search: its start, each deal, and the gain of two.

    python benchmarks/pipe.py
    python benchmarks/pipe.py --deals 2000 --rounds 2
    python benchmarks/pipe.py --first 0 --only-two
    python benchmarks/pipe.py --package /path/to/another/checkout/.venv/bin/thoughtful
    python benchmarks/pipe.py --beside /path/to/another/checkout/.venv/bin/thoughtful --rounds 3

Prints of whole processes, with everything compiled:

- the start: CPU and wall-clock seconds of solving one deal, the median of many runs and the least
  and most of them, and the interval of the median at 95 %;
- the overhead of a deal: the CPU milliseconds of solving many deals in one process, less the start
  and less the times that the solver reports, divided by the deals, under draw 3 and draw 1, for
  deals by name, as JSON and as text (where the times of the run before are taken, since a text
  has them to a tenth of a millisecond), and for files of deals and of names;
- the gain of two workers: the deals a second of ``--workers 2`` over those of one, by the clock,
  run by turns (one two, two one, …); the same ratio if both had been running all the time, by CPU
  time, which other load hardly distorts; and the first ratio if the solver had reported the same
  CPU time in both runs. Many machines slow one core down while the other works. What it reports
  more is taken for time of both processes alike, so other load distorts this one as well, and a
  slowdown by our own other process counts as one by the machine.

With ``--beside`` it prints instead the start and the overhead of two commands in turns, and the
ratio of the other's overhead to ours, of runs that follow each other: machines differ from one
minute to the next.

Exit code 1 if one worker and two do not print the same, but for times. Python's own compiled
modules are kept between the runs, as an installation has them.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

from catalogue.interrupts import ended_by_signals
from engine.errors import BadInput
from measuring.figures import from_to, runs_interval, table

RULESETS = ("klondike-draw3", "klondike-draw1")
DEALER = "thoughtful-1"
WANTED_START, WANTED_OVERHEAD, WANTED_GAIN = 1.0, 0.15, 1.9


class Run(NamedTuple):
    """A process that has ended: seconds of the clock and of CPU, its children's included."""

    seconds: float
    cpu: float
    output: str

    @property
    def of_solver(self) -> float:
        """CPU seconds that the solver reports, of all deals."""
        return float(sum(line["cpu_ms"] for line in self.lines)) / 1000

    @property
    def lines(self) -> list[dict[str, Any]]:
        """The lines of JSON."""
        return [json.loads(line) for line in self.output.splitlines()]

    @property
    def untimed(self) -> list[dict[str, Any]]:
        """The lines of JSON without times."""
        return [{key: line[key] for key in line if key != "cpu_ms"} for line in self.lines]


class Command:
    """The command `thoughtful` of an installation."""

    def __init__(self, package: str) -> None:
        self._package = package

    def run(self, *arguments: str) -> Run:
        """Run it to its end.

        Raises:
            BadInput: it fails.
        """
        environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": ""}
        # A file takes output faster than this process would read it from a pipe.
        with tempfile.TemporaryFile("w+") as output:
            since = time.perf_counter()
            try:
                process = subprocess.Popen(
                    [self._package, *arguments],
                    env=environment,
                    stdout=output,
                    stderr=subprocess.DEVNULL,
                )
            except OSError as error:
                raise BadInput(f"cannot run {self._package}: {error.strerror}") from None
            _, status, used = os.wait4(process.pid, 0)
            seconds = time.perf_counter() - since
            process.returncode = os.waitstatus_to_exitcode(status)
            if process.returncode != 0:
                answer = " ".join([self._package, *arguments])
                raise BadInput(f"{answer} ended with exit code {process.returncode}")
            output.seek(0)
            return Run(seconds, used.ru_utime + used.ru_stime, output.read())

    def solve(self, rules: str, *deals: str, solver: str, workers: int = 1) -> Run:
        """Solve deals."""
        chosen = ("--rules", rules, "--solver", solver, "--workers", str(workers))
        return self.run("solve", *deals, *chosen)


def main(argv: Sequence[str] | None = None) -> int:
    """Measure and print; return the exit code."""
    assert __doc__ is not None
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--deals", type=int, default=18_000, help="of the runs of many deals")
    parser.add_argument("--first", type=int, default=500_000, help=f"their first seed of {DEALER}")
    parser.add_argument("--solver", default="exact", help="the solver")
    parser.add_argument("--times", type=int, default=15, help="runs of one deal")
    parser.add_argument("--rounds", type=int, default=4, help="runs to be compared")
    parser.add_argument("--only-two", action="store_true", help="print the gain of two alone")
    parser.add_argument(
        "--package",
        default=str(Path(sys.executable).with_name("thoughtful")),
        help="the command to run, for comparisons with another checkout",
    )
    parser.add_argument("--beside", metavar="COMMAND", help="another command, to be compared with")
    arguments = parser.parse_args(argv)
    command = Command(arguments.package)
    other = None if arguments.beside is None else Command(arguments.beside)
    try:
        if min(arguments.deals, arguments.times, arguments.rounds) < 1:
            raise BadInput("--deals, --times and --rounds are 1 or more")
        if other is not None and arguments.only_two:
            raise BadInput("--beside compares no two workers: leave --only-two out")
        if arguments.first < 0:
            raise BadInput("--first is a seed: 0 or more")
        # Compiles whatever is missing, and the kernel that deals many.
        for each in filter(None, (command, other)):
            for rules in RULESETS:
                each.solve(rules, f"{DEALER}:0-499", solver=arguments.solver)
        seeds = range(arguments.first, arguments.first + arguments.deals)
        if other is not None:
            _beside(command, other, arguments.solver, seeds, arguments.rounds)
            return 0
        if not arguments.only_two:
            start = _start(command, arguments.solver, arguments.times)
            _overhead(command, arguments.solver, seeds, start)
        return _two(command, arguments.solver, seeds, arguments.rounds)
    except BadInput as error:
        print(error, file=sys.stderr)
        return 2


def _sample(seeds: range) -> str:
    return f"{DEALER}:{seeds[0]}-{seeds[-1]}"


def _load() -> str:
    return f"load {os.getloadavg()[0]:.1f}"


def _start(command: Command, solver: str, times: int) -> float:
    """Print the start, and return its CPU seconds."""
    print(f"start: one deal, {times} runs, {_load()}")
    runs = [command.solve(RULESETS[0], f"{DEALER}:42", solver=solver) for _ in range(times)]
    rows = []
    for name, values in (("CPU s", [r.cpu for r in runs]), ("wall s", [r.seconds for r in runs])):
        rows.append((name, *(f"{value:.3f}" for value in _median(values))))
    print(table(("", "median", "least", "most", "95 % from", "to"), rows))
    print(f"wanted: less than {WANTED_START:.0f} s\n", flush=True)
    return _median([run.cpu for run in runs])[0]


def _median(values: Sequence[float]) -> tuple[float, float, float, float, float]:
    """The median, the least and the most value, and the interval of the median at 95 %."""
    from scipy.stats import quantile_test

    interval = quantile_test(values, p=0.5).confidence_interval(0.95)
    ordered = sorted(values)
    # Of few values the interval is open.
    low = max(ordered[0], interval.low) if interval.low == interval.low else ordered[0]
    high = min(ordered[-1], interval.high) if interval.high == interval.high else ordered[-1]
    middle = len(ordered) // 2
    median = (ordered[middle] + ordered[~middle]) / 2
    return median, ordered[0], ordered[-1], low, high


def _overhead(command: Command, solver: str, seeds: range, start: float) -> None:
    """Print the overhead of a deal."""
    print(f"overhead: {len(seeds):,} deals, CPU of one process, {_load()}")
    rows = []
    with _forms(command, seeds) as forms:
        for rules in RULESETS:
            for form, given in forms.items():
                run = command.solve(rules, *given, solver=solver)
                if run.output.startswith("{"):
                    of_solver = run.of_solver
                rest = 1000 * (run.cpu - of_solver - start) / len(seeds)
                row = (f"{run.cpu:.2f}", f"{of_solver:.2f}", f"{rest:.3f}")
                rows.append((f"{rules}, {form}", *row))
    print(table(("", "CPU s", "of the solver", "overhead, ms a deal"), rows))
    print(f"wanted: less than {WANTED_OVERHEAD} ms\n", flush=True)


@contextmanager
def _forms(command: Command, seeds: range) -> Iterator[dict[str, tuple[str, ...]]]:
    """The forms in which deals are given, each with its arguments."""
    named = _sample(seeds)
    with tempfile.TemporaryDirectory() as folder:
        cards, names = Path(folder) / "deals.jsonl", Path(folder) / "names"
        cards.write_text(command.run("deal", named, "--json").output)
        names.write_text("".join(f"{DEALER}:{seed}\n" for seed in seeds))
        yield {
            "by name, JSON": (named, "--json"),
            "by name, text": (named,),
            "file of cards": ("--input", str(cards)),
            "file of names": ("--input", str(names)),
        }


def _beside(command: Command, other: Command, solver: str, seeds: range, rounds: int) -> None:
    """Print start and overhead of two commands."""
    print(f"{_sample(seeds)}, CPU of one process, rounds: {rounds}, {_load()}")
    starts: dict[Command, list[float]] = {command: [], other: []}
    rows = []
    with _forms(command, seeds) as forms:
        del forms["by name, text"]  # it has no exact times of the solver
        for rules, (form, given) in product(RULESETS, forms.items()):
            rests: dict[Command, list[float]] = {command: [], other: []}
            for turn in range(rounds):
                for each in (command, other) if turn % 2 == 0 else (other, command):
                    start = each.solve(RULESETS[0], f"{DEALER}:42", solver=solver).cpu
                    run = each.solve(rules, *given, solver=solver)
                    starts[each].append(start)
                    rests[each].append(1000 * (run.cpu - run.of_solver - start) / len(seeds))
            pairs = list(zip(rests[other], rests[command], strict=True))
            ratio, interval = "", None
            if min(min(pair) for pair in pairs) > 0:
                mean, interval = runs_interval([theirs / own for theirs, own in pairs])
                ratio = f"{mean:.2f}"
            theirs, own = (f"{_median(rests[each])[0]:.3f}" for each in (other, command))
            rows.append((f"{rules}, {form}", theirs, own, ratio, from_to(interval, 2)))
    theirs, own = (f"{_median(starts[each])[0]:.3f}" for each in (other, command))
    print(f"start, CPU s, the median: {theirs} of the other, {own} of ours")
    print(table(("overhead, ms a deal", "the other", "ours", "ratio", "(99 %)"), rows))


def _two(command: Command, solver: str, seeds: range, rounds: int) -> int:
    """Print the gain of two workers; exit code 1 if they print something else than one."""
    code = 0
    rows = []
    before = _load()
    for rules in RULESETS:
        runs: dict[int, list[Run]] = {1: [], 2: []}
        for turn in range(rounds):
            for workers in (1, 2) if turn % 2 == 0 else (2, 1):
                run = command.solve(rules, _sample(seeds), "--json", solver=solver, workers=workers)
                runs[workers].append(run)
        outputs = [run.untimed for some in runs.values() for run in some]
        if any(output != outputs[0] for output in outputs):
            print(f"{rules}: one worker and two do not print the same")
            code = 1
        pairs = list(zip(runs[1], runs[2], strict=True))
        gain, interval = runs_interval([one.seconds / two.seconds for one, two in pairs])
        by_cpu, _ = runs_interval([2 * one.cpu / two.cpu for one, two in pairs])
        alike, _ = runs_interval([_gain_if_alike(one, two) for one, two in pairs])
        means = [sum(each) / rounds for each in zip(*map(_seconds, pairs), strict=True)]
        rows.append(
            (rules, *(f"{mean:.2f}" for mean in means), f"{gain:.2f}", from_to(interval, 2),
             f"{by_cpu:.2f}", f"{alike:.2f}")
        )  # fmt: skip
    print(f"two workers: {_sample(seeds)}, rounds: {rounds}, {before}, after it {_load()}")
    walls, cpus = ("wall s: one", "two"), ("CPU s: one", "two")
    head = ("", *walls, *cpus, "gain", "(99 %)", "by CPU time", "cores alike")
    print(table(head, rows))
    print(f"wanted: a gain of {WANTED_GAIN} or more")
    return code


def _gain_if_alike(one: Run, two: Run) -> float:
    """The gain by the clock if the solver reported the same time in two processes as in one."""
    return one.seconds / (two.seconds - (two.of_solver - one.of_solver) / 2)


def _seconds(pair: tuple[Run, Run]) -> tuple[float, float, float, float]:
    one, two = pair
    return one.seconds, two.seconds, one.cpu, two.cpu


if __name__ == "__main__":
    with ended_by_signals():
        sys.exit(main())
