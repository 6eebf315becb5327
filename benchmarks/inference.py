"""Comparison of inferred outcomes with solved ones, and replay of all translated solutions.

    python benchmarks/inference.py --sample thoughtful-1:0-99999 --nodes 1000000 --workers 2
    python benchmarks/inference.py --rules klondike-draw6 klondike-draw3 klondike-draw1

Solves each deal of a sample under every ruleset, by the default solver of each. Then, for every two
rulesets of which one implies the other, each win under the stricter is translated to the laxer and
replayed by the referee, and must not be unwinnable there; each deal that is unwinnable under the
laxer must not be won under the stricter.

Prints for each ruleset the outcomes solved, those that follow from the other rulesets, how many of
these agree, and how many were given up by the solver, so that only inference decides them. With the
rulesets in the order given, the share of CPU time is printed that a job with `--infer` spares. Each
difference is printed so that it can be reproduced; the exit code is 1 if there is any.
"""

import argparse
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field

import numpy as np

from catalogue.interrupts import begin_worker, ended_by_signals
from engine.dealing.dealers import get_dealer, parse_sample
from engine.errors import BadInput
from engine.game import Game, Rules
from engine.games import game_of
from engine.proof import check_wins
from engine.rulesets import parse_ruleset
from solvers.choice import default_solver
from solvers.outcome import Outcome, Result
from solvers.solver import configure

# From every one of these some other follows.
RULESETS = (
    "klondike-draw6",
    "klondike-draw3-spaces-none",
    "klondike-draw3-no-worrying-back",
    "klondike-yan",
    "klondike-vegas",
    "klondike-draw3",
    "klondike-draw2",
    "klondike-draw1",
    "klondike-draw3-spaces-any",
    "klondike-draw3-build-any-suit",
)
_DEALS_A_CHUNK = 100
_DECIDED = (Result.WON, Result.UNWINNABLE)


def _sums() -> defaultdict[str, float]:
    return defaultdict(float)


@dataclass(slots=True)
class Tally:
    """What was found of some deals.

    Attributes:
        counts: numbers by ruleset and by what happened; ``replayed`` counts translated solutions.
        cpu_ms: milliseconds that solving took, by ruleset.
        spared: those of the deals whose outcome follows from the rulesets solved before.
        inferring_ms: that translating and replaying took.
        differing: a sentence for each difference.
    """

    counts: Counter[tuple[str, str]] = field(default_factory=Counter)
    cpu_ms: defaultdict[str, float] = field(default_factory=_sums)
    spared: defaultdict[str, float] = field(default_factory=_sums)
    inferring_ms: float = 0.0
    differing: list[str] = field(default_factory=list)

    def add(self, other: "Tally") -> None:
        """Add what was found of other deals."""
        self.counts.update(other.counts)
        for mine, theirs in ((self.cpu_ms, other.cpu_ms), (self.spared, other.spared)):
            for slug, spent in theirs.items():
                mine[slug] += spent
        self.inferring_ms += other.inferring_ms
        self.differing += other.differing


@dataclass(frozen=True, slots=True)
class Task:
    """The deals that a process is given.

    Attributes:
        rulesets: slugs, in the order in which they would be solved.
        nodes: the budget of each solver.
        dealer: of the deals.
        first: the first seed.
        count: number of deals.
    """

    rulesets: tuple[str, ...]
    nodes: int
    dealer: str
    first: int
    count: int


