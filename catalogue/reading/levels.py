"""Levels of difficulty of the deals of lists, read by the indexes of `features`.

Nothing here reads the features of all deals: some seeds are found by the primary key, and the seeds
of some levels by the index of levels, which holds all that is asked for.
"""

from collections.abc import Collection
from typing import Any, NamedTuple

import numpy as np
from sqlalchemy import select
from sqlalchemy.orm import Session

from catalogue.blocks import Whole
from catalogue.schema import BLOCK_SIZE, FeaturesRow, within

# Seeds that are asked for in one statement.
_AT_ONCE = 500


class Rating(NamedTuple):
    """How hard a deal is under a ruleset.

    Attributes:
        level: 1 to 10.
        difficulty: in logits.
        deviation: of the difficulty, its standard error.
        games: games of players that it rests on beside the features.
    """

    level: int
    difficulty: float
    deviation: float
    games: int


# Without types: where there is a level, none of them is null.
_COLUMNS: tuple[Any, ...] = (
    FeaturesRow.seed,
    FeaturesRow.level,
    FeaturesRow.difficulty,
    FeaturesRow.deviation,
    FeaturesRow.games,
)


def ratings_of(
    session: Session, ruleset_id: int, dealing_id: int, seeds: Collection[int]
) -> dict[int, Rating]:
    """The ratings of a few deals by their seeds; deals without a level are left out."""
    wanted, found = sorted(seeds), {}
    for start in range(0, len(wanted), _AT_ONCE):
        rows = session.execute(
            select(*_COLUMNS).where(
                FeaturesRow.ruleset_id == ruleset_id,
                FeaturesRow.dealing_id == dealing_id,
                FeaturesRow.seed.in_(wanted[start : start + _AT_ONCE]),
                FeaturesRow.level.is_not(None),
            )
        )
        found.update({row[0]: Rating(*row[1:]) for row in rows})
    return found


def places_of_levels(
    session: Session, ruleset_id: int, dealing_id: int, levels: range, seeds: range
) -> dict[int, Whole]:
    """The deals of some levels: by block, their places in it, ascending."""
    found = session.execute(
        select(FeaturesRow.seed).where(
            FeaturesRow.ruleset_id == ruleset_id,
            # One by one: an index is searched for equal values of its first columns.
            FeaturesRow.level.in_(levels),
            FeaturesRow.dealing_id == dealing_id,
            within(FeaturesRow.seed, seeds),
        )
    ).all()
    return _by_block(np.sort(np.fromiter((row[0] for row in found), np.int64, len(found))))


def _by_block(seeds: Whole) -> dict[int, Whole]:
    """The places of ascending seeds in their blocks, by block."""
    blocks, places = np.divmod(seeds, BLOCK_SIZE)
    numbers, starts = np.unique(blocks, return_index=True)
    ends = np.append(starts, len(places))
    return {block: places[ends[at] : ends[at + 1]] for at, block in enumerate(numbers.tolist())}
