"""The single deal that a verification was asked for."""

from collections.abc import Iterator, Sequence
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from catalogue.blocks import Outcomes
from catalogue.reading.references import digest_of, not_a_deal
from catalogue.schema import BLOCK_SIZE, MAX_STORED_SEED, BlockRow, DealingRow, DealRow
from catalogue.store import Catalogue
from catalogue.verify.checks import Check
from catalogue.verify.context import Asked
from catalogue.verify.pieces import CheckPiece, Key
from engine.dealing.dealers import parse_deal_id
from engine.errors import BadInput


def asked_for(cat: Catalogue, name: str) -> Asked:
    """The deal of a name or digest: its rows, and its places in blocks of seeds.

    Raises:
        BadInput: the text is not the name of a deal, or nothing is stored of it.
    """
    digest = digest_of(name.strip())
    with cat.session() as session:
        if digest is not None:
            where: Any = DealRow.digest == digest
            dealings: Sequence[int] = ()
            seed = 0
        elif ":" in name:
            dealer, seed = parse_deal_id(name)
            seed = min(seed, MAX_STORED_SEED)
            dealings = session.scalars(
                select(DealingRow.id).where(DealingRow.dealer == dealer.slug)
            ).all()
            where = DealRow.dealing_id.in_(dealings) & (DealRow.seed == seed)
        else:
            raise not_a_deal(name)
        rows = session.execute(
            select(DealRow.id, DealRow.dealing_id, DealRow.seed).where(where).order_by(DealRow.id)
        ).all()
        places = {(row.dealing_id, row.seed) for row in rows if row.seed is not None}
        places |= {(each, seed) for each in dealings if _attempted(session, each, seed)}
    if not rows and not places:
        raise BadInput(f"the catalogue has no deal {name.strip()}")
    return Asked(tuple(row.id for row in rows), tuple(sorted(places)))


def pieces_of(check: Check, asked: Asked) -> Iterator[CheckPiece]:
    """The pieces of a check that look at a single deal."""
    for part in check.all_parts:
        if part in ("blocks", "seeds"):
            for dealing_id, block in sorted({(d, seed // BLOCK_SIZE) for d, seed in asked.places}):
                after: Key = (dealing_id, block - 1)
                until: Key = (dealing_id, block)
                if part == "seeds":
                    after, until = (*until, 0), (*until, BLOCK_SIZE)
                yield CheckPiece(check.name, part, after, until)
        else:
            yield CheckPiece(check.name, part)


def _attempted(session: Session, dealing_id: int, seed: int) -> bool:
    """Whether a block has an outcome of a seed."""
    block, place = divmod(seed, BLOCK_SIZE)
    for packed in session.scalars(
        select(BlockRow.columns).where(BlockRow.dealing_id == dealing_id, BlockRow.block == block)
    ):
        try:
            columns = Outcomes.decode(packed)
        except (TypeError, ValueError):
            continue
        if columns.first <= place < columns.end and columns.result[place - columns.first]:
            return True
    return False
