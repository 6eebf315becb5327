"""An empty `solvers.klondike.exact_all.position.Layout`, for a search to load a position into."""

import numpy as np

from engine.cardset import BIT_OF_CARD
from solvers.klondike.exact_all.position import Layout

_SUIT_OF_BIT = np.empty(52, dtype=np.int64)
_SUIT_OF_BIT[BIT_OF_CARD] = np.arange(52) & 3


def new_layout() -> Layout:
    """Make an empty layout."""
    return Layout(
        np.zeros(52, dtype=np.int64),
        np.zeros(768, dtype=np.int64),
        np.zeros(52, dtype=np.int64),
        np.zeros(52, dtype=np.int64),
        _SUIT_OF_BIT,
    )
