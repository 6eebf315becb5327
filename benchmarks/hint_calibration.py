"""Calibration of the chance that a hint names without the face-down cards, against games.

    python benchmarks/hint_calibration.py --sample thoughtful-1:61000000-61000999 --file FILE
    python benchmarks/hint_calibration.py --positions 4 --file OTHER
    python benchmarks/hint_calibration.py --fit OTHER

The player that advises under the ruleset plays each deal. After a number of moves, drawn at random
before the game, it is asked for advice, if the game has come so far and has two legal moves or more
there: the chance of the play that it puts first stands beside whether the game was won. By default
at one number a game, so that rows are independent. They are kept in FILE, and an interrupted run
goes on from there. Prints:

- positions by the chance named: their number, its mean, the mean share of trajectories won, the
  share of games won with its interval (Clopper and Pearson, 95 %), and how many of these positions
  were certain;
- the mean of the chance named and the share won, of all positions, by hidden cards and by moves
  made, and the mean squared error of the chance (Brier);
- milliseconds of the processor for an advice: median, 95th percentile, most.

With --fit instead the calibration of a player of Klondike (`advise` of its `METHOD`) by the games
of some files: what the share of trajectories won and the number of hidden cards say of the chance,
by maximum likelihood, with its loss on games that had no part in it (tenths of them).
"""

import argparse
import json
import math
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import logit

from catalogue.interrupts import ended_by_signals
from catalogue.statistics import clopper_pearson
from engine.cards import HIDDEN
from engine.dealing.dealers import Sample, get_dealer, parse_sample
from engine.errors import BadInput
from engine.game import Position, Rules
from engine.games import game_of
from engine.replay import positions
from engine.rulesets import parse_ruleset
from measuring.figures import table
from solvers.choice import Ability, capable
from solvers.outcome import Result
from solvers.solver import Solver, parse_solver

Rows = list[dict[str, Any]]
Reals = NDArray[np.float64]

# Where rows of the tables begin.
_CHANCES = (0, 30, 50, 60, 70, 80, 90)
_HIDDEN = (0, 10)
_AT = (0, 20, 60)
# Positions are after 0 moves to one less than this.
_MOVES = 150


