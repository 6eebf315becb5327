"""How many deals of each cell each block has, kept in memory: what lists and distributions ask.

A cell is a status, a class of effort, and a class of length or a kind of dead end
(`catalogue.blocks.Cells`); here it is a number, its *key*. The counts of all blocks of a ruleset
and dealing are the rows of sparse matrices. So the deals that pass a filter are counted block by
block with one product of a matrix and a vector, which takes some 15 ms for 10⁸ deals, and only the
blocks that a page shows are decoded.

An index is built when it is first asked for, and then brought up to date: only blocks whose
checksums have changed are read again.
"""

import threading
from collections import OrderedDict, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from sqlalchemy import Engine, func, select
from sqlalchemy.orm import Session

from catalogue.blocks import (
    ALARM,
    GAVE_UP,
    LOST,
    PROVED,
    RESULTS,
    UNRESOLVED,
    UNWINNABLE,
    WINNABLE,
    WON,
    Bytes,
    Cells,
    Outcomes,
    Statuses,
    Whole,
    combine,
    effort_of,
    length_class,
)
from catalogue.outcomes.block_rows import grading_solvers
from catalogue.reading.block_reader import (
    STATUS_COLUMNS,
    BlockSummary,
    read_follows,
    read_outcomes,
    read_statuses,
    summaries,
)
from catalogue.reading.recent import Recent
from catalogue.schema import IMPORTED, BlockRow, DealingRow, StatusBlockRow
from catalogue.store import Catalogue

# Keys are ((status − 1) × 256 + effort) × 256 + detail.
KEYS = 1 << 18
# Blocks in one matrix; when a block changes, its matrix is made again.
_ROWS = 64
# Cells, of 8 bytes, of indexes of deals with certain outcomes that are kept for each catalogue.
_RESTRICTED_CELLS = 64 << 20
# Blocks whose statuses with their classes are kept, about 1.5 MB each, and whose marks of outcomes
# of certain solvers are, 8 KB each.
_CLASSES = 200
_MARKED = 12_000

Weights = NDArray[np.float32]
Flags = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class AttemptFilter:
    """The condition that a deal has an outcome of some solvers, or any with a certain result.

    Attributes:
        solver_ids: the solvers; None for all.
        result: code of a result; None for any.
    """

    solver_ids: frozenset[int] | None
    result: int | None


@dataclass(frozen=True, slots=True, eq=False)
class Entry:
    """A block in an index.

    Attributes:
        block: its number.
        rows: the rows of `block` that it has, one for each solver (`summaries`).
    """

    block: int
    rows: tuple[BlockSummary, ...]

    @property
    def signature(self) -> tuple[tuple[int, int], ...]:
        """A key that changes with the block."""
        return tuple((row.solver_id, row.checksum) for row in self.rows)


class _Rows:
    """The cells of some blocks: a matrix of their counts."""

    def __init__(self, entries: Sequence[Entry], cells: Sequence[tuple[Whole, Whole]]) -> None:
        self.entries = tuple(entries)
        ends = np.cumsum([0, *(len(keys) for keys, _ in cells)])
        self.matrix = csr_array(
            (
                np.concatenate([deals for _, deals in cells]).astype(np.float32),
                np.concatenate([keys for keys, _ in cells]).astype(np.int32),
                ends.astype(np.int32),
            ),
            shape=(len(cells), KEYS),
        )
        self.totals = self.sum_of(np.ones(len(cells), dtype=np.bool_)).astype(np.int32)

    def cells_of(self, row: int) -> tuple[Whole, Whole]:
        """The keys of a block and their numbers of deals."""
        inside = slice(self.matrix.indptr[row], self.matrix.indptr[row + 1])
        return self.matrix.indices[inside], self.matrix.data[inside]

    def sum_of(self, chosen: Flags) -> Whole:
        """The counts of the chosen rows by key, int64[KEYS]."""
        keys, deals = self.matrix.indices, self.matrix.data
        if not chosen.all():
            inside = np.repeat(chosen, np.diff(self.matrix.indptr))
            keys, deals = keys[inside], deals[inside]
        return np.bincount(keys, weights=deals, minlength=KEYS).astype(np.int64)


