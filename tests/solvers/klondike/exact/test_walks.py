"""Tests of plays and walks: against exhaustive search, and against all walks enumerated."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from engine.cardset import ALL
from engine.dealing.dealers import get_dealer
from engine.kernels.compiler import COMPILED
from engine.kernels.rng import random_below
from engine.klondike.deal import KlondikeDeal
from engine.klondike.flat import flatten
from engine.klondike.moves import KlondikeKind, unpack_solution
from engine.klondike.referee import KlondikePosition
from engine.klondike.rules import PRESETS
from engine.klondike.stock_turns import within_reach
from engine.replay import positions
from known_verdicts import decided_positions
from position_text import position_text
from samples import sizes
from solvers.klondike.exact import forgiveness, walks
from solvers.klondike.exact.by_stocks import search
from solvers.klondike.exact.nodes import Node, after_step, rise
from solvers.klondike.exact.rules import BRING, RULES_BY_STOCKS, mode_by_stocks
from solvers.klondike.exact.search import PAUSED, UNWINNABLE, WON
from solvers.klondike.exact.steps import MOVES_PER_FRAME, steps
from solvers.outcome import Result
from solvers.solver import parse_solver

NODES = 20_000
EVERY_RULE = sum(RULES_BY_STOCKS.values())


class Table:
    """A position as the kernels take it."""

    def __init__(self, position: KlondikePosition) -> None:
        self.draw = position.rules.draw
        self.mode = mode_by_stocks(self.draw, BRING, False)
        memory = forgiveness._memory
        flatten(position, memory.flat)
        memory.load(self.draw)
        self.memory = memory
        self.start = memory.start.copy()
        self.rest = (self.draw, NODES, memory.layout, memory.outer, memory.inner, memory.work)

    @property
    def node(self) -> Any:
        """The position after the cards that rise."""
        start = Node(*(int(part) for part in self.start[:6]), -1, 0, 0, 0)
        return self.risen(start)

    def risen(self, node: Any) -> Any:
        """A position after the cards that rise."""
        memory = self.memory
        return rise(node, memory.work.line, 0, self.mode, memory.layout, memory.outer.every)[0]

    def after(self, node: Any, step: int) -> Any:
        """The position after a step."""
        return after_step(node, step, self.mode, self.memory.layout, self.memory.outer.every)

    def weigh(self, node: Any, past: list[tuple[int, int, int]]) -> tuple[int, list[int], int]:
        """Plays, those that keep the win, and the number that lose it."""
        work = self.memory.work
        work.past[: len(past)] = np.array(past, dtype=np.int64).reshape(-1, 3)
        plays, winning, losing = walks.weigh(node, len(past), *self.rest)
        return plays, work.steps[:winning].tolist(), losing

    def verdict(self, node: Any) -> bool | None:
        """Whether a position is won, by a search that leaves nothing out."""
        start = np.array(node[:6], dtype=np.int64)
        draw, _, layout, outer, inner, work = self.rest
        found = PAUSED
        for goes_on in (False, True):
            if found == PAUSED:
                found = search(
                    start, draw, EVERY_RULE, 500_000, goes_on, layout, outer, inner, work.report
                )
        return {WON: True, UNWINNABLE: False}.get(found)


@pytest.mark.parametrize("count", sizes(60, 150))
@pytest.mark.parametrize("draw", [1, 2, 3, 5])
def test_a_position_is_won_if_a_play_keeps_its_win(draw: int, count: int) -> None:
    """Verdicts are those of exhaustive search, so no play that matters is left out."""
    count = count if COMPILED else 5
    seen = {"winnable": 0, "unwinnable": 0}
    for position, verdict in decided_positions(draw, count):
        table = Table(position)
        node = table.node
        if node.up == ALL:
            continue
        plays, winning, losing = table.weigh(node, [])
        words = position_text(position)
        if verdict == "winnable":
            assert winning or len(winning) + losing < plays, words
        else:
            assert not winning, words
        seen[verdict] += 1
    assert seen["winnable"] > count / 2, seen
    assert seen["unwinnable"] or not COMPILED, seen


@pytest.mark.parametrize("count", sizes(12, 25))
@pytest.mark.parametrize("draw", [1, 3])
def test_verdicts_of_plays_agree_with_a_search_that_leaves_nothing_out(
    draw: int, count: int
) -> None:
    count, compared, undecided = count if COMPILED else 2, 0, 0
    for position, _ in decided_positions(draw, count):
        table = Table(position)
        node = table.node
        if node.up == ALL:
            continue
        plays, winning, losing = table.weigh(node, [])
        reach = within_reach(node.stock, draw, table.memory.outer.every)
        listed = np.zeros(MOVES_PER_FRAME, dtype=np.int64)
        found = steps(node, reach, table.mode, table.memory.layout, listed, 0)
        assert plays == found, position_text(position)
        verdicts = {
            step: table.verdict(table.after(node, step)) for step in listed[:found].tolist()
        }
        assert all(verdicts[step] is not False for step in winning), position_text(position)
        assert losing <= sum(verdict is not True for verdict in verdicts.values())
        undecided += plays - len(winning) - losing
        compared += found
    assert compared > count / 2
    # What the budget of `NODES` does not decide is neither.
    assert 0 <= undecided < 0.02 * compared


def plain_walk(table: Table) -> tuple[int, int, int, bool]:
    """A walk as its definition says it, with the same random numbers."""
    node = Node(*(int(part) for part in table.start[:6]), -1, 0, 0, 0)
    made = choices = critical = 0
    past: list[tuple[int, int, int]] = []
    while True:
        if node.brought < 0:
            before = node
            node = table.risen(node)
            if node.up == ALL:
                return made, choices, critical, True
            if (node.columns, node.stock) != (before.columns, before.stock):
                past = []
        past.append((node.up, node.loose, node.brought))
        plays, winning, losing = table.weigh(node, past)
        if not winning and node.brought < 0:
            return made, choices, critical, False
        if not winning:
            node = node._replace(brought=-1)
            continue
        assert plays
        choices += losing > 0
        critical += len(winning) == 1 and losing > 0 and losing == plays - 1
        step = winning[random_below(table.memory.work.rng, len(winning))]
        made += 1
        after = table.after(node, step)
        after = Node(*(int(part) for part in after))
        if (after.columns, after.stock) != (node.columns, node.stock):
            past = []
        node = after


@pytest.mark.parametrize("count", sizes(25, 80))
@pytest.mark.parametrize("draw", [1, 3])
def test_walks_are_what_they_are_said_to_be(draw: int, count: int) -> None:
    count, met = count if COMPILED else 2, 0
    for position, verdict in decided_positions(draw, count):
        if verdict != "winnable":
            continue
        table = Table(position)
        random_state = table.memory.work.rng
        random_state[:] = 12345, 678
        found = walks.walk(table.start, *table.rest)
        random_state[:] = 12345, 678
        wanted = plain_walk(table)
        words = position_text(position)
        assert [int(part) for part in found[:3]] == list(wanted[:3]), words
        assert bool(found[3]) == wanted[3], words
        met += wanted[1]
    assert met or not COMPILED


def test_every_move_of_a_line_is_looked_at_once() -> None:
    """Plays are told before moves that are made from the table or the waste, in order."""
    rules = PRESETS["klondike-draw3"]
    cards = get_dealer("thoughtful-1").deal_block(5000, 1)
    (outcome,) = parse_solver("exact(memory_mib=64)").solve(cards, rules)
    assert outcome.result == Result.WON
    assert outcome.moves is not None
    start = KlondikePosition.start(KlondikeDeal.of(cards[0]), rules)
    moves = unpack_solution(outcome.moves)
    answer = list(forgiveness.plays_along(start, moves, 0))
    assert len(answer) == len(moves)
    for move, each in zip(moves, answer, strict=True):
        if move.kind in (KlondikeKind.TURN, KlondikeKind.REDEAL):
            assert each is None
        if each is not None:
            assert 1 <= each.winning <= each.plays
            assert each.winning + each.losing == each.plays
            assert each.is_choice == (each.losing > 0)
    known = [each for each in answer if each is not None]
    assert 20 < len(known) < len(moves)
    assert max(each.plays for each in known) > 3
    assert len(list(positions(start, moves))) == len(moves) + 1


def test_walks_without_the_compiler(
    with_and_without_compiler: Callable[[str], tuple[Any, Any]],
) -> None:
    compiled, plain = with_and_without_compiler(
        "from test_walks import late_walks\nfound = late_walks()"
    )
    assert compiled == plain
    assert len(compiled) == 6


def late_walks() -> list[list[Any]]:
    """Walks from some late positions."""
    found: list[list[Any]] = []
    for draw in (1, 3):
        for position, verdict in decided_positions(draw, 30):
            if verdict == "winnable" and len(found) < (3 if draw == 1 else 6):
                table = Table(position)
                table.memory.work.rng[:] = 99, 7
                made = walks.walk(table.start, *table.rest)
                found.append([float(part) for part in made])
    return found
