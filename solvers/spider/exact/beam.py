"""Beam search for a win of Spider with all cards known: row by row, committed to nothing.

Between two rows a beam goes on move by move, as in `solvers.spider.beam`: the best positions after
a number of moves, without those held before. Of all positions that it holds, those that are best
once the row is dealt begin the next beam; so a hand is searched in six stages. A beam may miss
wins: that it finds none proves nothing.

Moves are whole top runs, and parts of them that make a longer run in suit.
"""

# Kernels carry no annotations; everything else here is typed.
# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.kernels.decorators import search_kernel
from engine.spider.deal import CARDS, COLUMNS, ROWS, RUNS
from solvers.spider.beam_entries import MOVE, PARENT, SLOT, find, rise, sink, was_held
from solvers.spider.beam_value import shade
from solvers.spider.exact.table import (
    DEALT,
    DONE,
    EMPTY,
    SIGN,
    VALUE,
    Tables,
    copy_table,
    deal_row,
    new_tables,
    play,
    shift,
    sign,
)
from solvers.spider.exact.value import (
    MORE,
    P_KEPT,
    P_NOISE,
    SIGNED,
    apply_change,
    change,
    points_of,
    table_value,
)
from solvers.spider.monkey_game import code
from solvers.spider.play import parts

# Moves between two rows, and after the last one.
_MOVES, _LAST_MOVES = 60, 150
# Nodes for a position that is dealt: the row, and moves that fill columns for it.
_TO_DEAL = COLUMNS + 1
# Bytes for each position of the width, at most: the positions, the heaps, links and nodes, and the
# table of those met.
BYTES = (
    3 * COLUMNS * (CARDS + 3 * 2 + 8)
    + 3 * 5 * 8
    + 2 * 4 * 8
    + 3 * 8
    + 8 * (ROWS * (_MOVES + _TO_DEAL) + _LAST_MOVES)
    + 2 * 16 * (3 * _MOVES + 1)
)
WON, NOT_FOUND, SPENT = range(3)


class Entries(NamedTuple):
    """A heap of `solvers.spider.beam_entries` without its table."""

    worth: NDArray[np.int64]
    entries: NDArray[np.int64]


class SpiderBeam(NamedTuple):
    """Workspace of a search.

    points: int64[6, …], see `solvers.spider.exact.value`.
    tables: [2 · width + 1], two alternating beams and a scratch.
    chosen: [width], the positions that the next row is dealt to.
    offers: their worth once it is dealt.
    worth, entries, signatures, stamps: see `solvers.spider.beam_entries`.
    links: int64[2 · width], and of `chosen` in `kept`: the node of each position.
    kept: int64[width].
    nodes: int64[…], of all positions held: 2048 · its parent's node + the move.
    changed: int64[5], scratch of `change`.
    clock: int64[1], the first stamp of the next search.
    """

    points: NDArray[np.int64]
    tables: Tables
    chosen: Tables
    offers: Entries
    worth: NDArray[np.int64]
    entries: NDArray[np.int64]
    signatures: NDArray[np.int64]
    stamps: NDArray[np.int64]
    links: NDArray[np.int64]
    kept: NDArray[np.int64]
    nodes: NDArray[np.int64]
    changed: NDArray[np.int64]
    clock: NDArray[np.int64]


def new_beam(width: int, points: NDArray[np.int64] | None = None) -> SpiderBeam:
    """Allocate a beam of a number of positions."""

    def some(*shape: int) -> NDArray[np.int64]:
        return np.zeros(shape, dtype=np.int64)

    moves = ROWS * _MOVES + _LAST_MOVES
    slots = 1 << (3 * width * _MOVES + 64).bit_length()
    return SpiderBeam(
        points_of() if points is None else points,
        new_tables(2 * width + 1),
        new_tables(width),
        Entries(some(width), some(width, 3)),
        some(width),
        some(width, 3),
        some(slots),
        some(slots),
        some(2 * width),
        some(width),
        some(width * (moves + ROWS * _TO_DEAL) + 1),
        some(5),
        np.ones(1, dtype=np.int64),
    )


