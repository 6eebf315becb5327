"""Games of Spider players, deal after deal, and their outcomes."""

# mypy: allow-untyped-calls

from collections.abc import Callable
from functools import partial

import numpy as np
from numpy.typing import NDArray

from engine.errors import BadInput
from engine.kernels.compiling import solving_time
from engine.kernels.rng import seed_rng
from engine.spider.board import Board, lay_out, lay_position, new_board
from engine.spider.deal import CARDS, COLUMN_SIZES, COLUMN_START, FACE_UP, as_counted
from engine.spider.referee import SpiderPosition
from engine.spider.rules import SpiderRules
from solvers.outcome import Outcome
from solvers.spider.play import NO_ROOM, WON

UNSEEN = 255
# Initial capacity for the moves of a game.
USUAL_MOVES = 4096

# Plays one game of a deal uint8[104] in flat order, on a board at its start or later, with a
# generator state int64[2], into a line int64[…]; returns WON, LOST or NO_ROOM, the number of moves,
# and the nodes.
# A negative number of moves with NO_ROOM: the line was long enough, and the player has made room.
PlayGame = Callable[
    [NDArray[np.uint8], Board, NDArray[np.int64], NDArray[np.int64]], tuple[int, int, int]
]


def seen_at_start(deal: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """The observation of a starting deal uint8[104]: UNSEEN for all but the ten face-up cards."""
    seen = np.full_like(deal, UNSEEN)
    up = list(FACE_UP)
    seen[up] = deal[up]
    return seen


def packed(line: NDArray[np.int64]) -> bytes:
    """Convert a line of `solvers.spider.monkey_game` into packed moves of `engine.spider.moves`."""
    pairs = np.zeros((len(line), 2), dtype=np.uint8)
    runs = line > 0
    # A run has 1 to 13 cards, so the low four bits are the number of cards.
    pairs[runs, 0] = 1 + (line[runs] >> 4)
    pairs[runs, 1] = line[runs] & 15
    return pairs.tobytes()


def play_deals(
    deals: NDArray[np.uint8], rules: SpiderRules, random_seed: int, play: PlayGame
) -> list[Outcome]:
    """Play deals uint8[n, 104]; one outcome for each. A game without room is repeated with more.

    The generator of each is seeded by `random_seed` and the observation of the start.
    """
    table = _PlayerTable(random_seed, play)
    return [
        table.outcome(deal, seen_at_start(deal), partial(lay_out, deal))
        for deal in np.ascontiguousarray(as_counted(deals, rules.suits))
    ]


def play_position(position: SpiderPosition, random_seed: int, play: PlayGame) -> Outcome:
    """Play on from a position; from the start of a deal just as `play_deals` does.

    Raises:
        BadInput: the position is none that play leads to.
    """
    deal, seen = _dealt(position)
    if position.is_won:
        return Outcome.of_game(True, b"", 0, 0.0)
    return _PlayerTable(random_seed, play).outcome(deal, seen, partial(lay_position, position))


def _dealt(position: SpiderPosition) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    """The cards that are still to be seen in their places of a deal, and what is seen.

    What is seen has the form of `seen_at_start`, and more places for columns that are longer.
    """
    deal = np.full(CARDS, UNSEEN, dtype=np.uint8)
    for column, down in enumerate(position.down):
        if len(down) >= COLUMN_SIZES[column]:
            raise BadInput(
                f"column {column} has {len(down)} face-down cards: expected "
                f"{COLUMN_SIZES[column] - 1} at most"
            )
        deal[COLUMN_START[column] : COLUMN_START[column] + len(down)] = down
    rows = np.array(position.stock, dtype=np.uint8).ravel()
    deal[CARDS - rows.size :] = rows
    seen = np.full(CARDS, UNSEEN, dtype=np.uint8)
    longer: list[int] = []
    for column, (down, up) in enumerate(zip(position.down, position.up, strict=True)):
        for level, card in enumerate(up, start=len(down)):
            if level < COLUMN_SIZES[column]:
                seen[COLUMN_START[column] + level] = card
            else:
                longer.append(card)
    return deal, np.concatenate([seen, np.array(longer, dtype=np.uint8)])


class _PlayerTable:
    """The memory of a player for its games."""

    def __init__(self, random_seed: int, play: PlayGame) -> None:
        self.random_seed = random_seed
        self.play = play
        self.board = new_board()
        self.rng = np.zeros(2, dtype=np.int64)
        self.line = np.zeros(USUAL_MOVES, dtype=np.int64)

    def outcome(
        self, deal: NDArray[np.uint8], seen: NDArray[np.uint8], lay: Callable[[Board], None]
    ) -> Outcome:
        """The outcome of a game from what is laid on the board."""
        start = solving_time()
        while True:
            seed_rng(seen, self.random_seed, self.rng)
            lay(self.board)
            ended, length, nodes = self.play(deal, self.board, self.rng, self.line)
            if ended != NO_ROOM:
                break
            if length >= 0:
                self.line = np.zeros(2 * len(self.line), dtype=np.int64)
        seconds = solving_time() - start
        return Outcome.of_game(ended == WON, packed(self.line[:length]), int(nodes), seconds)
