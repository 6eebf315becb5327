"""Deals and late positions with verdicts that do not come from `exact`."""

import gzip
import json
import random
import sys
from functools import cache
from pathlib import Path

from engine.deals import KlondikeDeal
from engine.referee import Position
from engine.rulesets import KlondikeRules
from solvers.outcome import Result
from solvers.registry import parse_solver

sys.path.insert(0, str(Path(__file__).parent))
from naive_search import random_late_position

DATA = Path(__file__).parents[1] / "data"


@cache
def known_deals(name: str) -> tuple[list[KlondikeDeal], list[str]]:
    """The deals of a file in `tests/data`, and "winnable" or "unwinnable" for each."""
    with gzip.open(DATA / name, "rt") as lines:
        rows = [json.loads(line) for line in lines]
    return [KlondikeDeal.from_json(row) for row in rows], [row["verdict"] for row in rows]


@cache
def judged_positions(draw: int, count: int) -> tuple[tuple[Position, str], ...]:
    """Late positions with the verdicts of `exact-plain`, an independent solver."""
    judge = parse_solver("exact-plain(nodes=10000, memory_mib=16)")
    words = {Result.WON: "winnable", Result.UNWINNABLE: "unwinnable"}
    random_state = random.Random(f"judged at {draw}")
    found: list[tuple[Position, str]] = []
    while len(found) < count:
        cards_left = random_state.randint(4, 45)
        position = random_late_position(random_state, KlondikeRules(draw=draw), cards_left)
        outcome = judge.solve_position(position)
        if outcome.result in words:
            found.append((position, words[outcome.result]))
    return tuple(found)
