"""Board text of PySolFC, pysol-cards and fc-solve: the parts that all games share.

A line ``Talon:`` with the stock, then a line for each column, bottom to top, face-down cards in
``< >``. A ten may be ``10`` or ``T``, a column may begin with ``:``, and all ``< >`` may be
missing, since a starting deal itself decides which cards lie face down.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from engine.cards import HIDDEN, card_name, parse_card
from engine.errors import BadInput

PYSOLFC = "pysolfc"
SUMMARY = "board text of PySolFC and fc-solve"
BOARD_ALIASES = ("fc-solve",)
# An empty column in the text of a position.
EMPTY = "-"


def looks_like_board(text: str) -> bool:
    """Whether a text has the line of a board that every board has."""
    return any(line.strip().lower().startswith("talon:") for line in text.splitlines())


def read_board(text: str, game: str) -> tuple[list[list[int]], list[int]]:
    """Read a board: its columns and its stock.

    Args:
        text: the board.
        game: name of the game, for messages.

    Raises:
        BadInput: the text is not a board, or is the board of a position in mid-game.
    """
    stock: list[int] | None = None
    columns: list[list[int]] = []
    covered: list[list[bool]] = []
    for number, line in enumerate(text.splitlines(), start=1):
        try:
            head, colon, rest = line.partition(":")
            name = head.strip().lower()
            if colon and name == "talon":
                if stock is not None:
                    raise BadInput("a second line Talon")
                stock = [_board_card(word) for word in rest.split()]
            elif colon and name in ("waste", "completed") and rest.split() in ([], [EMPTY]):
                pass  # there is none at the start
            elif colon and name == "foundations":
                if any(not word.endswith("-0") and word != "-" for word in rest.split()):
                    raise BadInput("the foundations of a starting deal are empty")
            elif colon and name:
                raise BadInput(f"{head.strip()!r} is not part of a {game} board")
            elif line.strip():
                words = (rest if colon else line).split()
                covered.append([word.startswith("<") for word in words])
                columns.append([_board_card(word) for word in words])
        except BadInput as error:
            raise BadInput(f"line {number} of the board: {error}") from None
    if stock is None:
        raise BadInput("the board has no line that begins with 'Talon:'")
    for number, marks in enumerate(covered, start=1):
        if any(map(any, covered)) and marks != [True] * (len(marks) - 1) + [False]:
            raise BadInput(
                f"column {number} of the board is not one of a starting deal, of which all cards "
                "but the last lie face down"
            )
    return columns, stock


def _board_card(word: str) -> int:
    if word.startswith("<") and word.endswith(">"):
        word = word[1:-1]
    return card_with_number(word)


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
            (down if hidden else up).append(card_name(card_with_number(name)))
    return down, up


def columns_of(data: Mapping[str, Any]) -> list[str]:
    """The lines of the columns of a position's JSON; `read_column` reads each."""
    return [
        " ".join([*(f"<{card}>" for card in down), *up]) or EMPTY
        for down, up in zip(data["down"], data["up"], strict=True)
    ]


def card_with_number(text: object) -> int:
    """Read a card; a ten may be written as 10."""
    if isinstance(text, str) and text.startswith("10"):
        return parse_card("T" + text[2:])
    return parse_card(text)  # type: ignore[arg-type]  # parse_card refuses what is no text


def board_text(tableau: Iterable[Sequence[int]], stock: Iterable[int]) -> str:
    """Write the board of a starting deal, with ``T`` for a ten."""
    lines = ["Talon: " + " ".join(card_name(card) for card in stock)]
    for column in tableau:
        hidden = [f"<{card_name(card)}>" for card in column[:-1]]
        lines.append(" ".join([*hidden, card_name(column[-1])]))
    return "\n".join(lines) + "\n"
