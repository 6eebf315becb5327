"""Referee of Spider: the rules in plain Python, slow and obviously right.

It says what a win is, shares no code with the compiled kernels, and judges a random share of what
the compiled referee, `engine.spider.checker`, accepts.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from engine.cards import HIDDEN, SUITS, card_name, columns_text, make_card, parse_card, rank, suit
from engine.errors import BadInput, IllegalMove
from engine.spider.deal import CARDS, COLUMNS, ROWS, RUNS, SpiderDeal
from engine.spider.moves import DEAL, SpiderKind, SpiderMove, run
from engine.spider.rules import SpiderRules
from engine.text.numbers import counted

_WHOLE_RUN = 13


@dataclass(frozen=True, slots=True)
class SpiderPosition:
    """A position of Spider during play; immutable, compared by value.

    Attributes:
        rules: the ruleset played; cards have the suits that count under it.
        down: face-down cards of each column, bottom to top.
        up: face-up cards of each column, bottom to top.
        completed: runs from king to ace that have left the table, by suit C D S H.
        stock: the rows still to be dealt, the next one first.
    """

    rules: SpiderRules
    down: tuple[tuple[int, ...], ...]
    up: tuple[tuple[int, ...], ...]
    completed: tuple[int, int, int, int]
    stock: tuple[tuple[int, ...], ...]

    @classmethod
    def start(cls, deal: SpiderDeal, rules: SpiderRules) -> "SpiderPosition":
        """The position before the first move: the last card of each column is face up."""
        shown = rules.shown
        tableau = [tuple(shown(card) for card in column) for column in deal.tableau]
        return cls(
            rules,
            down=tuple(column[:-1] for column in tableau),
            up=tuple(column[-1:] for column in tableau),
            completed=(0, 0, 0, 0),
            stock=tuple(tuple(shown(card) for card in row) for row in deal.stock),
        )

    def as_deal(self) -> SpiderDeal | None:
        """The deal of which this is the start, its columns in the usual order.

        None if it is the start of none, or of many: where fewer than four suits count, it does not
        say which cards of the deck they are.
        """
        if any(len(up) != 1 for up in self.up):
            return None
        columns = [(*down, *up) for down, up in zip(self.down, self.up, strict=True)]
        try:
            return SpiderDeal.from_piles(columns, self.stock)
        except BadInput:
            return None

    @property
    def is_won(self) -> bool:
        return sum(self.completed) == RUNS

    @property
    def progress(self) -> str:
        """The progress of the game, in words."""
        return f"{sum(self.completed)} of {RUNS} runs completed"

    @property
    def to_come(self) -> str:
        """The rows still to come, in words."""
        return "\n".join(
            f"row {number} to be dealt  {' '.join(map(card_name, row))}"
            for number, row in enumerate(self.stock, 1)
        )

    def run_length(self, column: int) -> int:
        """Length of the top run in suit of a column, which is what may move."""
        cards = self.up[column]
        length = min(1, len(cards))
        for below, above in pairwise(reversed(cards)):
            if rank(above) != rank(below) + 1 or suit(above) != suit(below):
                break
            length += 1
        return length

    def legal_moves(self) -> list[SpiderMove]:
        """The legal moves: dealing first, then by source, target and number of cards."""
        moves = [DEAL] if self.why_illegal(DEAL) is None else []
        for source in range(COLUMNS):
            for target in range(COLUMNS):
                for count in range(1, self.run_length(source) + 1):
                    move = run(source, target, count)
                    if self.why_illegal(move) is None:
                        moves.append(move)
        return moves

    def why_illegal(self, move: SpiderMove) -> str | None:
        """The reason why the rules forbid a move here; None if it is legal."""
        if move.kind is SpiderKind.DEAL:
            if not self.stock:
                return "the stock is empty"
            if not self.rules.deal_onto_empty:
                for column in range(COLUMNS):
                    if not self.up[column]:
                        return (
                            f"column {column + 1} is empty, and these rules do not deal onto "
                            "empty columns"
                        )
            return None
        source, target, count = move.source, move.target, move.cards
        if source == target:
            return "a run cannot move onto its own column"
        if not self.up[source]:
            return f"column {source + 1} is empty"
        if not 1 <= count <= self.run_length(source):
            movable = self.run_length(source)
            return (
                f"{count} cards of column {source + 1} cannot move together: "
                f"only {movable} on top go down in one suit"
            )
        if self.up[target]:
            card, top = self.up[source][-count], self.up[target][-1]
            if rank(top) != rank(card) + 1:
                return f"{card_name(card)} does not fit on {card_name(top)} of column {target + 1}"
        return None

    def play(self, move: SpiderMove) -> "SpiderPosition":
        """The position after a move.

        Raises:
            IllegalMove: the rules forbid the move here; the message gives the reason.
        """
        reason = self.why_illegal(move)
        if reason is not None:
            raise IllegalMove(move, reason)
        down, up, completed = list(self.down), list(self.up), list(self.completed)
        stock = self.stock
        changed: Iterable[int] = range(COLUMNS)
        if move.kind is SpiderKind.DEAL:
            for column in changed:
                up[column] += (stock[0][column],)
            stock = stock[1:]
        else:
            up[move.target] += up[move.source][-move.cards :]
            up[move.source] = up[move.source][: -move.cards]
            changed = move.source, move.target
        for column in changed:
            run_suit = completed_run(up[column])
            if run_suit is not None:
                completed[run_suit] += 1
                up[column] = up[column][:-_WHOLE_RUN]
            if not up[column] and down[column]:
                up[column], down[column] = down[column][-1:], down[column][:-1]
        return SpiderPosition(
            self.rules,
            tuple(down),
            tuple(up),
            (completed[0], completed[1], completed[2], completed[3]),
            stock,
        )

    def __str__(self) -> str:
        """The table as text: completed runs, rows to come, then the columns, ``[ ]`` face down."""
        completed = " ".join(
            letter
            for letter, times in zip(SUITS, self.completed, strict=True)
            for _ in range(times)
        )
        lines = [
            f"completed    {completed or '-'}",
            f"stock        {counted(len(self.stock), 'row')}",
            "",
            "".join(f"{(column + 1) % 10:^4} " for column in range(COLUMNS)).rstrip(),
        ]
        return "\n".join([*lines, *columns_text(self.down, self.up)])

    def to_json(self) -> dict[str, Any]:
        """The position as plain data: face-down and face-up cards of each column, completed runs by
        suit letter, rows to come (next first), ruleset.
        """
        return {
            "rules": self.rules.slug,
            "down": [[card_name(card) for card in column] for column in self.down],
            "up": [[card_name(card) for card in column] for column in self.up],
            "completed": dict(zip(SUITS, self.completed, strict=True)),
            "stock": [[card_name(card) for card in row] for row in self.stock],
        }

    def observation(self) -> dict[str, Any]:
        """`to_json` as a person sees the table: ``??`` for face-down cards and the stock."""
        return self.to_json() | {
            "down": [[HIDDEN] * len(column) for column in self.down],
            "stock": [[HIDDEN] * len(row) for row in self.stock],
        }

    @classmethod
    def from_json(cls, data: Any, rules: SpiderRules) -> "SpiderPosition":
        """Read the position from the JSON of `to_json`, under the rules given.

        Raises:
            BadInput: a key is missing or malformed, or the position is impossible.
        """
        try:
            down, up, stock = (
                tuple(tuple(parse_card(text) for text in pile) for pile in data[key])
                for key in ("down", "up", "stock")
            )
            # The former name of this key is "removed".
            runs = data["removed"] if "completed" not in data else data["completed"]
            completed = [runs[letter] for letter in SUITS]
        except BadInput:
            raise
        except (KeyError, TypeError, AttributeError) as error:
            raise BadInput(
                'a position of Spider needs the keys "down" and "up" (ten lists of cards each), '
                f'"completed" (a number for each of C D S H) and "stock" (rows of ten): {error!r}'
            ) from None
        if not all(type(times) is int and 0 <= times <= RUNS for times in completed):
            raise BadInput(f'"completed" must hold whole numbers from 0 to {RUNS}, not {completed}')
        return cls(
            rules, down, up, (completed[0], completed[1], completed[2], completed[3]), stock
        ).checked()

    def checked(self) -> "SpiderPosition":
        """Return the position itself if it is possible.

        Raises:
            BadInput: the position is impossible; the message gives the reason.
        """
        if len(self.down) != COLUMNS or len(self.up) != COLUMNS:
            raise BadInput(f"a position of Spider has {COLUMNS} columns")
        if len(self.stock) > ROWS or any(len(row) != COLUMNS for row in self.stock):
            raise BadInput(f"the stock of Spider is at most {ROWS} rows of {COLUMNS} cards")
        lying = [
            make_card(r, s) for s in range(4) for _ in range(self.completed[s]) for r in range(13)
        ]
        for pile in (*self.down, *self.up, *self.stock):
            lying.extend(pile)
        expected = sorted(self.rules.shown(card) for card in (*range(52), *range(52)))
        if sorted(lying) != expected:
            for card in sorted(set(expected) | set(lying)):
                have, need = lying.count(card), expected.count(card)
                if have != need:
                    raise BadInput(
                        f"the position is not two full decks under {self.rules}: it has "
                        f"{card_name(card)} {have} times, expected {need} ({len(lying)} cards of "
                        f"{CARDS})"
                    )
        for column, (down, up) in enumerate(zip(self.down, self.up, strict=True), start=1):
            if down and not up:
                raise BadInput(f"column {column} has face-down cards but none face up")
            if completed_run(up) is not None:
                raise BadInput(f"the run from king to ace on column {column} has left the table")
        return self


def completed_run(cards: tuple[int, ...]) -> int | None:
    """Suit of the run from king to ace on top of the cards, or None."""
    top = cards[-_WHOLE_RUN:]
    if not top or rank(top[-1]) != 0:
        return None  # most often; the rest takes longer
    of = suit(top[-1])
    if top == tuple(make_card(r, of) for r in reversed(range(_WHOLE_RUN))):
        return of
    return None
