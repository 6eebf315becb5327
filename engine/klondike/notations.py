"""Moves of Klondike in the notations of other programs.

| move                | MinimalKlondike  | Klondike-Solver | PySolFC                              |
|---------------------|------------------|-----------------|--------------------------------------|
| ``T``               | ``@``            | ``DR1``         | Deal talon                           |
| ``R``               | part of an ``@`` | ``NEW``         | Redeal talon                         |
| ``WF``              | ``AC``           | ``WD``          | … from the waste to the foundations  |
| ``W4``              | ``AI``           | ``W4``          | … from the waste to stack 3          |
| ``4F``              | ``IC``           | ``4D``          | … from stack 3 to the foundations    |
| ``S4``              | ``DI``           | ``S4``          | … from foundation S to stack 3       |
| ``26``, three cards | ``GK``           | ``26-3``        | Move 3 cards from stack 1 to stack 5 |

Of PySolFC's sentences, ``…`` is "Move a card".

MinimalKlondike names the piles A (waste), B to E (foundations of clubs, diamonds, spades and
hearts) and F to L (columns); an ``@`` on an empty stock turns the waste over first. Its player
forgets draws that no card of the waste follows, so they are written where the next one leaves.

Klondike-Solver's ``F4`` turns a card of column 4 face up, which is part of our move before it.

PySolFC shows solutions of fc-solve, in whose sentences stacks count from 0; it knows "Deal talon"
from the same author's Black Hole solver. Neither plays Klondike: the sentences for the waste, the
redeal and the way back from a foundation are made here in their manner. A line or a semicolon ends
a sentence.
"""

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from engine.cards import SUITS, suit
from engine.errors import BadInput, BadMove, IllegalMove
from engine.game import Notation
from engine.klondike.moves import REDEAL, TURN, WASTE_UP, KlondikeKind, KlondikeMove
from engine.klondike.referee import KlondikePosition
from engine.replay import ReplayError, positions

_COLUMNS = "FGHIJKL"
_FOUNDATIONS = "BCDE"
_WASTE = "A"


class _Reader:
    """Moves that are read, and the position that they lead to."""

    def __init__(self, start: KlondikePosition) -> None:
        self.position = start
        self.moves: list[KlondikeMove] = []

    def play(self, move: KlondikeMove) -> None:
        try:
            self.position = self.position.play(move)
        except IllegalMove as error:
            raise ReplayError(len(self.moves) + 1, move, error.reason) from None
        self.moves.append(move)

    def up(self, word: str, source: int | None, to: int) -> None:
        """Play a card of a column, or of the waste for None, to the foundation of a suit."""
        pile = self.position.waste if source is None else self.position.up[source]
        if pile and suit(pile[-1]) != to:
            raise BadMove(
                f"{word!r} names the foundation {SUITS[to]} for a card of {SUITS[suit(pile[-1])]}"
            )
        self.play(WASTE_UP if source is None else KlondikeMove(KlondikeKind.UP, source))

    def run(self, word: str, source: int, target: int, count: int | None = None) -> None:
        """Play a run, of a number of cards if that is given."""
        if source == target:
            raise BadMove(f"{word!r} is not a move: a run cannot move onto its own column")
        before = len(self.position.up[target])
        self.play(KlondikeMove(KlondikeKind.RUN, source, target))
        moved = len(self.position.up[target]) - before
        if count is not None and moved != count:
            raise BadMove(f"{word!r} moves {count} cards, and the run that fits there has {moved}")


@contextmanager
def _sign(number: int, sign: str, at: int) -> Iterator[None]:
    """Have errors say which sign of a text is wrong: its number, itself, and where it stands."""
    try:
        yield
    except ReplayError as error:
        reason = f"{error.reason} (the sign {sign!r} at character {at + 1})"
        raise ReplayError(number, error.move, reason) from None
    except BadMove as error:
        raise BadMove(f"move {number}, at character {at + 1}: {error}") from None


# --- MinimalKlondike -----------------------------------------------------------------------------

_MINIMAL = re.compile(r"(?P<move>@|[A-L][A-L])|[^\s,]{1,2}")


