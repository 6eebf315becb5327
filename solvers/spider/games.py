"""What all players of Spider share: games, deal after deal, and what becomes of their lines."""

# mypy: allow-untyped-calls

import time
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from engine.rng import seed_rng
from engine.spider.board import Board, lay_out, new_board
from engine.spider.deal import FACE_UP, as_counted
from engine.spider.rules import SpiderRules
from solvers.outcome import Outcome
from solvers.spider.play import NO_ROOM, WON

UNSEEN = 255
# Moves of a game, at first.
USUAL_MOVES = 4096

# Plays one game, of a deal uint8[104] in flat order, on a board that is laid out, with draws
# int64[2], into a line int64[…]; says how it ended (WON, LOST or NO_ROOM), how many moves it has,
# and its nodes. Moves below 0 with NO_ROOM: not the line was too short, and the player has seen to
# it.
PlayGame = Callable[
    [NDArray[np.uint8], Board, NDArray[np.int64], NDArray[np.int64]], tuple[int, int, int]
]


def seen_at_start(deal: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """A deal uint8[104] as a person sees it: UNSEEN for all but the ten cards face up."""
    seen = np.full_like(deal, UNSEEN)
    up = list(FACE_UP)
    seen[up] = deal[up]
    return seen


def packed(line: NDArray[np.int64]) -> bytes:
    """A line of `solvers.spider.monkey_game` as `engine.spider.moves` packs it."""
    pairs = np.zeros((len(line), 2), dtype=np.uint8)
    runs = line > 0
    # A run has 1 to 13 cards, so the low four bits are its number.
    pairs[runs, 0] = 1 + (line[runs] >> 4)
    pairs[runs, 1] = line[runs] & 15
    return pairs.tobytes()


def play_deals(
    deals: NDArray[np.uint8], rules: SpiderRules, random_seed: int, play: PlayGame
) -> list[Outcome]:
    """The outcomes of deals uint8[n, 104]; a game without room is played again with more.

    The draws of each are seeded by `random_seed` and what is seen at the start.
    """
    board = new_board()
    rng = np.zeros(2, dtype=np.int64)
    line = np.zeros(USUAL_MOVES, dtype=np.int64)
    outcomes = []
    for deal in np.ascontiguousarray(as_counted(deals, rules.suits)):
        start = time.thread_time()
        while True:
            seed_rng(seen_at_start(deal), random_seed, rng)
            lay_out(deal, board)
            ended, length, nodes = play(deal, board, rng, line)
            if ended != NO_ROOM:
                break
            if length >= 0:
                line = np.zeros(2 * len(line), dtype=np.int64)
        seconds = time.thread_time() - start
        outcomes.append(Outcome.of_game(ended == WON, packed(line[:length]), int(nodes), seconds))
    return outcomes
