"""JSON: one object with the facts, an array of listed deals and one of undecided deals.

It is written and read a part at a time. Seeds that JavaScript cannot hold, above 2⁵³ − 1, are
written as text.
"""

import json
import re
from collections.abc import Callable, Iterator
from typing import Any, BinaryIO

from catalogue.lists.grades import (
    CATEGORIES,
    HARDEST,
    UNDECIDED,
    UNGRADED,
    Chosen,
    Grades,
    ListedSeed,
    grade_of,
    listed,
    totals,
    undecided,
)
from catalogue.lists.header import ListHeader, counts_of
from catalogue.lists.seed_list import COUNTS, SeedList
from catalogue.lists.spool import Spool
from engine.errors import BadInput
from engine.text.strict_json import parse_json

FORMAT, VERSION = "thoughtful-list", 1
_ARRAYS = ("winnable", "undecided")
_LARGEST_NUMBER = 2**53 - 1
# Characters that are read at once; the facts, and each entry, are no longer than that.
_READ = 1 << 20
_OPENING = {name: re.compile(rf'\s*,?\s*"{name}"\s*:\s*\[') for name in _ARRAYS}
_BETWEEN = re.compile(r"\s*,?\s*")
_CLOSING = re.compile(r"\s*\}\s*")


def write(header: ListHeader, spool: Spool, out: BinaryIO) -> None:
    """Write a list."""
    counts = zip(COUNTS, totals(spool.chunks(), header.levels), strict=True)
    facts = {"format": FORMAT, "version": VERSION} | header.plain() | dict(counts)
    lines = [f"{json.dumps(name)}: {json.dumps(value)}" for name, value in facts.items()]
    out.write(("{\n" + ",\n".join(lines)).encode())

    def write_array(
        name: str,
        choose: Callable[[Grades], Chosen],
        fields: Callable[[int], dict[str, Any]],
    ) -> None:
        out.write(f',\n"{name}": ['.encode())
        separator = "\n"
        for first, grades in spool.chunks():
            parts = []
            for place in choose(grades).nonzero()[0].tolist():
                seed = first + place
                plain = {"seed": seed if seed <= _LARGEST_NUMBER else str(seed)}
                parts.append(separator + json.dumps(plain | fields(int(grades[place]))))
                separator = ",\n"
            out.write("".join(parts).encode())
        out.write(b"\n]")

    write_array(
        "winnable",
        lambda grades: listed(grades, header.levels),
        lambda grade: {"level": None if grade == UNGRADED else grade},
    )
    write_array("undecided", undecided, lambda grade: {"category": CATEGORIES[grade]})
    out.write(b"\n}\n")


def read(stream: BinaryIO) -> SeedList:
    """Read a list; its two arrays must come last, winnable deals first.

    Raises:
        BadInput: it is not JSON, or no list.
    """
    source = _Source(stream)
    facts = source.facts()
    if facts.get("format") != FORMAT or facts.get("version") != VERSION:
        raise BadInput(
            f"its format and version are {facts.get('format')!r} and {facts.get('version')!r}: "
            f"expected {FORMAT!r} and {VERSION}"
        )
    header = ListHeader.from_plain(facts)
    kept = {name: getattr(header, name) for name in header.__slots__}
    return SeedList(kept, source.entries(), counts_of(facts))


class _Source:
    """The text of a JSON object, of which only the part that is read now is in memory."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._decoder = json.JSONDecoder()
        self._raw = b""
        self._text = ""
        self._at = 0
        self._more()

    def facts(self) -> dict[str, Any]:
        """The text before the first array; the source is then inside that array."""
        found = re.search(rf',?\s*"{_ARRAYS[0]}"\s*:\s*\[', self._text)
        if found is None:
            raise BadInput(f"it has no array {_ARRAYS[0]!r}: expected one after the facts")
        self._at = found.end()
        facts = parse_json(self._text[: found.start()] + "}")
        if not isinstance(facts, dict):
            raise BadInput("it is not an object: expected the facts of a list")
        return facts

    def entries(self) -> Iterator[ListedSeed]:
        """The entries of both arrays; then nothing may follow but the end of the object."""
        for value in self._array():
            level = value.get("level")
            if not (level is None or (type(level) is int and 1 <= level <= HARDEST)):
                raise BadInput(f"{_shown(value)} has no level: expected 1 to {HARDEST} or null")
            yield ListedSeed(_seed_of(value), grade_of(level))
        if not self._skip(_OPENING[_ARRAYS[1]]):
            raise BadInput(f"it has no array {_ARRAYS[1]!r}: expected one after {_ARRAYS[0]!r}")
        for value in self._array():
            if value.get("category") not in UNDECIDED:
                raise BadInput(
                    f"{_shown(value)} has no category of an undecided deal: expected one of "
                    f"{', '.join(UNDECIDED)}"
                )
            yield ListedSeed(_seed_of(value), UNDECIDED[value["category"]])
        if not self._skip(_CLOSING) or self._at < len(self._text) or self._more():
            raise BadInput("it does not end after its arrays: expected }")

    def _array(self) -> Iterator[dict[str, Any]]:
        """The values of the array that the source is in, to its end."""
        while True:
            self._skip(_BETWEEN)
            if self._text.startswith("]", self._at):
                self._at += 1
                return
            yield self._value()

    def _value(self) -> dict[str, Any]:
        try:
            value, end = self._decoder.raw_decode(self._text, self._at)
        except RecursionError:
            raise BadInput("not readable JSON: nested too deeply") from None
        except ValueError:
            # Half of a value perhaps, of which the rest has not been read.
            if len(self._text) - self._at < _READ and self._more():
                return self._value()
            rest = self._text[self._at : self._at + 40]
            raise BadInput(
                f"not JSON from {rest!r} on: expected an entry or ]"
                if rest
                else "it ends in the middle of an array"
            ) from None
        if not isinstance(value, dict):
            raise BadInput(f"{_shown(value)} is no entry: expected an object with a seed")
        self._at = end
        return value

    def _skip(self, pattern: re.Pattern[str]) -> bool:
        """Skip a text; whether it was there. No such text is longer than what is read at once."""
        if len(self._text) - self._at < 1000:
            self._more()
        found = pattern.match(self._text, self._at)
        if found is not None:
            self._at = found.end()
        return found is not None

    def _more(self) -> bool:
        """Read on; whether there was more."""
        read = self._stream.read(_READ)
        raw = self._raw + read
        try:
            text = raw.decode("utf-8")
            self._raw = b""
        except UnicodeDecodeError as error:
            # Half of a character perhaps.
            if error.end < len(raw) or not read:
                raise BadInput("it is not UTF-8 text") from None
            text, self._raw = raw[: error.start].decode("utf-8"), raw[error.start :]
        if self._at == 0 and not self._text:
            text = text.removeprefix("\ufeff")
        self._text = self._text[self._at :] + text
        self._at = 0
        return bool(read)


def _seed_of(value: dict[str, Any]) -> int:
    seed = value.get("seed")
    if isinstance(seed, str) and seed.isascii() and seed.isdigit() and len(seed) <= 21:
        return int(seed)
    if type(seed) is int and seed >= 0:
        return seed
    raise BadInput(f"{_shown(value)} has no seed: expected a whole number")


def _shown(value: Any) -> str:
    text = json.dumps(value)
    return text if len(text) <= 60 else f"{text[:57]}…"
