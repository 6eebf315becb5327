"""The deals that match a filter, in any order, as blocks of which few are decoded.

Nothing here reads all deals. The deals that pass a filter are counted block by block from the cells
of blocks (`catalogue.reading.cell_index`), and so the blocks are found in which a page lies; only
these are decoded. Where the ends of a filter fall inside a class of nodes or of lengths, and where
the deals of one class are put in order, all blocks with such deals must be decoded: this is done,
once, where there are few (`_FEW_BLOCKS`). Where there are more, a deal counts as one with the
smallest nodes, and the smallest length, of its class (`catalogue.blocks`).

Lists are ordered by the value, then by dealer and seed, imported deals after dealt ones, so the
order is total, and the same for every page.
"""

from collections import defaultdict
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sqlalchemy.orm import Session

from catalogue.blocks import (
    ALARM,
    RESULT_CODES,
    UNRESOLVED,
    UNWINNABLE,
    WINNABLE,
    Bytes,
    Statuses,
    Whole,
    length_of,
    nodes_of,
)
from catalogue.blocks import STATUSES as STATUS_NAMES
from catalogue.reading.block_reader import cut
from catalogue.reading.cell_index import (
    AttemptFilter,
    CellIndex,
    Entry,
    Flags,
    Weights,
    by_status_effort_detail,
    dealings_of,
    kind_code,
    read_classes,
    read_index,
    tried_on,
)
from catalogue.reading.deal_filter import ANY, DealFilter, Sort, is_of, solver_ids_named
from catalogue.reading.levels import Rating, places_of_levels, ratings_of
from catalogue.reading.references import DealPlace
from catalogue.schema import BLOCK_SIZE, IMPORTED, MAX_STORED_SEED, RulesetRow, seeds_of_block
from catalogue.store import Catalogue
from engine.rulesets import parse_ruleset


def listing(cat: Catalogue, session: Session, deals: DealFilter) -> "Listing | None":
    """The deals that match a filter; None if there cannot be any."""
    deals.check()
    slug = parse_ruleset(deals.ruleset).slug
    solver_ids = None if deals.solver is None else solver_ids_named(session, deals.solver)
    ruleset_id = RulesetRow.id_of(session, slug)
    if ruleset_id is None or solver_ids == []:
        return None
    by = None
    if solver_ids is not None or deals.result is not None:
        by = AttemptFilter(
            None if solver_ids is None else frozenset(solver_ids),
            None if deals.result is None else RESULT_CODES[deals.result],
        )
    return Listing(cat, session, deals, ruleset_id, by)


# Blocks of which all may be decoded for a list.
_FEW_BLOCKS = 64


class _Part(NamedTuple):
    """The blocks of one dealer."""

    dealing_id: int
    dealer: str
    cells: CellIndex


class _Weights(NamedTuple):
    """Which keys pass a filter, as 0 or 1."""

    whole: Weights  # all their deals do
    partly: Weights  # perhaps some of their deals do


class _Members(NamedTuple):
    """Some deals of a block, in the order of their places."""

    row: int
    places: Whole
    values: Whole


# The block, by its number in the listing, and the place of a deal in the arrays of its statuses.
Place = tuple[int, int]


