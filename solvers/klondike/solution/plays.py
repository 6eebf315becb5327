"""Lists of plays: a line of standard moves as a partial order.

A *play* is a move without the turns of the stock: a card goes from one place to another, in the
tableau with all that lies on it. It takes *tokens*, each given by an earlier play or there from the
start, and gives others:

* to leave a place in the tableau it takes its card's token, which the play gives that brought or
  uncovered the card;
* to go to a bare card or an empty column it takes the token of that place, which the play gives
  that made it bare;
* to go up or to come down it takes the token of its foundation, which the last play to or from
  there gives;
* to go up from the tableau it also takes the token of its own card's being bare.

Every token given is taken once at most, so a play *needs* certain earlier plays, and any order of
the plays that respects these needs is a legal line to the same position, apart from the order of
the stock: which of its cards can be turned up depends on which of them are gone.

A *place* is the card that a card lies on (0 … 51), the bottom of a column (BOTTOM + column),
FOUNDATION or TALON (stock and waste). Plays are integers and counted from 1; tokens that exist at
the start are given by play 0, START.
"""

# Kernels carry no annotations; everything else here is typed.
# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.cards import KING
from engine.kernels.decorators import inlined_kernel, search_kernel
from engine.kernels.filling import copy_into, fill, fill_part
from engine.klondike.flat import (
    COLUMN,
    DEPTH,
    DOWN,
    DOWN_FROM,
    DRAW,
    HEIGHT,
    NOWHERE,
    POSITION,
    REDEAL,
    RUN,
    SIZE,
    STOCK,
    TURN,
    UNPLAYED,
    UP,
    WASTE,
    WASTE_DOWN,
    WASTE_UP,
    find_columns,
    lay,
    level_of,
    shift,
    take_from_waste,
    turn_to,
)
from solvers.klondike.solution.stock_order import MOST_PASSES, MOST_WIDTH

# Longer lines are not shortened.
MOST_PLAYS = 1000
# Rounds of `solvers.klondike.solution.shorten`.
MOST_ROUNDS = 3
# Capacity for the plays of a line, and for those that each round but the first adds to it: one for
# each card of the stock. And some more, so that the same plays of two lists have not nearly the
# same place within a page of memory, which processors take for the same place at first.
LIST = 1 + MOST_PLAYS + (MOST_ROUNDS - 1) * 24 + 126

START = 0
BOTTOM = 52
FOUNDATION = 59
TALON = 60

# Tokens by number: of a card (its own number), of a bare place, of a foundation; then one that
# always exists, for plays that take fewer than three, and one that no play takes.
_BARE = 52
_TOP = _BARE + 59
_NOTHING = _TOP + 4
_UNREAD = _NOTHING + 1
_TOKENS = _UNREAD + 1

# Bits of a word of a set of plays, and each of them: the sign, too.
_WORD, _IN_WORD = 6, 63
_BIT = (np.uint64(1) << np.arange(1 << _WORD, dtype=np.uint64)).view(np.int64)


class ShorteningWorkspace(NamedTuple):
    """Workspace, as views of one array: one argument is passed faster than many.

    Attributes:
        piles: int64[POSITION], the position during play.
        column_of: int64[52], the column of a card.
        number_of: int64[52], the number of a stock card in drawing order.
        plays: int64[LIST], the current list.
        spare: int64[LIST], plays put aside.
        needs: int64[3 · LIST], the three plays that each play needs.
        takes: int64[LIST], the stock cards taken by each play and by those it needs, as a set.
        marks: int64[LIST], for any purpose.
        before: int64[LIST], the play of the same card before each, or 0.
        gave: int64[5 · LIST], what linking each play replaced, see `unlink`.
        last: int64[52], for any purpose, by card.
        giver: int64[_TOKENS], the play that gave each token last.
        required: int64[25], the stock cards to be taken before each of them, as a set.
        order: int64[25], the stock cards in the order in which they are to be taken.
        turn_of: int64[25], where each is in that order.
        beam: int64[MOST_PASSES + 2, MOST_WIDTH + 1], for
            `solvers.klondike.solution.stock_order.improve`.
        shown: int64[24, 4], for the same.
        behind: int64[…], for each play the set of plays that it needs, directly or through others,
            and itself: words of 64 bits, as many as `words_for` the length of the list when it
            was first linked.
    """

    piles: NDArray[np.int64]
    column_of: NDArray[np.int64]
    number_of: NDArray[np.int64]
    plays: NDArray[np.int64]
    spare: NDArray[np.int64]
    needs: NDArray[np.int64]
    takes: NDArray[np.int64]
    marks: NDArray[np.int64]
    before: NDArray[np.int64]
    gave: NDArray[np.int64]
    last: NDArray[np.int64]
    giver: NDArray[np.int64]
    required: NDArray[np.int64]
    order: NDArray[np.int64]
    turn_of: NDArray[np.int64]
    beam: NDArray[np.int64]
    shown: NDArray[np.int64]
    behind: NDArray[np.int64]


