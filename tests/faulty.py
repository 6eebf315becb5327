"""Shards of jobs that fail on workers, which import them from here by their names."""

import os
import time
from collections.abc import Sequence
from typing import Any

from catalogue.jobs.shard import solve_shard

SEED = 11


def deadly_shard(ruleset: str, dealer: str, first: int, wanted: Sequence[Any], *rest: Any) -> Any:
    """Solve a shard; the process dies of one seed."""
    if _has(first, wanted):
        os._exit(1)
    return solve_shard(ruleset, dealer, first, wanted, *rest)


def endless_shard(ruleset: str, dealer: str, first: int, wanted: Sequence[Any], *rest: Any) -> Any:
    """Solve a shard; one seed takes for ever."""
    while _has(first, wanted):
        time.sleep(0.1)
    return solve_shard(ruleset, dealer, first, wanted, *rest)


def fragile_shard(ruleset: str, dealer: str, first: int, wanted: Sequence[Any], *rest: Any) -> Any:
    """Solve a shard; one seed cannot be solved."""
    if _has(first, wanted):
        raise RuntimeError("it cannot solve this one")
    return solve_shard(ruleset, dealer, first, wanted, *rest)


def broken_shard(*_: Any) -> Any:
    """Fail on every shard."""
    raise RuntimeError("nothing works")


def _has(first: int, wanted: Sequence[Any]) -> bool:
    return any(0 <= SEED - first < len(missing) and missing[SEED - first] for *_, missing in wanted)
