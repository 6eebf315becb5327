"""Calibration of the chance that a hint names without the face-down cards, against games.

    python benchmarks/hint_calibration.py --sample thoughtful-1:61000000-61000999 --file FILE

The player that advises under the ruleset plays each deal. At one position of its game, drawn at
random from those with two legal moves or more, it is asked for advice as by `hint --hidden`: the
chance of the play that it puts first stands beside whether the game was won. One position a game,
so that rows are independent. They are kept in FILE, and an interrupted run goes on from there.
Prints:

- positions by the chance named: their number, its mean, the share of games won with its interval
  (Clopper and Pearson, 95 %), and how many of these positions were certain;
- the mean of the chance named and the share won, of all positions and by hidden cards, and the mean
  squared error of the chance (Brier);
- milliseconds of the processor for an advice: median, 95th percentile, most.
"""

import argparse
import json
import math
import sys
import time
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from catalogue.interrupts import ended_by_signals
from catalogue.statistics import clopper_pearson
from engine.cards import HIDDEN
from engine.dealing.dealers import Sample, get_dealer, parse_sample
from engine.errors import BadInput
from engine.game import Rules
from engine.games import game_of
from engine.replay import positions
from engine.rulesets import parse_ruleset
from measuring.figures import table
from solvers.choice import Ability, capable
from solvers.outcome import Result
from solvers.solver import Solver, parse_solver

Rows = list[dict[str, Any]]

# Where rows of the tables begin.
_CHANCES = (0, 30, 50, 60, 70, 80, 90)
_HIDDEN = (0, 10)


def main() -> int:
    """Play, ask and print; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rules", default="klondike-draw3")
    parser.add_argument("--sample", default="thoughtful-1:61000000-61000999")
    parser.add_argument("--player", help="who plays and advises; by default who advises by hints")
    parser.add_argument("--file", type=Path, required=True, help="the rows, kept as JSON lines")
    arguments = parser.parse_args()
    try:
        rules, sample = parse_ruleset(arguments.rules), parse_sample(arguments.sample)
        player = parse_solver(arguments.player) if arguments.player else adviser(rules)
        report(rows_of(rules, sample, player, arguments.file))
    except BadInput as error:
        print(error, file=sys.stderr)
        return 2
    return 0


def adviser(rules: Rules) -> Solver:
    """Who advises by `hint --hidden`.

    Raises:
        BadInput: nobody does.
    """
    found = capable(rules, Ability.ADVISE)
    if found is None:
        raise BadInput(f"nobody advises under {rules.slug}")
    return found


def rows_of(rules: Rules, sample: Sample, player: Solver, file: Path) -> Rows:
    """The rows of a sample, those of the file and the others, which it gets.

    Raises:
        BadInput: the file has rows of other rules or of another player.
    """
    asked = {"rules": rules.slug, "player": str(player), "dealer": sample.dealer}
    kept: dict[int, dict[str, Any]] = {}
    if file.exists():
        for line in file.read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            if {name: row[name] for name in asked} != asked:
                raise BadInput(f"{file} has rows of {row['player']} under {row['rules']}")
            kept[row["seed"]] = row
    row_of(rules, sample, player, sample.seeds[0])  # kernels are loaded
    with file.open("a", encoding="utf-8") as rows:
        for seed in sample.seeds:
            if seed not in kept:
                kept[seed] = {**asked, "seed": seed, **row_of(rules, sample, player, seed)}
                rows.write(json.dumps(kept[seed]) + "\n")
                rows.flush()
    return [kept[seed] for seed in sample.seeds]


def row_of(rules: Rules, sample: Sample, player: Solver, seed: int) -> dict[str, Any]:
    """How a deal was played, and what was advised at one position of the game."""
    game = game_of(rules)
    deal = get_dealer(sample.dealer).deal(seed, game)
    (outcome,) = player.solve(deal.as_array()[None], rules)
    moves = game.unpack(outcome.moves or outcome.played or b"")
    line = list(positions(game.start(deal, rules), moves))
    open_ones = [each for each in line if not each.is_won and len(each.legal_moves()) > 1]
    if not open_ones:
        return {"won": outcome.result is Result.WON, "chance": None}
    at = Random(f"hint {seed}").choice(open_ones)
    seen = at.observation()
    began = time.process_time()
    advice = player.advise(seen, rules)
    spent = time.process_time() - began
    return {
        "won": outcome.result is Result.WON,
        "chance": advice[0].chance if advice else None,
        "certain": bool(advice) and advice[0].certain,
        "at": line.index(at),
        "hidden": json.dumps(seen).count(HIDDEN),
        "ms": 1000 * spent,
    }


def report(rows: Rows) -> None:
    """Print the tables."""
    told = [row for row in rows if row["chance"] is not None]
    if not told:
        raise BadInput("no position was advised on")
    print(f"{len(rows):,} games of {told[0]['player']} under {told[0]['rules']}, ", end="")
    print(f"advice in {len(told):,}\n")
    print_table("chance named, %", told, _CHANCES, lambda row: 100 * row["chance"])
    print_table("cards hidden", told, _HIDDEN, lambda row: row["hidden"])
    milliseconds = np.array([row["ms"] for row in told])
    low, high = np.quantile(milliseconds, (0.5, 0.95))
    print(f"{low:.0f} ms an advice (median), 95 % within {high:.0f}, most {milliseconds.max():.0f}")


def print_table(
    title: str, rows: Rows, bounds: tuple[int, ...], value: Callable[[dict[str, Any]], float]
) -> None:
    """Print a row for those between one bound and the next, and one for all."""
    parts = [("all", rows)]
    for low, high in zip(bounds, (*bounds[1:], math.inf), strict=True):
        part = [row for row in rows if low <= value(row) < high]
        if part:
            parts.append((f"from {low}" if high == math.inf else f"{low} to {high}", part))
    lines = []
    for label, chosen in parts:
        won, n = sum(row["won"] for row in chosen), len(chosen)
        interval = clopper_pearson(won, n, 0.95)
        chances = np.array([row["chance"] for row in chosen])
        errors = chances - np.array([row["won"] for row in chosen])
        lines.append(
            (
                label,
                f"{n:,}",
                f"{100 * chances.mean():.1f} %",
                f"{100 * won / n:.1f} %",
                f"{100 * interval.low:.1f} to {100 * interval.high:.1f} %",
                f"{np.mean(errors**2):.3f}",
                str(sum(row["certain"] for row in chosen)),
            )
        )
    print(table((title, "n", "named", "won", "95 %", "Brier", "certain"), lines), end="\n\n")


if __name__ == "__main__":
    with ended_by_signals():
        sys.exit(main())
