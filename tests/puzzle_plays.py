"""What plays of puzzles lead to, by the referee alone."""

from collections.abc import Callable, Hashable
from typing import TypeVar

from engine.game import Position
from solvers.analysis import can_be_taken_back

P = TypeVar("P", bound=Position)


def reached(position: P, key: Callable[[P], Hashable]) -> set[Hashable]:
    """The keys of what moves for good lead to, found from position to position."""
    waiting, known, found = [position], {key(position)}, set[Hashable]()
    for table in waiting:
        for move in table.legal_moves():
            after = table.play(move)
            if not can_be_taken_back(table, move, after):
                found.add(key(after))
            elif key(after) not in known:
                known.add(key(after))
                waiting.append(after)
    return found
