"""Steps of a game as the viewer receives them: each with its changes to the table alone."""

from collections.abc import Iterable, Iterator
from typing import Any

from dashboard.viewer.renderer import GameTable, Piles, Renderer, Step
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
    first = copied(table.piles)
    return first, [(step, changed) for step, changed, _ in follow(table, start, moves)]


def follow(
    table: GameTable, start: Position, moves: Iterable[Any]
) -> Iterator[tuple[Step, list[Change], Position]]:
    """Play moves on a table; for each its step, its changes and the position that it leads to.

    Raises:
        ReplayError: a move is illegal; the sentence says which and why.
    """
    before = copied(table.piles)
    listed = list(moves)
    game = positions(start, listed)
    position = next(game)
    for move, reached in zip(listed, game, strict=True):
        step = table.play(position, move, reached)
        after = copied(table.piles)
        yield step, changes(before, after), reached
        position, before = reached, after


def step_as_data(step: Step, changed: list[Change]) -> dict[str, Any]:
    """A step as the scripts in the browser read it."""
    return {
        "name": step.name,
        "sentence": step.sentence,
        "moved": list(step.moved),
        "changes": changed,
    }


def changes(before: Piles, after: Piles) -> list[Change]:
    """The changes that turn `before` into `after`."""
    found = []
    for pile, cards in after.items():
        old = before[pile]
        if cards != old:
            pairs = zip(old, cards, strict=False)
            stay = next((at for at, (one, other) in enumerate(pairs) if one != other), None)
            keep = min(len(old), len(cards)) if stay is None else stay
            found.append((pile, keep, cards[keep:]))
    return found


def copied(piles: Piles) -> Piles:
    """A copy that later moves do not change."""
    return {pile: list(cards) for pile, cards in piles.items()}
