"""What the catalogue holds, at a glance. Counts come from the tallies, never from outcomes."""

from dataclasses import dataclass

from sqlalchemy import ColumnElement, exists, func, select
from sqlalchemy.orm import Session

from catalogue.bounds import BoundPoint, headline
from catalogue.deal_list import IMPORTED
from catalogue.published import Figure, figures
from catalogue.references import reference
from catalogue.schema import (
    BLOCK_SIZE,
    DeadEnd,
    Deal,
    Outcome,
    Ruleset,
    Solution,
    Solver,
    Status,
    StatusTally,
    Tally,
    same_outcome,
)
from catalogue.store import Catalogue
from engine.rulesets import parse_ruleset


@dataclass(frozen=True, slots=True)
class Counts:
    """How much is stored.

    Attributes:
        deals: stored deals, imported ones included.
        imported: those of them without a dealer.
        statuses: pairs of a deal and a ruleset with any outcome.
        outcomes: all of them.
        solutions: the won ones.
        dead_ends: classifications of starting deals.
        alarms: pairs of a deal and a ruleset both won and proved unwinnable.
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
    """What is known under one ruleset.

    Attributes:
        ruleset: its slug.
        deals: dealt deals with any outcome; `winnable`, `unwinnable` and `unresolved` add up to it.
        imported: further deals, brought in by hand and part of no count or percentage.
        alarms: deals, imported ones too, that are both won and proved unwinnable.
        bound: of the sample that says most (`bounds.headline`), or None without any.
        published: what others measured under these rules, knowing all cards.
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
    """The whole catalogue at a glance; the rulesets with the most deals first."""

    counts: Counts
    rulesets: list[RulesetOverview]


def overview(cat: Catalogue) -> Overview:
    """What the catalogue holds, and the best bound of every ruleset."""
    best = headline(cat)
    with cat.session() as session:
        tallied = {
            row.ruleset_id: row
            for row in session.execute(
                select(
                    StatusTally.ruleset_id,
                    func.sum(StatusTally.deals).label("deals"),
                    func.sum(StatusTally.winnable).label("winnable"),
                    func.sum(StatusTally.unwinnable).label("unwinnable"),
                    func.sum(StatusTally.alarms).label("alarms"),
                ).group_by(StatusTally.ruleset_id)
            )
        }
        by_ruleset = []
        for ruleset_id, slug in session.execute(select(Ruleset.id, Ruleset.slug)).all():
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
    """How much is stored."""
    with cat.session() as session:
        return _counts(session)


def rulesets(cat: Catalogue) -> list[str]:
    """Slugs of the rulesets that have any outcome, sorted."""
    with cat.session() as session:
        return sorted(
            session.scalars(
                select(Ruleset.slug).where(exists().where(Status.ruleset_id == Ruleset.id))
            )
        )


def dealers(cat: Catalogue) -> list[str]:
    """Slugs of the dealers that have any outcome, sorted; `IMPORTED` last if there are such."""
    with cat.session() as session:
        found = sorted(session.scalars(select(StatusTally.dealer).distinct()))
        by_hand = session.scalar(select(exists().where(Deal.dealer.is_(None))))
    return [*found, IMPORTED] if by_hand else found


def solvers(cat: Catalogue, ruleset: str | None = None) -> list[str]:
    """Names of the solvers that have any outcome (under a ruleset), sorted.

    Raises:
        BadInput: unknown ruleset.
    """
    # By ruleset and solver, the first columns of the key of outcomes.
    tried = exists().where(Outcome.ruleset_id == Ruleset.id, Outcome.solver_id == Solver.id)
    query = select(Solver.name).distinct().join(Ruleset, tried)
    if ruleset is not None:
        query = query.where(Ruleset.slug == parse_ruleset(ruleset).slug)
    with cat.session() as session:
        return sorted(session.scalars(query))


@dataclass(frozen=True, slots=True)
class Alarm:
    """A deal that somebody won and somebody proved unwinnable under the same ruleset."""

    deal: str
    ruleset: str
    won_by: list[str]
    proved_by: list[str]


