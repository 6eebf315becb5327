"""The loop of the exact search: depth first, over positions of `solvers.klondike.exact.position`.

`run` searches one position until it is decided, or spent, or, with larger draws, until it is time
to ask whether a position on the path is lost even at draw 1. `search` drives it and asks.
Proofs: `docs/search.md`; names in brackets are its sections.
"""

# mypy: allow-untyped-defs, allow-untyped-calls

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.cardset import ACES, ALL, lowest, next_in_suit, popcount
from engine.kernels import search_kernel
from engine.klondike.stock_turns import STOCK_MASK, take_from_stock, within_reach
from solvers.klondike.exact.position import (
    BRING,
    COLUMN_WEIGHT,
    DOWN,
    DRAW_ONE,
    EXTRA,
    FROM_STOCK,
    HEAD_UP,
    HEIGHT_WEIGHT,
    LOOSE_UP,
    ORDER,
    RELAXATION,
    RESTARTS,
    REVEAL,
    REVEALS,
    RISE,
    SAFE,
    STOCK_DOWN,
    STOCK_UP,
    STOCKS,
    WASTE,
    bare_cards,
    hosted,
    safe_cards,
    steps,
)
from solvers.klondike.exact.relaxation import hopeless
from solvers.klondike.exact.stocks import (
    FULL,
    add_stock,
    clear_store,
    closed,
    expect_place,
    roll_back,
)
from solvers.klondike.exact.table import (
    NEW,
    NO_ENTRY,
    SEEN,
    SMALLEST_TABLE,
    enter,
    expect,
    forget,
    grow,
)

# What a search ends with.
WON, UNWINNABLE, NODES_SPENT, MEMORY_SPENT, PAUSED, _ASK = range(6)

MAX_DEPTH = 4096
MAX_LINE = 2 * MAX_DEPTH + 52

# The search restarts after this many nodes, then after a quarter more, and so on; where stocks
# dominate, after three times as many and only early on [restarts].
FIRST_RESTART = 300
_LAST_BY_STOCKS = 2000
_RANDOM_START = 2463534242
_LOW_32 = (1 << 32) - 1

# After this many nodes a search pauses once, for its caller to test the deal [pairs].
_PAUSE = 2000

# A position is asked about when this many nodes were spent below it, and may then use as many
# nodes as were spent below it four times over, but at least _LEAST [draw one].
_ASK_AFTER = 100
_LEAST = 10_000
_NEVER = 1 << 60

# From this many entries on, a table is too large for the processor's cache.
_LARGE_TABLE = 1 << 18

# A frame: the position, then where its steps begin, how long the line to it is, what was brought,
# what its entry found, nodes when it was entered, after how many nodes below it to ask, and the
# heads whose reveal was tried [reveals].
_TOP, _LENGTH, _BROUGHT, _ENTERED, _SINCE, _DUE, _TRIED = range(6, 13)
FRAME = 13

# What `run` keeps between calls.
(
    _NODES,
    _DEPTH,
    _MOVES_TOP,
    _SIZE,
    _USED,
    _PERIOD,
    _NEXT_RESTART,
    _RANDOM,
    _NEXT_ASK,
    _LINE_LENGTH,
) = range(10)
STATE = 10


class Area(NamedTuple):
    """The memory of one search. Arrays of int64.

    table: [2 ** k], see `solvers.klondike.exact.table`.
    slots, pool, meta: see `solvers.klondike.exact.stocks`; shared with the questions asked at draw
    1. frames: [MAX_DEPTH, FRAME]. moves: [MAX_DEPTH * MOVES_PER_FRAME], steps still to try, frame
    upon frame. line: [MAX_LINE], the steps from the start to the position at hand. state: [STATE].
    every: `solvers.klondike.exact.position.every_table` of its draw.
    """

    table: NDArray[np.int64]
    slots: NDArray[np.int64]
    pool: NDArray[np.int64]
    meta: NDArray[np.int64]
    frames: NDArray[np.int64]
    moves: NDArray[np.int64]
    line: NDArray[np.int64]
    state: NDArray[np.int64]
    every: NDArray[np.int64]


