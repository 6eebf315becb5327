"""Rows of `patience-exact`: positions in which steps are made, forced and safe moves, keys.

A position is bytes of `rows` from `b` on, as `solvers.patience.plan` describes them. A *step* is
a move, or some turns of the stock and a move: source | target << 8 | cards << 16 | turns << 24,
with the codes of `engine.patience.layout`.

The *key* of a position is a number of 62 bits: the sum over its cards of a random number for the
card and what it lies on, so that neither columns nor cells have an order. A step changes it by the
few cards that lie on something else then. Of two decks, and where the stock goes to the columns, it
is computed as a whole: there the numbers of a column are linked from its bottom on, since of twins
it must matter what lies below what they lie on; and columns have an order as long as rows are
dealt. `docs/search/patience.md` has the odds that two positions share a key.
"""

# mypy: allow-untyped-defs, allow-untyped-calls

from engine.kernels.decorators import inlined_kernel, search_kernel
from engine.patience.layout import CELL, FOUNDATION, RESERVE, STOCK, WASTE
from solvers.patience import plan as at
from solvers.patience.plan import DOWN, ENDLESS, NONE, UP

_LOW_31 = (1 << 31) - 1
_LOW_62 = (1 << 62) - 1
_FACTOR_LOW, _FACTOR_HIGH = 0x5851F42D, 0x4C957F2D


@inlined_kernel
def step_of(source, target, cards, turns):
    """The step of these."""
    return source | target << 8 | cards << 16 | turns << 24


@inlined_kernel
def moves_of(plan, step):
    """How many moves a step takes: turns, and those of a group's cards where each moves alone.

    These pass by places of their own, all but one.
    """
    target, cards = step >> 8 & 255, step >> 16 & 255
    if cards > 1 and target < CELL and plan[at.GROUPS] == at.SINGLE:
        return 2 * cards - 1
    return 1 + (step >> 24)


@inlined_kernel
def _mixed(x):
    """A hash of 62 bits of a number of 62 bits; products of 31 bits never reach the sign."""
    x = ((x & _LOW_31) * _FACTOR_LOW) ^ ((x >> 31) * _FACTOR_HIGH)
    return x ^ x >> 29


@inlined_kernel
def pair_key(plan, card, place):
    """The number of a card face up on a card, or in another place."""
    return _mixed(plan[at.KEY + card] ^ plan[at.PLACE_KEY + place])


@inlined_kernel
def _under_key(plan, card, under):
    """`pair_key` of a card in a column."""
    return pair_key(plan, card, under if under != NONE else at.FLOOR_PLACE)


@inlined_kernel
def _hidden_key(plan, card, under):
    """The number of a card face down."""
    place = under if under != NONE else at.FLOOR_PLACE
    return _mixed(plan[at.KEY_DOWN + card] ^ plan[at.PLACE_KEY + place])


@inlined_kernel
def _stock_key(plan, left, waste, redeals):
    """The number of how stock and waste are divided.

    With as many redeals as cards left or more they never end: a card is taken between two. Then an
    empty waste, a full one and one of whole draws show the same cards from turn to turn, and are
    one position, unless a column could be filled from the waste by force.
    """
    if redeals >= left:
        redeals = 101
        if plan[at.JUMPS] and (waste == left or waste % plan[at.DEAL_COUNT] == 0):
            waste = 0
    return _mixed(
        plan[at.PLACE_KEY + at.WASTE_PLACE + waste] ^ plan[at.PLACE_KEY + at.REDEAL_PLACE + redeals]
    )


