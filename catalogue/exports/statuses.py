"""The table of statuses: the verdict on each deal under each ruleset."""

from collections.abc import Iterator

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from sqlalchemy import func, select

from catalogue.blocks import ALARM, WINNABLE, Statuses, Whole
from catalogue.blocks import STATUSES as STATUS_NAMES
from catalogue.exports.columns import (
    DEAL,
    GAME,
    REAL,
    RULESET,
    SHORT,
    TEXT,
    WHOLE,
    Columns,
    ExportColumn,
    ExportTable,
    Source,
    deal_names,
    known,
    named,
    repeated,
)
from catalogue.exports.selection import StoredRuleset
from catalogue.reading.block_reader import read_statuses
from catalogue.reading.claims import claims_in_block, claims_on_imported
from catalogue.reading.imported import read_imported
from catalogue.reading.levels import Ratings, ratings_in_block
from catalogue.schema import BLOCK_SIZE, DealRow, StatusBlockRow, StatusRow


def status_name(code: int) -> str:
    """The status of a code of `catalogue.blocks`; a contradiction is winnable."""
    return STATUS_NAMES[(WINNABLE if code == ALARM else code) - 1]


def blocks_of(source: Source, ruleset_id: int, dealing_id: int) -> list[int]:
    """The blocks of a ruleset and dealing with seeds that are selected."""
    seeds = source.selection.seeds
    return list(
        source.session.scalars(
            select(StatusBlockRow.block)
            .where(
                StatusBlockRow.ruleset_id == ruleset_id,
                StatusBlockRow.dealing_id == dealing_id,
                StatusBlockRow.block >= seeds.start // BLOCK_SIZE,
                StatusBlockRow.block <= (seeds.stop - 1) // BLOCK_SIZE,
            )
            .order_by(StatusBlockRow.block)
        )
    )


def _read_statuses(source: Source) -> Iterator[Columns]:
    session, selection = source.session, source.selection
    for ruleset in selection.rulesets(session):
        for dealing in selection.dealings(session, ruleset.game):
            if dealing.dealer is None:
                continue
            for block in blocks_of(source, ruleset.id, dealing.id):
                statuses = read_statuses(session, ruleset.id, dealing.id, block)
                chosen = np.flatnonzero(selection.passing(statuses, block))
                claims = claims_in_block(session, ruleset.id, dealing.id, block, statuses)
                ratings = ratings_in_block(session, ruleset.id, dealing.id, block)
                for at in _batches(chosen, source.batch):
                    seeds = at + (block * BLOCK_SIZE + statuses.first)
                    names = deal_names(dealing.dealer, seeds)
                    rated = _rated(ratings, seeds)
                    yield [*_values(ruleset, names, statuses, at, claims), *rated]
        if selection.has_imported:
            imported = read_imported(source.cat, session, ruleset.id)
            chosen = np.flatnonzero(selection.passing(imported.statuses, None))
            claims = claims_on_imported(session, ruleset.id, imported.deal_ids)
            for at in _batches(chosen, source.batch):
                ids = imported.deal_ids[at]
                rows = session.execute(
                    select(DealRow.id, DealRow.digest).where(
                        DealRow.id.between(int(ids[0]), int(ids[-1])), DealRow.seed.is_(None)
                    )
                )
                digests = {row.id: row.digest for row in rows}
                names = pa.array([digests[deal_id].hex() for deal_id in ids.tolist()], TEXT)
                # Imported deals have no traits, from which levels follow.
                unrated = _rated(Ratings.none(), np.full(len(at), -1))
                yield [*_values(ruleset, names, imported.statuses, at, claims), *unrated]


def _rated(ratings: Ratings, seeds: Whole) -> list[pa.Array]:
    """Level, difficulty, its standard error and number of games of the deals of seeds."""
    if not len(ratings.seeds):
        return [pa.nulls(len(seeds), kind) for kind in (SHORT, REAL, REAL, SHORT)]
    at = np.minimum(np.searchsorted(ratings.seeds, seeds), len(ratings.seeds) - 1)
    there = ratings.seeds[at] == seeds
    return [
        known(ratings.level[at], there, SHORT),
        known(ratings.difficulty[at], there, REAL),
        known(ratings.deviation[at], there, REAL),
        known(ratings.games[at], there, SHORT),
    ]


