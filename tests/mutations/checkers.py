"""Deliberate slips in the checkers: each forgets a part of one rule.

They run by Python: a slip is a change of the source, and compiling every one would take minutes.
"""

import re
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np

from engine.checkers import Checker


class Mutation(NamedTuple):
    """A slip in the source.

    Attributes:
        game: its slug.
        name: what goes wrong, in few words.
        old: the source text, which occurs once in the game's `checker.py`.
        new: what stands there instead.
    """

    game: str
    name: str
    old: str
    new: str


class Bounded(np.ndarray[Any, Any]):
    """An array that refuses negative indices, as a kernel would read outside it."""

    def __getitem__(self, key: Any) -> Any:
        return super().__getitem__(self._within(key))

    def __setitem__(self, key: Any, value: Any) -> None:
        super().__setitem__(self._within(key), value)

    def _within(self, key: Any) -> Any:
        for index in key if isinstance(key, tuple) else (key,):
            if not isinstance(index, slice) and index < 0:
                raise IndexError(f"{index} is outside")
        return key


def interpreted(game: str, old: str = "", new: str = "", *, bounded: bool = False) -> Checker:
    """A game's checker run by Python, with a text of its source replaced.

    Args:
        game: its slug.
        old: what is replaced, if anything.
        new: by what.
        bounded: whether its arrays are `Bounded`.
    """
    module = import_module(f"engine.{game}.checker")
    assert module.__file__ is not None
    source = Path(module.__file__).read_text()
    if old:
        assert source.count(old) == 1, f"{old!r} occurs {source.count(old)} times"
        source = source.replace(old, new)
    source, kernels = re.subn(r"^@(search_kernel|kernel)\n", "", source, flags=re.MULTILINE)
    assert kernels > 5
    if bounded:
        source = source.replace("import numpy as np\n", "")
    names: dict[str, Any] = {"__name__": module.__name__, "np": _BOUNDED}
    exec(compile(source, module.__file__, "exec"), names)
    found: Checker = names["check"]
    return found


def _bounded(make: Any) -> Any:
    return lambda *args, **kwargs: make(*args, **kwargs).view(Bounded)


_BOUNDED = SimpleNamespace(
    zeros=_bounded(np.zeros),
    array=_bounded(np.array),
    empty=_bounded(np.empty),
    int64=np.int64,
    uint8=np.uint8,
)

