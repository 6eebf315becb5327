"""Relaxation of Gaps: what could happen if no place were ever taken."""

# mypy: allow-untyped-defs, allow-untyped-calls

from engine.kernels.decorators import search_kernel


@search_kernel
def freedom(where, gaps, starts, ranks):
    """The places that can become free if no place is ever taken, counted; -1 of a dead position
    [relaxed].
    """
    firsts = 1 | 1 << ranks | 1 << 2 * ranks | 1 << 3 * ranks
    free = 1 << gaps[0] | 1 << gaps[1] | 1 << gaps[2] | 1 << gaps[3]
    while True:
        before = free
        is_alive = True
        count = 0
        for suit in range(4):
            own = 1 << where[4 + suit]
            places = own | starts[suit] & free
            if places != own:
                free |= own
            # A two that was dealt at the start of another suit's row may win there.
            rows = places & firsts
            for rank in range(2, ranks):
                own = 1 << where[4 * rank + suit]
                places = own | places << 1 & free & ~firsts
                if places != own:
                    free |= own
                    count += 1
                rows &= places >> rank - 1
            if rows == 0:
                is_alive = False
        if free == before:
            return count if is_alive else -1
