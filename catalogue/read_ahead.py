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
from typing import IO

from engine.games import get_game
from engine.text.deal_lines import InputDeal

# Bytes of waiting deals that are held in memory, some hundred each.
_IN_MEMORY = 16 << 20
# A deal as it waits: its name, its game, its cards in flat order, its dealer and seed. That takes
# half the room of the deal itself, and an eighth of the time to write.
_Plain = tuple[str | int, str, bytes, str | None, int | None]
# Deals pickled together: what they have in common is written once.
_BLOCK = 500


def is_regular(file: str) -> bool:
    """Whether a file, ``-`` for standard input, can be read as a whole without waiting for it."""
    return file != "-" and Path(file).is_file()


def read_ahead(deals: Iterable[InputDeal]) -> Iterator[InputDeal]:
    """Make all deals now; the same ones are yielded later.

    Raises:
        BadInput: an error of iterating over `deals`.
    """
    with ExitStack() as opened:
        waiting: IO[bytes] = opened.enter_context(SpooledTemporaryFile(_IN_MEMORY))
        coming = iter(deals)
        while block := list(islice(coming, _BLOCK)):
            plain = [
                (given.id, given.deal.game, bytes(given.deal.cards), given.dealer, given.seed)
                for given in block
            ]
            pickle.dump(plain, waiting, pickle.HIGHEST_PROTOCOL)
        waiting.seek(0)
        opened.pop_all()
    return _waiting(waiting)


def _waiting(file: IO[bytes]) -> Iterator[InputDeal]:
    with file:
        while True:
            try:
                plain: list[_Plain] = pickle.load(file)
            except EOFError:
                return
            for name, game, cards, dealer, seed in plain:
                yield InputDeal(name, get_game(game).deal(cards), dealer, seed)
