"""Groups of cards under rules by which cards move one at a time.

Players move cards in order from column to column as one, if free cells and empty columns suffice to
bring them there one by one.
"""

from collections.abc import Iterator
from contextlib import suppress

from engine.patience.layout import CELL
from engine.patience.moves import PatienceMove
from engine.patience.referee import PatiencePosition
from engine.replay import ReplayError, replay


def group_moves(
    position: PatiencePosition,
) -> Iterator[tuple[PatienceMove, tuple[PatienceMove, ...]]]:
    """The moves of two or more cards as one, each with the legal moves that it stands for.

    None where the rules let groups move, or where a whole column would go to an empty one.
    """
    o = position.rules.options
    if o.groups != "no":
        return
    for source, cards in enumerate(position.columns):
        most = position.built(source)
        for target, onto in enumerate(position.columns):
            if target == source:
                continue
            for count in range(2, min(most, most_by_one(position, target)) + 1):
                if not (position.fits(cards[-count], onto[-1]) if onto else count < len(cards)):
                    continue
                moves = tuple(one_by_one(position, source, target, count))
                with suppress(ReplayError):
                    replay(position, moves)
                    yield PatienceMove(source, target, count), moves


def _stops(position: PatiencePosition, target: int) -> list[int]:
    """The empty columns by which cards pass on their way to a column."""
    if position.rules.options.spaces != "any":
        return []
    return [at for at, pile in enumerate(position.columns) if not pile and at != target]


def most_by_one(position: PatiencePosition, target: int) -> int:
    """The number of cards in order that can move to a column one by one."""
    return (position.cells.count(None) + 1) << len(_stops(position, target))


def one_by_one(
    position: PatiencePosition, source: int, target: int, cards: int
) -> list[PatienceMove]:
    """The moves that bring cards in order from column to column, by free cells and empty columns.

    As many as `most_by_one` can move. An empty column on the way takes only those for which the
    cells and the other columns have no room, since each of them moves twice.
    """
    free = [CELL + cell for cell, card in enumerate(position.cells) if card is None]

    def carry(source: int, target: int, cards: int, stops: list[int]) -> Iterator[PatienceMove]:
        if cards <= len(free) + 1:
            used = free[: cards - 1]
            yield from (PatienceMove(source, cell) for cell in used)
            yield PatienceMove(source, target)
            yield from (PatienceMove(cell, target) for cell in reversed(used))
            return
        *others, stop = stops
        aside = max(1, cards - ((len(free) + 1) << len(others)))
        yield from carry(source, stop, aside, others)
        yield from carry(source, target, cards - aside, others)
        yield from carry(stop, target, aside, others)

    return list(carry(source, target, cards, _stops(position, target)))
