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

MUTATIONS = [
    Mutation("klondike", "a card twice in the deal", "or seen >> card & 1", ""),
    Mutation("klondike", "a card that is none", "card >= CARDS or", ""),
    Mutation("klondike", "two cards face up", "= size - 1\n    for", "= max(0, size - 2)\n    for"),
    Mutation("klondike", "any card to an empty column", "return card >> 2 == KING", "return True"),
    Mutation("klondike", "no card to an empty column", "return card >> 2 == KING", "return False"),
    Mutation("klondike", "any colour is built on", " and top & 1 != card & 1", ""),
    Mutation("klondike", "any rank is built on", "top >> 2 == (card >> 2) + 1 and ", ""),
    Mutation("klondike", "no card turns up", "piles.down[column] -= 1", "pass"),
    Mutation(
        "klondike", "cards turn up too early", "piles.size[column] == piles.down[column] and ", ""
    ),
    Mutation(
        "klondike",
        "any card goes up",
        "    if piles.heights[card & 3] != card >> 2:\n        return False\n",
        "",
    ),
    Mutation("klondike", "cards stay in the waste", "    _leave_waste(piles)\n", ""),
    Mutation(
        "klondike",
        "the gap in the waste stays",
        "talon[place - 1] = piles.talon[place]",
        "talon[place] = piles.talon[place]",
    ),
    Mutation("klondike", "the stock keeps its number", "piles.counts[_TALON] -= 1", "pass"),
    Mutation("klondike", "face-down cards move", "first = piles.down[source]", "first = 0"),
    Mutation("klondike", "parts of runs may always move", "if rules[_PARTIAL_RUNS] else", "or"),
    Mutation("klondike", "parts of runs may never move", "end if rules[_PARTIAL_RUNS] else ", ""),
    Mutation(
        "klondike",
        "a run goes as its first card",
        "_take(piles, source, end - level)",
        "_take(piles, source, 1)",
    ),
    Mutation(
        "klondike", "turns of an empty stock", "if drawn == piles.counts[_TALON]:", "if False:"
    ),
    Mutation("klondike", "one card is turned", "drawn + rules[_DRAW]", "drawn + 1"),
    Mutation(
        "klondike",
        "the last turn needs all cards",
        "min(drawn + rules[_DRAW], piles.counts[_TALON])",
        "(drawn + rules[_DRAW] if drawn + rules[_DRAW] <= piles.counts[_TALON] else drawn)",
    ),
    Mutation("klondike", "redeals too early", "drawn < piles.counts[_TALON] or ", ""),
    Mutation("klondike", "redeals of nothing", " or drawn == 0:", ":"),
    Mutation("klondike", "redeals are always unlimited", "used >= rules[_REDEALS]", "False"),
    Mutation("klondike", "one redeal too many", "used >= rules", "used > rules"),
    Mutation("klondike", "one redeal too few", "used >= rules", "used + 1 >= rules"),
    Mutation("klondike", "redeals are never unlimited", "rules[_REDEALS] != _UNLIMITED and ", ""),
    Mutation("klondike", "redeals are not counted", "= used + 1", "= used"),
    Mutation(
        "klondike",
        "the waste stays after a redeal",
        "        piles.counts[_DRAWN] = 0\n",
        "",
    ),
    Mutation(
        "klondike",
        "a card from an empty waste",
        "        if drawn == 0:\n            return False\n",
        "",
    ),
    Mutation(
        "klondike",
        "anything fits from the waste",
        "            if not _fits(piles, card, column):\n                return False\n",
        "",
    ),
    Mutation("klondike", "cards of empty columns go up", "size == 0 or ", ""),
    Mutation("klondike", "cards that went up still lie there", "_take(piles, column, 1)", "pass"),
    Mutation("klondike", "cards always return", "not rules[_WORRYING_BACK] or ", ""),
    Mutation(
        "klondike", "cards never return", "if not rules[_WORRYING_BACK] or height == 0:", "if True:"
    ),
    Mutation("klondike", "a card returns from nothing", " or height == 0:", ":"),
    Mutation("klondike", "the next card returns", "(height - 1) * 4", "height * 4"),
    Mutation(
        "klondike",
        "anything fits from a foundation",
        "        if not _fits(piles, card, column):\n            return False\n        piles",
        "        piles",
    ),
    Mutation("klondike", "what returns stays up", "piles.heights[suit] -= 1", "pass"),
    Mutation(
        "klondike",
        "every byte is a move",
        "    return False\n\n\n@search_kernel\ndef _verdict",
        "    return True\n\n\n@search_kernel\ndef _verdict",
    ),
    Mutation(
        "klondike",
        "a byte too many",
        "_NO_MOVE = 0, 1, 2, 3, 10, 17, 45, 94",
        "_NO_MOVE = 0, 1, 2, 3, 10, 17, 45, 96",
    ),
    Mutation("klondike", "moves are counted from 0", "place - first + 1", "place - first"),
    Mutation("klondike", "every end is a win", "return NO_WIN", "return WINS"),
    Mutation("klondike", "three suits win", "for suit in range(4):", "for suit in range(3):"),
    Mutation("spider", "a card three times in the deal", " or piles.seen[card] == DECKS", ""),
    Mutation("spider", "a card that is none", "card >= _DECK or ", "card >= _DECK and "),
    Mutation("spider", "decks are not counted afresh", "piles.seen[:] = 0", "pass"),
    Mutation("spider", "all suits always count", "if suits == 4:", "if True:"),
    Mutation("spider", "two suits count as one", "suits == 2 and card & 1", "False"),
    Mutation("spider", "one suit counts as two", "suits == 2 and ", ""),
    Mutation("spider", "two cards face up", "= _SIZES[column] - 1", "= _SIZES[column] - 2"),
    Mutation(
        "spider",
        "rows deal the same cards",
        "piles.counts[_DEALT] = row + 1",
        "piles.counts[_DEALT] = max(row, 1)",
    ),
    Mutation(
        "spider",
        "a run in any suit moves",
        "piles.columns[column, level] != piles.columns[column, level - 1] - 4",
        "piles.columns[column, level] >> 2 != (piles.columns[column, level - 1] >> 2) - 1",
    ),
    Mutation("spider", "twelve cards are a run", "_WHOLE_RUN = 13", "_WHOLE_RUN = 12"),
    Mutation("spider", "runs do not leave", "piles.size[column] = first", "pass"),
    Mutation("spider", "no card turns up", "piles.down[column] -= 1", "pass"),
    Mutation(
        "spider", "cards turn up too early", "piles.size[column] == piles.down[column] and ", ""
    ),
    Mutation("spider", "a sixth row", "    if row == ROWS:\n        return False\n", ""),
    Mutation("spider", "always onto empty columns", "if not onto_empty:", "if False:"),
    Mutation("spider", "never onto empty columns", "if not onto_empty:", "if True:"),
    Mutation("spider", "dealt cards complete no run", "        _settle(piles, column)\n", ""),
    Mutation("spider", "face-down cards move", " or first < piles.down[source]", ""),
    Mutation(
        "spider",
        "any cards move together",
        "    if not _goes_down_in_suit(piles, source, first):\n        return False\n",
        "",
    ),
    Mutation("spider", "any rank is built on", "if top >> 2 != (card >> 2) + 1:", "if False:"),
    Mutation(
        "spider",
        "only the same suit is built on",
        "if top >> 2 != (card >> 2) + 1:",
        "if top != card + 4:",
    ),
    Mutation(
        "spider",
        "moved cards change their order",
        "source, first + place]",
        "source, first + count - 1 - place]",
    ),
    Mutation("spider", "moved cards stay behind", "piles.size[source] -= count", "pass"),
    Mutation("spider", "the source is left face down", "    _settle(piles, source)\n", ""),
    Mutation("spider", "the target completes no run", "    _settle(piles, target)\n", ""),
    Mutation("spider", "deals of any second byte", "count == 0 and ", ""),
    Mutation("spider", "a byte too many", "columns > COLUMNS * COLUMNS or ", ""),
    Mutation("spider", "moves of no cards", "not 1 <= count", "not 0 <= count"),
    Mutation("spider", "moves are counted from 0", "return number + 1", "return number"),
    Mutation("spider", "half a move is none", "if (end - first) % 2:", "if False:"),
    Mutation("spider", "every end is a win", "== RUNS else NO_WIN", "== RUNS else WINS"),
    Mutation("spider", "seven runs win", "== RUNS else", ">= RUNS - 1 else"),
    Mutation(
        "klondike",
        "any card goes up from the waste",
        "if not _raise(piles, card):",
        "if not (_raise(piles, card) or True):",
    ),
    Mutation(
        "spider",
        "face-down cards complete a run",
        "first >= piles.down[column] and",
        "first >= 0 and",
    ),
    Mutation(
        "spider",
        "any thirteen cards leave",
        "first >= piles.down[column] and _goes_down_in_suit(piles, column, first)",
        "first >= piles.down[column]",
    ),
]
