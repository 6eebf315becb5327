"""Streams of the rows and blocks of a shard, with what is needed to deal and to name them."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from sqlalchemy import Select, Table, select

from catalogue.blocks import Outcomes
from catalogue.schema import BlockRow, DealRow
from catalogue.verify.context import Context, DealKey
from engine import game
from engine.game import Rules

# Outcomes of all solvers on a block, by ruleset and solver.
Known = dict[int, dict[int, Outcomes]]


class Case(NamedTuple):
    """A row to check, its name, and the cards of its deal."""

    row: Any
    where: str
    cards: bytes


def with_deals(context: Context, model: Any, *columns: Any) -> Select[*tuple[Any, ...]]:
    """Query the rows of a shard: the key of an outcome, the deal, and further columns."""
    table: Table = model.__table__
    key = (table.c.ruleset_id, table.c.solver_id, table.c.deal_id)
    return (
        select(*key, DealRow.dealing_id, DealRow.seed, *columns)
        .select_from(table)
        .join(DealRow, DealRow.id == table.c.deal_id)
        .where(*context.inside(table))
        .order_by(*key)
    )


def deal_of(row: Any) -> DealKey:
    """The deal of a row of `with_deals`."""
    return DealKey(row.deal_id, row.dealing_id, row.seed)


def cases(
    context: Context,
    kind: str,
    query: Select[*tuple[Any, ...]],
    share: float,
    wanted: Callable[[Rules, int], bool] = lambda _rules, _solver_id: True,
) -> Iterator[tuple[Rules, int, list[Case]]]:
    """A random share of the rows of a query of `with_deals`, by ruleset and solver.

    Rows whose deal is broken are faults; those of an unknown ruleset, or of a ruleset and solver
    that are not wanted, are left to other checks.
    """
    with context.cat.session() as session:
        rows = session.execute(query).all()
    keys = np.array([row[:3] for row in rows], dtype=np.int64).reshape(-1, 3)
    groups: dict[tuple[int, int], list[Any]] = defaultdict(list)
    for at in np.flatnonzero(context.draw(kind, keys, share)).tolist():
        groups[rows[at][0], rows[at][1]].append(rows[at])
    for (ruleset_id, solver_id), mine in groups.items():
        rules = context.rules(ruleset_id)
        if rules is None or not wanted(rules, solver_id):
            continue
        deals = [deal_of(row) for row in mine]
        names = [context.where(ruleset_id, deal, solver_id) for deal in deals]
        context.checked[kind] += len(mine)
        found = [
            Case(mine[at], names[at], cards) for at, cards in context.playable(rules, deals, names)
        ]
        if found:
            yield rules, solver_id, found


def outcomes_of_block(context: Context) -> Known:
    """The outcomes of all solvers on the block of the shard, in the order of their ids."""
    dealing_id, block = context.block
    known: Known = defaultdict(dict)
    with context.cat.session() as session:
        rows = session.execute(
            select(BlockRow.ruleset_id, BlockRow.solver_id, BlockRow.columns)
            .where(BlockRow.dealing_id == dealing_id, BlockRow.block == block)
            .order_by(BlockRow.ruleset_id, BlockRow.solver_id)
        )
        for ruleset_id, solver_id, packed in rows:
            try:
                known[ruleset_id][solver_id] = Outcomes.decode(packed)
            except (TypeError, ValueError):
                continue  # the check of blocks reports it
    return known


def as_cards(cards: Sequence[bytes], own: game.Game) -> np.ndarray[Any, np.dtype[np.uint8]]:
    """Deals as an array uint8[n, cards] that can be written to."""
    return np.frombuffer(bytearray(b"".join(cards)), dtype=np.uint8).reshape(-1, own.cards)
