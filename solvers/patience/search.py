"""Search of `patience-exact`: the best position first, then in depth, until nothing is left.

Every position that steps reach is entered in the transposition table and expanded once, in any
order, so that what ends without a win has none. What waits is an *entry*: a step not yet made, and
the *row* of the position that it leaves. As long as there is room entries wait in *buckets* by the
value of what they lead to; later those of the position expanded last come before any other, best
first, which needs no more rows than the path is long.

A win is read back from the rows: each has the step that led to it, and the row that this one left.
"""

# mypy: allow-untyped-defs, allow-untyped-calls

from engine.kernels.decorators import inlined_kernel, prefetch, search_kernel
from engine.kernels.filling import fill_part
from solvers.patience import plan as at
from solvers.patience.row import full_key, full_key_after, is_won, key_after, make, moves_of, settle
from solvers.patience.steps import add_steps
from solvers.patience.value import MOST_VALUE, MOVES, NOISE, change, forget, mark, see

WON, UNWINNABLE, NODES_SPENT, MEMORY_SPENT = range(4)
SMALLEST_TABLE = 1 << 12
# Of each row: its key as steps keep it, how many moves the steps to it take, the row that its step
# left, and the step.
KEY, BEFORE, FROM, STEP, NODE = range(5)
# Of each entry: row and step, and the entry that waits below it.
ROW_AND_STEP, NEXT, ENTRY = range(3)
# Where the search says how it ended: positions entered, the row from which it was won, the last
# step, and positions expanded.
ENTERED, LAST_ROW, LAST_STEP, EXPANDED, REPORT = range(5)
BUCKETS = MOST_VALUE + 1
_LOW_32 = (1 << 32) - 1


@search_kernel
def enter(table, size, key):
    """Enter a key in a table of `size` slots, table[size : 2 * size]; return whether it is new."""
    slot = key & (size - 1)
    while True:
        entry = table[size + slot]
        if entry == key:
            return False
        if entry == 0:
            table[size + slot] = key
            return True
        slot = (slot + 1) & (size - 1)


@search_kernel
def grow(table, size):
    """Enter the keys of a table in one of twice as many slots behind it."""
    fill_part(table, 2 * size, 4 * size, 0)
    for slot in range(size, 2 * size):
        if table[slot] != 0:
            enter(table, 2 * size, table[slot])