class _Counted(NamedTuple):
    """Rows of an index; only deals of some statuses count."""

    rows: _Rows
    statuses: frozenset[int]

    def weighted(self, weights: Weights) -> Weights:
        """Weights of keys, 0 for statuses that do not count."""
        if self.statuses == _EVERY_STATUS:
            return weights
        counts = np.zeros((4, 1), dtype=np.float32)
        counts[[status - 1 for status in self.statuses]] = 1
        return (weights.reshape(4, -1) * counts).ravel()


_EVERY_STATUS = frozenset((UNRESOLVED, WINNABLE, UNWINNABLE, ALARM))
_NO_CELLS = (np.zeros(0, np.int64), np.zeros(0, np.int64))


class CellIndex:
    """The cells of all blocks of a ruleset and dealing; it is never changed.

    Attributes:
        entries: the blocks, in their order.
        blocks: int64[n], their numbers.
    """

    def __init__(self, parts: Sequence[_Counted], sources: Sequence[_Rows]) -> None:
        """An index of parts, those of a restricted one each made from rows of the whole."""
        self._parts = parts
        self.sources = sources
        self.entries = [entry for part in parts for entry in part.rows.entries]
        self.blocks = np.array([entry.block for entry in self.entries], dtype=np.int64)

    def __len__(self) -> int:
        return len(self.entries)

    @property
    def cells(self) -> int:
        """The number of cells that it has for itself, a measure of its memory."""
        return sum(
            part.rows.matrix.nnz
            for part, source in zip(self._parts, self.sources, strict=True)
            if part.rows is not source
        )

    def places(self) -> dict[object, tuple[_Rows, int]]:
        """Where the blocks are, by number and signature; not those that share other rows."""
        return {
            (entry.block, entry.signature): (part.rows, row)
            for part in self._parts
            if part.statuses == _EVERY_STATUS
            for row, entry in enumerate(part.rows.entries)
        }

    def by_source(self) -> dict[int, _Counted]:
        """The parts by the identity of the rows of the whole index that they are made from."""
        return {id(rows): part for rows, part in zip(self.sources, self._parts, strict=True)}

    def per_block(self, weights: Weights, chosen: Flags) -> Whole:
        """For each chosen block the number of its deals, int64[n], weighted by their keys.

        Blocks that are not chosen have 0.
        """
        found = np.zeros(len(self), dtype=np.int64)
        for part, inside in self._slices():
            if chosen[inside].any():
                # Counts of a block are exact as float32.
                found[inside] = part.rows.matrix @ part.weighted(weights)
        found[~chosen] = 0
        return found

    def totals(self, chosen: Flags) -> Whole:
        """The number of deals of the chosen blocks by key, int64[KEYS]."""
        total = np.zeros((4, 1 << 16), dtype=np.int64)
        for part, inside in self._slices():
            if not chosen[inside].any():
                continue
            rows = part.rows
            counts = rows.totals if chosen[inside].all() else rows.sum_of(chosen[inside])
            for status in part.statuses:
                total[status - 1] += counts.reshape(4, -1)[status - 1]
        return total.ravel()

    def _slices(self) -> list[tuple[_Counted, slice]]:
        ends = np.cumsum([0, *(len(part.rows.entries) for part in self._parts)])
        return [(part, slice(ends[k], ends[k + 1])) for k, part in enumerate(self._parts)]


def by_status_effort_detail(totals: Whole) -> Whole:
    """Counts by key as an array [4, 256, 256] of status − 1, effort and detail."""
    return totals.reshape(4, 256, 256)


def kind_code(name: str) -> int:
    """The code of a kind of dead end in keys, the same for all blocks."""
    with _lock:
        return _kind_codes.setdefault(name, len(_kind_codes) + 1)


def kind_names() -> dict[int, str]:
    """The kinds of dead ends by their codes."""
    with _lock:
        return {code: name for name, code in _kind_codes.items()}


