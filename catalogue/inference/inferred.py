"""Inferred outcomes and their names: each is one of `inferred`, whose parameter is its source.

``inferred(from=klondike-draw6)`` has the outcomes that follow from those under that ruleset. It is
no method of the registry: nothing can be solved by it, and nobody compares it with a solver.
"""

import re
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from catalogue.outcomes.chunk import SolverKey

METHOD = "inferred"
# Raised when other outcomes follow, or when solutions are translated in another way.
VERSION = 1

_NAME = re.compile(rf"{METHOD}\(from=([a-z0-9-]+)\)", re.ASCII)


@dataclass(frozen=True, slots=True)
class Inferred:
    """Outcomes of some seeds that follow from those under one ruleset.

    Attributes:
        source: slug of the ruleset.
        gives: code of the result of all of them, `WON` or `PROVED`.
        seeds: int64[n], ascending.
        moves: the solution of each under the source, compressed; none if only verdicts are kept.
    """

    source: str
    gives: int
    seeds: NDArray[np.int64]
    moves: tuple[bytes, ...] = ()


def inferred_from(ruleset: str) -> SolverKey:
    """The key of the outcomes that follow from those under a ruleset, given by its slug."""
    return SolverKey(f"{METHOD}(from={ruleset})", VERSION, METHOD, (("from", ruleset),))


def source_of(name: str) -> str | None:
    """The slug of the ruleset that outcomes follow from; None if the name is one of a solver."""
    match = _NAME.fullmatch(name)
    return match[1] if match else None
