"""PySolFC's own form of winnable seeds: a Python module with a tuple, and the ranges it covers.

The form is that of ``pysollib/games/solvable_seeds/klondike_solvable_seeds.py`` in PySolFC
(contributed by bwrightkc in pull request 591 of 2026, GPL): a comment ``# 3 seeds, covering
40000-40003, 40010.`` and the tuple ``SOLVABLE_SEEDS``, eight seeds a line, from which its game of
winnable deals draws one. Here a range that is *covered* has only decided deals, so a seed in it
that is not in the tuple is proved unwinnable, or is of another level if levels were asked for.

PySolFC deals seed 32000 by its own generator, pysol-cards by that of Microsoft
(``construct_random`` and ``shuffle``): the two deal that one seed differently, so it is neither
listed nor covered.
"""

import re
from collections.abc import Iterator
from itertools import chain
from typing import Any, BinaryIO

from catalogue.lists.grades import UNGRADED, Grades, ListedSeed, listed, spans, totals, undecided
from catalogue.lists.header import ListHeader, counts_of, fact_of_line, line_of_fact
from catalogue.lists.lines import lines_of, seed_of
from catalogue.lists.seed_list import LISTED, UNDECIDED, SeedList
from catalogue.lists.spool import Spool
from engine.dealing.dealers import PYSOLFC
from engine.errors import BadInput

OPENING = "SOLVABLE_SEEDS"
# The seed that PySolFC and pysol-cards deal differently.
DEALT_DIFFERENTLY = 32_000
_A_LINE = 8
_COVERING = re.compile(r"#.*\bcovering (.+)\.")
_TUPLE = re.compile(rf"{OPENING}\s*=\s*\(\s*")
# PySolFC deals itself, so it needs no deal to compare with.
_LEFT_OUT = {"first_deal"}


def check(header: ListHeader) -> None:
    """Raise BadInput unless the seeds are PySolFC's."""
    if header.dealer != PYSOLFC.slug:
        raise BadInput(
            f"PySolFC's list holds the seeds of its own deals, not those of {header.dealer}: "
            f"expected --dealer {PYSOLFC.slug}"
        )


def write(header: ListHeader, spool: Spool, out: BinaryIO) -> None:
    """Write a list."""
    out.write(b"# -*- mode: python; coding: utf-8; -*-\n#\n")
    for name, value in header.plain().items():
        if name not in _LEFT_OUT:
            out.write(f"{line_of_fact(name, value)}\n".encode())
    count, left_out = totals(_grades(spool), header.levels)
    out.write(f"{line_of_fact(LISTED, count)}\n{line_of_fact(UNDECIDED, left_out)}\n".encode())
    out.write(f"#\n# {count} seeds, ".encode())
    separator = "covering "
    for first, last in spans(_grades(spool), lambda grades: ~undecided(grades)):
        span = str(first) if first == last else f"{first}-{last}"
        out.write(f"{separator}{span}".encode())
        separator = ", "
    out.write(b"none decided.\n" if separator == "covering " else b".\n")
    out.write(f"\n{OPENING} = (\n".encode())
    left: list[int] = []
    for first, grades in _grades(spool):
        left += [first + place for place in listed(grades, header.levels).nonzero()[0].tolist()]
        whole = len(left) - len(left) % _A_LINE
        out.write(_lines(left[:whole]))
        left = left[whole:]
    out.write(_lines(left))
    out.write(b")\n")


def _lines(seeds: list[int]) -> bytes:
    rows = (seeds[at : at + _A_LINE] for at in range(0, len(seeds), _A_LINE))
    return "".join(f"    {', '.join(map(str, row))},\n" for row in rows).encode()


def _grades(spool: Spool) -> Iterator[tuple[int, Grades]]:
    """The grades, with the seed that is dealt differently as an unknown one."""
    for first, grades in spool.chunks():
        if first <= DEALT_DIFFERENTLY < first + len(grades):
            grades = grades.copy()
            grades[DEALT_DIFFERENTLY - first] = 255
        yield first, grades


def read(stream: BinaryIO) -> SeedList:
    """Read a list; no Python is run.

    Raises:
        BadInput: it is none.
    """
    facts: dict[str, Any] = {"dealer": PYSOLFC.slug}
    covering: tuple[tuple[int, int], ...] | None = None
    lines = lines_of(stream)
    for number, line in lines:
        if line.startswith("#"):
            found = _COVERING.match(line)
            fact = fact_of_line(line)
            if found is not None:
                covering = tuple(_span(text, number) for text in found[1].split(","))
            elif fact is not None:
                facts[fact[0]] = fact[1]
        elif line:
            opened = _TUPLE.match(line)
            if opened is None:
                raise BadInput(f"line {number}: {line[:60]!r}: expected {OPENING} = (")
            rest = chain([(number, line[opened.end() :])], lines)
            # Undecided deals are not named.
            counts = {name: n for name, n in counts_of(facts).items() if name == LISTED}
            return SeedList(facts, _seeds(rest), counts, covering)
    raise BadInput(f"it has no {OPENING}: expected {OPENING} = (")


def _span(text: str, line: int) -> tuple[int, int]:
    first, dash, last = text.strip().partition("-")
    start = seed_of(first, line)
    end = seed_of(last, line) if dash else start
    if end < start:
        raise BadInput(f"line {line}: the range {text.strip()} runs backwards")
    return start, end


def _seeds(lines: Iterator[tuple[int, str]]) -> Iterator[ListedSeed]:
    for number, line in lines:
        text = line.partition("#")[0].strip()
        inside, closed, after = text.partition(")")
        words = [word.strip() for word in inside.split(",")]
        if words[-1] and not closed:
            raise BadInput(f"line {number}: {line[-40:]!r} does not end with a comma")
        for place, word in enumerate(words):
            if word or place < len(words) - 1:
                yield ListedSeed(seed_of(word, number), UNGRADED)
        if closed:
            if after.strip():
                raise BadInput(f"line {number}: {after.strip()[:40]!r} follows the tuple")
            return
    raise BadInput(f"{OPENING} does not end: expected )")
