"""Games of Spider players, deal after deal, and their outcomes."""

# mypy: allow-untyped-calls

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from engine.compiling import solving_time
from engine.rng import seed_rng
from engine.spider.board import Board, lay_out, new_board
from engine.spider.deal import FACE_UP, as_counted
from engine.spider.rules import SpiderRules
from solvers.outcome import Outcome
from solvers.spider.play import NO_ROOM, WON

UNSEEN = 255
# Initial capacity for the moves of a game.
USUAL_MOVES = 4096

# Plays one game of a deal uint8[104] in flat order, on a board at its start, with a generator state
# int64[2], into a line int64[…]; returns WON, LOST or NO_ROOM, the number of moves, and the nodes.
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
    board = new_board()
    rng = np.zeros(2, dtype=np.int64)
    line = np.zeros(USUAL_MOVES, dtype=np.int64)
    outcomes = []
    for deal in np.ascontiguousarray(as_counted(deals, rules.suits)):
        start = solving_time()
        while True:
            seed_rng(seen_at_start(deal), random_seed, rng)
            lay_out(deal, board)
            ended, length, nodes = play(deal, board, rng, line)
            if ended != NO_ROOM:
                break
            if length >= 0:
                line = np.zeros(2 * len(line), dtype=np.int64)
        seconds = solving_time() - start
        outcomes.append(Outcome.of_game(ended == WON, packed(line[:length]), int(nodes), seconds))
    return outcomes
