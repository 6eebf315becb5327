"""Wins a second that the plain referee and the compiled one replay, side by side.

    python benchmarks/referee.py [--deals 2000] [--plain 500] [--rounds 5] [RULESET[=SOLVER] ...]

Solves the first deals of `thoughtful-1` under each ruleset and has its wins judged by the plain
referee (the first `--plain` of them), by the compiled one, and as wins are judged before they are
stored: by the compiled one, and one in 500 of them by the plain one, too. They take turns in each
round. Prints microseconds of CPU time a win, wins a CPU second, and the ratio to the plain referee
with its 99 % interval. The exit code is 1 if a verdict is no win, which would be an error of ours.
"""

import argparse
import sys
import time
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from engine.checkers import WINS
from engine.dealing.dealers import get_dealer
from engine.errors import BadInput
from engine.game import Game, Rules
from engine.games import game_of
from engine.proof import check_wins, plain_verdict
from engine.rulesets import parse_ruleset
from measuring.figures import from_to, runs_interval, table
from solvers.choice import default_solver
from solvers.solver import Solver, parse_solver

USUAL = ("klondike-draw1", "klondike-draw3", "spider-1=spider-player(width=25)")
HEAD = ("referee", "wins", "µs a win", "wins a second", "ratio", "99 %")


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure each ruleset and print a table; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("rulesets", metavar="RULESET[=SOLVER]", nargs="*", default=list(USUAL))
    parser.add_argument("--deals", type=int, default=2_000)
    parser.add_argument("--plain", type=int, default=500)
    parser.add_argument("--rounds", type=int, default=5)
    given = parser.parse_args(arguments)
    try:
        asked = [_asked(text) for text in given.rulesets]
    except BadInput as error:
        print(error, file=sys.stderr)
        return 2
    for rules, solver in asked:
        game = game_of(rules)
        # A player of Spider takes a thousand times as long as the search of a deal of Klondike.
        count = given.deals if solver.method.decides else min(given.deals, 100)
        cards, solutions = wins_of(rules, solver, count)
        print(f"\n{rules.slug}, {solver}: {len(solutions)} wins of {count} deals")
        if not solutions:
            continue
        if not measure(game, rules, cards, solutions, given.plain, given.rounds):
            print("a referee does not accept a win", file=sys.stderr)
            return 1
    return 0


def _asked(text: str) -> tuple[Rules, Solver]:
    ruleset, _, name = text.partition("=")
    rules = parse_ruleset(ruleset)
    solver = parse_solver(name) if name else default_solver(rules)
    solver.check_plays(rules)
    return rules, solver


def wins_of(rules: Rules, solver: Solver, count: int) -> tuple[NDArray[np.uint8], list[bytes]]:
    """The deals of `thoughtful-1` among the first `count` that the solver wins, with its moves."""
    cards = get_dealer("thoughtful-1").deal_block(0, count, game_of(rules))
    won = [
        (at, outcome.moves)
        for at, outcome in enumerate(solver.solve(cards, rules))
        if outcome.moves is not None
    ]
    return cards[[at for at, _ in won]], [moves for _, moves in won]


def measure(
    game: Game,
    rules: Rules,
    cards: NDArray[np.uint8],
    solutions: list[bytes],
    plain: int,
    rounds: int,
) -> bool:
    """Time the referees in turns and print a line for each; whether all of them accept all."""
    assert game.load_checker is not None
    check = game.load_checker()
    check(cards[:1], rules, solutions[:1])  # compile before timing
    plain = min(plain, len(solutions))

    def by_plain() -> bool:
        pairs = zip(cards[:plain], solutions[:plain], strict=True)
        return all(plain_verdict(game, row, rules, moves) == WINS for row, moves in pairs)

    def by_compiled() -> bool:
        return bool((check(cards, rules, solutions) == WINS).all())

    def by_both() -> bool:
        return set(check_wins(game, cards, rules, solutions)) == {None}

    ways: tuple[tuple[str, int, Callable[[], bool]], ...] = (
        ("plain", plain, by_plain),
        ("compiled", len(solutions), by_compiled),
        ("compiled, and 1 in 100 plain", len(solutions), by_both),
    )
    seconds: dict[str, list[float]] = {name: [] for name, _, _ in ways}
    for _ in range(rounds):
        for name, count, accepts in ways:
            began = time.process_time()
            if not accepts():
                return False
            seconds[name].append((time.process_time() - began) / count)
    rows = []
    for name, count, _ in ways:
        mean = float(np.mean(seconds[name]))
        pairs = zip(seconds["plain"], seconds[name], strict=True)
        ratio, interval = runs_interval([slow / fast for slow, fast in pairs])
        interval = interval if name != "plain" else None
        rows.append(
            (name, f"{count:,}", f"{1e6 * mean:.2f}", f"{1 / mean:,.0f}", f"{ratio:.1f}",
             from_to(interval, 1))
        )  # fmt: skip
    print(table(HEAD, rows), flush=True)
    return True


if __name__ == "__main__":
    sys.exit(main())
