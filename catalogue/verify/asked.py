"""The single deal that a verification was asked for."""

from sqlalchemy import select

from catalogue.blocks import Outcomes
from catalogue.reading.references import digest_of, not_a_deal
from catalogue.schema import BLOCK_SIZE, MAX_STORED_SEED, BlockRow, DealingRow, DealRow
from catalogue.store import Catalogue
from catalogue.verify.context import ChosenDeal
from engine.dealing.dealers import parse_deal_id
from engine.errors import BadInput


def asked_for(cat: Catalogue, name: str) -> ChosenDeal:
    """The deal of a name or digest: its rows, and its places in blocks of seeds.

    Raises:
        BadInput: the text is not the name of a deal, or nothing is stored of it.
    """
    digest = digest_of(name.strip())
    if digest is None and ":" not in name:
        raise not_a_deal(name)
    columns = (DealRow.id, DealRow.dealing_id, DealRow.seed)
    places: set[tuple[int, int]] = set()
    with cat.session() as session:
        if digest is not None:
            query = select(*columns).where(DealRow.digest == digest)
        else:
            dealer, seed = parse_deal_id(name)
            seed = min(seed, MAX_STORED_SEED)
            mine = select(DealingRow.id).where(DealingRow.dealer == dealer.slug)
            query = select(*columns).where(DealRow.dealing_id.in_(mine), DealRow.seed == seed)
            block, place = divmod(seed, BLOCK_SIZE)
            for dealing_id, packed in session.execute(
                select(BlockRow.dealing_id, BlockRow.columns).where(
                    BlockRow.dealing_id.in_(mine), BlockRow.block == block
                )
            ):
                try:
                    tried = Outcomes.decode(packed).widened(place, place + 1)
                except (TypeError, ValueError):
                    continue  # the check of blocks reports it
                if tried.result[place - tried.first]:
                    places.add((dealing_id, seed))
        rows = session.execute(query.order_by(DealRow.id)).all()
    places |= {(row.dealing_id, row.seed) for row in rows if row.seed is not None}
    if not rows and not places:
        raise BadInput(f"the catalogue has no deal {name.strip()}")
    return ChosenDeal(tuple(row.id for row in rows), tuple(sorted(places)))
