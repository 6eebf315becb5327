"""The columns of a block: one value for each of up to 65,536 consecutive seeds.

A block has the outcomes of one solver (`Outcomes`), some 2 to 3 bytes a deal. The statuses of a
block (`Statuses`) follow from the outcomes of all solvers (`combine`). `Cells` count them by status
and by classes of nodes and length (`effort_of`, `length_class`), so that a list of deals can be
filtered and paged without reading the columns of every block.

Nothing here knows SQL.
"""

import json
import zlib
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any, Self

import numpy as np
import zstandard
from numpy.typing import NDArray

from catalogue.schema import BLOCK_SIZE
from solvers.outcome import Result

# What a job keeps: rows beside the blocks, or few.
EVERYTHING, VERDICTS = "everything", "verdicts"
KEEPS = (EVERYTHING, VERDICTS)

# Codes of results in columns; 0 stands for a deal that was not attempted.
RESULTS = ("won", "lost", "unwinnable", "gave_up")
RESULT_CODES: Mapping[str, int] = {name: code for code, name in enumerate(RESULTS, start=1)}
WON, LOST, PROVED, GAVE_UP = range(1, 5)
assert set(RESULTS) == {result.value for result in Result}

# Codes of statuses; 0 stands for a deal that nobody attempted.
STATUSES = ("unresolved", "winnable", "unwinnable", "alarm")
UNRESOLVED, WINNABLE, UNWINNABLE, ALARM = range(1, 5)

# Of the first format, some blocks have classes in place of nodes and lengths.
_OLD_FORMAT, _FORMAT = 1, 2
_COMPRESSION = 1  # higher levels hardly find more in bytes of numbers
_EXACT_EFFORT = 16
_STEPS = 8  # classes of effort in each doubling of nodes
# The bits of a float64 below those that name its doubling and its eighth of it, and these of 16.
_BELOW, _OF_16 = 49, (1023 + 4) * _STEPS
# The largest class, of 15/8 × 2^33 nodes and more.
_MAX_EFFORT = 255
_EXACT_LENGTH = 223
_LENGTH_STEP = 32

# The columns of numbers, in their order.
_WIDE = ("nodes", "length", "cpu_us")

# Beside the code of a result, in the same byte.
_ROWED, _SKIPPED = np.uint8(8), np.uint8(16)

Bytes = NDArray[np.uint8]
Flags = NDArray[np.bool_]
Whole = NDArray[np.int64]


def effort_of(nodes: Whole) -> Bytes:
    """The class of each number of nodes, uint8[n]; 0 for a negative one, which means none.

    Up to 15 each number has its own class; above, each doubling has eight of equal width. So a
    power of two always begins a class.
    """
    large = (nodes.astype(np.float64).view(np.int64) >> _BELOW) - (_OF_16 - _EXACT_EFFORT - 1)
    code = np.where(nodes < _EXACT_EFFORT, nodes + 1, np.minimum(large, _MAX_EFFORT))
    return np.where(nodes < 0, 0, code).astype(np.uint8)


def nodes_of(effort: Bytes) -> Whole:
    """The smallest number of nodes of each class, int64[n]; −1 for class 0."""
    return _NODES[effort]


def length_class(length: NDArray[np.signedinteger[Any]]) -> Bytes:
    """The class of each length, uint8[n]; 0 for none. Up to 223 moves it is the length itself."""
    long = _EXACT_LENGTH + 1 + (length - _EXACT_LENGTH - 1) // _LENGTH_STEP
    return np.where(length <= _EXACT_LENGTH, length, np.minimum(long, 255)).astype(np.uint8)


def length_of(code: Bytes) -> Whole:
    """The smallest length of each class, int64[n]; 0 for none."""
    return _LENGTHS[code]


def _lowest_nodes() -> Whole:
    lowest = [-1, *range(_EXACT_EFFORT)]
    for code in range(len(lowest), 256):
        doubling, eighth = divmod(code - 1 - _EXACT_EFFORT, _STEPS)
        lowest.append((_STEPS + eighth) << (doubling + 1))
    return np.array(lowest, dtype=np.int64)


