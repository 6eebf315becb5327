"""Naive twin of the browser's processing of a game's steps."""

from collections.abc import Iterable, Sequence
from typing import Any

from dashboard.viewer.changes import Change, steps
from dashboard.viewer.renderer import Piles, Step, renderer_of
from engine.game import Position


def shown_game(start: Position, moves: Iterable[Any]) -> tuple[list[Piles], list[Step]]:
    """The piles of every position as the browser makes them, and the steps between them."""
    renderer = renderer_of(start.rules.game)
    assert renderer is not None
    first, answer = steps(renderer, start, moves)
    positions = [first]
    for _, changes in answer:
        positions.append(changed(positions[-1], changes))
    return positions, [step for step, _ in answer]


def changed(piles: Piles, changes: Sequence[Change]) -> Piles:
    """The piles after a step."""
    after = {pile: list(cards) for pile, cards in piles.items()}
    for pile, keep, cards in changes:
        assert keep <= len(after[pile])
        after[pile] = [*after[pile][:keep], *cards]
    return after