def read_classes(
    session: Session, ruleset_id: int, dealing_id: int, entry: Entry
) -> tuple[Statuses, Bytes, Bytes]:
    """The statuses of a block, and the classes of effort and of length of its deals.

    Args:
        session: a session.
        ruleset_id: the ruleset.
        dealing_id: the dealing.
        entry: the block.
    """
    key = (ruleset_id, dealing_id, entry.block, entry.signature)
    found = _classes.get(key)
    if found is not None:
        return found
    statuses = read_statuses(session, ruleset_id, dealing_id, entry.block, entry.rows)
    found = (statuses, *classes_of(statuses))
    _classes.put(key, found)
    return found


def classes_of(statuses: Statuses) -> tuple[Bytes, Bytes]:
    """The classes of effort and of length of deals, each uint8[n]."""
    return effort_of(statuses.nodes), length_class(statuses.length)


def keys_of(statuses: Statuses, classes: tuple[Bytes, Bytes]) -> NDArray[np.int32]:
    """The keys of the deals of a block, int32[n]; negative where nobody attempted the deal."""
    effort, length = classes
    detail = length
    if statuses.kinds:
        codes = np.array([0, *(kind_code(kind) for kind in statuses.kinds)], dtype=np.uint8)
        detail = np.where(statuses.status == UNWINNABLE, codes[statuses.dead_end], length)
    keys = (statuses.status.astype(np.int32) - 1) << 16
    keys |= effort.astype(np.int32) << 8
    keys |= detail
    return keys


def tried_on(
    session: Session,
    ruleset_id: int,
    dealing_id: int,
    entry: Entry,
    statuses: Statuses,
    by: AttemptFilter,
) -> Flags:
    """Which deals of a block have an outcome as asked, bool[n], in the places of its statuses."""
    key = (ruleset_id, dealing_id, entry.block, entry.signature, by)
    packed = _marked.get(key)
    if packed is None:
        found = read_outcomes(session, ruleset_id, dealing_id, entry.block, by.solver_ids, ())
        packed = np.packbits(_marks(found, statuses, by))
        _marked.put(key, packed)
    return np.unpackbits(packed, count=len(statuses)).view(np.bool_)


def dealings_of(session: Session, ruleset_id: int) -> dict[int, tuple[str, tuple[object, ...]]]:
    """The dealings with blocks under a ruleset, by id: dealer, and what tells of a change.

    They are in the order of their dealers' slugs, with the imported deals last.
    """
    rows = session.execute(
        select(
            BlockRow.dealing_id,
            DealingRow.dealer,
            func.count(),
            func.sum(BlockRow.checksum),
            func.sum(BlockRow.attempted),
        )
        .join(DealingRow, DealingRow.id == BlockRow.dealing_id)
        .where(BlockRow.ruleset_id == ruleset_id)
        .group_by(BlockRow.dealing_id, DealingRow.dealer)
    ).all()
    follows = dict(
        session.execute(
            select(StatusBlockRow.dealing_id, func.sum(StatusBlockRow.checksum))
            .where(StatusBlockRow.ruleset_id == ruleset_id)
            .group_by(StatusBlockRow.dealing_id)
        ).all()
    )
    return {
        row[0]: (row[1], (*map(int, row[2:]), int(follows.get(row[0]) or 0)))
        for row in sorted(rows, key=lambda row: (row[1] == IMPORTED, row[1]))
    }


