"""The atlas: what is known under each ruleset of Blake and Gent 2026 and like it, on one sample.

Of each ruleset the deals count that were attempted from the sample's first one on without a gap, by
whichever solvers; so on deals that `reproduce` has decided, the numbers are its own. How many deals
need worrying back is counted from the statuses of blocks under two rulesets. A block is counted
once, and its counts are kept in memory while it does not change; a caller may limit the time, and
the next call goes on from there.
"""

import time
from collections import Counter
from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import select
from sqlalchemy.orm import Session

from catalogue.blocks import ALARM, STATUSES, UNWINNABLE, WINNABLE
from catalogue.outcomes.chunk import SolverKey
from catalogue.reading.block_reader import (
    BlockSummary,
    cut,
    dealing_of,
    read_statuses,
    summaries,
)
from catalogue.reading.bounds import BoundPoint, bounds_of, latest
from catalogue.reading.recent import Recent
from catalogue.reproduction.definitions import BLAKE_GENT_2026, WinnabilityRow
from catalogue.reproduction.published import BLAKE_GENT_DEALS
from catalogue.reproduction.reproduction import blocks_of, stored_key
from catalogue.reproduction.winnability import (
    OPEN,
    PROOFS,
    WINS,
    CountedRow,
    Necessity,
    by_both,
    mean_cpu_ms,
    necessity,
)
from catalogue.reproduction.winnability_charts import DRAW, is_by_draw
from catalogue.schema import BLOCK_SIZE, RulesetRow
from catalogue.store import Catalogue
from engine.dealing.dealers import Sample
from engine.games import game_of
from solvers.solver import parse_solver

ROWS = tuple(row for row in (*BLAKE_GENT_2026.rows, *BLAKE_GENT_2026.further) if row.player is None)
_TABLE = frozenset(BLAKE_GENT_2026.groups["table-8"])
# Titles of options by which rows are chosen.
BUILDING, SPACES, REDEALS, PARTIAL_RUNS = "building", "spaces", "redeals", "partial runs"
# The draws of the rows with limited redeals.
REDEAL_DRAWS = ("1", "3")
# Pairs of blocks whose counts are kept, of nine numbers each.
_COUNTED = 20_000
# The verdict of each status of a block; a deal that is an alarm was won.
_VERDICTS = np.full(len(STATUSES) + 1, OPEN)
_VERDICTS[[WINNABLE, ALARM]] = WINS
_VERDICTS[UNWINNABLE] = PROOFS


@dataclass(frozen=True, slots=True)
class AtlasRow(CountedRow):
    """A row of the atlas.

    Attributes:
        row: the row, with its published figure if there is one.
        sample: the deals that count; the sample asked for if none does.
        point: the counts of these deals.
        bound: the sample under which the page of bounds has the same counts: that of a job if
            there is one, since its bound has a history.
        cpu_ms: mean CPU time of a deal by the solver of the row, over all solved ones that are
            stored in the blocks of the sample; None if there are none.
    """

    row: WinnabilityRow
    sample: Sample
    point: BoundPoint
    bound: Sample
    cpu_ms: float | None

    @property
    def deals(self) -> int:
        return self.point.n

    @property
    def winnable(self) -> int:
        return self.point.winnable

    @property
    def unwinnable(self) -> int:
        return self.point.unwinnable


@dataclass(frozen=True, slots=True)
class NecessityRow:
    """How many deals need worrying back, of those attempted with it and without it.

    Attributes:
        lax: the row with worrying back.
        strict: the one without.
        common: deals attempted under both from the sample's first one on without a gap.
        counted: number of these that are counted here; fewer than `common` if time ran out.
        contradicting: deals stored as won without it and as unwinnable with it; there should be
            none.
        necessity: of the deals counted; its interval is 0 to 1 if there are none, or if any of
            them contradicts another.
    """

    lax: AtlasRow
    strict: AtlasRow
    common: int
    counted: int
    contradicting: int
    necessity: Necessity