# Offsets of the parts that are neither lists nor small, and of the lists.
_BEAM = POSITION + 3 * 52 + _TOKENS + 3 * 25
_SHOWN = _BEAM + (MOST_PASSES + 2) * (MOST_WIDTH + 1)
_LISTS = _SHOWN + 24 * 4
_BEHIND = _LISTS + 13 * LIST


def new_scratch() -> NDArray[np.int64]:
    """Allocate the workspace of one thread, as one array."""
    return np.zeros(_BEHIND + LIST * ((LIST >> _WORD) + 1), dtype=np.int64)


@search_kernel
def workspace_in(scratch):
    """The views of a workspace array."""
    cards = scratch[POSITION : POSITION + 3 * 52]
    stock = scratch[_BEAM - 3 * 25 : _BEAM]
    lists = scratch[_LISTS:_BEHIND]
    return ShorteningWorkspace(
        piles=scratch[:POSITION],
        column_of=cards[:52],
        number_of=cards[52:104],
        last=cards[104:],
        giver=scratch[POSITION + 3 * 52 : _BEAM - 3 * 25],
        required=stock[:25],
        order=stock[25:50],
        turn_of=stock[50:],
        beam=scratch[_BEAM:_SHOWN].reshape(MOST_PASSES + 2, MOST_WIDTH + 1),
        shown=scratch[_SHOWN:_LISTS].reshape(24, 4),
        plays=lists[:LIST],
        spare=lists[LIST : 2 * LIST],
        takes=lists[2 * LIST : 3 * LIST],
        marks=lists[3 * LIST : 4 * LIST],
        before=lists[4 * LIST : 5 * LIST],
        needs=lists[5 * LIST : 8 * LIST],
        gave=lists[8 * LIST :],
        behind=scratch[_BEHIND:],
    )


@search_kernel
def new_play(card, source, target):
    """Pack a play into an integer: card, source, target, then the tokens it takes and gives.

    Bits 0, 6 and 12; from bit 18 on, 7 bits each, three tokens taken and two given. It also gives
    the token of its card.
    """
    top = _TOP + (card & 3)
    first = third = _NOTHING
    bares = _BARE + card
    if source < FOUNDATION:
        first = card
        bares = _BARE + source
        if target == FOUNDATION:
            third = _BARE + card
    elif source == FOUNDATION:
        first = top
    second = top if target == FOUNDATION else _BARE + target
    if source != FOUNDATION and target != FOUNDATION:
        top = _UNREAD
    return (
        card
        | source << 6
        | target << 12
        | first << 18
        | second << 25
        | third << 32
        | bares << 39
        | top << 46
    )


@search_kernel
def card_of(play):
    return play & 63


@search_kernel
def source_of(play):
    return (play >> 6) & 63


@search_kernel
def target_of(play):
    return (play >> 12) & 63


