"""Two solvers compared on the deals that both have attempted.

Only the contiguous prefix of the sample attempted by both is compared, so that deals still being
solved do not bias the result: the quick ones are finished first.

A block is counted from its columns once: by both results and both efforts, in doublings of nodes.
These counts are kept in memory, and those of a sample are their sum. Counting 10⁸ deals for the
first time takes seconds, so a caller may limit the time; what has been counted by then is a prefix
of the sample, the answer says which, and the next call goes on from there.
"""

import time
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import select
from sqlalchemy.orm import Session

from catalogue import statistics
from catalogue.blocks import (
    PROVED,
    RESULTS,
    WON,
    Bytes,
    Whole,
    effort_of,
    nodes_of,
)
from catalogue.reading.block_reader import dealing_of, read_outcomes, summaries
from catalogue.reading.bounds import headline_sample
from catalogue.reading.contenders import Contender, brief_names
from catalogue.reading.recent import Recent
from catalogue.reading.samples import attempted_prefix, outcome_counts
from catalogue.reading.timing import may_hold_compiling
from catalogue.schema import BLOCK_SIZE, BlockRow, RulesetRow, SolverRow, is_dealt
from catalogue.statistics import Interval, Paired
from catalogue.store import Catalogue
from engine.dealing.dealers import Sample
from engine.errors import BadInput
from engine.rulesets import parse_ruleset
from solvers.solver import parse_solver

# What a side of a cell may ask of a result; the first two divide all results, as do the last three
# with the first.
WON_SIDE, NOT_WON, UNWINNABLE_SIDE, UNDECIDED = "won", "not-won", "unwinnable", "undecided"
SIDES = {
    WON_SIDE: (WON,),
    NOT_WON: tuple(code for code in range(1, 5) if code != WON),
    UNWINNABLE_SIDE: (PROVED,),
    UNDECIDED: tuple(code for code in range(1, 5) if code not in (WON, PROVED)),
}
THREE = (WON_SIDE, UNWINNABLE_SIDE, UNDECIDED)
CELLS = tuple(f"{one}.{other}" for one, other in product(SIDES, SIDES))
# Shares of the wins of the weaker solver at which costs are compared.
STRENGTHS = (0.25, 0.5, 0.75, 0.9, 1.0)
# What is said of a difference whose p-value is below a number, the smallest first.
_SURENESS = ((0.001, "almost certainly"), (0.01, "very probably"), (0.05, "probably"))
# Blocks whose counts are kept, some 20 KB each.
_COUNTED = 4000
# Classes of effort in one bin: a doubling of nodes, or eight numbers below 16.
_BIN = 8
# The first bin is of unknown nodes.
_BINS = 33


@dataclass(frozen=True, slots=True)
class EffortBin:
    """Deals by the nodes of both solvers; of each solver from `low` to below `high`.

    `both` counts those won by both, and so on.
    """

    first_low: int
    first_high: int
    second_low: int
    second_high: int
    both: int
    only_first: int
    only_second: int
    neither: int


@dataclass(frozen=True, slots=True)
class CurvePoint:
    """The results of a solver with a limit on the nodes of each deal.

    Attributes:
        limit: largest number of nodes of a deal, excluded.
        won: deals won with fewer nodes.
        nodes: nodes in all, had it stopped at the limit, estimated from classes so that they fit
            the total.
        cpu_ms: CPU time in all, from these nodes and the solver's mean time for a node.
    """

    limit: int
    won: int
    nodes: float
    cpu_ms: float


