"""The statuses of imported deals, which have no seeds and so no blocks, in the form of a block."""

import threading
from dataclasses import dataclass
from typing import Self
from weakref import WeakKeyDictionary

import numpy as np
from sqlalchemy import Engine, func, select
from sqlalchemy.orm import Session

from catalogue.blocks import (
    ALARM,
    RESULTS,
    UNRESOLVED,
    UNWINNABLE,
    WINNABLE,
    Statuses,
    Whole,
    combine,
)
from catalogue.reading.cell_index import AttemptFilter, Flags
from catalogue.schema import OutcomeRow, StatusRow
from catalogue.store import Catalogue


@dataclass(frozen=True, slots=True, eq=False)
class Imported:
    """The imported deals with an outcome under a ruleset.

    Attributes:
        deal_ids: int64[n], ascending.
        statuses: theirs, in the same order.
    """

    deal_ids: Whole
    statuses: Statuses

    @classmethod
    def none(cls) -> Self:
        """No deals."""
        return cls(np.zeros(0, np.int64), combine({}, ()))


def read_imported(cat: Catalogue, session: Session, ruleset_id: int) -> Imported:
    """The imported deals with an outcome under a ruleset; kept until there is another outcome."""
    state = tuple(
        session.execute(
            select(func.count(), func.sum(StatusRow.solvers)).where(
                StatusRow.ruleset_id == ruleset_id
            )
        ).one()
    )
    if not state[0]:
        return Imported.none()
    with _lock:
        kept = _kept.setdefault(cat.engine, {}).get(ruleset_id)
    if kept is not None and kept[0] == state:
        return kept[1]
    found = _read(session, ruleset_id)
    with _lock:
        _kept[cat.engine][ruleset_id] = (state, found)
    return found


def tried_imported(
    session: Session, ruleset_id: int, imported: Imported, by: AttemptFilter
) -> Flags:
    """Which imported deals have an outcome as asked."""
    if not len(imported.deal_ids):
        return np.zeros(0, dtype=np.bool_)
    # Only by deal, so that no database reads the outcomes of all deals of a ruleset.
    query = select(
        OutcomeRow.deal_id, OutcomeRow.ruleset_id, OutcomeRow.solver_id, OutcomeRow.result
    ).where(
        OutcomeRow.deal_id.in_(select(StatusRow.deal_id).where(StatusRow.ruleset_id == ruleset_id))
    )
    result = None if by.result is None else RESULTS[by.result - 1]
    tried = [
        row.deal_id
        for row in session.execute(query)
        if row.ruleset_id == ruleset_id
        and (by.solver_ids is None or row.solver_id in by.solver_ids)
        and result in (None, row.result)
    ]
    found: Flags = np.isin(imported.deal_ids, tried)
    return found


def _read(session: Session, ruleset_id: int) -> Imported:
    rows = session.execute(
        select(
            StatusRow.deal_id,
            StatusRow.solvers,
            StatusRow.wins,
            StatusRow.proofs,
            StatusRow.nodes,
            StatusRow.solution_length,
            StatusRow.dead_end,
        )
        .where(StatusRow.ruleset_id == ruleset_id)
        .order_by(StatusRow.deal_id)
    ).all()
    solvers, wins, proofs = (
        np.array([row[at] for row in rows], dtype=np.uint16) for at in (1, 2, 3)
    )
    status = np.where(
        wins > 0,
        np.where(proofs > 0, ALARM, WINNABLE),
        np.where(proofs > 0, UNWINNABLE, UNRESOLVED),
    )
    kinds = tuple(sorted({row.dead_end for row in rows if row.dead_end is not None}))
    codes = {None: 0, **{kind: code for code, kind in enumerate(kinds, start=1)}}
    return Imported(
        np.array([row.deal_id for row in rows], dtype=np.int64),
        Statuses(
            0,
            status.astype(np.uint8),
            solvers,
            wins,
            proofs,
            np.array([-1 if row.nodes is None else row.nodes for row in rows], dtype=np.int64),
            np.array([row.solution_length or 0 for row in rows], dtype=np.int32),
            np.array([codes[row.dead_end] for row in rows], dtype=np.uint8),
            kinds,
        ),
    )


_lock = threading.Lock()
_kept: WeakKeyDictionary[Engine, dict[int, tuple[tuple[object, ...], Imported]]] = (
    WeakKeyDictionary()
)
