"""Sample sizes of the two tiers: smaller for `make test`, larger for `make thorough`.

The smaller one must still catch every slip that the test is known to catch; the larger one is for
those that nobody has thought of.
"""

from typing import Any

import pytest


def sizes(usual: object, thorough: object) -> list[Any]:
    """The usual value and a larger one that is marked `thorough`; tuples for several parameters."""
    values = thorough if isinstance(thorough, tuple) else (thorough,)
    return [usual, thorough_case(*values)]


def thorough_case(*values: object) -> Any:
    """A case of a parametrised test that only `make thorough` runs."""
    return pytest.param(*values, marks=pytest.mark.thorough)
