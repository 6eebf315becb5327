"""Normal form of the text of a board: every spelling that has just one reading, written in one way.

The cards become ``TC`` and face-down ones ``<TC>``, unknown ones ``??``, an empty place ``-``; the
headings become those of `HEADINGS`, and whatever stands between words a blank. Lines keep their
numbers. What cannot be understood stays as it is, so that the error of a reader shows it.
"""

import re
from collections.abc import Iterator
from unicodedata import category

from engine.cards import HIDDEN, RANKS, SUITS, card_name, parse_card, rank, suit
from engine.errors import BadInput
from engine.text.printed import printed

# An empty column in the text of a position.
EMPTY = "-"
# The names of the parts of a board, and the other names that they have elsewhere.
HEADINGS = {
    "talon": ("stock", "stockpile", "deck", "draw pile", "hand", "to be drawn"),
    "waste": ("waste pile", "wastepile", "discard", "discard pile"),
    "foundations": ("foundation", "founds"),
    "completed": ("removed", "completed runs"),
    "redeals": ("redeal", "redeals used", "redeals_used"),
    "rules": ("ruleset",),
    "freecells": ("cells", "free cells", "fc"),
    "reserve": (),
    "hole": (),
    "base": ("base card",),
    "tableau": ("columns", "tableau piles", "cascades", "piles"),
}
_PARTS = {word: name for name, others in HEADINGS.items() for word in (name, *others)}
_NAME = "|".join(sorted(_PARTS, key=len, reverse=True)).replace(" ", r"[ \t]+")
HEADING = re.compile(
    rf"""[\s"'*_`>-]*?(?P<name>{_NAME})["'*_`]*\s*[:=]["'*_`]*(?P<rest>.*)""", re.IGNORECASE
)
_PREFIX = re.compile(
    r"\A(?:(?:column|col|pile|tableau|stack|cascade|t|c)[ \t.#]*)?[0-9]{1,2}[ \t]*[:.)][ \t]*"
    r"|\A:[ \t]*",
    re.IGNORECASE | re.ASCII,
)
# Cells as fc-solve prints them: four places for each, blanks for an empty one.
_CELL = re.compile(r" {4}|(?:  | 1)[0-9ATJQK][CDSH]")
# What marks the item of a list, and a quotation.
_BULLET = re.compile(r"\A[*+•–-][ \t]+(?=[^\s-])")
_QUOTED = re.compile(r"^(?:>[ \t])+|^>$", re.MULTILINE)
_FENCE = re.compile(r"\s*(?:```|~~~)\s*[\w+-]*\s*")
# What fc-solve prints before its first board, and between and after its boards.
_FC_SOLVE = re.compile(r"\s*-=-=[-=]*\s*")
_BETWEEN_BOARDS = re.compile(
    r"\s*(?:-=-=[-=]*|={4,}|Move(?::| a | the | [0-9]+ ).*|This game is solveable\."
    r"|I could not solve this game\.|Total number of states checked is .*"
    r"|This scan generated .*)\s*"
)
_BRACKETS = {"<": ">", "[": "]", "(": ")", "{": "}"}
_WORDS = re.compile(r"[<>\[\](){}]|[^\s<>\[\](){}]+")
_BETWEEN = str.maketrans(dict.fromkeys(",;|\t\"'`“”„‘’«»", " "))
# Letters of a misspelt card, with its marks.
_LONGEST_CARD = 5
_UNKNOWN = {"?", "??", "**", "##", "*", "#"}
_NOTHING = {"-", "--", "—", "–", "empty", "none"}
_SUIT_OF = {**{letter: letter for letter in SUITS}, **dict(zip("♣♦♠♥♧♢♤♡", SUITS * 2, strict=True))}
_HEIGHT_OF = {letter: number for number, letter in enumerate(RANKS, start=1)}
_HEIGHT_OF |= {str(number): number for number in range(14)}


def plain_text(text: str) -> str:
    """The text without marks that show nothing, and with every kind of blank as a blank."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    if ">" in text:
        text = _QUOTED.sub("", text)
    if text.isascii():
        return text
    return "".join(
        " " if category(sign) == "Zs" else sign
        for sign in text
        if category(sign) != "Cf" and sign not in "\ufe0e\ufe0f"
    )


def is_fence(line: str) -> bool:
    """Whether a line begins or ends a block of code in Markdown."""
    return _FENCE.fullmatch(line) is not None


def begins_fc_solve(line: str) -> bool:
    """Whether a line is the first one of what fc-solve prints."""
    return _FC_SOLVE.fullmatch(line) is not None


def is_between_boards(line: str) -> bool:
    """Whether a line of fc-solve's output belongs to no board."""
    return _BETWEEN_BOARDS.fullmatch(line) is not None


def heading_of(line: str) -> tuple[str, str] | None:
    """The name of the part that a line begins, one of `HEADINGS`, and the rest of the line."""
    found = HEADING.fullmatch(line)
    if found is None:
        return None
    return _PARTS[" ".join(found["name"].split()).lower()], found["rest"].strip()


def normal_text(text: str) -> str:
    """The normal form of the text of a board."""
    lines = ["" if is_fence(line) else line for line in plain_text(text).split("\n")]
    return "\n".join(map(normal_line, printed(lines) or _joined(lines)))


def _joined(lines: list[str]) -> list[str]:
    """The lines; where the columns have a heading, cards below another one belong to that."""
    headings = [heading_of(line) for line in lines]
    if ("tableau", "") not in headings:
        return lines
    joined, below = list(lines), None
    for at, heading in enumerate(headings):
        if heading is not None:
            below = at if heading[0] != "tableau" and not heading[1].strip() else None
        elif below is not None and lines[at].strip():
            joined[below] += f" {lines[at]}"
            joined[at] = ""
    return joined