def read_index(
    cat: Catalogue,
    session: Session,
    ruleset_id: int,
    dealing_id: int,
    state: tuple[object, ...] | None = None,
    by: AttemptFilter | None = None,
) -> CellIndex:
    """The index of a ruleset and dealing, as the session sees them.

    Args:
        cat: the catalogue, for which the index is kept.
        session: a session of it.
        ruleset_id: the ruleset.
        dealing_id: the dealing.
        state: what `dealings_of` tells of a change, if it has been asked.
        by: count only deals with an outcome like this.
    """
    if state is None:
        found = dealings_of(session, ruleset_id).get(dealing_id)
        state = () if found is None else found[1]
    key = (ruleset_id, dealing_id, by)
    with _lock:
        kept = _indexes.setdefault(cat.engine, OrderedDict())
        before = kept.get(key)
        if before is not None:
            kept.move_to_end(key)
            if before[0] == state:
                return before[1]
    old = None if before is None else before[1]
    if by is None:
        index = _brought_up_to_date(session, ruleset_id, dealing_id, old)
    else:
        whole = read_index(cat, session, ruleset_id, dealing_id, state)
        index = _restricted_to(session, ruleset_id, dealing_id, whole, by, old)
    with _lock:
        kept[key] = (state, index)
        cells = 0
        for other in reversed([other for other in kept if other[2] is not None]):
            cells += kept[other][1].cells
            if cells > _RESTRICTED_CELLS and other != key:
                del kept[other]
    return index


def _brought_up_to_date(
    session: Session, ruleset_id: int, dealing_id: int, before: CellIndex | None
) -> CellIndex:
    grouped: dict[int, list[BlockSummary]] = defaultdict(list)
    for row in summaries(session, ruleset_id, dealing_id):
        grouped[row.block].append(row)
    entries = [Entry(block, tuple(rows)) for block, rows in sorted(grouped.items())]
    known = {} if before is None else before.places()
    changed = [each for each in entries if (each.block, each.signature) not in known]
    read = _read_cells(session, ruleset_id, dealing_id, [each.block for each in changed])
    parts = []
    for start in range(0, len(entries), _ROWS):
        mine = entries[start : start + _ROWS]
        found = [known.get((each.block, each.signature)) for each in mine]
        same = found[0][0] if found[0] is not None else None
        if same is not None and found == [(same, row) for row in range(len(same.entries))]:
            parts.append(same)
            continue
        cells = [
            read.get(each.block, _NO_CELLS) if place is None else place[0].cells_of(place[1])
            for each, place in zip(mine, found, strict=True)
        ]
        parts.append(_Rows(mine, cells))
    return CellIndex([_Counted(rows, _EVERY_STATUS) for rows in parts], parts)


def _restricted_to(
    session: Session,
    ruleset_id: int,
    dealing_id: int,
    whole: CellIndex,
    by: AttemptFilter,
    before: CellIndex | None,
) -> CellIndex:
    """The index of the deals with an outcome as asked, from that of all deals.

    It shares the matrices of blocks of which the same statuses count, and no others.
    """
    grading = grading_solvers(session)
    made = {} if before is None else before.by_source()
    known = {} if before is None else before.places()
    parts, sources = [], []
    for rows in whole.sources:
        part = made.get(id(rows))
        if part is None:
            follows = [
                _statuses_that_follow(entry, rows.cells_of(row), by)
                for row, entry in enumerate(rows.entries)
            ]
            first = follows[0]
            if first is not None and all(each == first for each in follows):
                part = _Counted(rows, first)
            else:
                cells = []
                for row, (entry, each) in enumerate(zip(rows.entries, follows, strict=True)):
                    place = known.get((entry.block, entry.signature))
                    if each is not None:
                        cells.append(_among(rows.cells_of(row), each))
                    elif place is not None:
                        cells.append(place[0].cells_of(place[1]))
                    else:
                        cells.append(_counted(session, ruleset_id, dealing_id, entry, by, grading))
                part = _Counted(_Rows(rows.entries, cells), _EVERY_STATUS)
        parts.append(part)
        sources.append(rows)
    return CellIndex(parts, sources)


def _read_cells(
    session: Session, ruleset_id: int, dealing_id: int, blocks: Collection[int]
) -> dict[int, tuple[Whole, Whole]]:
    """Keys and numbers of deals of the cells of some blocks."""
    if not blocks:
        return {}
    query = select(StatusBlockRow.block, StatusBlockRow.cells).where(
        StatusBlockRow.ruleset_id == ruleset_id,
        StatusBlockRow.dealing_id == dealing_id,
        StatusBlockRow.block.between(min(blocks), max(blocks)),
    )
    if len(blocks) <= _ROWS:
        query = query.where(StatusBlockRow.block.in_(blocks))
    wanted = set(blocks)
    found = {}
    for block, packed in session.execute(query):
        if block not in wanted:
            continue
        cells = Cells.decode(packed)
        codes = np.array([0, *(kind_code(kind) for kind in cells.kinds)], dtype=np.int64)
        detail = cells.detail.astype(np.int64)
        proved = cells.status == UNWINNABLE
        detail[proved] = codes[detail[proved]]
        keys = (cells.status.astype(np.int64) - 1) << 16 | cells.effort.astype(np.int64) << 8
        found[block] = (keys | detail, cells.deals)
    return found


