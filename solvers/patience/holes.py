"""Complete search of games with a hole: Black Hole, Worm Hole, Golf.

A card goes to the hole when it is one rank higher or lower than the hole's last card; suits do not
matter. So a position is which ranks are left in each column, the ranks in the cells, the number of
stock cards dealt and the hole's rank. `docs/search/unfounded.md` proves what is left out:

- Columns are nodes of a tree of ranks from their bottom up (`Columns`): those with the same ranks
  left are one, and a position counts the columns at each node.
- Of two columns that show the same rank only the better one is played [better].
- A card goes to a cell only when a card that lay beneath it is played at once [uncovering].
- A position is dead when no walk over the ranks visits each as often as it has cards left [walk].
"""

# Kernels carry no annotations; everything else here is typed.
# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.kernels.decorators import inlined_kernel, search_kernel
from engine.patience.layout import CELL, STOCK, WASTE, layout_of
from engine.patience.layout import HOLE as HOLE_PILE
from engine.patience.rules import Options
from solvers.patience.attempts import Attempts, Piles, packed
from solvers.patience.table import (
    DEAD,
    DEPTH,
    FULL,
    HELD,
    NODES,
    OWN,
    RESTART,
    SEED,
    WON,
    probe,
    random_bits,
    save,
    sort_in,
)

# Scalars: the hole's rank, stock cards dealt, free cells, cards in columns and cells.
HOLE, DEALT, FREE, LEFT = range(OWN, OWN + 4)
_PUTS = 32  # a play is 32 · its node + the cards that go to cells before it
_STOCK = 1 << 20
_RANKS, _SUITS = 13, 4
_HOLE_WEIGHT, _DEALT_WEIGHT, _RANK_COUNT = 13, 14, 15
_KEY_BITS = 62
_PERIOD = 300  # nodes of the first attempt


class Columns(NamedTuple):
    """The columns of a deal as a tree of ranks; node 0 is an empty column.

    Attributes:
        rank: int64[n], the rank that a column at a node shows.
        parent: int64[n], where it is after that card is gone.
        depth: int64[n], its cards.
        weight: int64[n], what a column at a node adds to the key.
        better: int64[n, k], the nodes that show the same rank and dominate it, then -1.
        showing: int64[13, m], the nodes that show a rank, then -1.
        stock: int64[s], ranks of the stock, the next first.
        weights: int64[16], what a rank in a cell adds to the key; then a rank in the hole, a card
            dealt, and the number of ranks.
    """

    rank: NDArray[np.int64]
    parent: NDArray[np.int64]
    depth: NDArray[np.int64]
    weight: NDArray[np.int64]
    better: NDArray[np.int64]
    showing: NDArray[np.int64]
    stock: NDArray[np.int64]
    weights: NDArray[np.int64]


class HoleWorkspace(NamedTuple):
    """A search of one deal; its start is written there before it begins.

    Attributes:
        standing: int64[n], columns at each node.
        cells: int64[13], cards of each rank in cells.
        left: int64[13], cards of each rank in columns and cells.
        unseen: int64[13], cards of each rank in the stock.
        state: int64[OWN + 4], the scalars.
        keys, holes, moves_of, after, made: of each depth: key, rank of the hole, its moves'
            first place and end, the move made.
        moves, scores: the moves of all depths.
    """

    standing: NDArray[np.int64]
    cells: NDArray[np.int64]
    left: NDArray[np.int64]
    unseen: NDArray[np.int64]
    state: NDArray[np.int64]
    keys: NDArray[np.int64]
    holes: NDArray[np.int64]
    moves_of: NDArray[np.int64]
    after: NDArray[np.int64]
    made: NDArray[np.int64]
    moves: NDArray[np.int64]
    scores: NDArray[np.int64]


