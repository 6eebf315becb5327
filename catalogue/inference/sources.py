"""Outcomes that follow from those under other rulesets, and their sources.

Sources are outcomes that a solver or player found; none is itself inferred, since the order of
rulesets is transitive and the first source implies the ruleset directly.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import select
from sqlalchemy.orm import Session

from catalogue.blocks import EVERYTHING, PROVED, WON, Outcomes
from catalogue.inference.inferred import METHOD, Inferred
from catalogue.reading.block_reader import read_outcomes
from catalogue.reading.claims import foreign_solvers
from catalogue.reading.samples import outcome_counts, tried_by
from catalogue.schema import (
    BLOCK_SIZE,
    DealingRow,
    DealRow,
    RulesetRow,
    SolutionRow,
    SolverRow,
    within,
)
from engine.dealing.dealers import Sample
from engine.errors import BadInput
from engine.game import Rules
from engine.games import game_of
from engine.rulesets import parse_ruleset


@dataclass(frozen=True, slots=True)
class Premise:
    """A stored ruleset from whose outcomes others follow.

    Attributes:
        id: of its row.
        slug: its name.
        gives: what follows from it, `WON` or `PROVED`.
    """

    id: int
    slug: str
    gives: int


def inferred_solvers(session: Session) -> list[int]:
    """The ids of the rows of inferred outcomes."""
    return list(session.scalars(select(SolverRow.id).where(SolverRow.method == METHOD)))


def inferred_count(session: Session, ruleset_id: int, dealer: str, first: int, count: int) -> int:
    """The number of inferred outcomes under a ruleset of some deals of a dealer."""
    return sum(
        outcome_counts(session, ruleset_id, solver_id, dealer, first, count).attempted
        for solver_id in inferred_solvers(session)
    )


def sources_of(session: Session, rules: Rules) -> list[Premise]:
    """The stored rulesets from whose outcomes those under a ruleset follow, by slug."""
    implies = game_of(rules).rulesets.implies
    found = []
    for row in session.execute(
        select(RulesetRow.id, RulesetRow.slug)
        .where(RulesetRow.game == rules.game, RulesetRow.slug != rules.slug)
        .order_by(RulesetRow.slug)
    ):
        try:
            other = parse_ruleset(row.slug)
        except BadInput:
            continue  # of a later version of the program
        if implies(other, rules):
            found.append(Premise(row.id, row.slug, WON))
        if implies(rules, other):
            found.append(Premise(row.id, row.slug, PROVED))
    return found


def follow(
    session: Session,
    sources: Sequence[Premise],
    dealing_id: int,
    seeds: range,
    wanted: NDArray[np.bool_],
    keep: str,
) -> list[Inferred]:
    """The outcomes that follow for some seeds of one block, each from the first source that has it.

    A deal for which both results follow is left out, since one of them is wrong. Where everything
    is kept, a win follows only from a solution that is stored.

    Args:
        session: a session.
        sources: of the ruleset.
        dealing_id: the deals' dealing.
        seeds: of one block.
        wanted: bool[n], the seeds that are asked for.
        keep: what will be kept, one of `catalogue.blocks.KEEPS`.
    """
    found = []
    for source, places in _followed(session, sources, dealing_id, seeds, wanted, keep):
        chosen = (np.flatnonzero(places) + seeds.start).astype(np.int64)
        moves: tuple[bytes, ...] = ()
        if source.gives == WON and keep == EVERYTHING:
            hidden = inferred_solvers(session)
            stored = solutions(session, source.id, dealing_id, seeds, hidden)
            chosen = np.array([seed for seed in chosen.tolist() if seed in stored], np.int64)
            moves = tuple(stored[seed][0] for seed in chosen.tolist())
        if len(chosen):
            found.append(Inferred(source.slug, source.gives, chosen, moves))
    return found


def follow_counts(
    session: Session,
    rules: Rules,
    solver_ids: Sequence[int | None],
    sample: Sample,
    keep: str,
) -> tuple[list[int], int]:
    """The work of a job that infers.

    Args:
        session: a session.
        rules: the ruleset.
        solver_ids: of the job's solvers; None for one that has no row yet.
        sample: the deals.
        keep: what will be kept, one of `catalogue.blocks.KEEPS`.

    Returns:
        For each solver the number of deals that it would solve, and the number of those whose
        outcomes follow.
    """
    ruleset_id = session.scalar(select(RulesetRow.id).where(RulesetRow.slug == rules.slug))
    dealing_id = session.scalar(
        select(DealingRow.id).where(
            DealingRow.game == rules.game, DealingRow.dealer == sample.dealer
        )
    )
    if dealing_id is None:
        return [sample.count] * len(solver_ids), 0
    sources, stand_ins = sources_of(session, rules), inferred_solvers(session)
    left, inferred = [0] * len(solver_ids), 0
    end = sample.first + sample.count
    for start in range(sample.first // BLOCK_SIZE * BLOCK_SIZE, end, BLOCK_SIZE):
        seeds = range(max(start, sample.first), min(start + BLOCK_SIZE, end))
        asked = [-1 if each is None else each for each in solver_ids]
        tried = tried_by(session, ruleset_id or -1, dealing_id, seeds, asked, stand_ins)
        wanted = ~np.logical_and.reduce(tried)
        follows = np.zeros(len(seeds), np.bool_)
        for _, places in _followed(session, sources, dealing_id, seeds, wanted, keep):
            follows |= places
        inferred += int(follows.sum())
        for at, mine in enumerate(tried):
            left[at] += int((~mine & ~follows).sum())
    return left, inferred


def _followed(
    session: Session,
    sources: Sequence[Premise],
    dealing_id: int,
    seeds: range,
    wanted: NDArray[np.bool_],
    keep: str,
) -> list[tuple[Premise, NDArray[np.bool_]]]:
    """The seeds that follow from each source, bool[n]; the arguments are those of `follow`."""
    hidden = inferred_solvers(session)
    claiming = {*hidden, *foreign_solvers(session)}
    block = seeds.start // BLOCK_SIZE
    given: list[tuple[Premise, NDArray[np.bool_]]] = []
    follows = {WON: np.zeros(len(seeds), np.bool_), PROVED: np.zeros(len(seeds), np.bool_)}
    for source in sources:
        known = read_outcomes(session, source.id, dealing_id, block)
        mine = [columns for solver_id, columns in known.items() if solver_id not in hidden]
        # From a proof that is only claimed nothing follows.
        own = [columns for solver_id, columns in known.items() if solver_id not in claiming]
        has = with_result(own if source.gives == PROVED else mine, source.gives, seeds)
        if source.gives == PROVED:
            # Where it is won as well, the proof is wrong.
            has &= ~with_result(mine, WON, seeds)
        follows[source.gives] |= has
        if source.gives == WON and keep == EVERYTHING:
            has &= with_result(mine, WON, seeds, rowed=True)
        given.append((source, has))
    left = wanted & ~(follows[WON] & follows[PROVED])
    found = []
    for source, has in given:
        found.append((source, left & has))
        left = left & ~has
    return found


def solutions(
    session: Session, ruleset_id: int, dealing_id: int, seeds: range, hidden: Collection[int]
) -> Mapping[int, list[bytes]]:
    """The solutions stored of the deals of a range of seeds, compressed, the shortest first.

    Those of the solvers that are hidden are left out.
    """
    found: dict[int, list[bytes]] = {}
    rows = session.execute(
        select(DealRow.seed, SolutionRow.moves)
        .join(SolutionRow, SolutionRow.deal_id == DealRow.id)
        .where(
            DealRow.dealing_id == dealing_id,
            within(DealRow.seed, seeds),
            SolutionRow.ruleset_id == ruleset_id,
            SolutionRow.solver_id.not_in(hidden),
        )
        .order_by(DealRow.seed, SolutionRow.length, SolutionRow.solver_id)
    )
    for seed, moves in rows:
        if seed is not None:
            found.setdefault(seed, []).append(moves)
    return found


def with_result(
    known: Sequence[Outcomes], result: int, seeds: range, *, rowed: bool = False
) -> NDArray[np.bool_]:
    """The seeds of one block for which a solver has a result, and a row of it if asked for."""
    found = np.zeros(len(seeds), np.bool_)
    place = seeds.start % BLOCK_SIZE
    for columns in known:
        wide = columns.widened(place, place + len(seeds))
        inside = slice(place - wide.first, place - wide.first + len(seeds))
        has = wide.result[inside] == result
        found |= has & wide.rowed[inside] if rowed else has
    return found
