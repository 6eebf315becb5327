"""The parameter of solvers that says whether solutions are shortened."""

from solvers.registry import Parameter, Values

SHORTEN = Parameter(
    "shorten", 1, 0, 1, "0 for solutions as they are found, not made shorter", is_said=False
)


def is_asked(values: Values) -> bool:
    """Whether solutions are to be shortened, as far as that knows the rules."""
    return values.get(SHORTEN.name, SHORTEN.default) == 1
