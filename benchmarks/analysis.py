"""How soon every move of a position has its verdict, and whether each agrees with `exact`.

    python benchmarks/analysis.py --positions 2000

Positions of random play from the deals of `thoughtful-1`: a deal, and a number of random legal
moves below `--moves`. For each the time of `solvers.analysis.analyse` is taken by the clock; then
`exact` decides the position after each move by itself, without the facts that save work, and every
mark must say the same. A win from the position, if there is one, is replayed. The exit code is 1 if
anything differs.
"""

import argparse
import sys
import time
from random import Random

import numpy as np
from scipy.stats import binomtest

from engine.dealing.dealers import deal_by_id
from engine.games import game_of
from engine.replay import replay
from engine.rulesets import parse_ruleset
from solvers.analysis import Verdict, analyse
from solvers.deciding import Budget, decide
from solvers.outcome import Result
from solvers.solver import parse_solver

WORDS = {Result.WON: Verdict.WINNABLE, Result.UNWINNABLE: Verdict.UNWINNABLE}
FIRST = 20_000_000
LIMIT = 300.0
SEARCHED = 250.0


def measure(slug: str, count: int, most_moves: int, chance: Random) -> bool:
    """Measure a ruleset and print what was found; whether all agreed."""
    rules = parse_ruleset(slug)
    game = game_of(rules)
    reference = parse_solver("exact")
    first = game.start(deal_by_id(f"thoughtful-1:{FIRST - 1}", game), rules)
    analyse(first, Budget(SEARCHED))  # loads the kernels
    times, marks, wrong, wins, unfound, in_time = [], 0, 0, 0, 0, 0
    for number in range(count):
        position = game.start(deal_by_id(f"thoughtful-1:{FIRST + number}", game), rules)
        for _ in range(chance.randrange(most_moves)):
            legal = position.legal_moves()
            if not legal:
                break
            position = position.play(chance.choice(legal))
        since = time.perf_counter()
        found = analyse(position, Budget(SEARCHED))
        times.append(1000 * (time.perf_counter() - since))
        in_time += found.complete and times[-1] <= LIMIT
        for each in found.moves:
            if each.verdict != Verdict.UNDECIDED:
                marks += 1
                wrong += WORDS[reference.solve_position(each.after).result] != each.verdict
        if found.verdict == Verdict.WINNABLE:
            win = decide(position, Budget(1_000.0))
            wins += 1
            unfound += win.verdict == Verdict.UNDECIDED
            if win.verdict != Verdict.UNDECIDED:
                wrong += win.verdict != Verdict.WINNABLE or not replay(position, win.win).is_won
    low, high = binomtest(in_time, count).proportion_ci(0.95)
    middle, most, nearly_all = np.percentile(times, [50, 95, 99])
    print(
        f"{slug}: {count:,} positions, fully marked within {LIMIT:.0f} ms {in_time / count:.2%} "
        f"(95 %: {low:.2%} to {high:.2%}); median {middle:.1f} ms, 95 % {most:.1f}, 99 % "
        f"{nearly_all:.1f}, longest {max(times):.0f}; {marks:,} marks and {wins:,} wins, "
        f"of which {unfound} not found by one search of a second; {wrong} wrong",
        flush=True,
    )
    return wrong == 0


def main() -> int:
    """Measure and print; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--positions", type=int, default=2_000, help="of each ruleset")
    parser.add_argument("--moves", type=int, default=100, help="random moves below this number")
    parser.add_argument("--rulesets", nargs="+", default=["klondike-draw1", "klondike-draw3"])
    parser.add_argument("--random-seed", type=int, default=0)
    asked = parser.parse_args()
    chance = Random(asked.random_seed)
    sound = [measure(slug, asked.positions, asked.moves, chance) for slug in asked.rulesets]
    return 0 if all(sound) else 1


if __name__ == "__main__":
    sys.exit(main())
