"""Difficulty of deals, and results of solvers.

All figures are of the dealt deals of a sample; imported deals are left out. Nodes are those of the
exact search that decided a deal, so they depend on the search as well as on the deal.

Distributions are counted by classes (`catalogue.blocks`), and so without reading the deals. No bin
of nodes divides a class. Lengths are exact up to 223 moves; a longer solution is counted as one of
224, 256, 288 … moves, the smallest of its class.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from sqlalchemy import select
from sqlalchemy.orm import Session

from catalogue import statistics
from catalogue.blocks import (
    ALARM,
    UNWINNABLE,
    WINNABLE,
    WON,
    Bytes,
    Outcomes,
    Whole,
    length_of,
    nodes_of,
)
from catalogue.reading.block_reader import cut, dealing_of, read_outcomes, summaries
from catalogue.reading.bounds import headline_sample
from catalogue.reading.cell_index import (
    KEYS,
    CellIndex,
    Entry,
    Flags,
    by_status_effort_detail,
    keys_of,
    kind_names,
    read_classes,
    read_index,
)
from catalogue.reading.recent import Recent
from catalogue.reading.samples import attempted_prefix, attempts, outcome_counts
from catalogue.schema import BLOCK_SIZE, RulesetRow, SolverRow, seeds_of_block
from catalogue.statistics import Interval
from catalogue.store import Catalogue
from engine.dealing.dealers import Sample
from engine.rulesets import parse_ruleset

LENGTH_BIN = 10
# Winner sets are counted outcome by outcome, so over no more deals than this.
WINNER_DEALS = 10_000
# Blocks of a solver whose dead ends are kept as numbers.
_COUNTED = 20_000


@dataclass(frozen=True, slots=True)
class Bin:
    """The number of deals with a value of at least `low` and below `high`, by status."""

    low: int
    high: int
    winnable: int
    unwinnable: int


@dataclass(frozen=True, slots=True)
class SolverShare:
    """The results of one solver on a sample.

    Attributes:
        solver: the solver as text.
        version: of its method.
        sample: the deals counted, the contiguous prefix of the sample that it has attempted.
        won: number of these that it won; `lost`, `unwinnable` and `gave_up` likewise.
        nodes: total number of nodes.
        cpu_ms: total CPU time in milliseconds.
        interval: Clopper–Pearson interval of the share won.
        dead_ends: number of unwinnable deals that it classified, by the kind of dead end.
    """

    solver: str
    version: int
    sample: Sample
    won: int
    lost: int
    unwinnable: int
    gave_up: int
    nodes: int
    cpu_ms: float
    interval: Interval
    dead_ends: Mapping[str, int]

    @property
    def attempted(self) -> int:
        return self.sample.count

    @property
    def share(self) -> float:
        """The share of deals won, of all attempted."""
        return self.won / self.attempted


@dataclass(frozen=True, slots=True)
class WinnerSet:
    """The number of deals won by exactly these solvers; by none if the set is empty."""

    solvers: tuple[str, ...]
    deals: int


@dataclass(frozen=True, slots=True)
class Difficulty:
    """The difficulty of the deals of a ruleset.

    Attributes:
        ruleset: its slug.
        sample: the deals counted, or None (with all lists empty) if nothing has been attempted.
        nodes: deals decided by exact search, by nodes; the bins are [0, 2), [2, 4), [4, 8) and so
            on.
        lengths: winnable deals by the moves of the shortest solution known.
        solvers: all solvers that have attempted the first deal of the sample.
        winners: sets of winners over at most the first `WINNER_DEALS` deals of the sample, most
            frequent first.
        winner_deals: number of those deals.
    """

    ruleset: str
    sample: Sample | None
    nodes: list[Bin]
    lengths: list[Bin]
    solvers: list[SolverShare]
    winners: list[WinnerSet]
    winner_deals: int


def difficulty(
    cat: Catalogue, ruleset: str, sample: Sample | None = None, level: float = 0.99
) -> Difficulty:
    """Distributions of search nodes and solution lengths, and results of the solvers.

    By default the sample is the attempted part of that of the overview (`bounds.headline`).

    Raises:
        BadInput: unknown ruleset, or a level not between 0 and 1.
    """
    slug = parse_ruleset(ruleset).slug
    chosen = sample or headline_sample(cat, slug)
    with cat.session() as session:
        ruleset_id = RulesetRow.id_of(session, slug)
        if ruleset_id is None or chosen is None:
            return Difficulty(slug, chosen, [], [], [], [], 0)
        few = replace(chosen, count=min(chosen.count, WINNER_DEALS))
        return Difficulty(
            slug,
            chosen,
            *_histograms(cat, session, ruleset_id, chosen),
            _solver_shares(cat, session, ruleset_id, chosen, level),
            _winner_sets(session, ruleset_id, few),
            few.count,
        )


def _histograms(
    cat: Catalogue, session: Session, ruleset_id: int, sample: Sample
) -> tuple[list[Bin], list[Bin]]:
    """The bins of nodes and of lengths."""
    cells = by_status_effort_detail(_cells_of(cat, session, ruleset_id, sample))
    winnable = cells[[WINNABLE - 1, ALARM - 1]].sum(axis=0)
    effort = (winnable.sum(axis=1), cells[UNWINNABLE - 1].sum(axis=1))
    length = (winnable.sum(axis=0), np.zeros(256, dtype=np.int64))
    codes = np.arange(1, 256, dtype=np.uint8)
    # The exponent of frexp is exact; 0 and 1 share a bin.
    exponent = np.frexp(np.maximum(nodes_of(codes), 1).astype(np.float64))[1] - 1
    nodes = _bins(exponent.astype(np.int64), *(counts[1:] for counts in effort))
    lengths = _bins(length_of(codes) // LENGTH_BIN, *(counts[1:] for counts in length))
    return (
        [Bin(2**k if k else 0, 2 ** (k + 1), won, lost) for k, won, lost in nodes],
        [Bin(k * LENGTH_BIN, (k + 1) * LENGTH_BIN, won, lost) for k, won, lost in lengths],
    )


def _bins(numbers: Whole, winnable: Whole, unwinnable: Whole) -> list[tuple[int, int, int]]:
    """Index, winnable and unwinnable deals of every bin from the first to the last with any.

    Args:
        numbers: the bin of each class.
        winnable: winnable deals of each class.
        unwinnable: the others.
    """
    size = int(numbers.max()) + 1
    won, lost = np.zeros(size, np.int64), np.zeros(size, np.int64)
    np.add.at(won, numbers, winnable)
    np.add.at(lost, numbers, unwinnable)
    present = np.flatnonzero(won + lost)
    if not len(present):
        return []
    return [
        (number, int(won[number]), int(lost[number]))
        for number in range(int(present[0]), int(present[-1]) + 1)
    ]


def _cells_of(cat: Catalogue, session: Session, ruleset_id: int, sample: Sample) -> Whole:
    """The number of deals of a sample by key, int64[KEYS]."""
    dealing_id = dealing_of(session, ruleset_id, sample.dealer)
    if dealing_id is None:
        return np.zeros(KEYS, dtype=np.int64)
    index = read_index(cat, session, ruleset_id, dealing_id)
    whole, edges = _split(index, sample)
    total = index.totals(whole)
    for entry in edges:
        statuses, effort, length = read_classes(session, ruleset_id, dealing_id, entry)
        inside = cut(statuses, entry.block, sample.seeds)
        found = keys_of(statuses, (effort, length))[inside]
        total += np.bincount(found[statuses.status[inside] > 0], minlength=KEYS)
    return total


def _split(index: CellIndex, sample: Sample) -> tuple[Flags, list[Entry]]:
    """Which blocks lie in a sample as a whole, bool[n], and those that do in part."""
    starts = index.blocks * BLOCK_SIZE
    # Not the ends after the last seeds, which may be more than the numbers hold.
    lasts = starts + (BLOCK_SIZE - 1)
    touched = (starts <= sample.last) & (lasts >= sample.first)
    whole = (starts >= sample.first) & (lasts <= sample.last)
    return whole, [index.entries[at] for at in np.flatnonzero(touched & ~whole).tolist()]


def _solver_shares(
    cat: Catalogue, session: Session, ruleset_id: int, sample: Sample, level: float
) -> list[SolverShare]:
    dealing_id = dealing_of(session, ruleset_id, sample.dealer)
    if dealing_id is None:
        return []
    index = read_index(cat, session, ruleset_id, dealing_id)
    solver_ids = {row.solver_id for entry in index.entries for row in entry.rows}
    tried = session.execute(
        select(SolverRow.id, SolverRow.name, SolverRow.version)
        .where(SolverRow.id.in_(solver_ids))
        .order_by(SolverRow.name, SolverRow.version)
    ).all()
    shares = []
    for solver_id, name, version in tried:
        place = (ruleset_id, [solver_id], sample.dealer, sample.first)
        n = attempted_prefix(session, *place, sample.count)
        if n == 0:
            continue
        done = outcome_counts(session, ruleset_id, solver_id, sample.dealer, sample.first, n)
        attempted = replace(sample, count=n)
        shares.append(
            SolverShare(
                name,
                version,
                attempted,
                done.won,
                done.lost,
                done.unwinnable,
                done.gave_up,
                done.nodes,
                done.cpu_ms,
                statistics.clopper_pearson(done.won, n, level),
                _dead_ends(session, (ruleset_id, dealing_id, solver_id), index, attempted),
            )
        )
    return shares


def _dead_ends(
    session: Session, ids: tuple[int, int, int], index: CellIndex, sample: Sample
) -> dict[str, int]:
    """The number of classifications of a solver in a sample, by kind.

    Args:
        session: a session.
        ids: of the ruleset, the dealing and the solver.
        index: of the ruleset and dealing.
        sample: the deals.
    """
    ruleset_id, dealing_id, solver_id = ids
    whole, edges = _split(index, sample)
    found: Counter[str] = Counter()
    alone = np.zeros(len(index), dtype=np.bool_)
    for at in np.flatnonzero(whole).tolist():
        entry = index.entries[at]
        mine = [row for row in entry.rows if row.solver_id == solver_id and row.unwinnable]
        if not mine:
            continue
        if len(entry.rows) == 1:
            alone[at] = True  # its cells are counted below
            continue
        key = (ruleset_id, dealing_id, solver_id, entry.block, mine[0].checksum)
        counted = _counted.get(key)
        if counted is None:
            mine_here = read_outcomes(session, ruleset_id, dealing_id, entry.block, [solver_id], ())
            columns = mine_here[solver_id]
            counted = _kinds(columns, columns.dead_end)
            _counted.put(key, counted)
        found.update(counted)
    for entry in edges:
        if any(row.solver_id == solver_id and row.unwinnable for row in entry.rows):
            mine_here = read_outcomes(session, ruleset_id, dealing_id, entry.block, [solver_id], ())
            columns = mine_here[solver_id]
            first = seeds_of_block(entry.block).start + columns.first
            low = max(sample.first - first, 0)
            found.update(_kinds(columns, columns.dead_end[low : max(sample.last + 1 - first, low)]))
    if alone.any():
        proved = by_status_effort_detail(index.totals(alone))[UNWINNABLE - 1].sum(axis=0)
        names = kind_names()
        found.update(
            {names[code]: int(proved[code]) for code in np.flatnonzero(proved).tolist() if code}
        )
    return dict(found)


def _kinds(columns: Outcomes, dead_end: Bytes) -> Mapping[str, int]:
    counts = np.bincount(dead_end, minlength=len(columns.kinds) + 1)[1:].tolist()
    return {kind: deals for kind, deals in zip(columns.kinds, counts, strict=True) if deals}


def _winner_sets(session: Session, ruleset_id: int, sample: Sample) -> list[WinnerSet]:
    dealing_id = dealing_of(session, ruleset_id, sample.dealer)
    blocks = range(sample.first // BLOCK_SIZE, sample.last // BLOCK_SIZE + 1)
    known = [] if dealing_id is None else summaries(session, ruleset_id, dealing_id, blocks)
    names = {
        row.id: f"{row.name} v{row.version}"
        for row in session.execute(select(SolverRow.id, SolverRow.name, SolverRow.version))
    }
    solver_ids = sorted(
        {row.solver_id for row in known if row.attempted}, key=lambda each: names[each]
    )
    tried = np.zeros(sample.count, dtype=np.bool_)
    won = np.zeros((sample.count, len(solver_ids)), dtype=np.bool_)
    for at, solver_id in enumerate(solver_ids):
        results = attempts(session, ruleset_id, solver_id, sample.dealer, sample.seeds)
        tried |= results > 0
        won[:, at] = results == WON
    sets, deals = np.unique(won[tried], axis=0, return_counts=True)
    found = [
        WinnerSet(
            tuple(names[each] for each, here in zip(solver_ids, row, strict=True) if here), number
        )
        for row, number in zip(sets.tolist(), deals.tolist(), strict=True)
    ]
    return sorted(found, key=lambda each: (-each.deals, each.solvers))


_counted: Recent[Mapping[str, int]] = Recent(_COUNTED)
