"""Test of the check of proofs: it agrees with exhaustive search, and counts the same positions."""

from collections import Counter
from random import Random

import pytest

from benchmarks import spider_proof
from engine.replay import positions
from engine.spider.moves import unpack_solution
from engine.spider.rules import PRESETS
from samples import sizes
from solvers.outcome import Result
from solvers.spider import plain
from spider_positions import late_position, naive_stuck, reached


@pytest.mark.parametrize(("count", "least"), sizes((60, 4), (150, 11)))
def test_it_visits_what_the_referee_allows(count: int, least: int) -> None:
    chooser = Random("proof")
    rules = list(PRESETS.values())
    met = Counter[str]()
    for number in range(count):
        position = late_position(rules[number % len(rules)], chooser)
        known = plain.solve_position(position, {"nodes": 250})
        if known.result is Result.GAVE_UP:
            continue
        if known.result is Result.WON:
            assert known.moves is not None
            *_, last, _won = positions(position, unpack_solution(known.moves))
            assert spider_proof.search(last, 4).ending is spider_proof.Ending.WON
            whole = spider_proof.search(position, 4).ending
            assert whole is not spider_proof.Ending.UNWINNABLE
            met["won"] += 1
            continue
        assert spider_proof.search(position, 4).ending is spider_proof.Ending.UNWINNABLE
        found = spider_proof.search(position, 32, beyond=True)
        assert found.ending is spider_proof.Ending.UNWINNABLE
        visited = reached(position)
        assert not any(each.is_won for each in visited)
        assert len(visited) == found.positions.sum()
        met["counted"] += 1
    assert min(met["won"], met["counted"]) >= least, met


def test_its_dead_ends_are_those_of_the_naive_rules() -> None:
    chooser = Random("dead ends of proofs")
    rules = list(PRESETS.values())
    met = Counter[bool]()
    for number in range(300):
        position = late_position(rules[number % len(rules)], chooser)
        is_dead = spider_proof.is_dead(position)
        assert is_dead == (naive_stuck(position) is not None), position.to_json()
        met[is_dead] += 1
    assert min(met[True], met[False]) > 20, met
