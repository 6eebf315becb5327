"""What `spider-exact` decides of hands of Spider, and of positions of games that were played.

    python benchmarks/spider_exact.py hands      SAMPLE [--rules spider-4] [--solver …]
    python benchmarks/spider_exact.py dead-ends  SAMPLE [--rules spider-4] [--player spider-player]
    python benchmarks/spider_exact.py marks      SAMPLE [--rules spider-4] [--player spider-player]

`hands`: hands won, proved unwinnable and left, CPU time and its percentiles, and the length of
wins; every win goes through the compiled referee. `dead-ends`: how often the dead-end test fires on
the positions of the player's lost games, by rows left. `marks`: of a position at random of each of
the player's games, how long the verdicts beside its moves take with the board's longer budget,
and how many positions and moves are decided. The positions after won moves are won again, and the
win replayed; those after lost ones are searched by `spider-plain`, too. Intervals are at 99 %.
"""

import argparse
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from catalogue.statistics import clopper_pearson, mean_interval
from dashboard.board.answers import AGAIN_MILLISECONDS
from engine.dealing.dealers import Sample, get_dealer, parse_sample
from engine.proof import check_wins
from engine.replay import positions, replay
from engine.rulesets import parse_ruleset
from engine.spider import GAME as SPIDER
from engine.spider.deal import COLUMNS, ROWS, SpiderDeal
from engine.spider.moves import SpiderMove, unpack_solution
from engine.spider.referee import SpiderPosition
from engine.spider.rules import SpiderRules
from solvers.analysis import Verdict, analyse, different
from solvers.deciding import Budget
from solvers.outcome import Result
from solvers.solver import parse_solver
from solvers.spider.exact.dead_ends import Stuck, is_dead
from solvers.spider.exact.table import lay_position, new_tables


def deals(sample: Sample) -> NDArray[np.uint8]:
    """The deals of a sample, uint8[n, 104]."""
    return get_dealer(sample.dealer).deal_block(sample.first, sample.count, SPIDER)


def share(count: int, of: int) -> str:
    """A share with its interval, in percent."""
    found = clopper_pearson(count, of)
    interval = f"{100 * found.low:.2f} to {100 * found.high:.2f}"
    return f"{count:,} of {of:,}, {100 * count / max(of, 1):.2f} % ({interval})"


