"""The compiled search behind `solvers.exact`: its position, its steps and its loop.

The proofs of everything this file leaves out of the search stand in `docs/search.md`; the names
in brackets below, such as [arrangement], are its sections.

**Position.** A card is *up* (on its foundation), *locked* (in its column where it was dealt or,
in a mid-game start, where nothing can lie between it and the face-down cards), *loose* (face up
on another card, or a king alone in a column) or in the stock. The topmost locked card of a column
is its *head*; heads and loose cards are *visible*. Which loose card lies where need not be known
[arrangement], so these six integers are the whole position:

=======  ==========================================================================================
up       set of cards on the foundations (sets as in `engine.bits`)
loose    set of loose cards
heads    set of heads
columns  how many locked cards each column has, 4 bits each
stock    bit i: card i of the stock is still in stock or waste; bits 24…28: cards in the waste,
         or 0 where that offers nothing beyond a fresh pass [waste]
place    foundation heights and locked counts in mixed radix, below 2³¹: the table key without
         the stock
=======  ==========================================================================================

**Steps.** HEAD_UP, REVEAL (a head with all that lies on it moves to a parent or a king's column),
STOCK_UP, STOCK_DOWN (one card of the stock within reach, to foundation or tableau), DOWN
(foundation to tableau) and LOOSE_UP. A step is ``kind << 6 | bit of the card``.
"""

# mypy: allow-untyped-defs, allow-untyped-calls

import numpy as np
from numba import njit

from engine.bits import (
    ACES,
    ALL,
    EVEN,
    KINGS,
    LOW_TWO_RANKS,
    both_of_pairs,
    lowest,
    next_in_suit,
    popcount,
    previous_in_suit,
    swap_twins,
)
from solvers.exact_table import NEW, SEEN, SMALLEST_TABLE, STOCK_MASK, enter, forget, grow

HEAD_UP, REVEAL, STOCK_UP, STOCK_DOWN, DOWN, LOOSE_UP = range(6)

# What a search ends with.
WON, UNWINNABLE, NODES_SPENT, MEMORY_SPENT = range(4)

MAX_DEPTH = 4096
# At most one step for a card of the stock, two for a head, one for a top of the foundations and
# one LOOSE_UP a suit.
MOVES_PER_FRAME = 24 + 2 * 7 + 4 + 4
MAX_LINE = 2 * MAX_DEPTH + 52

# Weights of `place`: four heights 0..13, then columns of at most 1, 2, … 7 locked cards.
HEIGHT_WEIGHT = np.array([14**suit for suit in range(4)], dtype=np.int64)
COLUMN_WEIGHT = np.array([14**4 * f for f in (1, 2, 6, 24, 120, 720, 5040)], dtype=np.int64)


# The search restarts after this many nodes, then after a quarter more, and so on [restarts].
FIRST_RESTART = 300
_RANDOM_START = 2463534242
_LOW_32 = (1 << 32) - 1


@njit(cache=True, nogil=True)
def _bare(visible, loose):
    """Pairs of which one visible card can be made to carry nothing.

    The loose cards that can lie on a pair only lie on its visible cards, one each, and may be
    exchanged between them; so one can be bare exactly if they are fewer. A card can go up if it is
    in the result, and one can be placed if the pair four bits above it is.
    """
    one = (visible | (visible >> 1)) & EVEN
    two = (visible & (visible >> 1)) & EVEN
    children = loose << 4
    one_child = (children | (children >> 1)) & EVEN
    two_children = (children & (children >> 1)) & EVEN
    return both_of_pairs((one & ~one_child) | (two & ~two_children))


@njit(cache=True, nogil=True)
def _safe(up):
    """Cards that never serve as a parent again once they are up [safe]."""
    ready = next_in_suit(up) | ACES  # up, or will be as soon as they are free to
    both_children = both_of_pairs(((ready & (ready >> 1)) & EVEN) << 4) & ALL
    twin_of_two_below = swap_twins((ready << 8) & ALL)
    return (both_children | ACES) & (twin_of_two_below | LOW_TWO_RANKS)


@njit(cache=True, nogil=True)
def _free_columns(columns, loose):
    """How many columns are open to a king."""
    locked = (columns | (columns >> 1) | (columns >> 2) | (columns >> 3)) & 0x1111111
    return 7 - popcount(locked) - popcount(loose & KINGS)


@njit(cache=True, nogil=True)
def _take_from_stock(stock, index, draw):
    """The stock after card `index` of it was played."""
    cards = stock & STOCK_MASK
    under = popcount(cards & ((1 << index) - 1))
    cards &= ~(1 << index)
    if under % draw == 0 or under == popcount(cards):
        under = 0
    return cards | (under << 24)


