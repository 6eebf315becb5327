"""The tables based on outcomes: outcomes themselves, solutions, dead ends and regrets.

Outcomes are read from blocks, but for those on imported deals, which have rows alone.
"""

from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from functools import lru_cache
from typing import Any

import numpy as np
import pyarrow as pa
from sqlalchemy import func, select

from catalogue.blocks import RESULTS, Outcomes
from catalogue.exports.columns import (
    DEAL,
    GAME,
    MOMENT,
    REAL,
    RULESET,
    SHORT,
    SOLVER,
    TEXT,
    VERSION,
    WHOLE,
    YES_NO,
    Columns,
    ExportColumn,
    ExportTable,
    Rows,
    Source,
    column,
    deal_names,
    known,
    named,
    references,
    repeated,
)
from catalogue.exports.selection import StoredDealing, StoredRuleset
from catalogue.exports.statuses import blocks_of, status_name
from catalogue.outcomes.compression import decompress
from catalogue.outcomes.maker import CLOCK
from catalogue.reading.block_reader import read_statuses
from catalogue.reading.imported import read_imported
from catalogue.schema import (
    BLOCK_SIZE,
    BatchRow,
    BlockRow,
    DeadEndRow,
    DealingRow,
    DealRow,
    MakerRow,
    OnOutcome,
    OutcomeRow,
    RegretRow,
    RulesetRow,
    SolutionRow,
    SolverRow,
    same_outcome,
)
from engine.games import games, get_game


def _rows_of(source: Source, kind: OnOutcome | None, *columns: Any) -> Rows:
    """Query columns of outcomes with rows, and those naming deal, ruleset and solver.

    Deals that are left out by their status are among them.
    """
    selection = source.selection
    query = (
        select(
            DealRow.dealing_id,
            DealRow.id.label("deal_id"),
            DealingRow.game,
            DealingRow.dealer,
            DealRow.seed,
            DealRow.digest,
            OutcomeRow.ruleset_id,
            RulesetRow.slug,
            SolverRow.name,
            SolverRow.version,
            *columns,
        )
        .select_from(OutcomeRow)
        .join(DealRow, DealRow.id == OutcomeRow.deal_id)
        .join(DealingRow, DealingRow.id == DealRow.dealing_id)
        .join(RulesetRow, RulesetRow.id == OutcomeRow.ruleset_id)
        .join(SolverRow, SolverRow.id == OutcomeRow.solver_id)
        .where(
            *selection.ruled(),
            DealRow.dealing_id.in_([each.id for each in selection.dealings(source.session)]),
        )
        .order_by(
            DealRow.dealing_id,
            DealRow.seed,
            DealRow.id,
            OutcomeRow.ruleset_id,
            OutcomeRow.solver_id,
        )
    )
    if selection.seed_from is not None:
        query = query.where(DealRow.seed >= selection.seed_from)
    if selection.seed_to is not None:
        query = query.where(DealRow.seed <= selection.seed_to)
    return query if kind is None else query.join(kind, same_outcome(kind))


def _partitions(source: Source, query: Rows) -> Iterator[Sequence[Any]]:
    """The rows of a query, some at a time, without the deals of another status."""
    result = source.session.execute(query.execution_options(yield_per=source.batch))
    for rows in result.partitions():
        kept: Sequence[Any] = rows
        if source.selection.status is not None:
            kept = [row for row in rows if _has_status(source, row)]
        if kept:
            yield kept


def _has_status(source: Source, row: Any) -> bool:
    """Whether the deal of a row has the status that is selected."""
    if row.seed is None:
        imported = read_imported(source.cat, source.session, row.ruleset_id)
        at = int(np.searchsorted(imported.deal_ids, row.deal_id))
        statuses = imported.statuses
    else:
        block = row.seed // BLOCK_SIZE
        statuses = read_statuses(source.session, row.ruleset_id, row.dealing_id, block)
        at = row.seed - block * BLOCK_SIZE - statuses.first
    return source.selection.status == status_name(int(statuses.status[at]))


@lru_cache(maxsize=4096)
def _move_name(game: str, packed: bytes) -> str:
    (move,) = get_game(game).unpack(packed)
    return str(move)


def move_texts(rows: Sequence[Any]) -> list[str]:
    """The moves of each row as text; names of moves are looked up, since there are few."""
    texts = []
    for row in rows:
        size = get_game(row.game).move_size
        moves = decompress(row.game, row.moves)
        packed = (moves[at : at + size] for at in range(0, len(moves), size))
        texts.append(" ".join(_move_name(row.game, move) for move in packed))
    return texts


