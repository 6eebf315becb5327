"""Plain text: a line for each listed seed, with its level after a blank if it has one.

Lines that begin with ``#`` are comments for a program that only wants the seeds; those of the form
``# name: value`` tell the facts about the list, and ``# undecided: 40003 unresolved`` names a deal
that is neither listed nor proved unwinnable.
"""

from collections.abc import Iterator
from itertools import chain
from typing import Any, BinaryIO

from catalogue.lists.grades import (
    CATEGORIES,
    HARDEST,
    UNDECIDED,
    UNGRADED,
    ListedSeed,
    listed,
    totals,
    undecided,
)
from catalogue.lists.header import ListHeader, counts_of, fact_of_line, line_of_fact
from catalogue.lists.lines import lines_of, seed_of
from catalogue.lists.seed_list import COUNTS, SeedList
from catalogue.lists.spool import Spool
from engine.errors import BadInput

_UNDECIDED = "# undecided:"


def write(header: ListHeader, spool: Spool, out: BinaryIO) -> None:
    """Write a list."""
    for name, value in header.plain().items():
        out.write(f"{line_of_fact(name, value)}\n".encode())
    for name, value in zip(COUNTS, totals(spool.chunks(), header.levels), strict=True):
        out.write(f"{line_of_fact(name, value)}\n".encode())
    for first, grades in spool.chunks():
        chosen = listed(grades, header.levels)
        lines = []
        for place in (chosen | undecided(grades)).nonzero()[0].tolist():
            grade = int(grades[place])
            if not chosen[place]:
                lines.append(f"{_UNDECIDED} {first + place} {CATEGORIES[grade]}\n")
            elif grade == UNGRADED:
                lines.append(f"{first + place}\n")
            else:
                lines.append(f"{first + place} {grade}\n")
        out.write("".join(lines).encode())


def read(stream: BinaryIO) -> SeedList:
    """Read a list."""
    facts: dict[str, Any] = {}
    lines = lines_of(stream)
    for number, line in lines:
        if line and (not line.startswith("#") or line.startswith(_UNDECIDED)):
            counts = counts_of(facts)
            return SeedList(facts, _entries(chain([(number, line)], lines)), counts)
        fact = fact_of_line(line)
        if fact is not None:
            facts[fact[0]] = fact[1]
    counts = counts_of(facts)
    return SeedList(facts, iter(()), counts)


def _entries(lines: Iterator[tuple[int, str]]) -> Iterator[ListedSeed]:
    for number, line in lines:
        if line.startswith(_UNDECIDED):
            words = line.removeprefix(_UNDECIDED).split()
            if len(words) != 2 or words[1] not in UNDECIDED:
                raise BadInput(
                    f"line {number}: {line[:60]!r} names no undecided deal: expected a seed and "
                    f"one of {', '.join(UNDECIDED)}"
                )
            yield ListedSeed(seed_of(words[0], number), UNDECIDED[words[1]])
        elif line and not line.startswith("#"):
            seed, _, level = line.partition(" ")
            yield ListedSeed(seed_of(seed, number), level_of(level.strip(), number))


def level_of(text: str, line: int) -> int:
    """The grade of a listed deal whose level is that text, empty without one.

    Raises:
        BadInput: it is no level.
    """
    if not text:
        return UNGRADED
    if text.isascii() and text.isdigit() and len(text) < 4 and 1 <= int(text) <= HARDEST:
        return int(text)
    raise BadInput(f"line {line}: {text[:40]!r} is not a level: expected 1 to {HARDEST}")
