"""Steps of the exact search as standard moves: beside the naive twin, and before the referee."""

import os
import random
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from engine.bits import BIT_OF_CARD
from engine.cards import DECK, parse_card
from engine.dealers import get_dealer
from engine.deals import KlondikeDeal
from engine.moves import TURN, WASTE_UP, Kind, pack_solution, unpack_solution
from engine.referee import Position
from engine.replay import replay
from engine.rulesets import KlondikeRules
from engine.whole_runs import new_position
from solvers import exact
from solvers.exact_kernel import WON
from solvers.exact_load import flatten
from solvers.exact_position import REVEAL, STOCK_DOWN, STOCK_UP
from solvers.unfold import LONGEST, unfold

sys.path.insert(0, str(Path(__file__).parent))
from naive_search import random_late_position
from naive_unfold import naive_unfold

COMPILED = os.environ.get("NUMBA_DISABLE_JIT", "0") == "0"


def winning_line(position: Position, nodes: int) -> list[int] | None:
    """The steps of a win, if the search finds one."""
    exact._load(position)
    ended = exact._search(position.rules.draw, {"nodes": nodes, "memory_mib": 8}, 0)
    if ended != WON:
        return None
    return exact._work.area.line[: int(exact._work.report[1])].tolist()


def unfolded(position: Position, line: list[int]) -> bytes | None:
    """What the kernel makes of these steps; None where it says that they cannot be played."""
    flat = new_position()
    flatten(position, flat)
    moves = np.zeros(LONGEST, dtype=np.uint8)
    steps = np.array(line, dtype=np.int64)
    count = unfold(flat, steps, len(line), np.zeros(52, dtype=np.int64), moves)
    return moves[:count].tobytes() if count >= 0 else None


def starts(count: int) -> list[Position]:
    """Starts of deals, deals after some random moves, and late positions, in turn."""
    random_state = random.Random(12)
    found = []
    for cards in get_dealer("thoughtful-1").deal_block(3000, count):
        rules = KlondikeRules(draw=random_state.choice([1, 2, 3, 3, 3, 4]))
        position = Position.start(KlondikeDeal.of(cards), rules)
        found.append(position)
        for _ in range(random_state.randint(1, 30)):
            position = position.play(random_state.choice(position.legal_moves()))
        found.append(position)
        found.append(random_late_position(random_state, rules, random_state.randint(0, 40)))
    return found


def test_unfolding_is_that_of_the_naive_twin_and_wins() -> None:
    wins = 0
    for position in starts(250 if COMPILED else 8):
        line = winning_line(position, 5000 if COMPILED else 300)
        if line is None:
            continue
        packed = unfolded(position, line)
        assert packed == pack_solution(naive_unfold(position, line)), str(position)
        assert replay(position, unpack_solution(packed)).is_won
        wins += 1
    assert wins >= (400 if COMPILED else 8)


def test_longer_ways_through_the_stock() -> None:
    """Lines that take the stock's cards in any order there is, to whatever turns they need."""
    random_state = random.Random(13)
    empty: tuple[tuple[int, ...], ...] = ((),) * 7
    kings = tuple((parse_card(f"K{suit}"),) for suit in "CDSH")
    for _ in range(60 if COMPILED else 10):
        rules = KlondikeRules(draw=random_state.randint(1, 6))
        # Under bare kings all queens can be played at any time, and later what lies below them.
        talon = [c for c in DECK if 24 <= c < 48]
        random_state.shuffle(talon)
        cut = random_state.randint(0, len(talon))
        position = Position(
            rules, empty, (*kings, (), (), ()), (6, 6, 6, 6), tuple(talon[cut:]), tuple(talon[:cut])
        ).checked()
        line = []
        now = position
        for _ in range(400):
            move = random_state.choice(now.legal_moves())
            if move.kind in (Kind.WASTE_DOWN, Kind.WASTE_UP):
                kind = STOCK_DOWN if move.kind is Kind.WASTE_DOWN else STOCK_UP
                line.append(kind << 6 | int(BIT_OF_CARD[now.waste[-1]]))
            if move.kind in (Kind.WASTE_DOWN, Kind.WASTE_UP, Kind.TURN, Kind.REDEAL):
                now = now.play(move)
        packed = unfolded(position, line)
        assert packed is not None
        assert packed == pack_solution(naive_unfold(position, line))
        replay(position, unpack_solution(packed))


def test_steps_out_of_reach_are_told() -> None:
    rules = KlondikeRules(draw=3)
    cards = get_dealer("thoughtful-1").deal_block(0, 1)[0]
    position = Position.start(KlondikeDeal.of(cards), rules)
    reachable, hidden = position.stock[2], position.stock[0]

    def step(kind: int, card: int) -> list[int]:
        return [kind << 6 | int(BIT_OF_CARD[card])]

    assert unfolded(position, step(STOCK_UP, hidden)) is None
    assert unfolded(position, step(STOCK_UP, reachable)) == pack_solution([TURN, WASTE_UP])
    assert unfolded(position, step(REVEAL, parse_card("KC"))) is None  # no column is empty


def test_the_same_without_the_compiler(
    with_and_without_compiler: Callable[[str], tuple[Any, Any]],
) -> None:
    compiled, plain = with_and_without_compiler(
        f"import sys; sys.path.insert(0, {str(Path(__file__).parent)!r})\n"
        "from test_unfold import starts, unfolded, winning_line\n"
        "lines = [(start, winning_line(start, 300)) for start in starts(6)]\n"
        "found = [unfolded(start, line).hex() for start, line in lines if line is not None]"
    )
    assert compiled == plain
    assert len(compiled) >= 5
