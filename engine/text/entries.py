"""Splitting a stream into entries: the texts of deals, positions and results, one after another.

Most entries are one line. A board is several: it begins with a line such as ``Talon:`` or with a
line of cards, and ends before a blank line, before a line that begins another entry, or before a
heading after its columns. JSON may be broken over lines; it ends with its last bracket. Blank lines
and lines that begin with ``#`` are no entries; a byte order mark and the line ends of any system do
not matter.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO

# Bytes of a line; the longest that anybody writes has some thousands.
LONGEST = 1 << 20
# Lines of one entry; the tallest board has 13.
MOST_LINES = 400

_HEADING = re.compile(
    r"\s*(?P<name>talon|stock|waste|foundations|completed|redeals|freecells)\s*:", re.IGNORECASE
)
_CARDS = re.compile(r"\s*:?\s*(<?[0-9A-Za-z?]{2,3}>?)(\s+<?[0-9A-Za-z?]{2,3}>?)*\s*|\s*[-:]\s*")
_NUMBER = re.compile(r"[0-9\s]{4,}", re.ASCII)
_NAME = re.compile(r"\s*[^\s:]+:[0-9-]+\s*")


@dataclass(frozen=True, slots=True)
class TextEntry:
    """A piece of a stream.

    Attributes:
        line: number of its first line, from 1.
        text: its text.
        problem: why it cannot be read at all; None if it can.
    """

    line: int
    text: str
    problem: str | None = None


def split_entries(stream: BinaryIO) -> Iterator[TextEntry]:
    """Yield the entries of a stream of UTF-8, each as soon as it is complete."""
    block = _Block()
    for number, text, problem in _lines(stream):
        if problem is not None:
            yield from block.taken()
            yield TextEntry(number, text, problem)
        elif not text.strip():
            yield from block.taken()
        elif not text.lstrip().startswith("#"):
            yield from block.add(number, text)
    yield from block.taken()


def split_lines(stream: BinaryIO) -> Iterator[TextEntry]:
    """Yield the lines of a stream that are neither blank nor begin with ``#``."""
    for number, text, problem in _lines(stream):
        if problem is not None or (text.strip() and not text.lstrip().startswith("#")):
            yield TextEntry(number, text, problem)


def _lines(stream: BinaryIO) -> Iterator[tuple[int, str, str | None]]:
    """The number, the text and the problem of each line."""
    number = 0
    while raw := stream.readline(LONGEST):
        number += 1
        long = len(raw) == LONGEST and not raw.endswith(b"\n")
        if long:
            while (rest := stream.readline(LONGEST)) and not rest.endswith(b"\n"):
                pass
            yield number, "", f"the line is longer than {LONGEST:,} bytes: expected a deal"
            continue
        if number == 1:
            raw = raw.removeprefix(b"\xef\xbb\xbf")
        try:
            yield number, raw.decode().rstrip("\r\n"), None
        except UnicodeDecodeError as error:
            yield number, "", f"byte {error.start + 1} of the line is not UTF-8 text"


class _Block:
    """The lines of an entry that is not complete yet."""

    def __init__(self) -> None:
        self._first = 0
        self._lines: list[str] = []
        self._headings: set[str] = set()
        self._columns = 0
        self._is_json = False

    def add(self, number: int, text: str) -> Iterator[TextEntry]:
        """Add a line; yield the entries that are complete."""
        if text.lstrip().startswith("{"):
            yield from self.taken()
            self._begin(number, text, is_json=True)
        elif self._is_json and text.lstrip()[0] in '"[]}:,':
            self._lines.append(text)
        elif (heading := _HEADING.match(text)) is not None:
            name = heading["name"].lower()
            again = name in self._headings or (self._columns and name != "redeals")
            if again or self._is_json:
                yield from self.taken()
            self._headings.add(name)
            self._begin(number, text)
        elif _NUMBER.fullmatch(text) or _NAME.fullmatch(text):
            yield from self.taken()
            yield TextEntry(number, text)
        elif self._headings or _CARDS.fullmatch(text):
            if self._is_json:
                yield from self.taken()
            self._columns += 1
            self._begin(number, text)
        else:
            yield from self.taken()
            yield TextEntry(number, text)
        if self._is_json and (len(self._lines) > MOST_LINES or self._closed()):
            yield from self.taken()

    def taken(self) -> Iterator[TextEntry]:
        """Yield the entry of the lines so far, if there are any."""
        if self._lines:
            yield TextEntry(self._first, "\n".join(self._lines))
        self.__init__()  # type: ignore[misc]  # the next entry begins as the first one did

    def _begin(self, number: int, text: str, *, is_json: bool = False) -> None:
        if not self._lines:
            self._first = number
        self._lines.append(text)
        self._is_json = is_json

    def _closed(self) -> bool:
        """Whether the brackets of the JSON are closed, as far as that can be told."""
        text = "\n".join(self._lines)
        if not text.rstrip().endswith("}"):
            return False
        if text.count("{") == text.count("}"):
            return True
        try:
            json.loads(text)
        except (ValueError, RecursionError):
            return False
        return True
