"""An overview of the catalogue, counted from blocks of seeds and never from outcomes."""

from collections import defaultdict
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

import numpy as np
from sqlalchemy import exists, func, select
from sqlalchemy.orm import Session

from catalogue.blocks import ALARM, UNWINNABLE
from catalogue.reading.alarms import CrossAlarms, cross_alarms
from catalogue.reading.block_reader import read_statuses
from catalogue.reading.bounds import BoundPoint, headline
from catalogue.reading.cell_index import by_status_effort_detail, dealings_of, read_index
from catalogue.reading.recent import Recent
from catalogue.reproduction.published import Figure, figures
from catalogue.schema import (
    BLOCK_SIZE,
    IMPORTED,
    BlockRow,
    DealingRow,
    DealRow,
    RulesetRow,
    SolverRow,
    StatusBlockRow,
)
from catalogue.store import Catalogue
from engine.rulesets import parse_ruleset

# How long the overview compares rulesets each time it is read.
COMPARING_SECONDS = 0.05


@dataclass(frozen=True, slots=True)
class Counts:
    """Numbers of what is known.

    Attributes:
        deals: deals of a game with any outcome, imported ones included.
        imported: the imported ones, whether or not they have an outcome.
        statuses: pairs of a deal and a ruleset with any outcome.
        outcomes: all outcomes.
        solutions: wins; solutions that have no row are made again on demand.
        dead_ends: pairs of a deal and a ruleset with a dead-end classification.
        alarms: pairs of a deal and a ruleset that are both won and proved unwinnable.
    """

    deals: int
    imported: int
    statuses: int
    outcomes: int
    solutions: int
    dead_ends: int
    alarms: int


@dataclass(frozen=True, slots=True)
class RulesetOverview:
    """The state of the catalogue under one ruleset.

    Attributes:
        ruleset: its slug.
        deals: dealt deals with any outcome; `winnable`, `unwinnable` and `unresolved` add up to it.
        imported: imported deals, which are not part of any other count or percentage.
        alarms: deals, including imported ones, that are both won and proved unwinnable.
        bound: the bound with the narrowest interval (`bounds.headline`), or None without any.
        published: published figures for these rules with all cards known.
    """

    ruleset: str
    deals: int
    winnable: int
    unwinnable: int
    imported: int
    alarms: int
    bound: BoundPoint | None
    published: list[Figure]

    @property
    def unresolved(self) -> int:
        return self.deals - self.winnable - self.unwinnable


@dataclass(frozen=True, slots=True)
class Overview:
    """The whole catalogue; rulesets with the most deals come first.

    `across` has what contradicts between rulesets, as far as it has been compared.
    """

    counts: Counts
    rulesets: list[RulesetOverview]
    across: CrossAlarms


def overview(cat: Catalogue) -> Overview:
    """Read the counts of the catalogue and the best bound of every ruleset."""
    best = headline(cat)
    with cat.session() as session:
        sums = [
            func.sum(getattr(StatusBlockRow, name)).label(name)
            for name in ("deals", "winnable", "unwinnable", "alarms")
        ]
        counted: dict[str, dict[bool, Any]] = defaultdict(dict)
        for row in session.execute(
            select(RulesetRow.slug, _is_imported.label("imported"), *sums)
            .join(StatusBlockRow, StatusBlockRow.ruleset_id == RulesetRow.id)
            .join(DealingRow, DealingRow.id == StatusBlockRow.dealing_id)
            .group_by(RulesetRow.slug, "imported")
        ):
            counted[row.slug][bool(row.imported)] = row
        by_ruleset = [
            RulesetOverview(
                ruleset=slug,
                deals=int(rows[False].deals) if False in rows else 0,
                winnable=int(rows[False].winnable) if False in rows else 0,
                unwinnable=int(rows[False].unwinnable) if False in rows else 0,
                imported=int(rows[True].deals) if True in rows else 0,
                alarms=sum(int(row.alarms) for row in rows.values()),
                bound=best.get(slug),
                published=figures(slug, sees="deal"),
            )
            for slug, rows in counted.items()
        ]
        totals = _counts(cat, session)
    by_ruleset.sort(key=lambda known: (-known.deals, known.ruleset))
    return Overview(totals, by_ruleset, cross_alarms(cat, COMPARING_SECONDS))


def counts(cat: Catalogue) -> Counts:
    """Count what is known."""
    with cat.session() as session:
        return _counts(cat, session)


def rulesets(cat: Catalogue) -> list[str]:
    """Slugs of the rulesets with any outcome, sorted."""
    with cat.session() as session:
        return sorted(
            session.scalars(
                select(RulesetRow.slug).where(
                    exists().where(StatusBlockRow.ruleset_id == RulesetRow.id)
                )
            )
        )