@njit(cache=True, nogil=True)
def _within_reach(stock, draw):
    """Bit i: card i of the stock can be turned up by stock turns and redeals alone."""
    cards = stock & STOCK_MASK
    if draw == 1:
        return cards
    waste = stock >> 24
    left = popcount(cards)
    reach = 0
    at = 0
    rest = cards
    while rest != 0:
        card = rest & -rest
        rest ^= card
        if (
            at % draw == draw - 1
            or at == left - 1
            or (waste > 0 and at >= waste - 1 and (at - waste + 1) % draw == 0)
        ):
            reach |= card
        at += 1
    return reach


@njit(cache=True, nogil=True)
def _hopeless(up, loose, heads, columns, stock, draw, column_cards, stock_cards):
    """Whether the position is lost even if nothing used were ever used up [relaxation].

    Facts only grow: `up` that can be up, `seen` that can be visible in the tableau, `free` that can
    be turned up anywhere, columns dug ever deeper, stock cards taken.
    """
    can_up = up
    seen = loose | heads
    free = up | seen
    open_column = _free_columns(columns, loose) > 0
    cards = stock & STOCK_MASK
    waste = stock >> 24
    left = popcount(cards)
    taken = 0  # stock cards that can be played, by index

    while True:
        before_up, before_free, before_seen = can_up, free, seen
        before_columns, before_open, before_taken = columns, open_column, taken
        while True:
            more = free & (next_in_suit(can_up) | ACES) & ~can_up
            if more == 0:
                break
            can_up |= more
        if can_up == ALL:
            return False
        if can_up & loose & KINGS:
            open_column = True
        one = (seen | (seen >> 1)) & EVEN
        two = seen & (seen >> 1) & EVEN
        sitting = (loose & ~can_up) << 4  # on one of the two places until it goes up
        sitting = (sitting | (sitting >> 1)) & EVEN
        placeable = both_of_pairs((one & ~sitting) | two) >> 4
        if open_column:
            placeable |= KINGS
        seen |= free & placeable
        can_leave = can_up | placeable

        for column in range(7):
            count = (columns >> (4 * column)) & 15
            while count > 0 and (can_leave >> column_cards[column * 8 + count - 1]) & 1:
                count -= 1
                columns -= 1 << (4 * column)
                if count > 0:
                    below = 1 << column_cards[column * 8 + count - 1]
                    seen |= below
                    free |= below
                else:
                    open_column = True

        if taken != cards:
            rest = cards
            at = 0
            taken_below = 0
            while rest != 0:
                card = rest & -rest
                rest ^= card
                if taken & card:
                    taken_below += 1
                else:
                    following = rest & -rest
                    # Enough cards below it can go to bring it to a place that is turned up, or it
                    # is turned up in this pass, or all cards above it up to one that is can go.
                    if (
                        (at + 1) % draw <= taken_below
                        or at == left - 1
                        or (waste > 0 and at >= waste - 1 and (at - waste + 1) % draw == 0)
                        or (following & taken)
                    ):
                        card_set = 1 << stock_cards[lowest(card)]
                        free |= card_set
                        if card_set & placeable:
                            seen |= card_set
                            taken |= card
                            taken_below += 1
                        elif card_set & (next_in_suit(can_up) | ACES):
                            taken |= card
                            taken_below += 1
                at += 1

        if (
            can_up == before_up
            and free == before_free
            and seen == before_seen
            and columns == before_columns
            and open_column == before_open
            and taken == before_taken
        ):
            return True