@inlined_kernel
def _make(move, columns, workspace, key):
    """Make a move; return the key after it."""
    state, weights = workspace.state, columns.weights
    before = state[HOLE]
    if move == _STOCK:
        rank = columns.stock[state[DEALT]]
        state[DEALT] += 1
        workspace.unseen[rank] -= 1
        key += weights[_DEALT_WEIGHT]
    elif move < 0:
        rank = -1 - move
        workspace.cells[rank] -= 1
        workspace.left[rank] -= 1
        key -= weights[rank]
        state[FREE] += 1
        state[LEFT] -= 1
    else:
        node = move // _PUTS
        workspace.standing[node] -= 1
        key -= columns.weight[node]
        for _ in range(move % _PUTS):
            workspace.cells[columns.rank[node]] += 1
            key += weights[columns.rank[node]]
            state[FREE] -= 1
            node = columns.parent[node]
        rank = columns.rank[node]
        workspace.left[rank] -= 1
        node = columns.parent[node]
        workspace.standing[node] += 1
        key += columns.weight[node]
        state[LEFT] -= 1
    state[HOLE] = rank
    return key + (rank - before) * weights[_HOLE_WEIGHT]


@inlined_kernel
def _take_back(move, hole, columns, workspace):
    """Take a move back, before which a rank was in the hole."""
    state = workspace.state
    if move == _STOCK:
        state[DEALT] -= 1
        workspace.unseen[state[HOLE]] += 1
    elif move < 0:
        workspace.cells[-1 - move] += 1
        workspace.left[-1 - move] += 1
        state[FREE] -= 1
        state[LEFT] += 1
    else:
        node = move // _PUTS
        workspace.standing[node] += 1
        for _ in range(move % _PUTS):
            workspace.cells[columns.rank[node]] -= 1
            state[FREE] += 1
            node = columns.parent[node]
        workspace.left[columns.rank[node]] += 1
        workspace.standing[columns.parent[node]] -= 1
        state[LEFT] += 1
    state[HOLE] = hole


@search_kernel
def _is_better(node, columns, workspace):
    """Whether another column shows the same rank and dominates one at this node [better]."""
    for at in range(columns.better.shape[1]):
        other = columns.better[node, at]
        if other < 0:
            return False
        if workspace.standing[other] > 0:
            return True
    return False


@search_kernel
def _add_plays(rank, top, columns, workspace):
    """Add the plays of a rank: from a cell, or of the better columns [better]."""
    moves, scores = workspace.moves, workspace.scores
    if workspace.cells[rank] > 0:
        moves[top] = -1 - rank
        scores[top] = 0
        return top + 1
    for at in range(columns.showing.shape[1]):
        node = columns.showing[rank, at]
        if node < 0:
            break
        if workspace.standing[node] == 0 or _is_better(node, columns, workspace):
            continue
        moves[top] = node * _PUTS
        scores[top] = columns.depth[node] * 16
        top += 1
    return top


@search_kernel
def _add_uncoverings(low, high, top, columns, workspace):
    """Add the plays of cards beneath others, which go to cells [uncovering]."""
    state, moves, scores = workspace.state, workspace.moves, workspace.scores
    for node in range(1, columns.rank.shape[0]):
        if workspace.standing[node] == 0 or _is_better(node, columns, workspace):
            continue
        below = columns.parent[node]
        for puts in range(1, state[FREE] + 1):
            if below == 0:
                break
            if columns.rank[below] == low or columns.rank[below] == high:
                moves[top] = node * _PUTS + puts
                scores[top] = columns.depth[below] * 16 - 64 * puts
                top += 1
            below = columns.parent[below]
    return top


@search_kernel
def _add_moves(depth, loops, columns, workspace):
    """Write the moves of a position in the order in which they are tried, the last first."""
    state, moves, scores = workspace.state, workspace.moves, workspace.scores
    ranks = columns.weights[_RANK_COUNT]
    first = top = workspace.moves_of[depth]
    hole = state[HOLE]
    low, high = hole - 1, hole + 1
    if low < 0:
        low = ranks - 1 if loops else -1
    if high == ranks:
        high = 0 if loops else -1
    if state[DEALT] < columns.stock.shape[0]:
        moves[top] = _STOCK
        scores[top] = -1 << 20
        top += 1
    if low >= 0:
        top = _add_plays(low, top, columns, workspace)
    if high >= 0 and high != low:
        top = _add_plays(high, top, columns, workspace)
    if state[FREE] > 0:
        top = _add_uncoverings(low, high, top, columns, workspace)
    for at in range(first, top):
        move, score = moves[at], scores[at]
        if state[SEED] != 0 and move != _STOCK:
            score += random_bits(state) % 48
        sort_in(moves, scores, first, at, move, score)
    workspace.after[depth] = top


