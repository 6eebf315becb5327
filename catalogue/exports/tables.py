"""The tables of an export, in the order in which they are written and described."""

from catalogue.exports.bounds import BOUNDS
from catalogue.exports.columns import ExportTable
from catalogue.exports.deals import deals_table
from catalogue.exports.outcomes import DEAD_ENDS, OUTCOMES, REGRETS, solutions_table
from catalogue.exports.statuses import STATUSES


def tables() -> tuple[ExportTable, ...]:
    """All tables of an export."""
    return deals_table(), STATUSES, OUTCOMES, solutions_table(), DEAD_ENDS, REGRETS, BOUNDS
