"""Pair reachability: a compiled test that proves starting deals lost.

The relaxed game of `dead-end` asks which facts can ever hold, each by itself. This test asks which
*pairs* of facts can hold together: the heuristic h² of Haslum and Geffner (2000, *Admissible
Heuristics for Optimal Planning*, AIPS), carried on until nothing changes. If two cards can never
both be up, the deal is lost. The number of pairs is only the square of the number of facts, so the
test is quick; and two cards that compete for one place are such a pair, so it proves much that the
relaxed game does not.

**The game** is that of `engine.klondike.thinned_game`: some cards are *kept*, and all others are
wherever they are wanted and never in the way. If the thinned game cannot be won, neither can the
deal. To decide a deal all cards are kept; a smaller set that still proves the loss is its witness.

**Facts**, about kept cards c (bits of `engine.cardset`) and columns j:

- DEALT + c: c has not left its column or the stock;
- FIRST + c, SECOND + c: c is loose and lies on the lower, the higher bit of its two parents. If
  not both parents are kept, FIRST + c means only that c is loose;
- COLUMN + 7·k + j: the king of bit 48 + k is loose, in column j;
- UP + c: c is on its foundation;
- BARE + c: c is visible and none of the FIRST and SECOND facts says that a card lies on it;
- EMPTY + j: no kept card is still where it was dealt in column j, and no kept king lies there;
- HEAD + n, where c is the n-th card dealt in a column under another kept card: c is still there,
  and those above have left. (It is the conjunction of two other facts, but pairs of facts cannot
  express what holds together with both.)

**Steps** of a kept card c. Its *place* is BARE of a parent, if both are kept; for a king EMPTY of
any column; else nothing. Its *lower* and *higher* cards are the kept ones next to it in its suit.
It *uncovers* BARE and HEAD of the kept card next below it in its column, or if it is the lowest,
EMPTY of the column; from the stock it brings BARE of itself.

- *Leave for a place*: ends DEALT of c, its HEAD if it has one, and the place; begins that c is
  there and what it uncovers. In the stock it needs c in reach.
- *Leave for the foundation*: needs UP of lower; ends DEALT, HEAD and BARE of c; begins UP of c and
  what it uncovers. In the stock it needs c in reach, and BARE has no part in it.
- *Rise*: needs UP of lower; ends that c is at its place and BARE of c; begins UP and the place.
- *Sink*: needs higher not up; ends UP of c and a place; begins that c is there and BARE of c.
- *Shift*: ends that c is on one parent and BARE of the other; begins that c is on the other and
  BARE of the one.

A stock card is *in reach* if it is the last; or the one after it is not kept, loose or up; or, if
it is number i = 0, 1, 2 …, once (i + 1) mod draw or more of those before it are.

**Claim.** Any two facts that hold at some moment of a play of the deal are in each other's rows in
the end. Each move is one of these steps or changes no fact, as proved in
`engine.klondike.thinned_game`, but for two moves: a card that goes to its other parent makes a
*shift*; and a king that lies alone need not move to another column, since columns without dealt
cards are alike: let the two columns exchange their names instead. (The same goes for a king that is
the lowest kept card of its column: it counts as dealt until it goes up.)

At the start the claim holds: `rows` begins with these pairs. Let it hold before a step, and let f
and g hold after it. If both held before and neither ended, nothing is to be shown. Else the step
began f, say. If it began g too, the two are entered together. If not, g held before the step and
did not end. All that the step needed held together with g, so g is in the row of each such fact. A
need that can be met in several ways (not up, in reach) was met in one of them; its row has g,
so the union of all their rows has; and if it was met by the number of cards gone, g is in the rows
of as many of them. So g is among the facts that `_step` finds in all these rows, as are those that
the step ends; and `_step` enters it with f.

**Cost.** `rows` is symmetric; a row is six words of 52 bits. A step is made again only if a row
that it reads has changed. Cards are gone through from aces to kings until nothing changes, or until
all pairs of UP facts are reached: then the test says nothing, whatever the other pairs are.
"""

# Kernels carry no annotations; everything else here is typed.
# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.cardset import ALL, BIT_OF_CARD, lowest
from engine.kernels.compiling import Part
from engine.kernels.decorators import kernel, looped_kernel
from engine.kernels.filling import fill

