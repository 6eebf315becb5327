"""Black Hole as the game of another package, installed by tests only."""

import importlib
import os
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from engine.plug_ins import entry_points_of
from paths import TESTS

PLUG_INS = TESTS / "plugins"
BLACK_HOLE = "black-hole"


@contextmanager
def installed() -> Iterator[None]:
    """Let this process, and those that it starts, find the package and its entry points."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(PLUG_INS)
        others = os.environ.get("PYTHONPATH")
        patch.setenv("PYTHONPATH", os.pathsep.join([str(PLUG_INS), *([others] if others else [])]))
        entry_points_of.cache_clear()
        yield
    importlib.invalidate_caches()
    entry_points_of.cache_clear()
