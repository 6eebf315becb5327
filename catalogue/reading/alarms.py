"""Contradictions in the catalogue; there should be none.

A deal may be both won and proved unwinnable under one ruleset, or won under a ruleset and called
unwinnable under one that allows more (`engine.game.Rulesets.implies`). Either shows that a solver
is wrong.
"""

import time
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from sqlalchemy import select
from sqlalchemy.orm import Session, aliased

from catalogue.blocks import ALARM, PROVED, UNWINNABLE, WINNABLE, WON, Statuses
from catalogue.reading.block_reader import BlockSummary, read_outcomes, read_statuses, summaries
from catalogue.reading.recent import Recent
from catalogue.reading.references import DealPlace, names_of
from catalogue.schema import (
    BLOCK_SIZE,
    IMPORTED,
    DealingRow,
    RulesetRow,
    SolverRow,
    StatusBlockRow,
)
from catalogue.store import Catalogue
from engine.errors import BadInput
from engine.games import get_game
from engine.rulesets import parse_ruleset

# Pairs of blocks whose comparison is kept.
_COMPARED = 200_000


@dataclass(frozen=True, slots=True)
class Alarm:
    """A deal both won and proved unwinnable under the same ruleset."""

    deal: str
    ruleset: str
    won_by: list[str]
    proved_by: list[str]


@dataclass(frozen=True, slots=True)
class CrossAlarm:
    """A deal won under a ruleset and called unwinnable under another one that allows more.

    Attributes:
        deal: its name.
        game: slug of its game.
        won_under: slug of the stricter ruleset.
        unwinnable_under: slug of the laxer one.
    """

    deal: str
    game: str
    won_under: str
    unwinnable_under: str

    def __str__(self) -> str:
        return (
            f"it is won under {self.won_under} and proved unwinnable under "
            f"{self.unwinnable_under}, which allows more"
        )


@dataclass(frozen=True, slots=True)
class CrossAlarms:
    """The result of comparing rulesets.

    Attributes:
        alarms: the contradictions found.
        compared: pairs of blocks that have been compared, now or before.
        left: pairs for which there was no time.
    """

    alarms: list[CrossAlarm]
    compared: int
    left: int


def alarms(cat: Catalogue, limit: int | None = None) -> list[Alarm]:
    """The contradictions within a ruleset, dealt deals first; at most `limit` of them.

    Solvers are named with their version, such as ``exact(nodes=1000) v2``.
    """
    found: list[Alarm] = []
    with cat.session() as session:
        names = {
            row.id: f"{row.name} v{row.version}"
            for row in session.execute(select(SolverRow.id, SolverRow.name, SolverRow.version))
        }
        for alarm in _alarms(session, names):
            if limit is not None and len(found) >= limit:
                break
            found.append(alarm)
    return found


def cross_alarms(cat: Catalogue, seconds: float | None = None) -> CrossAlarms:
    """The deals won under a ruleset and called unwinnable under one that allows more.

    Statuses are compared block by block; blocks that have been compared are remembered while they
    do not change.

    Args:
        cat: the catalogue.
        seconds: when to stop comparing, so that the rest is left for the next call; None never
            stops.
    """
    began = time.monotonic()
    found: list[CrossAlarm] = []
    compared = left = 0
    with cat.session() as session:
        for strict, lax in _pairs(session):
            signatures = {each.id: _signatures(session, each.id) for each in (strict, lax)}
            for dealing_id, dealer, block in _shared_blocks(session, strict.id, lax.id):
                rows = [signatures[each.id].get((dealing_id, block), []) for each in (strict, lax)]
                key = (
                    strict.slug,
                    lax.slug,
                    dealing_id,
                    block,
                    *(tuple((row.solver_id, row.checksum) for row in each) for each in rows),
                )
                seeds = _compared.get(key)
                if seeds is None:
                    if seconds is not None and time.monotonic() - began > seconds:
                        left += 1
                        continue
                    one, other = (
                        read_statuses(session, each.id, dealing_id, block, known)
                        for each, known in zip((strict, lax), rows, strict=True)
                    )
                    seeds = _contradicting(block, one, other)
                    _compared.put(key, seeds)
                compared += 1
                places = [DealPlace(dealing_id, dealer, seed) for seed in seeds]
                found += [
                    CrossAlarm(name, strict.game, strict.slug, lax.slug)
                    for name in names_of(session, places)
                ]
    return CrossAlarms(found, compared, left)


