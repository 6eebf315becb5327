"""A list as it was read from a file of any format."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from catalogue.lists.grades import ListedSeed


@dataclass(frozen=True, slots=True)
class SeedList:
    """What a file of a list holds.

    Attributes:
        facts: those fields of `catalogue.lists.header.ListHeader` that it tells, by name.
        entries: the listed seeds, and the undecided ones where the format names them; listed ones
            ascend, and so do undecided ones. They can be gone through once, and raise BadInput at
            an entry that is wrong.
        covering: first and last seeds of the ranges whose deals are decided, if it tells them.
    """

    facts: dict[str, Any]
    entries: Iterator[ListedSeed]
    covering: tuple[tuple[int, int], ...] | None = None