@njit(cache=True, nogil=True)
def _steps(
    up, loose, heads, columns, stock, last_down, draw, column_cards, stock_cards, moves, top
):
    """Write the steps to try from a position to `moves[top:]`, best last; return the new top.

    `last_down` is the card that a DOWN just brought, or -1. After a DOWN only steps that need the
    card are tried, and further DOWNs [worrying back].
    """
    visible = loose | heads
    bare = _bare(visible, loose)
    all_bare = bare
    free_columns = _free_columns(columns, loose)
    placeable = bare >> 4
    if free_columns > 0:
        placeable |= KINGS
    following = (next_in_suit(up) | ACES) & ~up
    tops = up & ~previous_in_suit(up)

    downs = tops & placeable & ~_safe(up)
    if last_down >= 0:
        # What was possible before the card came down is not tried after it.
        card = 1 << last_down
        bare_before = _bare(visible & ~card, loose & ~card)
        placeable_before = bare_before >> 4
        if free_columns > 0 or (card & KINGS) != 0:
            placeable_before |= KINGS
        tops_before = (up | card) & ~previous_in_suit(up | card)
        # Two DOWNs that do not need each other are tried in one order only.
        higher = ALL & ~((card << 1) - 1)
        downs &= higher | ~(tops_before & placeable_before)
        bare &= ~bare_before
        placeable &= ~placeable_before
    else:
        card = 0
    top = _write(moves, top, DOWN, downs)

    reach = _within_reach(stock, draw)
    drawable = 0
    while reach != 0:
        drawable |= 1 << stock_cards[lowest(reach)]
        reach &= reach - 1
    wanted = both_of_pairs((heads | (heads >> 1)) & EVEN) << 4  # would give a head a place
    # What can go up need not be placed: the rise of loose cards would take it up at once. After a
    # DOWN it was possible before, too.
    down = drawable & placeable & ~following
    top = _write(moves, top, STOCK_DOWN, down & ~wanted)
    top = _write(moves, top, STOCK_DOWN, down & wanted)
    if last_down < 0:
        top = _write(moves, top, STOCK_UP, drawable & following)
    top = _write(moves, top, LOOSE_UP, loose & following & bare & ~card)

    head_up = heads & following & bare
    reveal = heads & placeable & ~(following & all_bare)
    for depth in range(1, 8):  # the deepest column ends on top of the list
        for column in range(7):
            if (columns >> (4 * column)) & 15 == depth:
                bit = column_cards[column * 8 + depth - 1]
                if (reveal >> bit) & 1 and not (depth == 1 and (KINGS >> bit) & 1):
                    moves[top] = REVEAL << 6 | bit
                    top += 1
                if (head_up >> bit) & 1:
                    moves[top] = HEAD_UP << 6 | bit
                    top += 1
    return top


@njit(cache=True, nogil=True)
def _write(moves, top, kind, cards):
    """Write one step of this kind for each card of a set; return the new top."""
    while cards != 0:
        moves[top] = kind << 6 | lowest(cards)
        cards &= cards - 1
        top += 1
    return top


@njit(cache=True, nogil=True)
def _random(state):
    """The next state of a xorshift generator of 32 bits (Marsaglia 2003); never 0."""
    state ^= (state << 13) & _LOW_32
    state ^= state >> 17
    return state ^ ((state << 5) & _LOW_32)


