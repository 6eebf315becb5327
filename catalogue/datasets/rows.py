"""The rows of a dataset, a few thousand seeds of one block at a time, in the order of seeds."""

from collections.abc import Iterator, Sequence
from hashlib import sha256
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from sqlalchemy import literal, select
from sqlalchemy.orm import Session

from catalogue.blocks import ALARM, RESULTS, Outcomes, Statuses, Whole, combine
from catalogue.datasets.puzzles import puzzle_rows
from catalogue.datasets.solving import FoundSolution, KnownSolver, solve_again
from catalogue.datasets.tables import deal_codec
from catalogue.difficulty.grading import DifficultyModel, read_model
from catalogue.difficulty.reading import of_version
from catalogue.exports.columns import (
    SHORT,
    WHOLE,
    column,
    deal_names,
    known,
    named,
    repeated,
)
from catalogue.exports.outcomes import move_texts
from catalogue.exports.selection import StoredDealing, StoredRuleset
from catalogue.exports.statuses import status_name
from catalogue.reading.block_reader import read_follows, read_outcomes
from catalogue.reading.claims import claims_of, is_foreign
from catalogue.schema import BLOCK_SIZE, DealRow, SolutionRow, SolverRow, TraitRow, within
from engine.dealing.dealers import get_dealer
from engine.errors import BadInput
from engine.games import get_game
from engine.rulesets import parse_ruleset
from solvers.registry import get_method

# Seeds whose rows are made at once; those of one table are a row group.
CHUNK = 8192


class RowsOf(NamedTuple):
    """Rows of a table: of which, under what name of a ruleset or game, and its columns."""

    table: str
    under: str
    columns: list[Any]


class _LoadedBlock(NamedTuple):
    """The outcomes of a block under a ruleset, by solvers in the order of their names."""

    ruleset: StoredRuleset
    outcomes: list[tuple[KnownSolver, Outcomes]]
    statuses: Statuses
    model: DifficultyModel | None


def known_solvers(session: Session) -> dict[int, KnownSolver]:
    """The solvers of the catalogue by their ids."""
    query = select(
        SolverRow.name, SolverRow.version, SolverRow.id, SolverRow.grades, SolverRow.method
    )
    return {
        row.id: KnownSolver(row.name, row.version, row.id, row.grades, _sees(row.method))
        for row in session.execute(query)
    }


def _sees(method: str) -> str | None:
    try:
        return get_method(method).sees
    except BadInput:
        return None


def rows_of_block(
    session: Session,
    dealing: StoredDealing,
    rulesets: Sequence[StoredRuleset],
    block: int,
    seeds: range,
    *,
    solve: bool,
) -> Iterator[RowsOf]:
    """The rows of all tables of the seeds of a block, some seeds at a time, in their order."""
    solvers = known_solvers(session)
    blocks = [_read(session, solvers, ruleset, dealing, block) for ruleset in rulesets]
    start = block * BLOCK_SIZE
    for low in range(start, start + BLOCK_SIZE, CHUNK):
        part = range(max(low, seeds.start), min(low + CHUNK, seeds.stop))
        if part:
            yield from _rows(session, dealing, blocks, start, part, solve=solve)


def _read(
    session: Session,
    solvers: dict[int, KnownSolver],
    ruleset: StoredRuleset,
    dealing: StoredDealing,
    block: int,
) -> _LoadedBlock:
    # Not by `read_statuses`, which keeps what it has read in memory.
    found = read_outcomes(session, ruleset.id, dealing.id, block)
    outcomes = sorted((solvers[number], each) for number, each in found.items())
    follows = read_follows(session, ruleset.id, dealing.id, block)
    statuses = combine(found, [solver.id for solver, _ in outcomes if solver.grades], follows)
    return _LoadedBlock(ruleset, outcomes, statuses, read_model(session, ruleset.id))


