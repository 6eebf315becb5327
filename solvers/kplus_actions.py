"""The actions that the searches of K+ consider, and their order.

Bjarnason, Tadepalli, Fern 2007, section 4.4 (the same order is the preference of Bjarnason, Fern,
Tadepalli 2009): of the macro moves of `engine.kplus`, in this order,

1. a card from the tableau to its foundation that turns a face-down card up;
2. any other card to its foundation;
3. a card within the tableau that turns a face-down card up;
4. a card from the stock to the tableau;
5. a card from its foundation to the tableau;
6. a card within the tableau that turns nothing up.

Within each, low cards come before high ones and STRAIGHT before CROSSED. What is restricted:

- *Foundation progression*: a card does not come back to the tableau if it is an ace or a two, or if
  all cards of rank two less than its own are on their foundations.
- *King to tableau*: `engine.kplus` knows no order of empty columns, and moves no king from one to
  another.
- *Local loop prevention*: an action that a single action can take back is only considered as the
  first of a pair. These are 5, and those of 6 that move a card from one parent to the other. (A
  card that goes up off a face-up card may be taken back, too; but 2 is progress, and the paper
  speaks of no pairs there. A card whose move empties its column can never return.) The second
  action of a pair is one that moves another card; `pairs` says which:

  - NEEDED: one that the first action makes possible. This is our reading: an action that was
    possible before can be considered before, so the pair would only duplicate another sequence,
    which is what these restrictions are there to prevent.
  - ANY: any action.
  - NONE: there are no pairs, such actions are left out.
  - SINGLE: such actions are considered alone.
"""

# mypy: allow-untyped-defs, allow-untyped-calls

from engine.bits import (
    KINGS,
    LOW_TWO_RANKS,
    lowest,
    popcount,
    previous_in_suit,
    swap_twins,
)
from engine.kernels import search_kernel
from engine.kplus import (
    CARD,
    COLUMN,
    CROSSED,
    FOUNDATION,
    MOST_MOVES,
    STRAIGHT,
    bases,
    following,
    play,
    reachable,
    tops,
    write_moves,
)

NONE, NEEDED, ANY, SINGLE = range(4)

# An action is a macro move, plus from bit 8 on 1 + the second macro move of a pair.
SECOND = 8
FIRST_MOVE = 255

# Each of them may open pairs with as many.
MOST_ACTIONS = MOST_MOVES + MOST_MOVES**2


@search_kernel
def turning_bases(state, table, own_bases):
    """Those bases under which a face-down card lies."""
    found = 0
    while own_bases != 0:
        bit = lowest(own_bases)
        own_bases &= own_bases - 1
        if table.below[bit] & state.down:
            found |= 1 << bit
    return found


@search_kernel
def write_placed(cards, by_straight, by_crossed, moves, count):
    """Write the moves of cards onto parents, card by card; the new count."""
    cards &= by_straight | by_crossed
    while cards != 0:
        bit = lowest(cards)
        cards &= cards - 1
        if (by_straight >> bit) & 1:
            moves[count] = STRAIGHT << 6 | bit
            count += 1
        if (by_crossed >> bit) & 1:
            moves[count] = CROSSED << 6 | bit
            count += 1
    return count


@search_kernel
def returning(up):
    """Which of the cards on the foundations may come back [foundation progression]."""
    # A full rank has all four bits of its hexadecimal digit.
    full = up & (up >> 1) & (up >> 2) & (up >> 3) & 0x1111111111111
    settled = (full * 15) << 8 | LOW_TWO_RANKS
    return up & ~previous_in_suit(up) & ~settled