_NODES = _lowest_nodes()
_LENGTHS = np.array(
    [
        code if code <= _EXACT_LENGTH else _EXACT_LENGTH + 1 + _LENGTH_STEP * (code - 224)
        for code in range(256)
    ],
    dtype=np.int64,
)


@dataclass(slots=True)
class Outcomes:
    """The outcomes of one solver on a run of deals of one block.

    Attributes:
        first: place of the first deal in the block, 0 to 65,535; arrays are of n deals from it on.
        result: uint8[n], codes of `RESULT_CODES`; 0 where the deal was not attempted.
        nodes: int64[n], nodes entered; −1 where they are not known.
        length: int64[n], moves of the solution; 0 for none, or where it is not known.
        dead_end: uint8[n], place in `kinds`, counted from 1; 0 for none.
        cpu_us: int64[n], microseconds of CPU time; −1 where it was not timed or is not known.
        rowed: bool[n], whether the outcome has a row of its own.
        skipped: bool[n], whether there is none because a job did not have the deal solved, as its
            outcome followed from those under other rulesets.
        kinds: names of kinds of dead ends.
    """

    first: int
    result: Bytes
    nodes: Whole
    length: Whole
    dead_end: Bytes
    cpu_us: Whole
    rowed: Flags
    skipped: Flags
    kinds: tuple[str, ...] = ()

    @classmethod
    def empty(cls, first: int = 0, count: int = 0) -> Self:
        """No outcomes of `count` deals."""
        return cls(
            first,
            np.zeros(count, np.uint8),
            np.full(count, -1, np.int64),
            np.zeros(count, np.int64),
            np.zeros(count, np.uint8),
            np.full(count, -1, np.int64),
            np.zeros(count, np.bool_),
            np.zeros(count, np.bool_),
        )

    def __len__(self) -> int:
        return len(self.result)

    @property
    def end(self) -> int:
        """One more than the place of the last deal."""
        return self.first + len(self.result)

    def counts(self) -> dict[str, int]:
        """Numbers of outcomes by result, of all (``attempted``), and of those with rows."""
        by_result = np.bincount(self.result, minlength=5)
        named = {name: int(by_result[code]) for name, code in RESULT_CODES.items()}
        return {"attempted": sum(named.values()), **named, "rowed": int(self.rowed.sum())}

    @property
    def unknown(self) -> Flags:
        """The outcomes, bool[n], of which an earlier version kept neither nodes nor time."""
        found: Flags = (self.result > 0) & (self.nodes < 0)
        return found

    def widened(self, low: int, high: int) -> "Outcomes":
        """The same outcomes on an array of at least the places `low` to `high` − 1."""
        if len(self) == 0:
            return replace(self.empty(low, high - low), kinds=self.kinds)
        if self.first <= low and high <= self.end:
            return self
        wide = self.empty(min(low, self.first), max(high, self.end) - min(low, self.first))
        inside = slice(self.first - wide.first, self.end - wide.first)
        for name in _ARRAYS:
            getattr(wide, name)[inside] = getattr(self, name)
        return replace(wide, kinds=self.kinds)

    def code_of(self, kind: str | None) -> int:
        """The code of a kind of dead end, which is added to `kinds` if it is new."""
        if kind is None:
            return 0
        if kind not in self.kinds:
            self.kinds = (*self.kinds, kind)
        return self.kinds.index(kind) + 1

    def encode(self) -> bytes:
        """The columns as bytes."""
        tried = np.flatnonzero((self.result > 0) | self.skipped)
        low, high = (int(tried[0]), int(tried[-1]) + 1) if len(tried) else (0, 0)
        cut = slice(low, high)
        wide = [self.nodes[cut] + 1, self.length[cut], self.cpu_us[cut] + 1]
        planes = [-(-int(each.max(initial=0)).bit_length() // 8) for each in wide]
        header = {
            "first": self.first + low,
            "deals": high - low,
            "planes": planes,
            "kinds": list(self.kinds),
        }
        marks = self.result[cut] | np.where(self.rowed[cut], _ROWED, np.uint8(0))
        marks |= np.where(self.skipped[cut], _SKIPPED, np.uint8(0))
        results = marks.tobytes() + self.dead_end[cut].tobytes()
        return _packed(header, results, *map(_shuffled, wide, planes))

    @classmethod
    def decode(cls, packed: bytes, only: Collection[str] = _WIDE) -> Self:
        """The columns from their bytes.

        Args:
            packed: the bytes.
            only: those of nodes, lengths and times that are read; the others are as if not known.

        Raises:
            ValueError: they are damaged.
        """
        header, frames = _unpacked(packed)
        first, count, kinds = header["first"], header["deals"], tuple(header["kinds"])
        if first < 0 or not 0 <= count <= BLOCK_SIZE - first:
            raise ValueError(f"columns of {count} deals from place {first} on are of no block")
        if packed[0] == _OLD_FORMAT:
            exact, flat = header["depth"] == EVERYTHING, _decompressed(frames[0])
            return cls._decode_old(exact, first, count, flat, kinds, only)
        marks, dead_end = _decompressed(frames[0], 2 * count).reshape(2, count)
        wide = [
            _unshuffled(_decompressed(frame, planes * count), planes, count, less)
            if name in only
            else np.broadcast_to(np.int64(-less), count)
            for name, frame, planes, less in zip(
                _WIDE, frames[1:], header["planes"], (1, 0, 1), strict=True
            )
        ]
        rowed, skipped = (marks & _ROWED) > 0, (marks & _SKIPPED) > 0
        numbers = (wide[0], wide[1], dead_end.copy(), wide[2])
        return cls(first, marks & np.uint8(7), *numbers, rowed, skipped, kinds)

    @classmethod
    def _decode_old(
        cls,
        exact: bool,
        first: int,
        count: int,
        flat: Bytes,
        kinds: tuple[str, ...],
        only: Collection[str],
    ) -> Self:
        """The columns of the first format: exact ones have rows; the others lack some values."""
        half = -(-count // 2)
        if len(flat) != (26 * count if exact else half + 2 * count):
            raise ValueError(f"{len(flat)} bytes are no columns of {count} deals")
        if exact:
            result, dead_end, *wide = np.split(flat, count * np.array([1, 2, 10, 18]))
            columns = cls.empty(first, count)
            columns.result, columns.dead_end = result.copy(), dead_end.copy()
            for name, planes in zip(_WIDE, wide, strict=True):
                if name in only:
                    numbers = np.ascontiguousarray(planes.reshape(8, count).T).view("<i8")
                    setattr(columns, name, numbers.reshape(count))
            return replace(columns, rowed=result > 0, kinds=kinds)
        columns = cls.empty(first, count)
        marks = np.stack([flat[:half] & 15, flat[:half] >> 4], axis=1).reshape(-1)[:count]
        columns.result, columns.rowed = marks & np.uint8(7), marks > 7
        # One byte is the class of the length of a win, or the kind of dead end.
        columns.dead_end = np.where(columns.result == PROVED, flat[half + count :], np.uint8(0))
        columns.kinds = kinds
        return columns


_ARRAYS = ("result", "nodes", "length", "dead_end", "cpu_us", "rowed", "skipped")


@dataclass(slots=True)
class Statuses:
    """The statuses of a run of deals of one block, from the outcomes of all solvers.

    Attributes:
        first: place of the first deal in the block; arrays are of n deals from it on.
        status: uint8[n], codes: 1 unresolved, 2 winnable, 3 unwinnable, 4 both won and proved
            unwinnable; 0 where nobody attempted the deal and no job skipped it.
        solvers: uint16[n], number of solvers with an outcome.
        wins: uint16[n], number of those that won.
        proofs: uint16[n], number of those that proved it unwinnable.
        nodes: int64[n], the fewest nodes of an exact search that decided it; −1 for none.
        length: int32[n], moves of the shortest solution; 0 for none.
        dead_end: uint8[n], place in `kinds`, counted from 1; 0 for none.
        kinds: names of kinds of dead ends, in alphabetical order.
    """

    first: int
    status: Bytes
    solvers: NDArray[np.uint16]
    wins: NDArray[np.uint16]
    proofs: NDArray[np.uint16]
    nodes: Whole
    length: NDArray[np.int32]
    dead_end: Bytes
    kinds: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.status)

    def counts(self) -> tuple[int, int, int, int]:
        """Numbers of deals, winnable ones, unwinnable ones and alarms, as of a `status_block`."""
        n = np.bincount(self.status, minlength=5)
        return int(n[1:].sum()), int(n[WINNABLE] + n[ALARM]), int(n[UNWINNABLE]), int(n[ALARM])


def combine(
    outcomes: Mapping[int, Outcomes], grading: Collection[int], follows: Bytes | None = None
) -> Statuses:
    """The statuses of the deals of a block, from what is known of them.

    Args:
        outcomes: of all solvers under the ruleset, by their ids.
        grading: the solvers whose nodes measure how hard a deal is.
        follows: uint8[BLOCK_SIZE], the codes of the results that follow from outcomes under other
            rulesets (`catalogue.outcomes.following`); None for none. They decide the deals that no
            solver has decided.
    """
    present = {solver: mine for solver, mine in outcomes.items() if len(mine)}
    first = min((mine.first for mine in present.values()), default=0)
    end = max((mine.end for mine in present.values()), default=0)
    count = end - first
    kinds = tuple(sorted({kind for mine in present.values() for kind in mine.kinds}))
    solvers, wins, proofs = (np.zeros(count, np.uint16) for _ in range(3))
    asked = np.zeros(count, np.bool_)
    # As numbers without a sign, −1 is the largest: none, of nodes and of one less than the others.
    none = np.uint64(2**64 - 1)
    nodes, length = np.full(count, none), np.full(count, none)
    dead_end = np.full(count, 255, np.uint8)
    for solver, mine in present.items():
        at = slice(mine.first - first, mine.end - first)
        won, proved = mine.result == WON, mine.result == PROVED
        solvers[at] += mine.result > 0
        asked[at] |= mine.skipped
        wins[at] += won
        proofs[at] += proved
        if solver in grading:
            graded = np.where(won | proved, mine.nodes.view(np.uint64), none)
            np.minimum(nodes[at], graded, out=nodes[at])
        if won.any():
            lengths = np.where(won, (mine.length - 1).view(np.uint64), none)
            np.minimum(length[at], lengths, out=length[at])
        if mine.kinds:
            code = np.array([255, *map(kinds.index, mine.kinds)], np.uint8)
            np.minimum(dead_end[at], code[mine.dead_end], out=dead_end[at])
    asked |= solvers > 0
    status = asked + (wins > 0).view(np.uint8) + (proofs > 0).view(np.uint8) * np.uint8(2)
    if follows is not None:
        status += _DECIDED[follows[first:end]] * (status == UNRESOLVED)
    return Statuses(
        first,
        status,
        solvers,
        wins,
        proofs,
        nodes.view(np.int64),
        (length.view(np.int64) + 1).astype(np.int32),
        dead_end + np.uint8(1),
        kinds,
    )


# By the code of a result that follows, the code of the status less that of an unresolved deal.
_DECIDED = np.array([0, WINNABLE - UNRESOLVED, 0, UNWINNABLE - UNRESOLVED, 0], np.uint8)


def encode_follows(follows: Bytes) -> bytes | None:
    """The codes of what follows, uint8[BLOCK_SIZE], as bytes; None if nothing does."""
    if not follows.any():
        return None
    return zstandard.ZstdCompressor(level=_COMPRESSION).compress(follows.tobytes())


def decode_follows(packed: bytes | None) -> Bytes | None:
    """The codes of what follows from their bytes.

    Raises:
        ValueError: they are damaged.
    """
    return None if packed is None else _decompressed(packed, BLOCK_SIZE)


@dataclass(frozen=True, slots=True)
class Cells:
    """Numbers of deals by status, class of effort, and length or kind of dead end.

    Attributes:
        status: uint8[m], the status of each cell; only those with deals are listed.
        effort: uint8[m], class of the nodes; 0 for none.
        detail: uint8[m], for unwinnable deals the kind of dead end, otherwise the class of length.
        deals: int64[m], the number of deals.
        kinds: names of kinds of dead ends.
    """

    status: Bytes
    effort: Bytes
    detail: Bytes
    deals: Whole
    kinds: tuple[str, ...] = field(default=())

    @classmethod
    def of(cls, statuses: Statuses) -> Self:
        """The cells of the statuses of a block."""
        seen = statuses.status > 0
        status = statuses.status[seen].astype(np.int64)
        detail = np.where(
            status == UNWINNABLE,
            statuses.dead_end[seen],
            length_class(statuses.length[seen].astype(np.int64)),
        )
        keys = status << 16 | effort_of(statuses.nodes[seen]).astype(np.int64) << 8 | detail
        found, deals = np.unique(keys, return_counts=True)
        return cls(
            (found >> 16).astype(np.uint8),
            (found >> 8 & 255).astype(np.uint8),
            (found & 255).astype(np.uint8),
            deals.astype(np.int64),
            statuses.kinds,
        )

    def encode(self) -> bytes:
        """The cells as bytes."""
        raw = b"".join(
            (
                self.status.tobytes(),
                self.effort.tobytes(),
                self.detail.tobytes(),
                _shuffled(self.deals, 8),
            )
        )
        return _packed({"cells": len(self.status), "kinds": list(self.kinds)}, raw)

    @classmethod
    def decode(cls, packed: bytes) -> Self:
        """The cells from their bytes.

        Raises:
            ValueError: they are damaged.
        """
        header, (frame,) = _unpacked(packed)
        count = header["cells"]
        flat = _decompressed(frame, 11 * count)
        status, effort, detail = (flat[k * count : (k + 1) * count] for k in range(3))
        deals = _unshuffled(flat[3 * count :], 8, count)
        return cls(status, effort, detail, deals, tuple(header["kinds"]))


def checksum(columns: bytes, *values: Any) -> int:
    """A checksum of 32 bits over the columns of a block and the other values of its row."""
    return zlib.crc32(json.dumps(values, default=str).encode(), zlib.crc32(columns))


def _packed(header: Mapping[str, Any], *parts: bytes) -> bytes:
    """A format byte, a header as a line of JSON, and parts that are compressed by themselves."""
    compressor = zstandard.ZstdCompressor(level=_COMPRESSION)
    frames = [compressor.compress(part) for part in parts]
    head = {**header, "sizes": [len(frame) for frame in frames]}
    line = json.dumps(head, separators=(",", ":")).encode()
    return bytes([_FORMAT]) + line + b"\n" + b"".join(frames)


def _unpacked(packed: bytes) -> tuple[dict[str, Any], list[bytes]]:
    """The header, and the parts, compressed; of the old format there is one."""
    if not packed or packed[0] not in (_OLD_FORMAT, _FORMAT):
        raise ValueError("the columns are of an unknown format")
    line, _, rest = packed[1:].partition(b"\n")
    try:
        header = json.loads(line)
    except json.JSONDecodeError as error:
        raise ValueError(f"the columns are damaged: {error}") from None
    ends = np.cumsum([0, *header.get("sizes", [len(rest)])]).tolist()
    if ends[-1] != len(rest):
        raise ValueError(f"{len(rest)} bytes are not columns of {ends[-1]} bytes")
    return header, [rest[low:high] for low, high in pairwise(ends)]


def _decompressed(frame: bytes, size: int | None = None) -> Bytes:
    """The bytes of a part, as many as are expected."""
    try:
        flat = np.frombuffer(zstandard.ZstdDecompressor().decompress(frame), np.uint8)
    except zstandard.ZstdError as error:
        raise ValueError(f"the columns are damaged: {error}") from None
    if size is not None and len(flat) != size:
        raise ValueError(f"{len(flat)} bytes are no columns of {size} bytes")
    return flat


def _shuffled(values: Whole, planes: int) -> bytes:
    """The lowest bytes of numbers, as many as `planes`, the lowest of all first: alike together."""
    return values.astype("<i8").view(np.uint8).reshape(-1, 8)[:, :planes].T.tobytes()


def _unshuffled(flat: Bytes, planes: int, count: int, less: int = 0) -> Whole:
    """The numbers of shuffled bytes, `less` subtracted."""
    values = np.full(count, -less, np.int64)
    for plane in range(planes):
        bits = flat[plane * count : (plane + 1) * count]
        values += bits if plane == 0 else bits.astype(np.int64) << (8 * plane)
    return values
