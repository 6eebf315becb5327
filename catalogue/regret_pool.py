"""Finding regrets on several processes: what runs in them, and how the work gets there.

Workers play again and ask the exact solver; they never see the database.
"""

from collections.abc import Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from dataclasses import dataclass
from itertools import chain, islice
from multiprocessing import get_context

import numpy as np

from catalogue.pipe import ignore_interrupt
from engine.rulesets import parse_klondike
from solvers.registry import parse_solver
from solvers.regret import Regret, play_again

# Who decides positions: with its full budget it has yet to give up on one.
JUDGE = "exact"

Found = list[tuple[bytes, Regret]]


@dataclass(frozen=True, slots=True)
class Piece:
    """Some lost games that one worker looks at, at a time.

    Attributes:
        deal_ids: the deals, as the catalogue numbers them.
        cards: their cards, 52 bytes each in flat order.
    """

    deal_ids: tuple[int, ...]
    cards: bytes


def find_regrets(
    pieces: Iterable[Piece], ruleset: str, player: str, workers: int
) -> Iterator[tuple[Piece, Found]]:
    """Each piece with the moves and the regret of its games, in any order.

    Raises:
        BadInput: see `solvers.regret.play_again`.
    """
    waiting = iter(pieces)
    first = list(islice(waiting, 2))
    if workers == 1 or len(first) < 2:
        for piece in chain(first, waiting):
            yield piece, _find(piece.cards, ruleset, player)
        return
    waiting = chain(first, waiting)
    running: dict[Future[Found], Piece] = {}
    # Spawned, not forked: a fork would copy the state of threads the compiler may have started.
    pool = ProcessPoolExecutor(workers, get_context("spawn"), initializer=ignore_interrupt)
    try:
        while True:
            for piece in islice(waiting, 2 * workers - len(running)):
                running[pool.submit(_find, piece.cards, ruleset, player)] = piece
            if not running:
                return
            for future in wait(running, return_when=FIRST_COMPLETED).done:
                yield running.pop(future), future.result()
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def _find(cards: bytes, ruleset: str, player: str) -> Found:
    """Runs in the worker processes."""
    deals = np.frombuffer(cards, dtype=np.uint8).reshape(-1, 52)
    return play_again(deals, parse_klondike(ruleset), parse_solver(player), parse_solver(JUDGE))