@search_kernel
def _random(state):
    """The next state of a xorshift generator of 32 bits (Marsaglia 2003); never 0."""
    state ^= (state << 13) & _LOW_32
    state ^= state >> 17
    return state ^ ((state << 5) & _LOW_32)


@search_kernel
def _waste(stock):
    """How many cards of the stock lie in the waste; 0 where it offers no more than a fresh pass."""
    return popcount(stock & ((1 << (stock >> 24)) - 1))


@search_kernel
def _number(brought, deal):
    """The number of a card brought from a foundation in the table's entries."""
    return -1 if brought < 0 else deal.suit_of[brought]


@search_kernel
def rising_cards(up, loose, heads, stock, draw, off, deal):
    """The cards that go up without asking: loose ones, and heads and (draw 1) stock if safe."""
    following = (next_in_suit(up) | ACES) & ~up
    bare = bare_cards(loose | heads, loose)
    if off & RISE == 0:
        rising = following & loose & bare
        if rising != 0:
            return rising
    if off & SAFE != 0:
        return 0
    rising = following & safe_cards(up)
    if rising == 0:
        return 0
    drawable = 0
    if draw == 1:
        rest = rising & ~(loose | heads)
        while rest != 0:
            bit = lowest(rest)
            rest &= rest - 1
            index = deal.stock_index[bit]
            if index >= 0 and (stock >> index) & 1:
                drawable |= 1 << bit
    return rising & ((heads & bare) | drawable)


@search_kernel
def _dig(heads, columns, place, bit, deal):
    """Heads, columns and place after a head left its column."""
    column = deal.column_of[bit]
    heads ^= 1 << bit
    columns -= 1 << (4 * column)
    return heads | deal.below[bit], columns, place - COLUMN_WEIGHT[column]


@search_kernel
def _restart(nodes, by_stocks, exact, deal, area):
    """Forget the path but for the start, or everything where stocks dominate [restarts]."""
    state = area.state
    if by_stocks:
        _empty_table(area)
        clear_store(area.slots, area.meta)
        state[_PERIOD] *= 3
        state[_DEPTH] = 0
    while state[_DEPTH] > 0:
        frame = area.frames[state[_DEPTH]]
        stock = frame[4]
        if frame[_ENTERED] != NO_ENTRY:
            forget(
                area.table,
                state[_SIZE],
                frame[5],
                stock & STOCK_MASK,
                _waste(stock),
                _number(frame[_BROUGHT], deal),
                exact,
                frame[_ENTERED],
            )
        if frame[_ENTERED] == NEW:
            state[_USED] -= 1
        state[_DEPTH] -= 1
    state[_PERIOD] += state[_PERIOD] // 4
    state[_NEXT_RESTART] = nodes + state[_PERIOD]


@search_kernel
def _empty_table(area):
    area.state[_SIZE] = SMALLEST_TABLE
    area.state[_USED] = 0
    area.table[SMALLEST_TABLE : 2 * SMALLEST_TABLE] = 0


@search_kernel
def _begin(area):
    """Make a work area ready for a position; the store of stocks is left as it is."""
    state = area.state
    state[_NODES] = 0
    state[_DEPTH] = -1
    state[_MOVES_TOP] = 0
    _empty_table(area)
    state[_PERIOD] = state[_NEXT_RESTART] = FIRST_RESTART
    state[_RANDOM] = _RANDOM_START
    state[_NEXT_ASK] = _ASK_AFTER
    state[_LINE_LENGTH] = 0


