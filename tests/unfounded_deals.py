"""Small deals of patience games without foundations, which naive search decides."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.dealing.shuffles import solvitaire_decks
from engine.patience.dealing import lay_out
from engine.patience.layout import layout_of
from engine.patience.rules import RANDOM, Options

VALUES = {"nodes": 1_000_000, "memory_mib": 64}
_HOLE: dict[str, Any] = {"building": "no-build", "foundations": False, "hole": True}
_GOLF: dict[str, Any] = {**_HOLE, "hole_base": RANDOM, "hole_loops": False, "stock_to": "hole"}
_ROW: dict[str, Any] = {
    "columns": 0,
    "foundations": False,
    "accordion_building": ("same-suit", "same-rank"),
}
_GAPS: dict[str, Any] = {"columns": 0, "foundations": False, "sequences": 4}
SMALL = {
    "hole": Options(columns=6, max_rank=5, **_HOLE),
    "hole-even": Options(columns=5, max_rank=4, **_HOLE),
    "hole-line": Options(
        columns=8, max_rank=4, **{**_HOLE, "hole_loops": False, "hole_base": RANDOM}
    ),
    "hole-two-decks": Options(columns=8, max_rank=3, two_decks=True, **_HOLE),
    "hole-reserve": Options(columns=4, max_rank=5, reserve=3, **_HOLE),
    "hole-stacked": Options(columns=4, max_rank=5, reserve=5, reserve_stacked=True, **_HOLE),
    "cell": Options(columns=3, max_rank=5, cells=1, **_HOLE),
    "cells": Options(columns=2, max_rank=5, cells=2, cells_filled=1, **_HOLE),
    "golf": Options(columns=3, max_rank=5, stock=6, **_GOLF),
    "golf-cell": Options(columns=2, max_rank=5, stock=4, cells=1, **_GOLF),
    "golf-loops": Options(columns=3, max_rank=5, stock=5, **{**_GOLF, "hole_loops": True}),
    "row": Options(accordion=9, accordion_moves=("L1", "L3"), **_ROW),
    "row-right": Options(accordion=8, accordion_moves=("L2", "R1"), **_ROW),
    "row-two-decks": Options(
        accordion=9, accordion_moves=("L1", "L3"), max_rank=5, two_decks=True, **_ROW
    ),
    "row-colours": Options(
        **{**_ROW, "accordion_building": ("red-black",)},
        accordion=8,
        accordion_moves=("L1", "L3"),
    ),
    "gaps-own-suit": Options(max_rank=5, sequence_fixed_suit=True, **_GAPS),
    "gaps": Options(max_rank=4, **_GAPS),
}


def deals_of(options: Options, first: int, count: int) -> NDArray[np.uint8]:
    """Deals of Solvitaire's dealer."""
    layout = layout_of(options)
    decks = solvitaire_decks(first, count, options.decks, options.max_rank)
    return lay_out(layout, decks, layout.order)
