"""Waiting for a state, with one generous limit scaled by `THOUGHTFUL_TEST_PATIENCE`.

The limit is there for what never comes about; nothing is measured by it. On a machine that is slow
or busy beyond reason, set the variable to 2 or more.
"""

import os
import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")

SECONDS = 300 * float(os.environ.get("THOUGHTFUL_TEST_PATIENCE", "1"))
_PAUSE = 0.05


def wait_until(state: Callable[[], T], what: str) -> T:
    """Wait until a state has come about, and return it: whatever true value it gives."""
    until = time.monotonic() + SECONDS
    while not (found := state()):
        assert time.monotonic() < until, f"it did not come about in {SECONDS:.0f} s: {what}"
        time.sleep(_PAUSE)
    return found
