"""Plays as a person sees them: in words, and on the table with the cards to move numbered."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from random import Random
from typing import Any

from dashboard.viewer.changes import steps
from dashboard.viewer.renderer import Piles, Renderer, Step, renderer_of
from engine.game import Move, Position, Rules
from engine.games import game_of

_TIMES = ("", "", "twice", *(f"{word} times" for word in ["three", "four", "five", "six", "seven"]))


@dataclass(frozen=True, slots=True)
class SeenPlay:
    """A play.

    Attributes:
        words: its moves in words, without a full stop.
        marks: the number of each card to move, by its name in `SeenTable.piles`.
    """

    words: str
    marks: dict[str, str]


class SeenTable:
    """The table of a position of which some cards are not known.

    Args:
        observation: the JSON of the position, with ``??`` for unknown cards.
        rules: the ruleset.
        renderer: of the game.

    Raises:
        BadInput: what is seen is impossible.
    """

    def __init__(self, observation: Mapping[str, Any], rules: Rules, renderer: Renderer) -> None:
        fill_in = game_of(rules).fill_in
        assert fill_in is not None
        assert renderer.seen is not None
        self.piles: Piles = renderer.seen(observation)
        self._renderer = renderer
        # Stands for all positions that look so: no word says what its unknown cards are.
        self._start: Position = fill_in(observation, rules, Random(0))

    @classmethod
    def of(cls, observation: Mapping[str, Any], rules: Rules) -> "SeenTable | None":
        """The table; None if none can be drawn."""
        renderer = renderer_of(rules.game)
        if renderer is None or renderer.seen is None:
            return None
        return cls(observation, rules, renderer)

    def play(self, moves: Sequence[Move]) -> SeenPlay:
        """A play, whose unknown cards turn up only with its last move."""
        piles, shown = steps(self._renderer, self._start, moves)
        # A card has another name here if it is not known, or if those of its kind are counted.
        names = {
            own: name
            for pile, cards in piles.items()
            for own, name in zip(cards, self.piles[pile], strict=True)
        }
        groups = [list(group) for _, group in groupby((step for step, _ in shown), _name)]
        words = ", then ".join(_within(_repeated(group), at > 0) for at, group in enumerate(groups))
        return SeenPlay(words, _marks(groups, names))


def _name(step: Step) -> str:
    return step.name


def _repeated(group: Sequence[Step]) -> str:
    """Equal moves one after another, in words."""
    words = (group[0].foreseen or group[0].sentence).rstrip(".")
    if len(group) == 1:
        return words
    times = _TIMES[len(group)] if len(group) < len(_TIMES) else f"{len(group)} times"
    return f"{words} {times}"


def _within(words: str, is_later: bool) -> str:
    return words[0].lower() + words[1:] if is_later and words[1:2].islower() else words


def _marks(groups: Sequence[Sequence[Step]], names: Mapping[str, str]) -> dict[str, str]:
    """The number of the first card of each move, but for moves that only lead to another one."""
    single = [group[0] for group in groups if len(group) == 1] or [groups[0][0]]
    found: dict[str, str] = {}
    for at, step in enumerate(single):
        later = {card for other in single[at + 1 :] for card in other.moved}
        lead = next(iter(step.moved), None)
        if lead is not None and lead not in later and names[lead] not in found:
            found[names[lead]] = str(len(found) + 1)
    return found
