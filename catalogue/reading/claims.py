"""Claims: deals that count as unwinnable on the word of other programs alone.

What an imported result calls unwinnable counts as its solver's proof (`catalogue.intake.outcomes`),
but nothing here has proved it. A win that is imported is no claim: the referee has replayed it.
"""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import select
from sqlalchemy.orm import Session

from catalogue.blocks import PROVED, UNWINNABLE, Outcomes, Statuses
from catalogue.outcomes.chunk import FOREIGN
from catalogue.reading.block_reader import (
    cut,
    dealing_of,
    read_outcomes,
    read_statuses,
    summaries,
)
from catalogue.schema import BLOCK_SIZE, SolverRow


@dataclass(frozen=True, slots=True)
class Claims:
    """The claimed deals of a sample.

    Attributes:
        deals: their number.
        by: the programs that claim them, with versions.
    """

    deals: int = 0
    by: tuple[str, ...] = ()


NO_CLAIMS = Claims()


def is_foreign(method: str) -> bool:
    """Whether a method is another program's, whose proofs are taken on its word."""
    return method.startswith(FOREIGN)


def foreign_solvers(session: Session) -> dict[int, str]:
    """The ids of other programs' solvers, each with its name and version."""
    query = select(SolverRow.id, SolverRow.method, SolverRow.version)
    return {
        row.id: f"{row.method.removeprefix(FOREIGN)} version {row.version}"
        for row in session.execute(query.where(SolverRow.method.startswith(FOREIGN)))
    }


def claims_of(statuses: Statuses, foreign: Iterable[Outcomes]) -> NDArray[np.int32]:
    """For each deal of a block, how many other programs call it unwinnable."""
    found = np.zeros(len(statuses), np.int32)
    for columns in foreign:
        at = slice(columns.first - statuses.first, columns.end - statuses.first)
        found[at] += columns.result == PROVED
    return found


def is_claimed(statuses: Statuses, claims: NDArray[np.int32]) -> NDArray[np.bool_]:
    """Which deals of a block are unwinnable on the word of other programs alone."""
    claimed: NDArray[np.bool_] = (
        (statuses.status == UNWINNABLE) & (claims > 0) & (claims >= statuses.proofs)
    )
    return claimed


def claims_on(session: Session, ruleset_id: int, dealer: str, first: int, count: int) -> Claims:
    """The claimed deals among the seeds `first` … `first + count − 1` of a dealer."""
    foreign = foreign_solvers(session)
    dealing_id = dealing_of(session, ruleset_id, dealer) if foreign and count > 0 else None
    if dealing_id is None:
        return NO_CLAIMS
    seeds = range(first, first + count)
    blocks = range(first // BLOCK_SIZE, (first + count - 1) // BLOCK_SIZE + 1)
    claiming = summaries(session, ruleset_id, dealing_id, blocks, foreign)
    deals, by = 0, set[str]()
    for block in sorted({each.block for each in claiming if each.unwinnable}):
        statuses = read_statuses(session, ruleset_id, dealing_id, block)
        found = read_outcomes(session, ruleset_id, dealing_id, block, foreign)
        inside = cut(statuses, block, seeds)
        claimed = is_claimed(statuses, claims_of(statuses, found.values()))
        deals += int(claimed[inside].sum())
        for solver_id, columns in found.items():
            mine = claims_of(statuses, [columns]) > 0
            if (claimed & mine)[inside].any():
                by.add(foreign[solver_id])
    return Claims(deals, tuple(sorted(by)))
