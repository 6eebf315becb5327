"""Actions of the searches of K+, and their order.

Bjarnason, Tadepalli, Fern 2007, section 4.4 (the same order is the preference of Bjarnason, Fern,
Tadepalli 2009): of the macro moves of `engine.klondike.kplus`, in this order,

1. a card from the tableau to its foundation that turns a face-down card up;
2. any other card to its foundation;
3. a card within the tableau that turns a face-down card up;
4. a card from the stock to the tableau;
5. a card from its foundation to the tableau;
6. a card within the tableau that turns nothing up.

Within each, low cards come before high ones and STRAIGHT before CROSSED. Restrictions:

- *Foundation progression*: a card does not come back to the tableau if it is an ace or a two, or if
  all cards of rank two less than its own are on their foundations.
- *King to tableau*: in `engine.klondike.kplus` empty columns have no order, and no king moves from
  one to another.
- *Local loop prevention*: an action that a single action can undo is only considered as the
  first of a pair. These are 5, and those of 6 that move a card from one parent to the other. (A
  card that goes up off a face-up card may be undone, too; but 2 is progress, and the paper
  speaks of no pairs there. A card whose move empties its column can never return.) The second
  action of a pair moves another card; `pairs` selects it:

  - NEEDED: one that the first action makes possible. This is our reading: an action that was
    possible before can be considered before, so the pair would only duplicate another sequence,
    which these restrictions are there to prevent.
  - ANY: any action.
  - NONE: there are no pairs, such actions are left out.
  - SINGLE: such actions are considered alone.
"""

# mypy: allow-untyped-defs, allow-untyped-calls

from typing import NamedTuple