@search_kernel
def whole_key(rows, b, plan):
    """The key of a position, computed from all its cards."""
    key = 0
    linked = plan[at.WHOLE_KEY] != 0
    stock = rows[b + plan[at.COUNTS] + at.LEFT]
    ordered = plan[at.STOCK_TO] == at.TO_TABLEAU and rows[b + plan[at.COUNTS] + at.WASTE] < stock
    for column in range(plan[at.COLUMNS]):
        card = rows[b + plan[at.TOP] + column]
        if linked:
            # From the end on: two columns are as different as the links of them.
            link = plan[at.PLACE_KEY + at.FLOOR_PLACE + (1 + column if ordered else 0)]
            if card == NONE:
                continue
            while card != NONE:
                shown = at.KEY_DOWN if rows[b + plan[at.COLUMN] + card] == DOWN else at.KEY
                link = _mixed(link ^ plan[shown + card])
                card = rows[b + card]
            key = (key + _mixed(link ^ plan[at.PLACE_KEY + at.FLOOR_PLACE])) & _LOW_62
        else:
            while card != NONE:
                under = rows[b + card]
                if rows[b + plan[at.COLUMN] + card] == DOWN:
                    key = (key + _hidden_key(plan, card, under)) & _LOW_62
                else:
                    key = (key + _under_key(plan, card, under)) & _LOW_62
                card = under
    for cell in range(plan[at.CELLS_COUNT]):
        card = rows[b + plan[at.CELLS] + cell]
        if card != NONE:
            key = (key + pair_key(plan, card, at.CELL_PLACE)) & _LOW_62
    piles = plan[at.RESERVE_COUNT]
    if plan[at.STACKED]:
        piles = rows[b + plan[at.COUNTS] + at.RESERVE_LEFT]
    for pile in range(piles):
        card = rows[b + plan[at.RESERVE] + pile]
        if card != NONE:
            key = (key + pair_key(plan, card, at.RESERVE_PLACE)) & _LOW_62
    first = rows[b + plan[at.COUNTS] + at.WASTE] if plan[at.STOCK_TO] == at.TO_TABLEAU else 0
    for place in range(first, stock):
        card = rows[b + plan[at.STOCK] + place]
        key = (key + pair_key(plan, card, at.STOCK_PLACE)) & _LOW_62
    return key


@inlined_kernel
def full_key(rows, b, plan, key):
    """The key of a position in the table: what steps keep of it, and how the stock lies."""
    if plan[at.WHOLE_KEY]:
        key = whole_key(rows, b, plan)
    if plan[at.STOCK_TO] == at.TO_WASTE:
        left, waste, redeals = stock_after(rows, b, plan, 0)
        key = (key + _stock_key(plan, left, waste, redeals)) & _LOW_62
    # 0 marks a free entry of the table.
    return key if key != 0 else 1


@inlined_kernel
def stock_after(rows, b, plan, turns):
    """Cards left in waste and stock, those of the waste, and redeals left after some turns."""
    counts = b + plan[at.COUNTS]
    left, waste = rows[counts + at.LEFT] + 0, rows[counts + at.WASTE] + 0
    redeals = rows[counts + at.REDEALS_LEFT] + 0
    for _ in range(turns):
        if waste == left:
            waste = 0
            if redeals != ENDLESS:
                redeals -= 1
        else:
            waste = min(left, waste + plan[at.DEAL_COUNT])
    return left, waste, redeals


@search_kernel
def key_after(rows, b, plan, step, key):
    """The key that steps keep of the position after a step."""
    source, target, cards = step & 255, step >> 8 & 255, step >> 16 & 255
    if source == STOCK and target == WASTE:
        return key
    card = moved_card(rows, b, plan, step)
    if source < CELL:
        under = rows[b + card]
        key = (key - _under_key(plan, card, under)) & _LOW_62
        if under != NONE and rows[b + plan[at.COLUMN] + under] == DOWN:
            below = rows[b + under]
            key = (key - _hidden_key(plan, under, below)) & _LOW_62
            key = (key + _under_key(plan, under, below)) & _LOW_62
    elif source < RESERVE:
        key = (key - pair_key(plan, card, at.CELL_PLACE)) & _LOW_62
    elif source < STOCK:
        key = (key - pair_key(plan, card, at.RESERVE_PLACE)) & _LOW_62
    elif source < FOUNDATION:
        key = (key - pair_key(plan, card, at.STOCK_PLACE)) & _LOW_62
    if target < CELL:
        return (key + _under_key(plan, card, rows[b + plan[at.TOP] + target])) & _LOW_62
    if target < RESERVE:
        return (key + pair_key(plan, card, at.CELL_PLACE)) & _LOW_62
    if cards > 1:
        # What the cards of a run lie on counts nothing on a foundation.
        last = rows[b + plan[at.TOP] + source]
        while last != card:
            under = rows[b + last]
            key = (key - _under_key(plan, last, under)) & _LOW_62
            last = under
    return key