@search_kernel
def _cycle_walk(workspace, ranks):
    """Whether a walk round an odd number of ranks visits each as often as it has cards [walk]."""
    left, hole = workspace.left, workspace.state[HOLE]
    edge = 0
    for rank in range(ranks):
        used = 2 * left[rank] + (1 if rank == hole else 0)
        edge = used - edge
    # That is twice the use of the edge from the last rank to the first, if the walk ended nowhere.
    ends = 0
    for rank in range(ranks):
        if left[rank] > 0:
            ends |= 1 << rank
    for rank in range(ranks):
        # edge: from rank - 1 to rank, doubled.
        if edge < 0:
            if edge < -1:
                return False
            # Only an end an even number of ranks after its lower rank adds to it.
            lower = (rank - 1) % ranks
            plus = 0
            for step in range(2, ranks, 2):
                plus |= 1 << (lower + step) % ranks
            ends &= plus
            if ends == 0:
                return False
        edge = 2 * (2 * left[rank] + (1 if rank == hole else 0)) - edge
    return ends != 0


@search_kernel
def _line_walk(columns, workspace, ranks):
    """Whether each card left can have a card of its own that it goes onto [walk]."""
    left, unseen, hole = workspace.left, workspace.unseen, workspace.state[HOLE]
    # Of each rank the cards that others can go onto are those left, the stock's and the hole's.
    # Ranks are served from the lowest: first by the rank beneath, which has no better use.
    spare_two, spare_one = 0, 0  # of the ranks two and one below
    for rank in range(ranks):
        # Cards of this rank need as many of rank - 1 and rank + 1.
        need = left[rank] - spare_one
        supply = 0
        if rank + 1 < ranks:
            supply = left[rank + 1] + unseen[rank + 1] + (1 if hole == rank + 1 else 0)
        if need > 0:
            if need > supply:
                return False
            supply -= need
        # What is left of rank + 1 serves rank + 2, two steps on.
        spare_one = spare_two
        spare_two = supply
        if rank == 0:
            spare_one = left[0] + unseen[0] + (1 if hole == 0 else 0)
    return True


@search_kernel
def search(loops, table, limit, columns, workspace):
    """Attempts from the start; ``state[NODES]`` counts on.

    Returns:
        WON, with the moves in ``made[:DEPTH]``; DEAD; RESTART after `limit` nodes; FULL when the
        table has no room.
    """
    state, keys = workspace.state, workspace.keys
    ranks = columns.weights[_RANK_COUNT]
    room = table.shape[0] * 3 // 4
    state[DEPTH] = depth = 0
    workspace.moves_of[0] = 0
    _add_moves(0, loops, columns, workspace)
    status = DEAD
    if state[LEFT] == 0:
        return WON
    while True:
        if workspace.after[depth] == workspace.moves_of[depth]:
            if state[HELD] >= room:
                status = FULL
                break
            save(table, keys[depth])
            state[HELD] += 1
            if depth == 0:
                break
            depth -= 1
            _take_back(workspace.made[depth], workspace.holes[depth], columns, workspace)
            continue
        workspace.after[depth] -= 1
        move = workspace.moves[workspace.after[depth]]
        workspace.made[depth] = move
        workspace.holes[depth] = state[HOLE]
        key = _make(move, columns, workspace, keys[depth])
        if state[LEFT] == 0:
            state[DEPTH] = depth + 1
            return WON
        if not probe(table, key):
            state[NODES] += 1
            if state[NODES] >= limit:
                status = RESTART
                depth += 1
                break
            if loops:
                odd = ranks % 2 == 1 and ranks > 1
                alive = not odd or columns.stock.shape[0] > 0 or _cycle_walk(workspace, ranks)
            else:
                alive = _line_walk(columns, workspace, ranks)
            if alive:
                depth += 1
                keys[depth] = key
                workspace.moves_of[depth] = workspace.after[depth - 1]
                _add_moves(depth, loops, columns, workspace)
                continue
        _take_back(move, workspace.holes[depth], columns, workspace)
    while depth > 0:
        depth -= 1
        _take_back(workspace.made[depth], workspace.holes[depth], columns, workspace)
    return status