def _values(
    ruleset: StoredRuleset,
    names: pa.Array,
    statuses: Statuses,
    at: Whole,
    claims: NDArray[np.int32],
) -> Columns:
    count = len(at)
    words = [None, *map(status_name, range(1, ALARM + 1))]
    nodes, length, dead_end = statuses.nodes[at], statuses.length[at], statuses.dead_end[at]
    return [
        names,
        repeated(ruleset.game, count),
        repeated(ruleset.slug, count),
        named(words, statuses.status[at]),
        pa.array(statuses.solvers[at].astype(np.int32)),
        pa.array(statuses.wins[at].astype(np.int32)),
        pa.array(statuses.proofs[at].astype(np.int32)),
        pa.array(claims[at]),
        known(nodes, nodes >= 0, WHOLE),
        known(length, length > 0, SHORT),
        named([None, *statuses.kinds], dead_end),
    ]


def _batches(places: Whole, size: int) -> Iterator[Whole]:
    for start in range(0, len(places), size):
        yield places[start : start + size]


def _count_statuses(source: Source) -> int:
    session, selection = source.session, source.selection
    total = 0
    seeds = selection.seeds
    for ruleset in selection.rulesets(session):
        dealings = [each.id for each in selection.dealings(session, ruleset.game) if each.dealer]
        total += int(
            session.scalar(
                select(func.coalesce(func.sum(StatusBlockRow.deals), 0)).where(
                    StatusBlockRow.ruleset_id == ruleset.id,
                    StatusBlockRow.dealing_id.in_(dealings),
                    StatusBlockRow.block >= seeds.start // BLOCK_SIZE,
                    StatusBlockRow.block <= (seeds.stop - 1) // BLOCK_SIZE,
                )
            )
            or 0
        )
        if selection.has_imported:
            total += (
                session.scalar(
                    select(func.count())
                    .select_from(StatusRow)
                    .where(StatusRow.ruleset_id == ruleset.id)
                )
                or 0
            )
    return total


STATUSES = ExportTable(
    "statuses",
    "The status of each deal under each ruleset, from all outcomes.",
    (
        DEAL,
        GAME,
        RULESET,
        ExportColumn(
            "status",
            TEXT,
            "winnable (won at least once), unwinnable (proved), or unresolved",
        ),
        ExportColumn("solvers", SHORT, "number of solvers with an outcome"),
        ExportColumn("wins", SHORT, "number of solvers that won"),
        ExportColumn(
            "proofs",
            SHORT,
            "number of solvers that proved it unwinnable; wins and proofs both above 0 are a "
            "contradiction",
        ),
        ExportColumn(
            "claims",
            SHORT,
            "number of the proofs that are taken on the word of other programs, whose results were "
            "imported; if all are, nothing here has proved it",
        ),
        ExportColumn(
            "nodes",
            WHOLE,
            "positions entered by the exact search that decided it, the fewest if several did; "
            "empty if none did",
        ),
        ExportColumn(
            "solution_length",
            SHORT,
            "moves of the shortest solution known, empty if none",
        ),
        ExportColumn("dead_end", TEXT, "kind of its dead-end classification; empty if none"),
        ExportColumn(
            "level",
            SHORT,
            "how hard the deal is for a player who does not see the face-down cards, 1 (easiest) "
            "to 10, tenths of the deals on which the difficulty was fitted; empty if not graded, "
            "as all deals that are not known to be winnable",
        ),
        ExportColumn(
            "difficulty",
            REAL,
            "from which the level follows, in logits: a player of ability a wins it with the "
            "chance 1 / (1 + exp(difficulty - a)); 0 is the mean of the deals of the fit",
        ),
        ExportColumn("difficulty_error", REAL, "standard error of the difficulty"),
        ExportColumn(
            "difficulty_games",
            SHORT,
            "games of players on which the difficulty rests beside the deal's traits; 0 if it is "
            "predicted from the traits alone",
        ),
    ),
    _read_statuses,
    _count_statuses,
)
