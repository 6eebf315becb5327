"""The columns of a block: one value for each of up to 65,536 consecutive seeds.

A block has the outcomes of one solver (`Outcomes`). Of the depth *everything* its values are exact.
Of the depth *verdicts* they take at most 2.5 bytes a deal: the result, and one byte each for the
effort and the length of the solution, which are classes of values (`effort_of`, `length_class`).

The statuses of a block (`Statuses`) follow from the outcomes of all solvers (`combine`). `Cells`
count them by status, effort and length, so that a list of deals can be filtered and paged without
reading the columns of every block.

Nothing here knows SQL.
"""

import json
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Self

import numpy as np
import zstandard
from numpy.typing import NDArray

from catalogue.schema import BLOCK_SIZE
from solvers.outcome import Result

EVERYTHING, VERDICTS = "everything", "verdicts"
DEPTHS = (EVERYTHING, VERDICTS)

# Codes of results in columns; 0 stands for a deal that was not attempted.
RESULTS = ("won", "lost", "unwinnable", "gave_up")
RESULT_CODES: Mapping[str, int] = {name: code for code, name in enumerate(RESULTS, start=1)}
WON, LOST, PROVED, GAVE_UP = range(1, 5)
assert set(RESULTS) == {result.value for result in Result}

# Codes of statuses; 0 stands for a deal that nobody attempted.
STATUSES = ("unresolved", "winnable", "unwinnable", "alarm")
UNRESOLVED, WINNABLE, UNWINNABLE, ALARM = range(1, 5)

_FORMAT = 1
_COMPRESSION = 3
_EXACT_EFFORT = 16
_STEPS = 8  # classes of effort in each doubling of nodes
# The largest class, of 15/8 × 2^33 nodes and more.
_MAX_EFFORT = 255
_EXACT_LENGTH = 223
_LENGTH_STEP = 32

Bytes = NDArray[np.uint8]
Whole = NDArray[np.int64]


def effort_of(nodes: Whole) -> Bytes:
    """The class of each number of nodes, uint8[n]; 0 for a negative one, which means none.

    Up to 15 each number has its own class; above, each doubling has eight of equal width. So a
    power of two always begins a class.
    """
    known = np.maximum(nodes, 0)
    # frexp is exact: x = m × 2^e with 0.5 ≤ m < 1, for numbers below 2^53.
    mantissa, exponent = np.frexp(known.astype(np.float64))
    eighth = np.floor((mantissa * 2 - 1) * _STEPS).astype(np.int64)
    large = 1 + _EXACT_EFFORT + (exponent.astype(np.int64) - 5) * _STEPS + eighth
    code = np.where(known < _EXACT_EFFORT, known + 1, np.minimum(large, _MAX_EFFORT))
    return np.where(nodes < 0, 0, code).astype(np.uint8)


def nodes_of(effort: Bytes) -> Whole:
    """The smallest number of nodes of each class, int64[n]; −1 for class 0."""
    return _NODES[effort]


