"""Shortest solutions by breadth: every position within reach, in the order of its moves."""

from engine.klondike.moves import KlondikeKind
from engine.klondike.referee import KlondikePosition


def _plain(position: KlondikePosition) -> KlondikePosition:
    """The position with its columns sorted, and its redeals, which are unlimited, not counted."""
    columns = sorted(zip(position.down, position.up, strict=True))
    return KlondikePosition(
        position.rules,
        tuple(down for down, _ in columns),
        tuple(up for _, up in columns),
        position.foundations,
        position.stock,
        position.waste,
    )


def naive_shortest(start: KlondikePosition, redeal: int, most: int) -> int | None:
    """The fewest moves that win, of which redeals count as `redeal`.

    Positions are entered in the order of the moves to them, plus one for each card that is not yet
    on a foundation, as each takes a move of its own. Returns -1 for a lost position, and None if
    more than `most` positions are entered first.
    """
    first = _plain(start)
    waiting: dict[int, list[tuple[int, KlondikePosition]]] = {
        52 - sum(first.foundations): [(0, first)]
    }
    fewest = {first: 0}
    entered = 0
    while waiting:
        total = min(waiting)
        made, position = waiting[total].pop()
        if not waiting[total]:
            del waiting[total]
        if made > fewest[position]:
            continue
        if position.is_won:
            return made
        entered += 1
        if entered > most:
            return None
        for move in position.legal_moves():
            after = _plain(position.play(move))
            now = made + (redeal if move.kind is KlondikeKind.REDEAL else 1)
            if now < fewest.get(after, now + 1):
                fewest[after] = now
                left = 52 - sum(after.foundations)
                waiting.setdefault(now + left, []).append((now, after))
    return -1