@inlined_kernel
def full_key_after(rows, b, plan, step, key):
    """`full_key` of the position after a step, by `key_after`; not of two decks or dealt rows."""
    key = key_after(rows, b, plan, step, key)
    if plan[at.STOCK_TO] == at.TO_WASTE:
        source = step & 255
        turns = step >> 24
        if source == STOCK and step >> 8 & 255 == WASTE:
            turns = 1
        left, waste, redeals = stock_after(rows, b, plan, turns)
        if source == WASTE:
            left -= 1
            waste -= 1
        elif source == STOCK and turns == 0:
            left -= 1
        key = (key + _stock_key(plan, left, waste, redeals)) & _LOW_62
    return key if key != 0 else 1


@inlined_kernel
def moved_card(rows, b, plan, step):
    """The card of a step, the lowest of several."""
    source, cards = step & 255, step >> 16 & 255
    if source < CELL:
        card = rows[b + plan[at.TOP] + source]
        for _ in range(cards - 1):
            card = rows[b + card]
        return card + 0
    if source < RESERVE:
        return rows[b + plan[at.CELLS] + source - CELL] + 0
    if source < STOCK:
        pile = source - RESERVE
        if plan[at.STACKED]:
            pile = rows[b + plan[at.COUNTS] + at.RESERVE_LEFT] - 1
        return rows[b + plan[at.RESERVE] + pile] + 0
    if source < FOUNDATION:
        _, waste, _ = stock_after(rows, b, plan, step >> 24)
        # Forced from the stock, its next card goes.
        return rows[b + plan[at.STOCK] + (waste - 1 if source == WASTE else waste)] + 0
    return founded_card(rows, b, plan, source - FOUNDATION)


@inlined_kernel
def is_won(rows, b, plan):
    """Whether all cards lie on foundations."""
    heights = b + plan[at.HEIGHTS]
    missing = 0
    for pile in range(plan[at.SUITS]):
        missing += plan[at.MAX_RANK] - rows[heights + pile]
    return missing == 0


@inlined_kernel
def foundation_for(rows, b, plan, card):
    """The first foundation that takes a card, or -1."""
    if plan[at.RUNS]:
        return -1
    heights = b + plan[at.HEIGHTS]
    rank = plan[at.RANK + card]
    suit = card & 3
    if rows[heights + suit] == rank:
        return suit
    if plan[at.DECKS] == 2 and rows[heights + 4 + suit] == rank:
        return 4 + suit
    return -1


@inlined_kernel
def founded_card(rows, b, plan, pile):
    """The last card of a foundation that is not empty."""
    height = rows[b + plan[at.HEIGHTS] + pile]
    card = ((height - 1 + plan[at.BASE]) % plan[at.MAX_RANK]) * 4 + (pile & 3)
    # Of twins, the one that went there.
    if plan[at.DECKS] == 2 and rows[b + card] != UP + pile:
        card += 52
    return card


@inlined_kernel
def deal_row(rows, b, plan):
    """Deal the next card of the stock onto each column, as long as there are some."""
    counts = b + plan[at.COUNTS]
    for column in range(plan[at.COLUMNS]):
        place = rows[counts + at.WASTE]
        if place == rows[counts + at.LEFT]:
            break
        card = rows[b + plan[at.STOCK] + place]
        rows[counts + at.WASTE] += 1
        rows[b + card] = rows[b + plan[at.TOP] + column]
        rows[b + plan[at.TOP] + column] = card
        rows[b + plan[at.COLUMN] + card] = column


