"""Lines and texts out of bytes: UTF-8, or UTF-16 and UTF-32 as their first bytes show."""

import codecs
from collections.abc import Iterator
from dataclasses import dataclass
from io import BytesIO
from itertools import chain
from typing import BinaryIO

from engine.errors import BadInput

# Bytes of a line; the longest that anybody writes has some thousands.
LONGEST = 1 << 20
_TOO_LONG = "the line is longer than {:,} bytes: expected a deal"
_UTF8_MARK = codecs.BOM_UTF8
_MARKS = {
    # The marks of UTF-32 begin like those of UTF-16.
    codecs.BOM_UTF32_LE: "utf-32-le",
    codecs.BOM_UTF32_BE: "utf-32-be",
    codecs.BOM_UTF16_LE: "utf-16-le",
    codecs.BOM_UTF16_BE: "utf-16-be",
}


@dataclass(frozen=True, slots=True)
class TextLine:
    """A line of a stream.

    Attributes:
        number: its number, from 1.
        text: its text, without its end.
        problem: why it cannot be read; None if it can.
    """

    number: int
    text: str
    problem: str | None = None


def read_text(data: bytes, place: str) -> str:
    """The text of bytes.

    Args:
        data: the bytes.
        place: where they are from, for the error.

    Raises:
        BadInput: they are no text.
    """
    encoding, mark = _encoding_of(data)
    try:
        return data[len(mark) :].decode(encoding)
    except UnicodeDecodeError:
        raise BadInput(f"{place} is not {encoding.upper()[:6].rstrip('-')} text") from None


def read_lines(stream: BinaryIO) -> Iterator[TextLine]:
    """The lines of a stream, each as soon as it is there; a line ends as on any system."""
    number = 0
    first = stream.readline(LONGEST)
    encoding, mark = _encoding_of(first)
    if encoding != "utf-8":
        yield from _decoded(first[len(mark) :], stream, encoding)
        return
    raw = first.removeprefix(mark)
    while raw:
        if len(raw) >= LONGEST - len(mark) and not raw.endswith(b"\n"):
            while (rest := stream.readline(LONGEST)) and not rest.endswith(b"\n"):
                pass
            number += 1
            yield TextLine(number, "", _TOO_LONG.format(LONGEST))
        else:
            try:
                text = raw.decode()
            except UnicodeDecodeError as error:
                number += 1
                problem = f"byte {error.start + 1} of the line is not UTF-8 text"
                yield TextLine(number, "", problem)
            else:
                for line in _split(text):
                    number += 1
                    yield TextLine(number, line)
        raw = stream.readline(LONGEST)


def _encoding_of(data: bytes) -> tuple[str, bytes]:
    """The encoding of a text by its first bytes, and the mark that they are."""
    for mark, encoding in _MARKS.items():
        if data.startswith(mark):
            return encoding, mark
    if data.startswith(_UTF8_MARK):
        return "utf-8", _UTF8_MARK
    # Without a mark: of the first signs, which are ASCII, one byte is zero.
    if len(data) > 3 and data[1] == data[3] == 0 != data[0]:
        return "utf-16-le", b""
    if len(data) > 3 and data[0] == data[2] == 0 != data[1]:
        return "utf-16-be", b""
    return "utf-8", b""


def _decoded(first: bytes, stream: BinaryIO, encoding: str) -> Iterator[TextLine]:
    decoder = codecs.getincrementaldecoder(encoding)()
    number, rest = 0, ""
    data = first
    while True:
        try:
            rest += decoder.decode(data, not data)
        except UnicodeDecodeError:
            yield TextLine(number + 1, "", f"the line is not {encoding.upper()[:6]} text")
            return
        *lines, rest = rest.split("\n")
        for line in chain.from_iterable(map(_split, lines)):
            number += 1
            yield TextLine(number, line)
        if not data:
            break
        if len(rest) > LONGEST:
            yield TextLine(number + 1, "", _TOO_LONG.format(LONGEST))
            return
        data = stream.readline(LONGEST)
    if rest:
        for line in _split(rest):
            number += 1
            yield TextLine(number, line)


def _split(line: str) -> list[str]:
    """The lines of a text that ends with its only line feed; old systems end them otherwise."""
    return line.rstrip("\r\n").split("\r") if "\r" in line else [line.removesuffix("\n")]


def as_stream(text: str | bytes) -> BinaryIO:
    """A stream of a text, which may hold what is no text."""
    return BytesIO(text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text)