class Listing:
    """The deals that match a filter, as blocks one after the other, dealer by dealer.

    A block is *opened* if its deals must be looked at one by one, because its cells do not tell
    which of them pass; otherwise they are counted.
    """

    def __init__(
        self,
        cat: Catalogue,
        session: Session,
        deals: DealFilter,
        ruleset_id: int,
        by: AttemptFilter | None,
    ) -> None:
        self.session = session
        self.deals = deals
        self.ruleset_id = ruleset_id
        self.by = by
        self.parts = [
            _Part(dealing_id, dealer, read_index(cat, session, ruleset_id, dealing_id, state, by))
            for dealing_id, (dealer, state) in dealings_of(session, ruleset_id).items()
            if is_of(dealer, deals.dealer, deals.seed_from, deals.seed_to)
        ]
        self.seeds = range(deals.seed_from or 0, _end(deals.seed_to))
        ends = np.cumsum([0, *(len(part.cells) for part in self.parts)])
        self.starts, self.blocks = ends[:-1], int(ends[-1])
        # The blocks from this one on are those of imported deals, which have no place by deal.
        self.dealt = sum(len(part.cells) for part in self.parts if part.dealer != IMPORTED)
        self.exact = self.blocks <= _FEW_BLOCKS
        self.weights = _keys_passing(deals, self.exact)
        self._masks: dict[int, Flags] = {}
        self._of_levels = self._places_of_levels()
        self._read_blocks: dict[int, tuple[Statuses, Bytes, Bytes]] = {}
        self._histograms: dict[tuple[int, Sort], Whole] = {}
        self.opened = self._to_open()

    # The blocks

    def _inside(self) -> Flags:
        """The blocks with seeds in the range of the filter."""
        low, high = self.seeds.start // BLOCK_SIZE, (self.seeds.stop - 1) // BLOCK_SIZE
        inside = (self._numbers >= low) & (self._numbers <= high)
        if self._of_levels is not None:
            graded = np.zeros_like(inside)
            graded[list(self._of_levels)] = True
            inside &= graded
        return inside

    def _places_of_levels(self) -> dict[int, Whole] | None:
        """The blocks with deals of the levels of the filter, and their places; None without it."""
        levels = self.deals.levels
        if levels is None:
            return None
        found: dict[int, Whole] = {}
        for part, start in zip(self.parts, self.starts.tolist(), strict=True):
            places = places_of_levels(
                self.session, self.ruleset_id, part.dealing_id, levels, self.seeds
            )
            found.update(
                (start + row, places[block])
                for row, block in enumerate(part.cells.blocks.tolist())
                if block in places
            )
        return found

    @cached_property
    def _numbers(self) -> Whole:
        return np.concatenate([np.zeros(0, np.int64), *(p.cells.blocks for p in self.parts)])

    def _to_open(self) -> Flags:
        """Which blocks must be looked at deal by deal."""
        starts = self._numbers * BLOCK_SIZE
        # A block at an end of the range of seeds, of which some lie outside. Its own end may be
        # more than the numbers hold.
        cut_off = (starts < self.seeds.start) | (starts + (BLOCK_SIZE - 1) >= self.seeds.stop)
        inside = self._inside()
        opened = (cut_off | (self._of_levels is not None)) & inside
        opened[self.dealt :] |= inside[self.dealt :]
        rest = inside & ~opened
        if self.weights.partly.any():
            opened |= self._per_block(self.weights.partly, rest) > 0
        self.counted = inside & ~opened
        return opened

    def _per_block(self, weights: Weights, chosen: Flags) -> Whole:
        """Numbers of deals of chosen blocks by their cells, int64[blocks]."""
        found = np.zeros(self.blocks, dtype=np.int64)
        for part, start in zip(self.parts, self.starts.tolist(), strict=True):
            inside = slice(start, start + len(part.cells))
            if chosen[inside].any():
                found[inside] = part.cells.per_block(weights, chosen[inside])
        return found

    def _count(self, sort: Sort, low: int, high: int) -> Whole:
        """The number of deals of each block whose class of the sort key is `low` to `high`."""
        found = self._per_block(self.weights.whole * _key_range(sort, low, high), self.counted)
        for row in np.flatnonzero(self.opened).tolist():
            found[row] = self._histogram(row, sort)[low : high + 1].sum()
        return found

    def _all_classes(self, sort: Sort) -> Whole:
        """The number of deals of each class of the sort key, int64[256]; those of none first."""
        found = np.zeros(256, dtype=np.int64)
        for part, start in zip(self.parts, self.starts.tolist(), strict=True):
            chosen = self.counted[start : start + len(part.cells)]
            if not chosen.any():
                continue
            passing = np.where(self.weights.whole > 0, part.cells.totals(chosen), 0)
            cells = by_status_effort_detail(passing)
            if sort == "nodes":
                found += cells.sum(axis=(0, 2))
            elif sort == "length":
                found += cells[[WINNABLE - 1, ALARM - 1]].sum(axis=(0, 1))
                found[0] += cells[[UNRESOLVED - 1, UNWINNABLE - 1]].sum()
            else:
                found[1] += cells.sum()
        for row in np.flatnonzero(self.opened).tolist():
            found += self._histogram(row, sort)
        return found

    def _histogram(self, row: int, sort: Sort) -> Whole:
        """The number of deals of an opened block by class of the sort key, int64[256]."""
        if (row, sort) not in self._histograms:
            passing = self._class_of(row, sort)[self._mask(row)]
            self._histograms[row, sort] = np.bincount(passing, minlength=256)
        return self._histograms[row, sort]

    def _part(self, row: int) -> tuple[_Part, Entry]:
        number = int(np.searchsorted(self.starts, row, side="right")) - 1
        part = self.parts[number]
        return part, part.cells.entries[row - int(self.starts[number])]

    def _classes(self, row: int) -> tuple[Statuses, Bytes, Bytes]:
        """The statuses of a block, and the classes of effort and length of its deals."""
        if row not in self._read_blocks:
            part, entry = self._part(row)
            self._read_blocks[row] = read_classes(
                self.session, self.ruleset_id, part.dealing_id, entry
            )
        return self._read_blocks[row]

    def _read(self, row: int) -> Statuses:
        return self._classes(row)[0]

    def _class_of(self, row: int, sort: Sort) -> Bytes:
        """The class of the sort key of each deal of a block."""
        statuses, effort, length = self._classes(row)
        if sort == "deal":
            return np.full(len(statuses), row < self.dealt, np.uint8)
        return effort if sort == "nodes" else length

    def _values(self, row: int, sort: Sort) -> NDArray[np.signedinteger[Any]]:
        """The sort key of each deal of a block; the smallest of its class if there are many."""
        statuses, effort, length = self._classes(row)
        if sort == "nodes":
            return statuses.nodes if self.exact else nodes_of(effort)
        if sort == "length":
            return statuses.length if self.exact else length_of(length)
        return np.zeros(len(statuses), dtype=np.int64)

    def _mask(self, row: int) -> Flags:
        """Which deals of a block pass the filter."""
        if row not in self._masks:
            self._masks[row] = self._passing(row)
        return self._masks[row]

    def _passing(self, row: int) -> Flags:
        statuses, deals = self._read(row), self.deals
        passes: Flags
        if deals.status == "winnable":
            passes = (statuses.status == WINNABLE) | (statuses.status == ALARM)
        elif deals.status is not None:
            passes = statuses.status == STATUS_NAMES.index(deals.status) + 1
        else:
            passes = statuses.status > 0
        part, entry = self._part(row)
        own = seeds_of_block(entry.block)
        if self.seeds.start > own.start or self.seeds.stop < own.stop:
            inside = np.zeros(len(statuses), dtype=np.bool_)
            inside[cut(statuses, entry.block, self.seeds)] = True
            passes &= inside
        if self._of_levels is not None:
            graded = np.zeros(len(statuses), dtype=np.bool_)
            at = self._of_levels[row] - statuses.first
            graded[at[(at >= 0) & (at < len(graded))]] = True
            passes &= graded
        if deals.dead_end is not None:
            passes &= statuses.dead_end > 0
            if deals.dead_end != ANY:
                kinds = statuses.kinds
                code = kinds.index(deals.dead_end) + 1 if deals.dead_end in kinds else 0
                passes &= (statuses.dead_end == code) & (code > 0)
        ranges: tuple[tuple[Sort, int, int | None, int | None], ...] = (
            ("nodes", 0, deals.min_nodes, deals.max_nodes),
            ("length", 1, deals.min_length, deals.max_length),
        )
        for name, least, low, high in ranges:
            if low is not None or high is not None:
                values = self._values(row, name)
                passes &= values >= max(low or 0, least)
                if high is not None:
                    passes &= values <= high
        if self.by is not None:
            passes &= tried_on(
                self.session, self.ruleset_id, part.dealing_id, entry, statuses, self.by
            )
        return passes

    # The order

    def page(self, sort: Sort, descending: bool, low: int, high: int) -> tuple[int, list[Place]]:
        """The number of deals, and those that are in the places `low` to `high` − 1 of a list."""
        classes = self._all_classes(sort)
        total = int(classes.sum())
        present = total - int(classes[0])
        low, high = min(low, total), min(high, total)
        found: list[Place] = []
        if low < min(high, present):
            first, end = low, min(high, present)
            if descending:
                found = self._ascending(sort, classes, present - end, present - first)[::-1]
            else:
                found = self._ascending(sort, classes, first, end)
        if high > present:
            found += self._in_class(sort, 0, max(low - present, 0), high - present)
        return total, found

    def _ascending(self, sort: Sort, classes: Whole, low: int, high: int) -> list[Place]:
        """The deals with a sort key in the places `low` to `high` − 1, smallest first."""
        ends = np.cumsum(classes[1:])
        first = int(np.searchsorted(ends, low, side="right")) + 1
        last = int(np.searchsorted(ends, high - 1, side="right")) + 1
        before = int(ends[first - 1] - classes[first])
        if first == last:
            return self._in_class(sort, first, low - before, high - before)
        found = self._in_class(sort, first, low - before, int(classes[first]))
        if last > first + 1 and classes[first + 1 : last].any():
            # Classes that are wholly on the page, hence small.
            counts = self._count(sort, first + 1, last - 1)
            members = [
                _Members(row, *self._members(row, sort, first + 1, last - 1))
                for row in np.flatnonzero(counts).tolist()
            ]
            found += _by_value(members, 0, int(counts.sum()))
        before = int(ends[last - 1] - classes[last])
        return found + self._in_class(sort, last, 0, high - before)

    def _in_class(self, sort: Sort, number: int, low: int, high: int) -> list[Place]:
        """The deals in the places `low` to `high` − 1 of a class."""
        counts = self._count(sort, number, number)
        smallest, largest = _values_of(sort, number)
        rows = np.flatnonzero(counts).tolist() if self.exact and largest > smallest else []
        # Those with the smallest value of the class come first, in the order of blocks and seeds;
        # then the others.
        opened = {row: self._members(row, sort, number, number) for row in rows}
        above: list[_Members] = []
        for row, (places, values) in opened.items():
            larger = values > smallest
            if larger.any():
                above.append(_Members(row, places[larger], values[larger]))
                counts[row] -= len(above[-1].places)
                opened[row] = (places[~larger], values[~larger])
        ends = np.cumsum(counts)
        end = int(ends[-1])
        found: list[Place] = []
        if low < min(high, end):
            first = int(np.searchsorted(ends, low, side="right"))
            last = int(np.searchsorted(ends, min(high, end) - 1, side="right"))
            for row in range(first, last + 1):
                if not counts[row]:
                    continue
                places, _ = opened.get(row) or self._members(row, sort, number, number)
                start = int(ends[row] - counts[row])
                found += [(row, at) for at in places[max(low - start, 0) : high - start].tolist()]
        if high > end and above:
            found += _by_value(above, max(low - end, 0), high - end)
        return found

    def _members(self, row: int, sort: Sort, low: int, high: int) -> tuple[Whole, Whole]:
        """The places and sort keys of the deals of a block in classes `low` to `high`."""
        classes = self._class_of(row, sort)
        inside = classes == low if low == high else (classes >= low) & (classes <= high)
        places = np.flatnonzero(inside & self._mask(row))
        return places, self._values(row, sort)[places].astype(np.int64)

    # What is at a place

    def deal_at(self, place: Place) -> DealPlace:
        """The deal at a place."""
        row, at = place
        part, entry = self._part(row)
        seed = entry.block * BLOCK_SIZE + self._read(row).first + at
        return DealPlace(part.dealing_id, part.dealer, seed)

    def ratings_of(self, places: list[Place]) -> dict[Place, Rating]:
        """How hard the deals at some places are; those without a level are left out."""
        asked: dict[int, dict[int, Place]] = defaultdict(dict)
        for place in places:
            deal = self.deal_at(place)
            asked[deal.dealing_id][deal.seed] = place
        return {
            by_seed[seed]: rating
            for dealing_id, by_seed in asked.items()
            for seed, rating in ratings_of(
                self.session, self.ruleset_id, dealing_id, by_seed
            ).items()
        }

    def status_of(self, place: Place) -> tuple[Statuses, int]:
        """The statuses of a block, and the place of a deal in them."""
        row, at = place
        return self._read(row), at


