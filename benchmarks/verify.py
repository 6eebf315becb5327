"""How fast `thoughtful verify` is: wins a second, of each check and of all of them together.

    python benchmarks/verify.py [--deals 20000] [--rules klondike-draw1] [--workers 2]

Solves the first deals of `thoughtful-1` with `exact` into a new SQLite file and verifies it: each
check alone with all rows (`--share 1`), and then all checks that take no solver together, by as
many processes. Prints wins a second by the clock, so the machine should have nothing else to do.
The exit code is 1 if a fault is found, which would be an error of ours.
"""

import argparse
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from sqlalchemy import func, select

from catalogue import store
from catalogue.outcomes.chunk import Chunk, SolverKey
from catalogue.outcomes.writing import write_chunk
from catalogue.schema import SolutionRow
from catalogue.verify.checks import CHECKS
from catalogue.verify.running import verify
from engine.dealing.dealers import get_dealer
from engine.games import game_of
from engine.rulesets import parse_ruleset
from measuring.figures import table
from solvers.solver import parse_solver

_CHUNK = 2_000
# These take solvers: their speed is that of the solvers.
_SOLVING = ("reruns", "blocks-again", "verdicts", "losing-moves")


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print a table; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--deals", type=int, default=20_000)
    parser.add_argument("--rules", default="klondike-draw1")
    parser.add_argument("--solver", default="exact")
    parser.add_argument("--workers", type=int, default=2)
    given = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as directory:
        url = f"sqlite:///{Path(directory) / 'wins.db'}"
        store.init(url)
        with store.open_catalogue(url) as cat:
            wins = fill(cat, given.rules, given.solver, given.deals)
            print(f"{wins:,} wins of {given.deals:,} deals under {given.rules}, {given.solver}")
            return measure(cat, wins, given.workers)


def fill(cat: store.Catalogue, ruleset: str, name: str, deals: int) -> int:
    """Solve deals and store them with everything; return the number of wins."""
    rules, solver = parse_ruleset(ruleset), parse_solver(name)
    dealer = get_dealer("thoughtful-1")
    for first in range(0, deals, _CHUNK):
        count = min(_CHUNK, deals - first)
        cards = dealer.deal_block(first, count, game_of(rules))
        column = (SolverKey.of(solver), tuple(solver.solve(cards, rules)))
        chunk = Chunk(rules, dealer.slug, tuple(range(first, first + count)), cards, (column,))
        with cat.begin() as session:
            write_chunk(session, chunk)
    with cat.session() as session:
        return session.scalar(select(func.count()).select_from(SolutionRow)) or 0


def measure(cat: store.Catalogue, wins: int, workers: int) -> int:
    """Verify, and print how long each check takes."""
    names = [check.name for check in CHECKS if check.name not in _SOLVING]
    verify(cat, only=names, resolve_share=0.0)  # what is compiled or loaded once is not measured
    rows, faults = [], 0
    for asked, processes in [*(([name], 0) for name in names), (names, 0), (names, workers)]:
        began = time.perf_counter()
        report = verify(cat, share=1.0, resolve_share=0.0, only=asked, workers=processes)
        seconds = time.perf_counter() - began
        faults += report.found
        what = asked[0] if len(asked) == 1 else "all of these"
        by = f"{processes} processes" if processes else "1 core"
        rows.append((what, by, f"{seconds:.2f}", f"{wins / seconds:,.0f}"))
    print(table(("check", "by", "seconds", "wins a second"), rows))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