def _read_outcomes(source: Source) -> Iterator[Columns]:
    session, selection = source.session, source.selection
    makers = {row.id: row for row in session.scalars(select(MakerRow))}
    for ruleset in selection.rulesets(session):
        for dealing in selection.dealings(session, ruleset.game):
            if dealing.dealer is None:
                continue
            for block in blocks_of(source, ruleset.id, dealing.id):
                found = session.execute(
                    select(SolverRow.name, SolverRow.version, BlockRow.made, BlockRow.columns)
                    .join(SolverRow, SolverRow.id == BlockRow.solver_id)
                    .where(
                        BlockRow.ruleset_id == ruleset.id,
                        BlockRow.dealing_id == dealing.id,
                        BlockRow.block == block,
                    )
                    .order_by(BlockRow.solver_id)
                ).all()
                for row in found:
                    yield from _of_block(source, ruleset, dealing, block, row, makers)
    yield from _on_imported(source)


_MADE_NAMES = ("program", "revision", "processor", "numba")
_MADE = tuple(getattr(MakerRow, name) for name in _MADE_NAMES)


def _of_block(
    source: Source,
    ruleset: StoredRuleset,
    dealing: StoredDealing,
    block: int,
    row: Any,
    makers: dict[int, MakerRow],
) -> Iterator[Columns]:
    columns = Outcomes.decode(row.columns)
    statuses = read_statuses(source.session, ruleset.id, dealing.id, block)
    start = columns.first - statuses.first
    passing = source.selection.passing(statuses, block)[start : start + len(columns)]
    chosen = np.flatnonzero(passing & (columns.result > 0))
    # The shortest range of seeds that has a seed says who made its outcome.
    made = sorted(row.made, key=lambda each: -each[1])
    number = np.full(len(columns), len(made), dtype=np.int64)
    first = block * BLOCK_SIZE + columns.first
    for at, (low, count, _, _) in enumerate(made):
        number[max(low - first, 0) : max(low + count - first, 0)] = at
    moments = [datetime.fromisoformat(each[3]) for each in made]
    by_maker = [makers[each[2]] for each in made]
    earlier = np.array([*(maker.clock < CLOCK for maker in by_maker), False])
    for begin in range(0, len(chosen), source.batch):
        places = chosen[begin : begin + source.batch]
        by, count = number[places], len(places)
        nodes, length, cpu_us = (
            each[places] for each in (columns.nodes, columns.length, columns.cpu_us)
        )
        yield [
            deal_names(str(dealing.dealer), places + first),
            repeated(ruleset.game, count),
            repeated(ruleset.slug, count),
            repeated(row.name, count),
            repeated(row.version, count, SHORT),
            named([None, *RESULTS], columns.result[places]),
            known(nodes, nodes >= 0, WHOLE),
            known(length, length > 0, SHORT),
            known(cpu_us / 1000, cpu_us >= 0, REAL),
            pa.array([*moments, None], MOMENT).take(pa.array(by)),
            *(
                named([*(getattr(maker, name) or None for maker in by_maker), None], by)
                for name in _MADE_NAMES
            ),
            known(earlier[by], cpu_us >= 0, YES_NO),
        ]


def _on_imported(source: Source) -> Iterator[Columns]:
    query = _rows_of(
        source,
        None,
        OutcomeRow.result,
        OutcomeRow.nodes,
        SolutionRow.length,
        OutcomeRow.cpu_us,
        BatchRow.created_at,
        MakerRow.clock,
        *_MADE,
    )
    query = (
        query.outerjoin(SolutionRow, same_outcome(SolutionRow))
        .join(BatchRow, BatchRow.id == OutcomeRow.batch_id)
        .join(MakerRow, MakerRow.id == BatchRow.maker_id)
        .where(DealRow.seed.is_(None))
    )
    for rows in _partitions(source, query):
        names = ("game", "slug", "name", "version", "result", "nodes", "length")
        yield [
            references(rows),
            *column(rows, *names),
            [None if row.cpu_us is None else row.cpu_us / 1000 for row in rows],
            *column(rows, "created_at"),
            *([value or None for value in values] for values in column(rows, *_MADE_NAMES)),
            [None if row.cpu_us is None else row.clock < CLOCK for row in rows],
        ]


def _count_outcomes(source: Source) -> int:
    session, selection = source.session, source.selection
    imported = _rows_of(source, None).where(DealRow.seed.is_(None)).order_by(None).subquery()
    total = session.scalar(select(func.count()).select_from(imported)) or 0
    for ruleset in selection.rulesets(session):
        dealings = [each.id for each in selection.dealings(session, ruleset.game) if each.dealer]
        total += int(
            session.scalar(
                select(func.coalesce(func.sum(BlockRow.attempted), 0)).where(
                    BlockRow.ruleset_id == ruleset.id,
                    BlockRow.dealing_id.in_(dealings),
                    BlockRow.block >= selection.seeds.start // BLOCK_SIZE,
                    BlockRow.block <= (selection.seeds.stop - 1) // BLOCK_SIZE,
                )
            )
            or 0
        )
    return total


def _counted(source: Source, kind: OnOutcome) -> int:
    """The number of rows of a table on outcomes."""
    rows = _rows_of(source, kind).order_by(None).subquery()
    return source.session.scalar(select(func.count()).select_from(rows)) or 0


