"""Text of boards: the parts that all games share.

The board text of PySolFC, pysol-cards and fc-solve: a line ``Talon:`` with the stock and a line for
each column, bottom to top, face-down cards in ``< >``; and what a position in mid-game has besides.
A ten may be ``10`` or ``T``, a column may begin with ``:``, and all ``< >`` of a starting deal may
be missing, since it decides itself which cards lie face down. `engine.text.normal` lists what else
is read.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from engine.cards import HIDDEN, card_name, parse_card, parse_cards, rank
from engine.errors import BadInput
from engine.text.normal import EMPTY, HEADINGS, heading_of, normal_text
from engine.text.printed import form_of

PYSOLFC = "pysolfc"
SUMMARY = "board text of PySolFC and fc-solve"
BOARD_ALIASES = ("fc-solve",)
_HEAD = re.compile(r"(?P<head>[A-Za-z][A-Za-z _]*):(?P<rest>.*)")


def looks_like_board(text: str) -> bool:
    """Whether a text has a line of a board: a heading, or the first one of a printed board."""
    return any(heading_of(line) or form_of(line) for line in text.splitlines())


@dataclass(slots=True)
class BoardText:
    """The parts of a board.

    Attributes:
        down: names of the face-down cards of each column, bottom to top.
        up: those of its face-up cards.
        parts: what stands below each heading, as its reader has it.
        marked: whether the text says of some card that it lies face down.
    """

    down: list[list[str]] = field(default_factory=list)
    up: list[list[str]] = field(default_factory=list)
    parts: dict[str, Any] = field(default_factory=dict)
    marked: bool = False

    def cover(self, sizes: Sequence[int]) -> None:
        """Turn all but the last card of each column face down, if nothing else can be meant.

        That is so where no card is marked, the columns are as long as at the start, in any order,
        and do not all descend, as columns in which every card lies face up would.
        """
        lengths = list(map(len, self.up))
        if self.marked or sorted(lengths) != sorted(sizes) or all(map(_descends, self.up)):
            return
        self.down = [column[:-1] for column in self.up]
        self.up = [column[-1:] for column in self.up]


def board_of_piles(piles: Any, *, by_case: bool = False) -> BoardText:
    """The columns of a JSON list of lists of cards, bottom to top; ``<7H>`` lies face down.

    Args:
        piles: the list.
        by_case: whether a small suit letter beside capital ones says that a card lies face down.

    Raises:
        BadInput: it is no such list.
    """
    if not isinstance(piles, list) or not all(isinstance(pile, list) for pile in piles):
        raise BadInput(f"the columns are {str(piles)[:60]}: expected a list of lists of cards")
    texts = [[card if isinstance(card, str) else str(card) for card in pile] for pile in piles]
    suits = "".join(text[-1:] for pile in texts for text in pile)
    by_case = by_case and suits != suits.lower() and suits != suits.upper()
    found = BoardText()
    for pile in texts:
        down, up = read_column(
            [f"<{text}>" if by_case and text[-1:].islower() else text for text in pile]
        )
        found.down.append(down)
        found.up.append(up)
        found.marked |= bool(down)
    return found


def _descends(column: Sequence[str]) -> bool:
    ranks = [rank(parse_card(name)) for name in column]
    return all(below == above + 1 for below, above in pairwise(ranks))


PartReader = Callable[[list[str]], Any]


def read_parts(text: str, readers: Mapping[str, PartReader], columns: int) -> BoardText:
    """Read a board of any form into its parts.

    Args:
        text: the board.
        readers: the headings that boards of the game have, of `engine.text.normal.HEADINGS`, each
            with the function that reads its words and raises BadInput.
        columns: the number of columns.

    Raises:
        BadInput: the text is no such board; the sentence has the number of the line.
    """
    found = BoardText()
    for number, line in enumerate(normal_text(text).splitlines(), start=1):
        try:
            head = _HEAD.fullmatch(line)
            if head is not None:
                name, words = head["head"].strip(), head["rest"].split()
                _read_part(found, name, [word for word in words if word != EMPTY], readers)
            elif line:
                words = line.split()
                down, up = read_column(words)
                found.down.append(down)
                found.up.append(up)
                found.marked |= bool(down)
        except BadInput as error:
            raise BadInput(f"line {number}: {error}") from None
    if len(found.up) != columns:
        raise BadInput(
            f"the board has {len(found.up)} columns: expected {columns} lines of cards, {EMPTY} "
            "for an empty column"
        )
    return found


def _read_part(
    found: BoardText, title: str, words: list[str], readers: Mapping[str, PartReader]
) -> None:
    name = title.lower()
    if name not in readers:
        if name in HEADINGS and not words:
            return  # what another game has, and nothing in it
        expected = ", ".join(each.capitalize() for each in readers)
        raise BadInput(
            f"{title!r} is not part of this board: expected {expected} or the cards of a column"
        )
    if name in found.parts:
        raise BadInput(f"a second line {title!r}")
    found.parts[name] = readers[name](words)


def cards_of(words: Iterable[str]) -> list[str]:
    """The names of cards, with ``??`` for those that are not known.

    Raises:
        BadInput: a word is no card.
    """
    return [HIDDEN if word == HIDDEN else card_name(parse_card(word)) for word in words]


def read_column(words: Sequence[str]) -> tuple[list[str], list[str]]:
    """The names of the face-down and the face-up cards of a column of a position.

    Raises:
        BadInput: a word is no card, or lies face down on one that is face up.
    """
    down: list[str] = []
    up: list[str] = []
    for word in words:
        if word == EMPTY and len(words) == 1:
            break
        hidden = word == HIDDEN or (word.startswith("<") and word.endswith(">"))
        name = word.removeprefix("<").removesuffix(">")
        if hidden and up:
            raise BadInput(f"{word} lies face down on a card that is face up")
        if name == HIDDEN:
            down.append(HIDDEN)
        else:
            (down if hidden else up).append(card_name(parse_card(name)))
    return down, up


def columns_of(data: Mapping[str, Any]) -> list[str]:
    """The lines of the columns of a position's JSON; `read_column` reads each."""
    return [
        " ".join([*(f"<{card}>" for card in down), *up]) or EMPTY
        for down, up in zip(data["down"], data["up"], strict=True)
    ]


def starting_columns(data: Mapping[str, Any], played: bool) -> list[list[int]]:
    """The columns of a position's JSON, bottom to top, if it is that of a starting deal.

    Args:
        data: as `read_parts` leads to it.
        played: whether something else than the columns says that moves have been made.

    Raises:
        BadInput: it is that of a position in mid-game, or a card is not known.
    """
    for number, up in enumerate(data["up"], start=1):
        if len(up) != 1:
            raise BadInput(
                f"column {number} of the board is not one of a starting deal, of which all cards "
                "but the last lie face down"
            )
    if played:
        raise BadInput("this is a position in mid-game, and a starting deal is expected")
    return [parse_cards([*down, *up]) for down, up in zip(data["down"], data["up"], strict=True)]


def board_text(tableau: Iterable[Sequence[int]], stock: Iterable[int]) -> str:
    """Write the board of a starting deal, with ``T`` for a ten."""
    lines = ["Talon: " + " ".join(card_name(card) for card in stock)]
    for column in tableau:
        hidden = [f"<{card_name(card)}>" for card in column[:-1]]
        lines.append(" ".join([*hidden, card_name(column[-1])]))
    return "\n".join(lines) + "\n"
