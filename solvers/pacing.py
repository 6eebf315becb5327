"""Size of the chunks of work that a worker is given."""

from collections.abc import Callable, Mapping


def chunk_for(cost: Callable[[Mapping[str, int]], float]) -> Callable[[Mapping[str, int]], int]:
    """Number of deals in a chunk of about a second, from the milliseconds that a game takes."""
    return lambda values: max(1, min(4_000, int(1000 / cost(values))))
