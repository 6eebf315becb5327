"""Check of cards: deals dealt again, and digests recomputed."""

import numpy as np
from sqlalchemy import select

from catalogue.outcomes.chunk import digest
from catalogue.schema import DealRow
from catalogue.verify.context import Context, batches
from engine.dealing.dealers import get_dealer
from engine.errors import BadInput
from engine.games import get_game


def check_cards(context: Context) -> None:
    """Deal again and recompute digests."""
    with context.cat.session() as session:
        every = select(DealRow.id).where(*context.is_asked(DealRow.id)).order_by(DealRow.id)
        chosen = context.choose(session.scalars(every).all(), context.share)
    for batch in batches(chosen):
        with context.cat.session() as session:
            rows = session.execute(
                select(
                    DealRow.game, DealRow.dealer, DealRow.seed, DealRow.digest, DealRow.cards
                ).where(DealRow.id.in_(batch))
            ).all()
        for slug, dealer, seed, stored, cards in rows:
            where = f"{dealer}:{seed}" if dealer else f"deal {stored}"
            context.checked["cards"] += 1
            try:
                get_game(slug).deal(cards)
            except BadInput as error:
                context.fault("cards", where, str(error))
            if digest(np.frombuffer(cards, dtype=np.uint8)) != stored:
                context.fault("cards", where, "the digest is not that of the cards")
            if dealer is None or seed is None:
                continue
            try:
                dealt = get_dealer(dealer).deal_block(seed, 1, get_game(slug))
            except BadInput as error:
                context.fault("cards", where, str(error))
                continue
            if dealt.tobytes() != cards:
                context.fault("cards", where, "its dealer deals other cards for its seed")
