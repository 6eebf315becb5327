"""Board of `exact-plain`: the cards on the table, and the moves it makes and takes back.

Columns are rows of cards, the stock is a row of cards with a mark where the waste ends. Nothing is
shared with `exact`: each of the two solvers checks the other. A card is its number 0..51,
rank · 4 + suit.

Everything about one game lies in a single int64 array, the *board*, because compiled functions pay
for each array that they are handed. Its parts, by the names of the constants below:

| part           | meaning                                                                      |
|----------------|------------------------------------------------------------------------------|
| LEFT           | cards in stock and waste together                                            |
| WASTE          | how many of them lie in the waste                                            |
| REDEALS        | redeals left; never more than LEFT (see `settle`)                            |
| MASK           | the stock cards of the start that are left, bit i for the i-th               |
| MADE           | how many moves have been made since the start                                |
| DRAW           | cards turned at once                                                         |
| PARTIAL        | 1 if any face-up part of a column may move, 0 if only all of it              |
| BACK           | 1 if cards may leave the foundations                                         |
| MERGE          | 1 if positions alike but for the places of twins count as one                |
| BUILDING       | ALTERNATING, ANY_SUIT or SAME_SUIT                                           |
| SPACES         | KINGS, ANY or NONE                                                           |
| OPEN           | 1 if the search is the open one, see `steps`                                 |
| ORDER          | the columns of the first ordered cards that turn up, see `held`; or 0        |
| WAITS          | 1 if all other face-down cards turn up before the first ordered one          |
| ORDERED + k    | how many of the lowest cards of column k turn up in that order               |
| SIZE + k       | cards in column k                                                            |
| STUCK + k      | how many of them have not moved since the start: the face-down ones and the  |
|                | lowest face-up one, the column's *head*; the cards above are *loose*         |
| HEIGHT + s     | cards on the foundation of suit s                                            |
| PLACE + c      | 32 · column + level of card c where it lies in a column, else -1             |
| STOCK + i      | the cards of waste and stock in drawing order, those of the waste first      |
| NUMBER + i     | for each of them its index at the start                                      |
| PILE + 20k + l | the card at level l of column k, from the bottom                             |
| MOVES + m      | the m-th move made, packed by `_record`                                      |

A card at the bottom of a column that may go to an empty column is loose: all columns without stuck
cards are alike to it.
"""

# Kernels carry no annotations; everything else here is typed.
# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs

import numpy as np
from numpy.typing import NDArray

from engine.kernels.decorators import search_kernel
from engine.klondike.rules import BUILDINGS
from engine.klondike.rules import SPACES as SPACES_WORDS

LEFT = 0
WASTE = 1
REDEALS = 2
MASK = 3
MADE = 4
DRAW = 5
PARTIAL = 6
BACK = 7
MERGE = 8
BUILDING = 9
SPACES = 10
OPEN = 11
ORDER = 12
WAITS = 13
ORDERED = 14
SIZE = 21
STUCK = 28
HEIGHT = 35
PLACE = 39
STOCK = 91
NUMBER = 115
PILE = 139
MOVES = 279

MOST_MOVES = 1 << 18

ALTERNATING, ANY_SUIT, SAME_SUIT = map(BUILDINGS.index, ("alternating", "any-suit", "same-suit"))
KINGS, ANY, NONE = map(SPACES_WORDS.index, ("kings", "any", "none"))

# Kinds of moves.
RUN = 0
UP = 1
DOWN = 2
TAKE = 3  # some turns of the stock, a redeal if needed, and the play of the waste's top card
TO_FOUNDATION = 7  # the target of a TAKE that goes to no column


def new_board() -> NDArray[np.int64]:
    """Make an empty board."""
    return np.zeros(MOVES + MOST_MOVES, dtype=np.int64)


def unpack_move(packed: int) -> tuple[int, int, int, int, int]:
    """Return kind, source (column, or suit of a DOWN), target, cards and card of a move.

    cards: how many move (RUN); card: which goes (TAKE), or 1 if the target was empty (RUN).
    """
    return packed & 3, packed >> 2 & 31, packed >> 7 & 7, packed >> 10 & 15, packed >> 15 & 63


@search_kernel
def _record(board, kind, source, target, cards, unstuck, card, waste, redeals):
    """Record a move.

    source: a column, a suit (DOWN) or an index in the stock (TAKE); target: a column or
    TO_FOUNDATION; cards: how many move (RUN); unstuck: 1 if the head of the source does; card:
    which goes (UP, TAKE), 1 if the target is empty (RUN); waste, redeals: what they were before
    (TAKE).
    """
    packed = kind | source << 2 | target << 7 | cards << 10 | unstuck << 14
    board[MOVES + board[MADE]] = packed | card << 15 | waste << 21 | redeals << 26
    board[MADE] += 1


