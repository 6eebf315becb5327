"""Records for kernels: named whole numbers that are read and written in place.

Numba takes more than a microsecond to recognize each record that Python passes to a kernel, and
little for an array of whole numbers. A memory of many records is therefore passed as their words
(`words_of`), and the kernel makes records of them again (`record_in`, `records_in`).
"""

# mypy: allow-untyped-defs, allow-untyped-calls

from collections.abc import Iterable
from types import SimpleNamespace
from typing import Any

import numpy as np

from engine.kernels.compiler import COMPILED
from engine.kernels.decorators import small_kernel


def record_type(fields: Iterable[str]) -> "np.dtype[np.void]":
    """The type of records of int64 fields."""
    return np.dtype([(name, np.int64) for name in fields], align=True)


def new_record(fields: Iterable[str]) -> Any:
    """Make a record of zeros, `new_records` of one."""
    return new_records(fields, 1)[0]


def new_records(fields: Iterable[str], count: int) -> Any:
    """Make `count` records of int64 fields, all zero: an array for kernels.

    Without the compiler they are plain objects, because NumPy's own are slow there. No field may be
    called like an attribute that those have, such as ``size``: outside kernels it would be hidden.
    """
    fields = tuple(fields)
    assert not any(hasattr(np.record, name) for name in fields)
    if not COMPILED:
        return [SimpleNamespace(**dict.fromkeys(fields, 0)) for _ in range(count)]
    return np.zeros(count, dtype=record_type(fields)).view(np.recarray)


def words_of(memory: Any) -> tuple[Any, ...]:
    """The arrays of int64 that a memory consists of, in the order of its fields, nested ones too.

    Args:
        memory: an array of int64, a record, records, or a tuple of such; None has no words.

    Returns:
        Arrays that share the memory; without the compiler, records as they are.
    """
    if memory is None:
        return ()
    if isinstance(memory, tuple):
        return tuple(words for part in memory for words in words_of(part))
    if isinstance(memory, np.record):
        # The array of one that it was taken from.
        return words_of(memory.base)
    if isinstance(memory, np.recarray):
        return (memory.view(np.ndarray).view(np.int64),)
    return (memory,)


if COMPILED:

    @small_kernel
    def record_in(words, kind):
        """Make the record of a `record_type` of its words, in their place."""
        return words.view(kind)[0]

    @small_kernel
    def records_in(words, kind):
        """Make the records of a `record_type` of their words, in their place."""
        return words.view(kind)

else:

    def record_in(words, kind):
        """Leave a record as it is."""
        return words

    records_in = record_in