def plays(options: Options) -> bool:
    """Whether the search plays a ruleset: nothing goes to columns, and keys fit into a word."""
    if not options.hole or options.building != "no-build" or options.spaces.startswith("auto"):
        return False
    if options.stock and options.stock_to != "hole":
        return False
    sizes = [len(zone) for zone in _columns_of(options)]
    same = _SUITS * (2 if options.two_decks else 1)
    bits = sum(_bits(size) for size in sizes) + math.log2(options.max_rank * (options.stock + 1))
    bits += options.max_rank * math.log2(min(options.cells, same) + 1)
    return bits < _KEY_BITS


def _columns_of(options: Options) -> list[range]:
    """The places of each column and each pile of the reserve in the flat order."""
    zones = {zone.name: zone.piles for zone in layout_of(options).zones}
    reserve = list(zones.get("reserve", ()))
    if reserve and not options.reserve_stacked:
        reserve = [range(place, place + 1) for place in reserve[0]]
    return [*zones.get("tableau", ()), *reserve]


def _bits(size: int) -> float:
    """Most bits of a key for a column: alone from a card up, or one of those that share cards.

    k columns that share a card have k + 1 numbers there, which is at most log2(3) / 2 bits each.
    """
    shared, most = math.log2(3) / 2, 0.0
    for height in range(1, size + 1):
        most = max(math.log2(height + 1), shared + most)
    return most


def begin(piles: Piles, options: Options) -> Attempts:
    """Prepare a search."""
    columns, workspace, node_of = _set_up(piles, options)
    loops, state = options.hole_loops, workspace.state
    last = piles.hole
    assert last is not None
    state[HOLE] = last >> 2

    def attempt(table: NDArray[np.int64], limit: int, _budget: int) -> int:
        status: int = search(loops, table, limit, columns, workspace)
        return status

    def moves() -> bytes:
        return packed(_moves(piles, columns, node_of, workspace.made[: state[DEPTH]].tolist()))

    return Attempts(state, 1, attempt, moves, _PERIOD)


def _set_up(
    piles: Piles, options: Options
) -> tuple[Columns, HoleWorkspace, dict[tuple[int, ...], int]]:
    """Arrays of a search, and the node of each row of ranks that a column can have."""
    decks = [tuple(card >> 2 for card in pile) for _, pile in piles.columns]
    cells = [card >> 2 for card in piles.cells if card is not None]
    stock = [card >> 2 for card in piles.stock]
    node_of: dict[tuple[int, ...], int] = {(): 0}
    passing = [0]
    for pile in decks:
        for height in range(1, len(pile) + 1):
            node = node_of.setdefault(pile[:height], len(passing))
            if node == len(passing):
                passing.append(0)
            passing[node] += 1
    lefts = list(node_of)
    parent = [node_of[left[:-1]] for left in lefts]
    weight, weights = _weights(parent, passing, len(stock), options)
    showing: list[list[int]] = [[] for _ in range(_RANKS)]
    for node, left in enumerate(lefts):
        if left:
            showing[left[-1]].append(node)
    better = [
        [
            other
            for other in (showing[left[-1]] if left else [])
            if other != node and lefts[other][::-1][: len(left)] == left[::-1]
        ]
        for node, left in enumerate(lefts)
    ]
    columns = Columns(
        rank=_array([left[-1] if left else -1 for left in lefts]),
        parent=_array(parent),
        depth=_array(list(map(len, lefts))),
        weight=_array(weight),
        better=_padded(better),
        showing=_padded(showing),
        stock=_array(stock),
        weights=_array(weights),
    )
    cards = sum(map(len, decks)) + len(cells)
    most = cards + len(stock) + 2
    moves = most * ((len(decks) + 1) * (options.cells + 1) + 2)
    workspace = HoleWorkspace(
        standing=_counts([node_of[pile] for pile in decks], len(lefts)),
        cells=_counts(cells, _RANKS),
        left=_counts([*itertools.chain(*decks), *cells], _RANKS),
        unseen=_counts(stock, _RANKS),
        state=np.zeros(OWN + 4, dtype=np.int64),
        keys=np.zeros(most, dtype=np.int64),
        holes=np.zeros(most, dtype=np.int64),
        moves_of=np.zeros(most, dtype=np.int64),
        after=np.zeros(most, dtype=np.int64),
        made=np.zeros(most, dtype=np.int64),
        moves=np.zeros(moves, dtype=np.int64),
        scores=np.zeros(moves, dtype=np.int64),
    )
    assert piles.hole is not None
    workspace.keys[0] = (
        1
        + sum(weight[node_of[pile]] for pile in decks)
        + sum(weights[rank] for rank in cells)
        + weights[_HOLE_WEIGHT] * (piles.hole >> 2)
    )
    workspace.state[FREE] = options.cells - len(cells)
    workspace.state[LEFT] = cards
    return columns, workspace, node_of


