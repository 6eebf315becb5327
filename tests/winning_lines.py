"""Positions with winning lines of the exact search, before shortening."""

import random

import numpy as np

from engine.dealing.dealers import get_dealer
from engine.klondike.deal import KlondikeDeal
from engine.klondike.flat import flatten, new_position
from engine.klondike.moves import pack_solution
from engine.klondike.referee import KlondikePosition
from engine.klondike.rules import KlondikeRules
from solvers.klondike.exact import searching
from solvers.klondike.exact.load import USUAL
from solvers.klondike.exact.search import WON
from solvers.klondike.exact.unfold import LONGEST, unfold
from twins.search import random_late_position


def winning_line(position: KlondikePosition, nodes: int) -> list[int] | None:
    """The steps of a win, if the search finds one."""
    search, values = searching.BY_STOCKS, {"nodes": nodes, "memory_mib": 8}
    search.prepare(position.rules, values)
    searching.load_position(position)
    if searching.answer(search.question(position.rules, values, 0)) != WON:
        return None
    return search.line[: int(searching.work.report[1])].tolist()


def unfolded(position: KlondikePosition, line: list[int]) -> bytes | None:
    """What the kernel makes of these steps; None where it says that they cannot be played."""
    flat = new_position()
    flatten(position, flat)
    moves = np.zeros(LONGEST, dtype=np.uint8)
    steps = np.array(line, dtype=np.int64)
    count = unfold(flat, steps, len(line), *USUAL[:2], False, np.zeros(52, dtype=np.int64), moves)
    return moves[:count].tobytes() if count >= 0 else None


def raw_win(start: KlondikePosition, nodes: int) -> bytes | None:
    """A win as the search finds it, unfolded."""
    line = winning_line(start, nodes)
    return None if line is None else unfolded(start, line)


def with_detours(start: KlondikePosition, random_state: random.Random, nodes: int) -> bytes | None:
    """A win after some moves at random, as a line from before them."""
    moves = []
    now = start
    for _ in range(random_state.randint(1, 40)):
        move = random_state.choice(now.legal_moves())
        moves.append(move)
        now = now.play(move)
    rest = raw_win(now, nodes)
    return None if rest is None else pack_solution(moves) + rest


def starts(count: int) -> list[KlondikePosition]:
    """Starts of deals, deals after some random moves, and late positions, in turn."""
    random_state = random.Random(12)
    found = []
    for cards in get_dealer("thoughtful-1").deal_block(3000, count):
        rules = KlondikeRules(draw=random_state.choice([1, 2, 3, 3, 3, 4]))
        position = KlondikePosition.start(KlondikeDeal.of(cards), rules)
        found.append(position)
        for _ in range(random_state.randint(1, 30)):
            position = position.play(random_state.choice(position.legal_moves()))
        found.append(position)
        found.append(random_late_position(random_state, rules, random_state.randint(0, 40)))
    return found
