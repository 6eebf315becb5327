"""Records for kernels: named whole numbers that are read and written in place."""

from collections.abc import Iterable
from types import SimpleNamespace
from typing import Any

import numpy as np

from engine.compiler import COMPILED


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
    dtype = np.dtype([(name, np.int64) for name in fields], align=True)
    return np.zeros(count, dtype=dtype).view(np.recarray)