def _rows(
    session: Session,
    dealing: StoredDealing,
    blocks: Sequence[_LoadedBlock],
    start: int,
    part: range,
    *,
    solve: bool,
) -> Iterator[RowsOf]:
    dealer, game = str(dealing.dealer), get_game(dealing.game)
    attempted = [_attempted(each.statuses, start, part) for each in blocks]
    seeds = np.unique(np.concatenate(attempted)) if attempted else np.zeros(0, np.int64)
    if not len(seeds):
        return
    # A dealer need not know the seeds at the ends of a block, such as 0.
    part = range(int(seeds[0]), int(seeds[-1]) + 1)
    dealt = get_dealer(dealer).deal_block(part.start, len(part), game)
    write = deal_codec(game).write
    texts = {int(seed): write(game.deal(dealt[seed - part.start])) for seed in seeds}
    yield RowsOf(
        "deals",
        dealing.game,
        [
            deal_names(dealer, seeds),
            repeated(dealing.game, len(seeds)),
            repeated(dealer, len(seeds)),
            seeds,
            list(texts.values()),
            [sha256(dealt[seed - part.start].tobytes()).hexdigest()[:32] for seed in seeds],
        ],
    )
    for each, mine in zip(blocks, attempted, strict=True):
        if not len(mine):
            continue
        slug = each.ruleset.slug
        yield RowsOf("verdicts", slug, _verdicts(each, dealer, start, mine))
        yield RowsOf("outcomes", slug, _outcomes(each, dealer, start, part))
        solutions = _solutions(session, each, dealing, part)
        if solve:
            has = {found.seed for found in solutions}
            won = each.statuses.wins[mine - start - each.statuses.first] > 0
            lacking = np.array([seed for seed in mine[won].tolist() if seed not in has], np.int64)
            cards = dealt[lacking - part.start]
            solutions += solve_again(parse_ruleset(slug), each.outcomes, start, lacking, cards)
            solutions.sort(key=lambda found: (found.seed, found.solver, found.version))
        if solutions:
            yield RowsOf("solutions", slug, _solution_columns(slug, dealer, solutions))
        traits = _traits(session, each, dealing, part)
        if traits:
            yield RowsOf("difficulty", slug, _trait_columns(slug, dealer, traits))
        status = each.statuses.status
        sound = [
            one for one in solutions if status[one.seed - start - each.statuses.first] != ALARM
        ]
        if sound:
            columns = puzzle_rows(slug, dealer, texts, sound, traits, each.model)
            yield RowsOf("puzzles", slug, columns)


def _attempted(statuses: Statuses, start: int, part: range) -> Whole:
    """The seeds of a range that were attempted, ascending."""
    seeds = np.flatnonzero(statuses.status) + start + statuses.first
    found: Whole = seeds[(seeds >= part.start) & (seeds < part.stop)]
    return found


def _key(slug: str, dealer: str, seeds: Whole) -> list[Any]:
    count = len(seeds)
    return [deal_names(dealer, seeds), repeated(slug, count), repeated(dealer, count), seeds]


def _verdicts(block: _LoadedBlock, dealer: str, start: int, seeds: Whole) -> list[Any]:
    statuses = block.statuses
    at = seeds - start - statuses.first
    nodes, length = statuses.nodes[at], statuses.length[at]
    return [
        *_key(block.ruleset.slug, dealer, seeds),
        named([None, *map(status_name, range(1, ALARM + 1))], statuses.status[at]),
        *(pa.array(each[at].astype(np.int32)) for each in _counts(statuses)),
        pa.array(claims_of(statuses, _foreign(block))[at]),
        known(nodes, nodes >= 0, WHOLE),
        known(length, length > 0, SHORT),
        named([None, *statuses.kinds], statuses.dead_end[at]),
    ]


def _foreign(block: _LoadedBlock) -> list[Outcomes]:
    """The outcomes of other programs' solvers, whose names are those of their methods."""
    return [mine for solver, mine in block.outcomes if is_foreign(solver.name)]


def _counts(statuses: Statuses) -> tuple[Any, ...]:
    return statuses.solvers, statuses.wins, statuses.proofs


