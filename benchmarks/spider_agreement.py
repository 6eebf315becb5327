"""Comparison of `spider-exact`, `spider-plain` and a naive search on late positions of Spider.

    python benchmarks/spider_agreement.py [--positions 20000] [--seed agreement]

Positions at random with few runs left or few moves (`tests/spider_positions.py`), under each
ruleset of Spider in turn, until so many are decided by the naive search: that of
`benchmarks/spider_proof.py`, which visits everything that can be reached, dead ends too, and shares
no code with the solvers. `spider-exact` must decide each of them the same, its wins are replayed,
and `spider-plain` must not say otherwise. Prints counts, and the upper end of the 99 %
interval of the share that differs; the exit code is 1 if any does.
"""

import argparse
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from random import Random

import spider_proof
from catalogue.statistics import clopper_pearson
from engine.replay import replay
from engine.spider.moves import unpack_solution
from engine.spider.rules import PRESETS
from solvers.outcome import Result
from solvers.solver import parse_solver

# The positions are those of the tests.
sys.path.append(str(Path(__file__).resolve().parents[1] / "tests"))
from spider_positions import late_position

# Positions that the naive search visits, and MiB of its memory.
_MOST, _MIB = 5_000, 16
_VERDICTS = {spider_proof.Ending.WON: Result.WON, spider_proof.Ending.UNWINNABLE: Result.UNWINNABLE}


def main(arguments: Sequence[str] | None = None) -> int:
    """Compare, print, and return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--positions", type=int, default=20_000)
    parser.add_argument("--seed", default="agreement")
    asked = parser.parse_args(arguments)
    if asked.positions < 1:
        parser.error("at least one position is needed")
    exact = parse_solver("spider-exact(nodes=1000000,memory_mib=64)")
    plain = parse_solver("spider-plain(nodes=200)")
    chooser, rulesets = Random(asked.seed), list(PRESETS.values())
    met, differing, drawn, decided = Counter[str](), 0, 0, 0
    while decided < asked.positions:
        position = late_position(rulesets[drawn % len(rulesets)], chooser)
        drawn += 1
        naive = spider_proof.search(position, _MIB, beyond=True, most=_MOST)
        verdict = _VERDICTS.get(naive.ending)
        if verdict is None:
            continue
        decided += 1
        rows = "rows to come" if position.stock else "no row to come"
        met[f"{position.rules.slug}, {rows}: {verdict.value}"] += 1
        found, checked = exact.solve_position(position), plain.solve_position(position)
        if found.moves is not None:
            assert replay(position, unpack_solution(found.moves)).is_won
        met["spider-plain decides, too"] += checked.result is not Result.GAVE_UP
        if found.result is not verdict or checked.result not in (verdict, Result.GAVE_UP):
            differing += 1
            print(position.to_json(), naive.ending, found.result.value, checked.result.value)
    for name, count in sorted(met.items()):
        print(f"{name} {count:,}")
    limit = clopper_pearson(differing, decided).high
    print(
        f"{drawn:,} positions, {decided:,} decided, {differing} differ (below {100 * limit:.3f} %)"
    )
    return differing > 0


if __name__ == "__main__":
    sys.exit(main())