from engine.cardset import (
    KINGS,
    LOW_TWO_RANKS,
    lowest,
    popcount,
    previous_in_suit,
    swap_twins,
)
from engine.kernels.decorators import inlined_kernel, search_kernel
from engine.klondike.kplus import (
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

# Each of them may be the first of as many pairs.
MOST_ACTIONS = MOST_MOVES + MOST_MOVES**2


class Sight(NamedTuple):
    """Sets of cards from which the actions of a state are made.

    tops: the uppermost cards of the columns.
    bases: the lowest face-up ones.
    turning: those bases under which a face-down card lies.
    reach: the cards of the stock that can be turned up.
    """

    tops: int
    bases: int
    turning: int
    reach: int


@search_kernel
def turning_bases(state, table, own_bases):
    """The bases with a face-down card under them."""
    found = 0
    while own_bases != 0:
        bit = lowest(own_bases)
        own_bases &= own_bases - 1
        found |= int(table.below[bit] & state.down != 0) << bit
    return found


@search_kernel
def write_placed(cards, by_straight, by_crossed, moves, count):
    """Write the moves of cards onto parents, card by card; returns the new count.

    Every candidate is written, and overwritten if it is not legal: cheaper than an unpredictable
    branch. So there must be room for one more.
    """
    cards &= by_straight | by_crossed
    while cards != 0:
        bit = lowest(cards)
        cards &= cards - 1
        moves[count] = STRAIGHT << 6 | bit
        count += (by_straight >> bit) & 1
        moves[count] = CROSSED << 6 | bit
        count += (by_crossed >> bit) & 1
    return count


@search_kernel
def returning(up):
    """The cards on the foundations that may come back [foundation progression]."""
    # A full rank has all four bits of its hexadecimal digit.
    full = up & (up >> 1) & (up >> 2) & (up >> 3) & 0x1111111111111
    settled = (full * 15) << 8 | LOW_TWO_RANKS
    return up & ~previous_in_suit(up) & ~settled


@search_kernel
def sight_of(state, table):
    """The `Sight` of a state."""
    own_bases = bases(state)
    return Sight(
        tops(state), own_bases, turning_bases(state, table, own_bases), reachable(state, table)
    )


@inlined_kernel
def plain_actions(state, sight, out, at):
    """Write the actions 1 to 4, in their order, to out[at:]; returns the index after the last."""
    turning, reach = sight.turning, sight.reach
    rising = (sight.tops | reach) & following(state)
    straight = sight.tops >> 4
    crossed = swap_twins(sight.tops) >> 4

    at = write_moves(rising & turning, FOUNDATION, out, at)
    at = write_moves(rising & ~turning, FOUNDATION, out, at)
    at = write_placed(turning, straight, crossed, out, at)
    open_column = popcount(sight.bases) < 7
    if open_column:
        at = write_moves(turning & KINGS, COLUMN, out, at)
    at = write_placed(reach, straight, crossed, out, at)
    if open_column:
        at = write_moves(reach & KINGS, COLUMN, out, at)
    return at


@inlined_kernel
def further_moves(state, sight, table, moves, count):
    """Write the macro moves of 5 and 6, in their order; returns the new count.

    Those that a single action can undo are actions only as the first of a pair.
    """
    straight = sight.tops >> 4
    crossed = swap_twins(sight.tops) >> 4
    back = returning(state.up)
    count = write_placed(back, straight, crossed, moves, count)
    if popcount(sight.bases) < 7:
        count = write_moves(back & KINGS, COLUMN, moves, count)
    return write_placed(within(state, sight, table), straight, crossed, moves, count)


@search_kernel
def within(state, sight, table):
    """The cards that may move within the tableau and turn nothing up."""
    return (state.tableau if table.rules[1] else sight.bases) & ~sight.turning


@inlined_kernel
def made_possible(state, sight, table, move, out, at):
    """Write the actions that the first move of a pair makes possible, in their order, to out[at:].

    Such a move turns no card up and empties no column, so it opens one place: the card that comes
    back, or the one that the card lay on. Cards can be put there, and the latter may rise itself.
    Also, the card below one that comes back may come back now.

    Returns:
        The index after the last.
    """
    card = 1 << (move & CARD)
    turning = sight.turning
    straight = crossed = 0
    if state.up & card:
        place = card
        # The move covers no place for it, being two ranks above, and adds none, being of its suit.
        below = previous_in_suit(card)
        straight = (sight.tops >> 4) & below
        crossed = (swap_twins(sight.tops) >> 4) & below
        back = returning(state.up ^ card)
    else:
        place = card << 4
        if state.crossed & card:
            place = swap_twins(place)
        rising = place & following(state)
        at = write_moves(rising & turning, FOUNDATION, out, at)
        at = write_moves(rising & ~turning, FOUNDATION, out, at)
        back = returning(state.up)
    to_straight = (place >> 4) & ~card
    to_crossed = (swap_twins(place) >> 4) & ~card
    at = write_placed(turning, to_straight, to_crossed, out, at)
    at = write_placed(sight.reach, to_straight, to_crossed, out, at)
    at = write_placed(back, to_straight | straight, to_crossed | crossed, out, at)
    return write_placed(within(state, sight, table), to_straight, to_crossed, out, at)


@inlined_kernel
def actions_in_sight(state, sight, table, pairs, moves, out, first):
    """`actions` for a state whose `Sight` is known."""
    at = plain_actions(state, sight, out, first)
    count = further_moves(state, sight, table, moves, 0)
    for number in range(count):
        move = moves[number]
        card = move & CARD
        if pairs == SINGLE or (sight.bases >> card) & 1:
            out[at] = move
            at += 1
        elif pairs != NONE:
            if pairs == NEEDED:
                last = made_possible(state, sight, table, move, out, at)
            else:
                after = play(state, table, move)
                seen = sight_of(after, table)
                last = plain_actions(after, seen, out, at)
                last = further_moves(after, seen, table, out, last)
            for second in range(at, last):
                if out[second] & CARD != card:
                    out[at] = move | (out[second] + 1) << SECOND
                    at += 1
    return at


@search_kernel
def actions(state, table, pairs, moves, out, first):
    """Write the actions, in their order, to out[first:]; returns the index after the last.

    Args:
        state: of `engine.klondike.kplus`.
        table: of the same.
        pairs: NONE, NEEDED, ANY or SINGLE.
        moves: int64[MOST_MOVES + 1], scratch.
        out: int64 array with room for MOST_ACTIONS from `first` on.
        first: where to begin.
    """
    return actions_in_sight(state, sight_of(state, table), table, pairs, moves, out, first)


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


@inlined_kernel
def act(state, table, action):
    """The state after an action."""
    state = play(state, table, action & FIRST_MOVE)
    second = action >> SECOND
    if second != 0:
        state = play(state, table, second - 1)
    return state