@search_kernel
def run(start, draw, off, budget, asks, deal, area):
    """Search until something ends it; may be called again after _ASK.

    Args:
        start: int64[>= 6], the position: up, loose, heads, columns, stock, place.
        draw: cards turned at once.
        off: rules switched off, bits of `solvers.klondike.exact.position.RULES`.
        budget: how many positions may be entered in all.
        asks: whether to come back with _ASK.
        deal: the deal.
        area: the work area, after `_begin` or an earlier call.

    Returns:
        WON (the line wins), UNWINNABLE (proved), NODES_SPENT, MEMORY_SPENT or _ASK.
    """
    state, frames, moves, line = area.state, area.frames, area.moves, area.line
    table = area.table
    largest = table.shape[0] // 2
    exact = draw > 3 or off & WASTE != 0
    by_stocks = draw == 1 and off & (STOCKS | BRING) == 0
    brings = draw == 1 and off & BRING == 0
    in_order = off & (REVEALS | RISE) == 0
    checks_store = draw > 1 and asks
    restarts = off & RESTARTS == 0
    nodes = state[_NODES]
    size = state[_SIZE]
    depth = state[_DEPTH]
    top = state[_MOVES_TOP]
    random_state = state[_RANDOM]
    restarted = state[_PERIOD] != FIRST_RESTART

    up, loose, heads = start[0], start[1], start[2]
    columns, stock, place = start[3], start[4], start[5]
    brought = -1
    line_length = 0
    is_new = nodes == 0  # whether the position at hand is to be entered

    while True:
        if is_new:
            if nodes == budget:
                state[_NODES] = nodes
                return NODES_SPENT
            nodes += 1
            dead = False
            if brought < 0:
                before = line_length
                while True:
                    rising = rising_cards(up, loose, heads, stock, draw, off, deal)
                    if rising == 0:
                        break
                    bit = lowest(rising)
                    card = 1 << bit
                    up |= card
                    place += HEIGHT_WEIGHT[deal.suit_of[bit]]
                    kind = LOOSE_UP
                    if loose & card:
                        loose ^= card
                    elif heads & card:
                        kind = HEAD_UP
                        heads, columns, place = _dig(heads, columns, place, bit, deal)
                    else:
                        kind = STOCK_UP
                        stock = take_from_stock(stock, deal.stock_index[bit], draw)
                    line[line_length] = kind << 6 | bit
                    line_length += 1
                if up == ALL:
                    state[_NODES] = nodes
                    state[_LINE_LENGTH] = line_length
                    return WON
                tried = 0
                if in_order and line_length == before and depth >= 0:
                    tried = _tried_before(frames[depth], line[line_length - 1], deal)

            mask = stock & STOCK_MASK
            entered = NO_ENTRY
            reach = 0
            if by_stocks and brought < 0:
                if closed(area.slots, area.pool, area.meta, place, mask):
                    dead = True
                else:
                    entered = add_stock(area.slots, area.pool, area.meta, place, mask)
                    if entered == FULL:
                        state[_NODES] = nodes
                        return MEMORY_SPENT
                    reach = mask
            elif brought >= FROM_STOCK or (brought >= 0 and draw > 1 and off & ORDER == 0):
                reach = within_reach(stock, draw, area.every)  # rarely met again: no entry
            else:
                entered = enter(
                    table, size, place, mask, _waste(stock), _number(brought, deal), draw, exact
                )
                if entered == SEEN:
                    dead = True
                else:
                    reach = within_reach(stock, draw, area.every)
                    if entered == NEW:
                        state[_USED] += 1
                        # Dead positions count too: the table must never fill up.
                        if 3 * state[_USED] > 2 * size:
                            if 2 * size > largest:
                                state[_NODES] = nodes
                                return MEMORY_SPENT
                            size = grow(table, size)
                            state[_SIZE] = size
                    elif not exact and brought < 0 and off & EXTRA == 0:
                        # Only what this waste shows and none that was entered did [extra reach].
                        shown = within_reach(mask, draw, area.every)
                        for remainder in range(1, draw):
                            smallest = (entered >> (4 * (remainder - 1))) & 15
                            if smallest > 0:
                                waste = (smallest - 1) * draw + remainder
                                shown |= _shown(mask, waste, draw, area.every)
                        reach &= ~shown
                        dead = reach == 0
                    if checks_store and closed(area.slots, area.pool, area.meta, place, mask):
                        dead = True
            # A stock card that goes up at draw 1 leaves as much hope as there was.
            fears = draw > 1 or line_length == 0 or line[line_length - 1] >> 6 != STOCK_UP
            if not dead and brought < 0 and off & RELAXATION == 0 and fears:
                dead = hopeless(
                    up,
                    loose,
                    heads,
                    columns,
                    stock,
                    reach,
                    draw > 1 and entered != NEW,
                    draw,
                    deal,
                    area.every,
                )

            if not dead:
                if depth + 1 == frames.shape[0]:
                    state[_NODES] = nodes
                    return MEMORY_SPENT
                depth += 1
                frame = frames[depth]
                frame[0], frame[1], frame[2] = up, loose, heads
                frame[3], frame[4], frame[5] = columns, stock, place
                frame[_TOP], frame[_LENGTH] = top, line_length
                frame[_BROUGHT], frame[_ENTERED] = brought, entered
                frame[_SINCE], frame[_DUE] = nodes, _ASK_AFTER
                first = top
                top = steps(
                    up, loose, heads, columns, stock, brought, reach, draw, off, deal, moves, top
                )
                frame[_TRIED] = 0
                if brought < 0 and tried != 0:
                    top = _drop_tried(tried, frame, draw, off, deal, moves, first, top)
                if size >= _LARGE_TABLE and not by_stocks:
                    _expect(place, mask, size, asks, deal, area, first, top)
                if restarted:
                    for at in range(top - 1, first, -1):
                        random_state = _random(random_state)
                        if random_state % 12 == 0:
                            moves[at], moves[at - 1] = moves[at - 1], moves[at]

            if nodes >= state[_NEXT_RESTART] and depth > 0 and restarts:
                state[_DEPTH] = depth
                _restart(nodes, by_stocks, exact, deal, area)
                size = state[_SIZE]
                restarted = True
                restarts = not by_stocks or state[_NEXT_RESTART] < _LAST_BY_STOCKS
                depth = 0
                frame = frames[0]
                frame[_TRIED] = 0
                first = frame[_TOP]
                top = steps(
                    frame[0],
                    frame[1],
                    frame[2],
                    frame[3],
                    frame[4],
                    -1,
                    within_reach(frame[4], draw, area.every),
                    draw,
                    off,
                    deal,
                    moves,
                    first,
                )
                for at in range(top - 1, first, -1):
                    random_state = _random(random_state)
                    other = first + random_state % (at - first + 1)
                    moves[at], moves[other] = moves[other], moves[at]

        is_new = True
        if asks and nodes >= state[_NEXT_ASK]:
            state[_NODES] = nodes
            state[_DEPTH] = depth
            state[_MOVES_TOP] = top
            state[_RANDOM] = random_state
            return _ASK

        # The next step still to try, from the deepest position that has one.
        while depth >= 0 and top == frames[depth, _TOP]:
            depth -= 1
        if depth < 0:
            state[_NODES] = nodes
            return UNWINNABLE
        frame = frames[depth]
        up, loose, heads = frame[0], frame[1], frame[2]
        columns, stock, place = frame[3], frame[4], frame[5]
        line_length = frame[_LENGTH]
        top -= 1
        step = moves[top]
        line[line_length] = step
        line_length += 1

        kind = step >> 6
        bit = step & 63
        card = 1 << bit
        brought = -1
        if kind in (HEAD_UP, REVEAL):
            heads, columns, place = _dig(heads, columns, place, bit, deal)
        elif kind in (STOCK_UP, STOCK_DOWN):
            stock = take_from_stock(stock, deal.stock_index[bit], draw)
        if kind in (HEAD_UP, STOCK_UP, LOOSE_UP):
            up |= card
            place += HEIGHT_WEIGHT[deal.suit_of[bit]]
            if kind == LOOSE_UP:
                loose ^= card
        else:
            loose |= card
            if kind == DOWN:
                up ^= card
                place -= HEIGHT_WEIGHT[deal.suit_of[bit]]
                brought = bit
            elif kind == STOCK_DOWN and brings:
                brought = bit + FROM_STOCK


