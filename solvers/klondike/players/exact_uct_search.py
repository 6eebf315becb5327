"""Kernels of `exact-uct`: UCT over information sets, leaves decided by exact search.

`solvers.klondike.players.exact_uct` documents the method.

A position is that of the exact search (`solvers.klondike.exact.position`), without its table key:
cards up, loose, heads, the number of locked cards of each column, the stock, and the card just
brought. All of this is visible; the cards under the heads are not, and a position does not have
them. So it is an information set.
"""

# Kernels carry no annotations; everything else here is typed.
# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.cardset import ALL, lowest, popcount
from engine.kernels.decorators import inlined_kernel, search_kernel
from engine.klondike.observation import shuffle
from engine.klondike.stock_turns import STOCK_MASK, card_set, take_from_stock, within_reach
from solvers.klondike.exact.by_stocks import search
from solvers.klondike.exact.nodes import Node, rising_cards
from solvers.klondike.exact.position import (
    COLUMN_WEIGHT,
    DOWN,
    HEAD_UP,
    HEIGHT_WEIGHT,
    LOOSE_UP,
    REVEAL,
    STOCK_DOWN,
    STOCK_UP,
    Layout,
)
from solvers.klondike.exact.rules import mode_by_stocks
from solvers.klondike.exact.search import PAUSED, UNWINNABLE, WON
from solvers.klondike.exact.steps import MOVES_PER_FRAME, steps
from solvers.klondike.exact.workspace import Workspace
from solvers.klondike.players.step_policy import (
    SCALE,
    StepPolicy,
    logit,
    write_position,
    write_step,
)
from solvers.search_tree import (
    COUNT,
    FIRST,
    NODE,
    NONE,
    PARTS,
    RATING,
    VISITS,
    add_node,
    choose,
    choose_by_rating,
    count_visit,
    outcome_with,
    step_of,
)

# In place of the node of an outcome: a position in which nothing is hidden, decided.
_WIN, _LOSS = -2, -3

# Factor of the node budget for such a position over that of other leaves.
_CERTAIN = 1000

# A trajectory adds nodes only while there is a single choice or a card was brought.
_MOST_NEW = 256

# Progress of a decision: remaining edges, determinizations done in this round, and edges done in
# this determinization.
_ALIVE, _DONE, _EDGE = range(3)

# Counts of positions entered: in trajectories, and by the exact search.
ENTERED, SEARCHED = range(2)


class ObservedPosition(NamedTuple):
    """Information set, see the module docstring; `brought`: bit of the card just brought, or −1."""

    up: int
    loose: int
    heads: int
    columns: int
    stock: int
    brought: int


class PositionHistory(NamedTuple):
    """Positions since the last irreversible step. int64 arrays.

    past: [n, 3]: up, loose and brought of each.
    used: [1], their number.
    """

    past: NDArray[np.int64]
    used: NDArray[np.int64]


class UctWorkspace(NamedTuple):
    """Workspace of a player. Arrays of int64, apart from NamedTuples.

    known: the deal as far as it is known or sampled; below, stock and columns.
    shown: the determinization given to the exact search.
    start: [6], the position given to it.
    outer, inner: workspaces of the exact search.
    report: [2], its report.
    every: of `engine.klondike.stock_turns.every_table`.
    order: [52], hidden cards in random order.
    hidden: [7, 6], the sampled hidden cards of each column, the lowest first.
    alive: [MOVES_PER_FRAME], remaining edges; wins: [MOVES_PER_FRAME], their wins in parts.
    progress: [3], progress of a decision, see _ALIVE.
    steps: [MOVES_PER_FRAME], scratch.
    trail: [n, 2], the nodes and edges of a trajectory.
    history: positions of the game.
    path: positions of the game and of a trajectory.
    rng: [2], state of `engine.kernels.rng`.
    counts: [2], see ENTERED and SEARCHED.
    after: [MOVES_PER_FRAME], scratch: the steps after a step.
    policy: the learned policy of steps.
    """

    known: Layout
    shown: Layout
    start: NDArray[np.int64]
    outer: Workspace
    inner: Workspace
    report: NDArray[np.int64]
    every: NDArray[np.int64]
    order: NDArray[np.int64]
    hidden: NDArray[np.int64]
    alive: NDArray[np.int64]
    wins: NDArray[np.int64]
    progress: NDArray[np.int64]
    steps: NDArray[np.int64]
    trail: NDArray[np.int64]
    history: PositionHistory
    path: PositionHistory
    rng: NDArray[np.int64]
    counts: NDArray[np.int64]
    after: NDArray[np.int64]
    policy: StepPolicy