@search_kernel
def search(
    rows,
    words,
    changed,
    nodes,
    entries,
    table,
    heads,
    plan,
    steps,
    values,
    sight,
    line,
    guided,
    deeper,
    budget,
    report,
):
    """Search from the first row, which is settled and whose key is there.

    Args:
        rows: int8[n * plan[ROW]]; the first `guided` are of the search by value.
        words: int64[...], the same memory, by which rows are copied.
        changed: int32[n * plan[COLUMNS]], of `value.mark`, of each row.
        nodes: int64[n * NODE], of each row.
        entries: int64[m * ENTRY].
        table: int64[2 ** k].
        heads: int32[BUCKETS].
        plan: int64[PLAN].
        steps: int64[MOST_STEPS].
        values: int64[MOST_STEPS].
        sight: int64[SIGHT].
        line: int64[256].
        guided: positions to be expanded by value.
        deeper: whether the search then goes in depth, or ends.
        budget: positions to be entered at most.
        report: int64[REPORT].

    Returns:
        WON, UNWINNABLE, NODES_SPENT or MEMORY_SPENT.
    """
    stride, columns = plan[at.ROW], plan[at.COLUMNS]
    # Without the compiler rows are of words, too.
    row_words = stride * words.shape[0] // rows.shape[0]
    room, waiting = nodes.shape[0] // NODE, entries.shape[0] // ENTRY
    size, used = SMALLEST_TABLE, 1
    whole = plan[at.WHOLE_KEY] != 0
    fill_part(table, size, 2 * size, 0)
    fill_part(heads, 0, BUCKETS, -1)
    forget(plan, sight)
    fill_part(changed, 0, columns, 0)
    enter(table, size, full_key(rows, 0, plan, nodes[KEY]))
    nodes[BEFORE], nodes[FROM], nodes[STEP] = 0, -1, 0
    report[ENTERED], report[EXPANDED], report[LAST_ROW] = 1, 0, -1
    if is_won(rows, 0, plan):
        return WON
    # Entries that wait in depth, the newest first; those that are free again; the first never used.
    deep, spare, fresh, expanded, lowest = -1, -1, 0, 0, BUCKETS
    row, in_depth = 0, False
    while True:
        b, node = stride * row, NODE * row
        expanded += 1
        report[EXPANDED] = expanded
        count = add_steps(rows, b, plan, steps)
        if 2 * (used + count + 1) > size:
            if 4 * size > table.shape[0]:
                return MEMORY_SPENT
            grow(table, size)
            size *= 2
        if fresh + count > waiting:
            return MEMORY_SPENT
        value = (
            see(rows, b, plan, sight, changed, columns * row)
            + plan[at.WEIGHTS + MOVES] * nodes[node + BEFORE]
        )
        new = 0
        for number in range(count):
            key = full_key_after(rows, b, plan, steps[number], nodes[node + KEY])
            values[number] = key
            prefetch(table, size + (key & (size - 1)))
        for number in range(count):
            step, key = steps[number], values[number]
            if not whole:
                if not enter(table, size, key):
                    continue
                used += 1
                if used > budget:
                    report[ENTERED] = budget
                    return NODES_SPENT
            worth = value + change(rows, b, plan, step, sight)
            worth += plan[at.WEIGHTS + MOVES] * moves_of(plan, step)
            worth = min(max(worth + plan[at.WEIGHTS + NOISE] * (key >> 40 & 15), 0), MOST_VALUE)
            if in_depth:
                # Sorted, the best last.
                place = new
                while place > 0 and values[place - 1] < worth:
                    values[place], steps[place] = values[place - 1], steps[place - 1]
                    place -= 1
                values[place], steps[place] = worth, step
                new += 1
                continue
            entry, spare, fresh = _take(entries, spare, fresh)
            entries[ENTRY * entry + ROW_AND_STEP] = row << 32 | step
            entries[ENTRY * entry + NEXT] = heads[worth]
            heads[worth] = entry
            lowest = min(lowest, worth)
        for number in range(new):
            entry, spare, fresh = _take(entries, spare, fresh)
            entries[ENTRY * entry + ROW_AND_STEP] = row << 32 | steps[number]
            entries[ENTRY * entry + NEXT] = deep
            deep = entry
        report[ENTERED] = used
        in_depth = expanded >= guided
        if in_depth and not deeper:
            return NODES_SPENT
        while True:
            if deep >= 0:
                entry = deep
                deep = entries[ENTRY * entry + NEXT]
            else:
                while lowest < BUCKETS and heads[lowest] < 0:
                    lowest += 1
                if lowest == BUCKETS:
                    return UNWINNABLE
                entry = heads[lowest]
                heads[lowest] = entries[ENTRY * entry + NEXT]
            entries[ENTRY * entry + NEXT] = spare
            spare = entry
            before = entries[ENTRY * entry + ROW_AND_STEP] >> 32
            step = entries[ENTRY * entry + ROW_AND_STEP] & _LOW_32
            row = max(guided, before + 1) if in_depth else expanded
            if row == room:
                return MEMORY_SPENT
            b, node = stride * row, NODE * row
            for word in range(row_words):
                words[row_words * row + word] = words[row_words * before + word]
            key = key_after(rows, b, plan, step, nodes[NODE * before + KEY])
            make(rows, b, plan, step)
            key, settled = settle(rows, b, plan, key, line, 0)
            if settled > 0 or whole:
                if not enter(table, size, full_key(rows, b, plan, key)):
                    continue
                used += 1
                if used > budget:
                    report[ENTERED] = budget
                    return NODES_SPENT
            if is_won(rows, b, plan):
                report[ENTERED], report[LAST_ROW], report[LAST_STEP] = used, before, step
                return WON
            was, now = columns * before, columns * row
            mark(rows, stride * before, b, plan, changed, was, now, expanded)
            nodes[node + KEY] = key
            nodes[node + BEFORE] = nodes[NODE * before + BEFORE] + moves_of(plan, step)
            nodes[node + FROM], nodes[node + STEP] = before, step
            break


@inlined_kernel
def _take(entries, spare, fresh):
    """Take an entry that is free; return it, the next free one, and the first never used."""
    if spare >= 0:
        return spare, entries[ENTRY * spare + NEXT], fresh
    return fresh, spare, fresh + 1
