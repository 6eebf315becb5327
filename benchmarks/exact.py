"""Benchmark of `exact`: speed, share of deals decided, and agreement with known verdicts.

    python benchmarks/exact.py [--rules klondike-draw3] [--sample thoughtful-1:0-1999]
    python benchmarks/exact.py --rules klondike-draw1 --file tests/data/klondike-draw1.jsonl.gz
    python benchmarks/exact.py --solver 'exact-plain(nodes=100000)' --sample thoughtful-1:0-199

Prints the share decided with its Clopper–Pearson interval at 99 %; CPU milliseconds per deal (mean
with its bootstrapped interval at 99 %, median, 90th and 99th percentile, maximum, and the share of
the total time taken by the slowest hundredth of the deals), nodes and nodes per second, for all
deals and separately for winnable, unwinnable and undecided ones; and memory. CPU time is of the
searching thread, unfolding of solutions included. The referee replays every win, which is not
timed.

A file has JSON lines as `thoughtful solve --input` takes them, gzipped or not. Where a line has a
``verdict`` (``winnable`` or ``unwinnable``), decided deals are compared with it; exit code 1 if one
differs. Where it has ``reference_nodes``, the nodes that another solver needed, ours are compared
with them. `--solver` takes any solver of the registry. Other benchmarks, one at a time:

    python benchmarks/exact.py --alone                    # verdicts without solutions
    python benchmarks/exact.py --two                      # one worker, and two
    python benchmarks/exact.py --start-up                 # seconds until the first verdict
    python benchmarks/exact.py --ablate --nodes 1000000   # what each rule of the search is worth
    python benchmarks/exact.py --ablate --verdicts klondike-draw3=tests/data/klondike-draw3.jsonl.gz
    python benchmarks/exact.py --against ../before        # another checkout (git worktree)

The others are described in `measuring/two.py`, `start_up.py`, `ablation.py` and `against.py`.
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from catalogue.interrupts import ended_by_signals
from engine.errors import BadInput
from measuring.ablation import ablate, check_verdicts
from measuring.against import against
from measuring.deals import Deals, of_file, of_sample
from measuring.keeping import check_target, keep
from measuring.process import WorkerEnded
from measuring.report import Question, report
from measuring.start_up import start_up
from measuring.two import two

SAMPLE = "thoughtful-1:0-1999"
# For benchmarks that solve their deals many times.
SMALL_SAMPLE = "thoughtful-1:0-199"


def main(argv: Sequence[str] | None = None) -> int:
    """Run the benchmark selected by the arguments and return the exit code."""
    given = list(sys.argv[1:] if argv is None else argv)
    arguments = _parser().parse_args(given)
    try:
        if arguments.json:
            check_target(arguments.json)
        code, figures = _answer(arguments)
        if arguments.json:
            keep(arguments.json, given, figures)
        return code
    except BadInput as error:
        print(error, file=sys.stderr)
        return 2
    except WorkerEnded as error:
        print(error, file=sys.stderr)
        return 3
    except KeyboardInterrupt:
        return 130


def _parser() -> argparse.ArgumentParser:
    assert __doc__ is not None
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rules", default="klondike-draw3", help="the ruleset")
    parser.add_argument("--solver", default="exact", help="any solver, such as 'exact(nodes=1000)'")
    parser.add_argument("--nodes", type=int, help="node budget per deal, instead of the solver's")
    where = parser.add_mutually_exclusive_group()
    where.add_argument("--sample", help=f"default {SAMPLE}, or {SMALL_SAMPLE} if solved repeatedly")
    where.add_argument("--file", type=Path, help="deals as JSON lines, gzipped or not")
    asked = parser.add_mutually_exclusive_group()
    asked.add_argument("--two", action="store_true", help="compare one worker with two")
    asked.add_argument(
        "--start-up", action="store_true", help="measure seconds until the first verdict"
    )
    asked.add_argument(
        "--ablate", action="store_true", help="switch off each rule of the search in turn"
    )
    asked.add_argument("--alone", action="store_true", help="ask for verdicts without solutions")
    asked.add_argument("--against", type=Path, metavar="DIR", help="compare with another checkout")
    parser.add_argument(
        "--verdicts",
        nargs="+",
        metavar="[RULESET=]FILE",
        help="with --ablate: compare all verdicts of these files instead of timing",
    )
    parser.add_argument(
        "--rounds", type=int, help="number of rounds: --two (6), --start-up (5), --against (2)"
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures to this file")
    return parser


def _answer(arguments: argparse.Namespace) -> tuple[int, dict[str, Any]]:
    question = Question(arguments.rules, arguments.solver, arguments.nodes, arguments.alone)
    if arguments.rounds is not None and arguments.rounds < 1:
        raise BadInput(f"--rounds {arguments.rounds} is too few: expected 1 or more")
    if arguments.verdicts:
        if not arguments.ablate:
            raise BadInput("--verdicts needs --ablate; for the unmodified solver, use --file")
        if arguments.sample or arguments.file:
            raise BadInput("--verdicts names its own files: leave --sample and --file out")
        return check_verdicts(question, arguments.verdicts)
    if arguments.two:
        return two(question, _deals(arguments, SMALL_SAMPLE), arguments.rounds or 6)
    if arguments.start_up:
        return start_up(question, _deals(arguments, SMALL_SAMPLE), arguments.rounds or 5)
    if arguments.ablate:
        return ablate(question, _deals(arguments, SMALL_SAMPLE))
    if arguments.against:
        deals = _deals(arguments, SMALL_SAMPLE)
        return against(question, deals, arguments.against, arguments.rounds or 2)
    return report(question, _deals(arguments, SAMPLE))


def _deals(arguments: argparse.Namespace, sample: str) -> Deals:
    return of_file(arguments.file) if arguments.file else of_sample(arguments.sample or sample)


if __name__ == "__main__":
    with ended_by_signals():
        sys.exit(main())