def _end(last: int | None) -> int:
    return MAX_STORED_SEED + 1 if last is None else last + 1


def _values_of(sort: Sort, number: int) -> tuple[int, int]:
    """The smallest and the largest value of a class of a sort key."""
    if sort == "deal" or number == 0:
        return 0, 0
    code = np.array([number], dtype=np.uint8)
    lowest = nodes_of if sort == "nodes" else length_of
    low = int(lowest(code)[0])
    return low, MAX_STORED_SEED if number == 255 else int(lowest(code + np.uint8(1))[0]) - 1


def _classes_passing(
    sort: Sort, low: int | None, high: int | None, exact: bool
) -> tuple[Flags, Flags]:
    """Which classes of a value pass a range: wholly, and perhaps in part.

    Values that are not `exact` count as the smallest of their classes, so they pass or do not.
    """
    if low is None and high is None:
        return np.ones(256, np.bool_), np.zeros(256, np.bool_)
    least, most = low or 0, MAX_STORED_SEED if high is None else high
    wholly, partly = np.zeros(256, np.bool_), np.zeros(256, np.bool_)
    for number in range(1, 256):
        smallest, largest = _values_of(sort, number)
        if not exact:
            largest = smallest
        wholly[number] = least <= smallest and largest <= most
        partly[number] = not wholly[number] and smallest <= most and least <= largest
    return wholly, partly


