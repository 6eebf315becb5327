"""Lists of deals, filtered, sorted and paged.

How it is done without reading all deals stands in `catalogue.reading.listing`.
"""

from dataclasses import dataclass, replace

from sqlalchemy.orm import Session

from catalogue.blocks import (
    ALARM,
    Statuses,
)
from catalogue.blocks import STATUSES as STATUS_NAMES
from catalogue.reading.deal_filter import (
    ANY as ANY,
)
from catalogue.reading.deal_filter import RESULTS as RESULTS
from catalogue.reading.deal_filter import SORTS as SORTS
from catalogue.reading.deal_filter import STATUSES as STATUSES
from catalogue.reading.deal_filter import DealFilter as DealFilter
from catalogue.reading.deal_filter import Sort as Sort
from catalogue.reading.deal_filter import check_dealer as check_dealer
from catalogue.reading.deal_filter import check_range as check_range
from catalogue.reading.deal_filter import check_status as check_status
from catalogue.reading.deal_filter import solver_ids_named as solver_ids_named
from catalogue.reading.levels import Rating
from catalogue.reading.listing import Listing, Place, listing
from catalogue.reading.references import names_of
from catalogue.schema import IMPORTED
from catalogue.store import Catalogue
from engine.errors import BadInput

MAX_PAGE_SIZE = 1000


@dataclass(frozen=True, slots=True)
class ListedDeal:
    """One deal of a list; the fields are those of `DealStatus`, and how hard it is, if graded."""

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
    rating: Rating | None = None

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

    Deals without a value of the sort key (imported ones have no dealer, unsolved ones no length)
    come last in either direction. The order is total (see the module): pages neither repeat nor
    skip a deal.

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
        found = listing(cat, session, deals)
        if found is None:
            return DealPage([], 0, page, page_size)
        low = (page - 1) * page_size
        total, places = found.page(sort, descending, low, low + page_size)
        return DealPage(_rows(session, found, places), total, page, page_size)


def _rows(session: Session, listing: Listing, places: list[Place]) -> list[ListedDeal]:
    """The deals at some places."""
    ratings = listing.ratings_of(places)
    deals = [listing.deal_at(place) for place in places]
    found = []
    for place, deal, name in zip(places, deals, names_of(session, deals), strict=True):
        dealer, seed = (None, None) if deal.dealer == IMPORTED else (deal.dealer, deal.seed)
        row = listed(name, dealer, seed, *listing.status_of(place))
        found.append(replace(row, rating=ratings.get(place)))
    return found


def listed(
    name: str, dealer: str | None, seed: int | None, statuses: Statuses, at: int
) -> ListedDeal:
    """The deal at a place of statuses, in the form of a list."""
    code = int(statuses.status[at])
    nodes, length, kind = (
        int(statuses.nodes[at]),
        int(statuses.length[at]),
        int(statuses.dead_end[at]),
    )
    return ListedDeal(
        name,
        dealer,
        seed,
        "winnable" if code == ALARM else STATUS_NAMES[code - 1],
        None if nodes < 0 else nodes,
        length or None,
        statuses.kinds[kind - 1] if kind else None,
        int(statuses.solvers[at]),
        int(statuses.wins[at]),
        int(statuses.proofs[at]),
    )
