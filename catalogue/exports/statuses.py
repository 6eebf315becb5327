"""The table of statuses: the verdict on each deal under each ruleset."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import select

from catalogue.exports.columns import (
    DEAL,
    GAME,
    RULESET,
    SHORT,
    TEXT,
    WHOLE,
    ExportColumn,
    ExportTable,
    Rows,
    column,
    references,
)
from catalogue.exports.selection import Selection
from catalogue.schema import DealRow, RulesetRow, StatusRow


def _statuses_query(selection: Selection) -> Rows:
    query = (
        select(
            DealRow.game,
            DealRow.digest,
            RulesetRow.slug,
            StatusRow.dealer,
            StatusRow.seed,
            StatusRow.status,
            StatusRow.solvers,
            StatusRow.wins,
            StatusRow.proofs,
            StatusRow.nodes,
            StatusRow.solution_length,
            StatusRow.dead_end,
        )
        .select_from(StatusRow)
        .join(RulesetRow, RulesetRow.id == StatusRow.ruleset_id)
        .join(DealRow, DealRow.id == StatusRow.deal_id)
        .where(*selection.ruled(), *selection.dealt(StatusRow))
        .order_by(StatusRow.ruleset_id, StatusRow.dealer, StatusRow.seed, StatusRow.deal_id)
    )
    return query if selection.status is None else query.where(StatusRow.status == selection.status)


def _statuses_values(rows: Sequence[Any]) -> Sequence[Sequence[Any]]:
    return [
        references(rows),
        *column(
            rows,
            "game",
            "slug",
            "status",
            "solvers",
            "wins",
            "proofs",
            "nodes",
            "solution_length",
            "dead_end",
        ),
    ]


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
            "nodes",
            WHOLE,
            "positions entered by the exact search that decided it, the fewest if several did; "
            "empty if none did",
        ),
        ExportColumn(
            "solution_length", SHORT, "moves of the shortest stored solution; empty if none"
        ),
        ExportColumn("dead_end", TEXT, "kind of its dead-end classification; empty if none"),
    ),
    _statuses_query,
    _statuses_values,
)
