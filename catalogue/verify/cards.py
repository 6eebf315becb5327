"""Checks of deals: dealt again, their digests recomputed, and none stored twice."""

from hashlib import sha256

import numpy as np
from sqlalchemy import func, select

from catalogue.outcomes.rows import table_of
from catalogue.schema import DealingRow, DealRow
from catalogue.verify.context import NAMED, Context, DealKey


def check_cards(context: Context) -> None:
    """Deal again and recompute digests."""
    with context.cat.session() as session:
        rows = session.execute(
            select(DealRow.id, DealRow.dealing_id, DealRow.seed, DealRow.cards, DealRow.digest)
            .where(*context.inside(table_of(DealRow)))
            .order_by(DealRow.id)
        ).all()
    ids = np.array([row.id for row in rows], dtype=np.int64).reshape(-1, 1)
    imported = np.array([_is_imported(context, row.dealing_id) for row in rows], dtype=np.bool_)
    drawn = np.zeros(len(rows), dtype=np.bool_)
    drawn[~imported] = context.draw("cards", ids[~imported], context.share_of("deal"))
    context.checked["cards"] += int(drawn.sum())
    # Nobody can deal these again, and to look at them costs next to nothing.
    if imported.any():
        context.checked["imported cards"] += int(imported.sum())
    chosen = np.flatnonzero(drawn | imported).tolist()
    deals = [DealKey(*rows[at][:4]) for at in chosen]
    for at, deal, cards in zip(chosen, deals, context.dealt(deals), strict=True):
        if isinstance(cards, str):
            context.fault("cards", context.deal_name(deal), cards)
            continue
        digest = sha256(cards).digest()[:16]
        if digest != rows[at].digest:
            dealing = context.dealings[deal.dealing_id]
            whose = "the cards" if dealing.dealer is None else "the deal that its dealer deals"
            context.fault(
                "cards",
                context.deal_name(deal),
                f"its digest is {rows[at].digest.hex()}, that of {whose} is {digest.hex()}",
            )


def _is_imported(context: Context, dealing_id: int) -> bool:
    dealing = context.dealings.get(dealing_id)
    return dealing is not None and dealing.dealer is None


def check_doubles(context: Context) -> None:
    """Check that no deal is stored twice; the indexes that forbid it may have been dropped."""
    asked = context.is_asked(table_of(DealRow))
    imported = (
        select(DealRow.dealing_id, DealRow.digest, func.count())
        .join(DealingRow, DealingRow.id == DealRow.dealing_id)
        .where(DealingRow.dealer.is_(None), *asked)
        .group_by(DealRow.dealing_id, DealRow.digest)
    )
    dealt = (
        select(DealRow.dealing_id, DealRow.seed, func.count())
        .where(DealRow.seed.is_not(None), *asked)
        .group_by(DealRow.dealing_id, DealRow.seed)
    )
    context.checked["doubles"] += 1
    with context.cat.session() as session:
        for dealing_id, digest, count in session.execute(
            imported.having(func.count() > 1).limit(NAMED)
        ):
            name = digest.hex() if isinstance(digest, bytes) else str(digest)
            _report(context, f"deal {name}", dealing_id, count)
        for dealing_id, seed, count in session.execute(dealt.having(func.count() > 1).limit(NAMED)):
            _report(context, context.deal_name(DealKey(None, dealing_id, seed)), dealing_id, count)


def _report(context: Context, where: str, dealing_id: int, count: int) -> None:
    dealing = context.dealings.get(dealing_id)
    game = "an unknown game" if dealing is None else dealing.slug
    context.fault("deal", where, f"it is stored {count} times as a deal of {game}")
