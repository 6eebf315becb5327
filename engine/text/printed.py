"""Boards as programs print them, with the columns side by side, as lines of cards.

| first line                  | who prints it                                                    |
|-----------------------------|------------------------------------------------------------------|
| ``foundations  AC -D …``    | our positions; ``completed    S`` in other games                 |
| ``A        B  C  D  E``     | MinimalKlondike                                                  |
| ``0: 5C 9H``                | Klondike-Solver                                                  |
| ``--- Foundations ---``     | Solvitaire                                                       |
| `` QH  2S      H-0 C-0 …``  | fc-solve                                                         |

What is returned is what `engine.text.board` reads once it is in normal form.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from engine.errors import BadInput
from engine.text.numbers import read_number

_CARD = r"(?:10|[0-9A-Za-z?*#])[A-Za-z?*#♣♦♠♥♧♢♤♡]"
_BLANK = r"\s*"


@dataclass(frozen=True, slots=True)
class Printed:
    """The form of a printed board.

    Attributes:
        parts: patterns of its lines, in their order; each may match several lines or none, but
            for the first.
        lines: its lines -> lines of cards; raises BadInput.
    """

    parts: tuple[re.Pattern[str], ...]
    lines: Callable[[list[str]], list[str]]

    def part_of(self, line: str, after: int) -> int | None:
        """The part that a line belongs to, none of those before `after`; None if it is of none."""
        found = (n for n in range(after, len(self.parts)) if self.parts[n].fullmatch(line))
        return next(found, None)


def form_of(line: str) -> Printed | None:
    """The form of the printed board that a line begins; None if it begins none."""
    return next((form for form in _FORMS if form.parts[0].fullmatch(line)), None)


def printed(lines: list[str]) -> list[str] | None:
    """The lines of cards of a printed board; None if the lines are none.

    Raises:
        BadInput: its columns cannot be told apart.
    """
    first = next((at for at, line in enumerate(lines) if line.strip()), 0)
    form = form_of(lines[first]) if lines else None
    return None if form is None else form.lines(lines[first:])


def _cells(line: str, places: list[int], token: re.Pattern[str]) -> Iterator[tuple[int, str]]:
    """The column and the text of each card of a line; columns stand at places of a heading."""
    taken: set[int] = set()
    for found in token.finditer(line):
        card = found.start("card")
        column = min(range(len(places)), key=lambda at: abs(places[at] - card))
        if column in taken:
            raise BadInput(
                f"the columns of this board cannot be told apart at {line.strip()[:60]!r}: "
                "expected the blanks between them as they are printed"
            )
        taken.add(column)
        yield column, found[0].strip()


def _turned(rows: Iterable[Iterable[tuple[int, str]]], count: int) -> list[list[str]]:
    """Columns out of rows of cells."""
    columns: list[list[str]] = [[] for _ in range(count)]
    for row in rows:
        for column, text in row:
            columns[column].append(text)
    return columns


def _written(columns: Iterable[list[str]]) -> list[str]:
    return [" ".join(column) or "-" for column in columns]


# --- our own -------------------------------------------------------------------------------------

_OWN_FIRST = re.compile(r"\s*(foundations|completed)\s{2,}\S.*")
_OWN_HEAD = re.compile(r"\s*(foundations|completed|stock|waste)\s{2,}(?P<rest>\S.*)")
_OWN_PLACES = re.compile(r"\s*1\s+2\s+3\s+4(\s+[0-9])*\s*")
_OWN_ROW = re.compile(rf"(\s*(\[{_CARD}\]|{_CARD}))+\s*")
_OWN_TO_COME = re.compile(r"\s*(?:to be drawn|row [1-9] to be dealt)\s+(?P<rest>.*)")


def _own(lines: list[str]) -> list[str]:
    parts: dict[str, str] = {}
    rows: list[str] = []
    places: list[int] = []
    to_come: list[str] = []
    for line in lines:
        if (head := _OWN_HEAD.fullmatch(line)) is not None:
            parts[head[1]] = head["rest"]
        elif (coming := _OWN_TO_COME.fullmatch(line)) is not None:
            to_come.append(coming["rest"])
        elif not places and _OWN_PLACES.fullmatch(line):
            places = [found.start() for found in re.finditer(r"[0-9]", line)]
        elif line.strip():
            rows.append(line)
    if not to_come:
        # How many there are is printed, and not which: cards of a row, or single ones.
        stock = parts.get("stock", "0")
        count, _, what = stock.partition(" ")
        number = read_number(count, 999)
        if number is None:
            to_come = [stock]  # refused as cards
        else:
            to_come = ["??"] * (len(places) if what.startswith("row") else 1) * number
    parts.pop("stock", None)
    columns = _turned((_cells(row, places, _TOKEN) for row in rows), len(places))
    found = [f"{name}: {rest}" for name, rest in parts.items()]
    return [*found, f"talon: {' '.join(to_come)}", *_written(columns)]


# --- MinimalKlondike -----------------------------------------------------------------------------

_PILES = re.compile(r"\s*A\s+B\s+C\s+D\s+E\s*")
_COLUMNS = re.compile(r"\s*F\s+G\s+H\s+I\s+J\s+K\s+L\s*")
_TOKEN = re.compile(rf"[+\[]?(?P<card>{_CARD})\]?")
_ROW = re.compile(rf"(\s*\+?{_CARD})+\s*")


def _lettered(lines: list[str]) -> list[str]:
    at = next((at for at, line in enumerate(lines) if _COLUMNS.fullmatch(line)), None)
    if at is None:
        raise BadInput("the board has no line of the letters F to L above its columns")
    places = [found.start() - 1 for found in re.finditer("[F-L]", lines[at])]
    tops = [cell for line in lines[1:at] for cell in _cells(line, places, _TOKEN)]
    rest = lines[at + 1 :]
    end = next((row for row, line in enumerate(rest) if not line.strip()), len(rest))
    columns = _turned((_cells(line, places, _TOKEN) for line in rest[:end]), len(places))
    below = [found[0] for line in rest[end:] for found in _TOKEN.finditer(line)]
    waste = [card for card in below if card.startswith("+")][::-1]
    waste += [card for column, card in tops if column == 0]
    return [
        f"foundations: {' '.join(card for column, card in tops if column)}",
        f"waste: {' '.join(waste).replace('+', '')}",
        f"talon: {' '.join(card for card in below if not card.startswith('+'))}",
        *_written(
            [card.removeprefix("+") if card.startswith("+") else f"<{card}>" for card in column]
            for column in columns
        ),
    ]


# --- Klondike-Solver -----------------------------------------------------------------------------

_NUMBERED_FIRST = re.compile(r"\s*0:[-\sA-Z0-9]*")
_NUMBERED = re.compile(r"\s*(?P<pile>[0-9]|1[0-2]):(?P<cards>[-\sA-Z0-9]*)")
_PILE_CARD = re.compile(rf"(?P<down>-)?(?P<card>{_CARD})")


def _numbered(lines: list[str]) -> list[str]:
    piles: dict[int, list[re.Match[str]]] = {}
    for line in lines:
        if (found := _NUMBERED.fullmatch(line)) is not None:
            piles[int(found["pile"])] = list(_PILE_CARD.finditer(found["cards"]))
    # Each pile is printed from its top down.
    named = {
        pile: [f"<{card['card']}>" if card["down"] else card["card"] for card in reversed(cards)]
        for pile, cards in piles.items()
    }
    tops = [named[pile][-1] for pile in range(9, 13) if named.get(pile)]
    return [
        f"foundations: {' '.join(tops)}",
        f"waste: {' '.join(named.get(0, []))}",
        f"talon: {' '.join(reversed(named.get(8, [])))}",
        *_written(named.get(pile, []) for pile in range(1, 8)),
    ]


# --- Solvitaire ----------------------------------------------------------------------------------

_TITLE = re.compile(r"\s*---\s*(?P<title>[A-Z][A-Za-z |()]*?)\s*-+\s*")
_TABBED = re.compile(rf"(\s*(\[\]|{_CARD}))+\s*|\s*=+\s*")


def _titled(lines: list[str]) -> list[str]:
    sections: dict[str, list[list[str]]] = {}
    rows: list[list[str]] = []
    for line in lines:
        if (title := _TITLE.fullmatch(line)) is not None:
            rows = sections.setdefault(title["title"].lower(), [])
        elif line.strip() and "=" not in line:
            rows.append(["" if cell.strip() == "[]" else cell.strip() for cell in line.split("\t")])
    parts: list[str] = []
    for name, section in sections.items():
        count = max(map(len, section), default=0)
        cells = ([(at, text) for at, text in enumerate(row) if text] for row in section)
        piles = _turned(cells, count)
        if name == "foundations":
            parts.append(f"foundations: {' '.join(pile[-1] for pile in piles if pile)}")
        elif name.startswith("stock"):
            stock, *waste = piles or [[]]
            parts.append(f"talon: {' '.join(reversed(stock))}")
            parts.append(f"waste: {' '.join(card for pile in waste for card in pile)}")
        else:
            parts += _written(piles)
    return parts


# --- fc-solve ------------------------------------------------------------------------------------

# Four places for each cell, four cells a line, the foundations after the first four.
_CELLS_FIRST = re.compile(rf"(?P<cells>(\s*{_CARD})*)\s*(?P<rest>H-\w+ C-\w+ D-\w+ S-\w+)\s*")
_CELLS = re.compile(rf"(\s*{_CARD})*\s*|(--- )+(---)?\s*")
_FOUNDATIONS_AT = 24
_HEADS = re.compile(r"\s*--(\s+--)*\s*")
_ROW_OF_CARDS = re.compile(rf"(\s*{_CARD})+\s*")


def _side_by_side(lines: list[str]) -> list[str]:
    first = _CELLS_FIRST.fullmatch(lines[0])
    assert first is not None  # it is by this line that the form is known
    at = next((at for at, line in enumerate(lines) if _HEADS.fullmatch(line)), None)
    if at is None:
        raise BadInput("the board has no line of -- above its columns")
    # The blanks before the first card may be gone, but not those before the foundations.
    cells = [lines[0][: first.start("rest")].rjust(_FOUNDATIONS_AT)]
    cells += [line for line in lines[1:at] if line.strip() and "-" not in line]
    found = ["-"] * (4 * len(cells))
    for row, line in enumerate(cells):
        for card in _TOKEN.finditer(line):
            found[4 * row + card.start("card") // 4] = card[0]
    while found and found[-1] == "-":
        found.pop()
    places = [found.start() for found in re.finditer("--", lines[at])]
    rows = [line for line in lines[at + 1 :] if line.strip()]
    columns = _turned((_cells(row, places, _TOKEN) for row in rows), len(places))
    return [f"foundations: {first['rest']}", f"freecells: {' '.join(found)}", *_written(columns)]


def _parts(*patterns: str | re.Pattern[str]) -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(pattern) for pattern in patterns)


_FORMS = (
    Printed(
        _parts(_OWN_FIRST, _OWN_HEAD, _BLANK, _OWN_PLACES, _OWN_ROW, _BLANK, _OWN_TO_COME), _own
    ),
    Printed(_parts(_PILES, _ROW, _BLANK, _COLUMNS, _ROW, _BLANK, _ROW), _lettered),
    Printed(_parts(_NUMBERED_FIRST, _NUMBERED, "Minimum Moves Needed: [0-9]+"), _numbered),
    Printed(_parts(_TITLE, _TABBED, _TITLE, _TABBED, _TITLE, _TABBED), _titled),
    Printed(
        _parts(_CELLS_FIRST, _CELLS, _HEADS, _ROW_OF_CARDS),
        _side_by_side,
    ),
)
