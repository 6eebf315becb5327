"""The parameter of solvers that says how much solutions are shortened."""

from solvers.klondike.solution.plays import MOST_ROUNDS
from solvers.method import Parameter, Values

SHORTEN = Parameter(
    "shorten",
    1,
    0,
    MOST_ROUNDS,
    "rounds of making solutions shorter; 0 for solutions as they are found",
    is_said=False,
)


def rounds_of(values: Values) -> int:
    """The rounds of `solvers.klondike.solution.shorten` that are asked for."""
    return values.get(SHORTEN.name, SHORTEN.default)
