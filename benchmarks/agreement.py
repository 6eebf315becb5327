"""Comparison of the verdicts of `exact`, `exact-plain` and exhaustive search.

    python benchmarks/agreement.py --sample thoughtful-1:0-4999 --nodes 1000000 --workers 2
    python benchmarks/agreement.py --rules klondike-draw1 --merge 0
    python benchmarks/agreement.py --positions 50000 --naive 10000 --workers 2

`exact-plain` shares no rules, kernels or representation with `exact`. With `--sample` (the default)
it attempts each starting deal of a sample with a budget of `--nodes`; where it decides, `exact`
must come to the same result. `--merge 0` distinguishes positions that differ only in the places of
twins, so that the two do not share that argument either.

With `--positions`, both solve late positions from random play instead (see `random_game`), under
each of the rulesets of `--rules` in turn. The first positions, until `--naive` of them are decided,
are also solved by an exhaustive search over the referee's moves without any pruning. Where `exact`
does not play a ruleset, `exact-plain` is compared with that search only.

Prints the number of comparisons, the results, and one-sided 95 % and 99 % Clopper–Pearson bounds on
the share that differs. Every win of either solver is replayed by the referee. Each difference is
printed so that it can be reproduced; the exit code is 1 if there is any.
"""

import argparse
import json
import random
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from scipy.stats import beta

from catalogue.interrupts import begin_worker, ended_by_signals
from engine.cards import DECK
from engine.dealing.dealers import get_dealer, parse_sample
from engine.errors import BadInput
from engine.klondike.deal import KlondikeDeal
from engine.klondike.moves import KlondikeKind, unpack_solution
from engine.klondike.referee import KlondikePosition
from engine.klondike.rules import KlondikeRules, parse_klondike
from engine.replay import ReplayError, replay
from solvers.outcome import Outcome, Result
from solvers.solver import Solver, parse_solver

# The exhaustive search is a naive twin of the tests.
sys.path.append(str(Path(__file__).resolve().parents[1] / "tests"))
from twins.search import naive_verdict

_DECIDED = (Result.WON, Result.UNWINNABLE)
_NAIVE_MOST = 500  # positions that exhaustive search enters before it gives up
_DEALS_A_CHUNK = 50
_GAMES_A_CHUNK = 50
_POSITIONS_A_GAME = 5


class Tally(NamedTuple):
    """The results for some deals or positions.

    Attributes:
        counts: number of deals or positions, by what happened to them.
        differing: a sentence for each difference.
        cpu_ms: CPU milliseconds of exact-plain.
    """

    counts: Counter[str]
    differing: list[str]
    cpu_ms: float


class Task(NamedTuple):
    """The work of one process: a range of deals, or of random games.

    Attributes:
        rules: the ruleset.
        reference: exact-plain with its parameters.
        solver: the solver to be checked; None if it does not play the ruleset.
        dealer: dealer of the deals; None for random games.
        first, deals: seeds of the deals, or numbers of the games.
        naive: whether to use exhaustive search as well.
    """

    rules: KlondikeRules
    reference: str
    solver: str | None
    dealer: str | None
    first: int
    deals: int
    naive: bool


