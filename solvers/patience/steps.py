"""Steps of `patience-exact` from a position: the moves that it tries.

What it leaves out of the legal moves, and why no win is lost, is proved in
`docs/search/patience.md`: all but the first of empty columns and cells [alike]; a whole
column to an empty one [alike]; turns of the stock without a play of the waste's card, which are
part of the step that plays it [turns]; what would go up again at once [safe].
"""

# mypy: allow-untyped-defs, allow-untyped-calls

from engine.kernels.decorators import inlined_kernel, search_kernel
from engine.patience.layout import CELL, FOUNDATION, RESERVE, STOCK, WASTE
from solvers.patience import plan as at
from solvers.patience.plan import DOWN, NONE
from solvers.patience.row import foundation_for, founded_card, is_safe, step_of

# More than any position has.
MOST_STEPS = 4096


@inlined_kernel
def add_steps(rows, b, plan, steps):
    """Write the steps from a settled position, and return their number.

    Args:
        rows: int8[...], of which the position begins at `b`.
        b: where.
        plan: int64[PLAN].
        steps: int64[MOST_STEPS].
    """
    columns, tops = plan[at.COLUMNS], b + plan[at.TOP]
    empty = -1
    empties = 0
    # The faces of the columns' last cards: most cards build on none of them.
    ends = 0
    for column in range(columns - 1, -1, -1):
        card = rows[tops + column] + 0
        if card == NONE:
            empty = column
            empties += 1
        else:
            ends |= 1 << (card - 52 if card >= 52 else card)
    cell = -1
    free = 0
    for other in range(plan[at.CELLS_COUNT] - 1, -1, -1):
        if rows[b + plan[at.CELLS] + other] == NONE:
            cell = CELL + other
            free += 1
    # Until no column is empty, only the waste's card goes to one [rule].
    open_table = empty < 0 or plan[at.SPACES] != at.RESERVE_WASTE
    n = 0
    if plan[at.RUNS]:
        n = _add_runs(rows, b, plan, steps, n)
    if open_table:
        for column in range(columns):
            if rows[tops + column] != NONE:
                n = _add_groups(rows, b, plan, column, ends, empty, free, empties, steps, n)
    for column in range(columns):
        card = rows[tops + column]
        if card != NONE:
            pile = foundation_for(rows, b, plan, card)
            if pile >= 0:
                steps[n] = step_of(column, FOUNDATION + pile, 1, 0)
                n += 1
            if cell >= 0:
                steps[n] = step_of(column, cell, 1, 0)
                n += 1
    for other in range(plan[at.CELLS_COUNT]):
        card = rows[b + plan[at.CELLS] + other]
        if card != NONE:
            n = _add_single(
                rows, b, plan, CELL + other, card, 0, ends, empty, -1, open_table, steps, n
            )
    if plan[at.STACKED]:
        left = rows[b + plan[at.COUNTS] + at.RESERVE_LEFT]
        if left > 0:
            card = rows[b + plan[at.RESERVE] + left - 1]
            n = _add_single(
                rows, b, plan, RESERVE, card, 0, ends, empty, cell, open_table, steps, n
            )
    else:
        for other in range(plan[at.RESERVE_COUNT]):
            card = rows[b + plan[at.RESERVE] + other]
            if card != NONE:
                n = _add_single(
                    rows, b, plan, RESERVE + other, card, 0, ends, empty, cell, open_table, steps, n
                )
    if plan[at.STOCK_TO] == at.TO_WASTE:
        n = _add_stock(rows, b, plan, ends, empty, cell, steps, n)
    elif plan[at.STOCK_TO] == at.TO_TABLEAU:
        counts = b + plan[at.COUNTS]
        if rows[counts + at.WASTE] < rows[counts + at.LEFT] and (empty < 0 or plan[at.ONTO_EMPTY]):
            steps[n] = step_of(STOCK, WASTE, 1, 0)
            n += 1
    if plan[at.REMOVABLE]:
        for pile in range(plan[at.SUITS]):
            height = rows[b + plan[at.HEIGHTS] + pile]
            if height > 0 and (plan[at.DECKS] == 2 or not is_safe(rows, b, plan, pile, height - 1)):
                card = founded_card(rows, b, plan, pile)
                n = _add_places(
                    rows,
                    b,
                    plan,
                    FOUNDATION + pile,
                    card,
                    0,
                    ends,
                    empty,
                    cell,
                    open_table,
                    steps,
                    n,
                )
    return n


