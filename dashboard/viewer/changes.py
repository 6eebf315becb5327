"""Steps of a game as the viewer receives them: each with its changes to the table alone."""

from collections.abc import Iterable
from typing import Any

from dashboard.viewer.renderer import Piles, Renderer, Step
from engine.game import Position
from engine.replay import positions

# A pile that changed: its name, how many cards from the bottom stay, and the cards now above them.
Change = tuple[str, int, list[str]]


def steps(
    renderer: Renderer, start: Position, moves: Iterable[Any]
) -> tuple[Piles, list[tuple[Step, list[Change]]]]:
    """The piles at the start, and for each move its step and its changes.

    Raises:
        ReplayError: a move is illegal; the sentence says which and why.
    """
    table = renderer.table(start)
    first = before = copied(table.piles)
    listed = list(moves)
    game = positions(start, listed)
    position = next(game)
    told = []
    for move, reached in zip(listed, game, strict=True):
        step = table.play(position, move, reached)
        after = copied(table.piles)
        told.append((step, changes(before, after)))
        position, before = reached, after
    return first, told


def changes(before: Piles, after: Piles) -> list[Change]:
    """The changes that turn `before` into `after`."""
    told = []
    for pile, cards in after.items():
        old = before[pile]
        if cards != old:
            pairs = zip(old, cards, strict=False)
            stay = next((at for at, (one, other) in enumerate(pairs) if one != other), None)
            keep = min(len(old), len(cards)) if stay is None else stay
            told.append((pile, keep, cards[keep:]))
    return told


def copied(piles: Piles) -> Piles:
    """A copy that later moves do not change."""
    return {pile: list(cards) for pile, cards in piles.items()}
