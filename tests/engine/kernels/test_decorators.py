"""Tests of the compilation of search kernels."""

import time

import numpy as np
import pytest
from numba import types
from numba.core.errors import NumbaError

from engine.kernels.compiler import COMPILED
from engine.kernels.compiling import solving_time_ns
from engine.kernels.decorators import SettledKernel, kernel, prefetch, search_kernel


@search_kernel
def fetched_sum(array):  # type: ignore[no-untyped-def]
    """The sum of an array, each element asked for before it is read."""
    total = 0
    for at in range(array.shape[0]):
        prefetch(array, at)
        total += array[at]
    return total


@search_kernel
def allocating(count):  # type: ignore[no-untyped-def]
    """What no kernel of a search may do."""
    return np.zeros(count, dtype=np.int64).sum()


def test_what_is_fetched_is_as_it_was() -> None:
    array = np.arange(1000, dtype=np.int64)
    assert fetched_sum(array) == 499_500
    assert (array == np.arange(1000)).all()


def test_a_kernel_of_a_search_that_allocates_is_refused() -> None:
    if not COMPILED:
        assert allocating(3) == 0
        return
    with pytest.raises(NumbaError, match="function zeros"):
        allocating(3)


@search_kernel
def doubled(value):  # type: ignore[no-untyped-def]
    return 2 * value


@pytest.mark.skipif(not COMPILED, reason="there is nothing to compile without the compiler")
def test_constants_compile_no_kernel_again() -> None:
    assert doubled(1) == 2
    # As Numba asks for a kernel that another one calls with a constant.
    doubled.get_call_template((types.literal(3),), {})
    assert doubled.signatures == [(types.int64,)]


@search_kernel
def picked(words, number, half):  # type: ignore[no-untyped-def]
    """An element of one of some arrays, or half of it."""
    value = words[0][number] + words[1][number]
    return value if half is None else value // 2


def test_a_settled_kernel_answers_as_it_does() -> None:
    words = np.arange(10), np.arange(10) ** 2
    for half in (None, 1):
        settled = SettledKernel(picked)
        same = settled.form(words, 0, half)
        assert (same is picked) != COMPILED
        assert settled.form(words, 1, half) is same
        for number in range(10):
            assert same(words, number, half) == picked(words, number, half)
        # What its arguments hold may change, and others of these types may stand for them.
        words[0][3] += 1
        for other in (words, (words[1], words[0])):
            assert same(other, 3, half) == picked(other, 3, half)


@kernel
def _root(number):
    return number**0.5


@pytest.mark.skipif(not COMPILED, reason="there is nothing to compile without the compiler")
def test_the_clock_of_solvers_stands_still_while_a_kernel_is_compiled() -> None:
    clock, cpu = solving_time_ns(), time.thread_time_ns()
    assert _root(np.float32(4)) == 2
    clock, cpu = solving_time_ns() - clock, time.thread_time_ns() - cpu
    # Loading the kernel takes a millisecond at least, and compiling it far more; a call takes none.
    assert 0 <= clock < cpu - 200_000