class UctSettings(NamedTuple):
    """Settings of the search.

    draw: cards turned at once.
    trajectories: approximate number of trajectories for a decision; 0 for the policy alone.
    exploration: the constant c of the upper bound.
    nodes: node budget of the exact search of a leaf.
    undecided: what a leaf that exact search leaves undecided is worth, in parts of a win; a
        position without hidden cards that it leaves undecided counts as lost.
    prior: as many trajectories as the learned policy of steps counts for.
    inner_prior: visits that the policy counts for, of each edge below the position; 0 for UCB1.
    """

    draw: int
    trajectories: int
    exploration: float
    nodes: int
    undecided: int = 0
    prior: int = 0
    inner_prior: int = 0


@search_kernel
def unseen(position, deal):
    """The cards that lie face down."""
    stock = card_set(position.stock & STOCK_MASK, deal.stock_sets)
    return ALL & ~(position.up | position.loose | position.heads | stock)


@search_kernel
def digs(position, step, deal):
    """Whether a step turns a face-down card up."""
    if step >> 6 not in (HEAD_UP, REVEAL):
        return False
    return (position.columns >> (4 * deal.column_of[step & 63])) & 15 > 1


@search_kernel
def learn(base, card, deal):
    """Record the card under a head, both as bits; −1 for none."""
    if card < 0:
        deal.below[base] = 0
    else:
        deal.below[base] = 1 << card
        deal.column_of[card] = deal.column_of[base]


@search_kernel
def begin_step(position, step, draw, deal):
    """The position after a step, but for the card that turns up."""
    up, loose, heads, columns, stock, _ = position
    kind = step >> 6
    bit = step & 63
    card = 1 << bit
    brought = -1
    if kind in (HEAD_UP, REVEAL):
        heads ^= card
        columns -= 1 << (4 * deal.column_of[bit])
    elif kind in (STOCK_UP, STOCK_DOWN):
        stock = take_from_stock(stock, deal.stock_index[bit], draw)
    if kind in (HEAD_UP, STOCK_UP, LOOSE_UP):
        up |= card
        if kind == LOOSE_UP:
            loose ^= card
    else:
        loose |= card
        if kind == DOWN:
            up ^= card
            brought = bit
    return ObservedPosition(up, loose, heads, columns, stock, brought)


@search_kernel
def take(position, step, draw, deal):
    """The position after a step; the card under a head that leaves must have been recorded."""
    up, loose, heads, columns, stock, brought = begin_step(position, step, draw, deal)
    if step >> 6 in (HEAD_UP, REVEAL):
        heads |= deal.below[step & 63]
    return ObservedPosition(up, loose, heads, columns, stock, brought)


@inlined_kernel
def node_of(position):
    """The node of a position, without its table key."""
    up, loose, heads, columns, stock, brought = position
    return Node(up, loose, heads, columns, stock, 0, brought, 0, 0, 0)


@inlined_kernel
def forced(position, draw, deal):
    """A forced step, which loses nothing, or −1 [rise, safe]."""
    if position.brought >= 0:
        return -1
    cards = rising_cards(node_of(position), mode_by_stocks(draw, 0, False), deal)
    if cards == 0:
        return -1
    bit = lowest(cards)
    if (position.loose >> bit) & 1:
        return LOOSE_UP << 6 | bit
    if (position.heads >> bit) & 1:
        return HEAD_UP << 6 | bit
    return STOCK_UP << 6 | bit


