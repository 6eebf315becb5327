"""A slow `patience-player`: a heap of rows in place of the search's buckets and tables."""

from collections.abc import Iterator
from heapq import heappop, heappush
from itertools import count
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.patience.referee import PatiencePosition
from solvers.patience import plan as at
from solvers.patience.loading import load_position
from solvers.patience.plan import draw_keys, new_plan
from solvers.patience.player import WEIGHTS
from solvers.patience.row import (
    full_key,
    full_key_after,
    is_won,
    key_after,
    make,
    settle,
    whole_key,
)
from solvers.patience.steps import MOST_STEPS, add_steps
from solvers.patience.value import MOST_VALUE, NOISE, SIGHT, change, forget, see

Row = NDArray[np.int8]


class NaiveGame(NamedTuple):
    """A game: whether it was won, positions entered, decisions, the key of its last position."""

    won: bool
    entered: int
    decisions: int
    end: int


class _Place(NamedTuple):
    """A position: its row, settled, and its key as steps keep it."""

    row: Row
    key: int


class NaivePlayer:
    """The player of a position's ruleset."""

    def __init__(self, positions: int, random_seed: int) -> None:
        self.positions = positions
        self.random_seed = random_seed
        self.line = np.zeros(256, dtype=np.int64)
        self.steps = np.zeros(MOST_STEPS, dtype=np.int64)

    def play(self, position: PatiencePosition) -> NaiveGame:
        """Play a game from a position."""
        row = self._load(position)
        promised, entered, decisions = MOST_VALUE + 1, 0, 0
        while True:
            won, after, value, more = self._look(row)
            entered += more
            if not won and value >= promised:
                return NaiveGame(False, entered, decisions, whole_key(row, 0, self.plan))
            row, promised = after, value
            decisions += 1
            if won:
                return NaiveGame(True, entered, decisions, whole_key(row, 0, self.plan))

    def end_of(self, position: PatiencePosition) -> int:
        """`NaiveGame.end` of a game that ended there."""
        return int(whole_key(self._load(position), 0, self.plan))

    def _load(self, position: PatiencePosition) -> Row:
        plan = self.plan = new_plan(position.rules.options)
        draw_keys(plan, self.random_seed)
        plan[at.WEIGHTS : at.RANK] = WEIGHTS
        row = np.zeros(int(plan[at.ROW]), dtype=at.ROW_TYPE)
        load_position(position, row, plan)
        settle(row, 0, plan, 0, self.line, 0)
        return row

    def _look(self, start: Row) -> tuple[bool, Row, int, int]:
        """Whether a win was met, the position to play to, its value, and the positions entered."""
        plan = self.plan
        place = _Place(start, int(whole_key(start, 0, plan)))
        seen = {int(full_key(start, 0, plan, place.key))}
        if is_won(start, 0, plan):
            return True, start, 0, 1
        waiting: list[tuple[int, int, _Place, int]] = []
        numbers = count()
        for expanded in range(1, self.positions + 1):
            for entry in self._new(place, seen, numbers):
                heappush(waiting, entry)
            if expanded == self.positions:
                break
            is_new = False
            while waiting and not is_new:
                _, _, before, step = heappop(waiting)
                place, forced = self._after(before, step)
                key = int(full_key(place.row, 0, plan, place.key))
                # What was entered before its step was made is not entered again.
                is_new = key not in seen or not (forced or plan[at.WHOLE_KEY])
                seen.add(key)
            if not is_new:
                return False, start, MOST_VALUE + 1, len(seen)
            if is_won(place.row, 0, plan):
                return True, place.row, 0, len(seen)
        if not waiting:
            return False, start, MOST_VALUE + 1, len(seen)
        value, _, before, step = waiting[0]
        return False, self._after(before, step)[0].row, value, len(seen)

    def _new(
        self, place: _Place, seen: set[int], numbers: "count[int]"
    ) -> Iterator[tuple[int, int, _Place, int]]:
        """What is new after each step of a position, by its value, of equals the newest first."""
        plan, row = self.plan, place.row
        sight = np.zeros(SIGHT, dtype=np.int64)
        forget(plan, sight)
        value = see(row, 0, plan, sight, np.zeros(int(plan[at.COLUMNS]), dtype=np.int32), 0)
        for step in self.steps[: add_steps(row, 0, plan, self.steps)].tolist():
            key = int(full_key_after(row, 0, plan, step, place.key))
            if not plan[at.WHOLE_KEY]:
                if key in seen:
                    continue
                seen.add(key)
            worth = int(value + change(row, 0, plan, step, sight))
            worth += int(plan[at.WEIGHTS + NOISE]) * (key >> 40 & 15)
            yield min(max(worth, 0), MOST_VALUE), -next(numbers), place, step

    def _after(self, before: _Place, step: int) -> tuple[_Place, int]:
        """The position after a step and what is forced or safe then; the number of those moves."""
        row = before.row.copy()
        key = key_after(row, 0, self.plan, step, before.key)
        make(row, 0, self.plan, step)
        key, forced = settle(row, 0, self.plan, key, self.line, 0)
        return _Place(row, int(key)), int(forced)