def read_minimal(start: KlondikePosition, text: str) -> tuple[KlondikeMove, ...]:
    """Read the moves of MinimalKlondike, such as ``IC @@AL KL``.

    Raises:
        BadInput: a sign is no move, or a move is illegal.
    """
    reader = _Reader(start)
    for number, found in enumerate(_MINIMAL.finditer(text), start=1):
        sign = found[0]
        with _sign(number, sign, found.start()):
            if found["move"] is None:
                raise BadMove(
                    f"{sign!r} is not a move of MinimalKlondike: expected @ or two piles of A to "
                    "L, such as AI"
                )
            _play_minimal(reader, sign)
    return tuple(reader.moves)


def _play_minimal(reader: _Reader, sign: str) -> None:
    if sign == "@":
        if not reader.position.stock:
            reader.play(REDEAL)
        reader.play(TURN)
        return
    source, target = sign[0], sign[1]
    if target in _COLUMNS:
        to = _COLUMNS.index(target)
        if source in _COLUMNS:
            reader.run(sign, _COLUMNS.index(source), to)
        elif source in _FOUNDATIONS:
            reader.play(KlondikeMove(KlondikeKind.DOWN, _FOUNDATIONS.index(source), to))
        else:
            reader.play(KlondikeMove(KlondikeKind.WASTE_DOWN, 0, to))
    elif target in _FOUNDATIONS and source not in _FOUNDATIONS:
        of = None if source == _WASTE else _COLUMNS.index(source)
        reader.up(sign, of, _FOUNDATIONS.index(target))
    else:
        raise BadMove(f"{sign!r} is not a move: no card goes from {source} to {target}")


def write_minimal(start: KlondikePosition, moves: Iterable[KlondikeMove]) -> str:
    """Write moves as MinimalKlondike does; `read_minimal` is the inverse.

    Raises:
        BadInput: a move is illegal, or has no sign: a redeal that comes last, or part of a run
            to an empty column.
    """
    words: list[str] = []
    draws = ""
    redealt = False
    for before, move, _after in _steps(start, moves):
        if move.kind is KlondikeKind.REDEAL:
            redealt = True
            continue
        if move.kind is KlondikeKind.TURN:
            draws, redealt = f"{draws}@", False
            continue
        sign = _minimal_sign(before, move)
        if sign[0] == _WASTE:
            sign, draws = draws + sign, ""
        words.append(sign)
    if redealt:
        raise BadInput("MinimalKlondike has no sign for a redeal that no turn of the stock follows")
    return " ".join([*words, draws] if draws else words)


def _minimal_sign(before: KlondikePosition, move: KlondikeMove) -> str:
    match move.kind:
        case KlondikeKind.WASTE_UP:
            return _WASTE + _FOUNDATIONS[suit(before.waste[-1])]
        case KlondikeKind.WASTE_DOWN:
            return _WASTE + _COLUMNS[move.target]
        case KlondikeKind.UP:
            return _COLUMNS[move.source] + _FOUNDATIONS[suit(before.up[move.source][-1])]
        case KlondikeKind.DOWN:
            return _FOUNDATIONS[move.source] + _COLUMNS[move.target]
        case _:
            return _COLUMNS[move.source] + _COLUMNS[move.target]


def looks_minimal(text: str) -> bool:
    """Whether a text is made of the signs of MinimalKlondike."""
    return re.fullmatch(r"(@|[A-L]{2}|[\s,])*(@|[A-L]{2})(@|[A-L]{2}|[\s,])*", text) is not None


# --- Klondike-Solver -----------------------------------------------------------------------------

_SOLVER = re.compile(
    r"DR(?P<draws>[1-9][0-9]?)|(?P<new>NEW)|F(?P<flip>[1-7])"
    r"|(?P<source>[1-7WCDSH])(?P<target>[1-7CDSH])(-(?P<count>[1-9][0-9]?))?"
)


def read_klondike_solver(start: KlondikePosition, text: str) -> tuple[KlondikeMove, ...]:
    """Read the moves of Klondike-Solver, such as ``4D F4 DR2 W6 26-3``.

    Raises:
        BadInput: a word is no move, or a move is illegal.
    """
    reader = _Reader(start)
    for number, word in enumerate(re.finditer(r"[^\s,]+", text), start=1):
        with _sign(number, word[0], word.start()):
            _play_word(reader, word[0])
    return tuple(reader.moves)


