"""Referee of Klondike: the rules in plain Python, slow and obviously right.

It says what a win is, shares no code with the compiled kernels, and judges a random share of what
the compiled referee, `engine.klondike.checker`, accepts.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from engine.cards import (
    HIDDEN,
    SUITS,
    card_name,
    check_full_deck,
    columns_text,
    make_card,
    parse_card,
    rank,
    suit,
)
from engine.errors import BadInput, IllegalMove
from engine.klondike.deal import COLUMNS, STOCK_SIZE, KlondikeDeal
from engine.klondike.moves import ALL_MOVES, KlondikeKind, KlondikeMove
from engine.klondike.rules import KlondikeRules
from engine.replay import wins
from engine.text.numbers import counted

_MOVES_TO_KNOWN_COLUMNS = tuple(move for move in ALL_MOVES if move.kind is not KlondikeKind.PART)


@dataclass(frozen=True, slots=True)
class KlondikePosition:
    """A position of Klondike during play; immutable, compared by value.

    Attributes:
        rules: the ruleset played.
        down: face-down cards of each column, bottom to top.
        up: face-up cards of each column, bottom to top.
        foundations: number of cards on each foundation, by suit C D S H.
        stock: cards still to be drawn, the next one first.
        waste: cards drawn, the playable one last.
        redeals_used: number of times that the waste was turned over.
    """

    rules: KlondikeRules
    down: tuple[tuple[int, ...], ...]
    up: tuple[tuple[int, ...], ...]
    foundations: tuple[int, int, int, int]
    stock: tuple[int, ...]
    waste: tuple[int, ...] = ()
    redeals_used: int = 0

    @classmethod
    def start(cls, deal: KlondikeDeal, rules: KlondikeRules) -> "KlondikePosition":
        """The position before the first move: the last card of each column is face up."""
        return cls(
            rules,
            down=tuple(column[:-1] for column in deal.tableau),
            up=tuple(column[-1:] for column in deal.tableau),
            foundations=(0, 0, 0, 0),
            stock=deal.stock,
        )

    def as_deal(self) -> KlondikeDeal | None:
        """The deal of which this is the start; None if it is the start of none."""
        columns = [(*down, *up) for down, up in zip(self.down, self.up, strict=True)]
        try:
            deal = KlondikeDeal.from_piles(columns, self.stock)
        except BadInput:
            return None
        return deal if self.start(deal, self.rules) == self else None

    @property
    def is_won(self) -> bool:
        return self.foundations == (13, 13, 13, 13)

    @property
    def progress(self) -> str:
        """The progress of the game, in words."""
        return f"{sum(self.foundations)} of 52 cards on the foundations"

    @property
    def to_come(self) -> str:
        """The cards still to come, in words."""
        return f"to be drawn  {' '.join(map(card_name, self.stock))}" if self.stock else ""

    def legal_moves(self) -> list[KlondikeMove]:
        """The legal moves, in the order of their bytes."""
        moves = ALL_MOVES if self.rules.spaces == "any" else _MOVES_TO_KNOWN_COLUMNS
        return [move for move in moves if self.why_illegal(move) is None]

    def why_illegal(self, move: KlondikeMove) -> str | None:
        """The reason why the rules forbid a move here; None if it is legal."""
        match move.kind:
            case KlondikeKind.TURN:
                return None if self.stock else "the stock is empty"
            case KlondikeKind.REDEAL:
                if self.stock:
                    return "the stock is not empty yet"
                if not self.waste:
                    return "the waste is empty"
                if self.rules.redeals is not None and self.redeals_used >= self.rules.redeals:
                    return f"only {self.rules.redeals} redeals are allowed"
                return None
            case KlondikeKind.WASTE_UP:
                if not self.waste:
                    return "the waste is empty"
                return self._why_not_up(self.waste[-1])
            case KlondikeKind.WASTE_DOWN:
                if not self.waste:
                    return "the waste is empty"
                return self._why_not_onto(self.waste[-1], move.target)
            case KlondikeKind.UP:
                if not self.up[move.source]:
                    return f"column {move.source + 1} is empty"
                return self._why_not_up(self.up[move.source][-1])
            case KlondikeKind.DOWN:
                if not self.rules.worrying_back:
                    return "cards may not leave the foundations under these rules"
                height = self.foundations[move.source]
                if height == 0:
                    return f"the {SUITS[move.source]} foundation is empty"
                return self._why_not_onto(make_card(height - 1, move.source), move.target)
            case KlondikeKind.RUN:
                return self._why_not_run(move.source, move.target)
            case KlondikeKind.PART:
                return self._why_not_part(move.source, move.cards)

    def play(self, move: KlondikeMove) -> "KlondikePosition":
        """The position after a move.

        Raises:
            IllegalMove: the rules forbid the move here; the message gives the reason.
        """
        reason = self.why_illegal(move)
        if reason is not None:
            raise IllegalMove(move, reason)
        down, up = list(self.down), list(self.up)
        foundations = list(self.foundations)
        stock, waste, redeals_used = self.stock, self.waste, self.redeals_used

        match move.kind:
            case KlondikeKind.TURN:
                turned = stock[: self.rules.draw]
                stock, waste = stock[self.rules.draw :], waste + turned
            case KlondikeKind.REDEAL:
                stock, waste, redeals_used = waste, (), redeals_used + 1
            case KlondikeKind.WASTE_UP:
                foundations[suit(waste[-1])] += 1
                waste = waste[:-1]
            case KlondikeKind.WASTE_DOWN:
                up[move.target] += (waste[-1],)
                waste = waste[:-1]
            case KlondikeKind.UP:
                foundations[suit(up[move.source][-1])] += 1
                up[move.source] = up[move.source][:-1]
            case KlondikeKind.DOWN:
                foundations[move.source] -= 1
                up[move.target] += (make_card(foundations[move.source], move.source),)
            case KlondikeKind.RUN:
                at = self._run_start(move.source, move.target)
                assert at is not None
                up[move.target] += up[move.source][at:]
                up[move.source] = up[move.source][:at]
            case KlondikeKind.PART:
                up[up.index(())] = up[move.source][-move.cards :]
                up[move.source] = up[move.source][: -move.cards]

        for column in range(COLUMNS):
            if not up[column] and down[column]:
                up[column], down[column] = down[column][-1:], down[column][:-1]
        return KlondikePosition(
            self.rules,
            tuple(down),
            tuple(up),
            (foundations[0], foundations[1], foundations[2], foundations[3]),
            stock,
            waste,
            redeals_used,
        )

    def _why_not_up(self, card: int) -> str | None:
        if self.foundations[suit(card)] == rank(card):
            return None
        return f"{card_name(card)} does not follow on its foundation"

    def _accepts(self, card: int, column: int) -> bool:
        if not self.up[column]:
            return self.rules.fills(card)
        return self.rules.builds(card, self.up[column][-1])

    def _why_not_onto(self, card: int, column: int) -> str | None:
        if self._accepts(card, column):
            return None
        if not self.up[column]:
            who = "only a king" if self.rules.spaces == "kings" else "no card"
            return f"{card_name(card)} may not go to the empty column {column + 1}: {who} may"
        top = card_name(self.up[column][-1])
        return f"{card_name(card)} does not fit on {top} of column {column + 1}"

    def _run_start(self, source: int, target: int) -> int | None:
        """Index in the face-up cards of `source` of the run that fits on `target`."""
        starts = range(len(self.up[source])) if self.rules.partial_runs else range(1)
        for at in starts:
            if at < len(self.up[source]) and self._accepts(self.up[source][at], target):
                return at
        return None

    def _why_not_run(self, source: int, target: int) -> str | None:
        if source == target:
            return "a run cannot move onto its own column"
        if not self.up[source]:
            return f"column {source + 1} is empty"
        if not self.up[target] and self.rules.spaces == "any":
            return (
                f"column {target + 1} is empty, and any card may go there: expected a number of "
                f"cards, such as {source + 1}x1"
            )
        if self._run_start(source, target) is not None:
            return None
        if not self.rules.partial_runs:
            return (
                f"all face-up cards of column {source + 1} move together, and "
                f"{self._why_not_onto(self.up[source][0], target)}"
            )
        return f"no face-up card of column {source + 1} fits on column {target + 1}"

    def _why_not_part(self, source: int, cards: int) -> str | None:
        if self.rules.spaces != "any":
            return "a number of cards is named only where any card may go to an empty column"
        if () not in self.up:
            return "no column is empty"
        held = len(self.up[source])
        if cards > held:
            return f"column {source + 1} has only {held} face-up cards"
        if cards < held and not self.rules.partial_runs:
            return f"all {held} face-up cards of column {source + 1} move together"
        return None

    def __str__(self) -> str:
        """The table as text: foundations, stock and waste, then the columns, ``[ ]`` face down."""
        tops = [
            card_name(make_card(height - 1, s)) if height else f"-{SUITS[s]}"
            for s, height in enumerate(self.foundations)
        ]
        waste = " ".join(card_name(card) for card in self.waste) or "-"
        lines = [
            "foundations  " + " ".join(tops),
            f"stock        {counted(len(self.stock), 'card')}",
            f"waste        {waste}",
            "",
            "".join(f"{column + 1:^4} " for column in range(COLUMNS)).rstrip(),
        ]
        return "\n".join([*lines, *columns_text(self.down, self.up)])

    def to_json(self) -> dict[str, Any]:
        """The position as plain data: face-down and face-up cards of each column, foundations by
        suit letter, stock (next first), waste (playable last), redeals used, ruleset.
        """
        return {
            "rules": self.rules.slug,
            "down": [[card_name(card) for card in column] for column in self.down],
            "up": [[card_name(card) for card in column] for column in self.up],
            "foundations": dict(zip(SUITS, self.foundations, strict=True)),
            "stock": [card_name(card) for card in self.stock],
            "waste": [card_name(card) for card in self.waste],
            "redeals_used": self.redeals_used,
        }

    def observation(self) -> dict[str, Any]:
        """`to_json` as a person sees the table: ``??`` for face-down cards of the columns.

        The stock is taken to be known, since redeals show it.
        """
        return self.to_json() | {"down": [[HIDDEN] * len(column) for column in self.down]}

    @classmethod
    def from_json(cls, data: Any, rules: KlondikeRules) -> "KlondikePosition":
        """Read the position from the JSON of `to_json`, under the rules given.

        Raises:
            BadInput: a key is missing or malformed, or the position is impossible.
        """
        try:
            down = tuple(tuple(parse_card(text) for text in column) for column in data["down"])
            up = tuple(tuple(parse_card(text) for text in column) for column in data["up"])
            heights = [_whole_number(data["foundations"][letter]) for letter in SUITS]
            stock = tuple(parse_card(text) for text in data["stock"])
            waste = tuple(parse_card(text) for text in data["waste"])
            redeals_used = _whole_number(data.get("redeals_used", 0))
        except BadInput:
            raise
        except (KeyError, TypeError, AttributeError) as error:
            raise BadInput(
                'a position needs the keys "down" and "up" (seven lists of cards each), '
                f'"foundations" (a height for each of C D S H), "stock" and "waste": {error!r}'
            ) from None
        return cls(
            rules,
            down,
            up,
            (heights[0], heights[1], heights[2], heights[3]),
            stock,
            waste,
            redeals_used,
        ).checked()

    def checked(self) -> "KlondikePosition":
        """Return the position itself if it is possible.

        Raises:
            BadInput: the position is impossible; the message gives the reason.
        """
        if len(self.down) != COLUMNS or len(self.up) != COLUMNS:
            raise BadInput("a position has 7 columns")
        if not all(0 <= height <= 13 for height in self.foundations):
            raise BadInput("a foundation holds 0 to 13 cards")
        most = self.rules.redeals
        if self.redeals_used < 0 or (most is not None and self.redeals_used > most):
            allowed = "0 or more" if most is None else f"0 to {most}"
            raise BadInput(
                f"{self.redeals_used} redeals used so far (redeals_used): expected {allowed}"
            )
        if len(self.stock) + len(self.waste) > STOCK_SIZE:
            raise BadInput(
                f"stock and waste hold {len(self.stock) + len(self.waste)} cards: "
                f"at most {STOCK_SIZE} ever lie there"
            )
        lying = [make_card(r, s) for s in range(4) for r in range(self.foundations[s])]
        for piles in (*self.down, *self.up, self.stock, self.waste):
            lying.extend(piles)
        check_full_deck(lying, "the position")
        for column, (down, up) in enumerate(zip(self.down, self.up, strict=True), start=1):
            if len(down) >= column:
                raise BadInput(
                    f"column {column} has {len(down)} face-down cards: it starts with {column - 1}"
                )
            if down and not up:
                raise BadInput(f"column {column} has face-down cards but none face up")
            for below, above in pairwise(up):
                if not self.rules.builds(above, below):
                    raise BadInput(
                        f"column {column}: {card_name(above)} cannot lie face up on "
                        f"{card_name(below)}"
                    )
        return self


def _whole_number(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise BadInput(f"{value!r} is not a whole number: foundations and redeals_used are counts")
    return value


def proves_win(deal: KlondikeDeal, rules: KlondikeRules, moves: Iterable[KlondikeMove]) -> bool:
    """Whether all moves are legal from the start of the deal and the last one wins."""
    return wins(KlondikePosition.start(deal, rules), moves)