@search_kernel
def _tried_before(parent, step, deal):
    """The reveals that were tried before this step and have led to where they lead after it.

    They are to be left out after it, unless something then rises [reveals]. `parent` is the frame
    from which the step is tried; a reveal is noted there.
    """
    if parent[_BROUGHT] >= 0:
        return 0
    tried = parent[_TRIED]
    kind = step >> 6
    if kind in (HEAD_UP, REVEAL):
        tried &= ~hosted(deal.below[step & 63])
    if kind == REVEAL:
        parent[_TRIED] |= 1 << (step & 63)
    return tried


@search_kernel
def _drop_tried(tried, frame, draw, off, deal, moves, first, top):
    """Drop reveals that were tried before, and note them as tried here; the new top."""
    end = first
    for at in range(first, top):
        step = moves[at]
        card = 1 << (step & 63)
        if step >> 6 == REVEAL and tried & card != 0:
            heads = (frame[2] ^ card) | deal.below[step & 63]
            if rising_cards(frame[0], frame[1] | card, heads, frame[4], draw, off, deal) == 0:
                frame[_TRIED] |= card
                continue
        moves[end] = step
        end += 1
    return end


@search_kernel
def _expect(place, mask, size, asks, deal, area, first, top):
    """Have the entries fetched of the positions to which steps lead, if nothing rises in them."""
    for at in range(first, top):
        kind = area.moves[at] >> 6
        bit = area.moves[at] & 63
        to, left = place, mask
        if kind in (HEAD_UP, REVEAL):
            to -= COLUMN_WEIGHT[deal.column_of[bit]]
        elif kind in (STOCK_UP, STOCK_DOWN):
            left ^= 1 << deal.stock_index[bit]
        else:
            continue
        if kind in (HEAD_UP, STOCK_UP):
            to += HEIGHT_WEIGHT[deal.suit_of[bit]]
        expect(area.table, size, to, left)
        if asks:
            expect_place(area.slots, area.meta, to)


