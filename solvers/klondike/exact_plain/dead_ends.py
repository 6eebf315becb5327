"""Dead-end test of `exact-plain`: the relaxed game in which nothing is ever used up.

Facts about the cards are collected until no more follow, each from those before:

- a card is *free* once it may lie face up in a column or show on the waste;
- it is *up* once it may be on its foundation;
- it is *seen* once it may lie face up in a column, so that others may be put on it.

If not all cards can be up, the position is lost. That is so because every move of the real game
that is possible with some set of facts is possible with more of them: by induction over the moves
of any line of play, whatever becomes true in it is among the facts. The steps, with what they use:

- The next card of a suit is up if it is free and what lies on it at the start can go: nothing, or
  a card that is up itself, or, where parts of runs may move, one of which another host is seen or
  that can go to an empty column. (What lies higher goes with that card.)
- A host of a card is one that it may be built on. A free card can be laid down if it may go to an
  empty column and some column can be empty, or if a host of it is seen that has room. A host that
  carries a card at the start, one that cannot be up, has no room where only whole runs move: the
  card it carries can go in no other way. Where parts of runs move, this card can change to its
  other host but must lie on one of the two, so that then both must be seen for the other card.
  (This is used where colours alternate and only kings go to empty columns, or none; elsewhere any
  host that is seen has room where parts of runs move.)
- A card that can be laid down and is free, or is on a foundation from which cards may come back,
  is seen.
- The head of a column, the lowest card that has not moved, goes if it is up or can be laid down
  (with all that lies on it). Then the card below is free and seen, or the column can be empty. It
  can be empty too once a loose card at its bottom is up or, where any card may go to an empty
  column, can be laid down: to them it is a head.
- Where some cards turn up in a given order, a head that covers one of them is not up, and does not
  go, before those that must turn up sooner.
- A stock card can be taken if it can be turned up and is up or can be laid down. It can be turned
  up (number them 0… in drawing order; `waste` of them lie in the waste, d are drawn at once):
    - in the pass at hand, when it is the last, or the top of the waste now or after some turns:
      cards taken in a pass do not change which others the rest of it turns up;
    - if the card after it can be taken, for this one then shows;
    - if a redeal is left and it is the last, or at least (number + 1) mod d of those before it
      can be taken: if k of them are gone when a pass begins, then it is turned up if number + 1 − k
      is a multiple of d, or else it shows only once the card after it has been taken.
"""

# Kernels carry no annotations; everything else here is typed.
# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs

from engine.kernels.decorators import search_kernel
from solvers.klondike.exact_plain.board import (
    ALTERNATING,
    ANY,
    ANY_SUIT,
    BACK,
    BUILDING,
    DRAW,
    HEIGHT,
    KINGS,
    LEFT,
    ORDER,
    PARTIAL,
    PILE,
    PLACE,
    REDEALS,
    SIZE,
    SPACES,
    STOCK,
    STUCK,
    WASTE,
    held,
    turned_up,
)

# Sets of cards are int64, bit c for card c; each hexadecimal digit is a rank.
_KINGS = 0xF << 48
_CLUBS = 0x1111111111111
_ALL = (1 << 52) - 1


@search_kernel
def _guests(hosts, building):
    """Return the cards that have at least one host in a set."""
    lower = hosts >> 4
    if building == ANY_SUIT:
        return ((lower | lower >> 1 | lower >> 2 | lower >> 3) & _CLUBS) * 15
    if building != ALTERNATING:
        return lower
    black = (lower | lower >> 2) & _CLUBS
    red = (lower >> 1 | lower >> 3) & _CLUBS
    return black * 10 | red * 5


@search_kernel
def _guests_of_two(hosts):
    """Return the cards both of whose hosts are in a set."""
    lower = hosts >> 4
    black = lower & lower >> 2 & _CLUBS
    red = lower >> 1 & lower >> 3 & _CLUBS
    return black * 10 | red * 5


@search_kernel
def _twins(cards):
    """Return the twins of a set of cards where colours alternate: of their colour, other suit."""
    return (cards & _CLUBS * 3) << 2 | cards >> 2 & _CLUBS * 3


@search_kernel
def _has_alike(bit, seen, building):
    """Whether another card that takes the guests of this one is in a set."""
    if building == ANY_SUIT:
        rank = bit | bit >> 1 | bit >> 2 | bit >> 3
        return (rank & _CLUBS) * 15 & ~bit & seen != 0
    return building == ALTERNATING and _twins(bit) & seen != 0


