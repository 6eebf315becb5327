"""Splitting a stream into entries: the texts of deals, positions and results, one after another.

Most entries are one line. A board is several: it begins with a line such as ``Talon:`` or with a
line of cards. Lines belong to it as long as its cards are not complete and none is there twice, so
its parts may stand in any order and have blank lines between them; a blank line ends it once it is
complete, and so does a line that begins another entry. JSON may be broken over lines;
it ends with its last bracket, and an array has an entry for each of its values. Blank lines, lines
that begin with ``#``, fences of Markdown, and what fc-solve prints between boards are no entries.
"""

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from engine.cards import DECK, HIDDEN, RANKS, card_name
from engine.text.encoding import TextLine
from engine.text.normal import (
    EMPTY,
    begins_fc_solve,
    heading_of,
    is_between_boards,
    is_fence,
    looks_like_cards,
    normal_line,
    plain_text,
)
from engine.text.printed import Printed, form_of

# Lines of one entry of JSON, and of one in quotation marks; the tallest board has 13.
MOST_LINES = 400
MOST_QUOTED = 40

_NUMBER = re.compile(r"[0-9\s]{4,}", re.ASCII)
_NAME = re.compile(r"\s*[^\s:]+:[0-9-]+\s*")
_OBJECT = re.compile(r"\s*\{\s*($|[\"'}])")
_ARRAY = re.compile(r"\s*\[\s*(?=$|[{\[\"\]])")
_EMPTY_OR_DEEP = re.compile(r"\s*\[\s*\]\s*$|(\s*\[){4}")
# Headings that may follow a complete board.
_LAST = ("redeals", "rules")
_DECODER = json.JSONDecoder()


@dataclass(frozen=True, slots=True)
class TextEntry:
    """A part of a stream.

    Attributes:
        line: number of its first line, from 1.
        text: its text.
        problem: why it cannot be read at all; None if it can.
    """

    line: int
    text: str
    problem: str | None = None


@dataclass(frozen=True, slots=True)
class Shape:
    """How large the boards of a game are.

    Attributes:
        columns: their columns.
        decks: the decks of cards on them.
    """

    columns: int
    decks: int


def split_entries(lines: Iterable[TextLine], shapes: Sequence[Shape] = ()) -> Iterator[TextEntry]:
    """Yield the entries of lines, each as soon as it is complete.

    Args:
        lines: those of a stream.
        shapes: those of boards, the most likely one first; if there are none, every blank line
            ends a board.
    """
    block = _Block(shapes)
    for line in lines:
        if line.problem is not None:
            yield from block.taken()
            yield TextEntry(line.number, line.text, line.problem)
        else:
            yield from block.add(line.number, plain_text(line.text))
    yield from block.taken()


def split_lines(lines: Iterable[TextLine]) -> Iterator[TextEntry]:
    """Yield those lines that are neither blank nor begin with ``#``.

    A line whose last quotation mark is open goes on with the next ones, until one closes it.
    """
    held: list[TextEntry] = []
    for line in lines:
        text = plain_text(line.text)
        if not held and not line.problem and (not text.strip() or text.lstrip().startswith("#")):
            continue
        held.append(TextEntry(line.number, text, line.problem))
        if sum(each.text.count('"') for each in held) % 2 == 0:
            joined = "\n".join(each.text for each in held)
            yield TextEntry(held[0].line, joined, held[0].problem)
            held = []
        elif len(held) > MOST_QUOTED or line.problem is not None:
            yield from held  # it is never closed
            held = []
    yield from held