@search_kernel
def _shown(mask, waste, draw, every):
    """The places within reach when the first `waste` cards left lie in the waste."""
    edge = 0
    rest = mask
    for _ in range(waste):
        edge = lowest(rest) + 1
        rest &= rest - 1
    return within_reach(mask | edge << 24, draw, every)


@search_kernel
def _ask(off, budget, deal, area, inner):
    """Ask which positions of the path are lost even at draw 1, and drop them [draw one]."""
    state, frames = area.state, area.frames
    depth = state[_DEPTH]
    while depth >= 0:
        frame = frames[depth]
        if frame[_BROUGHT] < 0 and state[_NODES] - frame[_SINCE] >= frame[_DUE]:
            spent = state[_NODES] - frame[_SINCE]
            entries = area.meta[2]
            _begin(inner)
            allowed = min(max(4 * spent, _LEAST), budget - state[_NODES])
            ended = run(frame, 1, off | RESTARTS, allowed, False, deal, inner)
            state[_NODES] += inner.state[_NODES]
            if ended != UNWINNABLE:
                roll_back(area.slots, area.pool, area.meta, entries)
                if ended == WON:
                    for above in range(depth + 1):
                        frames[above, _DUE] = _NEVER
                else:
                    for above in range(depth + 1):
                        spent = state[_NODES] - frames[above, _SINCE]
                        frames[above, _DUE] = max(frames[above, _DUE], 2 * spent)
                break
            state[_DEPTH] = depth - 1
            state[_MOVES_TOP] = frame[_TOP]
        depth -= 1
    state[_NEXT_ASK] = state[_NODES] + _ASK_AFTER


@search_kernel
def search(start, draw, off, node_budget, goes_on, deal, area, inner, report):
    """Decide one position.

    Args:
        start: int64[6], the position: up, loose, heads, columns, stock, place.
        draw: cards turned at once.
        off: rules switched off, bits of `solvers.klondike.exact.position.RULES`.
        node_budget: how many positions may be entered.
        goes_on: whether the same search was begun before, and PAUSED.
        deal: what stays the same.
        area: the work area; ``area.line`` holds the winning steps afterwards.
        inner: another, for the questions asked at draw 1, with the same store of stocks.
        report: int64[2], out: positions entered, length of the line.

    Returns:
        WON (the line wins), UNWINNABLE (proved), NODES_SPENT, MEMORY_SPENT, or PAUSED: to be called
        again.
    """
    asks = draw > 1 and off & (DRAW_ONE | BRING | STOCKS) == 0
    if not goes_on:
        _begin(area)
        if draw == 1 or asks:
            clear_store(area.slots, area.meta)
    while True:
        ended = run(start, draw, off, node_budget, asks, deal, area)
        if ended != _ASK:
            break
        _ask(off, node_budget, deal, area, inner)
        if not goes_on and area.state[_NODES] >= _PAUSE:
            ended = PAUSED
            break
    report[0] = area.state[_NODES]
    report[1] = area.state[_LINE_LENGTH] if ended == WON else 0
    return ended
