"""Putting the cards of a Klondike position down, one after the other.

At first every column has as many face-down cards as at the start, and the stock has the other
unseen ones. The stock holds whatever lies nowhere else, as far as there is room, so that it need
not be counted: a card that is put down on the waste is taken from the unseen ones of the stock.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from engine.cards import DECK, HIDDEN, RANKS, SUITS, card_name, make_card
from engine.errors import BadInput
from engine.game import Edit, Setting
from engine.klondike.deal import COLUMNS, STOCK_SIZE
from engine.klondike.rules import KlondikeRules
from engine.klondike.seen import stand_in
from engine.klondike.table_text import write_seen
from engine.setting import (
    FACE_DOWN,
    Draft,
    PlaceForm,
    edit_draft,
    known,
    places,
    problem_of,
    read_draft,
    remove_unknown,
    unknown_cards,
)

_USUAL = KlondikeRules()
_SUIT_WORDS = {"C": "clubs", "D": "diamonds", "S": "spades", "H": "hearts"}
_COLUMN_NAMES = tuple(f"column{number}" for number in range(1, COLUMNS + 1))
_FORMS = (
    *(
        PlaceForm(each, f"Foundation of {_SUIT_WORDS[each]}", most=1, is_single=True)
        for each in SUITS
    ),
    PlaceForm("waste", "Waste, playable card last", most=STOCK_SIZE),
    PlaceForm("stock", "Stock, next card first", STOCK_SIZE, "unseen cards", STOCK_SIZE),
    *(
        PlaceForm(
            name,
            f"Column {size + 1}",
            unseen="face-down cards",
            most_unseen=size,
            hides=True,
        )
        for size, name in enumerate(_COLUMN_NAMES)
    ),
)
_START = {name: [FACE_DOWN] * size for size, name in enumerate(_COLUMN_NAMES)}


def setting(
    given: Mapping[str, Sequence[str]] | None,
    rules: KlondikeRules = _USUAL,
    edit: Edit | None = None,
) -> Setting:
    """The table after an edit; see `engine.game.Game.setting`.

    A foundation has its top card alone.

    Raises:
        BadInput: a place or a card is none, or cannot lie there face down or unknown.
    """
    draft = read_draft(_START if given is None else given, _FORMS)
    if edit is not None:
        edit_draft(draft, edit, _FORMS)
    for letter in SUITS:
        if any(card[1] != letter for card in draft[letter]):
            raise BadInput(f"{draft[letter][0]} is no card of the foundation of {letter}")
    if given is None or (edit is not None and edit.place != "stock"):
        _fill_stock(draft)
    left = _left(draft)
    data = _data(draft, rules)
    problem = problem_of(draft, _FORMS, left) or _problem(data, rules)

    def takes(form: PlaceForm) -> list[int]:
        if form.name in SUITS:
            return _foundation_takes(draft, SUITS.index(form.name))
        return [card for card in DECK if left[card]]

    return Setting(
        places(draft, _FORMS, takes),
        {card_name(card): left[card] for card in DECK},
        problem,
        data,
        None if problem else write_seen(data),
    )


def _left(draft: Draft) -> "Counter[int]":
    """The cards that lie nowhere, the unknown ones among them."""
    lying = Counter(
        card for name, pile in draft.items() if name not in SUITS for card in known(pile)
    )
    lying.update(
        make_card(rank, at)
        for at, height in enumerate(_heights(draft).values())
        for rank in range(height)
    )
    return Counter(DECK) - lying


def _heights(draft: Draft) -> dict[str, int]:
    return {
        letter: RANKS.index(draft[letter][0][0]) + 1 if draft[letter] else 0 for letter in SUITS
    }


def _fill_stock(draft: Draft) -> None:
    """Have the stock hold the unseen cards that lie nowhere else, as far as there is room.

    Those that are too many or too few go or come at its end: the order of the others may be known.
    """
    stock = draft["stock"]
    free = _left(draft).total() - unknown_cards(draft)
    more = min(free, STOCK_SIZE - len(draft["waste"]) - len(stock))
    stock += [HIDDEN] * more  # none if negative
    remove_unknown(stock, HIDDEN, min(max(0, -more), stock.count(HIDDEN)))


def _foundation_takes(draft: Draft, own: int) -> list[int]:
    """Each card of the suit below which all others are on the foundation or lie nowhere."""
    left = _left({**draft, SUITS[own]: []})
    takes: list[int] = []
    for rank in range(len(RANKS)):
        card = make_card(rank, own)
        if not left[card]:
            break
        takes.append(card)
    return takes


def _data(draft: Draft, rules: KlondikeRules) -> dict[str, Any]:
    columns = [draft[name] for name in _COLUMN_NAMES]
    return {
        "rules": rules.slug,
        "down": [[card.strip("<>") for card in pile if card.startswith("<")] for pile in columns],
        "up": [[card for card in pile if not card.startswith("<")] for pile in columns],
        "foundations": _heights(draft),
        "stock": list(draft["stock"]),
        "waste": list(draft["waste"]),
    }


def _problem(data: Mapping[str, Any], rules: KlondikeRules) -> str | None:
    """The reason why cards that all have their places cannot lie so; None if they can."""
    try:
        stand_in(data, rules)
    except BadInput as error:
        return str(error)
    return None
