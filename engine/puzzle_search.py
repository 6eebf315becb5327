"""Search for the plays of a puzzle: moves for good after moves that can be taken back."""

from collections import deque
from collections.abc import Callable, Hashable, Iterable, Iterator
from typing import TypeVar

from engine.game import Move, Position, TooManyPlays

P = TypeVar("P", bound=Position)
M = TypeVar("M", bound=Move)

# Arrangements of the open cards that are looked at.
_MOST = 200


def plays_of(
    position: P,
    moves: Callable[[P], Iterable[M]],
    key: Callable[[P], Hashable],
    is_for_good: Callable[[P, M, P], bool],
) -> Iterator[tuple[M, ...]]:
    """The plays of a position, none twice that lead to the same key, those of fewest moves first.

    Args:
        position: the position.
        moves: the moves to be tried in a position.
        key: equal of positions that are one.
        is_for_good: position, move, position after it -> whether no move takes it back at once.

    Raises:
        TooManyPlays: moves that can be taken back lead to more than `_MOST` positions.
    """
    arranged = {key(position)}
    reached: set[Hashable] = set()
    waiting: deque[tuple[P, tuple[M, ...]]] = deque([(position, ())])
    while waiting:
        table, before = waiting.popleft()
        for move in moves(table):
            after = table.play(move)
            made, found = (*before, move), key(after)
            if is_for_good(table, move, after):
                if found not in reached:
                    reached.add(found)
                    yield made
            elif found not in arranged:
                if len(arranged) == _MOST:
                    raise TooManyPlays
                arranged.add(found)
                waiting.append((after, made))