@search_kernel
def single_actions(state, table, moves, count):
    """Write the actions that no single action can take back, in their order, and those others that
    open pairs after them.

    Returns:
        The new count; the number of the first that opens a pair.
    """
    open_tops = tops(state)
    reach = reachable(state, table)
    own_bases = bases(state)
    turning = turning_bases(state, table, own_bases)
    rising = (open_tops | reach) & following(state)
    straight = open_tops >> 4
    crossed = swap_twins(open_tops) >> 4

    count = write_moves(rising & turning, FOUNDATION, moves, count)
    count = write_moves(rising & ~turning, FOUNDATION, moves, count)
    count = write_placed(turning, straight, crossed, moves, count)
    open_column = popcount(own_bases) < 7
    if open_column:
        count = write_moves(turning & KINGS, COLUMN, moves, count)
    count = write_placed(reach, straight, crossed, moves, count)
    if open_column:
        count = write_moves(reach & KINGS, COLUMN, moves, count)
    # Those that empty a column come with 6, after the pairs of 5: `actions` sees to it.
    plain = count
    back = returning(state.up)
    count = write_placed(back, straight, crossed, moves, count)
    if open_column:
        count = write_moves(back & KINGS, COLUMN, moves, count)
    within = own_bases & ~turning
    if table.rules[1]:
        within = state.tableau & ~turning
    count = write_placed(within, straight, crossed, moves, count)
    return count, plain


@search_kernel
def made_possible(state, table, move, moves, count):
    """Write the actions that a move which opens a pair makes possible, in their order.

    Such a move turns no card up and empties no column, so it opens one place: the card that comes
    back, or the one that the card lay on. Cards can be put there, and the latter may rise itself.
    Besides, the card below one that comes back may come back now.

    Returns:
        The new count.
    """
    card = 1 << (move & CARD)
    own_bases = bases(state)
    turning = turning_bases(state, table, own_bases)
    straight = crossed = 0
    if state.up & card:
        place = card
        below = previous_in_suit(card)
        open_tops = tops(play(state, table, move))
        straight = (open_tops >> 4) & below
        crossed = (swap_twins(open_tops) >> 4) & below
        back = returning(state.up ^ card)
    else:
        place = card << 4
        if state.crossed & card:
            place = swap_twins(place)
        rising = place & following(state)
        count = write_moves(rising & turning, FOUNDATION, moves, count)
        count = write_moves(rising & ~turning, FOUNDATION, moves, count)
        back = returning(state.up)
    to_straight = (place >> 4) & ~card
    to_crossed = (swap_twins(place) >> 4) & ~card
    within = own_bases
    if table.rules[1]:
        within = state.tableau
    count = write_placed(turning, to_straight, to_crossed, moves, count)
    count = write_placed(reachable(state, table), to_straight, to_crossed, moves, count)
    count = write_placed(back, to_straight | straight, to_crossed | crossed, moves, count)
    return write_placed(within & ~turning, to_straight, to_crossed, moves, count)


@search_kernel
def actions(state, table, pairs, moves, out, first):
    """Write the actions to consider, in their order, to out[first:]; the index after the last.

    Args:
        state: of `engine.kplus`.
        table: of the same.
        pairs: NONE, NEEDED, ANY or SINGLE.
        moves: int64[2 · MOST_MOVES], scratch.
        out: int64 array with room for MOST_ACTIONS from `first` on.
        first: where to begin.
    """
    count, plain = single_actions(state, table, moves, 0)
    at = first
    for number in range(plain):
        out[at] = moves[number]
        at += 1
    own_bases = bases(state)
    for number in range(plain, count):
        move = moves[number]
        card = move & CARD
        if pairs == SINGLE or (own_bases >> card) & 1:
            out[at] = move
            at += 1
        elif pairs != NONE:
            if pairs == NEEDED:
                more = made_possible(state, table, move, moves, count)
            else:
                more, _ = single_actions(play(state, table, move), table, moves, count)
            for second in range(count, more):
                if moves[second] & CARD != card:
                    out[at] = move | (moves[second] + 1) << SECOND
                    at += 1
    return at


@search_kernel
def class_of(state, table, action):
    """The class of an action, or of the first of a pair, 1 to 6."""
    card = 1 << (action & CARD)
    turning = turning_bases(state, table, bases(state))
    if (action & FIRST_MOVE) >> 6 == FOUNDATION:
        return 1 if turning & card else 2
    if state.up & card:
        return 5
    if state.tableau & card:
        return 3 if turning & card else 6
    return 4


@search_kernel
def act(state, table, action):
    """The state after an action."""
    state = play(state, table, action & FIRST_MOVE)
    second = action >> SECOND
    if second != 0:
        state = play(state, table, second - 1)
    return state
