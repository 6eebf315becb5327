"""Putting the cards of a Spider position down, one after the other.

At first every column has as many face-down cards as at the start, and five rows are to come.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from engine.cards import HIDDEN, KING, SUITS, card_name, make_card, rank, suit
from engine.errors import BadInput
from engine.game import Edit, Setting
from engine.setting import (
    FACE_DOWN,
    Draft,
    PlaceForm,
    edit_draft,
    known,
    places,
    problem_of,
    read_draft,
)
from engine.spider.deal import COLUMN_SIZES, COLUMNS, DECKS, ROWS, RUNS
from engine.spider.referee import SpiderPosition
from engine.spider.rules import SpiderRules
from engine.spider.seen import stand_in
from engine.spider.table_text import write_seen

_COLUMN_NAMES = tuple(f"column{number}" for number in range(1, COLUMNS + 1))
_STOCK = ROWS * COLUMNS
_FORMS = (
    PlaceForm("stock", "Stock, next row first", _STOCK, "unseen cards", _STOCK, step=COLUMNS),
    PlaceForm("completed", "Completed runs, a king for each", most=RUNS),
    *(
        PlaceForm(
            name,
            f"Column {number}",
            unseen="face-down cards",
            most_unseen=max(COLUMN_SIZES) - 1,
            hides=True,
        )
        for number, name in enumerate(_COLUMN_NAMES, start=1)
    ),
)
_START = {
    "stock": [HIDDEN] * _STOCK,
    **{
        name: [FACE_DOWN] * (size - 1)
        for name, size in zip(_COLUMN_NAMES, COLUMN_SIZES, strict=True)
    },
}


def setting(
    given: Mapping[str, Sequence[str]] | None, rules: SpiderRules, edit: Edit | None = None
) -> Setting:
    """The table after an edit; see `engine.game.Game.setting`.

    Cards have the suits that count. A completed run is its king.

    Raises:
        BadInput: a place or a card is none, or cannot lie there face down or unknown.
    """
    draft = read_draft(_START if given is None else given, _FORMS)
    if edit is not None:
        edit_draft(draft, edit, _FORMS)
    kinds = Counter(rules.shown(card) for card in range(52) for _ in range(DECKS))
    for name, pile in draft.items():
        for card in known(pile):
            if card not in kinds:
                raise BadInput(f"{card_name(card)} is no card under {rules}")
            if name == "completed" and rank(card) != KING:
                raise BadInput(f"a completed run is its king, not {card_name(card)}")
    left = kinds - _lying(draft)
    data = _data(draft, rules)
    problem = problem_of(draft, _FORMS, left) or _problem(data, rules)

    def takes(form: PlaceForm) -> list[int]:
        if form.name != "completed":
            return [card for card in sorted(kinds) if left[card]]
        runs = (make_card(KING, each) for each in range(4))
        return [king for king in runs if all(left[card] for card in _run(king))]

    return Setting(
        places(draft, _FORMS, takes),
        {card_name(card): left[card] for card in sorted(kinds)},
        problem,
        data,
        None if problem else write_seen(data),
    )


def _run(king: int) -> list[int]:
    return [make_card(each, suit(king)) for each in range(KING + 1)]


def _lying(draft: Draft) -> "Counter[int]":
    """The cards that are known, those of completed runs among them."""
    lying = Counter(card for name in draft if name != "completed" for card in known(draft[name]))
    for king in known(draft["completed"]):
        lying.update(_run(king))
    return lying


def _data(draft: Draft, rules: SpiderRules) -> dict[str, Any]:
    columns = [draft[name] for name in _COLUMN_NAMES]
    stock = draft["stock"]
    return {
        "rules": rules.slug,
        "down": [[card.strip("<>") for card in pile if card.startswith("<")] for pile in columns],
        "up": [[card for card in pile if not card.startswith("<")] for pile in columns],
        "completed": {letter: draft["completed"].count(f"K{letter}") for letter in SUITS},
        "stock": [stock[at : at + COLUMNS] for at in range(0, len(stock), COLUMNS)],
    }


def _problem(data: Mapping[str, Any], rules: SpiderRules) -> str | None:
    """The reason why cards that all have their places cannot lie so; None if they can."""
    covered = [card for pile in (*data["down"], *data["stock"]) for card in pile]
    unknown = covered.count(HIDDEN)
    if 0 < unknown < len(covered):
        return "some unseen cards are named and others are not: name all of them, or none"
    try:
        if unknown:
            stand_in(data, rules)
        else:
            SpiderPosition.from_json(data, rules)
    except BadInput as error:
        return str(error)
    return None