def length_class(length: Whole) -> Bytes:
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
        nodes: int64[n], nodes entered; the smallest of the class where only that is known.
        length: int64[n], moves of the solution; 0 for none.
        dead_end: uint8[n], place in `kinds`, counted from 1; 0 for none.
        cpu_us: int64[n], microseconds of CPU time; −1 where it was not timed or is not kept.
        rowed: bool[n], whether the outcome has a row of its own.
        kinds: names of kinds of dead ends.
    """

    first: int
    result: Bytes
    nodes: Whole
    length: Whole
    dead_end: Bytes
    cpu_us: Whole
    rowed: NDArray[np.bool_]
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
        )

    def __len__(self) -> int:
        return len(self.result)

    @property
    def end(self) -> int:
        """One more than the place of the last deal."""
        return self.first + len(self.result)

    @property
    def complete(self) -> bool:
        """Whether every outcome has a row of its own."""
        return bool(np.array_equal(self.rowed, self.result > 0))

    def counts(self) -> dict[str, int]:
        """Numbers of outcomes by result, and of all of them as ``attempted``."""
        by_result = np.bincount(self.result, minlength=5)
        named = {name: int(by_result[code]) for name, code in RESULT_CODES.items()}
        return {"attempted": sum(named.values()), **named}

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

    def coarse(self) -> "Outcomes":
        """The same outcomes with the values that the depth *verdicts* keeps."""
        tried = self.result > 0
        return replace(
            self,
            nodes=np.where(tried, nodes_of(effort_of(self.nodes)), -1),
            length=length_of(length_class(self.length)),
            dead_end=np.where(self.result == PROVED, self.dead_end, 0).astype(np.uint8),
            cpu_us=np.full(len(self), -1, np.int64),
        )

    def encode(self, depth: str) -> bytes:
        """The columns as bytes; of the depth *verdicts* only what `coarse` keeps."""
        tried = np.flatnonzero(self.result)
        low, high = (int(tried[0]), int(tried[-1]) + 1) if len(tried) else (0, 0)
        cut = slice(low, high)
        count = high - low
        header = {"first": self.first + low, "deals": count, "kinds": list(self.kinds)}
        if depth == EVERYTHING:
            raw = b"".join(
                (
                    self.result[cut].tobytes(),
                    self.dead_end[cut].tobytes(),
                    _shuffled(self.nodes[cut]),
                    _shuffled(self.length[cut]),
                    _shuffled(self.cpu_us[cut]),
                )
            )
        else:
            marked = self.result[cut] | (self.rowed[cut].astype(np.uint8) << 3)
            if count % 2:
                marked = np.append(marked, np.uint8(0))
            # A won deal has a length, one proved unwinnable perhaps a kind: they share a byte.
            detail = np.where(
                self.result[cut] == PROVED, self.dead_end[cut], length_class(self.length[cut])
            ).astype(np.uint8)
            raw = b"".join(
                (
                    (marked[::2] | (marked[1::2] << 4)).tobytes(),
                    effort_of(self.nodes[cut]).tobytes(),
                    detail.tobytes(),
                )
            )
        return _packed({"depth": depth, **header}, raw)

    @classmethod
    def decode(cls, packed: bytes) -> Self:
        """The columns from their bytes.

        Raises:
            ValueError: they are damaged.
        """
        header, raw = _unpacked(packed)
        first, count, kinds = header["first"], header["deals"], tuple(header["kinds"])
        if first < 0 or not 0 <= count <= BLOCK_SIZE - first:
            raise ValueError(f"columns of {count} deals from place {first} on are of no block")
        flat = np.frombuffer(raw, np.uint8)
        if header["depth"] == EVERYTHING:
            if len(flat) != 26 * count:
                raise ValueError(f"{len(flat)} bytes are no columns of {count} deals")
            result, dead_end = flat[:count].copy(), flat[count : 2 * count].copy()
            nodes, length, cpu_us = (
                _unshuffled(flat[(2 + 8 * k) * count : (10 + 8 * k) * count]) for k in range(3)
            )
            return cls(first, result, nodes, length, dead_end, cpu_us, result > 0, kinds)
        half = -(-count // 2)
        if len(flat) != half + 2 * count:
            raise ValueError(f"{len(flat)} bytes are no columns of {count} deals")
        marked = np.empty(2 * half, np.uint8)
        marked[::2], marked[1::2] = flat[:half] & 15, flat[:half] >> 4
        marked = marked[:count]
        result = (marked & 7).astype(np.uint8)
        detail = flat[half + count :]
        proved = result == PROVED
        return cls(
            first,
            result,
            nodes_of(flat[half : half + count]),
            length_of(np.where(proved, 0, detail).astype(np.uint8)),
            np.where(proved, detail, 0).astype(np.uint8),
            np.full(count, -1, np.int64),
            marked >> 3 > 0,
            kinds,
        )


@dataclass(frozen=True, slots=True)
class Codes:
    """The outcomes of one solver on a run of deals of one block, as classes only.

    Attributes:
        first: place of the first deal in the block; arrays are of n deals from it on.
        result: uint8[n], codes of `RESULT_CODES`; 0 where the deal was not attempted.
        effort: uint8[n], class of the nodes.
        length: uint8[n], class of the length; 0 for none.
        dead_end: uint8[n], place in `kinds`, counted from 1; 0 for none.
        kinds: names of kinds of dead ends.
    """

    first: int
    result: Bytes
    effort: Bytes
    length: Bytes
    dead_end: Bytes
    kinds: tuple[str, ...]

    @classmethod
    def decode(cls, packed: bytes) -> Self:
        """The classes from the columns of a block of either depth; those of verdicts are quick.

        Raises:
            ValueError: they are damaged.
        """
        header, raw = _unpacked(packed)
        if header["depth"] == EVERYTHING:
            full = Outcomes.decode(packed)
            return cls(
                full.first,
                full.result,
                effort_of(full.nodes),
                length_class(full.length),
                full.dead_end,
                full.kinds,
            )
        count = header["deals"]
        half = -(-count // 2)
        flat = np.frombuffer(raw, np.uint8)
        if len(flat) != half + 2 * count:
            raise ValueError(f"{len(flat)} bytes are no columns of {count} deals")
        result = np.empty(2 * half, np.uint8)
        result[::2], result[1::2] = flat[:half] & 7, flat[:half] >> 4 & 7
        result = result[:count]
        detail = flat[half + count :]
        proved = result == PROVED
        return cls(
            header["first"],
            result,
            flat[half : half + count],
            np.where(proved, np.uint8(0), detail),
            np.where(proved, detail, np.uint8(0)),
            tuple(header["kinds"]),
        )


_ARRAYS = ("result", "nodes", "length", "dead_end", "cpu_us", "rowed")


@dataclass(slots=True)
class Statuses:
    """The statuses of a run of deals of one block, from the outcomes of all solvers.

    Attributes:
        first: place of the first deal in the block; arrays are of n deals from it on.
        status: uint8[n], codes: 1 unresolved, 2 winnable, 3 unwinnable, 4 both won and proved
            unwinnable; 0 where nobody attempted the deal.
        solvers: uint16[n], number of solvers with an outcome.
        wins: uint16[n], number of those that won.
        proofs: uint16[n], number of those that proved it unwinnable.
        nodes: int64[n], the fewest nodes of an exact search that decided it; −1 for none.
        length: int32[n], moves of the shortest solution; 0 for none.
        dead_end: uint8[n], place in `kinds`, counted from 1; 0 for none.
        exact: bool[n], whether nodes and length are exact, not the smallest of a class.
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
    exact: NDArray[np.bool_]
    kinds: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.status)

    def counts(self) -> tuple[int, int, int, int]:
        """Numbers of deals, winnable ones, unwinnable ones and alarms, as of a `status_block`."""
        n = np.bincount(self.status, minlength=5)
        return int(n[1:].sum()), int(n[WINNABLE] + n[ALARM]), int(n[UNWINNABLE]), int(n[ALARM])