@search_kernel
def _to_fill(tables, at):
    """The move that fills an empty column by the shortest run that may; −1 if there is none."""
    target, best = 0, -1
    for column in range(COLUMNS):
        if tables.size[at, column] == 0:
            target = column
        elif tables.size[at, column] > 1 and (
            best < 0 or tables.run[at, column] < tables.run[at, best]
        ):
            best = column
    if best < 0:
        return -1
    count = min(int(tables.run[at, best]), int(tables.size[at, best]) - 1)
    return code(best, target, count)


@search_kernel
def _is_dealt(tables, at, rows, onto_empty):
    """Deal a row, once empty columns are filled where they must be; whether that was possible."""
    while not onto_empty and tables.counts[at, EMPTY] > 0:
        move = _to_fill(tables, at)
        if move < 0:
            return False
        play(tables, at, rows, move)
    deal_row(tables, at, rows)
    return True


@search_kernel
def _offer_deals(beam, first, count, rows, onto_empty, salt, chosen):
    """Choose of a beam's positions those to deal to; returns how many are chosen so far."""
    tables, offers = beam.tables, beam.offers
    scratch, width = len(tables.size) - 1, len(beam.worth)
    for at in range(first, first + count):
        points = beam.points[tables.counts[at, DEALT]]
        copy_table(tables, at, tables, scratch)
        if not _is_dealt(tables, scratch, rows, onto_empty):
            continue
        tables.counts[scratch, EMPTY] = 0
        value = table_value(tables, scratch, points) + points[P_KEPT] * tables.counts[at, EMPTY]
        worth = (value << 32) + points[P_NOISE] * shade(tables.counts[at, SIGN], salt)
        if chosen < width:
            place = chosen
            rise(offers, worth, place, 0, 0, chosen)
            chosen += 1
        elif worth > offers.worth[0]:
            place = offers.entries[0, PARENT]
            sink(offers, worth, place, 0, 0, chosen)
        else:
            continue
        copy_table(tables, at, beam.chosen, place)
        beam.kept[place] = beam.links[at]
    return chosen


@search_kernel
def _begin_stage(beam, rows, onto_empty, chosen, node):
    """Deal the row to the chosen positions, which begin the next beam; returns the next node."""
    tables = beam.tables
    for at in range(chosen):
        copy_table(beam.chosen, at, tables, at)
        link = beam.kept[at]
        while not onto_empty and tables.counts[at, EMPTY] > 0:
            move = _to_fill(tables, at)
            play(tables, at, rows, move)
            beam.nodes[node] = 2048 * link + move
            link = node
            node += 1
        deal_row(tables, at, rows)
        beam.nodes[node] = 2048 * link
        beam.links[at] = node
        node += 1
    return node


@search_kernel
def _count_all(beam, count, since):
    """Count values and signatures of a first beam, and enter it in the table."""
    tables = beam.tables
    for at in range(count):
        points = beam.points[tables.counts[at, DEALT]]
        sign(tables, at, False)
        tables.counts[at, VALUE] = table_value(tables, at, points)
        slot = find(tables.counts[at, SIGN], beam, since)
        if slot >= 0:
            beam.signatures[slot], beam.stamps[slot] = tables.counts[at, SIGN], since


@search_kernel
def _cards_to(tables, at, source, target, only_empty):
    """The number of cards of a move that a beam tries; 0 if it does not try it.

    Of empty columns it uses `only_empty` alone.
    """
    run, size = int(tables.run[at, source]), int(tables.size[at, target])
    if source == target or run == 0:
        return 0
    if size == 0:
        return run if target == only_empty and run < tables.size[at, source] else 0
    top = int(tables.cards[at, target, size - 1])
    last = int(tables.cards[at, source, tables.size[at, source] - 1])
    count = (top >> 2) - (last >> 2)
    if count < 1 or count > run:
        return 0
    if count < run and ((top ^ last) & 3 != 0 or tables.run[at, target] + count <= run):
        return 0
    return count


@search_kernel
def _first_empty(tables, at):
    """The first empty column, −1 if there is none."""
    for column in range(COLUMNS):
        if tables.size[at, column] == 0:
            return column
    return -1