def main() -> int:
    """Play, ask and print; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rules", default="klondike-draw3")
    parser.add_argument("--sample", default="thoughtful-1:61000000-61000999")
    parser.add_argument("--player", help="who plays and advises; by default who advises by hints")
    parser.add_argument("--positions", type=int, default=1, help="positions of each game")
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--file", type=Path, help="the games, kept as JSON lines")
    what.add_argument("--fit", type=Path, nargs="+", metavar="FILE", help="fit to these games")
    arguments = parser.parse_args()
    try:
        if not 1 <= arguments.positions <= _MOVES:
            raise BadInput(f"--positions {arguments.positions}: expected 1 to {_MOVES}")
        if arguments.fit:
            fit([row for file in arguments.fit for _, rows in read(file) for row in rows])
            return 0
        rules, sample = parse_ruleset(arguments.rules), parse_sample(arguments.sample)
        player = parse_solver(arguments.player) if arguments.player else adviser(rules)
        report(rows_of(rules, sample, player, arguments.file, arguments.positions))
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


def rows_of(rules: Rules, sample: Sample, player: Solver, file: Path, count: int = 1) -> Rows:
    """The rows of a sample, those of the games of the file and of the others, which are played.

    count: positions of each game.

    Raises:
        BadInput: the file has games of other rules, of another player, or with another number of
            positions.
    """
    asked = {
        "rules": rules.slug,
        "player": str(player),
        "dealer": sample.dealer,
        "positions": count,
    }
    kept: dict[int, Rows] = {}
    for game, rows in read(file) if file.exists() else ():
        if {name: game[name] for name in asked} != asked:
            raise BadInput(
                f"{file} has games of {game['player']} under {game['rules']}, of each "
                f"{game['positions']} of the positions"
            )
        kept[game["seed"]] = rows
    game_rows(rules, sample, player, sample.seeds[0], count)  # kernels are loaded
    with file.open("a", encoding="utf-8") as games:
        for seed in sample.seeds:
            if seed not in kept:
                kept[seed] = game_rows(rules, sample, player, seed, count)
                line = {**asked, "seed": seed, "rows_of_game": kept[seed]}
                games.write(json.dumps(line) + "\n")
                games.flush()
    return [{**asked, "seed": seed, **row} for seed in sample.seeds for row in kept[seed]]


def read(file: Path) -> Iterator[tuple[dict[str, Any], Rows]]:
    """The games of a file, each with its rows.

    Raises:
        BadInput: it cannot be read, or a line is no game of this benchmark.
    """
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput(f"cannot read {file}: {error}") from None
    for number, line in enumerate(lines, start=1):
        try:
            game = json.loads(line)
            rows = game.pop("rows_of_game")
        except (ValueError, AttributeError, TypeError, KeyError):
            raise BadInput(f"{file}, line {number}: expected a game of this benchmark") from None
        yield game, [{**game, **row} for row in rows]


def game_rows(rules: Rules, sample: Sample, player: Solver, seed: int, count: int) -> Rows:
    """How a deal was played, and what was advised at some positions of the game.

    A game without a position to ask about has one row, without a chance.
    """
    game = game_of(rules)
    deal = get_dealer(sample.dealer).deal(seed, game)
    (outcome,) = player.solve(deal.as_array()[None], rules)
    is_won = outcome.result is Result.WON
    moves = game.unpack(outcome.moves or outcome.played or b"")
    line = list(positions(game.start(deal, rules), moves))
    # Chosen before the game: of its own positions, those of short games, which are lost, would be
    # chosen too often.
    numbers = Random(f"hint {seed}").sample(range(_MOVES), count)
    rows = [
        {"won": is_won, "at": number, **_advised(line[number], player)}
        for number in numbers
        if number < len(line) and not line[number].is_won and len(line[number].legal_moves()) > 1
    ]
    return rows or [{"won": is_won, "chance": None}]


def _advised(at: Position, player: Solver) -> dict[str, Any]:
    seen = at.observation()
    began = time.process_time()
    advice = player.advise(seen, at.rules)
    spent = time.process_time() - began
    best = advice[0] if advice else None
    return {
        "chance": best and best.chance,
        "wins": best and best.wins,
        "trajectories": best and best.trajectories,
        "certain": best is not None and best.certain,
        "hidden": sum(column.count(HIDDEN) for column in seen["down"]),
        "ms": 1000 * spent,
    }


def fit(rows: Rows) -> None:
    """Print the calibration fitted to the rows."""
    rows = [row for row in rows if row["chance"] is not None and not row["certain"]]
    if not rows:
        raise BadInput("no position was advised on")
    wins, trajectories, hidden, won = (
        np.array([row[name] for row in rows], dtype=np.float64)
        for name in ("wins", "trajectories", "hidden", "won")
    )
    games = [f"{row['rules']} {row['dealer']}:{row['seed']}" for row in rows]
    shares = (wins + 0.5) / (trajectories + 1)
    features = np.column_stack((np.ones(len(rows)), logit(shares), hidden))
    fold = np.unique(games, return_inverse=True)[1] % 10
    losses = np.zeros(len(rows))
    for number in range(10):
        rest = fold == number
        found = _maximum_likelihood(features[~rest], won[~rest])
        losses[rest] = _losses(features[rest], won[rest], found)
    offset, slope, each = _maximum_likelihood(features, won)
    plain = _losses(features, won, np.array([0.0, 1.0, 0.0])).mean()
    print(f"{len(rows):,} positions of {len(set(games)):,} games")
    print(f"offset {offset:.3f}, slope {slope:.3f}, each hidden card {each:.4f}")
    print(f"loss of the share {plain:.4f}, calibrated, of other games {losses.mean():.4f}")


def _maximum_likelihood(features: Reals, won: Reals) -> Reals:
    """The weights of a logistic regression."""
    found = minimize(
        lambda weights: _losses(features, won, weights).mean(), np.zeros(features.shape[1])
    )
    return np.asarray(found.x)


def _losses(features: Reals, won: Reals, weights: Reals) -> Reals:
    """The negative logarithm of the likelihood of each row."""
    logits = features @ weights
    return np.asarray(np.logaddexp(0, logits) - won * logits)


def report(rows: Rows) -> None:
    """Print the tables."""
    told = [row for row in rows if row["chance"] is not None]
    if not told:
        raise BadInput("no position was advised on")
    games = len({row["seed"] for row in rows})
    print(f"{games:,} games of {told[0]['player']} under {told[0]['rules']}, ", end="")
    print(f"advice in {len(told):,}\n")
    print_table("chance named, %", told, _CHANCES, lambda row: 100 * row["chance"])
    print_table("cards hidden", told, _HIDDEN, lambda row: row["hidden"])
    print_table("moves made", told, _AT, lambda row: row["at"])
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
        shares = np.array([row["wins"] / row["trajectories"] for row in chosen])
        errors = chances - np.array([row["won"] for row in chosen])
        lines.append(
            (
                label,
                f"{n:,}",
                f"{100 * chances.mean():.1f} %",
                f"{100 * shares.mean():.1f} %",
                f"{100 * won / n:.1f} %",
                f"{100 * interval.low:.1f} to {100 * interval.high:.1f} %",
                f"{np.mean(errors**2):.3f}",
                str(sum(row["certain"] for row in chosen)),
            )
        )
    heading = title, "n", "named", "share", "won", "95 %", "Brier", "certain"
    print(table(heading, lines), end="\n\n")


if __name__ == "__main__":
    with ended_by_signals():
        sys.exit(main())
