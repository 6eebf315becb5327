"""Kernel of `look-ahead`: random sequences of moves that never see the cards that they turn up."""

# Kernels carry no annotations; everything else here is typed.
# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.kernels.decorators import search_kernel
from engine.spider.board import COMPLETED, CONNECTORS, TURNED, Board, copy_board, new_board, shift
from engine.spider.deal import COLUMNS
from solvers.spider.monkey_game import code
from solvers.spider.monkey_moves import cards_of, choices, draw_level, draw_move
from solvers.spider.play import GOES_ON, take_step


class Look(NamedTuple):
    """Settings and workspace of a search.

    weights: int64[3], points for a card turned up, a connector, a completed run.
    iterations: sequences for a decision.
    moves: maximal number of moves of a sequence.
    level: of the Monkey, for the sequences: 1 to 3 of `solvers.spider.monkey_moves`; 4 is level 3
    or 2. percent: at level 4, the chance of level 3. trial: a copy of the board. wants, targets:
    scratch of `choices`. trying, best: int64[moves], sequences.
    """

    weights: NDArray[np.int64]
    iterations: int
    moves: int
    level: int
    percent: int
    trial: Board
    wants: NDArray[np.int64]
    targets: NDArray[np.int64]
    trying: NDArray[np.int64]
    best: NDArray[np.int64]


def new_look(
    weights: tuple[int, int, int], iterations: int, moves: int, level: int, percent: int = 0
) -> Look:
    """Allocate a `Look`."""
    return Look(
        np.array(weights, dtype=np.int64),
        iterations,
        moves,
        level,
        percent,
        new_board(),
        np.zeros(14, dtype=np.int64),
        np.zeros(COLUMNS, dtype=np.int64),
        np.zeros(moves, dtype=np.int64),
        np.zeros(moves, dtype=np.int64),
    )


@search_kernel
def score(board, weights):
    """The evaluation score of a board."""
    meta = board.meta
    return weights[0] * meta[TURNED] + weights[1] * meta[CONNECTORS] + weights[2] * meta[COMPLETED]


@search_kernel
def guaranteed(board, look, rng):
    """The highest score found that does not depend on the cards turned up.

    `look.best` begins with the moves that lead to it.

    Returns:
        The score, and the number of moves.
    """
    highest, length = score(board, look.weights), 0
    for _ in range(look.iterations):
        copy_board(board, look.trial)
        for at in range(look.moves):
            level = draw_level(look.level, look.percent, rng)
            count = choices(look.trial, level, look.wants, look.targets)
            if count == 0:
                break
            source, target = draw_move(count, look.targets, rng)
            cards = cards_of(look.trial, source, target)
            shift(look.trial, source, target, cards)
            look.trying[at] = code(source, target, cards)
            worth = score(look.trial, look.weights)
            if worth > highest:
                highest, length = worth, at + 1
                for past in range(length):
                    look.best[past] = look.trying[past]
    return highest, length


@search_kernel
def play(deal, board, onto_empty, look, rng, line):
    """Play a game from a position: the best sequence or a row at each step; see `take_step`.

    Args:
        deal: uint8[104] in flat order, as its cards count; only the croupier looks at it.
        board: of `engine.spider.board`.
        onto_empty: whether a row may be dealt while a column is empty.
        look: `Look`.
        rng: int64[2], state of the generator.
        line: int64[…], out: the moves.

    Returns:
        WON, LOST or NO_ROOM; the number of moves; the number of searches.
    """
    ended, length, decisions = GOES_ON, 0, 0
    while ended == GOES_ON:
        _, count = guaranteed(board, look, rng)
        decisions += 1
        ended, length = take_step(board, deal, onto_empty, look.best, count, line, length)
    return ended, length, decisions
