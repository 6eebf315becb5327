"""Check that a hand of Spider cannot be won, by a search that shares no code with `spider-exact`.

    python benchmarks/spider_proof.py DEAL [--rules spider-4] [--mib 3000] [--beyond-dead-ends]

Every position that legal moves reach is visited, each once, in no order of worth: the rules, the
moves and the dead-end test of `docs/search/spider.md` are written here a second time, and positions
are told apart by 128 bits of all their cards in their places. It prints how many positions there
are by rows dealt, and how many of them are dead ends, from which it does not go on unless asked to.
"""

# Kernels carry no annotations; everything else here is typed.
# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs

import argparse
import sys
from collections.abc import Sequence
from enum import StrEnum
from typing import NamedTuple

import numba
import numpy as np
from numpy.typing import NDArray

from engine.dealing.dealers import deal_by_id
from engine.games import game_of
from engine.rulesets import parse_ruleset
from engine.spider.deal import SpiderDeal
from engine.spider.referee import SpiderPosition
from engine.spider.rules import SpiderRules

# A position is a row of bytes: rows dealt, runs completed, then of each column the number of its
# cards and of its face-down ones, then the cards, column by column.
_DEALT, _DONE, _SIZES, _DOWNS, _CARDS = 0, 1, 2, 12, 22
LENGTH = 128
_COLUMNS, _RANKS, _RUNS = 10, 13, 8


class Ending(StrEnum):
    """What a search comes to."""

    WON = "won"
    UNWINNABLE = "unwinnable"
    NO_ROOM = "no room"
    TOO_MANY = "too many"


class Found(NamedTuple):
    """The result of a search.

    positions: int64[6], positions by rows dealt.
    dead: int64[6], of them dead ends.
    """

    ending: Ending
    positions: NDArray[np.int64]
    dead: NDArray[np.int64]


def packed(position: SpiderPosition) -> NDArray[np.uint8]:
    """A position as bytes."""
    row = np.zeros(LENGTH, dtype=np.uint8)
    row[_DEALT], row[_DONE] = 5 - len(position.stock), sum(position.completed)
    columns = [(*down, *up) for down, up in zip(position.down, position.up, strict=True)]
    row[_SIZES:_DOWNS] = [len(column) for column in columns]
    row[_DOWNS:_CARDS] = [len(down) for down in position.down]
    cards = [card for column in columns for card in column]
    row[_CARDS : _CARDS + len(cards)] = cards
    return row


