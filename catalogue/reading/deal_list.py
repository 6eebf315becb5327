"""Lists of deals, filtered, sorted and paged by the database."""

from dataclasses import dataclass
from typing import Literal, get_args

from sqlalchemy import ColumnElement, func, select
from sqlalchemy.orm import Session

from catalogue.reading.references import reference
from catalogue.schema import MAX_STORED_SEED, DealRow, OutcomeRow, RulesetRow, SolverRow, StatusRow
from catalogue.store import Catalogue
from engine.dealing.dealers import get_dealer
from engine.errors import BadInput
from engine.rulesets import parse_ruleset
from solvers.outcome import Result
from solvers.registry import method_slugs, parse_solver

STATUSES = ("winnable", "unwinnable", "unresolved")
RESULTS = tuple(result.value for result in Result)
# In place of a dealer: imported deals, which have none.
IMPORTED = "imported"
# In place of a kind of dead end: any kind.
ANY = "any"
MAX_PAGE_SIZE = 1000
Sort = Literal["deal", "nodes", "length"]
SORTS: tuple[Sort, ...] = get_args(Sort)


@dataclass(frozen=True, slots=True)
class DealFilter:
    """A filter of the deals of a ruleset; None sets no condition.

    Attributes:
        ruleset: slug; only deals with an outcome under it are listed.
        status: one of `STATUSES`.
        dealer: slug of a dealer, or `IMPORTED`.
        seed_from: smallest seed.
        seed_to: largest seed.
        dead_end: kind of a dead-end classification, or `ANY`.
        min_nodes: fewest nodes of the exact search that decided the deal.
        max_nodes: most nodes.
        min_length: fewest moves of the shortest stored solution.
        max_length: most moves.
        solver: a solver that has an outcome on the deal, as text, such as
            ``exact(nodes=1000000)``, or a method, such as ``exact``, for any of its solvers.
        result: required result of that solver, or of any solver if none is named.
    """

    ruleset: str
    status: str | None = None
    dealer: str | None = None
    seed_from: int | None = None
    seed_to: int | None = None
    dead_end: str | None = None
    min_nodes: int | None = None
    max_nodes: int | None = None
    min_length: int | None = None
    max_length: int | None = None
    solver: str | None = None
    result: str | None = None


@dataclass(frozen=True, slots=True)
class ListedDeal:
    """One deal of a list; the fields are those of `DealStatus`."""

    deal: str
    dealer: str | None
    seed: int | None
    status: str
    nodes: int | None
    solution_length: int | None
    dead_end: str | None
    solvers: int
    wins: int
    proofs: int

    @property
    def alarm(self) -> bool:
        """Whether the deal is both won and proved unwinnable."""
        return self.wins > 0 and self.proofs > 0


