"""Beam search for an order of taking the stock cards with few turns of the stock.

The cards of stock and waste are numbered 0 … n − 1 in drawing order. All of them must be taken,
each after certain others; redeals are unlimited. *Turns* are turns of the stock and redeals, one
each. Sets of cards have bit i for card i.
"""

# Kernels carry no annotations.
# mypy: allow-untyped-defs, allow-untyped-calls

import numpy as np

from engine.cardset import popcount
from engine.kernels import inlined_kernel, search_kernel
from engine.klondike.rules import MAX_DRAW

OUT_OF_REACH = 1 << 20
MOST_WIDTH = 31

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

# A state in the beam is one integer, so that it is compared and moved at once. From the top: its
# evaluation (the turns so far and those of the rest of the pass, in cards), by which states are
# compared; then, as a tie-break, the index of its parent (5 bits) and the card taken last (5); the
# cards left (24), the number of them in the waste (5), the turns so far (11).
_PROMISE, _BEFORE, _TAKEN, _LEFT, _WASTE = 50, 45, 40, 16, 11
_SET_MASK = (1 << 24) - 1
_MASK = 31
_TURNS_MASK = (1 << 11) - 1


@search_kernel
def turns_for(order, size, waste, draw):
    """Number of turns for taking all `size` cards in this order, or OUT_OF_REACH."""
    return min(turns_within(order, 0, size, size, waste, draw), OUT_OF_REACH)


@search_kernel
def turns_within(order, begin, end, size, waste, draw):
    """Number of turns for the takes from `begin` to `end`, or OUT_OF_REACH or more.

    `end` is counted, too, if there is one: how many turns it takes depends on the take before.
    """
    left = (1 << size) - 1
    for at in range(begin):
        left ^= 1 << order[at]
    if begin > 0:
        waste = popcount(left & ((1 << order[begin - 1]) - 1))
    total = 0
    for at in range(begin, min(end + 1, size)):
        card = 1 << order[at]
        under = popcount(left & (card - 1))
        total += _turns_to(under + 1, size - at, waste, draw)
        waste = under
        left ^= card
    return total


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
def improve(order, size, waste, draw, required, width, beam, free):
    """Search for an order with fewer turns; write it over `order` if there is one.

    A state is the set of cards left and the number of them in the waste. The states after the same
    number of takes are compared by their turns so far and those of the rest of the pass; the best
    `width` are kept. The states of the given order are kept too, as other states may have no way to
    take all cards.

    Args:
        order: int64[≥ size], a possible order; out: one with as few turns or fewer.
        size: number of cards.
        waste: number of them in the waste.
        draw: cards turned at once.
        required: int64[≥ size], the cards to be taken before each, as a set.
        width: states kept, at most MOST_WIDTH.
        beam: int64[25, MOST_WIDTH + 1], scratch: the states after each number of takes.
        free: int64[25, MOST_WIDTH + 1], scratch: for each state the cards that may be taken next.

    Returns:
        The turns of the order.
    """
    known = turns_for(order, size, waste, draw)
    waiting = free[size]  # for each card, those for which it is required
    for number in range(size):
        waiting[number] = 0
        for other in range(size):
            waiting[number] |= ((required[other] >> number) & 1) << other
    beam[0, 0] = _state((1 << size) - 1, waste, 0, size, 0, 0, draw)
    count = 1
    on_order = 0  # the index of the state of the given order
    for depth in range(size):
        parents = beam[depth]
        children = beam[depth + 1]
        cards = size - depth
        kept = 0
        worst = 1 << 62
        for at in range(count):
            left, waste = (parents[at] >> _LEFT) & _SET_MASK, (parents[at] >> _WASTE) & _MASK
            so_far = parents[at] & _TURNS_MASK
            rest = left
            here = 0
            if depth > 0:
                taken = (parents[at] >> _TAKEN) & _MASK
                here = free[depth - 1, (parents[at] >> _BEFORE) & _MASK] ^ (1 << taken)
                rest = left & waiting[taken]
            while rest != 0:
                card = rest & -rest
                rest ^= card
                if required[popcount(card - 1)] & left == 0:
                    here |= card
            free[depth, at] = here
            while here != 0:
                card = here & -here
                here ^= card
                under = popcount(left & (card - 1))
                turns = _turns_to(under + 1, cards, waste, draw)
                if turns == OUT_OF_REACH:
                    continue
                number = popcount(card - 1)
                child = _state(left ^ card, under, so_far + turns, cards - 1, number, at, draw)
                if child < worst:
                    kept = _keep(children, kept, width, child)
                    if kept == width:
                        worst = children[kept - 1]
        # The state of the given order is kept even if it was not good enough.
        parent = parents[on_order]
        left, waste = (parent >> _LEFT) & _SET_MASK, (parent >> _WASTE) & _MASK
        so_far = parent & _TURNS_MASK
        card = 1 << order[depth]
        under = popcount(left & (card - 1))
        so_far += _turns_to(under + 1, cards, waste, draw)
        child = _state(left ^ card, under, so_far, cards - 1, order[depth], on_order, draw)
        on_order = kept
        for at in range(kept):
            if _same(children[at], child):
                on_order = at
        if on_order == kept:
            children[kept] = child
            kept += 1
        count = kept

    best = beam[size, 0]
    for at in range(count):
        best = min(best, beam[size, at])
    turns = best & _TURNS_MASK
    if turns >= known:
        return known
    for depth in range(size, 0, -1):
        order[depth - 1] = (best >> _TAKEN) & _MASK
        best = beam[depth - 1, (best >> _BEFORE) & _MASK]
    return turns


@inlined_kernel
def _state(left, waste, turns, cards, taken, before, draw):
    """Pack a state into an integer; `cards` is the number of cards left."""
    promise = turns * draw + cards - waste
    return (
        promise << _PROMISE
        | before << _BEFORE
        | taken << _TAKEN
        | left << _LEFT
        | waste << _WASTE
        | turns
    )


@inlined_kernel
def _same(one, other):
    """Whether two states have the same cards left and in the waste."""
    return (one ^ other) & ((1 << _TAKEN) - (1 << _WASTE)) == 0


@inlined_kernel
def _keep(states, kept, width, state):
    """Insert a state into the sorted beam; returns the new number of states."""
    end = kept
    for at in range(kept):
        if _same(states[at], state):
            if states[at] <= state:
                return kept
            end = at  # a worse path to the same state: its slot becomes free
            break
    if end == kept:
        if kept < width:
            kept += 1
        else:
            end = width - 1
    while end > 0 and states[end - 1] > state:
        states[end] = states[end - 1]
        end -= 1
    states[end] = state
    return kept
