"""The rows of each table, part by part, always in the same order: by dealer, seed, and solver."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from hashlib import sha256
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from sqlalchemy import select

from catalogue import statistics
from catalogue.blocks import ALARM, RESULTS, STATUSES, WINNABLE
from catalogue.outcomes.provenance import CLOCK
from catalogue.reading.cell_index import Flags
from catalogue.reading.claims import claims_of, is_foreign
from catalogue.schema import BoundRow, DeadEndRow, RegretRow, RulesetRow
from catalogue.tables.columns import (
    MOMENT,
    REAL,
    SHORT,
    TEXT,
    WHOLE,
    YES_NO,
    CatalogueTable,
    zone_names,
)
from catalogue.tables.parts import DealPart, RulesetPart, Source
from catalogue.tables.puzzles import level_error, shortest, themes
from engine.cards import DECK, card_name
from engine.games import get_game

# The values of some rows by the names of columns, or functions that make them if they are needed.
Values = dict[str, Any]
_CARD_NAMES = [card_name(card) for card in DECK]
_STATUSES = [None, *STATUSES[: ALARM - 1], STATUSES[WINNABLE - 1]]


class Batch(NamedTuple):
    """Some rows of a table.

    Attributes:
        table: the table.
        rows: its rows.
        under: the ruleset, or for deals the game; empty if they are of no block.
        dealer: the dealer, or `IMPORTED`; empty if they are of no block.
        block: the number of the block.
    """

    table: CatalogueTable
    rows: pa.RecordBatch
    under: str = ""
    dealer: str = ""
    block: int = 0


def read(source: Source, tables: Sequence[CatalogueTable]) -> Iterator[Batch]:
    """The rows of some tables, those of one part of the deals after another."""
    known = {table.name: table for table in tables}
    if "bounds" in known:
        yield from (Batch(known["bounds"], known["bounds"].batch(each)) for each in _bounds(source))
    if not known.keys() - {"bounds"}:
        return
    for part in source.parts():
        place = part.dealing.dealer, part.number
        if "deals" in known:
            rows = known["deals"].batch(_deals(part))
            yield Batch(known["deals"], rows, part.dealing.game, *place)
        for mine in part.rulesets:
            for name, values in _ROWS.items():
                found = values(mine) if name in known and len(mine.places) else None
                if found is not None:
                    yield Batch(known[name], known[name].batch(found), mine.ruleset.slug, *place)


def _deals(part: DealPart) -> Values:
    own = {zone.name: zone.piles for zone in get_game(part.dealing.game).zones}

    def zone(name: str) -> list[str | None]:
        if name not in own:
            return [None] * len(part.places)
        named = ([_CARD_NAMES[card] for card in row.tobytes()] for row in part.cards)
        return [
            " | ".join(" ".join(row[pile.start : pile.stop]) for pile in own[name]) for row in named
        ]

    return {
        **part.key(part.places),
        "digest": [sha256(row.tobytes()).hexdigest()[:32] for row in part.cards],
        "cards": part.texts,
        **{name: partial(zone, name) for name in zone_names()},
    }


def _statuses(mine: RulesetPart) -> Values:
    statuses = mine.statuses
    at = mine.places - statuses.first
    nodes, length = statuses.nodes[at], statuses.length[at]
    foreign = [each.outcomes for each in mine.outcomes if is_foreign(each.solver.name)]
    levels = {place: row for place, row in mine.features.items() if row.level is not None}
    return {
        **mine.key(mine.places),
        "status": _named(_STATUSES, statuses.status[at]),
        "solvers": pa.array(statuses.solvers[at].astype(np.int32)),
        "wins": pa.array(statuses.wins[at].astype(np.int32)),
        "proofs": pa.array(statuses.proofs[at].astype(np.int32)),
        "claims": pa.array(claims_of(statuses, foreign)[at]),
        "nodes": _known(nodes, nodes >= 0, WHOLE),
        "solution_length": _known(length, length > 0, SHORT),
        "dead_end": _named([None, *statuses.kinds], statuses.dead_end[at]),
        **_graded([levels.get(place) for place in mine.places.tolist()]),
    }


def _graded(features: Sequence[Any]) -> Values:
    """How hard deals are, from rows of features, of which some are None."""
    names = {
        "level": "level",
        "difficulty": "difficulty",
        "difficulty_error": "deviation",
        "difficulty_games": "games",
    }
    return {
        name: [None if row is None else getattr(row, own) for row in features]
        for name, own in names.items()
    }


def _outcomes(mine: RulesetPart) -> Values:
    low, high = mine.part.low, int(mine.places[-1]) + 1
    found, offset, batches = [], 0, []
    for number, (_, outcomes, known, batch) in enumerate(mine.outcomes):
        cut = slice(max(low - outcomes.first, 0), max(high - outcomes.first, 0))
        at = np.flatnonzero(outcomes.result[cut]) + cut.start
        at = at[mine.chosen[at + outcomes.first]]
        wide = (outcomes.result, outcomes.nodes, outcomes.length, outcomes.cpu_us)
        who = np.full(len(at), number), batch[at] + offset
        found.append(np.stack([at + outcomes.first, *who, *(each[at] for each in wide)]))
        batches += [*known, None]
        offset += len(known) + 1
    columns = np.concatenate(found, axis=1)
    place, who, source, result, nodes, length, cpu_us = columns[
        :, np.lexsort((columns[1], columns[0]))
    ]
    solvers, provenances = [each.solver for each in mine.outcomes], [e and e[0] for e in batches]
    earlier = np.array(
        [provenance is not None and provenance.clock < CLOCK for provenance in provenances]
    )
    return {
        **mine.key(place),
        "solver": _named([each.name for each in solvers], who),
        "version": pa.array([each.version for each in solvers], SHORT).take(pa.array(who)),
        "sees": _named([each.sees for each in solvers], who),
        "result": _named([None, *RESULTS], result),
        "nodes": _known(nodes, nodes >= 0, WHOLE),
        "length": _known(length, length > 0, SHORT),
        "cpu_ms": _known(cpu_us / 1000, cpu_us >= 0, REAL),
        "stored_at": pa.array([each and each[1] for each in batches], MOMENT).take(
            pa.array(source)
        ),
        **{
            name: _named([(each and getattr(each, name)) or None for each in provenances], source)
            for name in ("program", "revision", "processor", "numba")
        },
        "cpu_may_hold_compiling": _known(earlier[source], cpu_us >= 0, YES_NO),
    }


def _solutions(mine: RulesetPart) -> Values | None:
    found = mine.solutions
    names = ("solver", "version", "length", "moves", "made_again")
    return _keyed(mine, [each.place for each in found], lambda: _fields(found, names))


def _dead_ends(mine: RulesetPart) -> Values | None:
    rows = mine.rows(DeadEndRow, DeadEndRow.kind.label("dead_end"), DeadEndRow.witness)
    return _on_outcomes(mine, rows, "dead_end", "witness")


def _regrets(mine: RulesetPart) -> Values | None:
    names = ("kind", "step", "action", "length", "reference", "reference_version")
    rows = mine.rows(RegretRow, RegretRow.moves, *(getattr(RegretRow, name) for name in names))
    found = _on_outcomes(mine, rows, *names)
    return found and found | {"moves": mine.texts_of_moves(rows)}


def _on_outcomes(mine: RulesetPart, rows: Sequence[tuple[int, Any]], *names: str) -> Values | None:
    own = [row for _, row in rows]
    return _keyed(
        mine,
        [place for place, _ in rows],
        lambda: {"solver": [row.name for row in own], **_fields(own, ("version", *names))},
    )


def _difficulty(mine: RulesetPart) -> Values | None:
    rows = list(mine.features.values())
    names = ("nodes", "length", "plays", "winning", "choices", "critical", "first_critical")
    return _keyed(
        mine,
        list(mine.features),
        lambda: {
            **_graded(rows),
            "solver": [row.name for row in rows],
            "version": [row.solver_version for row in rows],
            "features_version": [row.version for row in rows],
            **_fields(rows, (*names, "luck", "luck_error", "needs", "unsure")),
        },
    )


def _puzzles(mine: RulesetPart) -> Values | None:
    best, model = shortest(mine.sound), mine.model
    places = [each.place for each in best]
    features = [mine.features.get(place) for place in places]
    return _keyed(
        mine,
        places,
        lambda: {
            "cards": [mine.part.texts[at] for at in np.searchsorted(mine.part.places, places)],
            **_fields(best, ("moves", "length")),
            "level": [None if row is None else row.level for row in features],
            "level_error": [level_error(row, model) for row in features],
            "themes": ["" if row is None else " ".join(themes(row)) for row in features],
            "critical": [None if row is None else row.critical for row in features],
        },
    )


def _keyed(mine: RulesetPart, places: Sequence[int], values: Callable[[], Values]) -> Values | None:
    return {**mine.key(np.array(places, np.int64)), **values()} if places else None


# The tables of deals under rulesets.
_ROWS: dict[str, Callable[[RulesetPart], Values | None]] = {
    "statuses": _statuses,
    "outcomes": _outcomes,
    "solutions": _solutions,
    "dead_ends": _dead_ends,
    "difficulty": _difficulty,
    "puzzles": _puzzles,
    "regrets": _regrets,
}


def _bounds(source: Source) -> Iterator[Values]:
    names = ("dealer", "first_seed", "n", "winnable", "unwinnable")
    own = (getattr(BoundRow, name) for name in names)
    query = (
        select(RulesetRow.slug, *own, BoundRow.created_at, BoundRow.job_id)
        .join(RulesetRow, RulesetRow.id == BoundRow.ruleset_id)
        .where(*source.selection.ruled())
        .order_by(BoundRow.id)
        .execution_options(yield_per=10_000)
    )
    if source.selection.dealer is not None:
        query = query.where(BoundRow.dealer == source.selection.dealer)
    for rows in source.session.execute(query).partitions():
        values = _fields(rows, names)
        n, winnable = np.array(values["n"]), np.array(values["winnable"])
        possible = n - np.array(values["unwinnable"])
        yield {
            **values,
            "ruleset": [row.slug for row in rows],
            "lower": winnable / n,
            "upper": possible / n,
            "low": statistics.intervals(winnable, n, 0.99, "sequence")[0],
            "high": statistics.intervals(possible, n, 0.99, "sequence")[1],
            "stored_at": [row.created_at for row in rows],
            "job_id": [row.job_id for row in rows],
        }


def _fields(rows: Sequence[Any], names: Sequence[str]) -> Values:
    return {name: [getattr(row, name) for row in rows] for name in names}


def _named(names: Sequence[str | None], codes: Any) -> pa.Array:
    """A column of texts, each given by its place in a list."""
    return pa.array(names, TEXT).take(pa.array(codes))


def _known(values: Any, present: Flags, kind: pa.DataType) -> pa.Array:
    """A column of numbers, of which some are missing."""
    return pa.array(values, mask=~present).cast(kind)