@dataclass(frozen=True, slots=True)
class _Ruleset:
    id: int
    slug: str
    game: str


def _pairs(session: Session) -> Iterator[tuple[_Ruleset, _Ruleset]]:
    """The pairs of stored rulesets of which the first implies the second."""
    stored = []
    for row in session.execute(
        select(RulesetRow.id, RulesetRow.slug, RulesetRow.game).order_by(RulesetRow.slug)
    ):
        try:
            stored.append((_Ruleset(*row), parse_ruleset(row.slug)))
        except BadInput:
            continue  # of a game that this program does not have
    for strict, strict_rules in stored:
        for lax, lax_rules in stored:
            if strict.game != lax.game or strict.slug == lax.slug:
                continue
            if get_game(strict.game).rulesets.implies(strict_rules, lax_rules):
                yield strict, lax


def _signatures(session: Session, ruleset_id: int) -> dict[tuple[int, int], list[BlockSummary]]:
    """The rows of the blocks of a ruleset, by dealing and block."""
    dealings = session.scalars(
        select(StatusBlockRow.dealing_id).where(StatusBlockRow.ruleset_id == ruleset_id).distinct()
    ).all()
    found: dict[tuple[int, int], list[BlockSummary]] = {}
    for dealing_id in dealings:
        for row in summaries(session, ruleset_id, dealing_id):
            found.setdefault((dealing_id, row.block), []).append(row)
    return found


def _shared_blocks(session: Session, strict: int, lax: int) -> list[tuple[int, str, int]]:
    """The blocks with wins under one ruleset and unwinnable deals under the other."""
    one, other = aliased(StatusBlockRow), aliased(StatusBlockRow)
    rows = session.execute(
        select(one.dealing_id, DealingRow.dealer, one.block)
        .join(
            other,
            (other.dealing_id == one.dealing_id)
            & (other.block == one.block)
            & (other.ruleset_id == lax),
        )
        .join(DealingRow, DealingRow.id == one.dealing_id)
        .where(one.ruleset_id == strict, one.winnable > 0, other.unwinnable > 0)
        .order_by(DealingRow.dealer == IMPORTED, DealingRow.dealer, one.block)
    )
    return [(row.dealing_id, row.dealer, row.block) for row in rows]


def _contradicting(block: int, strict: Statuses, lax: Statuses) -> tuple[int, ...]:
    """The seeds of a block that are won under the first ruleset and unwinnable under the second."""
    low = max(strict.first, lax.first)
    high = max(min(strict.first + len(strict), lax.first + len(lax)), low)
    one = strict.status[low - strict.first : high - strict.first]
    other = lax.status[low - lax.first : high - lax.first]
    wrong = ((one == WINNABLE) | (one == ALARM)) & (other == UNWINNABLE)
    return tuple((np.flatnonzero(wrong) + low + block * BLOCK_SIZE).tolist())


def _alarms(session: Session, names: dict[int, str]) -> Iterator[Alarm]:
    blocks = session.execute(
        select(
            StatusBlockRow.ruleset_id,
            RulesetRow.slug,
            StatusBlockRow.dealing_id,
            DealingRow.dealer,
            StatusBlockRow.block,
        )
        .join(RulesetRow, RulesetRow.id == StatusBlockRow.ruleset_id)
        .join(DealingRow, DealingRow.id == StatusBlockRow.dealing_id)
        .where(StatusBlockRow.alarms > 0)
        .order_by(
            DealingRow.dealer == IMPORTED, RulesetRow.id, DealingRow.dealer, StatusBlockRow.block
        )
    ).all()
    for ruleset_id, slug, dealing_id, dealer, block in blocks:
        statuses = read_statuses(session, ruleset_id, dealing_id, block)
        columns = read_outcomes(session, ruleset_id, dealing_id, block)
        found = (np.flatnonzero(statuses.status == ALARM) + statuses.first).tolist()
        places = [DealPlace(dealing_id, dealer, block * BLOCK_SIZE + place) for place in found]
        for place, name in zip(found, names_of(session, places), strict=True):
            by: dict[int, list[str]] = {WON: [], PROVED: []}
            for solver_id, mine in columns.items():
                if mine.first <= place < mine.end:
                    result = int(mine.result[place - mine.first])
                    by.setdefault(result, []).append(names[solver_id])
            yield Alarm(name, slug, sorted(by[WON]), sorted(by[PROVED]))


_compared: Recent[tuple[int, ...]] = Recent(_COMPARED)