@search_kernel
def _lay(board, card, column):
    """Put a card on top of a column."""
    level = board[SIZE + column]
    board[PILE + 20 * column + level] = card
    board[PLACE + card] = 32 * column + level
    board[SIZE + column] = level + 1


@search_kernel
def _unstick(board, column):
    """Update a column that cards have left; return 1 if its head was among them."""
    if board[SIZE + column] < board[STUCK + column]:
        board[STUCK + column] -= 1
        return 1
    return 0


@search_kernel
def move_run(board, source, cards, target):
    """Move the top `cards` cards of one column to another."""
    bottom = board[SIZE + source] - cards
    fills = 1 if board[SIZE + target] == 0 else 0
    for level in range(bottom, bottom + cards):
        _lay(board, board[PILE + 20 * source + level], target)
    board[SIZE + source] = bottom
    _record(board, RUN, source, target, cards, _unstick(board, source), fills, 0, 0)


@search_kernel
def send_up(board, column):
    """Move the top card of a column to its foundation."""
    board[SIZE + column] -= 1
    card = board[PILE + 20 * column + board[SIZE + column]]
    board[PLACE + card] = -1
    board[HEIGHT + (card & 3)] += 1
    _record(board, UP, column, 0, 0, _unstick(board, column), card, 0, 0)


@search_kernel
def bring_down(board, suit, column):
    """Move the top card of a foundation to a column."""
    board[HEIGHT + suit] -= 1
    _lay(board, 4 * board[HEIGHT + suit] + suit, column)
    _record(board, DOWN, suit, column, 0, 0, 0, 0, 0)


@search_kernel
def turned_up(waste, left, draw):
    """Return the cards that show in one pass: bit i for index i of waste and stock.

    waste: how many cards lie in the waste at its beginning; left: cards in waste and stock.
    """
    shown = 1 << waste >> 1
    while waste < left:
        waste = min(waste + draw, left)
        shown |= 1 << waste >> 1
    return shown


@search_kernel
def settle(board):
    """Write REDEALS and WASTE in the one form that all equal positions share.

    Between two redeals some card is taken, or the second would show no card that the first did
    not. So redeals beyond the number of cards left are of no use, and with as many as that the
    game is that of unlimited redeals; it stays so, since each card taken lowers LEFT by one and
    uses one redeal at most. Then a waste that is a whole number of draws or the whole stock, and
    an empty one, are reached from each other by turning and at most one redeal, and what shows
    after them is the same: they are one position.
    """
    left = board[LEFT]
    if board[REDEALS] >= left:
        board[REDEALS] = left
        if board[WASTE] == left or board[WASTE] % board[DRAW] == 0:
            board[WASTE] = 0


@search_kernel
def take(board, index, target):
    """Turn the stock until the card at `index` shows, with a redeal if need be, and play it."""
    left = board[LEFT]
    card = board[STOCK + index]
    number = board[NUMBER + index]
    _record(board, TAKE, index, target, 0, 0, card, board[WASTE], board[REDEALS])
    if turned_up(board[WASTE], left, board[DRAW]) >> index & 1 == 0:
        board[REDEALS] -= 1
    for i in range(index, left - 1):
        board[STOCK + i] = board[STOCK + i + 1]
        board[NUMBER + i] = board[NUMBER + i + 1]
    board[NUMBER + left - 1] = number  # where `_put_back` finds it
    board[MASK] ^= 1 << number
    board[LEFT] = left - 1
    board[WASTE] = index
    settle(board)
    if target == TO_FOUNDATION:
        board[HEIGHT + (card & 3)] += 1
    else:
        _lay(board, card, target)


@search_kernel
def _put_back(board, index, card, waste, redeals):
    """Undo what `take` did to the stock."""
    left = board[LEFT]
    number = board[NUMBER + left]
    for i in range(left, index, -1):
        board[STOCK + i] = board[STOCK + i - 1]
        board[NUMBER + i] = board[NUMBER + i - 1]
    board[STOCK + index] = card
    board[NUMBER + index] = number
    board[MASK] ^= 1 << number
    board[LEFT] = left + 1
    board[WASTE] = waste
    board[REDEALS] = redeals


