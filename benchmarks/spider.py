"""Wins of the players of Spider, for comparison with the figures of the Spider blog.

    python benchmarks/spider.py periods    [--deals 20000]
    python benchmarks/spider.py turnovers  [--deals 20000] [--player monkey] [--ruleset …]
    python benchmarks/spider.py levels     [--deals 200] [--tries 200] [--wins 17,18]
    python benchmarks/spider.py tries      [--deals 200] [--tries 50] [--player look-ahead]
    python benchmarks/spider.py easy       [--deals 200] [--tries 30] [--player look-ahead]
    python benchmarks/spider.py players    [--deals 1000] [PLAYER ...]

All take `--first SEED` (of `thoughtful-1`) and `--workers N`. Intervals are at 95 %: exact for
shares, from a bootstrap for means; those of differences, and their p-values, are paired.

`periods`: the random Monkey at one suit with 500, 1,000 and 2,000 moves between rows, and games a
CPU second. `turnovers`: the share won by the number of guaranteed turnovers of the start. `levels`:
the Monkey's levels at four suits, on random hands and on an equal number of hands like the post's,
whose "equity" at one suit is 0.88: those of the following hands that the random Monkey wins 17 or
18 times of 20 there (or `--wins` times); with the mean number of completed runs, as in the post.
`tries`: the number of hands that the player never wins in `--tries` tries, each with its own random
seed; a hand that is won is not tried again. `easy`: how often the hands that it wins at the first
try are won in `--tries` further tries, and how often the one won most often is won in twice as many
again. `players`: share won and mean CPU time at four suits. Wins of the last three are replayed by
the referee.
"""

import argparse
import multiprocessing
import sys
from collections.abc import Callable, Sequence
from multiprocessing.pool import Pool

import numpy as np
from numpy.typing import NDArray

from catalogue.interrupts import ended_by_signals
from catalogue.outcomes.chunk import UnprovedWin
from catalogue.statistics import clopper_pearson, mean_interval, paired
from engine.dealing.dealers import get_dealer
from engine.errors import BadInput
from engine.kernels.decorators import kernel
from engine.replay import wins
from engine.rulesets import parse_ruleset
from engine.spider import GAME as SPIDER
from engine.spider.board import COMPLETED, deal_row, lay_out, new_board, shift, turn_all_up
from engine.spider.deal import COLUMNS, FACE_UP, RUNS, SpiderDeal, as_counted
from engine.spider.referee import SpiderPosition
from engine.spider.rules import SpiderRules
from engine.spider.turnovers import guaranteed_turnovers
from solvers.outcome import Result
from solvers.solver import parse_solver

ONE, FOUR = "spider-1-relaxed", "spider-4-relaxed"
PLAYERS = (
    "look-ahead(iterations=100)",
    "look-ahead(iterations=1000)",
    "spider-player(width=25)",
    "spider-player(width=100)",
    "spider-player(width=400)",
    "spider-player(width=1600)",
)
LEVELS = ("level=1", "level=2", "level=3", *(f"level=4,p={p}" for p in range(10, 100, 10)))
# The easy hands are chosen from this multiple of their number, by this number of tries.
POOL, EASY_TRIES = 20, 20


def play(task: tuple[str, str, NDArray[np.uint8], bool]) -> NDArray[np.float64]:
    """Play deals; return whether each is won, its CPU seconds and completed runs, float64[n, 3].

    Raises:
        UnprovedWin: a win that the referee, if used, does not accept.
    """
    ruleset, name, deals, refereed = task
    rules, solver = parse_ruleset(ruleset), parse_solver(name)
    assert isinstance(rules, SpiderRules)
    found = []
    outcomes = solver.solve(deals, rules)
    for whole, deal, outcome in zip(deals, as_counted(deals, rules.suits), outcomes, strict=True):
        moves = outcome.moves or outcome.played
        if refereed and outcome.moves is not None:
            start = SpiderPosition.start(SpiderDeal.of(whole), rules)
            if not wins(start, SPIDER.unpack(outcome.moves)):
                raise UnprovedWin(f"the referee does not accept a win of {name}")
        assert moves is not None
        gone = completed_runs(deal, np.frombuffer(moves, dtype=np.uint8), new_board())
        assert (gone == RUNS) == (outcome.result is Result.WON)
        found.append((gone == RUNS, (outcome.cpu_ms or 0.0) / 1000, gone))
    return np.array(found, dtype=np.float64)


