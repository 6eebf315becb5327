"""Reading the catalogue, for the dashboard and the command line: all of it from one place.

Plain dataclasses and frames come out, never rows of a session.
"""

from catalogue.deal_detail import (
    DealDetail,
    DealOutcome,
    DealStatus,
    LostGame,
    deal_detail,
)
from catalogue.deal_list import (
    ANY,
    IMPORTED,
    RESULTS,
    SORTS,
    STATUSES,
    DealFilter,
    DealPage,
    DealRow,
    Sort,
    list_deals,
)
from catalogue.difficulty import (
    Bin,
    Difficulty,
    SolverShare,
    WinnerSet,
    compare,
    difficulty,
)
from catalogue.overview import (
    Alarm,
    Counts,
    Overview,
    RulesetOverview,
    alarms,
    counts,
    dealers,
    overview,
    rulesets,
    solvers,
)

__all__ = [
    "ANY",
    "IMPORTED",
    "RESULTS",
    "SORTS",
    "STATUSES",
    "Alarm",
    "Bin",
    "Counts",
    "DealDetail",
    "DealFilter",
    "DealOutcome",
    "DealPage",
    "DealRow",
    "DealStatus",
    "Difficulty",
    "LostGame",
    "Overview",
    "RulesetOverview",
    "SolverShare",
    "Sort",
    "WinnerSet",
    "alarms",
    "compare",
    "counts",
    "deal_detail",
    "dealers",
    "difficulty",
    "list_deals",
    "overview",
    "rulesets",
    "solvers",
]