@search_kernel
def read_plays(start, moves, count, work):
    """Write the plays of a line to `work.plays` and number the talon.

    Returns the number of plays, or -1 if there are too many.
    """
    piles, column_of, plays = work.piles, work.column_of, work.plays
    copy_into(piles, start)
    find_columns(piles, column_of)
    number_talon(start, work)
    length = 0
    for at in range(count):
        move = int(moves[at])
        if move == TURN:
            piles[WASTE] = min(piles[WASTE] + piles[DRAW], piles[UNPLAYED])
            continue
        if move == REDEAL:
            piles[WASTE] = 0
            continue
        if length == MOST_PLAYS:
            return -1
        length += 1
        column = NOWHERE  # the place moved to
        target = FOUNDATION
        if move >= RUN:
            column = (move - RUN) % 7
        elif move >= DOWN_FROM:
            column = (move - DOWN_FROM) % 7
        elif move < UP and move != WASTE_UP:
            column = move - WASTE_DOWN
        if column != NOWHERE:
            target = place_of(piles, column, piles[SIZE + column])
        if move >= RUN:
            origin = (move - RUN) // 7
            level = piles[SIZE + origin] - 1
            while not fits(piles[COLUMN + DEPTH * origin + level], target):
                level -= 1
            card = piles[COLUMN + DEPTH * origin + level]
            source = place_of(piles, origin, level)
            shift(piles, origin, level, column, column_of)
        elif move >= DOWN_FROM:
            suit = (move - DOWN_FROM) // 7
            piles[HEIGHT + suit] -= 1
            card = 4 * piles[HEIGHT + suit] + suit
            source = FOUNDATION
            lay(piles, column, card, column_of)
        elif move >= UP:
            origin = move - UP
            piles[SIZE + origin] -= 1
            card = piles[COLUMN + DEPTH * origin + piles[SIZE + origin]]
            source = place_of(piles, origin, piles[SIZE + origin])
            piles[HEIGHT + (card & 3)] += 1
        else:
            card = take_from_waste(piles)
            source = TALON
            if column != NOWHERE:
                lay(piles, column, card, column_of)
            else:
                piles[HEIGHT + (card & 3)] += 1
        plays[length] = new_play(card, source, target)
    return length


@inlined_kernel
def number_talon(start, work):
    """Number the cards of stock and waste in drawing order."""
    for at in range(start[UNPLAYED]):
        work.number_of[start[STOCK + at]] = at


@search_kernel
def place_of(piles, column, level):
    """The place under the card of a column that has `level` cards under it."""
    return piles[COLUMN + DEPTH * column + level - 1] if level > 0 else BOTTOM + column


@inlined_kernel
def places_for(card):
    """How many places there are for a card in the tableau, by its rank; see `place_for`."""
    return 7 if card >> 2 == KING else 2


@inlined_kernel
def place_for(card, option):
    """One of the places for a card: its two parents, or for a king the bottoms of the columns."""
    if card >> 2 == KING:
        return BOTTOM + option
    return 4 * (card >> 2) + 4 + (1 - (card & 1)) + 2 * option


@search_kernel
def fits(card, place):
    """Whether a card may be laid on a bare card or in an empty column."""
    if place >= BOTTOM:
        return card >> 2 == KING
    return place >> 2 == (card >> 2) + 1 and (place ^ card) & 1 == 1


@search_kernel
def write_moves(start, plays, length, work, moves):
    """Write the moves of the plays with the turns they need; returns their number."""
    piles, column_of = work.piles, work.column_of
    copy_into(piles, start)
    find_columns(piles, column_of)
    count = 0
    for at in range(1, length + 1):
        card, source, target = card_of(plays[at]), source_of(plays[at]), target_of(plays[at])
        column = NOWHERE
        if target < BOTTOM:
            column = column_of[target]
        elif target < FOUNDATION:
            column = target - BOTTOM
        if source == TALON:
            count = turn_to(piles, card, moves, count)
            take_from_waste(piles)
            if column == NOWHERE:
                piles[HEIGHT + (card & 3)] += 1
                moves[count] = WASTE_UP
            else:
                lay(piles, column, card, column_of)
                moves[count] = WASTE_DOWN + column
        elif source == FOUNDATION:
            piles[HEIGHT + (card & 3)] -= 1
            lay(piles, column, card, column_of)
            moves[count] = DOWN_FROM + 7 * (card & 3) + column
        elif target == FOUNDATION:
            origin = column_of[card]
            piles[SIZE + origin] -= 1
            piles[HEIGHT + (card & 3)] += 1
            moves[count] = UP + origin
        else:
            origin = column_of[card]
            shift(piles, origin, level_of(piles, origin, card), column, column_of)
            moves[count] = RUN + 7 * origin + column
        count += 1
    return count


@search_kernel
def read_order(plays, length, number_of, order):
    """Write the numbers of the stock cards in the order in which the plays take them."""
    taken = 0
    for at in range(1, length + 1):
        order[taken] = number_of[card_of(plays[at])]
        taken += source_of(plays[at]) == TALON


@search_kernel
def hidden_cards(start):
    """The face-down cards of the start, as a set of card numbers."""
    hidden = 0
    for column in range(7):
        for level in range(start[DOWN + column]):
            hidden |= 1 << start[COLUMN + DEPTH * column + level]
    return hidden


