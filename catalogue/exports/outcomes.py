"""The tables based on outcomes: outcomes themselves, solutions, dead ends and regrets."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from sqlalchemy import and_, select

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
    ExportColumn,
    ExportTable,
    Rows,
    column,
    references,
)
from catalogue.exports.selection import Selection
from catalogue.schema import (
    DeadEndRow,
    DealRow,
    OutcomeRow,
    RegretRow,
    RulesetRow,
    SolutionRow,
    SolverRow,
    StatusRow,
    same_outcome,
)
from engine.games import games, get_game


def of_outcomes(selection: Selection, *columns: Any) -> Rows:
    """Query columns of the outcomes of a selection, and those naming deal, ruleset and solver."""
    query = (
        select(
            DealRow.game,
            DealRow.dealer,
            DealRow.seed,
            DealRow.digest,
            RulesetRow.slug,
            SolverRow.name,
            SolverRow.version,
            *columns,
        )
        .select_from(OutcomeRow)
        .join(DealRow, DealRow.id == OutcomeRow.deal_id)
        .join(RulesetRow, RulesetRow.id == OutcomeRow.ruleset_id)
        .join(SolverRow, SolverRow.id == OutcomeRow.solver_id)
        .where(*selection.ruled(), *selection.dealt(DealRow))
        .order_by(
            DealRow.game,
            DealRow.dealer,
            DealRow.seed,
            DealRow.id,
            OutcomeRow.ruleset_id,
            OutcomeRow.solver_id,
        )
    )
    if selection.status is None:
        return query
    return query.join(
        StatusRow,
        and_(
            StatusRow.ruleset_id == OutcomeRow.ruleset_id, StatusRow.deal_id == OutcomeRow.deal_id
        ),
    ).where(StatusRow.status == selection.status)


@lru_cache(maxsize=4096)
def _move_name(game: str, packed: bytes) -> str:
    (move,) = get_game(game).unpack(packed)
    return str(move)


def _moves(rows: Sequence[Any]) -> list[str]:
    """The moves of each row as text; names of moves are looked up, since there are few."""
    texts = []
    for row in rows:
        size = get_game(row.game).move_size
        packed = (row.moves[at : at + size] for at in range(0, len(row.moves), size))
        texts.append(" ".join(_move_name(row.game, move) for move in packed))
    return texts


def _outcomes_query(selection: Selection) -> Rows:
    return of_outcomes(
        selection, OutcomeRow.result, OutcomeRow.nodes, OutcomeRow.cpu_ms, OutcomeRow.created_at
    )


def _outcomes_values(rows: Sequence[Any]) -> Sequence[Sequence[Any]]:
    names = ("game", "slug", "name", "version", "result", "nodes", "cpu_ms", "created_at")
    return [references(rows), *column(rows, *names)]


def _solutions_query(selection: Selection) -> Rows:
    return of_outcomes(selection, SolutionRow.length, SolutionRow.moves).join(
        SolutionRow, same_outcome(SolutionRow)
    )


def _solutions_values(rows: Sequence[Any]) -> Sequence[Sequence[Any]]:
    return [
        references(rows),
        *column(rows, "game", "slug", "name", "version", "length"),
        _moves(rows),
    ]


def _dead_ends_query(selection: Selection) -> Rows:
    return of_outcomes(selection, DeadEndRow.kind, DeadEndRow.witness).join(
        DeadEndRow, same_outcome(DeadEndRow)
    )


def _dead_ends_values(rows: Sequence[Any]) -> Sequence[Sequence[Any]]:
    return [references(rows), *column(rows, "game", "slug", "name", "version", "kind", "witness")]


def _regrets_query(selection: Selection) -> Rows:
    return of_outcomes(
        selection,
        RegretRow.kind,
        RegretRow.step,
        RegretRow.action,
        RegretRow.length,
        RegretRow.judge_version,
        RegretRow.judge,
        RegretRow.moves,
    ).join(RegretRow, same_outcome(RegretRow))


def _regrets_values(rows: Sequence[Any]) -> Sequence[Sequence[Any]]:
    names = ("game", "slug", "name", "version", "kind", "step", "action", "length", "judge_version")
    return [references(rows), *column(rows, *names), _moves(rows), *column(rows, "judge")]


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
        ExportColumn("nodes", WHOLE, "positions entered; the deterministic measure of effort"),
        ExportColumn("cpu_ms", REAL, "milliseconds of CPU time"),
        ExportColumn("at", MOMENT, "when it was stored, UTC"),
    ),
    _outcomes_query,
    _outcomes_values,
)

DEAD_ENDS = ExportTable(
    "dead_ends",
    "Classifications of starting deals that a dead-end test proved unwinnable.",
    (
        DEAL,
        GAME,
        RULESET,
        SOLVER,
        VERSION,
        ExportColumn("kind", TEXT, "kind of the dead-end test that proved it"),
        ExportColumn("witness", TEXT, "the cards that prove it, separated by spaces"),
    ),
    _dead_ends_query,
    _dead_ends_values,
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
    _regrets_query,
    _regrets_values,
)


def solutions_table() -> ExportTable:
    """The table of solutions, with the notation of each game."""
    return ExportTable(
        "solutions",
        "The moves of every win, all replayed by the referee.",
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
        _solutions_query,
        _solutions_values,
    )