@inlined_kernel
def _has_been(position, history):
    for at in range(history.used[0] - 1, -1, -1):
        past = history.past[at]
        if past[0] == position.up and past[1] == position.loose and past[2] == position.brought:
            return True
    return False


@search_kernel
def note(before, position, history):
    """Add the position after a step to a history; False without room."""
    if position.columns != before.columns or position.stock != before.stock:
        history.used[0] = 0
    at = history.used[0]
    if at == history.past.shape[0]:
        return False
    history.past[at, 0] = position.up
    history.past[at, 1] = position.loose
    history.past[at, 2] = position.brought
    history.used[0] = at + 1
    return True


@inlined_kernel
def choices(position, draw, work, history):
    """Write the steps that repeat no position to `work.steps`; returns their number."""
    step = forced(position, draw, work.known)
    if step >= 0:
        work.steps[0] = step
        return 1
    reach = within_reach(position.stock, draw, work.every)
    mode = mode_by_stocks(draw, 0, False)
    found = steps(node_of(position), reach, mode, work.known, work.steps, 0)
    count = 0
    for at in range(found):
        step = work.steps[at]
        returns = step >> 6 in (DOWN, LOOSE_UP)
        if returns and _has_been(take(position, step, draw, work.known), history):
            continue
        work.steps[count] = step
        count += 1
    return count


@search_kernel
def arrange(position, work):
    """Sample a determinization: the unseen cards under the heads in uniformly random order."""
    shuffle(unseen(position, work.known), work.order, work.rng)
    used = 0
    for column in range(7):
        for level in range(((position.columns >> (4 * column)) & 15) - 1):
            work.hidden[column, level] = work.order[used]
            used += 1


@search_kernel
def turning(position, head, work):
    """The card under a head in the determinization, as a bit, or −1."""
    column = work.known.column_of[head]
    locked = (position.columns >> (4 * column)) & 15
    return work.hidden[column, locked - 2] if locked > 1 else -1


@search_kernel
def decide(position, draw, nodes, work):
    """The end of the exact search of the determinization from a position: WON, UNWINNABLE, …"""
    known, shown, start = work.known, work.shown, work.start
    place = 0
    rest = position.up
    while rest != 0:
        place += HEIGHT_WEIGHT[known.suit_of[lowest(rest)]]
        rest &= rest - 1
    rest = position.heads
    while rest != 0:
        head = lowest(rest)
        rest &= rest - 1
        column = known.column_of[head]
        locked = (position.columns >> (4 * column)) & 15
        place += locked * COLUMN_WEIGHT[column]
        shown.column_of[head] = column
        under = 0
        for level in range(locked - 1):
            bit = work.hidden[column, level]
            shown.below[bit] = under
            shown.column_of[bit] = column
            under = 1 << bit
        shown.below[head] = under
    start[0], start[1], start[2] = position.up, position.loose, position.heads
    start[3], start[4], start[5] = position.columns, position.stock, place
    ended = search(start, draw, 0, nodes, False, shown, work.outer, work.inner, work.report)
    if ended == PAUSED:
        ended = search(start, draw, 0, nodes, True, shown, work.outer, work.inner, work.report)
    work.counts[SEARCHED] += work.report[0]
    return ended


@search_kernel
def winnable(position, draw, nodes, work):
    """Whether the exact search wins the determinization from a position."""
    return decide(position, draw, nodes, work) == WON


@search_kernel
def new_node(position, draw, work, history, tree):
    """Add a node for a position; its number, or NONE without room."""
    return add_node(work.steps, choices(position, draw, work, history), tree)


@search_kernel
def has_room(tree):
    """Whether there is room for all that a trajectory or a step may add."""
    counts = tree.counts
    return (
        counts[0] + _MOST_NEW <= tree.nodes.shape[0]
        and counts[1] + _MOST_NEW * MOVES_PER_FRAME <= tree.edges.shape[0]
        and counts[2] + _MOST_NEW <= tree.outcomes.shape[0]
    )