# A fact's number is 56 · its word in a row + its bit there.
WIDTH = 56
DEALT, FIRST, SECOND, UP, BARE, COLUMN = 0, 56, 112, 168, 224, 280
EMPTY = COLUMN + 28
HEAD = EMPTY + 7
WORDS = 6
FACTS = WIDTH * WORDS
_ROW = (1 << WIDTH) - 1

_NOBODY = -1
_KINGS_FROM = 48


class Work(NamedTuple):
    """Workspace of the test; one per thread.

    Attributes:
        rows: int64[FACTS, 6], facts reached together with each fact.
        stamps: int64[FACTS], when a row last changed.
        looked: int64[52], when a card's steps were last made; -1: all are to be made.
        below: int64[52], the kept card next below in the column, or -1.
        head: int64[52], the HEAD fact of a card of a column, or -1 for the uppermost kept one.
        uncovers: int64[52], the BARE or EMPTY fact that begins when a card leaves its column.
        stays: bool[52], whether a card is a king and the lowest kept card of its column.
        stock_at: int64[52], index in the stock, or -1.
        lower: int64[52], the kept card before it in its suit, or -1.
        higher: int64[52], the kept card after it, or -1.
        reach: int64[24, 6], facts with which each stock card is in reach.
        enough: int64[24, 6], ``[k]``: facts with which k of the stock cards so far are gone.
    """

    rows: NDArray[np.int64]
    stamps: NDArray[np.int64]
    looked: NDArray[np.int64]
    below: NDArray[np.int64]
    head: NDArray[np.int64]
    uncovers: NDArray[np.int64]
    stays: NDArray[np.bool_]
    stock_at: NDArray[np.int64]
    lower: NDArray[np.int64]
    higher: NDArray[np.int64]
    reach: NDArray[np.int64]
    enough: NDArray[np.int64]


def new_work() -> Work:
    """Allocate the workspace of `loses` and `shrink`."""
    return Work(
        np.zeros((FACTS, WORDS), dtype=np.int64),
        np.zeros(FACTS, dtype=np.int64),
        np.zeros(52, dtype=np.int64),
        np.zeros(52, dtype=np.int64),
        np.zeros(52, dtype=np.int64),
        np.zeros(52, dtype=np.int64),
        np.zeros(52, dtype=np.bool_),
        np.zeros(52, dtype=np.int64),
        np.zeros(52, dtype=np.int64),
        np.zeros(52, dtype=np.int64),
        np.zeros((24, WORDS), dtype=np.int64),
        np.zeros((24, WORDS), dtype=np.int64),
    )


@kernel
def loses(cards, draw, kept, work):
    """Whether two of the kept cards can never both be up, so that the deal is lost.

    Args:
        cards: uint8[52], a deal in flat order.
        draw: stock cards turned at once.
        kept: set of cards, bits of `engine.cardset`.
        work: workspace.
    """
    reach_pairs(cards, draw, kept, work, False)
    return not _all_up(kept, work.rows)


def _run() -> None:
    loses(np.arange(52, dtype=np.uint8), 1, ALL, new_work())


PART = Part("solvers.klondike.dead_ends.pair_reachability:PART", (loses,), _run)


@kernel
def shrink(cards, draw, work):
    """A minimal set of kept cards that proves a lost deal lost.

    Stock cards are removed first, then each column from the bottom: the most readable witness has a
    few cards of the tableau. The order matters little, since most deals have only one such set.
    """
    kept = ALL
    for step in range(52):
        smaller = kept & ~(1 << BIT_OF_CARD[cards[(28 + step) % 52]])
        if loses(cards, draw, smaller, work):
            kept = smaller
    return kept


@kernel
def reach_pairs(cards, draw, kept, work, complete):
    """Fill `work.rows`; unless `complete`, stop once all pairs of cards can be up."""
    _begin(cards, kept, work)
    clock = 0
    while True:
        began = clock
        _look_at_stock(cards, draw, kept, work)
        for card in range(52):
            if kept >> card & 1:
                clock += 1
                _look_at_card(card, clock, kept, work)
        if _newest(work.stamps) <= began or (not complete and _all_up(kept, work.rows)):
            break