def search(position: SpiderPosition, mib: int, *, beyond: bool = False, most: int = 2**62) -> Found:
    """Visit all positions that can be reached, until one is won or the memory is full.

    Args:
        position: where the search begins.
        mib: memory in MiB.
        beyond: whether it goes on from dead ends.
        most: positions that it visits before it gives up.
    """
    slots = 1 << (int(mib * 2**20 * 0.5) // 16).bit_length() - 1
    stack = np.zeros((int(mib * 2**20 * 0.5) // LENGTH, LENGTH), dtype=np.uint8)
    stack[0] = packed(position)
    rows = _rows_of(position)
    positions, dead = np.zeros(6, dtype=np.int64), np.zeros(6, dtype=np.int64)
    seen = np.zeros((slots, 2), dtype=np.uint64)
    onto_empty = position.rules.deal_onto_empty
    ending = _visit(stack, seen, rows, onto_empty, beyond, most, positions, dead)
    return Found(tuple(Ending)[ending], positions, dead)


def is_dead(position: SpiderPosition) -> bool:
    """Whether a position is a dead end."""
    table, size, down = np.zeros((10, 104), dtype=np.int64), _tens(), _tens()
    _unpack(packed(position), table, size, down)
    return bool(_is_dead(table, size, down, _rows_of(position), 5 - len(position.stock)))


def _tens() -> NDArray[np.int64]:
    return np.zeros(_COLUMNS, dtype=np.int64)


def _rows_of(position: SpiderPosition) -> NDArray[np.uint8]:
    """The rows of a deal, uint8[5, 10], those to come in the order of the deal."""
    rows = np.zeros((5, _COLUMNS), dtype=np.uint8)
    for at, row in enumerate(position.stock, start=5 - len(position.stock)):
        rows[at] = row
    return rows


@numba.njit
def _mixed(word):
    """A permutation of 64 bits (the finalizer of SplitMix64, Steele, Lea, Flood 2014)."""
    word ^= word >> np.uint64(30)
    word *= np.uint64(0xBF58476D1CE4E5B9)
    word ^= word >> np.uint64(27)
    word *= np.uint64(0x94D049BB133111EB)
    return word ^ word >> np.uint64(31)


@numba.njit
def _is_new(row, seen):
    """Enter a position, unless it was entered."""
    one, other = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xD1B54A32D192ED03)
    for at in range(0, LENGTH, 8):
        word = np.uint64(0)
        for byte in range(8):
            word = word << np.uint64(8) | np.uint64(row[at + byte])
        one = _mixed(one ^ word)
        other = _mixed(other + word * np.uint64(0x2545F4914F6CDD1D))
    if one == 0:
        one = np.uint64(1)
    slot = np.int64(one & np.uint64(len(seen) - 1))
    while seen[slot, 0] != 0:
        if seen[slot, 0] == one and seen[slot, 1] == other:
            return False
        slot = (slot + 1) & (len(seen) - 1)
    seen[slot, 0], seen[slot, 1] = one, other
    return True


@numba.njit
def _unpack(row, table, size, down):
    """Write a position to a table int64[10, 104] with the sizes of its columns."""
    at = _CARDS
    for column in range(_COLUMNS):
        size[column], down[column] = row[_SIZES + column], row[_DOWNS + column]
        for level in range(size[column]):
            table[column, level] = row[at]
            at += 1


@numba.njit
def _pack(table, size, down, dealt, done, row):
    """Write a position as bytes."""
    row[:] = 0
    row[_DEALT], row[_DONE] = dealt, done
    at = _CARDS
    for column in range(_COLUMNS):
        row[_SIZES + column], row[_DOWNS + column] = size[column], down[column]
        for level in range(size[column]):
            row[at] = table[column, level]
            at += 1


@numba.njit
def _in_suit(cards, low, high):
    """Whether the cards at the levels `low` to `high` go down by one in one suit."""
    steps = cards[low:high] - cards[low + 1 : high + 1]
    return np.all(steps == 4)


@numba.njit
def _tidied(table, size, down, column):
    """Take a whole run off a column and turn its last card up; how many runs went."""
    gone = 0
    top = size[column] - 1
    if size[column] - down[column] >= _RANKS and _in_suit(table[column], top - 12, top):
        size[column] -= _RANKS
        gone = 1
    if size[column] > 0 and down[column] == size[column]:
        down[column] -= 1
    return gone


@numba.njit
def _is_dead(table, size, down, rows, dealt):
    """Whether of each column a card can never leave it."""
    met = np.zeros(_RANKS + 1, dtype=np.bool_)
    kept = size.copy()
    for row in range(dealt, 5):
        for column in range(_COLUMNS):
            met[rows[row, column] // 4] = True
    changes = True
    while changes:
        changes = False
        for column in range(_COLUMNS):
            if kept[column] == 0:
                return False
            top = kept[column] - 1
            if not met[table[column, top] // 4]:
                met[table[column, top] // 4] = changes = True
            low = top
            # The top may be face down so far: then it turns up alone.
            while low == top or (low >= down[column] and _in_suit(table[column], low, top)):
                if met[table[column, low] // 4 + 1]:
                    for level in range(low, top):
                        met[table[column, level] // 4] = True
                    kept[column] = low
                    changes = True
                    break
                low -= 1
    return True


@numba.njit
def _visit(stack, seen, rows, onto_empty, beyond, most, positions, dead):
    """Visit positions; the number of an `Ending`."""
    table, other = np.zeros((10, 104), dtype=np.int64), np.zeros((10, 104), dtype=np.int64)
    size, down = np.zeros(10, dtype=np.int64), np.zeros(10, dtype=np.int64)
    new_size, new_down = np.zeros(10, dtype=np.int64), np.zeros(10, dtype=np.int64)
    waiting = 1
    _is_new(stack[0], seen)
    while waiting > 0:
        if positions.sum() >= most:
            return 3
        waiting -= 1
        dealt, done = np.int64(stack[waiting, _DEALT]), np.int64(stack[waiting, _DONE])
        _unpack(stack[waiting], table, size, down)
        positions[dealt] += 1
        if _is_dead(table, size, down, rows, dealt):
            dead[dealt] += 1
            if not beyond:
                continue
        # With a table that is nearly full looking positions up would take for ever.
        if waiting + 10_000 > len(stack) or positions.sum() + waiting > len(seen) * 9 // 10:
            return 2
        for source in range(_COLUMNS):
            top = size[source] - 1
            low = top
            while low >= down[source] and low >= 0 and _in_suit(table[source], low, top):
                for target in range(_COLUMNS):
                    onto = size[target]
                    if target == source or (
                        onto > 0 and table[target, onto - 1] // 4 != table[source, low] // 4 + 1
                    ):
                        continue
                    other[:], new_size[:], new_down[:] = table, size, down
                    for level in range(low, top + 1):
                        other[target, onto + level - low] = table[source, level]
                    new_size[source] = low
                    new_size[target] = onto + top + 1 - low
                    gone = _tidied(other, new_size, new_down, source)
                    gone += _tidied(other, new_size, new_down, target)
                    if done + gone == _RUNS:
                        return 0
                    _pack(other, new_size, new_down, dealt, done + gone, stack[waiting])
                    waiting += _is_new(stack[waiting], seen)
                low -= 1
        if dealt < 5 and (onto_empty or size.min() > 0):
            other[:], new_size[:], new_down[:] = table, size, down
            gone = 0
            for column in range(_COLUMNS):
                other[column, size[column]] = rows[dealt, column]
                new_size[column] += 1
                gone += _tidied(other, new_size, new_down, column)
            if done + gone == _RUNS:
                return 0
            _pack(other, new_size, new_down, dealt + 1, done + gone, stack[waiting])
            waiting += _is_new(stack[waiting], seen)
    return 1


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the check; 0 if the hand cannot be won."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("deal")
    parser.add_argument("--rules", default="spider-4")
    parser.add_argument("--mib", type=int, default=3_000)
    parser.add_argument("--beyond-dead-ends", action="store_true")
    asked = parser.parse_args(arguments)
    rules = parse_ruleset(asked.rules)
    if not isinstance(rules, SpiderRules):
        parser.error(f"{rules.slug} is no ruleset of Spider")
    deal = deal_by_id(asked.deal, game_of(rules))
    assert isinstance(deal, SpiderDeal)
    found = search(SpiderPosition.start(deal, rules), asked.mib, beyond=asked.beyond_dead_ends)
    print(f"{asked.deal} under {rules.slug}: {found.ending}, {found.positions.sum():,} positions")
    for dealt, (count, dead) in enumerate(zip(found.positions, found.dead, strict=True)):
        print(f"{dealt} rows dealt: {count:,} positions, {dead:,} of them dead ends")
    return found.ending is not Ending.UNWINNABLE


if __name__ == "__main__":
    sys.exit(main())
