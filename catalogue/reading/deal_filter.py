"""Filters of a list of deals."""

from dataclasses import dataclass
from typing import Literal, get_args

from sqlalchemy import select
from sqlalchemy.orm import Session

from catalogue.difficulty.grading import LEVELS as LEVEL_NAMES
from catalogue.schema import IMPORTED, MAX_STORED_SEED, RulesetRow, SolverRow
from engine.dealing.dealers import get_dealer
from engine.errors import BadInput
from engine.rulesets import parse_ruleset
from solvers.outcome import Result
from solvers.registry import method_slugs
from solvers.solver import parse_solver

STATUSES = ("winnable", "unwinnable", "unresolved")
RESULTS = tuple(result.value for result in Result)
LEVELS = range(1, len(LEVEL_NAMES) + 1)
# In place of a kind of dead end: any kind.
ANY = "any"
Sort = Literal["deal", "nodes", "length"]
SORTS: tuple[Sort, ...] = get_args(Sort)


@dataclass(frozen=True, slots=True)
class DealFilter:
    """A filter of the deals of a ruleset; None sets no condition.

    Of more than four million deals, nodes and lengths count as the smallest of their classes
    (`catalogue.reading.listing`).

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
        min_level: smallest level of difficulty, 1 to 10; deals without a level are left out.
        max_level: largest level.
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
    min_level: int | None = None
    max_level: int | None = None

    @property
    def levels(self) -> range | None:
        """The levels that pass; None if deals without a level do too."""
        if self.min_level is self.max_level is None:
            return None
        return range(self.min_level or LEVELS[0], (self.max_level or LEVELS[-1]) + 1)

    def check(self) -> None:
        """Raise BadInput if a value is none of those that are possible; solvers are not checked."""
        parse_ruleset(self.ruleset)
        check_range("seeds", self.seed_from, self.seed_to)
        check_range("nodes", self.min_nodes, self.max_nodes)
        check_range("solution lengths", self.min_length, self.max_length)
        for level in (self.min_level, self.max_level):
            if level is not None and level not in LEVELS:
                raise BadInput(f"there is no level {level}: expected {LEVELS[0]} to {LEVELS[-1]}")
        check_range("levels", self.min_level, self.max_level)
        check_status(self.status)
        if self.result is not None and self.result not in RESULTS:
            raise BadInput(f"unknown result {self.result!r}: expected one of {', '.join(RESULTS)}")
        check_dealer(self.dealer)


def check_status(status: str | None) -> None:
    """Raise BadInput unless it is None or one of `STATUSES`."""
    if status is not None and status not in STATUSES:
        raise BadInput(f"unknown status {status!r}: expected one of {', '.join(STATUSES)}")


def check_dealer(dealer: str | None) -> None:
    """Raise BadInput unless it is None, `IMPORTED` or the slug of a dealer."""
    if dealer is not None and dealer != IMPORTED:
        get_dealer(dealer)


def is_of(dealer: str, wanted: str | None, seed_from: int | None, seed_to: int | None) -> bool:
    """Whether a dealer, or `IMPORTED`, is as asked for; numbers of imported deals are no seeds."""
    return wanted in (None, dealer) and (dealer != IMPORTED or seed_from is seed_to is None)


def check_range(name: str, low: int | None, high: int | None) -> None:
    """Raise BadInput if a range is empty or an end is invalid; `name` names it in the message."""
    for end in (low, high):
        if end is not None and not 0 <= end <= MAX_STORED_SEED:
            raise BadInput(f"{end} is out of range for {name}: expected 0 to {MAX_STORED_SEED}")
    if low is not None and high is not None and low > high:
        raise BadInput(f"the range of {name} {low} to {high} is empty: the first is larger")


def ruleset_id_named(session: Session, text: str) -> int:
    """The id of a ruleset.

    Raises:
        BadInput: there is no such ruleset, or nothing is stored under it.
    """
    slug = parse_ruleset(text).slug
    found = RulesetRow.id_of(session, slug)
    if found is None:
        raise BadInput(f"the catalogue has nothing under {slug}")
    return found


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