@inlined_kernel
def make(rows, b, plan, step):
    """Make a step, which must be legal."""
    source, target, cards = step & 255, step >> 8 & 255, step >> 16 & 255
    counts = b + plan[at.COUNTS]
    if source == STOCK and target == WASTE:
        if plan[at.STOCK_TO] == at.TO_TABLEAU:
            deal_row(rows, b, plan)
        else:
            _, waste, redeals = stock_after(rows, b, plan, 1)
            rows[counts + at.WASTE], rows[counts + at.REDEALS_LEFT] = waste, redeals
        return
    card = moved_card(rows, b, plan, step)
    last = card
    if source < CELL:
        last = rows[b + plan[at.TOP] + source] + 0
        under = rows[b + card]
        rows[b + plan[at.TOP] + source] = under
        if under != NONE:
            # If it lay face down, it is turned up.
            rows[b + plan[at.COLUMN] + under] = source
    elif source < RESERVE:
        rows[b + plan[at.CELLS] + source - CELL] = NONE
    elif source < STOCK:
        pile = source - RESERVE
        if plan[at.STACKED]:
            rows[counts + at.RESERVE_LEFT] -= 1
            pile = rows[counts + at.RESERVE_LEFT] + 0
        rows[b + plan[at.RESERVE] + pile] = NONE
    elif source < FOUNDATION:
        left, waste, redeals = stock_after(rows, b, plan, step >> 24)
        place = waste
        if source == WASTE:
            place = waste = waste - 1
        stock = b + plan[at.STOCK]
        for other in range(place, left - 1):
            rows[stock + other] = rows[stock + other + 1]
        rows[counts + at.LEFT] = left - 1
        rows[counts + at.WASTE], rows[counts + at.REDEALS_LEFT] = waste, redeals
    else:
        rows[b + plan[at.HEIGHTS] + source - FOUNDATION] -= 1
    if target < CELL:
        rows[b + card] = rows[b + plan[at.TOP] + target]
        rows[b + plan[at.TOP] + target] = last
        rows[b + plan[at.COLUMN] + last] = target
    elif target < RESERVE:
        rows[b + plan[at.CELLS] + target - CELL] = card
        rows[b + card] = NONE  # no longer on a foundation, so that it is not taken for its twin
    else:
        pile = target - FOUNDATION
        rows[b + plan[at.HEIGHTS] + pile] += cards
        while last != card:
            under = rows[b + last] + 0
            rows[b + last] = UP + pile
            last = under
        rows[b + card] = UP + pile


@inlined_kernel
def _empty_column(rows, b, plan):
    """The leftmost empty column, or -1."""
    top = b + plan[at.TOP]
    for column in range(plan[at.COLUMNS]):
        if rows[top + column] == NONE:
            return column
    return -1


@inlined_kernel
def forced_step(rows, b, plan):
    """The one legal move where the rules force one, or -1."""
    spaces = plan[at.SPACES]
    if spaces < at.RESERVE_ANY:
        return -1
    column = _empty_column(rows, b, plan)
    if column < 0:
        return -1
    counts = b + plan[at.COUNTS]
    if spaces == at.WASTE_STOCK:
        if rows[counts + at.WASTE] > 0:
            return step_of(WASTE, column, 1, 0)
        if rows[counts + at.LEFT] > 0:
            return step_of(STOCK, column, 1, 0)
    elif rows[counts + at.RESERVE_LEFT] > 0:
        return step_of(RESERVE, column, 1, 0)
    return -1


@inlined_kernel
def is_safe(rows, b, plan, suit, rank):
    """Whether a card, which its foundation takes next, is not needed in a column any more.

    `rank` counts from the base, which is 0.
    """
    rule = plan[at.SAFE] & 3
    if rule == at.NEVER:
        return False
    building = plan[at.BUILDING]
    if building >= at.SAME_SUIT:
        return True
    heights = b + plan[at.HEIGHTS]
    # The lowest foundation of suits of cards that go on it, and that of its own colour.
    others = min(rows[heights + (suit + 1 & 3)], rows[heights + (suit + 3 & 3)])
    own = rows[heights + (suit ^ 2)]
    if building == at.ANY_SUIT:
        others = min(others, own)
        own = rank
    if others >= rank and not plan[at.REMOVABLE]:
        return True
    return rule == at.LOOSE and others >= rank - 1 and own >= rank - 2


