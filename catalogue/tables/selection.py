"""The selection of deals and rulesets to export."""

from dataclasses import dataclass
from typing import NamedTuple, Self

import numpy as np
from sqlalchemy import ColumnElement, select
from sqlalchemy.orm import Session

from catalogue.blocks import ALARM, WINNABLE, Statuses
from catalogue.blocks import STATUSES as STATUS_NAMES
from catalogue.reading.block_reader import cut
from catalogue.reading.cell_index import Flags
from catalogue.reading.deal_filter import check_dealer, check_range, check_status, is_of
from catalogue.schema import IMPORTED, MAX_STORED_SEED, DealingRow, RulesetRow
from engine.dealing.dealers import parse_sample
from engine.errors import BadInput
from engine.games import games
from engine.rulesets import parse_ruleset


class StoredRuleset(NamedTuple):
    """A ruleset of the catalogue."""

    id: int
    slug: str
    game: str


class StoredDealing(NamedTuple):
    """A game with a dealer, or with `IMPORTED`, of the catalogue."""

    id: int
    game: str
    dealer: str


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

    @classmethod
    def of(
        cls,
        ruleset: str | None = None,
        status: str | None = None,
        dealer: str | None = None,
        sample: str | None = None,
    ) -> Self:
        """The selection of what commands and the package name; None sets no condition.

        Raises:
            BadInput: an invalid value, or a dealer beside a sample, which has one.
        """
        if sample is None:
            return cls(ruleset, status, dealer)
        if dealer is not None:
            raise BadInput(f"the sample {sample} names its dealer: leave the dealer {dealer} out")
        part = parse_sample(sample)
        return cls(ruleset, status, part.dealer, part.first, part.last)

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

    @property
    def seeds(self) -> range:
        """The seeds that are selected."""
        last = MAX_STORED_SEED if self.seed_to is None else self.seed_to
        return range(self.seed_from or 0, last + 1)

    def rulesets(self, session: Session) -> list[StoredRuleset]:
        """The rulesets that are selected and stored, of games that this program has."""
        query = select(RulesetRow.id, RulesetRow.slug, RulesetRow.game).where(*self.ruled())
        return [
            StoredRuleset(*row)
            for row in session.execute(query.order_by(RulesetRow.id))
            if row.game in {game.slug for game in games()}
        ]

    def dealings(self, session: Session, game: str | None = None) -> list[StoredDealing]:
        """The dealings that are selected and stored, those of imported deals last."""
        wanted = [known.slug for known in games()] if game is None else [game]
        if self.ruleset is not None:
            wanted = [slug for slug in wanted if slug == parse_ruleset(self.ruleset).game]
        query = select(DealingRow.id, DealingRow.game, DealingRow.dealer).where(
            DealingRow.game.in_(wanted)
        )
        found = (StoredDealing(*row) for row in session.execute(query))
        return sorted(
            (e for e in found if is_of(e.dealer, self.dealer, self.seed_from, self.seed_to)),
            key=lambda each: (each.game, each.dealer == IMPORTED, each.dealer),
        )

    def ruled(self) -> list[ColumnElement[bool]]:
        """The conditions on the ruleset."""
        if self.ruleset is None:
            return []
        return [RulesetRow.slug == parse_ruleset(self.ruleset).slug]

    def passing(self, statuses: Statuses, block: int) -> Flags:
        """Which deals of a block are selected."""
        if self.status == "winnable":
            passes: Flags = (statuses.status == WINNABLE) | (statuses.status == ALARM)
        elif self.status is not None:
            passes = statuses.status == STATUS_NAMES.index(self.status) + 1
        else:
            passes = statuses.status > 0
        inside = np.zeros(len(statuses), dtype=np.bool_)
        inside[cut(statuses, block, self.seeds)] = True
        return passes & inside
