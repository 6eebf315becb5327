"""A temporary file with the grade of each seed of a range, while a list is made.

So memory use does not depend on the number of seeds, and a format that begins with what is only
known at its end, such as how many deals it lists, can be written all the same.
"""

import os
import tempfile
from collections.abc import Iterator
from types import TracebackType
from typing import Self

import numpy as np

from catalogue.lists.grades import UNATTEMPTED, Grades
from engine.errors import BadInput

# Seeds that are read at once.
CHUNK = 65_536
# Seeds of one list; a file system may refuse more.
LARGEST = 10**11
_ZERO = np.uint8(UNATTEMPTED)


class Spool:
    """The grades of a range of seeds; each is `UNATTEMPTED` until it is put.

    Reading and writing take places in the file, not a current one, so that another thread may read.

    Attributes:
        first: the first seed.
        count: number of seeds.
    """

    def __init__(self, first: int, count: int) -> None:
        """Make the file.

        Raises:
            BadInput: there are too many seeds.
        """
        if count > LARGEST:
            raise BadInput(
                f"{count:,} seeds are too many for one list: expected at most {LARGEST:,}"
            )
        self.first = first
        self.count = count
        self._file = tempfile.TemporaryFile(prefix="thoughtful-list-")  # noqa: SIM115
        # Zeros, which take no space on the disk, stand for seeds that nobody has attempted.
        os.ftruncate(self._file.fileno(), count)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._file.close()

    def put(self, seed: int, grades: Grades) -> None:
        """Put the grades of the seeds from `seed` on."""
        raw = (grades ^ _ZERO).tobytes()
        os.pwrite(self._file.fileno(), raw, seed - self.first)

    def chunks(self, size: int = CHUNK) -> Iterator[tuple[int, Grades]]:
        """The grades in order, some at a time, each time with the first seed of them."""
        for start in range(0, self.count, size):
            raw = os.pread(self._file.fileno(), min(size, self.count - start), start)
            yield self.first + start, np.frombuffer(raw, np.uint8) ^ _ZERO