@search_kernel
def safe_step(rows, b, plan):
    """A step to a foundation that loses nothing, or -1."""
    if plan[at.SAFE] == at.NEVER:
        return -1
    covered = plan[at.SAFE] & at.COVERED != 0
    heights, counts, tops = b + plan[at.HEIGHTS], b + plan[at.COUNTS], b + plan[at.TOP]
    for suit in range(4):
        rank = rows[heights + suit]
        if rank == plan[at.MAX_RANK] or not is_safe(rows, b, plan, suit, rank):
            continue
        card = ((rank + plan[at.BASE]) % plan[at.MAX_RANK]) * 4 + suit
        target = FOUNDATION + suit
        column = rows[b + plan[at.COLUMN] + card]
        if column >= 0 and rows[tops + column] == card:
            if not covered or rows[b + card] != NONE:
                return step_of(column, target, 1, 0)
            continue
        for cell in range(plan[at.CELLS_COUNT]):
            if rows[b + plan[at.CELLS] + cell] == card:
                return step_of(CELL + cell, target, 1, 0)
        if covered:
            continue
        reserve = b + plan[at.RESERVE]
        if plan[at.STACKED]:
            left = rows[counts + at.RESERVE_LEFT]
            if left > 0 and rows[reserve + left - 1] == card:
                return step_of(RESERVE, target, 1, 0)
        else:
            for pile in range(plan[at.RESERVE_COUNT]):
                if rows[reserve + pile] == card:
                    return step_of(RESERVE + pile, target, 1, 0)
        if plan[at.STOCK_TO] == at.TO_WASTE and plan[at.DEAL_COUNT] == 1:
            waste, left = rows[counts + at.WASTE], rows[counts + at.LEFT]
            stock = b + plan[at.STOCK]
            if waste > 0 and rows[stock + waste - 1] == card:
                return step_of(WASTE, target, 1, 0)
            if plan[at.JUMPS] and rows[counts + at.REDEALS_LEFT] == ENDLESS:
                for place in range(left):
                    if rows[stock + place] == card:
                        return step_of(WASTE, target, 1, _turns_to(place, waste, left))
    return -1


@search_kernel
def _takes_its_next(rows, b, plan, card):
    """The column that ends with the next card of the suit, if the rule has it go there, or -1."""
    rank = plan[at.RANK + card]
    if rank == plan[at.MAX_RANK] - 1:
        return -1
    parent = plan[at.PARENTS + 8 * card]
    column = rows[b + plan[at.COLUMN] + parent]
    if column < 0 or rows[b + plan[at.TOP] + column] != parent:
        return -1
    if plan[at.BUILD] == at.KING_BUILDS:
        while plan[at.RANK + parent] != plan[at.MAX_RANK] - 1:
            under = rows[b + parent]
            if under != plan[at.PARENTS + 8 * parent]:
                return -1
            parent = under
        if rows[b + parent] != NONE:
            return -1
    return column + 0


@search_kernel
def build_step(rows, b, plan):
    """A step onto the next card of the suit that loses nothing, or -1."""
    for column in range(plan[at.COLUMNS]):
        card = rows[b + plan[at.TOP] + column]
        if card == NONE:
            continue
        cards = 1
        while plan[at.RANK + card] != plan[at.MAX_RANK] - 1:
            under = rows[b + card]
            if (
                plan[at.BUILD] != at.ALL_BUILDS
                or under != plan[at.PARENTS + 8 * card]
                or rows[b + plan[at.COLUMN] + under] == DOWN
            ):
                break
            card = under
            cards += 1
        target = _takes_its_next(rows, b, plan, card)
        if target >= 0 and rows[b + card] != plan[at.PARENTS + 8 * card]:
            return step_of(column, target, cards, 0)
    counts, stock = b + plan[at.COUNTS], b + plan[at.STOCK]
    if plan[at.STOCK_TO] == at.TO_WASTE and plan[at.DEAL_COUNT] == 1:
        waste, left = rows[counts + at.WASTE], rows[counts + at.LEFT]
        first, after = max(waste - 1, 0), waste + 0
        if plan[at.JUMPS] and rows[counts + at.REDEALS_LEFT] == ENDLESS:
            first, after = 0, left + 0
        for place in range(first, after):
            target = _takes_its_next(rows, b, plan, rows[stock + place])
            if target >= 0:
                return step_of(WASTE, target, 1, _turns_to(place, waste, left))
    return -1


@inlined_kernel
def _turns_to(place, waste, left):
    """Turns of one card each that show the card at a place of waste and stock."""
    if place >= waste - 1:
        return place + 1 - waste
    return left - waste + place + 2


@inlined_kernel
def settle(rows, b, plan, key, line, length):
    """Make the moves that are forced, and those that lose nothing, as long as there are some.

    They are written to the line from `length` on.

    Returns:
        The key, and the length of the line.
    """
    while True:
        step = forced_step(rows, b, plan)
        if step < 0:
            step = safe_step(rows, b, plan)
            if step < 0 and plan[at.BUILD] != at.NO_BUILDS:
                step = build_step(rows, b, plan)
            if step < 0:
                return key, length
        key = key_after(rows, b, plan, step, key)
        make(rows, b, plan, step)
        line[length] = step
        length += 1