def _keys_passing(deals: DealFilter, exact: bool) -> _Weights:
    """Which keys of blocks pass a filter, by exact values or by the smallest of each class."""
    whole = np.zeros((4, 256, 256), dtype=np.bool_)
    partly = np.zeros_like(whole)
    effort, some_effort = _classes_passing("nodes", deals.min_nodes, deals.max_nodes, exact)
    length, some_length = _classes_passing("length", deals.min_length, deals.max_length, exact)
    lengths = deals.min_length is not None or deals.max_length is not None
    everywhere = np.ones(256, np.bool_)
    for status in (UNRESOLVED, WINNABLE, UNWINNABLE, ALARM):
        name = "winnable" if status == ALARM else STATUS_NAMES[status - 1]
        if deals.status not in (None, name):
            continue
        detail, some_detail = length, some_length
        if status == UNWINNABLE:
            if lengths:  # which they do not have
                continue
            detail, some_detail = _kinds_passing(deals.dead_end), ~everywhere
        elif status == ALARM and deals.dead_end is not None:
            # The cells of contradictions do not tell their dead ends.
            detail, some_detail = ~everywhere, detail | some_detail
        elif deals.dead_end is not None:
            continue
        whole[status - 1] = effort[:, None] & detail
        partly[status - 1] = (effort | some_effort)[:, None] & (detail | some_detail)
    partly &= ~whole
    return _Weights(whole.ravel().astype(np.float32), partly.ravel().astype(np.float32))