def normal_line(line: str) -> str:
    """The normal form of a line of a board."""
    line = _BULLET.sub("", line.strip(), count=1)
    if line == ":":
        return EMPTY  # an empty column of fc-solve
    heading = heading_of(line)
    if heading is None:
        return " ".join(_column(_PREFIX.sub("", line.strip("`'\" \t|"), count=1)))
    name, rest = heading
    if name == "rules":
        return f"Rules: {rest.translate(_BETWEEN).strip()}"
    if name in ("foundations", "completed"):
        words = _spread(rest) if name == "foundations" else rest.translate(_BETWEEN).split()
        words = [*map(_foundation if name == "foundations" else _suit, words)]
        return f"{name.capitalize()}: {' '.join(words)}".rstrip()
    if name == "talon" and "==>" in rest:
        # As Klondike-Solver writes it: the waste from its top down, and then the stock.
        waste, _, stock = rest.partition("==>")
        drawn = " ".join(reversed(list(_cards(waste))))
        return f"Waste: {drawn}\nTalon: {' '.join(_cards(stock.replace('<==', ' ')))}".rstrip()
    if name == "tableau":
        return "" if not rest else "\n".join(map(normal_line, re.split("[|/;]", rest)))
    words = list(_unmarked(_cards(rest)))
    if name == "freecells":
        words = _places(line) or words
    return f"{name.capitalize()}: {' '.join(words)}".rstrip()


def _places(line: str) -> list[str]:
    """The cells of a line of fc-solve, up to the last card; none if it is no such line."""
    text = line.partition(":")[2]
    text += " " * (-len(text) % 4)
    cells = [text[at : at + 4] for at in range(0, len(text), 4)]
    if not all(map(_CELL.fullmatch, cells)):
        return []
    return [cell for each in cells for cell in _cards(each.strip() or EMPTY)]


def looks_like_cards(line: str) -> bool:
    """Whether a line is one of a board without a heading: cards, one of them perhaps misspelt."""
    words = normal_line(line).split()
    return any(map(is_card_word, words)) and all(len(word) <= _LONGEST_CARD for word in words)


def is_card_word(word: str) -> bool:
    """Whether a word of a normal form is a card, an unknown one, or the mark for none."""
    name = word.removeprefix("<").removesuffix(">")
    return name in (HIDDEN, EMPTY) or card_of(name) is not None


def card_of(word: str) -> int | None:
    """The card that a word names; None if it names none."""
    try:
        return parse_card(word)
    except BadInput:
        return None


def _column(text: str) -> list[str]:
    words = list(_cards(text))
    body = text.strip()
    # Brackets around a whole column, of which the last card lies face up, are those of a list.
    if len(body) > 1 and body[0] in "[({" and body.find(_BRACKETS[body[0]]) == len(body) - 1:
        return list(_unmarked(words)) or [EMPTY]
    return words


def _unmarked(words: Iterator[str] | list[str]) -> Iterator[str]:
    return (word[1:-1] if word.startswith("<") and word.endswith(">") else word for word in words)


def _cards(text: str) -> Iterator[str]:
    """The words of a line; those in brackets lie face down."""
    depth = 0
    for word in _WORDS.findall(text.translate(_BETWEEN)):
        if word in _BRACKETS:
            depth += 1
        elif word in _BRACKETS.values():
            depth = max(0, depth - 1)
        else:
            for name in _names(word):
                yield f"<{name}>" if depth else name


def _names(word: str) -> Iterator[str]:
    """The names of the cards of a word, most often one; the word itself if it is none."""
    card = card_of(word)
    if card is not None:
        yield card_name(card)
    elif word in _UNKNOWN:
        yield HIDDEN
    elif word.lower() in _NOTHING:
        yield EMPTY
    else:
        yield from _run_together(word) or [word]


_RANK, _SUIT = "(?:10|1[1-3]|[0-9ATJQK])", "[CDSH♣♦♠♥♧♢♤♡]"
_RANK_FIRST, _SUIT_FIRST = re.compile(_RANK + _SUIT, re.I), re.compile(_SUIT + _RANK, re.I)


def _run_together(word: str) -> list[str]:
    """The cards of a word without blanks between them, such as ``4H10SKD``; none if it is none."""
    for order in (_RANK_FIRST, _SUIT_FIRST):
        found = order.findall(word)
        if len(found) > 1 and "".join(found) == word:
            return [card_name(parse_card(each)) for each in found]
    return []


def _spread(text: str) -> list[str]:
    """The words of the foundations: ``C 2`` and ``C: 2`` are one word each, as ``C-2`` is."""
    text = re.sub(r"[<>\[\](){}]", " ", text.translate(_BETWEEN))
    return re.sub(r"([CDSH♣♦♠♥♧♢♤♡])\s*[:=]\s*", r"\1-", text, flags=re.IGNORECASE).split()


def _foundation(word: str) -> str:
    """``C-2`` for what says so of a foundation: ``♣-2``, ``2C``, ``♣2``; ``C-0`` for ``-C``."""
    card = card_of(word)
    if card is not None:
        return f"{SUITS[suit(card)]}-{rank(card) + 1}"
    letter, between, height = word.upper().partition("-")
    if not letter and height in _SUIT_OF:
        letter, height = height, "0"
    elif not between and letter[:1] in _SUIT_OF:
        letter, height = letter[0], letter[1:]
    if letter in _SUIT_OF and (height in _HEIGHT_OF or height in ("", "-")):
        return f"{_SUIT_OF[letter]}-{_HEIGHT_OF.get(height, 0)}"
    return word


def _suit(word: str) -> str:
    return _SUIT_OF.get(word.upper(), word)
