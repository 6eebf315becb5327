"""Difficulty of deals, and results of solvers.

All figures are of the dealt deals of a sample; imported deals are left out. Nodes are those of the
exact search that decided a deal, so they depend on the search as well as on the deal.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from sqlalchemy import ColumnElement, and_, case, func, select
from sqlalchemy.orm import Session, aliased

from catalogue import statistics
from catalogue.reading.bounds import headline
from catalogue.reading.deal_list import solver_ids_named
from catalogue.reading.samples import (
    attempted_prefix,
    of_game,
    outcome_counts,
    status_counts,
    stored_deals,
)
from catalogue.schema import (
    BLOCK_SIZE,
    DeadEndRow,
    DealRow,
    OutcomeRow,
    RulesetRow,
    SolverRow,
    StatusRow,
    TallyRow,
)
from catalogue.statistics import Interval, Paired
from catalogue.store import Catalogue
from engine.dealing.dealers import Sample
from engine.errors import BadInput
from engine.rulesets import parse_ruleset

# Node counts are shown in bins whose ends are powers of two; the largest exceeds any budget.
MAX_EXPONENT = 40
LENGTH_BIN = 10
# Winner sets are counted outcome by outcome, so over no more deals than this.
WINNER_DEALS = 10_000


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
        lengths: winnable deals with a stored solution, by the moves of the shortest one.
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
    chosen = sample or _headline_sample(cat, slug)
    with cat.session() as session:
        ruleset_id = session.scalar(select(RulesetRow.id).where(RulesetRow.slug == slug))
        if ruleset_id is None or chosen is None:
            return Difficulty(slug, chosen, [], [], [], [], 0)
        few = replace(chosen, count=min(chosen.count, WINNER_DEALS))
        return Difficulty(
            slug,
            chosen,
            *_histograms(session, ruleset_id, chosen),
            _solver_shares(session, ruleset_id, chosen, level),
            _winner_sets(session, ruleset_id, few),
            few.count,
        )


def compare(
    cat: Catalogue,
    ruleset: str,
    first: str,
    second: str,
    sample: Sample | None = None,
    level: float = 0.99,
) -> Paired:
    """Compare two solvers on the deals of a sample that both have attempted.

    By default the sample is the attempted part of that of the overview. Of a solver stored with
    several versions the newest is used. Only the contiguous prefix attempted by both is compared,
    so that deals still being solved do not bias the result.

    Args:
        cat: the catalogue.
        ruleset: slug.
        first: a solver, such as ``exact(nodes=1000000)``.
        second: another solver.
        sample: the deals to compare them on.
        level: level of the interval.

    Raises:
        BadInput: unknown ruleset or solver, one that has no outcome, or a level not between 0
            and 1.
    """
    slug = parse_ruleset(ruleset).slug
    chosen = sample or _headline_sample(cat, slug)
    with cat.session() as session:
        ruleset_id = session.scalar(select(RulesetRow.id).where(RulesetRow.slug == slug))
        ids = [_newest(session, name) for name in (first, second)]
        if ruleset_id is None or chosen is None:
            return statistics.paired(0, 0, 0, 0, level)
        n = attempted_prefix(
            session, ruleset_id, sorted(set(ids)), chosen.dealer, chosen.first, chosen.count
        )
        one, other = aliased(OutcomeRow), aliased(OutcomeRow)
        won_one, won_other = one.result == "won", other.result == "won"
        row = session.execute(
            select(
                _count_if(and_(won_one, won_other)),
                _count_if(and_(won_one, ~won_other)),
                _count_if(and_(~won_one, won_other)),
                _count_if(and_(~won_one, ~won_other)),
            )
            .select_from(DealRow)
            .join(
                one,
                (one.ruleset_id == ruleset_id)
                & (one.solver_id == ids[0])
                & (one.deal_id == DealRow.id),
            )
            .join(
                other,
                (other.ruleset_id == ruleset_id)
                & (other.solver_id == ids[1])
                & (other.deal_id == DealRow.id),
            )
            .where(
                of_game(ruleset_id),
                DealRow.dealer == chosen.dealer,
                DealRow.seed >= chosen.first,
                DealRow.seed < chosen.first + n,
            )
        ).one()
    return statistics.paired(int(row[0]), int(row[1]), int(row[2]), int(row[3]), level)


def _headline_sample(cat: Catalogue, slug: str) -> Sample | None:
    point = headline(cat).get(slug)
    return None if point is None else point.attempted


def _newest(session: Session, name: str) -> int:
    found = solver_ids_named(session, name)
    newest = session.scalar(
        select(SolverRow.id)
        .where(SolverRow.id.in_(found))
        .order_by(SolverRow.version.desc())
        .limit(1)
    )
    if newest is None:
        raise BadInput(f"the catalogue has no outcome of solver {name}")
    return newest


def _count_if(condition: ColumnElement[bool]) -> ColumnElement[int]:
    return func.coalesce(func.sum(case((condition, 1), else_=0)), 0)


def _inside(ruleset_id: int, sample: Sample) -> tuple[ColumnElement[bool], ...]:
    return (
        StatusRow.ruleset_id == ruleset_id,
        StatusRow.dealer == sample.dealer,
        StatusRow.seed >= sample.first,
        StatusRow.seed <= sample.last,
    )


def _histograms(session: Session, ruleset_id: int, sample: Sample) -> tuple[list[Bin], list[Bin]]:
    """The bins of nodes and of lengths, counted in one pass over the statuses."""
    # Neither database guarantees a logarithm that is exact at powers of two.
    exponent = case(
        (StatusRow.nodes.is_(None), None),
        *((StatusRow.nodes < 2**k, k - 1) for k in range(1, MAX_EXPONENT)),
        else_=MAX_EXPONENT - 1,
    ).label("exponent")
    tens = (StatusRow.solution_length // LENGTH_BIN).label("tens")
    rows = session.execute(
        select(exponent, tens, StatusRow.status, func.count().label("deals"))
        .where(*_inside(ruleset_id, sample))
        .group_by(exponent, tens, StatusRow.status)
    ).all()
    nodes = _bins([(row.exponent, row.status, row.deals) for row in rows])
    lengths = _bins([(row.tens, row.status, row.deals) for row in rows])
    return (
        [Bin(2**k if k else 0, 2 ** (k + 1), won, lost) for k, won, lost in nodes],
        [Bin(k * LENGTH_BIN, (k + 1) * LENGTH_BIN, won, lost) for k, won, lost in lengths],
    )


def _bins(counted: list[tuple[int | None, str, int]]) -> list[tuple[int, int, int]]:
    """Index, winnable and unwinnable deals of every bin from the first to the last."""
    counts: dict[int, list[int]] = {}
    for number, status, deals in counted:
        if number is not None:
            counts.setdefault(number, [0, 0])[status != "winnable"] += deals
    if not counts:
        return []
    return [(k, *counts.get(k, (0, 0))) for k in range(min(counts), max(counts) + 1)]


def _solver_shares(
    session: Session, ruleset_id: int, sample: Sample, level: float
) -> list[SolverShare]:
    tried = session.execute(
        select(SolverRow.id, SolverRow.name, SolverRow.version)
        .where(
            SolverRow.id.in_(
                select(TallyRow.solver_id)
                .where(TallyRow.ruleset_id == ruleset_id, TallyRow.dealer == sample.dealer)
                .distinct()
            )
        )
        .order_by(SolverRow.name, SolverRow.version)
    ).all()
    shares = []
    for solver_id, name, version in tried:
        place = (ruleset_id, [solver_id], sample.dealer, sample.first)
        n = attempted_prefix(session, *place, sample.count)
        if n == 0:
            continue
        done = outcome_counts(session, ruleset_id, solver_id, sample.dealer, sample.first, n)
        shares.append(
            SolverShare(
                name,
                version,
                replace(sample, count=n),
                done.won,
                done.lost,
                done.unwinnable,
                done.gave_up,
                done.nodes,
                done.cpu_ms,
                statistics.clopper_pearson(done.won, n, level),
                _dead_ends(session, ruleset_id, solver_id, replace(sample, count=n)),
            )
        )
    return shares


def _dead_ends(session: Session, ruleset_id: int, solver_id: int, sample: Sample) -> dict[str, int]:
    """The number of classifications of a solver in a sample, by kind."""
    rows = session.execute(
        select(DeadEndRow.kind, func.count().label("deals"))
        .join(DealRow, DealRow.id == DeadEndRow.deal_id)
        .where(
            DeadEndRow.ruleset_id == ruleset_id,
            DeadEndRow.solver_id == solver_id,
            of_game(ruleset_id),
            DealRow.dealer == sample.dealer,
            DealRow.seed >= sample.first,
            DealRow.seed <= sample.last,
        )
        .group_by(DeadEndRow.kind)
    )
    return {row.kind: row.deals for row in rows}


def _winner_sets(session: Session, ruleset_id: int, sample: Sample) -> list[WinnerSet]:
    names = {
        row.id: f"{row.name} v{row.version}" for row in session.execute(select(SolverRow)).scalars()
    }
    winners: dict[int, list[str]] = {}
    for start in range(sample.first, sample.last + 1, BLOCK_SIZE):
        seeds = range(start, min(start + BLOCK_SIZE, sample.last + 1))
        for deal_id, solver_id in session.execute(
            select(OutcomeRow.deal_id, OutcomeRow.solver_id).where(
                OutcomeRow.ruleset_id == ruleset_id,
                OutcomeRow.deal_id.in_(stored_deals(session, ruleset_id, sample.dealer, seeds)),
                OutcomeRow.result == "won",
            )
        ):
            winners.setdefault(deal_id, []).append(names[solver_id])
    sets: dict[tuple[str, ...], int] = {}
    for won_by in winners.values():
        key = tuple(sorted(won_by))
        sets[key] = sets.get(key, 0) + 1
    attempted = status_counts(session, ruleset_id, sample.dealer, sample.first, sample.count).deals
    if attempted > len(winners):
        sets[()] = attempted - len(winners)
    return sorted(
        (WinnerSet(key, deals) for key, deals in sets.items()),
        key=lambda each: (-each.deals, each.solvers),
    )