@search_kernel
def worth_of_leaf(position, settings, work):
    """The worth of a leaf in parts of a win: its verdict, all cards shown."""
    ended = decide(position, settings.draw, settings.nodes, work)
    return PARTS * (ended == WON) if ended in (WON, UNWINNABLE) else settings.undecided


@search_kernel
def rate(position, step, draw, work):
    """How good the learned policy finds a step.

    Args:
        position: the position.
        step: one of its steps.
        draw: cards turned at once.
        work: workspace; its policy gets the features.

    Returns:
        A logit: a difference of 1 between steps is one of `SCALE` in the chance to win.
    """
    known = work.known
    after = begin_step(position, step, draw, known)
    mode = mode_by_stocks(draw, 0, False)
    reach = within_reach(after.stock, draw, work.every)
    count = steps(node_of(after), reach, mode, known, work.after, 0)
    write_position(after, work.after, np.int64(count), known, work.policy)
    kind, bit, depth = step >> 6, step & 63, 0
    if kind in (HEAD_UP, REVEAL):
        depth = (position.columns >> (4 * known.column_of[bit])) & 15
    write_step(kind, bit, depth, work.policy)
    return logit(work.policy)


@search_kernel
def rate_edges(position, node, draw, work, tree):
    """Write the ratings of the edges of a node by the learned policy.

    Args:
        position: the position of the node.
        node: the node, which has edges.
        draw: cards turned at once.
        work: workspace; its policy gets the features.
        tree: tree of the game; each edge gets how it is rated beside the best one, 0 or less.
    """
    first, count = tree.nodes[node, FIRST], tree.nodes[node, COUNT]
    highest = -np.inf
    for edge in range(first, first + count):
        said = rate(position, step_of(edge, tree), draw, work)
        tree.edges[edge, RATING] = int(1e6 * SCALE * said)
        highest = max(highest, said)
    for edge in range(first, first + count):
        tree.edges[edge, RATING] -= int(1e6 * SCALE * highest)


@search_kernel
def grow(root, top, first, settings, work, tree):
    """Play a trajectory from a position of the game in the current determinization.

    Args:
        root: the position.
        top: its node.
        first: the edge of the node that is taken.
        settings: settings.
        work: workspace; `history` ends with the root.
        tree: tree of the game.

    Returns:
        What it is worth, PARTS for a win and 0 for a loss; −1 without room.
    """
    known, path, game = work.known, work.path, work.history
    draw = settings.draw
    position = root
    path.used[0] = game.used[0]
    for at in range(game.used[0]):
        for part in range(3):
            path.past[at, part] = game.past[at, part]
    node = top
    length = worth = 0
    while tree.nodes[node, COUNT] > 0:
        if length == 0:
            edge = first
        elif settings.inner_prior > 0 and position.brought < 0:
            if tree.nodes[node, VISITS] == 0 and tree.nodes[node, COUNT] > 1:
                rate_edges(position, node, draw, work, tree)
            edge = choose_by_rating(node, settings.exploration, settings.inner_prior, tree)
        else:
            edge = choose(node, settings.exploration, tree, work.rng)
        step = step_of(edge, tree)
        card = -1
        if step >> 6 in (HEAD_UP, REVEAL):
            card = turning(position, step & 63, work)
            learn(step & 63, card, known)
        outcome = outcome_with(edge, card, tree)
        if outcome < 0 or length == work.trail.shape[0]:
            return -1
        work.trail[length, 0], work.trail[length, 1] = node, edge
        length += 1
        after = take(position, step, draw, known)
        work.counts[ENTERED] += 1
        if not note(position, after, path):
            return -1
        position = after
        if position.up == ALL:
            worth = PARTS
            break
        node = tree.outcomes[outcome, NODE]
        if node == NONE and popcount(unseen(position, known)) <= 1:
            # Nothing is hidden any more: the position has one value.
            won = winnable(position, draw, settings.nodes * _CERTAIN, work)
            node = _WIN if won else _LOSS
            tree.outcomes[outcome, NODE] = node
        elif node == NONE:
            node = new_node(position, draw, work, path, tree)
            if node == NONE:
                return -1
            tree.outcomes[outcome, NODE] = node
            # A card just brought is of no use yet, and a single choice needs no evaluation.
            if tree.nodes[node, COUNT] > 1 and position.brought < 0:
                worth = worth_of_leaf(position, settings, work)
                break
        if node < 0:
            worth = PARTS * (node == _WIN)
            break
    for at in range(length):
        count_visit(work.trail[at, 0], work.trail[at, 1], worth, tree)
    return worth


