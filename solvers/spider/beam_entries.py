"""The entries of a beam's next positions, the best as a heap, and the table of positions met.

Kernels take any workspace with these arrays:

- worth: int64[width], of the entries, a heap with the minimum at its root.
- entries: int64[width, 3], parallel to worth, see PARENT.
- signatures, stamps: int64[2**k], the table, and when its positions were met.
"""

# Kernels carry no annotations; everything else here is typed.
# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs

from engine.kernels.decorators import search_kernel
from engine.kernels.rng import mix_bits
from solvers.spider.beam_value import LOW_BITS

# Columns of an entry: its parent, the move, and its slot in the table.
PARENT, MOVE, SLOT = range(3)


@search_kernel
def find(signature, beam, since):
    """Slot of a position, or a free one, whose stamp is below `since`; −1 if there is none."""
    mask = beam.stamps.shape[0] - 1
    slot = mix_bits((signature & LOW_BITS) ^ (signature >> 29 & LOW_BITS)) & mask
    for _ in range(64):
        if beam.stamps[slot] < since or beam.signatures[slot] == signature:
            return slot
        slot = (slot + 1) & mask
    return -1


@search_kernel
def was_held(stamp, since):
    """Whether a stamp of this search is that of a position that was in a beam.

    The start has the stamp `since`; after that, each level has one for positions that were about
    to enter the next beam, and then one for those that did.
    """
    return (stamp - since) & 1 == 0


@search_kernel
def put(beam, at, worth, parent, move, slot):
    """Write an entry to a slot of the heap."""
    beam.worth[at] = worth
    entry = beam.entries[at]
    entry[PARENT], entry[MOVE], entry[SLOT] = parent, move, slot


@search_kernel
def move_entry(beam, source, target):
    """Copy an entry to another slot of the heap."""
    beam.worth[target] = beam.worth[source]
    for part in range(3):
        beam.entries[target, part] = beam.entries[source, part]


@search_kernel
def sink(beam, worth, parent, move, slot, held):
    """Replace the root of a heap of a number of entries."""
    heap = beam.worth
    at = 0
    while True:
        below = 2 * at + 1
        if below >= held:
            break
        if below + 1 < held and heap[below + 1] < heap[below]:
            below += 1
        if heap[below] >= worth:
            break
        move_entry(beam, below, at)
        at = below
    put(beam, at, worth, parent, move, slot)


@search_kernel
def rise(beam, worth, parent, move, slot, held):
    """Add an entry to a heap of a number of entries."""
    at = held
    while at > 0 and beam.worth[(at - 1) >> 1] > worth:
        above = (at - 1) >> 1
        move_entry(beam, above, at)
        at = above
    put(beam, at, worth, parent, move, slot)
