"""Random play by the steps of the exact search that keeps to won positions.

A *play* is a step that the search may try from a position: turns of the stock and one card played,
a card brought back, or a head moved away; how cards lie in the tableau is no choice. What loses
nothing, cards that rise, is played at once and is no choice either [rise, safe], and a card is
brought back only for a use [use]. So each play changes the game, and play that repeats no position
comes to an end.
"""

# mypy: allow-untyped-defs, allow-untyped-calls

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.cardset import ALL
from engine.kernels.decorators import search_kernel
from engine.kernels.rng import random_below
from engine.klondike.stock_turns import within_reach
from solvers.klondike.exact.by_stocks import search
from solvers.klondike.exact.nodes import Node, after_step, rise
from solvers.klondike.exact.position import DOWN, LOOSE_UP
from solvers.klondike.exact.rules import BRING, mode_by_stocks
from solvers.klondike.exact.search import PAUSED, UNWINNABLE, WON
from solvers.klondike.exact.steps import MOVES_PER_FRAME, steps

# Every card of the stock that is played is a play of its own, also at draw 1.
_OFF = BRING
# Positions of a walk between two changes of the stock or the columns, at most.
_PAST = 4096


class WalkWork(NamedTuple):
    """Memory of walks, arrays of int64.

    steps: [MOVES_PER_FRAME], the plays of a position, first those that keep the win.
    line: [n], scratch for cards that rise.
    past: [n, 3], up, loose and brought of the positions since the last change of the stock or the
        columns.
    start: [6], a position given to the search.
    report: [2], of the search.
    rng: [2], state of `engine.kernels.rng`.
    """

    steps: NDArray[np.int64]
    line: NDArray[np.int64]
    past: NDArray[np.int64]
    start: NDArray[np.int64]
    report: NDArray[np.int64]
    rng: NDArray[np.int64]


def new_walk_work(line: int) -> WalkWork:
    """Memory for walks; `line` is the longest line of steps."""
    return WalkWork(
        np.zeros(MOVES_PER_FRAME, dtype=np.int64),
        np.zeros(line, dtype=np.int64),
        np.zeros((_PAST, 3), dtype=np.int64),
        np.zeros(6, dtype=np.int64),
        np.zeros(2, dtype=np.int64),
        np.zeros(2, dtype=np.int64),
    )


@search_kernel
def weigh(node, past, draw, nodes, layout, outer, inner, work):
    """Count the plays of a position and those after which a search still wins.

    Args:
        node: the position, from which no card rises.
        past: how many rows of ``work.past`` hold; a play that returns to one of them is left out.
        draw: cards turned at once.
        nodes: budget of each search.
        layout: of the deal.
        outer: memory of the search.
        inner: more of it.
        work: memory; the plays that keep the win are the first of ``work.steps``.

    Returns:
        the number of plays, of those that keep the win, and of those that lose it; the budget did
        not suffice for the others.
    """
    mode = mode_by_stocks(draw, _OFF, False)
    reach = within_reach(node.stock, draw, outer.every)
    found = steps(node, reach, mode, layout, work.steps, 0)
    plays = winning = losing = 0
    for at in range(found):
        step = work.steps[at]
        after = after_step(node, step, mode, layout, outer.every)
        if step >> 6 in (DOWN, LOOSE_UP) and _has_been(after, past, work):
            continue
        plays += 1
        ended = _search(after, draw, nodes, layout, outer, inner, work)
        if ended == WON:
            work.steps[winning] = step
            winning += 1
        elif ended == UNWINNABLE:
            losing += 1
    return plays, winning, losing


@search_kernel
def weigh_start(start, draw, nodes, layout, outer, inner, work):
    """`weigh` after the cards of a position that rise; no plays if nothing is left to play.

    `start` int64[6] or more is as for `solvers.klondike.exact.by_stocks.search`; the position after
    the cards that rise is written back to it.
    """
    mode = mode_by_stocks(draw, _OFF, False)
    node = Node(start[0], start[1], start[2], start[3], start[4], start[5], -1, 0, 0, 0)
    node, _ = rise(node, work.line, 0, mode, layout, outer.every)
    start[0], start[1], start[2] = node.up, node.loose, node.heads
    start[3], start[4], start[5] = node.columns, node.stock, node.place
    if node.up == ALL:
        return 0, 0, 0
    return weigh(node, 0, draw, nodes, layout, outer, inner, work)


@search_kernel
def walk(start, draw, nodes, layout, outer, inner, work):
    """Play at random from a won position, only plays that keep the win; all have the same chance.

    Args:
        start: int64[6], as for `solvers.klondike.exact.by_stocks.search`.
        draw: cards turned at once.
        nodes: as for `weigh`.
        layout: as for `weigh`.
        outer: as for `weigh`.
        inner: as for `weigh`.
        work: memory; ``work.rng`` is the state of the generator.

    Returns:
        plays made; positions in which some play lost the win; those of them in which all but one
        did; and whether the walk ended in a win. It does unless the budget was spent on all plays,
        all plays that keep the win repeat a position, or there was no room for the positions.
    """
    mode = mode_by_stocks(draw, _OFF, False)
    node = Node(start[0], start[1], start[2], start[3], start[4], start[5], -1, 0, 0, 0)
    made = choices = critical = past = 0
    while True:
        if node.brought < 0:
            before = node
            node, _ = rise(node, work.line, 0, mode, layout, outer.every)
            if node.up == ALL:
                return made, choices, critical, True
            if node.columns != before.columns or node.stock != before.stock:
                past = 0
        if past == work.past.shape[0]:
            return made, choices, critical, False
        work.past[past, 0] = node.up
        work.past[past, 1] = node.loose
        work.past[past, 2] = node.brought
        past += 1
        plays, winning, losing = weigh(node, past, draw, nodes, layout, outer, inner, work)
        if winning == 0:
            if node.brought < 0:
                return made, choices, critical, False
            # The card was of no use, so it goes up again; that it was brought is not forgotten.
            node = _put_back(node)
            continue
        if losing > 0:
            choices += 1
            if winning == 1 and losing == plays - 1:
                critical += 1
        step = work.steps[random_below(work.rng, winning)]
        made += 1
        after = after_step(node, step, mode, layout, outer.every)
        if after.columns != node.columns or after.stock != node.stock:
            past = 0
        node = after


@search_kernel
def _put_back(node):
    """The same position for a player that may raise the card just brought."""
    return Node(node.up, node.loose, node.heads, node.columns, node.stock, node.place, -1, 0, 0, 0)


@search_kernel
def _has_been(node, past, work):
    for at in range(past - 1, -1, -1):
        been = work.past[at]
        if been[0] == node.up and been[1] == node.loose and been[2] == node.brought:
            return True
    return False


@search_kernel
def _search(node, draw, nodes, layout, outer, inner, work):
    start = work.start
    start[0], start[1], start[2] = node.up, node.loose, node.heads
    start[3], start[4], start[5] = node.columns, node.stock, node.place
    ended = search(start, draw, 0, nodes, False, layout, outer, inner, work.report)
    if ended == PAUSED:
        ended = search(start, draw, 0, nodes, True, layout, outer, inner, work.report)
    return ended