def print_hands(asked: argparse.Namespace, rules: SpiderRules, sample: Sample) -> None:
    """Solve the hands of a sample one by one."""
    solver = parse_solver(asked.solver)
    solver.solve(deals(sample)[:1], rules)
    times, lengths, left = [], [], []
    results = Counter[Result]()
    for seed, cards in zip(sample.seeds, deals(sample), strict=True):
        (outcome,) = solver.solve(cards[None], rules)
        results[outcome.result] += 1
        assert outcome.cpu_ms is not None
        times.append(outcome.cpu_ms / 1000)
        if outcome.moves is not None:
            (reason,) = check_wins(SPIDER, cards[None], rules, [outcome.moves])
            assert reason is None, f"{seed}: {reason}"
            lengths.append(len(outcome.moves) // 2)
        else:
            left.append(f"{seed} ({outcome.result.value}, {outcome.nodes:,} positions)")
    seconds = np.array(times)
    interval = mean_interval(seconds)
    of_mean = "" if interval is None else f" ({interval.low:.4f} to {interval.high:.4f})"
    print(f"{rules.slug}, {sample}, {solver}: won {share(results[Result.WON], len(seconds))}")
    print(f"unwinnable {results[Result.UNWINNABLE]}, left {results[Result.GAVE_UP]}: {left}")
    print(f"CPU s a hand: mean {seconds.mean():.4f}{of_mean},", end=" ")
    percents = (50, 90, 99, 99.9, 100)
    print(", ".join(f"{p} %: {np.percentile(seconds, p):.4f}" for p in percents))
    print(f"moves of a win: median {np.median(lengths):.0f}, {min(lengths)} to {max(lengths)}")


def lost_games(
    asked: argparse.Namespace, rules: SpiderRules, sample: Sample
) -> Iterator[tuple[SpiderPosition, tuple[SpiderMove, ...]]]:
    """The games of a sample that a player loses."""
    player = parse_solver(asked.player)
    for cards in deals(sample):
        (outcome,) = player.solve(cards[None], rules)
        if outcome.played is not None:
            start = SpiderPosition.start(SpiderDeal.of(cards), rules)
            yield start, unpack_solution(outcome.played)


def print_dead_ends(asked: argparse.Namespace, rules: SpiderRules, sample: Sample) -> None:
    """How often the dead-end test fires."""
    stuck, tables = Stuck.new(), new_tables(1)
    seen, dead, ends = Counter[int](), Counter[int](), Counter[bool]()
    for start, moves in lost_games(asked, rules, sample):
        for position in positions(start, moves):
            rows = np.zeros((ROWS, COLUMNS), dtype=np.int8)
            lay_position(position, tables, rows)
            fires = bool(is_dead(tables, 0, rows, stuck))
            seen[len(position.stock)] += 1
            dead[len(position.stock)] += fires
        ends[fires] += 1
    for left in sorted(seen, reverse=True):
        print(f"{left} rows left: {share(dead[left], seen[left])} positions are dead ends")
    print(f"last positions of lost games: {share(ends[True], ends.total())}")


def print_marks(asked: argparse.Namespace, rules: SpiderRules, sample: Sample) -> None:
    """The verdicts beside moves, and how long they take."""
    player, chooser = parse_solver(asked.player), np.random.default_rng(sample.first)
    again, plain = parse_solver("spider-exact"), parse_solver("spider-plain(nodes=1000)")
    analyse(
        SpiderPosition.start(SpiderDeal.of(deals(sample)[0]), rules), Budget(AGAIN_MILLISECONDS)
    )
    times, moves, marked = [], Counter[str](), Counter[str]()
    for cards in deals(sample):
        (outcome,) = player.solve(cards[None], rules)
        played = unpack_solution(outcome.moves or outcome.played or b"")
        met = list(positions(SpiderPosition.start(SpiderDeal.of(cards), rules), played))
        position = met[chooser.integers(len(played))]
        since = time.perf_counter()
        found = analyse(position, Budget(AGAIN_MILLISECONDS))
        times.append(time.perf_counter() - since)
        own = different(found.moves)
        moves.update(each.verdict.value for each in own)
        marked[found.verdict.value] += 1
        marked["all moves decided"] += found.complete
        for each in own:
            if each.verdict == Verdict.WINNABLE:
                won = again.solve_position(each.after)
                assert won.moves is not None, f"not won again: {position.to_json()} {each.move}"
                assert replay(each.after, unpack_solution(won.moves)).is_won
            elif each.verdict == Verdict.UNWINNABLE:
                checked = plain.solve_position(each.after)
                assert checked.result is not Result.WON, f"{position.to_json()} {each.move}"
                moves["unwinnable by spider-plain, too"] += checked.result is Result.UNWINNABLE
    seconds = np.array(times)
    percents = ", ".join(f"{p} %: {np.percentile(seconds, p):.2f}" for p in (50, 90, 95, 99, 100))
    print(f"{len(seconds)} positions of {asked.player}, {rules.slug}: seconds {percents}")
    print("positions: " + "; ".join(f"{k} {share(n, len(seconds))}" for k, n in marked.items()))
    total = sum(moves[verdict.value] for verdict in Verdict)
    print("moves: " + "; ".join(f"{k} {share(n, total)}" for k, n in moves.items()))


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmark."""
    parts = {
        "hands": print_hands,
        "dead-ends": print_dead_ends,
        "marks": print_marks,
    }
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("part", choices=parts)
    parser.add_argument("sample", type=parse_sample)
    parser.add_argument("--rules", default="spider-4")
    parser.add_argument("--solver", default="spider-exact")
    parser.add_argument("--player", default="spider-player")
    asked = parser.parse_args(arguments)
    rules = parse_ruleset(asked.rules)
    assert isinstance(rules, SpiderRules)
    parts[asked.part](asked, rules, asked.sample)
    return 0


if __name__ == "__main__":
    sys.exit(main())