def main() -> int:
    """Compare, print, and return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rules", nargs="+", default=["klondike-draw3"])
    parser.add_argument("--sample", default="thoughtful-1:0-4999")
    parser.add_argument("--nodes", type=int, default=1_000_000, help="budget of exact-plain")
    parser.add_argument("--merge", type=int, default=1, help="parameter of exact-plain")
    parser.add_argument("--solver", default="exact", help="the solver to be checked")
    parser.add_argument("--workers", type=int, default=1, help="processes")
    parser.add_argument("--positions", type=int, help="compare this many late positions")
    parser.add_argument("--naive", type=int, default=0, help="positions to search exhaustively")
    arguments = parser.parse_args()
    try:
        rulesets = [parse_klondike(slug) for slug in arguments.rules]
        reference = parse_solver(f"exact-plain(nodes={arguments.nodes}, merge={arguments.merge})")
        solver = parse_solver(arguments.solver)
        sample = parse_sample(arguments.sample)
        if arguments.positions is None:
            for rules in rulesets:
                solver.check_plays(rules)
                tasks = (
                    Task(rules, str(reference), str(solver), sample.dealer, first, count, False)
                    for first, count in _chunks(sample.first, sample.count)
                )
                tally = _collect(tasks, arguments.workers, None, 0)
                _report(f"{arguments.sample} under {rules.slug}", reference, solver, tally)
                if tally.differing:
                    return 1
            return 0
        games = (
            Task(
                rules,
                str(reference),
                str(solver) if solver.method.plays(rules) else None,
                None,
                first,
                _GAMES_A_CHUNK,
                True,
            )
            for first, rules in _turns(rulesets)
        )
        tally = _collect(games, arguments.workers, arguments.positions, arguments.naive)
        names = ", ".join(arguments.rules)
        _report(f"{arguments.positions:,} late positions, {names}", reference, solver, tally)
        return 1 if tally.differing else 0
    except BadInput as error:
        print(error, file=sys.stderr)
        return 2


def _chunks(first: int, count: int) -> Iterator[tuple[int, int]]:
    for start in range(first, first + count, _DEALS_A_CHUNK):
        yield start, min(_DEALS_A_CHUNK, first + count - start)


def _turns(rulesets: Sequence[KlondikeRules]) -> Iterator[tuple[int, KlondikeRules]]:
    first = 0
    while True:
        for rules in rulesets:
            yield first, rules
            first += _GAMES_A_CHUNK


def _collect(tasks: Iterator[Task], workers: int, positions: int | None, naive: int) -> Tally:
    """Process the tasks in rounds, until a number of positions is reached if one is given.

    Rounds have a fixed size, so that the result does not depend on the number of workers.
    """
    total = Tally(Counter(), [], 0.0)
    cpu_ms = 0.0
    since = time.monotonic()
    with ProcessPoolExecutor(workers, initializer=begin_worker) as pool:
        while positions is None or total.counts["given"] < positions:
            enough = total.counts["by exhaustive search"] >= naive
            round_ = [task._replace(naive=task.naive and not enough) for task in islice(tasks, 8)]
            if not round_:
                break
            for part in pool.map(compare, round_):
                total.counts.update(part.counts)
                total.differing.extend(part.differing)
                cpu_ms += part.cpu_ms
            seconds = time.monotonic() - since
            given, differing = total.counts["given"], len(total.differing)
            print(f"{given:,} in {seconds:,.0f} s, {differing} differing", file=sys.stderr)
    return total._replace(cpu_ms=cpu_ms)


def compare(task: Task) -> Tally:
    """Have the solvers decide the deals or positions of a task and compare their verdicts."""
    tally = Tally(Counter(), [], 0.0)
    reference = parse_solver(task.reference)
    solver = parse_solver(task.solver) if task.solver else None
    cpu_ms = 0.0
    for name, position in _positions(task):
        tally.counts["given"] += 1
        outcome = reference.solve_position(position)
        cpu_ms += outcome.cpu_ms or 0.0
        verdicts = {str(reference): _verdict(position, outcome)}
        if outcome.result in _DECIDED:
            tally.counts[f"decided by exact-plain, {outcome.result.value}"] += 1
            if solver is not None:
                verdicts[str(solver)] = _verdict(position, solver.solve_position(position))
                both = verdicts[str(solver)] != Result.GAVE_UP.value
                tally.counts["compared with each other" if both else "left by the other"] += 1
        if task.naive:
            winnable = naive_verdict(position, _NAIVE_MOST)
            if winnable is not None:
                word = Result.WON if winnable else Result.UNWINNABLE
                verdicts["exhaustive search"] = word.value
                tally.counts["by exhaustive search"] += 1
                tally.counts[f"by exhaustive search, {word.value}"] += 1
                tally.counts["undecided by exact-plain of these"] += outcome.result not in _DECIDED
        if len(set(verdicts.values()) - {Result.GAVE_UP.value}) > 1 or any(
            "replay" in verdict for verdict in verdicts.values()
        ):
            tally.differing.append(
                f"{name}: "
                + "; ".join(f"{who} says {verdict}" for who, verdict in verdicts.items())
                + f"\n  {json.dumps(position.to_json())}"
            )
    return tally._replace(cpu_ms=cpu_ms)


def _verdict(position: KlondikePosition, outcome: Outcome) -> str:
    """The result in words; a win only if the referee confirms it."""
    if outcome.result == Result.WON:
        try:
            if not replay(position, unpack_solution(outcome.moves or b"")).is_won:
                return "won by moves that replay to no win"
        except ReplayError as error:
            return f"won by moves that do not replay: {error}"
    return outcome.result.value


def _positions(task: Task) -> Iterator[tuple[str, KlondikePosition]]:
    """Each deal's start or each game's positions, with a name."""
    if task.dealer is not None:
        cards = get_dealer(task.dealer).deal_block(task.first, task.deals)
        for seed, row in enumerate(cards, start=task.first):
            yield f"{task.dealer}:{seed}", KlondikePosition.start(KlondikeDeal.of(row), task.rules)
        return
    for number in range(task.first, task.first + task.deals):
        random_state = random.Random(f"{task.rules.slug} {number}")
        game = random_game(random_state, task.rules)
        late = game[len(game) // 2 :]
        for position in random_state.sample(late, min(_POSITIONS_A_GAME, len(late))):
            yield f"game {number} under {task.rules.slug}", position


# Weights of the kinds of moves; with equal weights games would hardly progress.
_WEIGHT = {
    KlondikeKind.UP: 8.0,
    KlondikeKind.WASTE_UP: 8.0,
    KlondikeKind.WASTE_DOWN: 4.0,
    KlondikeKind.RUN: 3.0,
    KlondikeKind.PART: 3.0,
    KlondikeKind.TURN: 2.0,
    KlondikeKind.REDEAL: 2.0,
    KlondikeKind.DOWN: 0.3,
}


def random_game(random_state: random.Random, rules: KlondikeRules) -> list[KlondikePosition]:
    """The positions of a random game.

    Half of the games are random from the start, up to 250 moves. They get stuck early, so the other
    half follow a solution for some part of it, at least half, before 60 random moves; where none is
    found soon, they are random as well.
    """
    cards = list(DECK)
    random_state.shuffle(cards)
    position = KlondikePosition.start(KlondikeDeal.of(cards), rules)
    game = [position]
    length = 250
    if random_state.random() < 0.5:
        outcome = parse_solver("exact-plain(nodes=2000)").solve_position(position)
        solution = unpack_solution(outcome.moves or b"")
        if solution:
            length = 60
            for move in solution[: random_state.randint(len(solution) // 2, len(solution) - 1)]:
                position = position.play(move)
            game = [position]
    while len(game) < length:
        moves = position.legal_moves()
        if not moves or position.is_won:
            break
        weights = [_WEIGHT[move.kind] for move in moves]
        position = position.play(random_state.choices(moves, weights)[0])
        game.append(position)
    return game


def _report(what: str, reference: Solver, solver: Solver, tally: Tally) -> None:
    counts = tally.counts
    print(f"{what}: {reference} and {solver}")
    for name in sorted(counts, key=lambda name: (name != "given", name)):
        print(f"  {name:42}{counts[name]:9,}")
    decided = sum(counts[f"decided by exact-plain, {result.value}"] for result in _DECIDED)
    share = decided / max(counts["given"], 1)
    mean = tally.cpu_ms / max(counts["given"], 1)
    print(f"  exact-plain decides {share:.2%}, {mean:,.1f} CPU ms each on average")
    for name in ("compared with each other", "by exhaustive search"):
        if counts[name]:
            differing = len(tally.differing)
            bounds = [_upper_bound(differing, counts[name], level) for level in (0.95, 0.99)]
            print(
                f"  differing {differing} of {counts[name]:,} {name}: "
                f"at most {bounds[0]:.4%} (95 %), {bounds[1]:.4%} (99 %)"
            )
    for sentence in tally.differing:
        print(sentence)


def _upper_bound(k: int, n: int, level: float) -> float:
    """The one-sided Clopper–Pearson bound on a share of which k in n were seen."""
    return 1.0 if k == n else float(beta.ppf(level, k + 1, n - k))


if __name__ == "__main__":
    with ended_by_signals():
        sys.exit(main())
