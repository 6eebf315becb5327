"""Seals: checksums over rows whose values nothing can compute again, such as times.

The seal of a batch is a sum over its rows, so that they can be summed in any order, and over the
batch itself. The seals of the rows that others refer to by their ids, such as a ruleset's, stand in
the table `seal`. Those of a job's bounds are a chain, so that none can be taken out.

A seal finds damage, and changes by hand; it does not keep out somebody who computes it.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

_MASK = 2**64 - 1
# By the word with which a seal begins, the columns that it is over, beside what `seal_of_regret`
# and the like add. A word stays when its table gets another name, and so do the seals of its rows.
_COLUMNS = {
    "regret": "ruleset_id solver_id deal_id kind step action length reference_version reference",
    "trait": (
        "ruleset_id dealing_id seed solver_id version nodes length plays winning choices "
        "critical first_critical walk_choices walk_critical luck needs unsure"
    ),
    "difficulty": (
        "ruleset_id dealer first_seed deals fitted features_version spread provenance_id created_at"
    ),
    "bound": "ruleset_id dealer first_seed n winnable unwinnable job_id created_at",
    "job": (
        "id kind ruleset_id dealer first_seed deals keep priority state total cpu_ms error "
        "created_at started_at finished_at"
    ),
    "ruleset": "slug game options",
    "dealing": "game dealer",
    "solver": "name version method parameters grades",
    "maker": "program revision python numba processor machine clock",
    "verification": "state options started_at finished_at progress checked faults findings",
}
# The tables whose rows have a seal in the table `seal`.
NAMED = ("ruleset", "dealing", "solver", "provenance", "verification")


def seal_of_outcomes(
    key: NDArray[np.int64],
    digests: Sequence[bytes],
    result: NDArray[np.uint8],
    nodes: NDArray[np.int64],
    cpu_us: NDArray[np.int64],
    content: NDArray[np.int64],
) -> NDArray[np.uint64]:
    """The share of each of n outcomes in the seal of its batch, uint64[n].

    Args:
        key: int64[n, 3], ids of ruleset, solver and deal.
        digests: of the deals, so that the seal is over their cards too.
        result: uint8[n], codes of `catalogue.blocks.RESULT_CODES`.
        nodes: int64[n].
        cpu_us: int64[n], −1 for none.
        content: int64[n], `content_of` the solution or dead end.
    """
    mixed = np.full(len(result), 0x9E3779B97F4A7C15, np.uint64)
    cards = np.frombuffer(b"".join(digest[:8].ljust(8) for digest in digests), "<i8")
    for column in (*key.T, cards, result, nodes, cpu_us, content):
        mixed = mix(mixed ^ column.astype(np.int64).view(np.uint64))
    return mixed


def content_of(moves: bytes | None, dead_end: tuple[str, str] | None) -> int:
    """A checksum of a stored solution or of a dead end, given as its kind and witness."""
    if moves is not None:
        return crc32(moves)
    if dead_end is not None:
        return crc32("/".join(dead_end).encode())
    return -1


def seal_of_row(*values: Any) -> int:
    """The seal of a single row, or its share in that of its batch, as a number of SQL."""
    text = "\x1f".join(_written(value) for value in values)
    low, high = crc32(text.encode()), crc32(text[::-1].encode())
    mixed = mix(np.array([high << 32 | low], np.uint64))
    return int(mixed.view(np.int64)[0])


def seal_of_regret(row: Mapping[str, Any]) -> int:
    """The share of a regret in the seal of its batch, given its columns."""
    return seal_of_row("regret", *_values("regret", row), crc32(row["moves"]))


def seal_of_features(row: Mapping[str, Any]) -> int:
    """The share of the features of a deal in the seal of their batch, given their columns."""
    # The first version had no error, and its seals were made without one.
    error = () if row["version"] == 1 else (row["luck_error"],)
    return seal_of_row("trait", *_values("trait", row), *error)


def seal_of_difficulty(row: Mapping[str, Any]) -> int:
    """The seal of a model of difficulty, given its columns."""
    lists = (
        json.dumps(row[name], sort_keys=True)
        for name in ("players", "features", "limits", "validation")
    )
    return seal_of_row("difficulty", *lists, *_values("difficulty", row))


def seal_of_bound(row: Mapping[str, Any], before: int | None) -> int:
    """The seal of a recorded bound, given its columns and the seal of its job's bound before it."""
    return seal_of_row("bound", before, *_values("bound", row))


def seal_of_job(row: Mapping[str, Any], solver_ids: Sequence[int]) -> int:
    """The seal of what nothing can compute again of a job, given its columns and its solvers."""
    until = json.dumps(row["until"], sort_keys=True)
    # How many deals it infers can be counted again, but not that it does.
    infers = () if row.get("inferred") is None else ("infers",)
    return seal_of_row("job", until, *solver_ids, *_values("job", row), *infers)


def seal_of_named(kind: str, row: Mapping[str, Any]) -> int:
    """The seal of a row of one of the tables `NAMED`, given its columns, `id` among them."""
    word = "maker" if kind == "provenance" else kind
    values = (
        json.dumps(value, sort_keys=True) if isinstance(value, dict) else value
        for value in _values(word, row)
    )
    return seal_of_row(word, row["id"], *values)


def _values(word: str, row: Mapping[str, Any]) -> Iterator[Any]:
    # Before migrations a provenance has no clock.
    return (row[name] for name in _COLUMNS[word].split() if name in row)


def add_up(seals: Iterable[int]) -> int:
    """The sum of seals, as a signed number of 64 bits."""
    total = sum(seals) & _MASK
    return total - 2**64 if total >= 2**63 else total


def seal_of_batch(provenance: int, created_at: datetime, rows: int) -> int:
    """The share of a batch itself in its seal."""
    return seal_of_row("batch", provenance, created_at, rows)


def _written(value: Any) -> str:
    if isinstance(value, datetime):
        return value.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%f")
    if value == 0 and isinstance(value, float):
        return "0.0"  # SQLite keeps no sign of a zero
    return repr(value)


def mix(x: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """The finalizer of SplitMix64."""
    x = x + np.uint64(0x9E3779B97F4A7C15)
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    mixed: NDArray[np.uint64] = x ^ (x >> np.uint64(31))
    return mixed
