"""Naive twin of the beam search of `spider-player` on the referee's moves."""

from dataclasses import dataclass
from itertools import pairwise

from engine.cards import rank, suit
from engine.spider.deal import COLUMNS
from engine.spider.moves import SpiderMove
from engine.spider.referee import SpiderPosition
from solvers.spider.beam_value import KEYS
from twins.spider_board import HIDDEN_AT_START, connectors, covered, table_of_position
from twins.spider_players import NaiveMonkey, game_by
from twins.yan import NaiveRng

Known = tuple[object, ...]


def run_lengths(column: tuple[int, ...]) -> list[int]:
    """Of a column's face-up cards, from bottom to top."""
    lengths = [1] if column else []
    for below, above in pairwise(column):
        if suit(below) == suit(above) and rank(below) == rank(above) + 1:
            lengths[-1] += 1
        else:
            lengths.append(1)
    return lengths


def squares(position: SpiderPosition) -> int:
    return sum(
        (length - 1) ** 2
        for column in table_of_position(position).up
        for length in run_lengths(column)
    )


def empty(position: SpiderPosition) -> list[int]:
    """The empty columns."""
    return [
        n
        for n, (down, up) in enumerate(zip(position.down, position.up, strict=True))
        if not down and not up
    ]


def known(position: SpiderPosition) -> Known:
    """What tells positions apart: columns without face-down cards may change places."""
    table = table_of_position(position)
    columns = list(zip(table.up, table.down, strict=True))
    return (
        tuple(sorted(up for up, down in columns if not down)),
        tuple((n, up) for n, (up, down) in enumerate(columns) if down),
    )


def signature(position: SpiderPosition) -> int:
    """By the definition of `solvers.spider.beam_value`."""
    table = table_of_position(position)
    whole = 0
    for column in range(COLUMNS):
        down = table.down[column]
        total = int(KEYS[52 + column]) if down else 0
        for level, card in enumerate(table.up[column], start=down):
            total += int(KEYS[card]) * (2 * level + 1)
        low = NaiveRng.mix(total % 2**32 ^ 0x2545F491)
        high = NaiveRng.mix(total // 2**32 ^ low)
        low = NaiveRng.mix(low ^ high // 2**7)
        whole += high % 2**26 * 2**32 + low
    return whole


@dataclass
class NaiveBeam:
    """Attributes:
    points: for a card turned up, a connector, a run gone, the square of a run's connectors, an
        empty column, and the range of the random part.
    """

    points: tuple[int, ...]
    width: int
    moves: int

    def __post_init__(self) -> None:
        self.monkey = NaiveMonkey()

    def guide(self, position: SpiderPosition) -> int:
        turned = HIDDEN_AT_START - sum(map(len, position.down))
        counts = turned, connectors(position), sum(position.completed), squares(position)
        return sum(each * count for each, count in zip(self.points[:4], counts, strict=True))

    def choice(self, position: SpiderPosition) -> int:
        return self.guide(position) + self.points[4] * len(empty(position))

    def options(self, position: SpiderPosition) -> list[SpiderMove]:
        """The Monkey's that break no run; of empty columns the first."""
        others = set(empty(position)[1:])
        return [move for move in self.monkey.choices(position, 2) if move.target not in others]

    def look(self, position: SpiderPosition, rng: NaiveRng) -> tuple[list[SpiderMove], int]:
        """The sequence chosen, and how many positions beams held."""
        start = covered(position)
        salt = rng.below(2**31)
        beam: list[tuple[SpiderPosition, list[SpiderMove]]] = [(start, [])]
        held = {known(start)}
        best: tuple[int, int, int, list[SpiderMove]] | None = None
        total = 1
        for level in range(self.moves):
            found: dict[Known, tuple[int, SpiderPosition, list[SpiderMove]]] = {}
            for here, line in beam:
                for move in self.options(here):
                    after = self.monkey.after(here, move)
                    mixed = signature(after)
                    shade = NaiveRng.mix(NaiveRng.mix(mixed % 2**32 ^ salt) ^ mixed // 2**32)
                    worth = self.guide(after) * 2**32 + self.points[5] * shade
                    rating = self.choice(after), -level, worth
                    if self.guide(after) > self.guide(start) and (
                        best is None or rating > best[:3]
                    ):
                        best = (*rating, [*line, move])
                    if known(after) not in held:
                        found.setdefault(known(after), (worth, after, [*line, move]))
            order = sorted(found.values(), key=lambda each: -each[0])[: self.width]
            beam = [(after, line) for _, after, line in order]
            held |= {known(after) for after, _ in beam}
            total += len(beam)
        return best[3] if best else [], total

    def reachable(self, position: SpiderPosition, most: int) -> list[SpiderPosition] | None:
        """What moves lead to, the start included; None if there are more than `most`."""
        seen = {known(covered(position)): covered(position)}
        waiting = list(seen.values())
        while waiting:
            here = waiting.pop()
            for move in self.options(here):
                after = here.play(move)
                if known(after) not in seen:
                    seen[known(after)] = after
                    waiting.append(after)
            if len(seen) > most:
                return None
        return list(seen.values())

    def game(self, position: SpiderPosition, rng: NaiveRng) -> tuple[bool, list[SpiderMove], int]:
        """A whole game from a position: whether it is won, its moves, positions that beams held."""
        return game_by(lambda here: self.look(here, rng), position)