def alarms(cat: Catalogue) -> list[Alarm]:
    """Every contradiction in the catalogue; there should be none.

    Solvers are named with their version, such as ``exact(nodes=1000) v2``.
    """
    found = []
    with cat.session() as session:
        blocks = session.execute(
            select(StatusTally.ruleset_id, StatusTally.dealer, StatusTally.block)
            .where(StatusTally.alarms > 0)
            .order_by(StatusTally.ruleset_id, StatusTally.dealer, StatusTally.block)
        ).all()
        places: list[tuple[ColumnElement[bool], ...]] = [
            (
                Status.ruleset_id == ruleset_id,
                Status.dealer == dealer,
                Status.seed >= block * BLOCK_SIZE,
                Status.seed < (block + 1) * BLOCK_SIZE,
            )
            for ruleset_id, dealer, block in blocks
        ]
        places.extend(
            (Status.ruleset_id == ruleset_id, Status.dealer.is_(None))
            for ruleset_id in session.scalars(select(Ruleset.id).order_by(Ruleset.id))
        )
        for place in places:
            rows = session.execute(
                select(
                    Status.ruleset_id, Ruleset.slug, Deal.id, Deal.dealer, Deal.seed, Deal.digest
                )
                .join(Ruleset, Ruleset.id == Status.ruleset_id)
                .join(Deal, Deal.id == Status.deal_id)
                .where(*place, _contradicted())
                .order_by(Status.seed, Status.deal_id)
            ).all()
            for row in rows:
                verdicts = session.execute(
                    select(Outcome.result, Solver.name, Solver.version)
                    .join(Solver, Solver.id == Outcome.solver_id)
                    .where(Outcome.deal_id == row.id, Outcome.ruleset_id == row.ruleset_id)
                    .order_by(Solver.name, Solver.version)
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
        select(func.coalesce(func.sum(Tally.attempted), 0), func.coalesce(func.sum(Tally.won), 0))
    ).one()
    # Imported deals are in no tally, but they are few and found by their missing dealer.
    by_hand = session.execute(
        select(
            func.count(),
            func.count(Solution.deal_id),
        )
        .select_from(Deal)
        .join(Outcome, Outcome.deal_id == Deal.id)
        .outerjoin(Solution, same_outcome(Solution))
        .where(Deal.dealer.is_(None))
    ).one()
    statuses = session.execute(
        select(
            func.coalesce(func.sum(StatusTally.deals), 0),
            func.coalesce(func.sum(StatusTally.alarms), 0),
        )
    ).one()
    imported_statuses = [
        _imported_statuses(session, ruleset_id)
        for ruleset_id in session.scalars(select(Ruleset.id))
    ]
    return Counts(
        deals=session.scalar(select(func.count()).select_from(Deal)) or 0,
        imported=session.scalar(select(func.count()).select_from(Deal).where(Deal.dealer.is_(None)))
        or 0,
        statuses=int(statuses[0]) + sum(known for known, _ in imported_statuses),
        outcomes=int(tallied[0]) + int(by_hand[0]),
        solutions=int(tallied[1]) + int(by_hand[1]),
        dead_ends=session.scalar(select(func.count()).select_from(DeadEnd)) or 0,
        alarms=int(statuses[1]) + sum(alarms for _, alarms in imported_statuses),
    )


def _contradicted() -> ColumnElement[bool]:
    return (Status.wins > 0) & (Status.proofs > 0)


def _imported_statuses(session: Session, ruleset_id: int) -> tuple[int, int]:
    """How many imported deals have a status under a ruleset, and how many are contradicted."""
    here = (Status.ruleset_id == ruleset_id, Status.dealer.is_(None))
    known = session.scalar(select(func.count()).select_from(Status).where(*here))
    if not known:
        return 0, 0
    alarms = session.scalar(select(func.count()).select_from(Status).where(*here, _contradicted()))
    return known, alarms or 0
