"""Transposition table of the games without foundations: exact keys, open addressing.

A key is one or several words, the first of them above 0, which marks a free entry. The games with a
hole and of one row have no cycles, since each move takes a card away for good: there a position is
entered only when all its moves were searched in vain, so that a search may be broken off at any
time. In Gaps positions are entered at once, and those on the path are forgotten when the search is
broken off (`forget`).

Here are also the scalars and the status that these searches have in common.
"""

# mypy: allow-untyped-defs, allow-untyped-calls

from engine.kernels.decorators import inlined_kernel, search_kernel

SMALLEST_TABLE = 1 << 12
# How an attempt ended: RESTART when its nodes are spent, FULL when the table has no room.
WON, DEAD, RESTART, FULL = range(4)
# Scalars: positions entered, entries of the table, length of the win, state of the random numbers
# that vary the order of moves, 0 in the first attempt; then those of each search.
NODES, HELD, DEPTH, SEED, OWN = range(5)
_LOW_31 = (1 << 31) - 1
_LOW_32 = (1 << 32) - 1
_LOW_63 = (1 << 63) - 1


@inlined_kernel
def _hash(key):
    """A hash of 62 bits of a key from 1 to 2⁶³ - 1; products of 31 bits never reach the sign."""
    mixed = (key & _LOW_32) * 0x58_51_F4_2D ^ (key >> 32) * 0x4C_95_7F_2D
    mixed ^= mixed >> 29
    mixed = (mixed & _LOW_31) * 0x62_98_5B_C5 ^ mixed >> 31
    return mixed ^ mixed >> 27


@inlined_kernel
def probe(table, key):
    """Whether a key, never 0, is in a table int64[2ⁿ] that has a free slot."""
    last = table.shape[0] - 1
    slot = _hash(key) & last
    while table[slot] != 0:
        if table[slot] == key:
            return True
        slot = slot + 1 & last
    return False


@search_kernel
def save(table, key):
    """Enter a key that the table has not."""
    last = table.shape[0] - 1
    slot = _hash(key) & last
    while table[slot] != 0:
        slot = slot + 1 & last
    table[slot] = key


@inlined_kernel
def _hash_words(key):
    """A hash of 62 bits of a key of several words."""
    mixed = 0
    for word in range(key.shape[0]):
        mixed = _hash((mixed ^ key[word]) & _LOW_63)
    return mixed


@inlined_kernel
def probe_words(table, key):
    """Whether a key int64[words], the first word above 0, is in a table int64[2ⁿ · words]."""
    words = key.shape[0]
    last = table.shape[0] // words - 1
    slot = _hash_words(key) & last
    while table[slot * words] != 0:
        word = 0
        while word < words and table[slot * words + word] == key[word]:
            word += 1
        if word == words:
            return True
        slot = slot + 1 & last
    return False


@search_kernel
def save_words(table, key):
    """Enter a key of several words that the table has not."""
    words = key.shape[0]
    last = table.shape[0] // words - 1
    slot = _hash_words(key) & last
    while table[slot * words] != 0:
        slot = slot + 1 & last
    for word in range(words):
        table[slot * words + word] = key[word]


@search_kernel
def save_all(table, keys, words):
    """Enter all keys of another table."""
    for first in range(0, keys.shape[0], words):
        if keys[first] != 0:
            save_words(table, keys[first : first + words])


@search_kernel
def forget(table, key):
    """Take a key out; entries behind move up unless they stand at or after their first slot."""
    words = key.shape[0]
    last = table.shape[0] // words - 1
    slot = _hash_words(key) & last
    while True:
        word = 0
        while word < words and table[slot * words + word] == key[word]:
            word += 1
        if word == words:
            break
        slot = slot + 1 & last
    gap = slot
    while True:
        slot = slot + 1 & last
        if table[slot * words] == 0:
            break
        first = _hash_words(table[slot * words : slot * words + words]) & last
        if (slot - first & last) >= (slot - gap & last):
            for word in range(words):
                table[gap * words + word] = table[slot * words + word]
            gap = slot
    table[gap * words] = 0


@inlined_kernel
def random_bits(state):
    """The next 32 bits of a xorshift generator (Marsaglia 2003); never 0."""
    bits = state[SEED]
    bits ^= bits << 13 & _LOW_32
    bits ^= bits >> 17
    bits ^= bits << 5 & _LOW_32
    state[SEED] = bits
    return bits


@inlined_kernel
def sort_in(moves, scores, first, place, move, score):
    """Insert a move behind those from `first` to `place` by its score: the last is tried first."""
    while place > first and scores[place - 1] > score:
        moves[place], scores[place] = moves[place - 1], scores[place - 1]
        place -= 1
    moves[place], scores[place] = move, score
