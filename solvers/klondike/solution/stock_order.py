"""Search for an order of taking the stock cards with few turns of the stock.

The cards of stock and waste are numbered 0 … n − 1 in drawing order. All of them must be taken,
each after certain others; redeals are unlimited. *Turns* are turns of the stock and redeals, one
each. Sets of cards have bit i for card i.

A *pass* lasts until the stock is empty. In a pass each card that may be taken is taken as soon as
it shows, unless it is *skipped*. Taking a card hides no other one in the same pass, but it changes
which cards show in the next, so that skipping one or two may save a pass, or be the only way on.
"""

# Kernels carry no annotations.
# mypy: allow-untyped-defs, allow-untyped-calls

import numpy as np

from engine.cardset import highest, popcount
from engine.kernels.decorators import inlined_kernel, search_kernel
from engine.klondike.rules import MAX_DRAW

OUT_OF_REACH = 1 << 20
# States kept after each pass: in a first search, and in others where none of these leads on.
NARROW, MOST_WIDTH = 6, 31
# There are no more passes than this: each but the first, which may begin anywhere, takes a card.
MOST_PASSES = 25

# [draw, cards]: the number of turns that show this many cards, and 1 if none of them shows fewer
# than `draw`. Tables, because divisions are slow.
_TURNS = np.array(
    [[-(-cards // max(draw, 1)) for cards in range(25)] for draw in range(MAX_DRAW + 1)],
    dtype=np.int64,
)
_WHOLE = np.array(
    [[cards % max(draw, 1) == 0 for cards in range(25)] for draw in range(MAX_DRAW + 1)],
    dtype=np.int64,
)

# A state between two passes is one integer, so that it is compared and moved at once. From the top:
# its evaluation (the turns so far and the cards left), by which states are compared; then, as a
# tie-break, the index of its parent (5 bits) and the first card skipped (5); the cards left (24),
# the other card skipped (5), the turns so far (11).
_PROMISE, _BEFORE, _SKIPPED, _LEFT, _ALSO = 50, 45, 40, 16, 11
_SET_MASK = (1 << 24) - 1
_MASK = 31
_TURNS_MASK = (1 << 11) - 1
# In place of a card skipped: no card, and a state that the given order leads to.
_NO_CARD, _GIVEN = 31, 30


@search_kernel
def turns_for(order, size, waste, draw):
    """Number of turns for taking all `size` cards in this order, or OUT_OF_REACH."""
    left = (1 << size) - 1
    total = 0
    for at in range(size):
        card = 1 << order[at]
        under = popcount(left & (card - 1))
        total += _turns_to(under + 1, size - at, waste, draw)
        waste = under
        left ^= card
    return min(total, OUT_OF_REACH)


@inlined_kernel
def _turns_to(shown, size, waste, draw):
    """Number of turns until `shown` of `size` cards lie in the waste, or OUT_OF_REACH."""
    # All lookups precede the branches, which are hard to predict: a misprediction costs more.
    ahead = max(shown - waste, 0)
    last = shown == size
    now = (shown >= waste) & (last | _WHOLE[draw, ahead])
    next_pass = last | _WHOLE[draw, shown]
    this_pass = _TURNS[draw, ahead]
    after_redeal = _TURNS[draw, size - waste] + 1 + _TURNS[draw, shown]
    later = after_redeal if next_pass else OUT_OF_REACH
    return this_pass if now else later


@search_kernel
def improve(order, size, waste, draw, required, beam, shown):
    """Search for an order with fewer turns; write it over `order` if there is one.

    A beam search from pass to pass: the states that follow from skipping none or one of the cards
    that a pass would take are compared by their turns so far and the cards left, and the best
    NARROW are kept. If no line of them takes all cards with as few turns as the given order, it is
    done again with MOST_WIDTH states, and then with two cards skipped, and the states of the given
    order kept, too.

    Args:
        order: int64[≥ size], a possible order; out: one with as few turns or fewer.
        size: number of cards.
        waste: number of them in the waste.
        draw: cards turned at once.
        required: int64[≥ size], the cards to be taken before each, as a set.
        beam: int64[MOST_PASSES + 2, MOST_WIDTH + 1], scratch: the states after each pass, and a
            path.
        shown: int64[24, 4], scratch: where cards are taken in a pass.

    Returns:
        The turns of the order.
    """
    known = turns_for(order, size, waste, draw)
    last = passes = 0
    for width, wide in ((NARROW, False), (MOST_WIDTH, False), (MOST_WIDTH, True)):
        last, passes = _search(order, size, waste, draw, required, known, width, wide, beam, shown)
        if passes > 0:
            break
    turns = last & _TURNS_MASK
    if passes == 0 or turns == known:
        return known
    _write(last, passes, size, waste, draw, required, beam, shown, order)
    return turns


@search_kernel
def _search(order, size, waste, draw, required, known, width, wide, beam, shown):
    """The beam search; returns the state in which all cards are taken, and the number of passes.

    Of the states with the fewest turns, at most `known`, the first. No passes if there is none. If
    `wide`, two cards of a pass are skipped, too, and the states of the given order are kept.
    """
    bound = known + 1  # turns that are too many
    found, passes = 0, 0
    everything = (1 << size) - 1
    beam[0, 0] = everything << _LEFT
    count = 1
    in_waste = (1 << waste) - 1
    given, given_turns, taken = everything, 0, 0
    for number in range(size + 1):
        parents, children = beam[number], beam[number + 1]
        kept = 0
        for at in range(count):
            start, so_far = (parents[at] >> _LEFT) & _SET_MASK, parents[at] & _TURNS_MASK
            if so_far + _TURNS[draw, popcount(start & ~in_waste)] >= bound:
                continue
            left, turns, takes = _play_pass(
                start, in_waste, start & ~in_waste, so_far, draw, required, 0, True, shown
            )
            one, other = -1, -1  # the takes that are skipped
            skipped = also = _NO_CARD
            while True:
                state = turns | at << _BEFORE | skipped << _SKIPPED | also << _ALSO | left << _LEFT
                if left == 0 and turns < bound:
                    bound, found, passes = turns, state, number + 1
                cards = popcount(left)
                if (
                    left != 0
                    and (left != start or in_waste != 0)
                    and turns + 1 + _TURNS[draw, cards] < bound
                ):
                    promise = turns + 1 + cards
                    kept = _keep(children, kept, width, promise << _PROMISE | state + 1)
                if wide and one >= 0 and other + 1 < takes:
                    other += 1
                    also = highest(shown[other, 1])
                else:
                    one += 1
                    if one == takes:
                        break
                    other = one
                    skipped = highest(shown[one, 1])
                    also = _NO_CARD
                left, turns, _ = _play_pass(
                    shown[one, 0],
                    shown[one, 1],
                    shown[one, 2],
                    shown[one, 3],
                    draw,
                    required,
                    1 << skipped | 1 << also,
                    False,
                    shown,
                )
        if wide:
            given, given_turns, taken = _follow_order(
                order, size, given, in_waste, given_turns, taken, draw
            )
            if taken < size and given_turns < bound:
                children[kept] = given_turns | _GIVEN << _SKIPPED | given << _LEFT
                kept += 1
        count = kept
        in_waste = 0
        if count == 0:
            break
    return found, passes


@inlined_kernel
def _turn(stock, draw):
    """The rest of the stock after a turn."""
    for _ in range(draw):
        stock &= stock - 1
    return stock


@inlined_kernel
def _play_pass(left, waste, stock, turns, draw, required, skipped, noted, shown):
    """Play a pass to its end; returns the cards left, the turns and the number of takes.

    Skips a set of cards. If `noted`, writes for each take, `shown` being int64[takes, 4], the cards
    left, the waste, the stock and the turns before it; the card taken is the highest of the waste.
    """
    takes = 0
    while True:
        while waste != 0:
            card = highest(waste)
            if (required[card] & left) | (skipped >> card & 1) != 0:
                break
            if noted:
                shown[takes, 0], shown[takes, 1], shown[takes, 2] = left, waste, stock
                shown[takes, 3] = turns
            takes += 1
            left ^= 1 << card
            waste ^= 1 << card
        if stock == 0:
            return left, turns, takes
        rest = _turn(stock, draw)
        waste |= stock ^ rest
        stock = rest
        turns += 1


@inlined_kernel
def _follow_order(order, size, left, waste, turns, taken, draw):
    """A pass of the given order and the redeal; returns the cards left, the turns and the takes."""
    stock = left & ~waste
    while taken < size:
        card = order[taken]
        while waste >> card != 1 and stock != 0:
            rest = _turn(stock, draw)
            waste |= stock ^ rest
            stock = rest
            turns += 1
        if waste >> card != 1:
            break
        left ^= 1 << card
        waste ^= 1 << card
        taken += 1
    while stock != 0:
        stock = _turn(stock, draw)
        turns += 1
    return left, turns + 1, taken


@inlined_kernel
def _keep(states, kept, width, state):
    """Insert a state into the sorted beam; returns the new number of states."""
    end = kept
    for at in range(kept):
        if (states[at] ^ state) >> _LEFT & _SET_MASK == 0:
            if states[at] <= state:
                return kept
            end = at  # a worse path to the same state: its slot becomes free
            break
    if end == kept:
        if kept < width:
            kept += 1
        elif states[kept - 1] <= state:
            return kept
        else:
            end = width - 1
    while end > 0 and states[end - 1] > state:
        states[end] = states[end - 1]
        end -= 1
    states[end] = state
    return kept


@search_kernel
def _write(last, passes, size, waste, draw, required, beam, shown, order):
    """Write the order that leads to a state, by playing its passes again."""
    path = beam[MOST_PASSES + 1]
    begin = 0
    left, in_waste = (1 << size) - 1, (1 << waste) - 1
    taken = 0
    for number in range(passes, 0, -1):
        path[number] = last
        if (last >> _SKIPPED) & _MASK == _GIVEN:
            # As the given order until here.
            begin = number
            left, in_waste = (last >> _LEFT) & _SET_MASK, 0
            taken = size - popcount(left)
            break
        last = beam[number - 1, (last >> _BEFORE) & _MASK]
    for number in range(begin + 1, passes + 1):
        skipped = 1 << (path[number] >> _SKIPPED & _MASK) | 1 << (path[number] >> _ALSO & _MASK)
        left, _, takes = _play_pass(
            left, in_waste, left & ~in_waste, 0, draw, required, skipped, True, shown
        )
        for take in range(takes):
            order[taken] = highest(shown[take, 1])
            taken += 1
        in_waste = 0
