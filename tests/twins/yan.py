"""Naive twins of the strategies of Yan et al. (2004), sections 4.1 and 4.2, on the referee."""

from dataclasses import replace

from engine.cards import KING, is_red, rank
from engine.klondike.deal import KlondikeDeal
from engine.klondike.moves import REDEAL, KlondikeKind, KlondikeMove
from engine.klondike.referee import KlondikePosition
from solvers.klondike.yan.heuristic import YanReading

Rating = tuple[int, int]


class NaiveRng:
    """The generator of `engine.kernels.rng`, step by step."""

    def __init__(self, shifted: int, counter: int) -> None:
        self.shifted = shifted
        self.counter = counter

    @classmethod
    def of_deal(cls, deal: KlondikeDeal, random_seed: int) -> "NaiveRng":
        mixed = cls.mix(random_seed)
        for place, card in enumerate(deal.cards):
            mixed = cls.mix((mixed + 53 * place + card + 1) % 2**32)
        return cls(mixed | 1, cls.mix(2**32 - 1 - mixed))

    @staticmethod
    def mix(number: int) -> int:
        for _ in range(2):
            number = ((number // 2**16) ^ number) * 0x45D9F3B % 2**32
        return (number // 2**16) ^ number

    def below(self, bound: int) -> int:
        self.shifted ^= self.shifted * 2**13 % 2**32
        self.shifted ^= self.shifted // 2**17
        self.shifted ^= self.shifted * 2**5 % 2**32
        self.counter = (self.counter + 362437) % 2**32
        return (self.shifted + self.counter) % 2**32 * bound // 2**32

    def split(self) -> "NaiveRng":
        """A generator of its own for a simulation."""
        first, second = self.below(2**31), self.below(2**31)
        return NaiveRng(self.mix(first) | 1, self.mix(second))


def naive_rating(
    position: KlondikePosition, move: KlondikeMove, reading: YanReading
) -> Rating | None:
    """Score and priority of a legal move; None for a move that is disabled."""

    def waits(card: int) -> bool:
        if rank(card) != KING:
            return False
        hidden = [c for column in position.down for c in column]
        queens = [c for c in hidden if rank(c) == KING - 1 and is_red(c) != is_red(card)]
        return len(queens) >= reading.queens

    match move.kind:
        case KlondikeKind.TURN | KlondikeKind.REDEAL:
            return (0, 0)
        case KlondikeKind.WASTE_UP:
            return (0 if waits(position.waste[-1]) else reading.waste_up, 0)
        case KlondikeKind.WASTE_DOWN:
            return (0, -1) if waits(position.waste[-1]) else (5, 1)
        case KlondikeKind.UP:
            return (0 if waits(position.up[move.source][-1]) else 5, 0)
        case KlondikeKind.DOWN:
            return None
        case KlondikeKind.RUN:
            hidden = len(position.down[move.source])
            first = position.up[move.source][0]
            if hidden:
                return (0 if waits(first) else reading.turning, hidden + 1)
            return None if rank(first) == KING else (0, 1)


class NaivePlay:
    """Play by h, h′, h″ …, as the section says; what a position offers is worked out once.

    Attributes:
        played: moves made so far in all games and simulations.
    """

    def __init__(self, reading: YanReading) -> None:
        self.reading = reading
        self.played = 0
        self._legal: dict[KlondikePosition, list[KlondikeMove]] = {}
        self._best: dict[KlondikePosition, list[KlondikeMove]] = {}
        self._after: dict[tuple[KlondikePosition, KlondikeMove], KlondikePosition] = {}

    def legal(self, position: KlondikePosition) -> list[KlondikeMove]:
        if position not in self._legal:
            self._legal[position] = position.legal_moves()
        return self._legal[position]

    def best(self, position: KlondikePosition) -> list[KlondikeMove]:
        """The moves that h chooses from."""
        if position not in self._best:
            rated = [(naive_rating(position, m, self.reading), m) for m in self.legal(position)]
            allowed = [(rating, move) for rating, move in rated if rating is not None]
            top = max((rating for rating, _ in allowed), default=None)
            self._best[position] = [move for rating, move in allowed if rating == top]
        return self._best[position]

    def tried(self, position: KlondikePosition, card_moved: bool) -> list[KlondikeMove]:
        """The moves that a rollout tries."""

        def juggles(move: KlondikeMove) -> bool:
            return (
                move.kind is KlondikeKind.RUN
                and not position.down[move.source]
                and rank(position.up[move.source][0]) == KING
            )

        return [
            move
            for move in self.legal(position)
            if not juggles(move)
            and (move != REDEAL or card_moved)
            and (move.kind is not KlondikeKind.DOWN or self.reading.tries_down)
        ]

    def after(
        self, position: KlondikePosition, card_moved: bool, move: KlondikeMove
    ) -> tuple[KlondikePosition, bool]:
        """The position after a move, and whether a card has moved since the last redeal."""
        if (position, move) not in self._after:
            # Redeals are unlimited: not counting them lets positions be found again.
            self._after[position, move] = replace(position.play(move), redeals_used=0)
        moved = (
            card_moved if move.kind is KlondikeKind.TURN else move.kind is not KlondikeKind.REDEAL
        )
        return self._after[position, move], moved

    def choice(
        self, position: KlondikePosition, card_moved: bool, rng: NaiveRng
    ) -> KlondikeMove | None:
        """The move of h, or None where it has lost."""
        best = self.best(position)
        if not best:
            return None
        move = best[rng.below(len(best))] if len(best) > 1 else best[0]
        return None if move == REDEAL and not card_moved else move

    def game(
        self, position: KlondikePosition, card_moved: bool, iterations: int, rng: NaiveRng
    ) -> tuple[bool, list[KlondikeMove]]:
        """Whether the strategy after so many rollouts wins, and all moves of the game."""
        line: list[KlondikeMove] = []
        while not position.is_won:
            for strategy in range(iterations, 0, -1):
                for move in self.tried(position, card_moved):
                    follower, moved = self.after(position, card_moved, move)
                    self.played += 1
                    won, rest = self.game(follower, moved, strategy - 1, rng.split())
                    if won:
                        return True, [*line, move, *rest]
            chosen = self.choice(position, card_moved, rng)
            if chosen is None:
                return False, line
            position, card_moved = self.after(position, card_moved, chosen)
            self.played += 1
            line.append(chosen)
        return True, line

    def strays_needed(self, position: KlondikePosition, card_moved: bool, most: int) -> int | None:
        """The fewest moves that h would not make in any line that wins; None if more than most."""
        seen: set[tuple[KlondikePosition, bool]] = set()
        waiting = [(position, card_moved)]
        for strays in range(most + 1):
            further = []
            while waiting:
                state = waiting.pop()
                if state in seen:
                    continue
                seen.add(state)
                if state[0].is_won:
                    return strays
                best = self.best(state[0])
                for move in self.tried(*state):
                    (waiting if move in best else further).append(self.after(*state, move))
            waiting = further
        return None