def _play_word(reader: _Reader, word: str) -> None:
    found = _SOLVER.fullmatch(word)
    if found is None:
        raise BadMove(
            f"{word!r} is not a move of Klondike-Solver: expected DR and a number, NEW, F and "
            "a column, or two piles such as W4, 4D or 26-3"
        )
    if found["draws"]:
        for _ in range(int(found["draws"])):
            reader.play(TURN)
    elif found["new"]:
        reader.play(REDEAL)
    elif found["source"]:
        _play_solver(reader, word, found["source"], found["target"], int(found["count"] or 1))
    # What is left is a card turned face up, which the referee does with the move before.


def _play_solver(reader: _Reader, word: str, source: str, target: str, count: int) -> None:
    if target in SUITS:
        if source in SUITS:
            raise BadMove(f"{word!r} is not a move: no card goes from {source} to {target}")
        for _ in range(count):
            reader.up(word, None if source == "W" else int(source) - 1, SUITS.index(target))
    elif source == "W":
        for _ in range(count):
            reader.play(KlondikeMove(KlondikeKind.WASTE_DOWN, 0, int(target) - 1))
    elif source in SUITS:
        for _ in range(count):
            reader.play(KlondikeMove(KlondikeKind.DOWN, SUITS.index(source), int(target) - 1))
    else:
        reader.run(word, int(source) - 1, int(target) - 1, count)


def write_klondike_solver(start: KlondikePosition, moves: Iterable[KlondikeMove]) -> str:
    """Write moves as Klondike-Solver does; `read_klondike_solver` is the inverse.

    Raises:
        BadInput: a move is illegal, or takes part of a run to an empty column.
    """
    words: list[str] = []
    draws = 0
    for before, move, after in _steps(start, moves):
        if move.kind is KlondikeKind.TURN:
            draws += 1
            continue
        if draws:
            words.append(f"DR{draws}")
            draws = 0
        words.append(_solver_word(before, move, after))
        turned = move.kind in (KlondikeKind.UP, KlondikeKind.RUN)
        if turned and len(after.down[move.source]) < len(before.down[move.source]):
            words.append(f"F{move.source + 1}")
    if draws:
        words.append(f"DR{draws}")
    return " ".join(words)


def _solver_word(before: KlondikePosition, move: KlondikeMove, after: KlondikePosition) -> str:
    match move.kind:
        case KlondikeKind.REDEAL:
            return "NEW"
        case KlondikeKind.WASTE_UP:
            return f"W{SUITS[suit(before.waste[-1])]}"
        case KlondikeKind.UP:
            return f"{move.source + 1}{SUITS[suit(before.up[move.source][-1])]}"
        case KlondikeKind.RUN:
            count = _moved(before, move, after)
            return f"{move}-{count}" if count > 1 else str(move)
        case _:
            return str(move)


def looks_like_klondike_solver(text: str) -> bool:
    """Whether each word of a text is one of Klondike-Solver, and one is not one of ours."""
    words = text.replace(",", " ").split()
    return all(map(_SOLVER.fullmatch, words)) and any(
        re.fullmatch(r"DR[0-9]+|NEW|F[1-7]|[1-7W][CDSH](-[0-9]+)?|[1-7W][1-7]-[0-9]+", word)
        for word in words
    )


# --- PySolFC -------------------------------------------------------------------------------------

_SENTENCE = re.compile(
    r"(?P<deal>deal talon)|(?P<redeal>redeal talon)"
    r"|move (?P<count>a|[1-9][0-9]?) cards?"
    r" from (?P<source>the waste|stack [0-6]|foundation [cdsh])"
    r" to (?P<target>the foundations|stack [0-6])",
    re.IGNORECASE | re.ASCII,
)


def read_sentences(start: KlondikePosition, text: str) -> tuple[KlondikeMove, ...]:
    """Read the sentences of fc-solve and their like, each on a line or before a semicolon.

    Raises:
        BadInput: a sentence is no move, or a move is illegal.
    """
    reader = _Reader(start)
    for number, sentence in enumerate(re.finditer(r"[^\s;][^\n;]*", text), start=1):
        with _sign(number, sentence[0].strip()[:60], sentence.start()):
            _play_sentence(reader, sentence[0].strip())
    return tuple(reader.moves)