@dataclass(frozen=True, slots=True)
class Cost:
    """The results and the cost of a solver on the deals compared.

    Attributes:
        won: deals won.
        nodes: nodes in all.
        cpu_ms: CPU time in all.
        interval: Clopper–Pearson interval of the share won.
        curve: its wins by what is spent, from the smallest limit to none; empty where the nodes of
            a deal are not known.
        may_hold_compiling: whether a time in `cpu_ms` may be that of compiling kernels.
    """

    won: int
    nodes: int
    cpu_ms: float
    interval: Interval
    curve: tuple[CurvePoint, ...]
    may_hold_compiling: bool = False

    def cheapest(self, won: int) -> CurvePoint | None:
        """The smallest limit with which it wins a number of deals; None if it never does."""
        return next((point for point in self.curve if point.won >= won), None)


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two solvers on the deals that both have attempted.

    Attributes:
        ruleset: its slug.
        first: a solver.
        second: another.
        sample: the sample asked for; None if nothing has been attempted.
        common: number of its deals that both attempted, from the first on without a gap.
        counted: number of these that are counted here; fewer than `common` if time ran out.
        results: deals by both results, int64[4, 4], in the order of `RESULTS`.
        wins: the 2 × 2 table of won and not won, with its interval and test.
        first_cost: what the first spent.
        second_cost: what the second spent.
        effort: deals by the nodes of both, of those where both are known.
    """

    ruleset: str
    first: Contender
    second: Contender
    sample: Sample | None
    common: int
    counted: int
    results: tuple[tuple[int, ...], ...]
    wins: Paired
    first_cost: Cost
    second_cost: Cost
    effort: tuple[EffortBin, ...]

    def deals(self, cell: str) -> int:
        """The number of deals of a cell.

        Raises:
            BadInput: there is no such cell.
        """
        one, other = sides_of(cell)
        return sum(self.results[a - 1][b - 1] for a in SIDES[one] for b in SIDES[other])

    @property
    def sentence(self) -> str:
        """The wins of both, and how sure it is that one is better, for people."""
        one, other = brief_names((self.first, self.second))
        wins = self.wins
        won, lost = wins.both + wins.only_first, wins.both + wins.only_second
        said = f"{one} won {won:,} of {wins.n:,}, {other} {lost:,}"
        if won == lost:
            return f"{said}: as many."
        sure = sureness(wins.p_value)
        if sure is None:
            return f"{said}: which is better cannot be told from these deals."
        return f"{said}: {one if won > lost else other} is better, {sure}."

    def lead(self, level: float) -> str:
        """By how much the better one won more, with the interval at its level, as Markdown."""
        one, other = brief_names((self.first, self.second))
        wins = self.wins
        gap, low, high = wins.difference, wins.interval.low, wins.interval.high
        if gap < 0:
            one, other, gap, low, high = other, one, -gap, -high, -low
        span = f"{100 * level:.0f} %: {100 * low:+.2f} to {100 * high:+.2f}"
        if gap == 0:
            return f"Both won as many of {wins.n:,} deals ({span} percentage points)."
        return (
            f"{one} won **{100 * gap:.2f} percentage points** more of {wins.n:,} deals than "
            f"{other} ({span})."
        )

    def equal_strength(self) -> list[tuple[int, CurvePoint, CurvePoint]]:
        """For shares of the wins of the weaker one: wins, and what each solver needs for them."""
        most = min(self.first_cost.won, self.second_cost.won)
        found = {}
        for share in STRENGTHS:
            won = round(share * most)
            one, other = self.first_cost.cheapest(won), self.second_cost.cheapest(won)
            if won > 0 and one is not None and other is not None:
                found[won] = (won, one, other)
        return list(found.values())


@dataclass(frozen=True, slots=True)
class CellDeal:
    """A deal of a cell.

    Attributes:
        deal: its name.
        first: result of the first solver.
        second: result of the second.
        first_nodes: its nodes; None where they are not known.
        second_nodes: likewise.
    """

    deal: str
    first: str
    second: str
    first_nodes: int | None
    second_nodes: int | None


@dataclass(frozen=True, slots=True)
class CellPage:
    """Some deals of a cell by seed, and the seed after which the rest begin; None if none is left.

    `complete` is false if time ran out before the page was full.
    """

    deals: tuple[CellDeal, ...]
    after: int | None
    complete: bool


@dataclass(frozen=True, slots=True)
class _Counts:
    """The counts of a range of a block: keys of both results and bins with their deals, and deals
    of each solver by class of effort, of all and of the won ones, int64[2, 2, 256].
    """

    keys: Whole
    deals: Whole
    effort: Whole


@dataclass(frozen=True, slots=True)
class _Pair:
    """Two solvers under a ruleset on a sample, as ids, and the deals that both attempted."""

    ruleset_id: int
    dealing_id: int
    solver_ids: tuple[int, int]
    sample: Sample
    common: int

    @property
    def seeds(self) -> range:
        return range(self.sample.first, self.sample.first + self.common)


def sureness(p_value: float) -> str | None:
    """How sure a difference is, in words for a p-value; None where it may well be chance."""
    return next((words for most, words in _SURENESS if p_value < most), None)


def sides_of(cell: str) -> tuple[str, str]:
    """The results that a cell, such as ``won.not-won``, asks of the first and of the second solver.

    Raises:
        BadInput: there is no such cell.
    """
    if cell not in CELLS:
        raise BadInput(
            f"unknown cell {cell!r}: expected two of {', '.join(SIDES)}, joined by a full stop"
        )
    one, _, other = cell.partition(".")
    return one, other


def compare(
    cat: Catalogue,
    ruleset: str,
    first: str,
    second: str,
    sample: Sample | None = None,
    level: float = 0.99,
    seconds: float | None = None,
) -> Comparison:
    """Compare two solvers on the deals of a sample that both have attempted.

    By default the sample is the attempted part of that of the overview.

    Args:
        cat: the catalogue.
        ruleset: slug.
        first: a solver, such as ``exact(nodes=1000000)``, in its newest version that is stored, or
            in the one named: ``exact(nodes=1000000) v1``.
            The slug of a method also names its only solver that has outcomes.
        second: another solver.
        sample: the deals to compare them on.
        level: level of the intervals.
        seconds: time after which no further block is counted.

    Raises:
        BadInput: unknown ruleset or solver, one that has no outcome, or a level not between 0
            and 1.
    """
    slug = parse_ruleset(ruleset).slug
    chosen = sample or headline_sample(cat, slug)
    deadline = None if seconds is None else time.monotonic() + seconds
    with cat.session() as session:
        sides, pair = _pair(session, slug, (first, second), chosen)
        joint = np.zeros(16 * _BINS * _BINS, dtype=np.int64)
        effort = np.zeros((2, 2, 256), dtype=np.int64)
        counted = 0
        if pair is not None:
            for counts, seeds in _counted_blocks(session, pair, pair.seeds):
                np.add.at(joint, counts.keys, counts.deals)
                effort += counts.effort
                counted += len(seeds)
                if deadline is not None and time.monotonic() > deadline:
                    break
        table = joint.reshape(16, _BINS, _BINS)
        results = table.sum(axis=(1, 2)).reshape(4, 4)
        costs = [_cost(session, pair, place, counted, effort[place], level) for place in range(2)]
    won = np.arange(4) == WON - 1
    wins = statistics.paired(
        int(results[won][:, won].sum()),
        int(results[won][:, ~won].sum()),
        int(results[~won][:, won].sum()),
        int(results[~won][:, ~won].sum()),
        level,
    )
    return Comparison(
        slug,
        *sides,
        chosen,
        0 if pair is None else pair.common,
        counted,
        tuple(tuple(row) for row in results.tolist()),
        wins,
        costs[0],
        costs[1],
        _effort_bins(table.reshape(4, 4, _BINS, _BINS)),
    )


def cell_deals(
    cat: Catalogue,
    found: Comparison,
    cell: str,
    after: int | None = None,
    limit: int = 50,
    seconds: float | None = None,
) -> CellPage:
    """The next deals of a cell of a comparison, by seed.

    Args:
        cat: the catalogue.
        found: the comparison.
        cell: one of `CELLS`.
        after: only deals of larger seeds.
        limit: most deals.
        seconds: time after which no further block is looked into.

    Raises:
        BadInput: there is no such cell.
    """
    codes = [np.isin(np.arange(5), SIDES[side]) for side in sides_of(cell)]
    wanted = (codes[0][1:, None] & codes[1][None, 1:]).ravel()
    deadline = None if seconds is None else time.monotonic() + seconds
    rows: list[CellDeal] = []
    with cat.session() as session:
        names = (str(found.first), str(found.second))
        _, pair = _pair(session, found.ruleset, names, found.sample)
        if pair is None:
            return CellPage((), None, True)
        start = pair.sample.first if after is None else max(after + 1, pair.sample.first)
        if start >= pair.seeds.stop:
            return CellPage((), None, True)
        # From the beginning of its block on, whose counts are kept as a whole.
        block = max(start // BLOCK_SIZE * BLOCK_SIZE, pair.sample.first)
        for counts, seeds in _counted_blocks(session, pair, range(block, pair.seeds.stop)):
            here = range(max(start, seeds.start), seeds.stop)
            if counts.deals[wanted[counts.keys // (_BINS * _BINS)]].any():
                rows += _rows(session, pair, here, codes, limit + 1 - len(rows))
            if len(rows) > limit:
                last = int(rows[limit - 1].deal.rpartition(":")[2])
                return CellPage(tuple(rows[:limit]), last, True)
            late = deadline is not None and time.monotonic() > deadline
            if late and here[-1] != pair.seeds[-1]:
                return CellPage(tuple(rows), here[-1], False)
    return CellPage(tuple(rows), None, True)


def _pair(
    session: Session, slug: str, names: tuple[str, str], sample: Sample | None
) -> tuple[tuple[Contender, Contender], _Pair | None]:
    """The two solvers, and their common deals unless there can be none."""
    ruleset_id = RulesetRow.id_of(session, slug)
    rows = [_stored(session, name, ruleset_id) for name in names]
    sides = (Contender(rows[0].name, rows[0].version), Contender(rows[1].name, rows[1].version))
    if ruleset_id is None or sample is None:
        return sides, None
    dealing_id = dealing_of(session, ruleset_id, sample.dealer)
    if dealing_id is None:
        return sides, None
    ids = (rows[0].id, rows[1].id)
    common = attempted_prefix(
        session, ruleset_id, sorted(set(ids)), sample.dealer, sample.first, sample.count
    )
    return sides, _Pair(ruleset_id, dealing_id, ids, sample, common)


def _stored(session: Session, text: str, ruleset_id: int | None) -> SolverRow:
    """The row of a solver, of its newest version unless its text names one.

    The slug of a method is its only solver with outcomes under the ruleset, if there is no outcome
    of the solver with the defaults.
    """
    name, mark, number = text.strip().rpartition(" v")
    if not (mark and number.isascii() and number.isdigit() and len(number) < 10):
        name, number = text.strip(), ""
    query = select(SolverRow).order_by(SolverRow.version.desc()).limit(1)
    if number:
        query = query.where(SolverRow.version == int(number))
    row = session.scalar(query.where(SolverRow.name == name))
    if row is None:
        # It may be written in another way, without defaults; malformed text is wrong.
        row = session.scalar(query.where(SolverRow.name == str(parse_solver(name))))
    if row is not None:
        return row
    used = select(BlockRow.solver_id).where(
        BlockRow.ruleset_id == ruleset_id, is_dealt(BlockRow.dealing_id)
    )
    alike = query.where(SolverRow.method == parse_solver(name).method.slug, SolverRow.id.in_(used))
    others = {each.name: each for each in reversed(session.scalars(alike.limit(None)).all())}
    if not others:
        raise BadInput(f"the catalogue has no outcome of solver {text.strip()}")
    if "(" in name or len(others) > 1:
        raise BadInput(
            f"the catalogue has no outcome of solver {text.strip()}, but of "
            f"{', '.join(sorted(others))}"
        )
    return next(iter(others.values()))


def _counted_blocks(session: Session, pair: _Pair, seeds: range) -> Iterator[tuple[_Counts, range]]:
    """The counts of each block of a range of seeds that both have attempted, one by one."""
    if not seeds:
        return
    blocks = range(seeds.start // BLOCK_SIZE, (seeds.stop - 1) // BLOCK_SIZE + 1)
    ids = sorted(set(pair.solver_ids))
    known = summaries(session, pair.ruleset_id, pair.dealing_id, blocks, ids)
    sums = {(row.block, row.solver_id): row.checksum for row in known}
    for block in blocks:
        low = block * BLOCK_SIZE
        inside = range(max(low, seeds.start), min(low + BLOCK_SIZE, seeds.stop))
        marks = tuple(sums[block, each] for each in pair.solver_ids)
        key = (pair.ruleset_id, pair.dealing_id, block, pair.solver_ids, marks, inside)
        counts = _counts.get(key)
        if counts is None:
            counts = _count(session, pair, block, inside)
            _counts.put(key, counts)
        yield counts, inside


def _count(session: Session, pair: _Pair, block: int, inside: range) -> _Counts:
    found = read_outcomes(
        session, pair.ruleset_id, pair.dealing_id, block, sorted(set(pair.solver_ids)), ["nodes"]
    )
    effort = np.zeros((2, 2, 256), dtype=np.int64)
    key = np.zeros(len(inside), dtype=np.int64)
    bins = []
    for place, solver_id in enumerate(pair.solver_ids):
        mine = found[solver_id]
        at = inside.start - block * BLOCK_SIZE - mine.first
        result = mine.result[at : at + len(inside)]
        spent = effort_of(mine.nodes[at : at + len(inside)])
        effort[place, 0] = np.bincount(spent, minlength=256)
        effort[place, 1] = np.bincount(spent[result == WON], minlength=256)
        key = key * 4 + (result.astype(np.int64) - 1)
        bins.append(_bin_of(spent))
    key = (key * _BINS + bins[0]) * _BINS + bins[1]
    deals = np.bincount(key)
    present = np.flatnonzero(deals)
    return _Counts(present, deals[present], effort)


def _bin_of(effort: Bytes) -> Whole:
    return (effort.astype(np.int64) + _BIN - 1) // _BIN


def _cost(
    session: Session, pair: _Pair | None, place: int, counted: int, effort: Whole, level: float
) -> Cost:
    """The cost of a solver on the deals counted, given its deals and wins by class of effort."""
    if pair is None or counted == 0:
        return Cost(0, 0, 0.0, statistics.clopper_pearson(0, 0, level), ())
    done = outcome_counts(
        session,
        pair.ruleset_id,
        pair.solver_ids[place],
        pair.sample.dealer,
        pair.sample.first,
        counted,
    )
    won = int(effort[1].sum())
    present = np.flatnonzero(effort[0])
    if effort[0][0]:
        present = present[:0]
    values = np.maximum(nodes_of(present.astype(np.uint8)), 1).astype(np.float64)
    deals, wins = effort[0][present], effort[1][present].cumsum()
    # Up to a class its deals end by themselves; the others would be stopped at its end.
    spent = (values * deals).cumsum() + values * (counted - deals.cumsum())
    # Values of classes are their smallest, so the sum is brought up to the stored total.
    scale = done.nodes / spent[-1] if len(spent) else 0.0
    per_node = done.cpu_ms / done.nodes if done.nodes else 0.0
    curve = tuple(
        CurvePoint(_end_of(code), int(total), float(nodes), float(nodes) * per_node)
        for code, total, nodes in zip(present.tolist(), wins, spent * scale, strict=True)
    )
    return Cost(
        won,
        done.nodes,
        done.cpu_ms,
        statistics.clopper_pearson(won, counted, level),
        curve,
        may_hold_compiling(session, pair.ruleset_id, pair.solver_ids[place]),
    )


def _end_of(code: int) -> int:
    """The number of nodes at which a class of effort ends; that of the last is beyond all."""
    value = int(nodes_of(np.array([min(code + 1, 255)], dtype=np.uint8))[0])
    return value if code < 255 else 2 * value


def _effort_bins(table: Whole) -> tuple[EffortBin, ...]:
    """The bins with any deal, from deals by both results and both bins, int64[4, 4, n, n]."""
    won = np.arange(4) == WON - 1
    parts = [table[one][:, other].sum(axis=(0, 1)) for one in (won, ~won) for other in (won, ~won)]
    found = []
    known = sum(parts) > 0
    known[0], known[:, 0] = False, False
    for first, second in np.argwhere(known).tolist():
        counts = [int(part[first, second]) for part in parts]
        found.append(EffortBin(*_ends(first), *_ends(second), *counts))
    return tuple(found)


def _ends(number: int) -> tuple[int, int]:
    low = int(nodes_of(np.array([number * _BIN - _BIN + 1], dtype=np.uint8))[0])
    return low, _end_of(min(number * _BIN, 255))


def _rows(
    session: Session, pair: _Pair, seeds: range, codes: list[NDArray[np.bool_]], limit: int
) -> list[CellDeal]:
    """The first deals of a range within one block whose results are among the asked codes."""
    block = seeds.start // BLOCK_SIZE
    found = read_outcomes(
        session, pair.ruleset_id, pair.dealing_id, block, sorted(set(pair.solver_ids)), ["nodes"]
    )
    sides, chosen = [], np.ones(len(seeds), dtype=np.bool_)
    for solver_id, asked in zip(pair.solver_ids, codes, strict=True):
        columns = found[solver_id]
        at = seeds.start - block * BLOCK_SIZE - columns.first
        result = columns.result[at : at + len(seeds)]
        nodes = columns.nodes[at : at + len(seeds)]
        chosen &= asked[result]
        sides.append((result, nodes))
    one, other = sides
    return [
        CellDeal(
            f"{pair.sample.dealer}:{seeds.start + at}",
            RESULTS[one[0][at] - 1],
            RESULTS[other[0][at] - 1],
            *(int(nodes[at]) if nodes[at] >= 0 else None for _, nodes in sides),
        )
        for at in np.flatnonzero(chosen)[:limit].tolist()
    ]


_counts: Recent[_Counts] = Recent(_COUNTED)