@dataclass(frozen=True, slots=True)
class DealPage:
    """One page of a list.

    Attributes:
        rows: the deals of this page, at most `page_size`.
        total: number of deals that match the filter, on all pages.
        page: number of the page, from 1.
        page_size: deals per page.
    """

    rows: list[ListedDeal]
    total: int
    page: int
    page_size: int

    @property
    def pages(self) -> int:
        """The number of pages; 1 for an empty list."""
        return max(1, -(-self.total // self.page_size))


def list_deals(
    cat: Catalogue,
    deals: DealFilter,
    sort: Sort = "deal",
    descending: bool = False,
    page: int = 1,
    page_size: int = 50,
) -> DealPage:
    """One page of the deals that match a filter.

    Deals without a value of the sort key (imported ones have no seed, unsolved ones no length)
    come last in either direction. The order is total: pages neither repeat nor skip a deal.

    Raises:
        BadInput: an invalid filter, sort key or page.
    """
    if sort not in SORTS:
        raise BadInput(f"unknown sort {sort!r}: expected one of {', '.join(SORTS)}")
    if page < 1:
        raise BadInput(f"page {page} is out of range: expected 1 or more")
    if not 1 <= page_size <= MAX_PAGE_SIZE:
        raise BadInput(f"page size {page_size} is out of range: expected 1 to {MAX_PAGE_SIZE}")
    with cat.session() as session:
        conditions = _conditions(session, deals)
        if conditions is None:
            return DealPage([], 0, page, page_size)
        keys = {
            "deal": (StatusRow.dealer, StatusRow.seed),
            "nodes": (StatusRow.nodes,),
            "length": (StatusRow.solution_length,),
        }[sort]
        present = keys[0].is_not(None)
        # Two queries instead of NULLS LAST, which neither database can answer from an index in
        # both directions.
        total = _size(session, conditions)
        sorted_total = total - _size(session, (*conditions, keys[0].is_(None)))
        offset = (page - 1) * page_size
        columns = [*keys, StatusRow.deal_id]
        query = select(StatusRow).limit(page_size)
        rows = list(
            session.scalars(
                query.where(*conditions, present)
                .order_by(*(column.desc() if descending else column.asc() for column in columns))
                .offset(offset)
            )
            if offset < sorted_total
            else ()
        )
        if len(rows) < page_size and sorted_total < total > offset:
            rows += session.scalars(
                query.where(*conditions, keys[0].is_(None))
                .order_by(StatusRow.dealer, StatusRow.seed, StatusRow.deal_id)
                .offset(max(0, offset - sorted_total))
                .limit(page_size - len(rows))
            )
        digests = _digests(session, [row.deal_id for row in rows if row.dealer is None])
        return DealPage(
            [
                ListedDeal(
                    reference(row.dealer, row.seed, digests.get(row.deal_id, "")),
                    row.dealer,
                    row.seed,
                    row.status,
                    row.nodes,
                    row.solution_length,
                    row.dead_end,
                    row.solvers,
                    row.wins,
                    row.proofs,
                )
                for row in rows
            ],
            total,
            page,
            page_size,
        )


def check_status(status: str | None) -> None:
    """Raise BadInput unless it is None or one of `STATUSES`."""
    if status is not None and status not in STATUSES:
        raise BadInput(f"unknown status {status!r}: expected one of {', '.join(STATUSES)}")


def check_dealer(dealer: str | None) -> None:
    """Raise BadInput unless it is None, `IMPORTED` or the slug of a dealer."""
    if dealer is not None and dealer != IMPORTED:
        get_dealer(dealer)


def check_range(name: str, low: int | None, high: int | None) -> None:
    """Raise BadInput if a range is empty or an end is invalid; `name` names it in the message."""
    for end in (low, high):
        if end is not None and not 0 <= end <= MAX_STORED_SEED:
            raise BadInput(f"{end} is out of range for {name}: expected 0 to {MAX_STORED_SEED}")
    if low is not None and high is not None and low > high:
        raise BadInput(f"the range of {name} {low} to {high} is empty: the first is larger")


def _size(session: Session, conditions: tuple[ColumnElement[bool], ...]) -> int:
    return session.scalar(select(func.count()).select_from(StatusRow).where(*conditions)) or 0


def _digests(session: Session, deal_ids: list[int]) -> dict[int, str]:
    rows = session.execute(select(DealRow.id, DealRow.digest).where(DealRow.id.in_(deal_ids)))
    return {row.id: row.digest for row in rows}


def _conditions(session: Session, deals: DealFilter) -> tuple[ColumnElement[bool], ...] | None:
    """The conditions of a filter on `status`; None if no stored deal can match it."""
    slug = parse_ruleset(deals.ruleset).slug
    ranges = (
        ("seeds", StatusRow.seed, deals.seed_from, deals.seed_to),
        ("nodes", StatusRow.nodes, deals.min_nodes, deals.max_nodes),
        ("solution lengths", StatusRow.solution_length, deals.min_length, deals.max_length),
    )
    for name, _, low, high in ranges:
        check_range(name, low, high)
    check_status(deals.status)
    if deals.result is not None and deals.result not in RESULTS:
        raise BadInput(f"unknown result {deals.result!r}: expected one of {', '.join(RESULTS)}")
    check_dealer(deals.dealer)
    solver_ids = None if deals.solver is None else solver_ids_named(session, deals.solver)
    ruleset_id = session.scalar(select(RulesetRow.id).where(RulesetRow.slug == slug))
    if ruleset_id is None or solver_ids == []:
        return None

    conditions: list[ColumnElement[bool]] = [StatusRow.ruleset_id == ruleset_id]
    if deals.status is not None:
        conditions.append(StatusRow.status == deals.status)
    if deals.dealer == IMPORTED:
        conditions.append(StatusRow.dealer.is_(None))
    elif deals.dealer is not None:
        conditions.append(StatusRow.dealer == deals.dealer)
    if deals.dead_end == ANY:
        conditions.append(StatusRow.dead_end.is_not(None))
    elif deals.dead_end is not None:
        conditions.append(StatusRow.dead_end == deals.dead_end)
    for _, column, low, high in ranges:
        if low is not None:
            conditions.append(column >= low)
        if high is not None:
            conditions.append(column <= high)
    if solver_ids is not None or deals.result is not None:
        # A list made once; a separate EXISTS for each deal takes ten times as long.
        attempts = select(OutcomeRow.deal_id).where(OutcomeRow.ruleset_id == ruleset_id)
        if solver_ids is not None:
            attempts = attempts.where(OutcomeRow.solver_id.in_(solver_ids))
        if deals.result is not None:
            attempts = attempts.where(OutcomeRow.result == deals.result)
        conditions.append(StatusRow.deal_id.in_(attempts))
    return tuple(conditions)


def solver_ids_named(session: Session, text: str) -> list[int]:
    """The rows of all versions of a solver or, for the slug of a method, of all its solvers."""
    if text.strip() in method_slugs():
        return list(session.scalars(select(SolverRow.id).where(SolverRow.method == text.strip())))
    stored = list(session.scalars(select(SolverRow.id).where(SolverRow.name == text.strip())))
    # A method that this program no longer has may still have outcomes; malformed text is wrong.
    if stored:
        return stored
    return list(
        session.scalars(select(SolverRow.id).where(SolverRow.name == str(parse_solver(text))))
    )