def _outcomes(block: _LoadedBlock, dealer: str, start: int, part: range) -> list[Any]:
    seeds, by, results, nodes, lengths = [], [], [], [], []
    for number, (_, mine) in enumerate(block.outcomes):
        first = start + mine.first
        low, high = max(part.start - first, 0), max(min(part.stop - first, len(mine)), 0)
        at = np.flatnonzero(mine.result[low:high]) + low
        seeds.append(at + first)
        by.append(np.full(len(at), number))
        results.append(mine.result[at])
        nodes.append(mine.nodes[at])
        lengths.append(mine.length[at])
    order = np.lexsort((np.concatenate(by), np.concatenate(seeds)))
    who = np.concatenate(by)[order]
    node, length = np.concatenate(nodes)[order], np.concatenate(lengths)[order]
    solvers = [solver for solver, _ in block.outcomes]
    return [
        *_key(block.ruleset.slug, dealer, np.concatenate(seeds)[order]),
        named([solver.name for solver in solvers], who),
        pa.array([solver.version for solver in solvers], SHORT).take(pa.array(who)),
        named([solver.sees for solver in solvers], who),
        named([None, *RESULTS], np.concatenate(results)[order]),
        known(node, node >= 0, WHOLE),
        known(length, length > 0, SHORT),
    ]


def _solutions(
    session: Session, block: _LoadedBlock, dealing: StoredDealing, part: range
) -> list[FoundSolution]:
    """The solutions that are stored, by seed and solver."""
    rows = session.execute(
        select(
            DealRow.seed,
            SolverRow.name,
            SolverRow.version,
            SolutionRow.length,
            SolutionRow.moves,
            literal(dealing.game).label("game"),
        )
        .join(SolutionRow, SolutionRow.deal_id == DealRow.id)
        .join(SolverRow, SolverRow.id == SolutionRow.solver_id)
        .where(
            DealRow.dealing_id == dealing.id,
            within(DealRow.seed, part),
            SolutionRow.ruleset_id == block.ruleset.id,
            # The key of solutions begins with ruleset and solver.
            SolutionRow.solver_id.in_([solver.id for solver, _ in block.outcomes]),
        )
    ).all()
    found = [
        FoundSolution(row.seed, row.name, row.version, row.length, moves, False)
        for row, moves in zip(rows, move_texts(rows), strict=True)
    ]
    return sorted(found, key=lambda each: (each.seed, each.solver, each.version))


def _solution_columns(slug: str, dealer: str, found: Sequence[FoundSolution]) -> list[Any]:
    seeds = np.array([each.seed for each in found], np.int64)
    names = ("solver", "version", "length", "moves", "again")
    return [*_key(slug, dealer, seeds), *column(found, *names)]


def _traits(
    session: Session, block: _LoadedBlock, dealing: StoredDealing, part: range
) -> list[Any]:
    query = (
        select(
            *(getattr(TraitRow, name) for name in ("seed", "level", "difficulty", "deviation")),
            *(getattr(TraitRow, name) for name in ("games", "nodes", "length", "plays")),
            *(getattr(TraitRow, name) for name in ("winning", "choices", "critical")),
            *(getattr(TraitRow, name) for name in ("first_critical", "luck", "luck_error")),
            *(getattr(TraitRow, name) for name in ("needs", "unsure")),
            TraitRow.version.label("traits_version"),
            SolverRow.name,
            SolverRow.version,
        )
        .join(SolverRow, SolverRow.id == TraitRow.solver_id)
        .where(
            TraitRow.ruleset_id == block.ruleset.id,
            of_version(block.ruleset.id),
            TraitRow.dealing_id == dealing.id,
            within(TraitRow.seed, part),
        )
        .order_by(TraitRow.seed)
    )
    return list(session.execute(query).all())


def _trait_columns(slug: str, dealer: str, rows: Sequence[Any]) -> list[Any]:
    seeds = np.array([row.seed for row in rows], np.int64)
    return [
        *_key(slug, dealer, seeds),
        *column(rows, "level", "difficulty", "deviation", "games", "name", "version"),
        *column(rows, "traits_version", "nodes", "length", "plays", "winning", "choices"),
        *column(rows, "critical", "first_critical", "luck", "luck_error", "needs", "unsure"),
    ]