@dataclass(frozen=True, slots=True)
class Atlas:
    """The rows of the atlas on a sample, in the order of `ROWS`, and the needs by draw."""

    sample: Sample
    rows: tuple[AtlasRow, ...]
    needed: tuple[NecessityRow, ...]

    @property
    def is_empty(self) -> bool:
        """Whether no deal of the sample was attempted under any of the rulesets."""
        return not any(each.deals for each in self.rows)

    @property
    def left(self) -> int:
        """Deals that are still to be counted for `needed`."""
        return sum(each.common - each.counted for each in self.needed)

    @property
    def counts(self) -> Hashable:
        """All its numbers: equal if nothing has changed between two readings."""
        return (
            tuple((each.deals, each.winnable, each.unwinnable, each.bound) for each in self.rows),
            tuple((each.counted, each.contradicting, each.necessity) for each in self.needed),
        )

    @property
    def games(self) -> list[AtlasRow]:
        """The rows of the table of games, and those of further games that were attempted."""
        return [
            each
            for each in self.rows
            if each.row.name in _TABLE or (DRAW not in each.row.options and each.deals)
        ]

    @property
    def by_draw(self) -> list[AtlasRow]:
        """The rows that differ in their draw and in worrying back alone."""
        return [each for each in self.rows if is_by_draw(each.row)]

    @property
    def tableaus(self) -> list[AtlasRow]:
        """The rows of the map: by building and spaces, at draw 3."""
        found = self._that_differ_in(BUILDING, SPACES)
        # Their usual values come first.
        buildings, spaces = (
            list(dict.fromkeys(each.row.options[title] for each in found))
            for title in (BUILDING, SPACES)
        )
        return sorted(
            found,
            key=lambda each: (
                buildings.index(each.row.options[BUILDING]),
                spaces.index(each.row.options[SPACES]),
            ),
        )

    @property
    def redeals(self) -> list[AtlasRow]:
        """The rows by number of redeals, fewest first, for each of `REDEAL_DRAWS`."""
        found = [
            each
            for each in self._that_differ_in(DRAW, REDEALS)
            if each.row.options[DRAW] in REDEAL_DRAWS
        ]
        return sorted(found, key=lambda each: (each.row.options[DRAW], _limit(each.row)))

    @property
    def runs(self) -> list[AtlasRow]:
        """The rows by draw with parts of runs that move, and with whole runs alone."""
        return self._that_differ_in(DRAW, PARTIAL_RUNS)

    def _that_differ_in(self, *titles: str) -> list[AtlasRow]:
        """The rows of the game with draws that have its usual options but for these."""
        return [
            each
            for each in self.rows
            if DRAW in each.row.options and each.row.unusual <= set(titles)
        ]


def samples(cat: Catalogue) -> list[Sample]:
    """Samples of which there is something to see: those of jobs, and the published deals.

    Those that begin like the samples of the most rulesets come first, and of these the largest.
    """
    ours = {row.ruleset for row in ROWS}
    points = [point for point in latest(cat) if point.ruleset in ours and point.n]
    begun = {(point.ruleset, point.sample.dealer, point.sample.first) for point in points}
    rulesets = Counter((dealer, first) for _, dealer, first in begun)
    found = {Sample(*BLAKE_GENT_DEALS), *(point.sample for point in points)}
    return sorted(
        found,
        key=lambda each: (-rulesets[each.dealer, each.first], -each.count, str(each)),
    )


def atlas(cat: Catalogue, sample: Sample, seconds: float | None = None) -> Atlas:
    """Read what is known of a sample under each ruleset of the atlas.

    Args:
        cat: the catalogue.
        sample: the deals.
        seconds: time after which no further block is counted for `Atlas.needed`; None never stops.
    """
    jobs: dict[tuple[str, str, int, int], Sample] = {
        (each.ruleset, each.sample.dealer, each.sample.first, each.n): each.sample
        for each in latest(cat)
    }
    # Most rulesets have no deals in most catalogues.
    with cat.session() as session:
        stored = set(session.scalars(select(RulesetRow.slug)))
    now = datetime.now(UTC)
    rows = []
    for row in ROWS:
        point = (
            bounds_of(cat, row.ruleset, sample)
            if row.ruleset in stored
            else BoundPoint(row.ruleset, sample, 0, 0, 0, now)
        )
        of_a_job = jobs.get((row.ruleset, sample.dealer, sample.first, point.n), sample)
        attempted = point.attempted or sample
        cpu_ms = _cpu_ms(cat, row, attempted) if point.n else None
        rows.append(AtlasRow(row, attempted, point, of_a_job, cpu_ms))
    deadline = None if seconds is None else time.monotonic() + seconds
    return Atlas(sample, tuple(rows), tuple(_needs(cat, rows, deadline)))