def _play_sentence(reader: _Reader, sentence: str) -> None:
    found = _SENTENCE.fullmatch(" ".join(sentence.split()))
    if found is None:
        raise BadMove(
            f"{sentence[:60]!r} is not a move of PySolFC: expected a sentence such as "
            "'Move 2 cards from stack 0 to stack 4', with stacks counted from 0"
        )
    if found["deal"]:
        reader.play(TURN)
    elif found["redeal"]:
        reader.play(REDEAL)
    else:
        count = 1 if found["count"].lower() == "a" else int(found["count"])
        _play_card(reader, sentence, found["source"], found["target"], count)


def _play_card(reader: _Reader, sentence: str, source: str, target: str, count: int) -> None:
    kind, _, of = source.lower().rpartition(" ")
    if kind == "stack" and target.lower().startswith("stack"):
        reader.run(sentence, int(of), int(target[-1]), count)
        return
    if count != 1:
        raise BadMove(f"{sentence!r} moves {count} cards: only from stack to stack more than one")
    if target.lower() == "the foundations":
        if kind == "foundation":
            raise BadMove(f"{sentence!r} is not a move: the card lies on a foundation")
        reader.play(WASTE_UP if kind == "the" else KlondikeMove(KlondikeKind.UP, int(of)))
    elif kind == "the":
        reader.play(KlondikeMove(KlondikeKind.WASTE_DOWN, 0, int(target[-1])))
    else:
        place = SUITS.index(of.upper())
        reader.play(KlondikeMove(KlondikeKind.DOWN, place, int(target[-1])))


def write_sentences(start: KlondikePosition, moves: Iterable[KlondikeMove]) -> str:
    """Write moves as sentences, one a line; `read_sentences` is the inverse.

    Raises:
        BadInput: a move is illegal, or takes part of a run to an empty column.
    """
    return "\n".join(_sentence(*step) for step in _steps(start, moves))


def _sentence(before: KlondikePosition, move: KlondikeMove, after: KlondikePosition) -> str:
    match move.kind:
        case KlondikeKind.TURN:
            return "Deal talon"
        case KlondikeKind.REDEAL:
            return "Redeal talon"
        case KlondikeKind.WASTE_UP:
            return "Move a card from the waste to the foundations"
        case KlondikeKind.WASTE_DOWN:
            return f"Move a card from the waste to stack {move.target}"
        case KlondikeKind.UP:
            return f"Move a card from stack {move.source} to the foundations"
        case KlondikeKind.DOWN:
            return f"Move a card from foundation {SUITS[move.source]} to stack {move.target}"
        case KlondikeKind.RUN:
            count = _moved(before, move, after)
            return f"Move {count} cards from stack {move.source} to stack {move.target}"
        case KlondikeKind.PART:
            raise AssertionError("refused by `_steps`")


def looks_like_sentences(text: str) -> bool:
    """Whether a text begins as a sentence for a move does."""
    return re.match(r"\s*(move|deal|redeal)\s+\w", text, re.IGNORECASE) is not None


# --- shared --------------------------------------------------------------------------------------


def _steps(
    start: KlondikePosition, moves: Iterable[KlondikeMove]
) -> Iterable[tuple[KlondikePosition, KlondikeMove, KlondikePosition]]:
    """Each move with the positions before and after it."""
    listed = list(moves)
    before = start
    for number, after in enumerate(positions(start, listed)):
        if number:
            move = listed[number - 1]
            if move.kind is KlondikeKind.PART:
                raise BadInput(
                    f"this notation has no sign for move {number}, {move}: "
                    "other programs let only kings go to empty columns"
                )
            yield before, move, after
        before = after


def _moved(before: KlondikePosition, move: KlondikeMove, after: KlondikePosition) -> int:
    return len(after.up[move.target]) - len(before.up[move.target])


NOTATIONS = (
    Notation(
        "minimal-klondike",
        "MinimalKlondike's piles, such as IC @@AL",
        read_minimal,
        write_minimal,
        looks_minimal,
    ),
    Notation(
        "klondike-solver",
        "Klondike-Solver's moves, such as 4D F4 DR2 W6",
        read_klondike_solver,
        write_klondike_solver,
        looks_like_klondike_solver,
    ),
    Notation(
        "pysolfc",
        "sentences of the solvers of PySolFC",
        read_sentences,
        write_sentences,
        looks_like_sentences,
        separator="\n",
    ),
)