@dataclass(frozen=True, slots=True)
class Known:
    """The outcomes of one solver on a block, for `combine`."""

    outcomes: Outcomes
    grades: bool  # whether its nodes measure how hard a deal is
    exact: bool = True  # whether its values are exact, not classes


def combine(known: Sequence[Known]) -> Statuses:
    """The statuses that follow from the outcomes of all solvers on a block."""
    present = [each for each in known if len(each.outcomes)]
    first = min((each.outcomes.first for each in present), default=0)
    end = max((each.outcomes.end for each in present), default=0)
    count = end - first
    kinds = tuple(sorted({kind for each in present for kind in each.outcomes.kinds}))
    solvers, wins, proofs = (np.zeros(count, np.uint16) for _ in range(3))
    none = np.iinfo(np.int64).max
    nodes, length = np.full(count, none), np.full(count, none)
    dead_end = np.full(count, 255, np.uint8)
    exact = np.ones(count, np.bool_)
    for each in present:
        mine = each.outcomes
        at = slice(mine.first - first, mine.end - first)
        won, proved = mine.result == WON, mine.result == PROVED
        solvers[at] += mine.result > 0
        wins[at] += won
        proofs[at] += proved
        exact[at] &= each.exact | (mine.result == 0)
        if each.grades:
            graded = np.where(won | proved, mine.nodes, none)
            np.minimum(nodes[at], graded, out=nodes[at])
        lengths = np.where(won & (mine.length > 0), mine.length, none)
        np.minimum(length[at], lengths, out=length[at])
        if mine.kinds:
            code = np.array([255, *(kinds.index(kind) + 1 for kind in mine.kinds)], np.uint8)
            np.minimum(dead_end[at], code[mine.dead_end], out=dead_end[at])
    status = np.where(
        wins > 0,
        np.where(proofs > 0, ALARM, WINNABLE),
        np.where(proofs > 0, UNWINNABLE, np.where(solvers > 0, UNRESOLVED, 0)),
    )
    return Statuses(
        first,
        status.astype(np.uint8),
        solvers,
        wins,
        proofs,
        np.where(nodes == none, -1, nodes),
        np.where(length == none, 0, length).astype(np.int32),
        np.where(dead_end == 255, 0, dead_end).astype(np.uint8),
        exact,
        kinds,
    )