@kernel
def completed_runs(deal, moves, board):  # type: ignore[no-untyped-def]  # a kernel
    """The number of runs completed by packed moves."""
    lay_out(deal, board)
    for at in range(0, len(moves), 2):
        if moves[at] == 0:
            deal_row(board, deal)
        else:
            columns = int(moves[at]) - 1
            shift(board, columns // COLUMNS, columns % COLUMNS, int(moves[at + 1]))
        turn_all_up(board, deal)
    return board.meta[COMPLETED]


class Table:
    """A table where deals are played in several processes, or in this one.

    Args:
        pool: a pool of processes; without it deals are played in this process.
        first: seed of the first deal.
        workers: number of processes of the pool.
    """

    def __init__(self, pool: Pool | None, first: int, workers: int) -> None:
        self.pool = pool
        self.first = first
        self.workers = workers

    def deals(self, count: int, skip: int = 0) -> NDArray[np.uint8]:
        """The next deals, uint8[count, 104]."""
        return get_dealer("thoughtful-1").deal_block(self.first + skip, count, SPIDER)

    def play(
        self, ruleset: str, name: str, deals: NDArray[np.uint8], refereed: bool = False
    ) -> NDArray[np.float64]:
        """See `play`."""
        parts = np.array_split(deals, min(len(deals), 8 * self.workers))
        tasks = [(ruleset, name, part, refereed) for part in parts]
        return np.concatenate(self.pool.map(play, tasks, 1) if self.pool else [*map(play, tasks)])


def share(won: int, of: int) -> str:
    """A share in percent with its interval, as text."""
    if not of:
        return "—"
    interval = clopper_pearson(won, of, 0.95)
    return f"{100 * won / of:.2f} ({100 * interval.low:.2f}–{100 * interval.high:.2f})"


def spread(seconds: NDArray[np.float64]) -> str:
    """A mean with its interval, as text."""
    interval = mean_interval(seconds, 0.95)
    ends = "" if interval is None else f" ({interval.low:.3g}–{interval.high:.3g})"
    return f"{seconds.mean():.3g}{ends}"


def against(first: NDArray[np.bool_] | None, second: NDArray[np.bool_]) -> str:
    """The difference of wins on the same hands, second minus first, in points, as text."""
    if first is None:
        return ""
    both, gained, lost, neither = (
        int(each.sum())
        for each in (first & second, second & ~first, first & ~second, ~first & ~second)
    )
    found = paired(both, gained, lost, neither, level=0.95)
    ends = f"{100 * found.interval.low:+.2f} to {100 * found.interval.high:+.2f}"
    return f"{100 * found.difference:+.2f} ({ends}), p = {found.p_value:.3g}"


def print_periods(table: Table, asked: argparse.Namespace) -> None:
    """Print the results of the random Monkey by the number of moves between rows."""
    deals = table.deals(asked.deals or 20_000)
    print("| moves between rows | games | won % | difference | CPU s per game | games per CPU s |")
    print("|---|---|---|---|---|---|")
    usual = None
    for period in (1000, 500, 2000):
        games = table.play(ONE, f"monkey(period={period})", deals)
        won = games[:, 0] > 0
        more = against(usual, won)
        usual = won if usual is None else usual
        print(
            f"| {period} | {len(games):,} | {share(int(won.sum()), len(games))} | {more} "
            f"| {spread(games[:, 1])} | {1 / games[:, 1].mean():,.0f} |",
            flush=True,
        )


def print_turnovers(table: Table, asked: argparse.Namespace) -> None:
    """Print the share won by guaranteed turnovers."""
    deals = table.deals(asked.deals or 20_000)
    name, ruleset = asked.player or "monkey", asked.ruleset or ONE
    won = table.play(ruleset, name, deals)[:, 0]
    turnovers = guaranteed_turnovers(deals[:, FACE_UP])
    print(f"{name} under {ruleset}\n")
    print("| guaranteed turnovers | hands | won % |")
    print("|---|---|---|")
    for number in range(10):
        here = won[turnovers == number]
        print(f"| {number} | {len(here):,} | {share(int(here.sum()), len(here))} |")


def print_levels(table: Table, asked: argparse.Namespace) -> None:
    """Print the results of the levels on random and on easy hands."""
    count, tries = asked.deals or 200, asked.tries or 200
    hands = table.deals(POOL * count, count)
    wins = np.zeros(len(hands))
    for seed in range(EASY_TRIES):
        wins += table.play(ONE, f"monkey(random_seed={seed})", hands)[:, 0]
    easy = np.flatnonzero(np.isin(wins, asked.wins))[:count]
    print(
        f"{len(easy)} easy hands, won {' or '.join(map(str, asked.wins))} times of {EASY_TRIES} at "
        f"one suit; all hands {wins.mean():.1f} times\n"
    )
    print("| hands | level | games | won % | completed runs, mean |")
    print("|---|---|---|---|---|")
    for kind, deals in (("random", table.deals(count)), ("easy", hands[easy])):
        for level in LEVELS:
            games = np.concatenate(
                [
                    table.play(FOUR, f"monkey({level},random_seed={seed})", deals)
                    for seed in range(max(1, tries // count))
                ]
            )
            print(
                f"| {kind} | {level} | {len(games):,} "
                f"| {share(int(games[:, 0].sum()), len(games))} | {spread(games[:, 2])} |",
                flush=True,
            )
        games = table.play(FOUR, "look-ahead", deals)
        print(
            f"| {kind} | look-ahead | {len(games):,} "
            f"| {share(int(games[:, 0].sum()), len(games))} | — |",
            flush=True,
        )


def print_tries(table: Table, asked: argparse.Namespace) -> None:
    """Print how many hands are never won in a number of tries."""
    deals, tries = table.deals(asked.deals or 200), asked.tries or 50
    name, ruleset = asked.player or "look-ahead", asked.ruleset or FOUR
    method = name.rstrip(")") + ("," if "(" in name else "(")
    left = np.arange(len(deals))
    seconds, firsts = [], []
    for seed in range(tries):
        games = table.play(ruleset, f"{method}random_seed={seed})", deals[left], True)
        won = games[:, 0] > 0
        left = left[~won]
        firsts.append(int(won.sum()))
        seconds.append(games[:, 1])
        if not len(left):
            break
    print(
        f"{name} under {ruleset}: up to {tries} tries of each of {len(deals)} hands until a win\n"
    )
    print(f"never won: {len(left)} hands, {share(len(left), len(deals))} %")
    print(f"won at the first try: {share(firsts[0], len(deals))} %")
    print(f"games: {sum(map(len, seconds)):,}; CPU s a game: {spread(np.concatenate(seconds))}")
    print("first wins by try: " + ", ".join(f"{k}: {n}" for k, n in enumerate(firsts, 1) if n))


def print_easy(table: Table, asked: argparse.Namespace) -> None:
    """Print how often hands that the player wins at the first try are won in further tries."""
    deals, tries = table.deals(asked.deals or 200), asked.tries or 30
    name, ruleset = asked.player or "look-ahead", asked.ruleset or FOUR
    method = name.rstrip(")") + ("," if "(" in name else "(")
    easy = deals[table.play(ruleset, f"{method}random_seed=0)", deals, True)[:, 0] > 0]
    print(f"{name} under {ruleset}: {len(easy)} of {len(deals)} hands are won at the first try")
    if not len(easy):
        return

    def count_wins(hands: NDArray[np.uint8], first: int, games: int) -> NDArray[np.int64]:
        won = np.zeros(len(hands), dtype=np.int64)
        for seed in range(first, first + games):
            won += table.play(ruleset, f"{method}random_seed={seed})", hands, True)[:, 0] > 0
        return won

    won = count_wins(easy, 1, tries)
    print(f"wins of each in {tries} further tries: {', '.join(map(str, sorted(won.tolist())))}")
    print(f"on average {spread(100 * won / tries)} %, each hand counted once")
    best = int(won.argmax())
    again = int(count_wins(easy[best : best + 1], 1 + tries, 2 * tries)[0])
    print(f"the one won most often: {again} of {2 * tries} more, {share(again, 2 * tries)} %")


def print_players(table: Table, asked: argparse.Namespace) -> None:
    """Print the results of players at four suits."""
    deals = table.deals(asked.deals or 1_000)
    ruleset = asked.ruleset or FOUR
    print(f"{len(deals):,} hands from thoughtful-1:{table.first} on, under {ruleset}\n")
    print("| player | won % | difference from the one before | CPU s per game |")
    print("|---|---|---|---|")
    before = None
    for name in asked.players or PLAYERS:
        games = table.play(ruleset, name, deals, True)
        won = games[:, 0] > 0
        more = against(before, won)
        before = won
        print(
            f"| {name} | {share(int(won.sum()), len(games))} | {more} | {spread(games[:, 1])} |",
            flush=True,
        )


QUESTIONS: dict[str, Callable[[Table, argparse.Namespace], None]] = {
    "periods": print_periods,
    "turnovers": print_turnovers,
    "levels": print_levels,
    "tries": print_tries,
    "easy": print_easy,
    "players": print_players,
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Play and print; return the exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("question", choices=QUESTIONS)
    parser.add_argument("players", metavar="PLAYER", nargs="*")
    parser.add_argument("--deals", type=int)
    parser.add_argument("--tries", type=int)
    parser.add_argument(
        "--wins", type=lambda text: [int(each) for each in text.split(",")], default=[17, 18]
    )
    parser.add_argument("--player")
    parser.add_argument("--ruleset")
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--workers", type=int, default=2)
    asked = parser.parse_args(arguments)
    try:
        for name in (*asked.players, *filter(None, [asked.player])):
            parse_solver(name).check_plays(parse_ruleset(asked.ruleset or FOUR))
        ask = QUESTIONS[asked.question]
        if asked.workers == 1:
            ask(Table(None, asked.first, 1), asked)
        else:
            with multiprocessing.get_context("spawn").Pool(asked.workers) as pool:
                ask(Table(pool, asked.first, asked.workers), asked)
    except BadInput as error:
        print(error, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    with ended_by_signals():
        sys.exit(main())