@search_kernel
def is_dead_end(board):
    """Whether some card can never be up in the relaxed game, so that the position is lost.

    board: as in `solvers.klondike.exact_plain.board`.
    """
    draw = board[DRAW]
    partial = board[PARTIAL]
    building = board[BUILDING]
    spaces = board[SPACES]
    left = board[LEFT]
    shown = turned_up(board[WASTE], left, draw)
    redeals = board[REDEALS]
    hole = 0  # whether some column can be empty
    seen = 0
    loose = 0
    blocked = 0  # the cards that carry one which is not up
    bottoms = 0  # the loose cards at the bottom of a column
    for column in range(7):
        size = board[SIZE + column]
        stuck = board[STUCK + column]
        if size == 0:
            hole = 1
        elif stuck == 0:
            bottoms |= 1 << board[PILE + 20 * column + 0]
        for level in range(max(stuck - 1, 0), size):
            bit = 1 << board[PILE + 20 * column + level]
            seen |= bit
            if level >= stuck:
                loose |= bit
            if level < size - 1:
                blocked |= bit
    free = seen
    up = 0
    for suit in range(4):
        up |= _CLUBS << suit & (1 << 4 * board[HEIGHT + suit]) - 1
    home = up if board[BACK] == 1 else 0  # cards that may come back from the foundations
    heights = 0  # four bits a suit
    for suit in range(4):
        heights |= board[HEIGHT + suit] << 4 * suit
    stucks = 0  # four bits a column
    for column in range(7):
        stuck = board[STUCK + column]
        if spaces == ANY and stuck == 0 and board[SIZE + column] > 0:
            stuck = 1
        stucks |= stuck << 4 * column
    stock = 0
    for index in range(left):
        stock |= 1 << board[STOCK + index]
    taken = 0  # stock cards by index
    count = 0  # how many these are

    waiting = 0  # the columns whose heads may not leave yet, see `held`
    heads = 0  # these heads
    changed = True
    while changed:
        changed = False
        if board[ORDER] != 0:
            waiting = held(board, stucks)
            heads = 0
            for column in range(7):
                if waiting >> column & 1 == 1:
                    stuck = stucks >> 4 * column & 15
                    heads |= 1 << board[PILE + 20 * column + stuck - 1]
        if partial == 0:
            fits = _guests(seen & ~blocked, building)
        elif building == ALTERNATING and spaces != ANY:
            fits = _guests(seen, building) & ~_twins(loose & ~up) | _guests_of_two(seen)
        else:
            fits = _guests(seen, building)
        if hole == 1 and spaces == KINGS:
            fits |= _KINGS
        elif hole == 1 and spaces == ANY:
            fits = _ALL

        for suit in range(4):
            while True:
                height = heights >> 4 * suit & 15
                bit = 1 << 4 * height + suit
                if height == 13 or free & bit == 0 or heads & bit != 0:
                    break
                if blocked & bit != 0:
                    clears = _has_alike(bit, seen, building) or (hole == 1 and spaces == ANY)
                    if partial == 0 or not clears:
                        break
                changed = True
                up |= bit
                heights += 1 << 4 * suit
                if bottoms & bit != 0:
                    hole = 1
                elif loose & bit != 0:
                    place = board[PLACE + 4 * height + suit]
                    blocked &= ~(1 << board[PILE + 20 * (place >> 5) + (place & 31) - 1])
        if up == _ALL:
            return False

        fresh = (free | home) & fits & ~seen
        if fresh != 0:
            changed = True
            seen |= fresh

        for column in range(7):
            stuck = stucks >> 4 * column & 15
            while (
                stuck > 0
                and waiting >> column & 1 == 0
                and (up | fits) >> board[PILE + 20 * column + stuck - 1] & 1 == 1
            ):
                changed = True
                stuck -= 1
                stucks -= 1 << 4 * column
                if stuck > 0:
                    free |= 1 << board[PILE + 20 * column + stuck - 1]
                    seen |= 1 << board[PILE + 20 * column + stuck - 1]
                else:
                    hole = 1
                if board[ORDER] != 0:
                    waiting = held(board, stucks)

        if stock & ~free == 0:
            continue
        below = count  # how many taken ones come before the index
        short = (left + 1) % draw
        for index in range(left - 1, -1, -1):
            short = short - 1 if short > 0 else draw - 1  # (index + 1) mod draw
            if taken >> index & 1 == 1:
                below -= 1
                continue
            if (
                taken >> index + 1 & 1 == 1
                or shown >> index & 1 == 1
                or (redeals > 0 and below >= short)
            ):
                bit = 1 << board[STOCK + index]
                if free & bit == 0:
                    free |= bit
                    changed = True
                if (up | fits) & bit != 0:
                    taken |= 1 << index
                    count += 1
                    changed = True
    return True
