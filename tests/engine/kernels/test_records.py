"""Tests of records as words."""

from typing import Any, NamedTuple

import numpy as np

from engine.kernels.compiler import COMPILED
from engine.kernels.decorators import kernel
from engine.kernels.records import (
    new_record,
    new_records,
    record_in,
    record_type,
    records_in,
    words_of,
)

FIELDS = ("first", "second", "third")
RECORD = record_type(FIELDS)


class Inner(NamedTuple):
    numbers: np.ndarray
    own: Any


class Memory(NamedTuple):
    frames: Any
    inner: Inner
    progress: Any


def new_memory() -> Memory:
    return Memory(
        new_records(FIELDS, 5),
        Inner(np.zeros(3, dtype=np.int64), new_record(FIELDS)),
        new_record(FIELDS),
    )


@kernel
def write(words: Any) -> Any:
    """Write to each part of a memory, and return what was there."""
    frames = records_in(words[0], RECORD)
    own, progress = record_in(words[2], RECORD), record_in(words[3], RECORD)
    before = frames[4].third, own.second, progress.first
    frames[4].third = 43
    words[1][2] = 12
    own.second = 22
    progress.first = 31
    return before


def test_a_kernel_finds_the_records_of_words_in_their_place() -> None:
    memory = new_memory()
    words = words_of(memory)
    assert len(words) == 4
    memory.frames[4].third, memory.inner.own.second, memory.progress.first = 7, 8, 9
    assert write(words) == (7, 8, 9)
    assert (memory.frames[4].third, memory.inner.own.second, memory.progress.first) == (43, 22, 31)
    assert memory.inner.numbers.tolist() == [0, 0, 12]
    assert [memory.frames[at].third for at in range(4)] == [0] * 4
    assert (memory.progress.second, memory.progress.third) == (0, 0)


def test_words_are_arrays_of_whole_numbers_or_without_the_compiler_the_parts() -> None:
    memory = new_memory()
    words = words_of(memory)
    if not COMPILED:
        parts = (memory.frames, *memory.inner, memory.progress)
        assert all(one is other for one, other in zip(words, parts, strict=True))
        return
    assert [(each.dtype, each.shape) for each in words] == [
        (np.int64, (15,)),
        (np.int64, (3,)),
        (np.int64, (3,)),
        (np.int64, (3,)),
    ]
    assert {type(each) for each in words} == {np.ndarray}
