"""Rows based on outcomes, with what is needed to deal and to name them."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from sqlalchemy import Select, Table, select

from catalogue.schema import DealRow
from catalogue.verify.context import Context, DealKey
from engine import game
from engine.errors import BadInput
from engine.game import Rules
from engine.games import game_of


def with_deals(context: Context, model: Any, *columns: Any) -> Select[*tuple[Any, ...]]:
    """Query the rows of a piece: the key of an outcome, the deal, and further columns."""
    table: Table = model.__table__
    key = (table.c.ruleset_id, table.c.solver_id, table.c.deal_id)
    return (
        select(*key, DealRow.dealing_id, DealRow.seed, DealRow.cards, *columns)
        .select_from(table)
        .join(DealRow, DealRow.id == table.c.deal_id)
        .where(*context.inside(table))
        .order_by(*key)
    )


def deal_of(row: Any) -> DealKey:
    """The deal of a row of `with_deals`."""
    return DealKey(row.deal_id, row.dealing_id, row.seed, row.cards)


def drawn(
    context: Context, kind: str, query: Select[*tuple[Any, ...]], share: float
) -> dict[tuple[int, int], list[Any]]:
    """A random share of the rows of a query of `with_deals`, by ruleset and solver."""
    with context.cat.session() as session:
        rows = session.execute(query).all()
    keys = np.array([row[:3] for row in rows], dtype=np.int64).reshape(-1, 3)
    chosen: dict[tuple[int, int], list[Any]] = defaultdict(list)
    for at in np.flatnonzero(context.draw(kind, keys, share)).tolist():
        chosen[rows[at][0], rows[at][1]].append(rows[at])
    return chosen


def one_by_one(
    context: Context, kind: str, query: Select[*tuple[Any, ...]], share: float
) -> Iterator[tuple[Any, game.Deal, Rules, str]]:
    """Yield a random share of rows, each with its deal, the ruleset and its name.

    Rows whose deal is broken are faults; those of an unknown ruleset are left to other checks.
    """
    for (ruleset_id, solver_id), rows in drawn(context, kind, query, share).items():
        rules = context.rules(ruleset_id)
        if rules is None:
            continue
        own = game_of(rules)
        deals = [deal_of(row) for row in rows]
        name = context.namer(ruleset_id, deals, solver_id)
        for at, cards in context.playable(rules, deals, name):
            context.checked[kind] += 1
            try:
                deal = own.deal(cards)
            except BadInput as error:
                context.fault("deal", name(at), str(error))
                continue
            yield rows[at], deal, rules, name(at)


def as_cards(cards: Sequence[bytes], own: game.Game) -> np.ndarray[Any, np.dtype[np.uint8]]:
    """Deals as an array uint8[n, cards] that can be written to."""
    return np.frombuffer(bytearray(b"".join(cards)), dtype=np.uint8).reshape(-1, own.cards)
