"""The permanent names of deals."""

import re
from collections import defaultdict
from collections.abc import Collection, Sequence
from typing import Any, NamedTuple

from sqlalchemy import select
from sqlalchemy.orm import Session

from catalogue.outcomes.rows import among
from catalogue.schema import IMPORTED, DealRow
from engine.errors import BadInput

_DIGEST = re.compile(r"[0-9a-f]{32}", re.ASCII)


class DealPlace(NamedTuple):
    """The place of a deal in the catalogue."""

    dealing_id: int
    dealer: str
    seed: int


def names_of(session: Session, places: Sequence[DealPlace]) -> list[str]:
    """The permanent names of deals: ``dealer:seed``, or the digest of an imported deal."""
    asked: dict[int, set[int]] = defaultdict(set)
    for place in places:
        if place.dealer == IMPORTED:
            asked[place.dealing_id].add(place.seed)
    imported = {
        (dealing_id, row.seed): row.digest.hex()
        for dealing_id, seeds in asked.items()
        for row in imported_deals(session, dealing_id, seeds)
    }
    return [
        imported.get((place.dealing_id, place.seed), f"{place.dealer}:{place.seed}")
        for place in places
    ]


def imported_deals(session: Session, dealing_id: int, seeds: Collection[int]) -> list[Any]:
    """The seeds, digests and cards of imported deals, some more than are asked for."""
    row = DealRow
    query = select(row.seed, row.digest, row.cards).where(row.dealing_id == dealing_id)
    return [
        each
        for condition in among(row.seed, seeds)
        for each in session.execute(query.where(condition))
    ]


def digest_of(name: str) -> bytes | None:
    """Parse a digest; None if the name is not a digest."""
    return bytes.fromhex(name) if _DIGEST.fullmatch(name.lower()) else None


def not_a_deal(name: str) -> BadInput:
    """The error for a text that is not the name of a deal."""
    return BadInput(
        f"{name!r} is not a deal: expected dealer:seed such as thoughtful-1:42, "
        "or the 32 hexadecimal digits of a digest"
    )