def _reader(
    kind: OnOutcome, columns: Sequence[Any], values: Callable[[Sequence[Any]], Columns]
) -> Callable[[Source], Iterator[Columns]]:
    """How to read a table of rows on outcomes."""

    def read(source: Source) -> Iterator[Columns]:
        for rows in _partitions(source, _rows_of(source, kind, *columns)):
            yield values(rows)

    return read


def _solutions_values(rows: Sequence[Any]) -> Columns:
    return [
        references(rows),
        *column(rows, "game", "slug", "name", "version", "length"),
        move_texts(rows),
    ]


def _dead_ends_values(rows: Sequence[Any]) -> Columns:
    return [references(rows), *column(rows, "game", "slug", "name", "version", "kind", "witness")]


def _regrets_values(rows: Sequence[Any]) -> Columns:
    names = ("game", "slug", "name", "version", "kind", "step", "action", "length", "judge_version")
    return [references(rows), *column(rows, *names), move_texts(rows), *column(rows, "judge")]


def _notation() -> str:
    return "; ".join(f"{game.name}: {game.notation}" for game in games())


OUTCOMES = ExportTable(
    "outcomes",
    "The outcome of each solver on each deal.",
    (
        DEAL,
        GAME,
        RULESET,
        SOLVER,
        VERSION,
        ExportColumn(
            "result",
            TEXT,
            "won, lost (it failed; proves nothing), unwinnable (proved), or gave_up (its "
            "budget was spent)",
        ),
        ExportColumn(
            "nodes",
            WHOLE,
            "positions entered; the deterministic measure of effort; empty if unknown",
        ),
        ExportColumn(
            "length",
            SHORT,
            "moves of the solution, empty if not won or unknown",
        ),
        ExportColumn(
            "cpu_ms",
            REAL,
            "milliseconds of CPU time of the deal by itself; empty where it was not timed so",
        ),
        ExportColumn("stored_at", MOMENT, "when it, or the last beside it, was stored, UTC"),
        ExportColumn("program", TEXT, "version of Thoughtful that made it; empty if unknown"),
        ExportColumn("revision", TEXT, "revision of its source; empty if unknown"),
        ExportColumn("processor", TEXT, "model of the machine's processor; empty if unknown"),
        ExportColumn("numba", TEXT, "version of the compiler Numba; empty if off or unknown"),
        ExportColumn(
            "cpu_may_hold_compiling",
            YES_NO,
            "whether cpu_ms was measured before schema 0008, when kernels that were compiled or "
            "loaded within a deal counted as its time; empty without cpu_ms",
        ),
    ),
    _read_outcomes,
    _count_outcomes,
)

DEAD_ENDS = ExportTable(
    "dead_ends",
    "Classifications of starting deals that a dead-end test proved unwinnable, with their "
    "witnesses. The kind of one whose witness is not kept is in `statuses`.",
    (
        DEAL,
        GAME,
        RULESET,
        SOLVER,
        VERSION,
        ExportColumn("kind", TEXT, "kind of the dead-end test that proved it"),
        ExportColumn("witness", TEXT, "the cards that prove it, separated by spaces"),
    ),
    _reader(DeadEndRow, (DeadEndRow.kind, DeadEndRow.witness), _dead_ends_values),
    lambda source: _counted(source, DeadEndRow),
)

REGRETS = ExportTable(
    "regrets",
    "Where players lost games on winnable deals, for the games that were analysed.",
    (
        DEAL,
        GAME,
        RULESET,
        SOLVER,
        VERSION,
        ExportColumn(
            "kind",
            TEXT,
            "move (one move lost the last chance to win), stopped (the player stopped although "
            "it could still win), unwinnable (no win was possible from the start), or "
            "undecided",
        ),
        ExportColumn(
            "step",
            SHORT,
            "number of moves before the losing one; of all moves if the player stopped; otherwise "
            "empty",
        ),
        ExportColumn("action", TEXT, "kind of the losing move; empty if there is none"),
        ExportColumn("length", SHORT, "number of moves of the game"),
        ExportColumn("exact_version", SHORT, "version of the method named by judge"),
        ExportColumn("moves", TEXT, "moves of the game as it was played, written as in solutions"),
        ExportColumn("judge", TEXT, "method that decided the positions of the game, usually exact"),
    ),
    _reader(
        RegretRow,
        (
            RegretRow.kind,
            RegretRow.step,
            RegretRow.action,
            RegretRow.length,
            RegretRow.judge_version,
            RegretRow.judge,
            RegretRow.moves,
        ),
        _regrets_values,
    ),
    lambda source: _counted(source, RegretRow),
)


def solutions_table() -> ExportTable:
    """The table of solutions, with the notation of each game."""
    return ExportTable(
        "solutions",
        "The moves of every win, all replayed by a referee.",
        (
            DEAL,
            GAME,
            RULESET,
            SOLVER,
            VERSION,
            ExportColumn("length", SHORT, "number of moves"),
            ExportColumn(
                "moves",
                TEXT,
                f"moves separated by spaces; {_notation()}",
            ),
        ),
        _reader(SolutionRow, (SolutionRow.length, SolutionRow.moves), _solutions_values),
        lambda source: _counted(source, SolutionRow),
    )
