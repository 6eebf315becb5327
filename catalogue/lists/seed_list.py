"""A list as it was read from a file of any format."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from catalogue.lists.grades import ListedSeed

# The facts that say how many deals a list has, and how many undecided ones it names.
LISTED, UNDECIDED = COUNTS = ("listed_count", "undecided_count")
# The number of all entries, where a format has no place for two.
ROWS = "rows"


@dataclass(frozen=True, slots=True)
class SeedList:
    """The contents of a file of a list.

    Attributes:
        facts: those fields of `catalogue.lists.header.ListHeader` that it tells, by name.
        entries: the listed seeds, and the undecided ones where the format names them; listed ones
            ascend, and so do undecided ones. They can be gone through once, and raise BadInput at
            an entry that is wrong.
        counts: how many entries there are, by what they are counted as, `LISTED` or `UNDECIDED`, as
            the file says; empty if it does not, so that nobody can tell whether it is whole.
        covering: first and last seeds of the ranges whose deals are decided, if it tells them.
    """

    facts: dict[str, Any]
    entries: Iterator[ListedSeed]
    counts: Mapping[str, int] = field(default_factory=dict)
    covering: tuple[tuple[int, int], ...] | None = None