def main() -> int:
    """Compare, print, and return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rules", nargs="+", default=list(RULESETS))
    parser.add_argument("--sample", default="thoughtful-1:0-999")
    parser.add_argument("--nodes", type=int, default=1_000_000, help="budget of each solver")
    parser.add_argument("--workers", type=int, default=1, help="processes")
    arguments = parser.parse_args()
    try:
        rulesets = [parse_ruleset(slug) for slug in arguments.rules]
        sample = parse_sample(arguments.sample)
        for rules in rulesets:
            default_solver(rules)
    except BadInput as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    slugs = tuple(rules.slug for rules in rulesets)
    tasks = [
        Task(
            slugs,
            arguments.nodes,
            sample.dealer,
            first,
            min(_DEALS_A_CHUNK, sample.last + 1 - first),
        )
        for first in range(sample.first, sample.last + 1, _DEALS_A_CHUNK)
    ]
    tally = Tally()
    began = time.monotonic()
    for done, found in enumerate(_results(tasks, arguments.workers), start=1):
        tally.add(found)
        for sentence in found.differing:
            print(sentence, flush=True)
        if done % 10 == 0 or done == len(tasks):
            took = time.monotonic() - began
            print(f"{done} of {len(tasks)} tasks, {took:,.0f} s", file=sys.stderr, flush=True)
    _report(slugs, sample.count, tally)
    return 1 if tally.differing else 0


def _results(tasks: Sequence[Task], workers: int) -> Iterator[Tally]:
    if workers == 1:
        yield from map(compare, tasks)
        return
    with ended_by_signals(), ProcessPoolExecutor(workers, initializer=begin_worker) as pool:
        yield from pool.map(compare, tasks)


def compare(task: Task) -> Tally:
    """Solve deals under all rulesets, and hold what follows against what was found."""
    rulesets = [parse_ruleset(slug) for slug in task.rulesets]
    game = game_of(rulesets[0])
    cards = get_dealer(task.dealer).deal_block(task.first, task.count, game)
    tally = Tally()
    found = [_solved(rules, cards, task.nodes) for rules in rulesets]
    for rules, outcomes in zip(rulesets, found, strict=True):
        for outcome in outcomes:
            tally.counts[rules.slug, outcome.result.value] += 1
            tally.cpu_ms[rules.slug] += outcome.cpu_ms or 0
    began = time.process_time()
    follows = [_follow(task, game, rulesets, at, cards, found, tally) for at in range(len(found))]
    tally.inferring_ms = 1000 * (time.process_time() - began)
    for at, rules in enumerate(rulesets):
        for k, outcome in enumerate(found[at]):
            _hold(task, rules, k, outcome, follows[at][k], tally)
            if any(before < at for before, _ in follows[at][k]):
                tally.spared[rules.slug] += outcome.cpu_ms or 0
    return tally


# What follows for a deal: the place of the ruleset that it follows from, and the result.
Follows = list[tuple[int, Result]]


def _solved(rules: Rules, cards: np.ndarray, nodes: int) -> list[Outcome]:
    method = default_solver(rules).method
    return configure(method, {"nodes": nodes}).solve(cards, rules)


def _follow(
    task: Task,
    game: Game,
    rulesets: Sequence[Rules],
    at: int,
    cards: np.ndarray,
    found: Sequence[Sequence[Outcome]],
    tally: Tally,
) -> list[Follows]:
    """What follows for each deal under a ruleset from the other ones; wins are translated."""
    own = rulesets[at]
    follows: list[Follows] = [[] for _ in cards]
    for other, rules in enumerate(rulesets):
        if other == at:
            continue
        if game.rulesets.implies(own, rules):
            for k, outcome in enumerate(found[other]):
                if outcome.result == Result.UNWINNABLE:
                    follows[k].append((other, Result.UNWINNABLE))
        if not game.rulesets.implies(rules, own):
            continue
        won = [k for k, outcome in enumerate(found[other]) if outcome.moves is not None]
        lines = [
            game.translated(game.deal(cards[k]), found[other][k].moves or b"", rules, own)
            for k in won
        ]
        for k, reason in zip(won, check_wins(game, cards[won], own, lines), strict=True):
            follows[k].append((other, Result.WON))
            tally.counts[own.slug, "replayed"] += reason is None
            if reason is not None:
                name = f"{task.dealer}:{task.first + k}"
                tally.differing.append(
                    f"{name}: the solution under {rules.slug}, translated to {own.slug}: {reason}"
                )
    return follows


def _hold(
    task: Task, rules: Rules, k: int, outcome: Outcome, follows: Follows, tally: Tally
) -> None:
    """Hold what follows for a deal against what its solver found."""
    if not follows:
        return
    results = {result for _, result in follows}
    if len(results) > 1:
        answer = "both wins and proofs follow"
    else:
        (result,) = results
        tally.counts[rules.slug, f"follows {result.value}"] += 1
        if outcome.result not in _DECIDED:
            tally.counts[rules.slug, "by inference alone"] += 1
            return
        if outcome.result == result:
            tally.counts[rules.slug, "equal"] += 1
            return
        answer = f"it is {outcome.result.value}, but {result.value} follows"
    sources = ", ".join(sorted({task.rulesets[source] for source, _ in follows}))
    name = f"{task.dealer}:{task.first + k}"
    tally.differing.append(f"{name} under {rules.slug}: {answer}, from {sources}")


def _report(slugs: Sequence[str], deals: int, tally: Tally) -> None:
    columns = (
        *("won", "unwinnable", "gave_up", "follows won", "follows unwinnable", "equal"),
        *("by inference alone", "replayed"),
    )
    wide = max(map(len, slugs))
    print(f"{'ruleset':<{wide}}  {'  '.join(columns)}  CPU s  spared")
    for slug in slugs:
        cells = [f"{tally.counts[slug, name]:>{len(name)},}" for name in columns]
        cpu, spared = tally.cpu_ms[slug], tally.spared[slug]
        share = f"{spared / cpu:6.1%}" if cpu else "–"
        print(f"{slug:<{wide}}  {'  '.join(cells)}  {cpu / 1000:>5,.0f}  {share}")
    total = {name: sum(tally.counts[slug, name] for slug in slugs) for name in columns}
    follows = total["follows won"] + total["follows unwinnable"]
    cpu, spared = sum(tally.cpu_ms.values()), sum(tally.spared.values())
    print(f"{deals:,} deals under {len(slugs)} rulesets: {follows:,} outcomes follow")
    print(f"  {total['equal']:,} of them equal the solved ones")
    print(f"  {total['by inference alone']:,} were given up by the solver")
    print(f"  {len(tally.differing):,} differences")
    print(f"{total['replayed']:,} translated solutions replayed")
    print(f"{cpu / 1000:,.0f} s of CPU time to solve, {spared / cpu if cpu else 0:.1%} spared")
    print(f"{tally.inferring_ms / 1000:,.1f} s to translate and to replay")


if __name__ == "__main__":
    sys.exit(main())
