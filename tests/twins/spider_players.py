"""Naive twins of the Monkey and of `look-ahead`, after the posts, on the referee's moves."""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from engine.spider.deal import COLUMN_START, COLUMNS, ROWS, SpiderDeal
from engine.spider.moves import DEAL, SpiderMove, run, unpack_solution
from engine.spider.referee import SpiderPosition
from engine.spider.rules import SpiderRules
from solvers.outcome import Outcome, Result
from twins.spider_board import HIDDEN_AT_START, built, connectors, covered, runs_allowed
from twins.yan import NaiveRng


def rng_of(deal: SpiderDeal, rules: SpiderRules, random_seed: int) -> NaiveRng:
    """Seeded by what is seen at the start; 255 stands for a card that is not."""
    mixed = NaiveRng.mix(random_seed)
    for place, card in enumerate(deal.cards):
        seen = rules.shown(card) if place + 1 in COLUMN_START[1:] else 255
        mixed = NaiveRng.mix((mixed + 53 * place + seen + 1) % 2**32)
    return NaiveRng(mixed | 1, NaiveRng.mix(2**32 - 1 - mixed))


class NaiveMonkey:
    """What may be drawn at each level; what a position offers is worked out once.

    Attributes:
        met: what happened in games.
    """

    def __init__(self) -> None:
        self.met: Counter[str] = Counter()
        self._moves: dict[SpiderPosition, list[tuple[SpiderMove, int]]] = {}
        self._after: dict[tuple[SpiderPosition, SpiderMove], SpiderPosition] = {}

    def _monkey_moves(self, position: SpiderPosition) -> Iterator[SpiderMove]:
        """Introduction to the Monkey Algorithm."""
        for move in runs_allowed(position):
            if not position.up[move.target]:
                # A run is not split onto an empty column, so all of it goes that can.
                if move.cards < position.run_length(move.source):
                    continue
                # The entire contents of a column are not shifted onto another empty column.
                if move.cards == len(position.down[move.source]) + len(position.up[move.source]):
                    continue
            yield move

    def after(self, position: SpiderPosition, move: SpiderMove) -> SpiderPosition:
        if (position, move) not in self._after:
            self._after[position, move] = position.play(move)
        return self._after[position, move]

    def moves(self, position: SpiderPosition) -> list[tuple[SpiderMove, int]]:
        """Every move of the Monkey, and how many connectors more there are after it."""
        if position not in self._moves:
            self._moves[position] = [
                (move, built(self.after(position, move)) - built(position))
                for move in self._monkey_moves(position)
            ]
        return self._moves[position]

    def choices(self, position: SpiderPosition, level: int) -> list[SpiderMove]:
        """Improved Monkey Algorithm; by source and target."""
        moves = self.moves(position)
        if level == 1:
            return [move for move, _ in moves]
        if level == 2:
            return [move for move, more in moves if more >= 0]
        gaining = [move for move, more in moves if more > 0]
        return gaining or [move for move, more in moves if more == 0]

    def game(
        self,
        position: SpiderPosition,
        level: int,
        percent: int,
        period: int,
        rng: NaiveRng,
    ) -> tuple[bool, list[SpiderMove]]:
        """A whole game from a position: whether it is won, and its moves."""
        line: list[SpiderMove] = []
        due = passing = False
        for counter in range(1, period * (ROWS + 1)):
            if counter % period == 0:
                due, passing = True, False
                self.met["waited"] += position.why_illegal(DEAL) is not None
            if passing:
                continue
            if due and position.why_illegal(DEAL) is None:
                move, due = DEAL, False
            else:
                choices = self.choices(position, drawn(level, percent, rng))
                if not choices:
                    if due or not position.stock:
                        self.met["stuck, due"] += due
                        return False, line
                    self.met["passed"] += 1
                    passing = True
                    continue
                move = choices[rng.below(len(choices))]
            position = position.play(move)
            line.append(move)
            if position.is_won:
                return True, line
        self.met["out of time"] += 1
        return False, line


def drawn(level: int, percent: int, rng: NaiveRng) -> int:
    """Level 4 is 3 with this chance in percent, else 2."""
    if level < 4:
        return level
    return 3 if rng.below(100) < percent else 2


