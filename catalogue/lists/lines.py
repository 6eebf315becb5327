"""Lines of a text file of a list, numbered, whatever their ends; and seeds in them."""

from collections.abc import Iterable, Iterator

from engine.errors import BadInput

_BOM = "\ufeff"
# The seeds of no dealer have more digits.
_MOST_DIGITS = 21
# A list with many gaps tells its ranges on one line.
_LONGEST_LINE = 64 << 20


def lines_of(stream: Iterable[bytes]) -> Iterator[tuple[int, str]]:
    """The number and the text of each line, without blanks around it.

    Raises:
        BadInput: a line is not UTF-8, or is too long.
    """
    for number, raw in enumerate(stream, start=1):
        if len(raw) > _LONGEST_LINE:
            raise BadInput(f"line {number} has {len(raw):,} bytes: expected a line of a list")
        try:
            text = raw.decode("utf-8")
        except UnicodeDecodeError:
            raise BadInput(f"line {number} is not UTF-8 text") from None
        yield number, text.removeprefix(_BOM).strip()


def seed_of(text: str, line: int) -> int:
    """A seed in a line.

    Raises:
        BadInput: it is none.
    """
    if not (text.isascii() and text.isdigit() and len(text) <= _MOST_DIGITS):
        raise BadInput(f"line {line}: {text[:40]!r} is not a seed: expected a whole number")
    return int(text)