def _weights(
    parent: list[int], passing: list[int], stock: int, options: Options
) -> tuple[list[int], list[int]]:
    """Weights of nodes and of the rest, so that the sum is another for each position."""
    children: list[list[int]] = [[] for _ in parent]
    for node in range(1, len(parent)):
        children[parent[node]].append(node)
    weight, unit = [0] * len(parent), 1
    waiting = list(children[0])
    while waiting:
        node = waiting.pop()
        # A column that is alone from a node up stands at one of its heights, or below the node.
        chain = [node]
        while passing[node] == 1 and children[chain[-1]]:
            chain += children[chain[-1]]
        for steps, at in enumerate(chain, start=1):
            weight[at] = steps * unit
        unit *= len(chain) + 1 if passing[node] == 1 else passing[node] + 1
        if passing[node] > 1:
            waiting += children[node]
    weights = [0] * (_RANK_COUNT + 1)
    for rank in range(options.max_rank):
        weights[rank] = unit
        unit *= min(options.cells, _SUITS * (2 if options.two_decks else 1)) + 1
    weights[_HOLE_WEIGHT] = unit
    unit *= options.max_rank
    weights[_DEALT_WEIGHT] = unit
    unit *= stock + 1
    weights[_RANK_COUNT] = options.max_rank
    assert unit < 1 << 62, "the keys do not fit into a word"
    return weight, weights


def _moves(
    piles: Piles, columns: Columns, node_of: Mapping[tuple[int, ...], int], made: list[int]
) -> Iterator[tuple[int, int]]:
    """The moves of real cards, by pile codes: any column at a node will do."""
    held = {code: list(pile) for code, pile in piles.columns}
    cells = list(piles.cells)
    stock = len(piles.stock)
    for move in made:
        if move == _STOCK:
            stock -= 1
            yield STOCK, WASTE
        elif move < 0:
            cell = next(
                at for at, card in enumerate(cells) if card is not None and card >> 2 == -1 - move
            )
            cells[cell] = None
            yield CELL + cell, HOLE_PILE
        else:
            node, puts = divmod(move, _PUTS)
            code = next(
                code
                for code, pile in held.items()
                if pile and node_of[tuple(card >> 2 for card in pile)] == node
            )
            for _ in range(puts):
                cell = cells.index(None)
                cells[cell] = held[code].pop()
                yield code, CELL + cell
            held[code].pop()
            yield code, HOLE_PILE
    for _ in range(stock):
        yield STOCK, WASTE


def _array(numbers: Sequence[int]) -> NDArray[np.int64]:
    return np.array(numbers, dtype=np.int64)


def _counts(numbers: Sequence[int], size: int) -> NDArray[np.int64]:
    """How often each number below `size` occurs."""
    return np.bincount(_array(numbers), minlength=size).astype(np.int64)


def _padded(rows: list[list[int]]) -> NDArray[np.int64]:
    """Rows of one length, filled up with -1."""
    width = max(map(len, rows)) + 1
    return np.array([row + [-1] * (width - len(row)) for row in rows], dtype=np.int64)