@kernel
def _newest(stamps):
    """The latest stamp; loaded with Numba's own, a kernel would bring SciPy with it."""
    newest = stamps[0]
    for at in range(1, stamps.shape[0]):
        newest = max(newest, stamps[at])
    return newest


@kernel
def _all_up(kept, rows):
    """Whether all kept cards can be up, pair by pair."""
    missing = 0
    for card in range(52):
        if kept >> card & 1:
            missing |= kept & ~rows[UP + card, UP // WIDTH]
    return missing == 0


@kernel
def _begin(cards, kept, work):
    """Lay out the kept cards, and enter the pairs of facts that hold at the start."""
    fill(work.stamps, 0)
    fill(work.looked, -1)
    fill(work.stays, False)
    fill(work.stock_at, _NOBODY)
    tops = 0
    empty = 0
    covered = 0
    first = 0
    for column in range(7):
        under = _NOBODY
        for place in range(first, first + column + 1):
            card = BIT_OF_CARD[cards[place]]
            if kept >> card & 1:
                if under == _NOBODY:
                    work.uncovers[card] = EMPTY + column
                    work.stays[card] = card >= _KINGS_FROM
                else:
                    work.uncovers[card] = BARE + under
                    work.head[under] = HEAD + covered
                    covered += 1
                work.below[card] = under
                work.head[card] = _NOBODY
                under = card
        if under == _NOBODY:
            empty |= 1 << (EMPTY - COLUMN + column)
        else:
            tops |= 1 << under
        first += column + 1
    for place in range(24):
        work.stock_at[BIT_OF_CARD[cards[28 + place]]] = place
    for suit in range(4):
        under = _NOBODY
        for rank in range(13):
            card = BIT_OF_CARD[4 * rank + suit]
            if kept >> card & 1:
                work.lower[card] = under
                work.higher[card] = _NOBODY
                if under != _NOBODY:
                    work.higher[under] = card
                under = card

    rows = work.rows
    for fact in range(rows.shape[0]):
        fill(rows[fact], 0)
    for fact in range(FACTS):
        if (
            (fact < FIRST and kept >> fact & 1)
            or (BARE <= fact < COLUMN and tops >> (fact - BARE) & 1)
            or (EMPTY <= fact < HEAD and empty >> (fact - COLUMN) & 1)
        ):
            rows[fact, DEALT // WIDTH] = kept
            rows[fact, BARE // WIDTH] = tops
            rows[fact, COLUMN // WIDTH] = empty


@looped_kernel
def _look_at_stock(cards, draw, kept, work):
    """Compute the facts with which each kept stock card is in reach."""
    rows, reach, enough = work.rows, work.reach, work.enough
    for count in range(enough.shape[0]):
        fill(enough[count], 0)
    for word in range(WORDS):
        enough[0, word] = _ROW
    for place in range(24):
        card = BIT_OF_CARD[cards[28 + place]]
        gone = _always()
        if kept >> card & 1:
            reached = _always()
            if place < 23:
                after = BIT_OF_CARD[cards[29 + place]]
                if kept >> after & 1:
                    reached = _either(_gone(rows, after), _row(enough, (place + 1) % draw))
            for word in range(WORDS):
                if reach[place, word] != reached[word]:
                    reach[place, word] = reached[word]
                    work.looked[card] = -1
            gone = _gone(rows, card)
        for count in range(min(draw - 1, place + 1), 0, -1):
            for word in range(WORDS):
                enough[count, word] |= enough[count - 1, word] & gone[word]


@looped_kernel
def _look_at_card(card, clock, kept, work):
    """Make every step of a card whose rows have changed since its steps were last made."""
    rows, stamps = work.rows, work.stamps
    looked = work.looked[card]
    work.looked[card] = clock - 1  # its own steps change rows now, at `clock`
    dealt, up, bare = DEALT + card, UP + card, BARE + card
    lower, higher = work.lower[card], work.higher[card]
    in_stock = work.stock_at[card] != _NOBODY

    # Needs that are not a single fact, and when each of them last changed.
    may_rise, rise_at = _always(), 0
    if lower != _NOBODY:
        may_rise, rise_at = _row(rows, UP + lower), stamps[UP + lower]
    may_sink, sink_at = _always(), stamps[up]
    if higher != _NOBODY:
        may_sink = _either(_row(rows, DEALT + higher), _loose(rows, higher))
        sink_at = max(sink_at, max(stamps[DEALT + higher], _loose_at(stamps, higher)))
    may_leave, leave_at = _always(), stamps[dealt]
    head, uncovers, next_head = _NOBODY, bare, _NOBODY
    if in_stock:
        may_leave = _row(work.reach, work.stock_at[card])
    else:
        head, uncovers = work.head[card], work.uncovers[card]
        if head != _NOBODY:
            leave_at = max(leave_at, stamps[head])
        if work.below[card] != _NOBODY:
            next_head = work.head[work.below[card]]

    if in_stock:
        if max(leave_at, rise_at) > looked:
            may_rise_now = _both(may_leave, may_rise)
            _step(rows, stamps, clock, dealt, _NOBODY, _NOBODY, up, _NOBODY, _NOBODY, may_rise_now)
    elif max(leave_at, max(stamps[bare], rise_at)) > looked:
        _step(rows, stamps, clock, dealt, bare, head, up, uncovers, next_head, may_rise)

    # The facts "at its k-th place" are `apart` from one another, those of the places follow.
    parents = (card | 1) + 3
    if card >= _KINGS_FROM:
        at_first, apart, place_first, places = COLUMN + 7 * (card - _KINGS_FROM), 1, EMPTY, 7
    elif kept >> parents & 3 == 3:
        at_first, apart, place_first, places = FIRST + card, WIDTH, BARE + parents, 2
    else:
        at_first, apart, place_first, places = FIRST + card, WIDTH, _NOBODY, 1
    for which in range(places):
        at = at_first + apart * which
        place, place_at = _NOBODY, 0
        if place_first != _NOBODY:
            place = place_first + which
            place_at = stamps[place]
        if places == 2:
            other = at_first + apart * (1 - which)
            if max(stamps[other], place_at) > looked:
                _step(
                    rows,
                    stamps,
                    clock,
                    other,
                    place,
                    _NOBODY,
                    at,
                    place_first + 1 - which,
                    _NOBODY,
                    _always(),
                )
        if not work.stays[card] and max(leave_at, place_at) > looked:
            _step(rows, stamps, clock, dealt, place, head, at, uncovers, next_head, may_leave)
        if max(stamps[at], max(stamps[bare], rise_at)) > looked:
            _step(rows, stamps, clock, at, bare, _NOBODY, up, place, _NOBODY, may_rise)
        if max(sink_at, place_at) > looked:
            _step(rows, stamps, clock, up, place, _NOBODY, at, bare, _NOBODY, may_sink)


@kernel
def _step(rows, stamps, clock, ends, ends2, ends3, begins, begins2, begins3, with_needs):
    """Enter the pairs of facts that a step makes true.

    Args:
        rows: of the workspace.
        stamps: of the workspace.
        clock: stamp of the rows that change.
        ends: a fact that the step needs and ends.
        ends2: another, or -1.
        ends3: another, or -1.
        begins: a fact that holds after it.
        begins2: another, or -1.
        begins3: another, or -1.
        with_needs: six words, the facts that were reached together with all its other needs.
    """
    held = _both(with_needs, _row(rows, ends))
    if ends2 != _NOBODY:
        held = _both(held, _row(rows, ends2))
    if ends3 != _NOBODY:
        held = _both(held, _row(rows, ends3))
        if not _has(held, ends3):
            return
        held = _flipped(held, ends3)
    if ends2 != _NOBODY:
        if not _has(held, ends2):
            return
        held = _flipped(held, ends2)
    if not _has(held, ends):
        return
    held = _with(_flipped(held, ends), begins)
    if begins2 != _NOBODY:
        held = _with(held, begins2)
        if begins3 != _NOBODY:
            held = _with(held, begins3)
            _enter(rows, stamps, clock, begins3, held)
        _enter(rows, stamps, clock, begins2, held)
    _enter(rows, stamps, clock, begins, held)


@kernel
def _enter(rows, stamps, clock, fact, held):
    """Add the facts of six words to a fact's row, and the fact to each of theirs."""
    new0 = held[0] & ~rows[fact, 0]
    new1 = held[1] & ~rows[fact, 1]
    new2 = held[2] & ~rows[fact, 2]
    new3 = held[3] & ~rows[fact, 3]
    new4 = held[4] & ~rows[fact, 4]
    new5 = held[5] & ~rows[fact, 5]
    if new0 | new1 | new2 | new3 | new4 | new5 == 0:
        return
    stamps[fact] = clock
    _enter_word(rows, stamps, clock, fact, 0, new0)
    _enter_word(rows, stamps, clock, fact, 1, new1)
    _enter_word(rows, stamps, clock, fact, 2, new2)
    _enter_word(rows, stamps, clock, fact, 3, new3)
    _enter_word(rows, stamps, clock, fact, 4, new4)
    _enter_word(rows, stamps, clock, fact, 5, new5)


@kernel
def _enter_word(rows, stamps, clock, fact, word, new):
    rows[fact, word] |= new
    own_word = fact // WIDTH
    bit = 1 << (fact - WIDTH * own_word)
    while new != 0:
        other = WIDTH * word + lowest(new)
        new &= new - 1
        rows[other, own_word] |= bit
        stamps[other] = clock


@kernel
def _loose(rows, card):
    """The facts reached together with a card being loose."""
    if card < _KINGS_FROM:
        return _either(_row(rows, FIRST + card), _row(rows, SECOND + card))
    first = COLUMN + 7 * (card - _KINGS_FROM)
    found = _row(rows, first)
    for fact in range(first + 1, first + 7):
        found = _either(found, _row(rows, fact))
    return found


@kernel
def _loose_at(stamps, card):
    """Stamp of the last change of `_loose`."""
    if card < _KINGS_FROM:
        return max(stamps[FIRST + card], stamps[SECOND + card])
    first = COLUMN + 7 * (card - _KINGS_FROM)
    newest = stamps[first]
    for fact in range(first + 1, first + 7):
        newest = max(newest, stamps[fact])
    return newest


@kernel
def _gone(rows, card):
    """The facts reached together with a card having left its column or the stock."""
    return _either(_row(rows, UP + card), _loose(rows, card))


@kernel
def _always():
    return _ROW, _ROW, _ROW, _ROW, _ROW, _ROW


@kernel
def _row(rows, at):
    return rows[at, 0], rows[at, 1], rows[at, 2], rows[at, 3], rows[at, 4], rows[at, 5]


@kernel
def _both(a, b):
    return a[0] & b[0], a[1] & b[1], a[2] & b[2], a[3] & b[3], a[4] & b[4], a[5] & b[5]


@kernel
def _either(a, b):
    return a[0] | b[0], a[1] | b[1], a[2] | b[2], a[3] | b[3], a[4] | b[4], a[5] | b[5]


@kernel
def _has(a, fact):
    word = fact // WIDTH
    bit = 1 << (fact - WIDTH * word)
    if word == 0:
        return a[0] & bit != 0
    if word == 1:
        return a[1] & bit != 0
    if word == 2:
        return a[2] & bit != 0
    if word == 3:
        return a[3] & bit != 0
    if word == 4:
        return a[4] & bit != 0
    return a[5] & bit != 0


@kernel
def _flipped(a, fact):
    word = fact // WIDTH
    bit = 1 << (fact - WIDTH * word)
    if word == 0:
        return a[0] ^ bit, a[1], a[2], a[3], a[4], a[5]
    if word == 1:
        return a[0], a[1] ^ bit, a[2], a[3], a[4], a[5]
    if word == 2:
        return a[0], a[1], a[2] ^ bit, a[3], a[4], a[5]
    if word == 3:
        return a[0], a[1], a[2], a[3] ^ bit, a[4], a[5]
    if word == 4:
        return a[0], a[1], a[2], a[3], a[4] ^ bit, a[5]
    return a[0], a[1], a[2], a[3], a[4], a[5] ^ bit


@kernel
def _with(a, fact):
    return a if _has(a, fact) else _flipped(a, fact)
