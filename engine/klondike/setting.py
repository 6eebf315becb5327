"""Putting the cards of a Klondike position down by hand, one after the other.

For a table that is not complete yet this says what each place can take next, so that nothing that
is impossible can be entered; `engine.klondike.referee` judges the complete one.
"""

from collections import Counter
from collections.abc import Mapping, Sequence

from engine.cards import DECK, HIDDEN, RANKS, SUITS, card_name, make_card, parse_card
from engine.errors import BadInput
from engine.game import Place, Setting
from engine.klondike.deal import COLUMNS, STOCK_SIZE
from engine.klondike.rules import KlondikeRules

_USUAL = KlondikeRules()
_UNKNOWN = f"<{HIDDEN}>"
_SUIT_WORDS = {"C": "clubs", "D": "diamonds", "S": "spades", "H": "hearts"}
_COLUMNS = tuple(f"column{number}" for number in range(1, COLUMNS + 1))
_LABELS = (
    {suit: f"Foundation of {_SUIT_WORDS[suit]}, top card" for suit in SUITS}
    | {"waste": "Waste, playable card last", "stock": "Stock, next card first"}
    | {name: f"Column {number}" for number, name in enumerate(_COLUMNS, start=1)}
)


def setting(given: Mapping[str, Sequence[str]], rules: KlondikeRules = _USUAL) -> Setting:
    """The cards of the places, and those that they can take.

    Args:
        given: place -> its cards, bottom first; face-down ones stand in ``< >``, and ``<??>`` is
            one that is not known. A foundation has its top card alone. Places may be missing.
        rules: say which cards can lie on one another in a column.

    Raises:
        BadInput: a place or a card is none, or does not fit where it is put.
    """
    unknown_places = set(given) - set(_LABELS)
    if unknown_places:
        raise BadInput(f"{min(unknown_places)!r} is no place: expected {', '.join(_LABELS)}")
    table = _Table(rules)
    # As a person could have put them down: each card must be one that its place takes.
    for name in _LABELS:
        for card in given.get(name, ()):
            if card not in table.takes(name):
                raise BadInput(f"{card!r} cannot be put on: {_LABELS[name]}")
            table.put(name, card)
    places = tuple(
        Place(name, label, tuple(table.cards[name]), table.takes(name), name in SUITS)
        for name, label in _LABELS.items()
    )
    problem = table.problem()
    left = tuple(map(card_name, table.left))
    return Setting(places, left, problem, None if problem else table.text())


class _Table:
    def __init__(self, rules: KlondikeRules) -> None:
        self.rules = rules
        self.cards: dict[str, list[str]] = {name: [] for name in _LABELS}

    @property
    def left(self) -> list[int]:
        """The cards that lie nowhere."""
        lying = Counter(
            parse_card(card.strip("<>"))
            for name, pile in self.cards.items()
            if name not in SUITS
            for card in pile
            if card != _UNKNOWN
        )
        for at, suit in enumerate(SUITS):
            for top in self.cards[suit]:
                lying.update(make_card(rank, at) for rank in range(RANKS.index(top[0]) + 1))
        return [card for card in DECK if card not in lying]

    @property
    def unknown(self) -> int:
        """Face-down cards that are not known; they are among those left."""
        return sum(pile.count(_UNKNOWN) for pile in self.cards.values())

    def put(self, name: str, card: str) -> None:
        if name in SUITS:
            self.cards[name] = []  # a card further up in its place
        self.cards[name].append(card)

    def takes(self, name: str) -> tuple[str, ...]:
        """The cards that a place can take."""
        left = self.left
        free = len(left) - self.unknown
        if name in SUITS:
            return self._foundation_takes(name, left, free)
        if free <= 0:
            return ()
        open_cards = tuple(map(card_name, left))
        if name in ("waste", "stock"):
            full = len(self.cards["waste"]) + len(self.cards["stock"]) >= STOCK_SIZE
            return () if full else open_cards
        pile = self.cards[name]
        if pile and not pile[-1].startswith("<"):
            top = parse_card(pile[-1])
            return tuple(card_name(card) for card in left if self.rules.builds(card, top))
        if len(pile) >= _COLUMNS.index(name):
            return open_cards
        down = [card for each in _COLUMNS for card in self.cards[each] if card.startswith("<")]
        named = tuple(f"<{card}>" for card in open_cards)
        # Either all face-down cards are known or none.
        if _UNKNOWN in down:
            return (*open_cards, _UNKNOWN)
        return (*open_cards, *named) if down else (*open_cards, *named, _UNKNOWN)

    def _foundation_takes(self, name: str, left: list[int], free: int) -> tuple[str, ...]:
        """Each card of the suit below which all others are on the foundation or left."""
        pile = self.cards[name]
        low = RANKS.index(pile[0][0]) + 1 if pile else 0
        takes = []
        for rank in range(low, len(RANKS)):
            card = make_card(rank, SUITS.index(name))
            if card not in left or rank - low >= free:
                break
            takes.append(card_name(card))
        return tuple(takes)

    def problem(self) -> str | None:
        """The reason why this is no position yet; None if it is one."""
        for number, name in enumerate(_COLUMNS, start=1):
            if self.cards[name] and self.cards[name][-1].startswith("<"):
                return f"column {number} has face-down cards but none face up"
        lacking = len(self.left) - self.unknown
        if lacking:
            cards = "1 card has" if lacking == 1 else f"{lacking} cards have"
            return f"{cards} no place yet"
        return None

    def text(self) -> str:
        """The position as `engine.klondike.table_text` reads it."""
        tops = (f"{suit}-{self.cards[suit][0][0] if self.cards[suit] else 0}" for suit in SUITS)
        lines = [f"Foundations: {' '.join(tops)}"]
        lines += [
            f"{title}: {' '.join(self.cards[name])}".rstrip()
            for title, name in (("Waste", "waste"), ("Talon", "stock"))
        ]
        lines += [" ".join(self.cards[name]) or "-" for name in _COLUMNS]
        return "\n".join(lines) + "\n"