@search_kernel
def think(root, top, goes_on, settings, work, tree):
    """Choose an edge at a position of the game by sequential halving over trajectories.

    All remaining edges are tried in the same determinizations, which reduces the variance of the
    differences between them.

    Args:
        root: the position.
        top: its node.
        goes_on: whether this call resumes one that ran out of room.
        settings: settings.
        work: workspace; `history` ends with the root.
        tree: tree of the game.

    Returns:
        The edge, or −1 without room: call again with more.
    """
    first, edges = tree.nodes[top, FIRST], tree.nodes[top, COUNT]
    alive, wins, progress = work.alive, work.wins, work.progress
    if not goes_on:
        for number in range(edges):
            alive[number] = first + number
            wins[number] = 0
            # As if that many trajectories had ended as the policy tells.
            asks = edges > 1 and (root.brought < 0 or settings.trajectories == 0)
            if asks and settings.prior > 0:
                said = rate(root, step_of(first + number, tree), settings.draw, work)
                wins[number] = int(settings.prior * PARTS * SCALE * said)
        progress[:] = 0
        progress[_ALIVE] = edges
    rounds = 0
    while 1 << rounds < edges:
        rounds += 1
    least = min(1, settings.trajectories)
    while progress[_ALIVE] > 1:
        count = progress[_ALIVE]
        while progress[_DONE] < max(least, settings.trajectories // (rounds * count)):
            while progress[_EDGE] < count:
                number = progress[_EDGE]
                if not has_room(tree):
                    return -1
                if number == 0:
                    arrange(root, work)
                worth = grow(root, top, alive[number], settings, work, tree)
                if worth < 0:
                    return -1
                wins[number] += worth
                progress[_EDGE] += 1
            progress[_EDGE] = 0
            progress[_DONE] += 1
        progress[_DONE] = 0
        # The better half remains, in order; of equals the first.
        for number in range(1, count):
            at = number
            while at > 0 and wins[at - 1] < wins[at]:
                wins[at - 1], wins[at] = wins[at], wins[at - 1]
                alive[at - 1], alive[at] = alive[at], alive[at - 1]
                at -= 1
        progress[_ALIVE] = (count + 1) // 2
    return alive[0]


@search_kernel
def go_down(root, edge, card, settings, work, tree):
    """Take a step in the game, adding a node for the new position if there is none.

    Args:
        root: the position.
        edge: an edge of its node.
        card: the card that turned up, as a bit, or −1.
        settings: settings.
        work: workspace; `history` ends with the root.
        tree: tree of the game.

    There must be room, see `has_room`.

    Returns:
        The new position, and its node, or NONE if the history is full.
    """
    step = step_of(edge, tree)
    if step >> 6 in (HEAD_UP, REVEAL):
        learn(step & 63, card, work.known)
    position = take(root, step, settings.draw, work.known)
    work.counts[ENTERED] += 1
    outcome = outcome_with(edge, card, tree)
    if not note(root, position, work.history):
        return position, NONE
    node = tree.outcomes[outcome, NODE]
    if node < 0:
        node = new_node(position, settings.draw, work, work.history, tree)
        tree.outcomes[outcome, NODE] = node
    return position, node
