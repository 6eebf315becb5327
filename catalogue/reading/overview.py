"""An overview of the catalogue, counted from tallies and never from outcomes."""

from dataclasses import dataclass

from sqlalchemy import ColumnElement, exists, func, select
from sqlalchemy.orm import Session

from catalogue.published import Figure, figures
from catalogue.reading.bounds import BoundPoint, headline
from catalogue.reading.deal_list import IMPORTED
from catalogue.reading.references import reference
from catalogue.schema import (
    BLOCK_SIZE,
    DeadEndRow,
    DealRow,
    OutcomeRow,
    RulesetRow,
    SolutionRow,
    SolverRow,
    StatusRow,
    StatusTallyRow,
    TallyRow,
    same_outcome,
)
from catalogue.store import Catalogue
from engine.rulesets import parse_ruleset


@dataclass(frozen=True, slots=True)
class Counts:
    """Numbers of stored objects.

    Attributes:
        deals: stored deals, imported ones included.
        imported: those without a dealer.
        statuses: pairs of a deal and a ruleset with any outcome.
        outcomes: all outcomes.
        solutions: wins.
        dead_ends: dead-end classifications of starting deals.
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
    """The whole catalogue; rulesets with the most deals come first."""

    counts: Counts
    rulesets: list[RulesetOverview]


def overview(cat: Catalogue) -> Overview:
    """Read the counts of the catalogue and the best bound of every ruleset."""
    best = headline(cat)
    with cat.session() as session:
        tallied = {
            row.ruleset_id: row
            for row in session.execute(
                select(
                    StatusTallyRow.ruleset_id,
                    func.sum(StatusTallyRow.deals).label("deals"),
                    func.sum(StatusTallyRow.winnable).label("winnable"),
                    func.sum(StatusTallyRow.unwinnable).label("unwinnable"),
                    func.sum(StatusTallyRow.alarms).label("alarms"),
                ).group_by(StatusTallyRow.ruleset_id)
            )
        }
        by_ruleset = []
        for ruleset_id, slug in session.execute(select(RulesetRow.id, RulesetRow.slug)).all():
            row = tallied.get(ruleset_id)
            imported, imported_alarms = _imported_statuses(session, ruleset_id)
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
        totals = _counts(session)
    by_ruleset.sort(key=lambda known: (-known.deals, known.ruleset))
    return Overview(totals, by_ruleset)


def counts(cat: Catalogue) -> Counts:
    """Count the stored objects."""
    with cat.session() as session:
        return _counts(session)


def rulesets(cat: Catalogue) -> list[str]:
    """Slugs of the rulesets with any outcome, sorted."""
    with cat.session() as session:
        return sorted(
            session.scalars(
                select(RulesetRow.slug).where(exists().where(StatusRow.ruleset_id == RulesetRow.id))
            )
        )


def dealers(cat: Catalogue) -> list[str]:
    """Slugs of the dealers with any outcome, sorted; `IMPORTED` last if there are such deals."""
    with cat.session() as session:
        found = sorted(session.scalars(select(StatusTallyRow.dealer).distinct()))
        by_hand = session.scalar(select(exists().where(DealRow.dealer.is_(None))))
    return [*found, IMPORTED] if by_hand else found


def solvers(cat: Catalogue, ruleset: str | None = None) -> list[str]:
    """Names of the solvers with any outcome (under a ruleset), sorted.

    Raises:
        BadInput: unknown ruleset.
    """
    # By ruleset and solver, the first columns of the primary key of outcomes.
    tried = exists().where(
        OutcomeRow.ruleset_id == RulesetRow.id, OutcomeRow.solver_id == SolverRow.id
    )
    query = select(SolverRow.name).distinct().join(RulesetRow, tried)
    if ruleset is not None:
        query = query.where(RulesetRow.slug == parse_ruleset(ruleset).slug)
    with cat.session() as session:
        return sorted(session.scalars(query))


@dataclass(frozen=True, slots=True)
class Alarm:
    """A deal both won and proved unwinnable under the same ruleset."""

    deal: str
    ruleset: str
    won_by: list[str]
    proved_by: list[str]


def alarms(cat: Catalogue) -> list[Alarm]:
    """All contradictions in the catalogue; there should be none.

    Solvers are named with their version, such as ``exact(nodes=1000) v2``.
    """
    found = []
    with cat.session() as session:
        blocks = session.execute(
            select(StatusTallyRow.ruleset_id, StatusTallyRow.dealer, StatusTallyRow.block)
            .where(StatusTallyRow.alarms > 0)
            .order_by(StatusTallyRow.ruleset_id, StatusTallyRow.dealer, StatusTallyRow.block)
        ).all()
        places: list[tuple[ColumnElement[bool], ...]] = [
            (
                StatusRow.ruleset_id == ruleset_id,
                StatusRow.dealer == dealer,
                StatusRow.seed >= block * BLOCK_SIZE,
                StatusRow.seed < (block + 1) * BLOCK_SIZE,
            )
            for ruleset_id, dealer, block in blocks
        ]
        places.extend(
            (StatusRow.ruleset_id == ruleset_id, StatusRow.dealer.is_(None))
            for ruleset_id in session.scalars(select(RulesetRow.id).order_by(RulesetRow.id))
        )
        for place in places:
            rows = session.execute(
                select(
                    StatusRow.ruleset_id,
                    RulesetRow.slug,
                    DealRow.id,
                    DealRow.dealer,
                    DealRow.seed,
                    DealRow.digest,
                )
                .join(RulesetRow, RulesetRow.id == StatusRow.ruleset_id)
                .join(DealRow, DealRow.id == StatusRow.deal_id)
                .where(*place, _contradicted())
                .order_by(StatusRow.seed, StatusRow.deal_id)
            ).all()
            for row in rows:
                verdicts = session.execute(
                    select(OutcomeRow.result, SolverRow.name, SolverRow.version)
                    .join(SolverRow, SolverRow.id == OutcomeRow.solver_id)
                    .where(OutcomeRow.deal_id == row.id, OutcomeRow.ruleset_id == row.ruleset_id)
                    .order_by(SolverRow.name, SolverRow.version)
                ).all()
                found.append(
                    Alarm(
                        reference(row.dealer, row.seed, row.digest),
                        row.slug,
                        [f"{v.name} v{v.version}" for v in verdicts if v.result == "won"],
                        [f"{v.name} v{v.version}" for v in verdicts if v.result == "unwinnable"],
                    )
                )
    return found


def _counts(session: Session) -> Counts:
    tallied = session.execute(
        select(
            func.coalesce(func.sum(TallyRow.attempted), 0), func.coalesce(func.sum(TallyRow.won), 0)
        )
    ).one()
    # Imported deals are not in any tally, but they are few and an index finds them.
    by_hand = session.execute(
        select(
            func.count(),
            func.count(SolutionRow.deal_id),
        )
        .select_from(DealRow)
        .join(OutcomeRow, OutcomeRow.deal_id == DealRow.id)
        .outerjoin(SolutionRow, same_outcome(SolutionRow))
        .where(DealRow.dealer.is_(None))
    ).one()
    statuses = session.execute(
        select(
            func.coalesce(func.sum(StatusTallyRow.deals), 0),
            func.coalesce(func.sum(StatusTallyRow.alarms), 0),
        )
    ).one()
    imported_statuses = [
        _imported_statuses(session, ruleset_id)
        for ruleset_id in session.scalars(select(RulesetRow.id))
    ]
    return Counts(
        deals=session.scalar(select(func.count()).select_from(DealRow)) or 0,
        imported=session.scalar(
            select(func.count()).select_from(DealRow).where(DealRow.dealer.is_(None))
        )
        or 0,
        statuses=int(statuses[0]) + sum(known for known, _ in imported_statuses),
        outcomes=int(tallied[0]) + int(by_hand[0]),
        solutions=int(tallied[1]) + int(by_hand[1]),
        dead_ends=session.scalar(select(func.count()).select_from(DeadEndRow)) or 0,
        alarms=int(statuses[1]) + sum(alarms for _, alarms in imported_statuses),
    )


def _contradicted() -> ColumnElement[bool]:
    return (StatusRow.wins > 0) & (StatusRow.proofs > 0)


def _imported_statuses(session: Session, ruleset_id: int) -> tuple[int, int]:
    """The number of imported deals with a status under a ruleset, and of those with an alarm."""
    here = (StatusRow.ruleset_id == ruleset_id, StatusRow.dealer.is_(None))
    known = session.scalar(select(func.count()).select_from(StatusRow).where(*here))
    if not known:
        return 0, 0
    alarms = session.scalar(
        select(func.count()).select_from(StatusRow).where(*here, _contradicted())
    )
    return known, alarms or 0
