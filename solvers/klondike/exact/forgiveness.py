"""How forgiving positions are: `solvers.forgiveness.Forgiveness` by the exact search."""

import threading
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from engine.kernels.rng import seed_rng
from engine.klondike.flat import flatten, new_position, set_up
from engine.klondike.moves import KlondikeKind, KlondikeMove
from engine.klondike.referee import KlondikePosition
from engine.klondike.rules import KlondikeRules
from engine.replay import positions
from solvers.forgiveness import Forgiveness, Plays, Walk
from solvers.klondike.exact import walks
from solvers.klondike.exact.layout import new_layout
from solvers.klondike.exact.load import USUAL, load
from solvers.klondike.exact.rules import has_usual_rules
from solvers.klondike.exact.unfold import LONGEST
from solvers.klondike.exact.workspace import Workspace, new_workspaces
from solvers.klondike.players.luck import chance_at_random

# Nodes of each search for a play of a line, which nearly always suffice, and of a walk.
_LINE_NODES = 1_000_000
_WALK_NODES = 10_000
_MEBIBYTES = 64


class _Memory(threading.local):
    """Memory of the searches; one per thread, so that they can run side by side."""

    def __init__(self) -> None:
        self.layout = new_layout()
        self.start = np.zeros(9, dtype=np.int64)
        self.flat = new_position()
        self.work = walks.new_walk_work(LONGEST)
        self.draw = 0
        self.outer: Workspace
        self.inner: Workspace

    def load(self, draw: int) -> None:
        """Take over the position in `flat`."""
        if self.draw != draw:
            self.outer, self.inner = new_workspaces(draw, _MEBIBYTES)
            self.draw = draw
        layout = self.layout
        load(
            self.flat,
            self.start,
            *USUAL,
            layout.below,
            layout.stock_sets,
            layout.stock_index,
            layout.column_of,
        )


_memory = _Memory()


def plays_along(
    start: KlondikePosition, moves: Sequence[KlondikeMove], first: int
) -> Iterator[Plays | None]:
    """See `solvers.forgiveness.Forgiveness.plays_along`.

    A position is looked at before a move other than a turn of the stock, after the cards that rise
    have risen; it has no plays of its own if only such cards have gone up since the last one.
    """
    memory, draw = _memory, start.rules.draw
    last = b""
    for at, (position, move) in enumerate(zip(positions(start, moves), moves, strict=False)):
        if move.kind in (KlondikeKind.TURN, KlondikeKind.REDEAL):
            yield None
            continue
        flatten(position, memory.flat)
        memory.load(draw)
        nodes = _LINE_NODES if at >= first else 0
        counted = walks.weigh_start(
            memory.start, draw, nodes, memory.layout, memory.outer, memory.inner, memory.work
        )
        plays = Plays(*(int(part) for part in counted))
        # The position alone: what lies on what is the same to the search.
        before, last = last, memory.start[:6].tobytes()
        yield plays if plays.plays and last != before else None


def walk(cards: NDArray[np.uint8], rules: KlondikeRules, random_seed: int) -> Walk:
    """See `solvers.forgiveness.Forgiveness.walk`."""
    memory, draw = _memory, rules.draw
    set_up(cards, draw, memory.flat)
    memory.load(draw)
    seed_rng(cards, random_seed, memory.work.rng)
    made, choices, critical, won = walks.walk(
        memory.start, draw, _WALK_NODES, memory.layout, memory.outer, memory.inner, memory.work
    )
    return Walk(int(made), int(choices), int(critical), bool(won))


FORGIVENESS = Forgiveness(plays_along, walk, chance_at_random, has_usual_rules)