@inlined_kernel
def may_fill(plan, card):
    """Whether a card may go to an empty column."""
    spaces = plan[at.SPACES]
    if spaces == at.KINGS and plan[at.RANK + card] != plan[at.MAX_RANK] - 1:
        return False
    return spaces != at.NO_SPACES and plan[at.BUILDING] != at.NO_BUILD


@search_kernel
def _add_places(rows, b, plan, source, card, turns, ends, empty, cell, open_table, steps, n):
    """Add the steps of a single card to columns and to a cell."""
    if cell >= 0:
        steps[n] = step_of(source, cell, 1, turns)
        n += 1
    if not open_table:
        return n
    if empty >= 0 and may_fill(plan, card):
        steps[n] = step_of(source, empty, 1, turns)
        n += 1
    if ends & plan[at.PARENT_SET + card] == 0 or plan[at.RANK + card] == plan[at.MAX_RANK] - 1:
        return n
    for k in range(8):
        parent = plan[at.PARENTS + 8 * card + k]
        if parent < 0:
            break
        column = rows[b + plan[at.COLUMN] + parent]
        if column >= 0 and rows[b + plan[at.TOP] + column] == parent:
            steps[n] = step_of(source, column, 1, turns)
            n += 1
    return n


@inlined_kernel
def _add_single(rows, b, plan, source, card, turns, ends, empty, cell, open_table, steps, n):
    """Add the steps of a single card, to a foundation last."""
    n = _add_places(rows, b, plan, source, card, turns, ends, empty, cell, open_table, steps, n)
    pile = foundation_for(rows, b, plan, card)
    if pile >= 0:
        steps[n] = step_of(source, FOUNDATION + pile, 1, turns)
        n += 1
    return n


@inlined_kernel
def _add_groups(rows, b, plan, source, ends, empty, free, empties, steps, n):
    """Add the steps from a column to others."""
    groups = plan[at.GROUPS]
    card = rows[b + plan[at.TOP] + source]
    cards = 1
    # How many cards cells and empty columns let pass one by one, where no group moves.
    most = 1
    if groups == at.SINGLE:
        if plan[at.SUPERMOVES]:
            most = (free + 1) * (empties + 1 if plan[at.SPACES] == at.ANY else 1)
    elif groups >= at.WHOLE_PILE and groups != at.ANY_ORDER:
        while _continues(rows, b, plan, card, plan[at.GROUP_BUILDING]):
            card = rows[b + card]
            cards += 1
        if groups == at.WHOLE_PILE and rows[b + card] != NONE:
            return n
        most = cards
    else:
        most = 128
    while True:
        under = rows[b + card]
        onto, onto_set = at.PARENTS, at.PARENT_SET
        if cards > 1 and plan[at.ONTO_GROUP]:
            onto, onto_set = at.GROUP_PARENTS, at.GROUP_PARENT_SET
        if ends & plan[onto_set + card] != 0 and plan[at.RANK + card] != plan[at.MAX_RANK] - 1:
            for k in range(8):
                parent = plan[onto + 8 * card + k]
                if parent < 0:
                    break
                column = rows[b + plan[at.COLUMN] + parent]
                if column >= 0 and column != source and rows[b + plan[at.TOP] + column] == parent:
                    steps[n] = step_of(source, column, cards, 0)
                    n += 1
        if empty >= 0 and may_fill(plan, card) and _changes(rows, b, plan, under):
            fits = groups != at.SINGLE or cards == 1
            if not fits:
                # One of the empty columns is the target.
                fits = cards <= (free + 1) * (empties if plan[at.SPACES] == at.ANY else 1)
            if fits:
                steps[n] = step_of(source, empty, cards, 0)
                n += 1
        if cards >= most or under == NONE:
            return n
        if groups == at.ANY_ORDER:
            if rows[b + plan[at.COLUMN] + under] == DOWN:
                return n
        elif not _continues(
            rows, b, plan, card, plan[at.GROUP_BUILDING if groups != at.SINGLE else at.BUILDING]
        ):
            return n
        card = under
        cards += 1


