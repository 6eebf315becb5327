"""Naive searches of patience games without foundations, straight from their rules.

They leave nothing out but positions seen before: the twins of `solvers.patience.holes`,
`solvers.patience.accordion` and `solvers.patience.gaps`.
"""

from collections.abc import Iterator
from typing import Any

from engine.patience.layout import row_suit
from engine.patience.rules import Options
from solvers.patience.attempts import Piles

State = tuple[Any, ...]


def is_winnable(piles: Piles, options: Options) -> bool:
    """Whether some line wins."""
    steps, is_won = _steps_of(options)
    start = _start(piles, options)
    seen, waiting = {start}, [start]
    while waiting:
        state = waiting.pop()
        if is_won(state):
            return True
        for after in steps(state):
            if after not in seen:
                seen.add(after)
                waiting.append(after)
    return False


def _start(piles: Piles, options: Options) -> State:
    if options.hole:
        columns = tuple(cards for _, cards in piles.columns)
        return columns, tuple(piles.cells), piles.stock, piles.hole
    if options.accordion:
        return piles.row
    return tuple(None if card is None or card < 4 else card for card in piles.places)


def _steps_of(options: Options) -> tuple[Any, Any]:
    ranks = options.max_rank

    def fits(card: int, hole: int) -> bool:
        apart = abs((card >> 2) - (hole >> 2))
        return apart == 1 or (options.hole_loops and apart == ranks - 1)

    def hole_steps(state: State) -> Iterator[State]:
        columns, cells, stock, hole = state
        if stock:
            yield columns, cells, stock[1:], stock[0]
        for at, column in enumerate(columns):
            if column:
                left = (*columns[:at], column[:-1], *columns[at + 1 :])
                if fits(column[-1], hole):
                    yield left, cells, stock, column[-1]
                if None in cells:
                    free = cells.index(None)
                    yield left, (*cells[:free], column[-1], *cells[free + 1 :]), stock, hole
        for at, card in enumerate(cells):
            if card is not None and fits(card, hole):
                yield columns, (*cells[:at], None, *cells[at + 1 :]), stock, card

    def row_steps(row: State) -> Iterator[State]:
        for at, card in enumerate(row):
            for move in options.accordion_moves:
                target = at + int(move[1:]) * (-1 if move[0] == "L" else 1)
                if 0 <= target < len(row) and meets(card, row[target]):
                    after = list(row)
                    after[target] = card
                    del after[at]
                    yield tuple(after)

    def meets(one: int, other: int) -> bool:
        by = options.accordion_building
        return (
            "any-suit" in by
            or ("same-rank" in by and one >> 2 == other >> 2)
            or ("same-suit" in by and one & 3 == other & 3)
            or ("red-black" in by and one & 1 != other & 1)
        )

    def gap_steps(places: State) -> Iterator[State]:
        for gap, there in enumerate(places):
            if there is not None:
                continue
            row, column = divmod(gap, ranks)
            for at, card in enumerate(places):
                if card is None:
                    continue
                if column == 0:
                    if card >> 2 != 1:
                        continue
                    if options.sequence_fixed_suit and card & 3 != row_suit(row):
                        continue
                elif places[gap - 1] is None or places[gap - 1] != card - 4:
                    continue
                after = list(places)
                after[at], after[gap] = None, card
                yield tuple(after)

    def gaps_won(places: State) -> bool:
        return all(
            places[row * ranks] is not None
            and places[row * ranks : (row + 1) * ranks]
            == (*(4 * rank + (places[row * ranks] & 3) for rank in range(1, ranks)), None)
            for row in range(4)
        )

    if options.hole:
        return (
            hole_steps,
            lambda state: (
                not any((*state[0], state[2])) and not any(card is not None for card in state[1])
            ),
        )
    if options.accordion:
        return row_steps, lambda row: len(row) == 1
    return gap_steps, gaps_won
