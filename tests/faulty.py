"""Pieces of jobs that fail on workers, which import them from here by their names."""

import os
import time
from collections.abc import Sequence
from typing import Any

from catalogue.jobs.piece import solve_piece

SEED = 11


def deadly_piece(ruleset: str, dealer: str, first: int, wanted: Sequence[Any], *rest: Any) -> Any:
    """Solve a piece; the process dies of one seed."""
    if _has(first, wanted):
        os._exit(1)
    return solve_piece(ruleset, dealer, first, wanted, *rest)


def endless_piece(ruleset: str, dealer: str, first: int, wanted: Sequence[Any], *rest: Any) -> Any:
    """Solve a piece; one seed takes for ever."""
    while _has(first, wanted):
        time.sleep(0.1)
    return solve_piece(ruleset, dealer, first, wanted, *rest)


def fragile_piece(ruleset: str, dealer: str, first: int, wanted: Sequence[Any], *rest: Any) -> Any:
    """Solve a piece; one seed cannot be solved."""
    if _has(first, wanted):
        raise RuntimeError("it cannot solve this one")
    return solve_piece(ruleset, dealer, first, wanted, *rest)


def broken_piece(*_: Any) -> Any:
    """Fail on every piece."""
    raise RuntimeError("nothing works")


def _has(first: int, wanted: Sequence[Any]) -> bool:
    return any(0 <= SEED - first < len(missing) and missing[SEED - first] for *_, missing in wanted)
