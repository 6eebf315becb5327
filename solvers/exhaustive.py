"""Exhaustive search with a referee alone: slow, and simple enough to check other searches by it."""

from collections.abc import Callable, Hashable
from typing import Any

from engine.game import Move, Position
from engine.kernels.compiling import solving_time_ns
from solvers.outcome import Outcome, Result


def exhaust(
    position: Position,
    nodes: int,
    kind: Callable[[Any], Hashable],
    moves: Callable[[Any], list[Any]],
    pack: Callable[[Any], bytes],
) -> Outcome:
    """Decide a position, depth first.

    Args:
        position: the position.
        nodes: positions to enter before giving up.
        kind: of a position, the form that equal ones share.
        moves: of a position, the moves to be tried, the first to be tried last.
        pack: packs moves.
    """
    since = solving_time_ns()
    seen = {kind(position)}
    path: list[tuple[Position, list[Move]]] = [(position, moves(position))]
    line: list[Move] = []
    result = Result.WON if position.is_won else Result.UNWINNABLE
    while path and result is Result.UNWINNABLE:
        here, left = path[-1]
        if not left:
            path.pop()
            if path:
                line.pop()
            continue
        move = left.pop()
        after = here.play(move)
        form = kind(after)
        if form in seen:
            continue
        if len(seen) >= nodes:
            result = Result.GAVE_UP
            break
        seen.add(form)
        line.append(move)
        path.append((after, moves(after)))
        if after.is_won:
            result = Result.WON
    packed = pack(line) if result is Result.WON else None
    return Outcome(result, len(seen), (solving_time_ns() - since) / 1e6, packed)
