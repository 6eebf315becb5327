"""Values that were used last, for all threads."""

import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Generic, TypeVar

from cachetools import LRUCache

T = TypeVar("T")


class Recent(Generic[T]):
    """The values that were used last, by key.

    Args:
        most: the largest number of values, or sum of their sizes.
        size: the size of a value; None for 1.
    """

    def __init__(self, most: int, size: Callable[[T], int] | None = None) -> None:
        self._kept: LRUCache[object, T] = LRUCache(most, size)
        self._guard = threading.Lock()

    def get(self, key: object) -> T | None:
        with self._guard:
            return self._kept.get(key)

    def put(self, key: object, value: T) -> None:
        with self._guard, suppress(ValueError):  # it is larger than all may be
            self._kept[key] = value
