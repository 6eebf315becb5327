"""The permanent names of deals."""

import re

from sqlalchemy import ColumnElement, select

from catalogue.schema import MAX_STORED_SEED, DealingRow, DealRow
from catalogue.store import Catalogue
from engine.dealing.dealers import parse_deal_id
from engine.errors import BadInput

_DIGEST = re.compile(r"[0-9a-f]{32}", re.ASCII)


def reference(dealer: str | None, seed: int | None, digest: str | bytes) -> str:
    """The permanent name of a deal: ``dealer:seed``, or its digest if it has no dealer."""
    if dealer is None:
        return digest.hex() if isinstance(digest, bytes) else digest
    return f"{dealer}:{seed}"


def digest_of(name: str) -> bytes | None:
    """Parse a digest; None if the name is not a digest."""
    return bytes.fromhex(name) if _DIGEST.fullmatch(name.lower()) else None


def not_a_deal(name: str) -> BadInput:
    """The error for a text that is not the name of a deal."""
    return BadInput(
        f"{name!r} is not a deal: expected dealer:seed such as thoughtful-1:42, "
        "or the 32 hexadecimal digits of a digest"
    )


def deal_ids_of(cat: Catalogue, name: str) -> list[int]:
    """The ids of the deals with a name or digest that have rows: at most one for each game.

    Raises:
        BadInput: the text is not the name of a deal, or no such deal has a row.
    """
    digest = digest_of(name.strip())
    where: ColumnElement[bool]
    if digest is not None:
        where = DealRow.digest == digest
    elif ":" in name:
        dealer, seed = parse_deal_id(name)
        where = DealRow.dealing_id.in_(
            select(DealingRow.id).where(DealingRow.dealer == dealer.slug)
        ) & (DealRow.seed == min(seed, MAX_STORED_SEED))
    else:
        raise not_a_deal(name)
    with cat.session() as session:
        found = list(session.scalars(select(DealRow.id).where(where).order_by(DealRow.id)))
    if not found:
        raise BadInput(f"the catalogue has no deal {name.strip()}")
    return found