# Of each game: what goes wrong, the source text, and what stands there instead.
SLIPS = {
    "klondike": [
        ("a card twice in the deal", "or seen >> card & 1", ""),
        ("a card that is none", "card >= CARDS or", ""),
        ("two cards face up", "= size - 1\n    for", "= max(0, size - 2)\n    for"),
        ("any card to an empty column", " and card >> 2 == KING", ""),
        ("no king to an empty column", "and card >> 2 == KING", "and False"),
        ("only kings to an empty column", "rules[_SPACES] == _ANY or (", "("),
        ("kings to columns that stay empty", "rules[_SPACES] == _KINGS and ", ""),
        ("suits always alternate", "rules[_BUILDING] == _ALTERNATING", "True"),
        ("suits never alternate", "rules[_BUILDING] == _ALTERNATING", "False"),
        ("each suit on itself alone", "rules[_BUILDING] == _ANY_SUIT or ", ""),
        ("each suit on any", "top & 3 == card & 3", "True"),
        (
            "a run to any empty column",
            "(piles.size[target] == 0 and rules[_SPACES] == _ANY)",
            "False",
        ),
        ("parts under any rules", "rules[_SPACES] != _ANY or count > held", "count > held"),
        ("face-down cards move as a part", "count > held or ", ""),
        ("parts where whole runs move", "(count < held and not rules[_PARTIAL_RUNS])", "False"),
        (
            "a part to the last empty column",
            "range(COLUMNS):\n        if piles.size[target] == 0",
            "range(COLUMNS - 1, -1, -1):\n        if piles.size[target] == 0",
        ),
        ("a card too many in a part", "% _MOST_IN_PART + 1", "% _MOST_IN_PART + 2"),
        ("any colour is built on", "return top & 1 != card & 1", "return True"),
        ("any rank is built on", "top >> 2 != (card >> 2) + 1", "False"),
        ("no card turns up", "piles.down[column] -= 1", "pass"),
        ("cards turn up too early", "piles.size[column] == piles.down[column] and ", ""),
        (
            "any card goes up",
            "    if piles.heights[card & 3] != card >> 2:\n        return False\n",
            "",
        ),
        ("cards stay in the waste", "    _leave_waste(piles)\n", ""),
        (
            "the gap in the waste stays",
            "talon[place - 1] = piles.talon[place]",
            "talon[place] = piles.talon[place]",
        ),
        ("the stock keeps its number", "piles.counts[_TALON] -= 1", "pass"),
        ("face-down cards move", "first = piles.down[source]", "first = 0"),
        ("parts of runs may always move", "if rules[_PARTIAL_RUNS] else", "or"),
        ("parts of runs may never move", "end if rules[_PARTIAL_RUNS] else ", ""),
        (
            "a run goes as its first card",
            "    _take(piles, source, count)",
            "    _take(piles, source, 1)",
        ),
        ("turns of an empty stock", "if drawn == piles.counts[_TALON]:", "if False:"),
        ("one card is turned", "drawn + rules[_DRAW]", "drawn + 1"),
        (
            "the last turn needs all cards",
            "min(drawn + rules[_DRAW], piles.counts[_TALON])",
            "(drawn + rules[_DRAW] if drawn + rules[_DRAW] <= piles.counts[_TALON] else drawn)",
        ),
        ("redeals too early", "drawn < piles.counts[_TALON] or ", ""),
        ("redeals of nothing", " or drawn == 0:", ":"),
        ("redeals are always unlimited", "used >= rules[_REDEALS]", "False"),
        ("one redeal too many", "used >= rules", "used > rules"),
        ("one redeal too few", "used >= rules", "used + 1 >= rules"),
        ("redeals are never unlimited", "rules[_REDEALS] != _UNLIMITED and ", ""),
        ("redeals are not counted", "= used + 1", "= used"),
        ("the waste stays after a redeal", "        piles.counts[_DRAWN] = 0\n", ""),
        ("a card from an empty waste", "        if drawn == 0:\n            return False\n", ""),
        (
            "anything fits from the waste",
            "            if not _fits(piles, rules, card, column):\n                return False\n",
            "",
        ),
        ("cards of empty columns go up", "size == 0 or ", ""),
        ("cards that went up still lie there", "_take(piles, column, 1)", "pass"),
        ("cards always return", "not rules[_WORRYING_BACK] or ", ""),
        ("cards never return", "if not rules[_WORRYING_BACK] or height == 0:", "if True:"),
        ("a card returns from nothing", " or height == 0:", ":"),
        ("the next card returns", "(height - 1) * 4", "height * 4"),
        (
            "anything fits from a foundation",
            "        if not _fits(piles, rules, card, column):\n            return False\n"
            "        piles",
            "        piles",
        ),
        ("what returns stays up", "piles.heights[suit] -= 1", "pass"),
        (
            "every byte is a move",
            "    return False\n\n\n@search_kernel\ndef _verdict",
            "    return True\n\n\n@search_kernel\ndef _verdict",
        ),
        (
            "a byte too many",
            "_NO_MOVE = _PART + COLUMNS * _MOST_IN_PART",
            "_NO_MOVE = _PART + COLUMNS * _MOST_IN_PART + 1",
        ),
        ("moves are counted from 0", "place - first + 1", "place - first"),
        ("every end is a win", "return NO_WIN", "return WINS"),
        ("three suits win", "for suit in range(4):", "for suit in range(3):"),
        (
            "any card goes up from the waste",
            "if not _raise(piles, card):",
            "if not (_raise(piles, card) or True):",
        ),
    ],
    "spider": [
        ("a card three times in the deal", " or piles.seen[card] == DECKS", ""),
        ("a card that is none", "card >= _DECK or ", "card >= _DECK and "),
        ("decks are not counted afresh", "piles.seen[:] = 0", "pass"),
        ("all suits always count", "if suits == 4:", "if True:"),
        ("two suits count as one", "suits == 2 and card & 1", "False"),
        ("one suit counts as two", "suits == 2 and ", ""),
        ("two cards face up", "= _SIZES[column] - 1", "= _SIZES[column] - 2"),
        (
            "rows deal the same cards",
            "piles.counts[_DEALT] = row + 1",
            "piles.counts[_DEALT] = max(row, 1)",
        ),
        (
            "a run in any suit moves",
            "piles.columns[column, level] != piles.columns[column, level - 1] - 4",
            "piles.columns[column, level] >> 2 != (piles.columns[column, level - 1] >> 2) - 1",
        ),
        ("twelve cards are a run", "_WHOLE_RUN = 13", "_WHOLE_RUN = 12"),
        ("runs do not leave", "piles.size[column] = first", "pass"),
        ("no card turns up", "piles.down[column] -= 1", "pass"),
        ("cards turn up too early", "piles.size[column] == piles.down[column] and ", ""),
        ("a sixth row", "    if row == ROWS:\n        return False\n", ""),
        ("always onto empty columns", "if not onto_empty:", "if False:"),
        ("never onto empty columns", "if not onto_empty:", "if True:"),
        ("dealt cards complete no run", "        _settle(piles, column)\n", ""),
        ("face-down cards move", " or first < piles.down[source]", ""),
        (
            "any cards move together",
            "    if not _goes_down_in_suit(piles, source, first):\n        return False\n",
            "",
        ),
        ("any rank is built on", "if top >> 2 != (card >> 2) + 1:", "if False:"),
        (
            "only the same suit is built on",
            "if top >> 2 != (card >> 2) + 1:",
            "if top != card + 4:",
        ),
        (
            "moved cards change their order",
            "source, first + place]",
            "source, first + count - 1 - place]",
        ),
        ("moved cards stay behind", "piles.size[source] -= count", "pass"),
        ("the source is left face down", "    _settle(piles, source)\n", ""),
        ("the target completes no run", "    _settle(piles, target)\n", ""),
        ("deals of any second byte", "count == 0 and ", ""),
        ("a byte too many", "columns > COLUMNS * COLUMNS or ", ""),
        ("moves of no cards", "not 1 <= count", "not 0 <= count"),
        ("moves are counted from 0", "return number + 1", "return number"),
        ("half a move is none", "if (end - first) % 2:", "if False:"),
        ("every end is a win", "== RUNS else NO_WIN", "== RUNS else WINS"),
        ("seven runs win", "== RUNS else", ">= RUNS - 1 else"),
        ("face-down cards complete a run", "first >= piles.down[column] and", "first >= 0 and"),
        (
            "any thirteen cards leave",
            "first >= piles.down[column] and _goes_down_in_suit(piles, column, first)",
            "first >= piles.down[column]",
        ),
    ],
}
MUTATIONS = [Mutation(game, *slip) for game, slips in SLIPS.items() for slip in slips]