def needing(cat: Catalogue, needed: NecessityRow, most: int) -> list[str]:
    """The first deals, among those counted, that are winnable only with worrying back.

    Args:
        cat: the catalogue.
        needed: how many there are.
        most: of them that are named.
    """
    found: list[str] = []
    if not needed.necessity.needing:
        return found
    with cat.session() as session:
        for pair in _shared_blocks(session, needed.lax, needed.strict, needed.counted):
            table = _counts.get(pair.key)
            if table is not None and not table[WINS, PROOFS]:
                continue
            lax, strict = _verdicts(session, pair)
            places = np.flatnonzero((lax == WINS) & (strict == PROOFS))[: most - len(found)]
            dealer = needed.lax.sample.dealer
            found += [f"{dealer}:{pair.seeds.start + at}" for at in places.tolist()]
            if len(found) == most:
                break
    return found


def _cpu_ms(cat: Catalogue, row: WinnabilityRow, sample: Sample) -> float | None:
    solver = SolverKey.of(parse_solver(row.solver))
    with cat.session() as session:
        key = stored_key(session, row.ruleset, sample.dealer, solver)
        return None if key is None else mean_cpu_ms(session, key, sample)


def _limit(row: WinnabilityRow) -> float:
    return float(row.options[REDEALS].replace("unlimited", "inf"))


def _needs(cat: Catalogue, rows: list[AtlasRow], deadline: float | None) -> Iterator[NecessityRow]:
    """The necessities of each pair of rows that differ in one option alone."""
    by_ruleset = {each.row.ruleset: each for each in rows}
    for lax in rows:
        rules = lax.row.rules
        for option, without in game_of(rules).rulesets.without(rules).items():
            strict = by_ruleset.get(without.slug)
            if strict is None:
                continue
            common = min(lax.deals, strict.deals)
            table = np.zeros((3, 3), dtype=np.int64)
            with cat.session() as session:
                for pair in _shared_blocks(session, lax, strict, common):
                    counts = _counts.get(pair.key)
                    if counts is None:
                        if deadline is not None and time.monotonic() > deadline:
                            break
                        counts = by_both(*_verdicts(session, pair))
                        _counts.put(pair.key, counts)
                    table += counts
            counted, contradicting = int(table.sum()), int(table[PROOFS, WINS])
            if contradicting:
                table[:] = 0
            found = necessity(option, lax.row, strict.row, table)
            yield NecessityRow(lax, strict, common, counted, contradicting, found)


@dataclass(frozen=True, slots=True)
class _BlockPair:
    """A block under two rulesets.

    Attributes:
        rulesets: their ids.
        dealing: the id of its dealing.
        block: its number.
        seeds: those of it that are looked at, all attempted under both.
        rows: what is stored of it under each.
    """

    rulesets: tuple[int, int]
    dealing: int
    block: int
    seeds: range
    rows: tuple[list[BlockSummary], list[BlockSummary]]

    @property
    def key(self) -> object:
        """A key that changes with its counts."""
        marks = tuple(tuple((row.solver_id, row.checksum) for row in each) for each in self.rows)
        return (*self.rulesets, self.dealing, self.block, self.seeds, marks)


def _shared_blocks(
    session: Session, lax: AtlasRow, strict: AtlasRow, deals: int
) -> Iterator[_BlockPair]:
    """The blocks of the first deals of two rows."""
    if not deals:
        return
    slugs = (lax.row.ruleset, strict.row.ruleset)
    stored = session.execute(
        select(RulesetRow.slug, RulesetRow.id).where(RulesetRow.slug.in_(slugs))
    )
    ids = {row.slug: row.id for row in stored}
    rulesets = (ids[slugs[0]], ids[slugs[1]])
    first = lax.sample.first
    sample = Sample(lax.sample.dealer, first, deals)
    dealing = dealing_of(session, rulesets[0], sample.dealer)
    assert dealing is not None  # deals of it were attempted
    blocks = blocks_of(sample)
    known = [summaries(session, each, dealing, blocks) for each in rulesets]
    for block in blocks:
        seeds = range(
            max(block * BLOCK_SIZE, first), min((block + 1) * BLOCK_SIZE, sample.last + 1)
        )
        one, other = ([row for row in each if row.block == block] for each in known)
        yield _BlockPair(rulesets, dealing, block, seeds, (one, other))


def _verdicts(session: Session, pair: _BlockPair) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The verdicts on the seeds of a block under both rulesets, int64[n] each."""
    found = []
    for ruleset, rows in zip(pair.rulesets, pair.rows, strict=True):
        statuses = read_statuses(session, ruleset, pair.dealing, pair.block, rows)
        found.append(_VERDICTS[statuses.status[cut(statuses, pair.block, pair.seeds)]])
    return found[0], found[1]


_counts: Recent[NDArray[np.int64]] = Recent(_COUNTED)