# The statuses of deals with a result.
_FOLLOWS = {
    WON: frozenset((WINNABLE, ALARM)),
    PROVED: frozenset((UNWINNABLE, ALARM)),
    LOST: frozenset((UNRESOLVED,)),
    GAVE_UP: frozenset((UNRESOLVED,)),
}


def _statuses_that_follow(
    entry: Entry, cells: tuple[Whole, Whole], by: AttemptFilter
) -> frozenset[int] | None:
    """The statuses of which all deals of a block have an outcome as asked, and no others.

    None if there are no such statuses.
    """
    keys, deals = cells
    mine = [r for r in entry.rows if by.solver_ids is None or r.solver_id in by.solver_ids]
    among = _EVERY_STATUS
    if by.result is None:
        counts = [row.attempted for row in mine]
    else:
        counts = [getattr(row, RESULTS[by.result - 1]) for row in mine]
        among = _FOLLOWS[by.result]
        if by.result in (LOST, GAVE_UP) and len(entry.rows) > 1 and any(counts):
            return None
    if not any(counts):
        return frozenset()
    # If a solver has as many as there can be at all, these are they.
    possible = int(deals[np.isin((keys >> 16) + 1, tuple(among))].sum())
    return among if max(counts) == possible else None


def _among(cells: tuple[Whole, Whole], statuses: frozenset[int]) -> tuple[Whole, Whole]:
    keys, deals = cells
    inside = np.isin((keys >> 16) + 1, tuple(statuses))
    return keys[inside], deals[inside]


def _counted(
    session: Session,
    ruleset_id: int,
    dealing_id: int,
    entry: Entry,
    by: AttemptFilter,
    grading: Collection[int],
) -> tuple[Whole, Whole]:
    """The cells of the deals of a block with an outcome as asked, from its columns.

    Args:
        session: a session.
        ruleset_id: the ruleset.
        dealing_id: the dealing.
        entry: the block.
        by: which outcomes are asked for.
        grading: ids of the solvers whose nodes count.
    """
    found = read_outcomes(session, ruleset_id, dealing_id, entry.block, only=STATUS_COLUMNS)
    follows = read_follows(session, ruleset_id, dealing_id, entry.block)
    statuses = combine(found, grading, follows)
    chosen = _marks(found, statuses, by)
    keys = keys_of(statuses, classes_of(statuses))[chosen]
    counted = np.bincount(keys, minlength=KEYS)
    present = np.flatnonzero(counted > 0)
    return present, counted[present]


def _marks(found: Mapping[int, Outcomes], statuses: Statuses, by: AttemptFilter) -> Flags:
    """Which deals have an outcome as asked, given the outcomes by solver."""
    marks = np.zeros(len(statuses), dtype=np.bool_)
    for solver_id, mine in found.items():
        if len(mine) and (by.solver_ids is None or solver_id in by.solver_ids):
            at = slice(mine.first - statuses.first, mine.end - statuses.first)
            marks[at] |= mine.result > 0 if by.result is None else mine.result == by.result
    return marks


_Kept = OrderedDict[tuple[int, int, AttemptFilter | None], tuple[tuple[object, ...], CellIndex]]
_lock = threading.RLock()
_kind_codes: dict[str, int] = {}
_indexes: WeakKeyDictionary[Engine, _Kept] = WeakKeyDictionary()
_classes: Recent[tuple[Statuses, Bytes, Bytes]] = Recent(_CLASSES)
_marked: Recent[Bytes] = Recent(_MARKED)
