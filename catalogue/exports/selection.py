"""The selection of deals and rulesets to export."""

from dataclasses import dataclass

from sqlalchemy import ColumnElement

from catalogue.reading.deal_list import IMPORTED, check_dealer, check_range, check_status
from catalogue.schema import DealRow, RulesetRow, StatusRow
from engine.games import games
from engine.rulesets import parse_ruleset


@dataclass(frozen=True, slots=True)
class Selection:
    """The deals and rulesets to export; None sets no condition.

    Attributes:
        ruleset: slug; deals without an outcome under it are left out.
        status: ``winnable``, ``unwinnable`` or ``unresolved``, under the same ruleset.
        dealer: slug of a dealer, or ``imported`` for imported deals.
        seed_from: smallest seed.
        seed_to: largest seed.

    Raises:
        BadInput: an invalid value.
    """

    ruleset: str | None = None
    status: str | None = None
    dealer: str | None = None
    seed_from: int | None = None
    seed_to: int | None = None

    def __post_init__(self) -> None:
        if self.ruleset is not None:
            parse_ruleset(self.ruleset)
        check_status(self.status)
        check_dealer(self.dealer)
        check_range("seeds", self.seed_from, self.seed_to)

    def __str__(self) -> str:
        parts = []
        if self.ruleset is not None:
            parts.append(f"ruleset {self.ruleset}")
        if self.status is not None:
            parts.append(f"status {self.status}")
        if self.dealer is not None:
            parts.append(f"dealer {self.dealer}")
        if self.seed_from is not None or self.seed_to is not None:
            low = "the first" if self.seed_from is None else self.seed_from
            high = "the last" if self.seed_to is None else self.seed_to
            parts.append(f"seeds {low} to {high}")
        return ", ".join(parts) or "everything"

    def dealt(self, table: type[DealRow] | type[StatusRow]) -> list[ColumnElement[bool]]:
        """The conditions on dealer and seed."""
        conditions: list[ColumnElement[bool]] = []
        if table is DealRow:
            # Always included, because the index of dealers and seeds begins with the game.
            wanted = [game.slug for game in games()]
            if self.ruleset is not None:
                wanted = [parse_ruleset(self.ruleset).game]
            conditions.append(DealRow.game.in_(wanted))
        if self.dealer == IMPORTED:
            conditions.append(table.dealer.is_(None))
        elif self.dealer is not None:
            conditions.append(table.dealer == self.dealer)
        if self.seed_from is not None:
            conditions.append(table.seed >= self.seed_from)
        if self.seed_to is not None:
            conditions.append(table.seed <= self.seed_to)
        return conditions

    def ruled(self) -> list[ColumnElement[bool]]:
        """The conditions on the ruleset."""
        if self.ruleset is None:
            return []
        return [RulesetRow.slug == parse_ruleset(self.ruleset).slug]