class _Block:
    """The lines of an entry that is not complete yet."""

    def __init__(self, shapes: Sequence[Shape]) -> None:
        self._shapes = shapes
        self._in_array = False
        self._was_board = False  # whether the entry before was a board
        self._is_fc_solve = False  # whether an output of fc-solve has begun
        self._clear()

    def _clear(self) -> None:
        self._first = 0
        self._lines: list[str] = []
        self._headings: list[str] = []
        self._columns = 0
        self._after_columns = False  # whether a heading has followed the columns
        self._gap = False  # whether the last line was blank
        self._is_json = False
        self._form: Printed | None = None
        self._part = 0

    @property
    def _shape(self) -> Shape | None:
        """The shape of the board, as far as its columns tell."""
        exact = (each for each in self._shapes if each.columns == self._columns)
        wide = (each for each in self._shapes if each.columns >= self._columns)
        return next(exact, None) or next(wide, None) or next(iter(self._shapes), None)

    def add(self, number: int, text: str) -> Iterator[TextEntry]:
        """Add a line; yield the entries that are complete."""
        if self._form is not None:
            part = self._form.part_of(text, self._part)
            if part is not None:
                self._part = part
                self._lines.append(text)
                return
            yield from self.taken()
        self._is_fc_solve |= begins_fc_solve(text)
        if self._is_fc_solve and is_between_boards(text):
            yield from self.taken()
        elif not text.strip() or is_fence(text):
            yield from self._blank()
        elif not text.lstrip().startswith("#"):
            yield from self._add(number, text)

    def taken(self) -> Iterator[TextEntry]:
        """Yield the entry of the lines so far, if there are any."""
        if self._lines and not self._says_nothing():
            yield TextEntry(self._first, "\n".join(self._lines).rstrip("\n"))
            self._was_board = self._columns > 0
        self._clear()

    def _says_nothing(self) -> bool:
        """Whether the lines are headings below a board, with nothing in them."""
        if self._columns or not self._headings or not self._was_board:
            return False
        return not self._cards() and not {*_LAST} & {*self._headings}

    def _blank(self) -> Iterator[TextEntry]:
        shape = self._shape
        if self._is_json or shape is None or self._is_ended(shape):
            yield from self.taken()
        elif self._lines:
            self._gap = True
            self._lines.append("")

    def _is_ended(self, shape: Shape) -> bool:
        """Whether a blank line ends the board."""
        return self._columns >= shape.columns and self._cards().total() == 52 * shape.decks

    def _add(self, number: int, text: str) -> Iterator[TextEntry]:
        if self._in_array and not self._is_json:
            yield from self._add_values(number, text)
        elif (array := _ARRAY.match(text)) is not None and not self._is_json:
            yield from self.taken()
            if _EMPTY_OR_DEEP.match(text):
                yield TextEntry(number, text)  # its error says what is wrong
                return
            self._in_array = True
            yield from self._add_values(number, text[array.end() :])
        elif _OBJECT.match(text) is not None:
            yield from self.taken()
            yield from self._begin_json(number, text)
        elif self._is_json and text.lstrip()[0] in '"[]}:,':
            self._lines.append(text)
            yield from self._end_json()
        else:
            if self._is_json:
                yield from self.taken()
            yield from self._add_text(number, text)

    # --- text ------------------------------------------------------------------------------------

    def _add_text(self, number: int, text: str) -> Iterator[TextEntry]:
        form = form_of(text)
        heading = None if form is not None else heading_of(text)
        if form is not None:
            yield from self.taken()
            self._begin(number, text)
            self._form = form
        elif heading is not None:
            if not self._takes_heading(heading[0], text):
                yield from self.taken()
            self._after_columns |= self._columns > 0
            self._headings.append(heading[0])
            self._begin(number, text)
        elif _NUMBER.fullmatch(text) or _NAME.fullmatch(text):
            yield from self.taken()
            yield _one_line(number, text)
        elif looks_like_cards(text) or (self._headings and not self._gap):
            if self._after_columns or (self._gap and not self._takes_column(text)):
                yield from self.taken()
            self._columns += 1
            self._begin(number, text)
        else:
            yield from self.taken()
            yield _one_line(number, text)

    def _takes_heading(self, name: str, text: str) -> bool:
        if name in self._headings:
            return False
        if not self._columns:
            return True
        if not _cards_of(text) and not self._gap:
            return name in _LAST or self._shape is not None
        return self._shape is not None and self._fits(text)

    def _takes_column(self, text: str) -> bool:
        if not self._columns:
            return bool(self._shapes)
        shape = self._shape
        return shape is not None and self._columns < shape.columns and self._fits(text)

    def _fits(self, text: str) -> bool:
        """Whether a line belongs to the board, by its cards: none would be there too often."""
        shape = self._shape
        assert shape is not None
        cards = self._cards()
        if cards.total() >= 52 * shape.decks:
            return False
        cards.update(_cards_of(text))
        hidden = cards.pop(HIDDEN, 0)
        most = max(cards.values(), default=0)
        # Where fewer suits count, the cards of those have the names of the others, too.
        often = shape.decks if shape.decks == 1 else 4 * shape.decks
        return most <= often and cards.total() + hidden <= 52 * shape.decks

    def _cards(self) -> Counter[str]:
        found: Counter[str] = Counter()
        for line in self._lines:
            found.update(_cards_of(line))
        return found

    def _begin(self, number: int, text: str) -> None:
        if not self._lines:
            self._first = number
        self._lines.append(text)
        self._gap = False

    # --- JSON ------------------------------------------------------------------------------------

    def _add_values(self, number: int, text: str) -> Iterator[TextEntry]:
        """Add a line of an array, from the beginning of a value on."""
        rest = text.strip(" \t,")
        while rest:
            if rest.startswith("]"):
                self._in_array = False
                rest = rest[1:].strip(" \t,;")
                if rest:
                    yield from self._add(number, rest)
                return
            try:
                value, end = _DECODER.raw_decode(rest)
            except (ValueError, RecursionError):
                if rest.startswith("{"):
                    yield from self._begin_json(number, rest)
                else:
                    # No value: the array ends here.
                    self._in_array = False
                    yield from self._add_text(number, rest)
                return
            yield TextEntry(number, value if isinstance(value, str) else rest[:end])
            rest = rest[end:].strip(" \t,")

    def _begin_json(self, number: int, text: str) -> Iterator[TextEntry]:
        self._begin(number, text)
        self._is_json = True
        yield from self._end_json()

    def _end_json(self) -> Iterator[TextEntry]:
        """End the JSON if its brackets are closed, as far as that can be told."""
        text = "\n".join(self._lines).rstrip()
        last = text.rstrip(", \t\n")
        ended = self._in_array and last.endswith("]") and not _is_closed(last)
        if ended:
            last = last[:-1].rstrip(", \t\n")
        if _is_closed(last):
            self._lines = [last]
            self._in_array = self._in_array and not ended
        elif len(self._lines) <= MOST_LINES:
            return
        yield from self.taken()


