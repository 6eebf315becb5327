"""The compact binary format: two bits and a byte for each seed, found by its place.

It is specified in `docs/lists.md`; readers in Python, JavaScript and C are in `docs/readers/`,
none of which shares code with this one.
"""

import json
import struct
from collections.abc import Iterator
from typing import Any, BinaryIO, NamedTuple
from zlib import crc32

import numpy as np

from catalogue.lists.grades import Grades, ListedSeed, listed, undecided, valid
from catalogue.lists.header import ListHeader
from catalogue.lists.seed_list import SeedList
from catalogue.lists.spool import Spool
from engine.errors import BadInput
from engine.text.strict_json import parse_json

# The first byte is none of a text, and line ends that somebody converts do not stay as they are.
MAGIC = b"\x89TSL\r\n\x1a\n"
VERSION = 1
BLOCK = 65_536
_FIXED = struct.Struct("<8sHHIQQI")
_CRC = struct.Struct("<I")
_DATA = 8
_LARGEST_SEED = 2**64 - 1
_LARGEST_BLOCK = 1 << 24


class ListedVerdict(NamedTuple):
    """The entry of a seed in a binary list: its two bits and its grade."""

    listed: bool
    undecided: bool
    grade: int


def check(header: ListHeader) -> None:
    """Raise BadInput unless the seeds fit the format."""
    if header.last_seed > _LARGEST_SEED:
        raise BadInput(
            f"seed {header.last_seed} does not fit the binary format: expected at most 2^64 - 1, "
            "or another --format"
        )


def write(header: ListHeader, spool: Spool, out: BinaryIO) -> None:
    """Write a list."""
    facts = json.dumps(header.plain(), separators=(",", ":")).encode()
    # The data begin at a place that 8 divides.
    facts += b" " * (-(_FIXED.size + _CRC.size + len(facts)) % _DATA)
    fixed = _FIXED.pack(MAGIC, VERSION, 0, len(facts), header.first_seed, header.seeds, BLOCK)
    out.write(fixed + _CRC.pack(crc32(fixed + facts)) + facts)
    for _, grades in spool.chunks(BLOCK):
        block = _bits(listed(grades, header.levels)) + _bits(undecided(grades)) + grades.tobytes()
        out.write(block + _CRC.pack(crc32(block)))


def _bits(values: Any) -> bytes:
    """A bit a seed, the lowest bit of a byte first."""
    return np.packbits(values, bitorder="little").tobytes()


class BinaryList:
    """A binary list in a file, of which only what is asked for is read.

    Attributes:
        header: the facts.
    """

    def __init__(self, stream: BinaryIO) -> None:
        """Read the header.

        Raises:
            BadInput: it is damaged, of another version, or the file has not the length it tells.
        """
        self._stream = stream
        fixed = stream.read(_FIXED.size)
        code = stream.read(_CRC.size)
        if not fixed.startswith(MAGIC):
            raise BadInput(
                "it does not begin as a binary list: it is another file, or its line ends were "
                "converted"
            )
        if len(code) < _CRC.size:
            raise BadInput("it is truncated: its header is not complete")
        version, _, length, first, count, block = _FIXED.unpack(fixed)[1:]
        self._block = int(block)
        if version != VERSION:
            raise BadInput(f"it is of version {version}: expected {VERSION}")
        size = stream.seek(0, 2)
        stream.seek(_FIXED.size + _CRC.size)
        facts = stream.read(min(int(length), size))
        if crc32(fixed + facts) != _CRC.unpack(code)[0]:
            raise BadInput("its header is damaged: the checksum is wrong")
        if not 0 < self._block <= _LARGEST_BLOCK or self._block % 8:
            raise BadInput(f"its blocks of {self._block} seeds cannot be: expected a multiple of 8")
        try:
            plain = parse_json(facts.decode())
        except UnicodeDecodeError:
            raise BadInput("its header is not UTF-8 text") from None
        self.header = ListHeader.from_plain(plain if isinstance(plain, dict) else {})
        if (self.header.first_seed, self.header.seeds) != (first, count):
            raise BadInput("its header tells two ranges of seeds that differ")
        self._data = _FIXED.size + _CRC.size + int(length)
        expected = self._start(-(-count // self._block))
        if size != expected:
            kind = "truncated" if size < expected else "too long"
            raise BadInput(f"it is {kind}: it has {size:,} bytes, expected {expected:,}")

    def verdict(self, seed: int) -> ListedVerdict:
        """The entry of a seed, by three reads of a byte each.

        Raises:
            BadInput: the seed is out of range.
        """
        place = seed - self.header.first_seed
        if not 0 <= place < self.header.seeds:
            raise BadInput(
                f"seed {seed} is out of range: expected {self.header.first_seed} to "
                f"{self.header.last_seed}"
            )
        block, inside = divmod(place, self._block)
        start, bits = self._start(block), self._bits_of(block)
        byte, bit = divmod(inside, 8)
        return ListedVerdict(
            bool(self._byte(start + byte) >> bit & 1),
            bool(self._byte(start + bits + byte) >> bit & 1),
            self._byte(start + 2 * bits + inside),
        )

    def chunks(self) -> Iterator[tuple[int, Grades]]:
        """The grades of each block, whose checksum and bits are checked, with its first seed.

        Raises:
            BadInput: a block is damaged.
        """
        for block in range(-(-self.header.seeds // self._block)):
            first = self.header.first_seed + block * self._block
            self._stream.seek(self._start(block))
            raw = self._stream.read(self._start(block + 1) - self._start(block))
            bits, seeds = self._bits_of(block), self._seeds_of(block)
            if len(raw) != 2 * bits + seeds + _CRC.size:
                raise BadInput(f"it was cut while it was read: seeds from {first} on are missing")
            body = raw[: -_CRC.size]
            if _CRC.pack(crc32(body)) != raw[-_CRC.size :]:
                raise BadInput(
                    f"its block of seeds from {first} on is damaged: the checksum is wrong"
                )
            grades = np.frombuffer(body, np.uint8)[2 * bits :]
            bitmaps = _bits(listed(grades, self.header.levels)) + _bits(undecided(grades))
            if not valid(grades) or bitmaps != body[: 2 * bits]:
                raise BadInput(f"its block of seeds from {first} on contradicts itself")
            yield first, grades

    def _start(self, block: int) -> int:
        """Where a block begins, or the file ends."""
        whole = 2 * (self._block // 8) + self._block + _CRC.size
        if block * self._block < self.header.seeds:
            return self._data + block * whole
        last = block - 1
        return (
            self._data + last * whole + 2 * self._bits_of(last) + self._seeds_of(last) + _CRC.size
        )

    def _seeds_of(self, block: int) -> int:
        return min(self._block, self.header.seeds - block * self._block)

    def _bits_of(self, block: int) -> int:
        return -(-self._seeds_of(block) // 8)

    def _byte(self, place: int) -> int:
        self._stream.seek(place)
        return self._stream.read(1)[0]


def read(stream: BinaryIO) -> SeedList:
    """Read a list."""
    found = BinaryList(stream)
    header = found.header
    # Its seeds are counted by its length, and each block has a checksum.
    facts = {name: getattr(header, name) for name in header.__slots__}
    return SeedList(facts, _entries(found), {"seeds": header.seeds})


def _entries(found: BinaryList) -> Iterator[ListedSeed]:
    levels = found.header.levels
    for first, grades in found.chunks():
        for place in (listed(grades, levels) | undecided(grades)).nonzero()[0].tolist():
            yield ListedSeed(first + place, int(grades[place]))