@dataclass
class NaiveLookAhead:
    """Look-Ahead Algorithms.

    Attributes:
        weights: points for a card turned up, a connector, a run gone.
    """

    weights: tuple[int, int, int]
    iterations: int
    moves: int
    level: int
    percent: int = 0

    def __post_init__(self) -> None:
        self.monkey = NaiveMonkey()

    def score(self, position: SpiderPosition) -> int:
        turned = HIDDEN_AT_START - sum(map(len, position.down))
        counts = turned, connectors(position), sum(position.completed)
        return sum(weight * count for weight, count in zip(self.weights, counts, strict=True))

    def guaranteed(self, position: SpiderPosition, rng: NaiveRng) -> tuple[int, list[SpiderMove]]:
        """The highest score found by random sequences, and the moves up to it."""
        start = covered(position)
        highest, best = self.score(start), list[SpiderMove]()
        for _ in range(self.iterations):
            trial, tried = start, list[SpiderMove]()
            while len(tried) < self.moves:
                choices = self.monkey.choices(trial, drawn(self.level, self.percent, rng))
                if not choices:
                    break
                tried.append(choices[rng.below(len(choices))])
                trial = self.monkey.after(trial, tried[-1])
                if self.score(trial) > highest:
                    highest, best = self.score(trial), list(tried)
        return highest, best

    def highest(self, position: SpiderPosition, most: int) -> int | None:
        """The highest score of any sequence; None if there are more positions than `most`."""
        seen = {covered(position)}
        waiting = list(seen)
        while waiting:
            here = waiting.pop()
            for move in self.monkey.choices(here, self.level):
                after = here.play(move)
                if after not in seen:
                    seen.add(after)
                    waiting.append(after)
            if len(seen) > most:
                return None
        return max(map(self.score, seen))

    def game(self, position: SpiderPosition, rng: NaiveRng) -> tuple[bool, list[SpiderMove], int]:
        """A whole game from a position: whether it is won, its moves, and how many decisions."""
        return game_by(lambda here: (self.guaranteed(here, rng)[1], 1), position)


def naive_row(position: SpiderPosition) -> list[SpiderMove]:
    """Moves that fill the empty columns, where the rules say so, and the row.

    Without the row if there are too few cards.
    """
    moves: list[SpiderMove] = []
    while position.why_illegal(DEAL) is not None:
        sizes = [len(down) + len(up) for down, up in zip(position.down, position.up, strict=True)]
        sources = [column for column in range(COLUMNS) if sizes[column] > 1]
        if not sources:
            return moves
        # The shortest run, the first such, onto the last empty column; a card stays.
        source = min(sources, key=position.run_length)
        target = max(column for column in range(COLUMNS) if not sizes[column])
        count = min(position.run_length(source), sizes[source] - 1)
        moves.append(run(source, target, count))
        position = position.play(moves[-1])
    return [*moves, DEAL]


def game_by(
    decide: Callable[[SpiderPosition], tuple[list[SpiderMove], int]], position: SpiderPosition
) -> tuple[bool, list[SpiderMove], int]:
    """A whole game from a position: whether it is won, its moves, and what decisions cost in all.

    `decide` says which moves are to be played, up to the first card that turns up, and what it cost
    to find them; without moves a row is dealt.
    """
    line: list[SpiderMove] = []
    total = 0
    while not position.is_won:
        best, cost = decide(position)
        total += cost
        if not best:
            if not position.stock:
                return False, line, total
            for move in (row := naive_row(position)):
                position = position.play(move)
                line.append(move)
            if row[-1:] != [DEAL]:
                return False, line, total
        for move in best:
            before, position = position.down, position.play(move)
            line.append(move)
            if position.down != before:
                break
    return True, line, total


def line_of(outcome: Outcome) -> list[SpiderMove]:
    """The moves of a game, won or lost."""
    assert (outcome.moves is None) == (outcome.result is Result.LOST)
    assert (outcome.played is None) == (outcome.result is Result.WON)
    packed = outcome.played if outcome.moves is None else outcome.moves
    assert packed is not None
    return list(unpack_solution(packed))


def positions(start: SpiderPosition, line: list[SpiderMove]) -> Iterator[SpiderPosition]:
    """Of a game, from its start to its end; the referee checks each move."""
    yield start
    for move in line:
        start = start.play(move)
        yield start