def dealers(cat: Catalogue) -> list[str]:
    """Slugs of the dealers with any outcome, sorted; `IMPORTED` last if there are such deals."""
    # By ruleset and dealing, the first columns of the primary key of blocks.
    tried = exists().where(
        StatusBlockRow.ruleset_id == RulesetRow.id, StatusBlockRow.dealing_id == DealingRow.id
    )
    with cat.session() as session:
        named = set(
            session.scalars(
                select(DealingRow.dealer)
                .join(RulesetRow, RulesetRow.game == DealingRow.game)
                .where(tried, ~_is_imported)
            )
        )
        imported = session.scalar(
            select(exists().where(DealRow.dealing_id.in_(_imported(session))))
        )
    return sorted(named) + [IMPORTED] * bool(imported)


def solvers(cat: Catalogue, ruleset: str | None = None) -> list[str]:
    """Names of the solvers with any outcome (under a ruleset), sorted.

    Raises:
        BadInput: unknown ruleset.
    """
    slug = None if ruleset is None else parse_ruleset(ruleset).slug
    with cat.session() as session:
        rows = session.execute(select(RulesetRow.id, RulesetRow.slug))
        ruleset_ids = [row.id for row in rows if slug in (None, row.slug)]
        in_blocks = select(BlockRow.solver_id).where(BlockRow.ruleset_id.in_(ruleset_ids))
        found = set(session.scalars(in_blocks.distinct()))
        named = {row.id: row.name for row in session.execute(select(SolverRow.id, SolverRow.name))}
    return sorted({named[solver_id] for solver_id in found})


def _counts(cat: Catalogue, session: Session) -> Counts:
    kept = session.execute(
        select(
            func.coalesce(func.sum(BlockRow.attempted), 0), func.coalesce(func.sum(BlockRow.won), 0)
        )
    ).one()
    dealings = _imported(session)
    imported = session.scalar(select(func.count()).where(DealRow.dealing_id.in_(dealings))) or 0
    rulesets = list(session.scalars(select(RulesetRow.id)))
    statuses = session.execute(
        select(
            func.coalesce(func.sum(StatusBlockRow.deals), 0),
            func.coalesce(func.sum(StatusBlockRow.alarms), 0),
        )
    ).one()
    return Counts(
        deals=_dealt(cat, session, dealings) + imported,
        imported=imported,
        statuses=int(statuses[0]),
        outcomes=int(kept[0]),
        solutions=int(kept[1]),
        dead_ends=sum(_dead_ends(cat, session, ruleset_id) for ruleset_id in rulesets),
        alarms=int(statuses[1]),
    )


def _imported(session: Session) -> list[int]:
    """The ids of the dealings of imported deals; asked for first, so that an index finds these."""
    return list(session.scalars(select(DealingRow.id).where(_is_imported)))


def _dealt(cat: Catalogue, session: Session, imported: Collection[int]) -> int:
    """The number of deals with an outcome under any ruleset, without those of some dealings.

    Only of a block that is filled in part, under several rulesets, statuses are read. Outcomes are
    never deleted, so as long as their numbers are the same, so are the deals.
    """
    by_block: dict[tuple[int, int], list[tuple[int, int]]] = defaultdict(list)
    for ruleset_id, dealing_id, block, deals in session.execute(
        select(
            StatusBlockRow.ruleset_id,
            StatusBlockRow.dealing_id,
            StatusBlockRow.block,
            StatusBlockRow.deals,
        )
        .where(StatusBlockRow.dealing_id.not_in(imported))
        .order_by(StatusBlockRow.ruleset_id)
    ):
        by_block[dealing_id, block].append((ruleset_id, deals))
    total = 0
    for (dealing_id, block), known in by_block.items():
        most = max(deals for _, deals in known)
        if len(known) == 1 or most == BLOCK_SIZE:
            total += most
            continue
        key = (cat.url, dealing_id, block, tuple(known))
        together = _together.get(key)
        if together is None:
            seen = np.zeros(BLOCK_SIZE, dtype=np.bool_)
            for ruleset_id, _ in known:
                statuses = read_statuses(session, ruleset_id, dealing_id, block)
                seen[statuses.first : statuses.first + len(statuses)] |= statuses.status > 0
            together = int(seen.sum())
            _together.put(key, together)
        total += together
    return total


def _dead_ends(cat: Catalogue, session: Session, ruleset_id: int) -> int:
    """The number of deals with a dead-end classification under a ruleset."""
    found = 0
    for dealing_id, (_, state) in dealings_of(session, ruleset_id).items():
        index = read_index(cat, session, ruleset_id, dealing_id, state)
        cells = by_status_effort_detail(index.totals(np.ones(len(index), dtype=np.bool_)))
        found += int(cells[UNWINNABLE - 1, :, 1:].sum())
        # The cells of contradictions do not tell.
        for block in session.scalars(
            select(StatusBlockRow.block).where(
                StatusBlockRow.ruleset_id == ruleset_id,
                StatusBlockRow.dealing_id == dealing_id,
                StatusBlockRow.alarms > 0,
            )
        ):
            statuses = read_statuses(session, ruleset_id, dealing_id, block)
            found += int(((statuses.status == ALARM) & (statuses.dead_end > 0)).sum())
    return found


_is_imported = DealingRow.dealer == IMPORTED
_together: Recent[int] = Recent(100_000)
