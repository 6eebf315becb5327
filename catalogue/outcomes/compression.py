"""Packed moves of a game as they are stored: compressed by Zstandard.

Solutions are short, so they are compressed with a dictionary of common sequences of moves of their
game, if there is one in `dictionaries/`. The first byte of what is stored is the number of the
dictionary, 0 for none; so a dictionary, once released, is never changed, and a better one gets a
new number. `benchmarks/dictionary.py` makes them.
"""

import threading
from functools import cache, lru_cache
from importlib.resources import files

import zstandard

from engine.errors import BadInput

_DICTIONARIES = files("catalogue.outcomes") / "dictionaries"
_LEVEL = 3
# No game is longer, so that damaged bytes cannot fill the memory.
_MAX_BYTES = 1 << 24


def compress(game: str, packed: bytes) -> bytes:
    """Compress the packed moves of a game, given its slug."""
    number = _newest(game)
    return bytes([number]) + _compressor(threading.get_ident(), game, number).compress(packed)


def decompress(game: str, stored: bytes) -> bytes:
    """The packed moves of a game from what `compress` made of them.

    Raises:
        BadInput: the bytes are damaged.
    """
    if not stored:
        raise BadInput("the stored moves are damaged: there are no bytes")
    try:
        number = stored[0]
        codec = _decompressor(threading.get_ident(), game, number)
        return codec.decompress(stored[1:], max_output_size=_MAX_BYTES)
    except (zstandard.ZstdError, FileNotFoundError) as error:
        raise BadInput(f"the stored moves are damaged: {error}") from None


# Each thread has its own: they are not safe to share.
@lru_cache(maxsize=64)
def _compressor(_thread: int, game: str, number: int) -> zstandard.ZstdCompressor:
    return zstandard.ZstdCompressor(
        level=_LEVEL,
        dict_data=_dictionary(game, number),
        write_checksum=False,
        write_content_size=False,
        write_dict_id=False,
    )


@lru_cache(maxsize=64)
def _decompressor(_thread: int, game: str, number: int) -> zstandard.ZstdDecompressor:
    return zstandard.ZstdDecompressor(dict_data=_dictionary(game, number))


@cache
def _newest(game: str) -> int:
    """The number of the newest dictionary of a game, with which its moves are compressed; or 0."""
    names = [place.name for place in _DICTIONARIES.iterdir()]
    numbers = [
        int(name.removeprefix(f"{game}-").removesuffix(".zdict"))
        for name in names
        if name.startswith(f"{game}-") and name.endswith(".zdict")
    ]
    return max(numbers, default=0)


@cache
def _dictionary(game: str, number: int) -> zstandard.ZstdCompressionDict | None:
    if number == 0:
        return None
    name = f"{game}-{number}.zdict"
    return zstandard.ZstdCompressionDict((_DICTIONARIES / name).read_bytes())
