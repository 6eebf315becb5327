"""The parameter of solvers that says how much solutions are shortened."""

from solvers.klondike.solution.plays import MOST_ROUNDS
from solvers.method import Parameter, Values

# As many rounds as by default, and then a search for shorter ones, which does all rounds itself.
SEARCH = MOST_ROUNDS + 1
SHORTEN = Parameter(
    "shorten",
    1,
    0,
    SEARCH,
    "rounds of making solutions shorter; 0 for solutions as they are found; "
    f"{SEARCH} for a search for still shorter ones, of some 20 ms",
    is_said=False,
)
RETURNS = Parameter(
    "returns",
    0,
    0,
    1,
    "0 to search a deal whose solution brings cards back from the foundations once more, in few "
    "nodes, for one that brings none back and is no longer; 1 to keep the first solution",
    is_said=False,
)


def rounds_of(values: Values) -> int:
    """The rounds of `solvers.klondike.solution.shorten` that are asked for."""
    return SHORTEN.default if is_searched(values) else values.get(SHORTEN.name, SHORTEN.default)


def is_searched(values: Values) -> bool:
    """Whether `solvers.klondike.shortest.improving` is asked for."""
    return values.get(SHORTEN.name, SHORTEN.default) == SEARCH


def avoids_returns(values: Values) -> bool:
    """Whether a solution without cards brought back is asked for; not for one as it was found."""
    return not values.get(RETURNS.name, RETURNS.default) and rounds_of(values) > 0
