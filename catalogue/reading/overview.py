"""An overview of the catalogue, counted from blocks of seeds and never from outcomes."""

from collections import defaultdict
from dataclasses import dataclass

import numpy as np
from sqlalchemy import ColumnElement, case, exists, func, select
from sqlalchemy.orm import Session

from catalogue.blocks import ALARM, UNWINNABLE
from catalogue.reading.alarms import CrossAlarms, cross_alarms
from catalogue.reading.block_reader import read_statuses
from catalogue.reading.bounds import BoundPoint, headline
from catalogue.reading.cell_index import by_status_effort_detail, dealings_of, read_index
from catalogue.reading.deal_list import IMPORTED
from catalogue.reading.recent import Recent
from catalogue.reproduction.published import Figure, figures
from catalogue.schema import (
    BLOCK_SIZE,
    BlockRow,
    DealingRow,
    DealRow,
    OutcomeRow,
    RulesetRow,
    SolverRow,
    StatusBlockRow,
    StatusRow,
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
        imported: those without a dealer.
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
        counted = {
            row.ruleset_id: row
            for row in session.execute(
                select(
                    StatusBlockRow.ruleset_id,
                    func.sum(StatusBlockRow.deals).label("deals"),
                    func.sum(StatusBlockRow.winnable).label("winnable"),
                    func.sum(StatusBlockRow.unwinnable).label("unwinnable"),
                    func.sum(StatusBlockRow.alarms).label("alarms"),
                ).group_by(StatusBlockRow.ruleset_id)
            )
        }
        by_ruleset = []
        for ruleset_id, slug in session.execute(select(RulesetRow.id, RulesetRow.slug)).all():
            row = counted.get(ruleset_id)
            imported, imported_alarms, _ = _imported_statuses(session, ruleset_id)
            if row is None and imported == 0:
                continue
            by_ruleset.append(
                RulesetOverview(
                    ruleset=slug,
                    deals=int(row.deals) if row else 0,
                    winnable=int(row.winnable) if row else 0,
                    unwinnable=int(row.unwinnable) if row else 0,
                    imported=imported,
                    alarms=(int(row.alarms) if row else 0) + imported_alarms,
                    bound=best.get(slug),
                    published=figures(slug, sees="deal"),
                )
            )
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
                    | exists().where(StatusRow.ruleset_id == RulesetRow.id)
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
        found = session.scalars(
            select(DealingRow.dealer)
            .join(RulesetRow, RulesetRow.game == DealingRow.game)
            .where(tried)
            .distinct()
        )
        named = sorted(dealer for dealer in found if dealer is not None)
        has_imported = session.scalar(
            select(exists().where(DealRow.dealing_id.in_(_imported_dealings(session))))
        )
    return [*named, IMPORTED] if has_imported else named


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
        # Others have been tried on imported deals alone.
        for ruleset_id in ruleset_ids:
            if session.scalar(select(exists().where(StatusRow.ruleset_id == ruleset_id))):
                found |= {
                    solver_id
                    for solver_id in named.keys() - found
                    if _has_outcome(session, ruleset_id, solver_id)
                }
    return sorted({named[solver_id] for solver_id in found})


def _has_outcome(session: Session, ruleset_id: int, solver_id: int) -> bool:
    # The first columns of the primary key of outcomes.
    has = exists().where(OutcomeRow.ruleset_id == ruleset_id, OutcomeRow.solver_id == solver_id)
    return bool(session.scalar(select(has)))


def _counts(cat: Catalogue, session: Session) -> Counts:
    kept = session.execute(
        select(
            func.coalesce(func.sum(BlockRow.attempted), 0), func.coalesce(func.sum(BlockRow.won), 0)
        )
    ).one()
    # Imported deals are in no block, but they are few, and an index finds them.
    imported_ids = select(DealRow.id).where(
        DealRow.dealing_id.in_(_imported_dealings(session)), DealRow.seed.is_(None)
    )
    imported = session.scalar(select(func.count()).select_from(imported_ids.subquery())) or 0
    played = (0, 0)
    if imported:
        row = session.execute(
            select(
                func.count(),
                func.coalesce(func.sum(_as_number(OutcomeRow.result == "won")), 0),
            ).where(OutcomeRow.deal_id.in_(imported_ids))
        ).one()
        played = (int(row[0]), int(row[1]))
    rulesets = list(session.scalars(select(RulesetRow.id)))
    of_imported = [_imported_statuses(session, ruleset_id) for ruleset_id in rulesets]
    statuses = session.execute(
        select(
            func.coalesce(func.sum(StatusBlockRow.deals), 0),
            func.coalesce(func.sum(StatusBlockRow.alarms), 0),
        )
    ).one()
    return Counts(
        deals=_dealt(cat, session) + imported,
        imported=imported,
        statuses=int(statuses[0]) + sum(known for known, _, _ in of_imported),
        outcomes=int(kept[0]) + played[0],
        solutions=int(kept[1]) + played[1],
        dead_ends=sum(_dead_ends(cat, session, ruleset_id) for ruleset_id in rulesets)
        + sum(dead for _, _, dead in of_imported),
        alarms=int(statuses[1]) + sum(alarms for _, alarms, _ in of_imported),
    )


def _imported_dealings(session: Session) -> list[int]:
    """The ids of the dealings of imported deals."""
    return list(session.scalars(select(DealingRow.id).where(DealingRow.dealer.is_(None))))


def _dealt(cat: Catalogue, session: Session) -> int:
    """The number of dealt deals with an outcome under any ruleset.

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
        ).order_by(StatusBlockRow.ruleset_id)
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
    """The number of dealt deals with a dead-end classification under a ruleset."""
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


def _imported_statuses(session: Session, ruleset_id: int) -> tuple[int, int, int]:
    """Numbers of imported deals with a status under a ruleset, an alarm, and a dead end."""
    row = session.execute(
        select(
            func.count(),
            func.coalesce(func.sum(_as_number((StatusRow.wins > 0) & (StatusRow.proofs > 0))), 0),
            func.count(StatusRow.dead_end),
        ).where(StatusRow.ruleset_id == ruleset_id)
    ).one()
    return int(row[0]), int(row[1]), int(row[2])


def _as_number(condition: ColumnElement[bool]) -> ColumnElement[int]:
    return case((condition, 1), else_=0)


_together: Recent[int] = Recent(100_000)