@search_kernel
def link_stock(hidden, length, work):
    """Compute `work.needs` and `takes`, and by stock card `required`.

    hidden: the face-down cards of the start.
    """
    plays, needs, takes, giver = work.plays, work.needs, work.takes, work.giver
    fill(giver, START)
    takes[START] = 0
    for at in range(1, length + 1):
        play = plays[at]
        first, second, third = _link(play, at, needs, giver)
        taken = takes[first] | takes[second] | takes[third]
        source = source_of(play)
        number = work.number_of[card_of(play)]
        # Unused values are written too, where they are never read: an unpredictable branch
        # takes longer.
        work.required[number if source == TALON else 24] = taken
        takes[at] = taken | ((source == TALON) << number)
        hidden = _give(play, at, hidden, giver)


@inlined_kernel
def begin_linking(words, work):
    """Prepare for `link`."""
    fill(work.giver, START)
    fill(work.last, START)
    fill_part(work.behind, 0, words, 0)


@inlined_kernel
def link(at, hidden, words, work):
    """Compute `work.needs`, `behind` and `before` of a play, once they are known of those before.

    hidden: the face-down cards that are left before the play; returns those after it.
    words: `words_for` the length of the list.
    """
    behind, before, last, gave, giver = work.behind, work.before, work.last, work.gave, work.giver
    play = work.plays[at]
    first, second, third = _link(play, at, work.needs, giver)
    for word in range(words):
        behind[at * words + word] = (
            behind[first * words + word]
            | behind[second * words + word]
            | behind[third * words + word]
        )
    behind[at * words + (at >> _WORD)] |= _BIT[at & _IN_WORD]
    card = card_of(play)
    before[at] = last[card]
    last[card] = at
    uncovered = _uncovered(play, hidden)
    gave[5 * at] = giver[card]
    gave[5 * at + 1] = giver[(play >> 39) & 127]
    gave[5 * at + 2] = giver[(play >> 46) & 127]
    gave[5 * at + 3] = giver[uncovered]
    gave[5 * at + 4] = hidden
    return _give(play, at, hidden, giver)


@inlined_kernel
def unlink(since, until, work):
    """Go back to before play `since` from after `until`; returns the face-down cards left then."""
    plays, before, last, gave, giver = work.plays, work.before, work.last, work.gave, work.giver
    for at in range(until, since - 1, -1):
        play = plays[at]
        card = card_of(play)
        last[card] = before[at]
        giver[_uncovered(play, gave[5 * at + 4])] = gave[5 * at + 3]
        giver[(play >> 46) & 127] = gave[5 * at + 2]
        giver[(play >> 39) & 127] = gave[5 * at + 1]
        giver[card] = gave[5 * at]
    return gave[5 * since + 4]


@inlined_kernel
def uncovers(at, work):
    """Whether a play that is linked uncovers a face-down card."""
    return (work.gave[5 * at + 4] >> source_of(work.plays[at])) & 1 == 1


@inlined_kernel
def _link(play, at, needs, giver):
    """Write and return the three plays that a play needs."""
    first = giver[(play >> 18) & 127]
    second = giver[(play >> 25) & 127]
    third = giver[(play >> 32) & 127]
    needs[3 * at], needs[3 * at + 1], needs[3 * at + 2] = first, second, third
    return first, second, third


@inlined_kernel
def _uncovered(play, hidden):
    """The token of the face-down card that a play uncovers, or one that no play takes."""
    source = source_of(play)
    return source if (hidden >> source) & 1 else _UNREAD


@inlined_kernel
def _give(play, at, hidden, giver):
    """Note what a play gives; returns the face-down cards that are left."""
    source = source_of(play)
    giver[card_of(play)] = at
    giver[(play >> 39) & 127] = at
    giver[(play >> 46) & 127] = at
    giver[_uncovered(play, hidden)] = at
    return hidden & ~(1 << source)


@search_kernel
def is_behind(earlier, later, words, behind):
    """1 if a play needs an earlier one, directly or through others, else 0."""
    return (behind[later * words + (earlier >> _WORD)] >> (earlier & _IN_WORD)) & 1


@search_kernel
def words_for(length):
    """Number of words of a set of plays."""
    return (length >> _WORD) + 1