@njit(cache=True, nogil=True)
def search(
    start,
    draw,
    column_cards,
    stock_cards,
    stock_index,
    column_of,
    suit_of,
    node_budget,
    table,
    frames,
    moves,
    line,
    report,
):
    """Decide one position by depth-first search.

    Args:
        start: int64[6], the position: up, loose, heads, columns, stock, place.
        draw: cards turned at once.
        column_cards: int64[56], ``[8 · column + i]`` the bit of locked card i from the bottom.
        stock_cards: int64[24], bits of the stock's cards in drawing order.
        stock_index: int64[52], index of a card in the stock or -1, by bit.
        column_of: int64[52], the column in which a card is locked or -1, by bit.
        suit_of: int64[52], suit by bit.
        node_budget: how many positions may be entered.
        table: int64[2 ** k], the work area of the transposition table.
        frames: int64[MAX_DEPTH, 10], the work area of the stack.
        moves: int64[MAX_DEPTH * MOVES_PER_FRAME], steps still to try, frame upon frame.
        line: int64[MAX_LINE], the steps from the start to the position at hand.
        report: int64[2], out: positions entered, length of the line.

    Returns:
        WON (the line wins), UNWINNABLE (proved), NODES_SPENT or MEMORY_SPENT.
    """
    size = SMALLEST_TABLE
    table[size : 2 * size] = 0
    used = 0
    largest = table.shape[0] // 2
    nodes = 0
    depth = -1
    top = 0
    line_length = 0

    up, loose, heads = start[0], start[1], start[2]
    columns, stock, place = start[3], start[4], start[5]
    last_down = -1
    period = next_restart = FIRST_RESTART
    restarted = False
    random_state = _RANDOM_START

    while True:
        # Enter the position at hand.
        if nodes == node_budget:
            report[0] = nodes
            report[1] = 0
            return NODES_SPENT
        nodes += 1
        dead = False
        if last_down < 0:
            # The rise: loose cards always go up, heads and (draw 1) stock cards where safe.
            while True:
                following = (next_in_suit(up) | ACES) & ~up
                rising = following & loose & _bare(loose | heads, loose)
                if rising == 0:
                    rising = following & _safe(up)
                    if rising != 0:
                        drawable = 0
                        if draw == 1:
                            rest = rising
                            while rest != 0:
                                bit = lowest(rest)
                                rest &= rest - 1
                                index = stock_index[bit]
                                if index >= 0 and (stock >> index) & 1:
                                    drawable |= 1 << bit
                        rising &= (heads & _bare(loose | heads, loose)) | drawable
                    if rising == 0:
                        break
                bit = lowest(rising)
                card = 1 << bit
                up |= card
                place += HEIGHT_WEIGHT[suit_of[bit]]
                kind = LOOSE_UP
                if loose & card:
                    loose ^= card
                elif heads & card:
                    kind = HEAD_UP
                    column = column_of[bit]
                    heads ^= card
                    columns -= 1 << (4 * column)
                    place -= COLUMN_WEIGHT[column]
                    count = (columns >> (4 * column)) & 15
                    if count > 0:
                        heads |= 1 << column_cards[column * 8 + count - 1]
                else:
                    kind = STOCK_UP
                    stock = _take_from_stock(stock, stock_index[bit], draw)
                line[line_length] = kind << 6 | bit
                line_length += 1
            if up == ALL:
                report[0] = nodes
                report[1] = line_length
                return WON

        entered = enter(
            table, size, place, stock, suit_of[last_down] if last_down >= 0 else -1, draw
        )
        if entered == SEEN:
            dead = True
        else:
            if entered == NEW:
                used += 1
                # Dead positions count too: the table must never fill up.
                if 3 * used > 2 * size:
                    if 2 * size > largest:
                        report[0] = nodes
                        report[1] = 0
                        return MEMORY_SPENT
                    size = grow(table, size)
            if last_down < 0:
                dead = _hopeless(up, loose, heads, columns, stock, draw, column_cards, stock_cards)

        if not dead:
            if depth + 1 == frames.shape[0]:
                report[0] = nodes
                report[1] = 0
                return MEMORY_SPENT
            depth += 1
            frame = frames[depth]
            frame[0], frame[1], frame[2] = up, loose, heads
            frame[3], frame[4], frame[5] = columns, stock, place
            frame[6], frame[7], frame[8], frame[9] = top, line_length, last_down, entered
            top = _steps(
                up,
                loose,
                heads,
                columns,
                stock,
                last_down,
                draw,
                column_cards,
                stock_cards,
                moves,
                top,
            )

            if restarted:
                for at in range(top - 1, frame[6], -1):
                    random_state = _random(random_state)
                    if random_state % 12 == 0:
                        moves[at], moves[at - 1] = moves[at - 1], moves[at]

        if nodes >= next_restart and depth > 0:
            period += period // 4
            next_restart = nodes + period
            restarted = True
            while depth > 0:
                frame = frames[depth]
                last_down = frame[8]
                forget(
                    table,
                    size,
                    frame[5],
                    frame[4],
                    suit_of[last_down] if last_down >= 0 else -1,
                    draw,
                    frame[9],
                )
                if frame[9] == NEW:
                    used -= 1
                depth -= 1
            frame = frames[0]
            bottom = frame[6]
            top = _steps(
                frame[0],
                frame[1],
                frame[2],
                frame[3],
                frame[4],
                frame[8],
                draw,
                column_cards,
                stock_cards,
                moves,
                bottom,
            )
            for at in range(top - 1, bottom, -1):
                random_state = _random(random_state)
                other = bottom + random_state % (at - bottom + 1)
                moves[at], moves[other] = moves[other], moves[at]

        # The next step still to try, from the deepest position that has one.
        while depth >= 0 and top == frames[depth, 6]:
            depth -= 1
        if depth < 0:
            report[0] = nodes
            report[1] = 0
            return UNWINNABLE
        frame = frames[depth]
        up, loose, heads = frame[0], frame[1], frame[2]
        columns, stock, place = frame[3], frame[4], frame[5]
        line_length = frame[7]
        top -= 1
        step = moves[top]
        line[line_length] = step
        line_length += 1

        kind = step >> 6
        bit = step & 63
        card = 1 << bit
        last_down = -1
        if kind in (HEAD_UP, REVEAL):
            column = column_of[bit]
            heads ^= card
            columns -= 1 << (4 * column)
            place -= COLUMN_WEIGHT[column]
            count = (columns >> (4 * column)) & 15
            if count > 0:
                heads |= 1 << column_cards[column * 8 + count - 1]
        elif kind in (STOCK_UP, STOCK_DOWN):
            stock = _take_from_stock(stock, stock_index[bit], draw)
        if kind in (HEAD_UP, STOCK_UP, LOOSE_UP):
            up |= card
            place += HEIGHT_WEIGHT[suit_of[bit]]
            if kind == LOOSE_UP:
                loose ^= card
        elif kind == DOWN:
            up ^= card
            loose |= card
            place -= HEIGHT_WEIGHT[suit_of[bit]]
            last_down = bit
        else:
            loose |= card
