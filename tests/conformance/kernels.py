"""Counts of reachable positions by compiled kernels and by the referee.

A game without kernels has no entry here.
"""

from collections.abc import Callable, Hashable, Iterable
from typing import Any, TypeVar

import numpy as np

from engine.game import Deal, Game, Rules

P = TypeVar("P")
Counts = tuple[list[int], list[int]]


def layers(
    start: P,
    successors: Callable[[P], Iterable[P]],
    key: Callable[[P], Hashable],
    depth: int,
) -> list[int]:
    """How many positions are reached first after 0, 1, … moves."""
    seen = {key(start)}
    reached = [start]
    counts = [1]
    for _ in range(depth):
        further = []
        for position in reached:
            for after in successors(position):
                if key(after) not in seen:
                    seen.add(key(after))
                    further.append(after)
        reached = further
        counts.append(len(reached))
    return counts


def klondike(game: Game, deal: Deal, rules: Rules) -> Counts | None:
    """By macro moves: what turns of the stock lead to is one position."""
    from engine.klondike.kplus import MOST_MOVES, macro_moves, new_table, play, set_up
    from engine.klondike.rules import KlondikeRules
    from twins.kplus import fold, successors

    assert isinstance(rules, KlondikeRules)
    if rules.redeals is not None or not (rules.worrying_back and rules.has_usual_tableau):
        return None  # the kernel does not play these
    table = new_table(rules.draw, rules.partial_runs)

    def kernel_successors(state: Any) -> list[Any]:
        moves = np.zeros(MOST_MOVES, dtype=np.int64)
        count = macro_moves(state, table, moves)
        return [play(state, table, move) for move in moves[:count]]

    start: Any = game.start(deal, rules)
    return (
        layers(set_up(deal.as_array(), table), kernel_successors, lambda state: state, 3),
        layers(start, lambda each: successors(each).values(), fold, 3),
    )


def spider(game: Game, deal: Deal, rules: Rules) -> Counts:
    """By moves of cards that a person can see: the kernel's boards know no others."""
    from engine.spider.board import Board, copy_board, new_board, shift
    from engine.spider.deal import COLUMNS
    from twins.spider_board import (
        board_of,
        covered,
        runs_allowed,
        table_of_board,
        table_of_position,
    )

    def kernel_successors(board: Board) -> Iterable[Board]:
        for source in range(COLUMNS):
            for target in range(COLUMNS):
                size = int(board.size[target])
                if source == target or (size and not board.run[target]):
                    continue
                for count in range(1, int(board.run[source]) + 1):
                    card = int(board.cards[source, board.size[source] - count])
                    if not size or int(board.cards[target, size - 1]) // 4 == card // 4 + 1:
                        copy = new_board()
                        copy_board(board, copy)
                        shift(copy, source, target, count)
                        yield copy

    start: Any = game.start(deal, rules)
    seen = covered(start)
    return (
        layers(board_of(seen), kernel_successors, table_of_board, 2),
        layers(
            seen,
            lambda each: [each.play(move) for move in runs_allowed(each)],
            table_of_position,
            2,
        ),
    )


COUNTS: dict[str, Callable[[Game, Deal, Rules], Counts | None]] = {
    "klondike": klondike,
    "spider": spider,
}
