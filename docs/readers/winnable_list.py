"""Reader of the lists of winnable deals that `thoughtful list --format binary` writes.

    python winnable_list.py FILE SEED...       prints: SEED yes|no|unknown GRADE
    python winnable_list.py --digest FILE      checks the file, and sums up all its verdicts

It needs nothing but Python 3.8. The format is specified in docs/lists.md. Public domain (CC0).
"""

from __future__ import annotations

import json
import os
import struct
import sys
from zlib import crc32

MAGIC = b"\x89TSL\r\n\x1a\n"


class WinnableList:
    """A list in a file; `facts` has ruleset, dealer, levels and more."""

    def __init__(self, path: str) -> None:
        """Open a list; ValueError says that the file is none, or damaged."""
        self.file = open(path, "rb")  # noqa: SIM115
        head = self.file.read(40)
        if len(head) < 40 or head[:8] != MAGIC:
            raise ValueError("not a list of winnable deals")
        version, _, length, *sizes, code = struct.unpack("<HHIQQII", head[8:])
        self.first, self.seeds, self.block = map(int, sizes)
        if version != 1:
            raise ValueError(f"version {version} is not known, expected 1")
        self.data = 40 + length
        size = os.path.getsize(path)
        facts = self.file.read(min(length, size))
        if crc32(head[:36] + facts) != code or not self.block:
            raise ValueError("the header is damaged")
        if size != sum(self.place(self.blocks() - 1)):
            raise ValueError("the file is truncated or too long")
        self.facts = json.loads(facts.decode())

    def blocks(self) -> int:
        """The number of blocks."""
        return -(-self.seeds // self.block)

    def seeds_in(self, block: int) -> int:
        """The number of seeds in a block."""
        return min(self.block, self.seeds - block * self.block)

    def place(self, block: int) -> tuple[int, int]:
        """Where a block begins, and its length."""
        seeds = self.seeds_in(block)
        start = self.data + block * (2 * (self.block // 8) + self.block + 4)
        return start, 2 * (-(-seeds // 8)) + seeds + 4

    def verdict(self, seed: int) -> tuple[str, int]:
        """("yes", "no" or "unknown", grade) of a seed; three bytes are read."""
        if not 0 <= seed - self.first < self.seeds:
            raise ValueError(f"seed {seed} is not in the list")
        block, inside = divmod(seed - self.first, self.block)
        start, bits = self.place(block)[0], -(-self.seeds_in(block) // 8)
        listed = self.byte(start + inside // 8) >> inside % 8 & 1
        undecided = self.byte(start + bits + inside // 8) >> inside % 8 & 1
        grade = self.byte(start + 2 * bits + inside)
        return ("yes" if listed else "unknown" if undecided else "no"), grade

    def byte(self, place: int) -> int:
        """A byte of the file."""
        self.file.seek(place)
        return self.file.read(1)[0]

    def digest(self) -> str:
        """CRC-32 of the lines of all seeds; ValueError if a block is damaged."""
        code = 0
        for block in range(self.blocks()):
            start, length = self.place(block)
            self.file.seek(start)
            raw = self.file.read(length)
            if crc32(raw[:-4]) != int.from_bytes(raw[-4:], "little"):
                raise ValueError(f"block {block} is damaged")
            low = self.first + block * self.block
            for seed in range(low, low + self.seeds_in(block)):
                code = crc32("{} {} {}\n".format(seed, *self.verdict(seed)).encode(), code)
        return f"{self.seeds} seeds, crc32 {code:08x}"


if __name__ == "__main__":
    try:
        if len(sys.argv) == 3 and sys.argv[1] == "--digest":
            print(WinnableList(sys.argv[2]).digest())
        else:
            opened = WinnableList(sys.argv[1])
            for text in sys.argv[2:]:
                print(int(text), *opened.verdict(int(text)))
    except (ValueError, OSError, IndexError) as error:
        sys.exit(f"winnable_list: {error}")