def _one_line(number: int, text: str) -> TextEntry:
    """An entry of one line, which may be a JSON string with line ends in it."""
    text = text.strip().rstrip(",")
    if text.startswith('"') and text.endswith('"'):
        try:
            value = json.loads(text)
        except ValueError:
            pass
        else:
            text = value if isinstance(value, str) else text
    return TextEntry(number, text)


def _is_closed(text: str) -> bool:
    if not text.endswith("}"):
        return False
    if text.count("{") == text.count("}"):
        return True
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def _cards_of(text: str) -> list[str]:
    """The names of the cards of a line; those of foundations and of completed runs, too."""
    cards: list[str] = []
    for line in normal_line(text).split("\n"):
        name, colon, rest = line.partition(":")
        if not colon:
            cards += [word.strip("<>") for word in line.split() if word != EMPTY]
        elif name == "Foundations":
            for suit, height in re.findall(r"([CDSH])-([0-9]+)", rest):
                # What is higher than a suit is refused where the position is read.
                cards += [rank + suit for rank in RANKS[: int(height[:3])]]
        elif name == "Completed":
            for suit in re.findall("[CDSH]", rest):
                cards += [card_name(card) for card in DECK if card_name(card)[1] == suit]
        elif name not in ("Rules", "Redeals"):
            cards += [word for word in rest.split() if word != EMPTY]
    return cards
