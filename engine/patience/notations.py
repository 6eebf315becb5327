"""Moves of games like FreeCell in the notations of other programs.

| moves                     | ``freecell``   | ``pysolfc``                                   |
|---------------------------|----------------|-----------------------------------------------|
| ``3-a``                   | ``3a``         | Move a card from stack 2 to freecell 0        |
| ``a-5``                   | ``a5``         | Move a card from freecell 0 to stack 4        |
| ``3-fS``                  | ``3h``         | Move a card from stack 2 to the foundations   |
| ``6-a 6-7 a-7``           | ``67``         | Move 2 cards from stack 5 to stack 6          |
| the same, 7 is empty      | ``67v2``       | the same                                      |

``freecell`` is the standard notation of FreeCell, as players write it and fc-solve prints it
(``-sn``, and ``-snx`` with the v): columns are 1, 2, …, cells a to g and then k, since h is home.
Column 10 is ``10``, or ``0``. ``pysolfc`` is the sentences of fc-solve, which PySolFC shows.

A sign from column to column stands for as many cards as go there one by one, by free cells and
empty columns; onto a card just one number can. To an empty column it is the number after the v, in
hexadecimal. Without one, it is one card if another sign of the text has a v; else the greatest
number with which the signs after it are legal.

Players leave out the cards that Microsoft's program moves to the foundations by itself after each
move: twos, and those that `engine.patience.actions.is_safe` names. They are added where the signs
are not legal without them, or where none of the signs is for the foundations and they end in a win.

A text may be all that fc-solve prints; its boards are passed over.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from engine.cards import RANKS, rank, suit
from engine.errors import BadInput, BadMove
from engine.game import Notation
from engine.patience.actions import is_safe
from engine.patience.groups import most_by_one, one_by_one
from engine.patience.layout import CELL, FOUNDATION
from engine.patience.moves import PatienceMove
from engine.patience.referee import PatiencePosition
from engine.patience.rules import Options
from engine.replay import ReplayError, positions, replay
from engine.text.normal import begins_fc_solve, is_between_boards

_CELLS = "abcdefgklmnopqrstu"
_MOST_COLUMNS = 10
_TWO = 1
# The number of ways that are tried to read signs which do not say how many cards they move.
_MOST_TRIES = 20_000


@dataclass(frozen=True, slots=True)
class _Sign:
    """A sign of a text.

    Attributes:
        text: itself.
        at: where it stands.
        source: the code of a column or cell.
        target: that of one; None for the foundations.
        cards: how many it moves; None if it does not say.
    """

    text: str
    at: int
    source: int
    target: int | None
    cards: int | None = None


def notations_of(rulesets: Iterable[Options]) -> tuple[Notation, ...]:
    """The notations of a game by the options of its rulesets; none if it is not like FreeCell."""
    if not all(map(_has_signs, rulesets)):
        return ()
    return (
        Notation(
            "freecell",
            "FreeCell's standard notation, such as 2a 3h 67",
            lambda start, text: _read(start, text, _standard_signs),
            lambda start, moves: _write(start, moves, _standard_text, " "),
            _looks_standard,
        ),
        Notation(
            "pysolfc",
            "sentences of the solvers of PySolFC",
            lambda start, text: _read(start, text, _sentences),
            lambda start, moves: _write(start, moves, _sentence, "\n"),
            lambda text: _BEGIN_OF_SENTENCE.match(_without_boards(text)) is not None,
            separator="\n",
        ),
    )


def _has_signs(o: Options) -> bool:
    return (
        0 < o.columns <= _MOST_COLUMNS
        and o.cells <= len(_CELLS)
        and o.groups == "no"
        and o.foundations
        and not (o.stock or o.reserve or o.two_decks or o.complete_runs)
    )


# --- the texts -----------------------------------------------------------------------------------

_STANDARD = re.compile(
    r"(?P<source>10|[0-9a-gk-u])(?P<target>10|[0-9a-hk-u])(?:v(?P<cards>[1-9a-d]))?", re.IGNORECASE
)
_SENTENCE = re.compile(
    r"move (?P<cards>a|[1-9][0-9]?) cards? from (?P<source>stack [0-9]{1,2}|freecell 1?[0-9])"
    r" to (?P<target>stack [0-9]{1,2}|freecell 1?[0-9]|the foundations)",
    re.IGNORECASE | re.ASCII,
)
_BEGIN_OF_SENTENCE = re.compile(r"\s*move\s+\w", re.IGNORECASE)


def _without_boards(text: str) -> str:
    """The text with blanks for what fc-solve prints beside the moves."""
    lines = text.splitlines(keepends=True)
    if not any(map(begins_fc_solve, lines)):
        return text
    has_boards = any(line.lstrip().startswith("Move") for line in lines)
    kept = []
    for line in lines:
        sign = line.lstrip().startswith("Move") if has_boards else not is_between_boards(line)
        kept.append(re.sub("Move:", "     ", line) if sign else " " * (len(line) - 1) + "\n")
    return "".join(kept)


def _looks_standard(text: str) -> bool:
    words = _without_boards(text).replace(",", " ").split()
    return bool(words) and all(map(_STANDARD.fullmatch, words))


def _standard_signs(text: str) -> Iterator[_Sign]:
    for number, word in enumerate(re.finditer(r"[^\s,]+", text), start=1):
        found = _STANDARD.fullmatch(word[0])
        if found is None:
            raise BadMove(
                f"move {number}, at character {word.start() + 1}: {word[0][:60]!r} is not a move "
                "of FreeCell's notation: expected two piles of 1 to 8, a to d and h, such as 2a"
            )
        target = found["target"].lower()
        yield _Sign(
            word[0],
            word.start(),
            _pile(found["source"].lower()),
            None if target == "h" else _pile(target),
            int(found["cards"], 16) if found["cards"] else None,
        )


def _pile(name: str) -> int:
    """The code of a column or cell."""
    return (int(name) or 10) - 1 if name.isdigit() else CELL + _CELLS.index(name)


def _standard_name(code: int) -> str:
    return str(code + 1) if code < CELL else _CELLS[code - CELL]


def _standard_text(before: PatiencePosition, sign: _Sign) -> str:
    if sign.target is None:
        return f"{_standard_name(sign.source)}h"
    cards = ""
    if _is_run(before, sign) and not before.columns[sign.target]:
        # The v is needed wherever another number of cards could be meant.
        most = next(_SignReader([replace(sign, cards=None)], is_helped=False).ways(before, 0))
        cards = f"v{sign.cards:x}" if len(most[0]) > 1 else ""
    return f"{_standard_name(sign.source)}{_standard_name(sign.target)}{cards}"


def _sentences(text: str) -> Iterator[_Sign]:
    for number, sentence in enumerate(re.finditer(r"[^\s;][^\n;]*", text), start=1):
        words = " ".join(sentence[0].split())
        found = _SENTENCE.fullmatch(words)
        if found is None:
            raise BadMove(
                f"move {number}, at character {sentence.start() + 1}: {words[:60]!r} is not a move "
                "of fc-solve: expected a sentence such as 'Move 2 cards from stack 0 to stack 4', "
                "with stacks counted from 0"
            )
        source, target = (_place(found[part].lower()) for part in ("source", "target"))
        assert source is not None  # cards do not come from "the foundations"
        cards = 1 if found["cards"].lower() == "a" else int(found["cards"])
        yield _Sign(words, sentence.start(), source, target, cards)


def _place(words: str) -> int | None:
    kind, _, number = words.partition(" ")
    if kind == "the":
        return None
    return int(number) + (CELL if kind == "freecell" else 0)


def _sentence(before: PatiencePosition, sign: _Sign) -> str:
    names = [
        "the foundations"
        if code is None
        else f"stack {code}"
        if code < CELL
        else f"freecell {code - CELL}"
        for code in (sign.source, sign.target)
    ]
    cards = f"{sign.cards} cards" if _is_run(before, sign) else "a card"
    return f"Move {cards} from {names[0]} to {names[1]}"


# --- reading -------------------------------------------------------------------------------------

# Moves that a sign may stand for, and the position after them.
_Way = tuple[tuple[PatienceMove, ...], PatiencePosition]


def _read(
    start: PatiencePosition, text: str, signs_of: Callable[[str], Iterable[_Sign]]
) -> tuple[PatienceMove, ...]:
    """The moves of a text, with those that players leave out only where they are needed.

    Raises:
        BadInput: a sign is none, or cannot be played.
    """
    signs = list(signs_of(_without_boards(text)))
    try:
        moves, end = _SignReader(signs, is_helped=False).read(start)
    except ReplayError as error:
        try:
            return _SignReader(signs, is_helped=True).read(start)[0]
        except ReplayError as other:
            raise max(error, other, key=lambda each: each.number) from None
    if not end.is_won and all(sign.target is not None for sign in signs):
        with suppress(BadInput):
            others, end = _SignReader(signs, is_helped=True).read(start)
            return others if end.is_won else moves
    return moves


class _SignReader:
    """Reads signs, by trying the ways to understand each one after the other.

    Args:
        signs: the signs.
        is_helped: whether safe cards go to the foundations by themselves after each sign.
    """

    def __init__(self, signs: Sequence[_Sign], *, is_helped: bool) -> None:
        self._signs = signs
        self._is_helped = is_helped
        self._has_v = any(sign.cards is not None for sign in signs)
        self._tries = 0
        self._furthest: ReplayError | None = None

    def read(self, start: PatiencePosition) -> _Way:
        """The moves of the signs from a position, and the position after them.

        Raises:
            ReplayError: there is no way to play one of them after the others.
            BadInput: they can be understood in too many ways.
        """
        path: list[_Way] = []
        ways: list[Iterator[_Way]] = []
        here = start
        while len(path) < len(self._signs):
            if len(ways) == len(path):
                ways.append(self.ways(here, len(path)))
            way = next(ways[-1], None)
            if way is not None:
                path.append(way)
                here = way[1]
            elif path:
                ways.pop()
                path.pop()
            else:
                assert self._furthest is not None  # no way led to the end
                raise self._furthest
        return tuple(move for moves, _ in path for move in moves), here

    def ways(self, before: PatiencePosition, number: int) -> Iterator[_Way]:
        """The ways to play a sign, those that move most cards first."""
        sign = self._signs[number]
        reason, played = "", False
        for cards in _counts(before, sign, single=self._has_v):
            moves = _moves_of(before, sign, cards)
            self._tries += 1
            if self._tries > _MOST_TRIES:
                raise BadInput(
                    "the moves to empty columns can be understood in too many ways: expected v and "
                    "the number of cards after each, as in 67v2"
                )
            try:
                after = replay(before, moves)
            except ReplayError as error:
                reason = error.reason
                continue
            played = True
            yield self._with_safe_moves(moves, after)
        if not played and (self._furthest is None or number >= self._furthest.number):
            move = PatienceMove(sign.source, _target_of(before, sign), sign.cards or 1)
            reason = _why_too_many(before, sign) or reason
            self._furthest = ReplayError(
                number + 1, move, f"{reason} (the sign {sign.text!r} at character {sign.at + 1})"
            )

    def _with_safe_moves(self, moves: Sequence[PatienceMove], after: PatiencePosition) -> _Way:
        made = list(moves)
        while self._is_helped:
            safe = next(
                (
                    move
                    for source in (*range(len(after.columns)), *range(CELL, CELL + len(_CELLS)))
                    for card in after.open_cards(source)[-1:]
                    for move in [PatienceMove(source, FOUNDATION + suit(card))]
                    if after.why_illegal(move) is None
                    and (rank(card) == _TWO or is_safe(after, move))
                ),
                None,
            )
            if safe is None:
                break
            made.append(safe)
            after = after.play(safe)
        return tuple(made), after


def _target_of(before: PatiencePosition, sign: _Sign) -> int:
    """The code of the pile to which a sign moves cards."""
    if sign.target is not None:
        return sign.target
    card = before.open_cards(sign.source)[-1:]
    return FOUNDATION + (suit(card[0]) if card else 0)


def _is_run(before: PatiencePosition, sign: _Sign) -> bool:
    """Whether a sign is from one column that there is to another one."""
    columns = range(len(before.columns))
    return sign.source in columns and sign.target in columns and sign.source != sign.target


def _counts(before: PatiencePosition, sign: _Sign, *, single: bool) -> Sequence[int]:
    """The numbers of cards that a sign may move, the greatest first.

    Args:
        before: the position.
        sign: the sign.
        single: whether it moves one card to an empty column, if it does not say how many.
    """
    if sign.cards is not None:
        return [sign.cards]
    target = _target_of(before, sign)
    if not _is_run(before, sign) or (single and not before.columns[target]):
        return [1]
    cards = len(before.columns[sign.source])
    return range(min(cards, most_by_one(before, target), len(RANKS)), 0, -1) or [1]


def _moves_of(before: PatiencePosition, sign: _Sign, cards: int) -> Sequence[PatienceMove]:
    """The moves of a sign for a number of cards, legal or not."""
    target = _target_of(before, sign)
    if _is_run(before, sign) and cards <= most_by_one(before, target):
        return one_by_one(before, sign.source, target, cards)
    return [PatienceMove(sign.source, target, cards)]


def _why_too_many(before: PatiencePosition, sign: _Sign) -> str | None:
    """Why the cards that a sign moves are too many; None if they are not."""
    if not _is_run(before, sign):
        return None
    source, target = before.columns[sign.source], before.columns[_target_of(before, sign)]
    cards = sign.cards
    if cards is None and source and target:
        cards = rank(target[-1]) - rank(source[-1])
    most = most_by_one(before, _target_of(before, sign))
    if cards is None or cards <= most or cards > len(source):
        return None
    return f"{cards} cards do not pass by the free cells and empty columns: {most} at most do"


# --- writing -------------------------------------------------------------------------------------


def _write(
    start: PatiencePosition,
    moves: Iterable[PatienceMove],
    text_of: Callable[[PatiencePosition, _Sign], str],
    separator: str,
) -> str:
    listed = tuple(moves)
    passed = list(positions(start, listed))
    words = []
    at = 0
    while at < len(listed):
        sign, length = _sign_at(passed, listed, at)
        words.append(text_of(passed[at], sign))
        at += length
    return separator.join(words)


def _sign_at(
    passed: Sequence[PatiencePosition], moves: Sequence[PatienceMove], at: int
) -> tuple[_Sign, int]:
    """The sign that stands for most moves from one of them on, and their number.

    Args:
        passed: the positions before and after each move.
        moves: the moves.
        at: the number of the first one, from 0.

    Raises:
        BadInput: the move has no sign.
    """
    source, target, _ = moves[at]
    if source >= FOUNDATION:
        raise BadInput(
            f"this notation has no sign for move {at + 1}, {moves[at]}: a card comes back from a "
            "foundation"
        )
    sign = _Sign("", 0, source, None if target >= FOUNDATION else target, 1)
    length = 1
    before = passed[at]
    for to, pile in enumerate(before.columns):
        if source >= CELL or to == source:
            continue
        most = min(most_by_one(before, to), len(before.columns[source]))
        for cards in range(2, most + 1):
            count = len(one_by_one(before, source, to, cards))
            if length < count < len(passed) - at:
                columns = list(before.columns)
                columns[to] = pile + columns[source][-cards:]
                columns[source] = columns[source][:-cards]
                if passed[at + count] == replace(before, columns=tuple(columns)):
                    sign, length = _Sign("", 0, source, to, cards), count
    return sign, length
