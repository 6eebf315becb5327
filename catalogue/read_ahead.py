"""Deals of a file read as a whole before the first one is used, and read only once.

A malformed line at the end of a file is to be told of before hours of solving. So all of its deals
are made first. They wait in memory, and in a temporary file once they are many, so that the memory
in use is bounded however long the file is.
"""

import pickle
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from itertools import islice
from pathlib import Path
from tempfile import SpooledTemporaryFile
from typing import IO, Any, TypeVar

from engine.games import get_game
from engine.intake import InputPosition, WrongEntry
from engine.text.deal_lines import InputDeal

# What a file is read into.
Given = InputDeal | InputPosition | WrongEntry

G = TypeVar("G", bound=Given)

# Bytes of waiting deals that are held in memory, some hundred each.
_IN_MEMORY = 16 << 20
# A deal as it waits: its name, its game, its cards in flat order, its dealer and seed. That takes
# half the room of the deal itself, and an eighth of the time to write.
_Plain = tuple[str | int, str, bytes, str | None, int | None, str | None]
# Deals pickled together: what they have in common is written once.
_BLOCK = 500


def is_regular(file: str) -> bool:
    """Whether a file, ``-`` for standard input, can be read as a whole without waiting for it."""
    return file != "-" and Path(file).is_file()


def read_ahead(deals: Iterable[G]) -> Iterator[G]:
    """Make all deals now, and what stands between them; the same ones are yielded later.

    Raises:
        BadInput: an error of iterating over `deals`.
    """
    with ExitStack() as opened:
        waiting: IO[bytes] = opened.enter_context(SpooledTemporaryFile(_IN_MEMORY))
        coming = iter(deals)
        while block := list(islice(coming, _BLOCK)):
            pickle.dump([*map(_plain, block)], waiting, pickle.HIGHEST_PROTOCOL)
        waiting.seek(0)
        opened.pop_all()
    return _waiting(waiting)


def _plain(given: Given) -> _Plain | Given:
    if not isinstance(given, InputDeal):
        return given
    deal = given.deal
    return given.id, deal.game, bytes(deal.cards), given.dealer, given.seed, given.rules


def _waiting(file: IO[bytes]) -> Iterator[Any]:
    with file:
        while True:
            try:
                plain: list[_Plain | Given] = pickle.load(file)
            except EOFError:
                return
            for each in plain:
                if isinstance(each, tuple):
                    name, game, cards, dealer, seed, rules = each
                    yield InputDeal(name, get_game(game).deal(cards), dealer, seed, rules)
                else:
                    yield each