def _kinds_passing(dead_end: str | None) -> Flags:
    if dead_end is None:
        return np.ones(256, np.bool_)
    kinds = np.arange(256)
    return kinds > 0 if dead_end == ANY else kinds == kind_code(dead_end)


def _key_range(sort: Sort, low: int, high: int) -> Weights:
    """The keys whose class of a sort key is `low` to `high`."""
    inside = np.zeros((4, 256, 256), dtype=np.float32)
    if sort == "nodes":
        inside[:, low : high + 1] = 1
    elif sort == "length":
        inside[[WINNABLE - 1, ALARM - 1], :, low : high + 1] = 1
        if low == 0:
            inside[[UNRESOLVED - 1, UNWINNABLE - 1]] = 1
    elif low <= 1 <= high:
        inside[:] = 1
    return inside.ravel()


def _by_value(members: list[_Members], low: int, high: int) -> list[Place]:
    """The deals in the places `low` to `high` − 1 of a list by value, then by block and place."""
    values = np.concatenate([each.values for each in members])
    order = np.argsort(_narrow(values), kind="stable")[low:high]
    ends = np.cumsum([len(each.places) for each in members])
    found = []
    for at in order.tolist():
        block = int(np.searchsorted(ends, at, side="right"))
        each = members[block]
        found.append((each.row, int(each.places[at - (int(ends[block]) - len(each.places))])))
    return found


def _narrow(values: Whole) -> NDArray[np.int64] | NDArray[np.uint16]:
    """Numbers in the same order, as 16 bits where they fit: these are sorted far faster."""
    if len(values) and int(values.max() - values.min()) < 1 << 16:
        narrow: NDArray[np.uint16] = (values - values.min()).astype(np.uint16)
        return narrow
    return values