def combine_codes(known: Sequence[tuple[Codes, bool]]) -> tuple[Statuses, Bytes, Bytes]:
    """`combine` for outcomes of which only classes are known, several times quicker.

    It works on classes instead of values: the class of the smallest value is the smallest class.

    Args:
        known: the outcomes of each solver, and whether its nodes measure how hard a deal is.

    Returns:
        The statuses, and the classes of effort and of length, each uint8[n].
    """
    present = [each for each in known if len(each[0].result)]
    first = min((codes.first for codes, _ in present), default=0)
    end = max((codes.first + len(codes.result) for codes, _ in present), default=0)
    count = end - first
    kinds = tuple(sorted({kind for codes, _ in present for kind in codes.kinds}))
    solvers, wins, proofs = (np.zeros(count, np.uint16) for _ in range(3))
    # One less than the class, so that none, 0, becomes the largest number of a byte.
    effort, length, dead_end = (np.full(count, 255, np.uint8) for _ in range(3))
    one = np.uint8(1)
    for mine, grades in present:
        at = slice(mine.first - first, mine.first + len(mine.result) - first)
        won, proved = mine.result == WON, mine.result == PROVED
        solvers[at] += mine.result > 0
        wins[at] += won
        proofs[at] += proved
        # All bits are set where the outcome does not count.
        if grades:
            lost = ~(won | proved)
            np.minimum(effort[at], (mine.effort - one) | -lost.view(np.uint8), out=effort[at])
        np.minimum(length[at], (mine.length - one) | -(~won).view(np.uint8), out=length[at])
        if mine.kinds:
            code = np.array([255, *(kinds.index(kind) for kind in mine.kinds)], np.uint8)
            np.minimum(dead_end[at], code[mine.dead_end], out=dead_end[at])
    seen = solvers > 0
    status = seen + (wins > 0).view(np.uint8) + (proofs > 0).view(np.uint8) * np.uint8(2)
    effort, length = effort + one, length + one
    statuses = Statuses(
        first,
        status,
        solvers,
        wins,
        proofs,
        nodes_of(effort),
        length_of(length).astype(np.int32),
        dead_end + one,
        ~seen,
        kinds,
    )
    return statuses, effort, length


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
                _shuffled(self.deals),
            )
        )
        return _packed({"cells": len(self.status), "kinds": list(self.kinds)}, raw)

    @classmethod
    def decode(cls, packed: bytes) -> Self:
        """The cells from their bytes.

        Raises:
            ValueError: they are damaged.
        """
        header, raw = _unpacked(packed)
        count = header["cells"]
        flat = np.frombuffer(raw, np.uint8)
        if len(flat) != 11 * count:
            raise ValueError(f"{len(flat)} bytes are not {count} cells")
        status, effort, detail = (flat[k * count : (k + 1) * count] for k in range(3))
        return cls(status, effort, detail, _unshuffled(flat[3 * count :]), tuple(header["kinds"]))


def checksum(columns: bytes, *values: Any) -> int:
    """A checksum of 32 bits over the columns of a block and the other values of its row."""
    return zlib.crc32(json.dumps(values, default=str).encode(), zlib.crc32(columns))


def _packed(header: Mapping[str, Any], raw: bytes) -> bytes:
    """A format byte, a header as a line of JSON, and compressed values."""
    line = json.dumps(header, separators=(",", ":")).encode()
    compressed = zstandard.ZstdCompressor(level=_COMPRESSION).compress(raw)
    return bytes([_FORMAT]) + line + b"\n" + compressed


def _unpacked(packed: bytes) -> tuple[dict[str, Any], bytes]:
    if not packed or packed[0] != _FORMAT:
        raise ValueError("the columns are of an unknown format")
    line, _, compressed = packed[1:].partition(b"\n")
    try:
        return json.loads(line), zstandard.ZstdDecompressor().decompress(compressed)
    except (json.JSONDecodeError, zstandard.ZstdError) as error:
        raise ValueError(f"the columns are damaged: {error}") from None


def _shuffled(values: Whole) -> bytes:
    """The bytes of numbers, the lowest of all first: most of the others are equal."""
    return np.ascontiguousarray(values.astype("<i8").view(np.uint8).reshape(-1, 8).T).tobytes()


def _unshuffled(flat: Bytes) -> Whole:
    return np.ascontiguousarray(flat.reshape(8, -1).T).view("<i8").reshape(-1).astype(np.int64)