@inlined_kernel
def _changes(rows, b, plan, under):
    """Whether it matters that a column's bottom card goes to an empty one: if rows are dealt."""
    if under != NONE:
        return True
    counts = b + plan[at.COUNTS]
    return plan[at.STOCK_TO] == at.TO_TABLEAU and rows[counts + at.WASTE] < rows[counts + at.LEFT]


@inlined_kernel
def _continues(rows, b, plan, card, building):
    """Whether a card lies in order on a card that is face up."""
    under = rows[b + card]
    if under == NONE or rows[b + plan[at.COLUMN] + under] == DOWN:
        return False
    return in_order(plan, card, under, building)


@inlined_kernel
def in_order(plan, card, under, building):
    """Whether a card builds on another by a policy."""
    if plan[at.RANK + under] != plan[at.RANK + card] + 1 or building == at.NO_BUILD:
        return False
    differ = card ^ under
    if building == at.RED_BLACK:
        return differ & 1 != 0
    return building == at.ANY_SUIT or differ & 3 == 0


@search_kernel
def _add_runs(rows, b, plan, steps, n):
    """Add the runs of a suit from the base on, at the end of columns, that may go up."""
    for column in range(plan[at.COLUMNS]):
        card = rows[b + plan[at.TOP] + column]
        if card == NONE or plan[at.RANK + card] != 0:
            continue
        pile = card & 3
        if rows[b + plan[at.HEIGHTS] + pile] != 0:
            pile += 4
        cards = 1
        while _continues(rows, b, plan, card, at.SAME_SUIT):
            card = rows[b + card]
            cards += 1
        if cards == plan[at.MAX_RANK]:
            steps[n] = step_of(column, FOUNDATION + pile, cards, 0)
            n += 1
    return n


@search_kernel
def _add_stock(rows, b, plan, ends, empty, cell, steps, n):
    """Add the steps of cards of waste and stock, each with the turns that show it."""
    counts = b + plan[at.COUNTS]
    left, waste = rows[counts + at.LEFT], rows[counts + at.WASTE]
    draw, stock = plan[at.DEAL_COUNT], b + plan[at.STOCK]
    may_turn_over = rows[counts + at.REDEALS_LEFT] > 0
    if left == 0:
        return n
    shown, turns = waste + 0, 0
    if waste > 0:
        card = rows[stock + waste - 1]
        n = _add_single(rows, b, plan, WASTE, card, 0, ends, empty, cell, True, steps, n)
    if not plan[at.JUMPS]:
        if waste < left or may_turn_over:
            steps[n] = step_of(STOCK, WASTE, 1, 0)
            n += 1
        return n
    while shown < left:
        shown = min(shown + draw, left)
        turns += 1
        card = rows[stock + shown - 1]
        n = _add_single(rows, b, plan, WASTE, card, turns, ends, empty, cell, True, steps, n)
    if waste == 0 or not may_turn_over:
        return n
    turns += 1
    shown = 0
    while shown < left:
        shown = min(shown + draw, left)
        turns += 1
        # Shown before, with one redeal more left.
        if shown == left or (shown >= waste and (shown - waste) % draw == 0):
            continue
        card = rows[stock + shown - 1]
        n = _add_single(rows, b, plan, WASTE, card, turns, ends, empty, cell, True, steps, n)
    return n