@search_kernel
def take_back(board, made):
    """Undo moves until only the first `made` are left."""
    while board[MADE] > made:
        board[MADE] -= 1
        packed = board[MOVES + board[MADE]]
        kind = packed & 3
        source = packed >> 2 & 31
        target = packed >> 7 & 7
        card = packed >> 15 & 63
        if kind == RUN:
            board[SIZE + target] -= packed >> 10 & 15
            bottom = board[SIZE + target]
            for level in range(bottom, bottom + (packed >> 10 & 15)):
                _lay(board, board[PILE + 20 * target + level], source)
            board[STUCK + source] += packed >> 14 & 1
        elif kind == UP:
            board[HEIGHT + (card & 3)] -= 1
            _lay(board, card, source)
            board[STUCK + source] += packed >> 14 & 1
        elif kind == DOWN:
            board[SIZE + target] -= 1
            board[PLACE + 4 * board[HEIGHT + source] + source] = -1
            board[HEIGHT + source] += 1
        else:
            if target == TO_FOUNDATION:
                board[HEIGHT + (card & 3)] -= 1
            else:
                board[SIZE + target] -= 1
                board[PLACE + card] = -1
            _put_back(board, source, card, packed >> 21 & 31, packed >> 26 & 31)


@search_kernel
def is_face_up(board, card):
    """Whether a card lies face up in a column."""
    place = board[PLACE + card]
    return place >= 0 and (place & 31) >= board[STUCK + (place >> 5)] - 1


@search_kernel
def bare_column(board, card):
    """Return the column whose top card this is, or -1."""
    place = board[PLACE + card]
    if place >= 0 and (place & 31) == board[SIZE + (place >> 5)] - 1:
        return place >> 5
    return -1


@search_kernel
def empty_column(board):
    """Return the first empty column, or -1."""
    for column in range(7):
        if board[SIZE + column] == 0:
            return column
    return -1


@search_kernel
def held(board, stucks):
    """The columns, one bit each, whose heads may not leave: ordered cards turn up in their order.

    stucks: how many cards of each column are stuck, four bits a column. ORDER has three bits for
    each of the first ordered cards, the column plus 1, the first one lowest.
    """
    turned = waiting = 0
    for column in range(7):
        ordered = board[ORDERED + column]
        down = max((stucks >> 4 * column & 15) - 1, 0)
        turned += ordered - min(down, ordered)
        waiting += down - min(down, ordered)
    wanted = (board[ORDER] >> 3 * turned & 7) - 1
    if turned == 0 and waiting > 0 and board[WAITS] == 1:
        wanted = 7  # none of them yet
    columns = 0
    if wanted >= 0:
        for column in range(7):
            stuck = stucks >> 4 * column & 15
            if column != wanted and 1 < stuck <= board[ORDERED + column] + 1:
                columns |= 1 << column
    return columns


@search_kernel
def may_leave(board, column):
    """Whether the head of a column may leave it, see `held`."""
    if board[ORDER] == 0:
        return True
    stucks = 0
    for each in range(7):
        stucks |= board[STUCK + each] << 4 * each
    return held(board, stucks) >> column & 1 == 0


@search_kernel
def filled_column(board, card):
    """Return the first empty column if the card may go there, or -1."""
    if board[SPACES] == ANY or (board[SPACES] == KINGS and card >= 48):
        return empty_column(board)
    return -1


@search_kernel
def is_guest(board, card, host):
    """Whether a card may be laid on another in a column."""
    if (card >> 2) + 1 != host >> 2:
        return False
    if board[BUILDING] == ALTERNATING:
        return (card ^ host) & 1 == 1
    return board[BUILDING] == ANY_SUIT or (card ^ host) & 3 == 0


@search_kernel
def next_host(board, card, host):
    """Return the host of a card that follows a host, the first one after -1; -1 after the last."""
    if card >= 48:
        return -1
    if host < 0:
        if board[BUILDING] == ALTERNATING:
            return card + 4 ^ 1
        return card + 4 if board[BUILDING] == SAME_SUIT else (card | 3) + 1
    if board[BUILDING] == ALTERNATING:
        return host ^ 2 if host == card + 4 ^ 1 else -1
    return host + 1 if board[BUILDING] == ANY_SUIT and host & 3 != 3 else -1


@search_kernel
def bare_alike(board, card):
    """Return the column whose top is another card with the guests of this one, or -1."""
    if board[BUILDING] == ALTERNATING:
        return bare_column(board, card ^ 2)
    if board[BUILDING] == ANY_SUIT:
        for other in range(card & ~3, (card | 3) + 1):
            column = bare_column(board, other)
            if other != card and column >= 0:
                return column
    return -1