@search_kernel
def _offer_moves(beam, at, now, since, salt, held):
    """Try all moves of a position for the next beam; returns how many positions this has."""
    tables, changed = beam.tables, beam.changed
    points = beam.points[tables.counts[at, DEALT]]
    only_empty = _first_empty(tables, at)
    for source in range(COLUMNS):
        for target in range(COLUMNS):
            count = _cards_to(tables, at, source, target, only_empty)
            if count == 0:
                continue
            change(tables, at, source, target, count, points, False, changed)
            signature = changed[SIGNED]
            value = tables.counts[at, VALUE] + changed[MORE]
            worth = (value << 32) + points[P_NOISE] * shade(signature, salt)
            if held == len(beam.worth) and worth <= beam.worth[0]:
                continue
            slot = find(signature, beam, since)
            if slot < 0:
                continue
            stamp = beam.stamps[slot]
            if stamp == now or (stamp >= since and was_held(stamp, since)):
                continue
            beam.signatures[slot], beam.stamps[slot] = signature, now
            move = code(source, target, count)
            if held < len(beam.worth):
                rise(beam, worth, at, move, slot, held)
                held += 1
            else:
                sink(beam, worth, at, move, slot, held)
    return held


@search_kernel
def _advance(beam, first, held, now, node):
    """Make the next beam of its entries, from place `first` on; the place of a win, or −1."""
    tables, changed = beam.tables, beam.changed
    won = -1
    for number in range(held):
        parent, move = beam.entries[number, PARENT], beam.entries[number, MOVE]
        source, target, count = parts(move)
        at = first + number
        points = beam.points[tables.counts[parent, DEALT]]
        change(tables, parent, source, target, count, points, False, changed)
        copy_table(tables, parent, tables, at)
        shift(tables, at, source, target, count)
        apply_change(tables, at, source, target, changed)
        beam.stamps[beam.entries[number, SLOT]] = now + 1
        beam.nodes[node + number] = 2048 * beam.links[parent] + move
        beam.links[at] = node + number
        if tables.counts[at, DONE] == RUNS and won < 0:
            won = at
    return won


@search_kernel
def search_beam(beam, rows, onto_empty, salt, most):
    """Search for a win from the position at the first place of the beam's tables.

    Args:
        beam: `SpiderBeam`.
        rows: int8[5, 10], the stock.
        onto_empty: whether a row may be dealt while a column is empty.
        salt: salt of the random parts.
        most: positions after which the search ends.

    Returns:
        WON, NOT_FOUND or SPENT; the node of the win, or −1; the number of positions held.
    """
    tables, width = beam.tables, len(beam.worth)
    beam.nodes[0] = -1
    beam.links[0] = 0
    node, count, total = 1, 1, 1
    for dealt in range(tables.counts[0, DEALT], ROWS + 1):
        moves = _MOVES if dealt < ROWS else _LAST_MOVES
        since = beam.clock[0]
        beam.clock[0] += 2 * moves + 2
        _count_all(beam, count, since)
        side, chosen = 0, 0
        for level in range(moves):
            if dealt < ROWS:
                chosen = _offer_deals(beam, side * width, count, rows, onto_empty, salt, chosen)
            if total >= most:
                return SPENT, -1, total
            held, now = 0, since + 1 + 2 * level
            for at in range(side * width, side * width + count):
                held = _offer_moves(beam, at, now, since, salt, held)
            side = 1 - side
            won = _advance(beam, side * width, held, now, node)
            if won >= 0:
                return WON, beam.links[won], total
            node += held
            total += held
            count = held
            if held == 0:
                break
        if chosen == 0:
            break
        node = _begin_stage(beam, rows, onto_empty, chosen, node)
        count = chosen
    return NOT_FOUND, -1, total


@search_kernel
def trace(nodes, node, line):
    """Write the moves that lead to a node into line int64[…]; returns their number."""
    length, at = 0, node
    while at > 0:
        length += 1
        at = nodes[at] // 2048
    at = node
    for place in range(length - 1, -1, -1):
        line[place] = nodes[at] % 2048
        at = nodes[at] // 2048
    return length
