"""Deals and late positions with verdicts from sources other than `exact`."""

import gzip
import json
import random
from functools import cache

from engine.klondike.deal import KlondikeDeal
from engine.klondike.referee import KlondikePosition
from engine.klondike.rules import KlondikeRules
from paths import DATA
from solvers.outcome import Result
from solvers.solver import parse_solver
from twins.search import random_late_position


@cache
def known_deals(name: str) -> tuple[list[KlondikeDeal], list[str]]:
    """The deals of a file in `tests/data`, and "winnable" or "unwinnable" for each."""
    with gzip.open(DATA / name, "rt") as lines:
        rows = [json.loads(line) for line in lines]
    return [KlondikeDeal.from_json(row) for row in rows], [row["verdict"] for row in rows]


@cache
def decided_positions(draw: int, count: int) -> tuple[tuple[KlondikePosition, str], ...]:
    """Late positions with the verdicts of `exact-plain`, an independent solver."""
    reference = parse_solver("exact-plain(nodes=10000, memory_mib=16)")
    words = {Result.WON: "winnable", Result.UNWINNABLE: "unwinnable"}
    random_state = random.Random(f"judged at {draw}")
    found: list[tuple[KlondikePosition, str]] = []
    while len(found) < count:
        cards_left = random_state.randint(4, 45)
        position = random_late_position(random_state, KlondikeRules(draw=draw), cards_left)
        outcome = reference.solve_position(position)
        if outcome.result in words:
            found.append((position, words[outcome.result]))
    return tuple(found)
