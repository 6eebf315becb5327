"""Puzzles of a ruleset: how often each theme occurs, what one takes, and the model of their levels.

    python benchmarks/puzzles.py --rules klondike-draw3 --puzzles 300 --output FILE

The puzzles are those of the keys ``fit 0``, ``fit 1`` and so on, of any theme. The players of the
ladder choose at each, the model is fitted to all of them and written to FILE, and validated on
halves as `catalogue.difficulty.validation` does: of each player on the half that had no part in the
fit, without that player. Prints, with 95 % intervals:

- seconds of the processor a puzzle, without and with its level: median, 95th percentile, most;
- the share of the puzzles that have each theme;
- plays of a puzzle;
- how often each player finds the play, and its ability;
- the AUC of each player: the chance that of two of its choices, one right and one wrong, the wrong
  one was at the harder puzzle by what the other players chose.

A ruleset without such players has no model; the first three of these are printed.
"""

import argparse
import json
import sys
import time
from collections import Counter
from pathlib import Path

import numpy as np

from catalogue.difficulty import puzzles
from catalogue.difficulty.grading import player_name
from catalogue.difficulty.puzzle_rating import CHOICES, columns_of, finds_of, fitted
from catalogue.difficulty.rasch import GameCounts
from catalogue.difficulty.validation import validate
from catalogue.interrupts import ended_by_signals
from catalogue.outcomes.provenance import this_provenance
from catalogue.statistics import wilson
from engine.errors import BadInput
from engine.games import game_of
from engine.rulesets import parse_ruleset
from measuring.figures import table
from solvers.choice import ladder


def main() -> int:
    """Measure, fit and print; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rules", default="klondike-draw3")
    parser.add_argument("--puzzles", type=int, default=300)
    parser.add_argument("--output", type=Path, help="write the model to this file")
    options = parser.parse_args()
    try:
        return measure(options.rules, options.puzzles, options.output)
    except BadInput as error:
        print(f"error: {error}", file=sys.stderr)
        return 2


def measure(ruleset: str, count: int, output: Path | None) -> int:
    """Fit the model to puzzles, print what was measured, and write the model to a file."""
    rules = parse_ruleset(ruleset)
    players = tuple(
        dict.fromkeys(
            player_name(each.method.slug, dict(each.said))
            for each in ladder(rules)
            if each.method.advise is not None
        )
    )
    if output is not None and not players:
        raise BadInput(f"nobody advises under {rules.slug} at several strengths: no --output")
    first = puzzles.puzzle(ruleset, None, "warm up")
    finds_of(first.position, [game_of(rules).parse_move(text) for text in first.solution], players)
    themes, plays = Counter[str](), Counter[int]()
    alone, rated, finds = [], [], []
    for number in range(count):
        began = time.process_time()
        found = puzzles.puzzle(ruleset, None, f"fit {number}")
        middle = time.process_time()
        solution = [game_of(rules).parse_move(text) for text in found.solution]
        finds.append(finds_of(found.position, solution, players))
        alone.append(middle - began)
        rated.append(time.process_time() - began)
        themes.update(found.themes)
        plays[found.plays] += 1
    won = np.array(finds, dtype=np.int64)
    print(f"{count:,} puzzles under {ruleset}\n")
    print(table(("seconds", "median", "95 %", "most"), [
        (name, *(f"{value:.2f}" for value in (np.median(each), np.quantile(each, 0.95), max(each))))
        for name, each in (("without its level", alone), ("with it", rated))
    ]))  # fmt: skip
    print()
    print(table(("theme", "share", "interval"), [
        (slug, _percent(themes[slug] / count), _interval(themes[slug], count))
        for slug in puzzles.themes_of(puzzles.puzzle_plays(rules))
    ]))  # fmt: skip
    print()
    print(table(("plays", "puzzles"), [(str(n), str(plays[n])) for n in sorted(plays)]))
    if not players:
        return 0
    print()
    model = fitted(players, won)
    games = GameCounts(won, np.full_like(won, CHOICES))
    validation = validate(games, np.zeros((count, 0)), {})
    print(table(("player", "finds", "ability", "error"), [
        (name, _percent(share), f"{ability:.2f}", f"{error:.2f}")
        for name, share, ability, error in zip(
            players,
            (won.mean(axis=0) / CHOICES).tolist(),
            model.rasch.abilities.tolist(),
            model.rasch.errors.tolist(),
            strict=True,
        )
    ]))  # fmt: skip
    print(f"\nspread {model.rasch.spread:.2f}\n")
    auc, calibration = validation["auc"]["played"], validation["calibration"]["played"]
    print(f"AUC {auc['auc']:.3f} ({auc['low']:.3f} to {auc['high']:.3f})")
    print(f"calibration: chi-squared {calibration['statistic']:.1f} of {calibration['degrees']}")
    if output is not None:
        provenance = this_provenance()
        columns = {
            "ruleset": rules.slug,
            "revision": provenance.revision,
            "puzzles": count,
            **columns_of(model),
            "auc": auc,
        }
        output.write_text(json.dumps(columns, indent=1) + "\n", encoding="utf-8")
    return 0


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"


def _interval(count: int, total: int) -> str:
    share = wilson(count, total, 0.95)
    return f"{100 * share.low:.1f} to {100 * share.high:.1f} %"


if __name__ == "__main__":
    with ended_by_signals():
        sys.exit(main())
