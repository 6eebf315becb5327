"""Solvitaire's rule language: JSON of options, read and written.

The language (Blake and Gent 2026, and the documents of their program) has an object for each part
of the table; whatever is left out has its usual value, and the empty object is Streets and Alleys.
Ours adds to it:

| object          | key                    | values                                              |
|-----------------|------------------------|-----------------------------------------------------|
| `tableau piles` | `move built group`     | also ``any-order``                                  |
| `tableau piles` | `move built group onto`| ``building``, or ``group``: `Options.groups_onto`   |
| `tableau piles` | `sizes`                | number of cards of each                             |
| `tableau piles` | `face down cards`      | their number in each                                |
| `foundations`   | `initial cards`        | also ``others``: `Options.founded`                  |
| `stock`         | `redeals`              | their number, in place of `redeal`                  |
| `stock`         | `deal onto empty`      | whether rows are dealt while a column is empty      |

Parts of groups that move only ``partial-if-card-above-buildable`` are read as groups that move:
Solvitaire so leaves out moves that no win needs (section 5.4.2).
"""

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from engine.cards import RANKS, card_name, parse_card
from engine.errors import BadInput
from engine.patience.rules import RANDOM, UNLIMITED, Options, check_option

# The option of each key of each object; the last ones have no object.
KEYS: Mapping[str, Mapping[str, str]] = {
    "tableau piles": {
        "count": "columns",
        "build policy": "building",
        "spaces policy": "spaces",
        "diagonal deal": "diagonal",
        "move built group": "groups",
        "move built group policy": "group_building",
        "move built group onto": "groups_onto",
        "sizes": "column_sizes",
        "face up cards": "face_up",
        "face down cards": "face_down",
    },
    "foundations": {
        "present": "foundations",
        "initial cards": "founded",
        "base card": "base",
        "removable": "removable",
        "only complete pile moves": "complete_runs",
    },
    "hole": {"present": "hole", "base card": "hole_base", "build loops": "hole_loops"},
    "cells": {"count": "cells", "pre-filled": "cells_filled"},
    "stock": {
        "size": "stock",
        "deal type": "stock_to",
        "deal count": "deal_count",
        "redeal": "redeals",
        "redeals": "redeals",
        "deal onto empty": "deal_onto_empty",
    },
    "reserve": {"size": "reserve", "stacked": "reserve_stacked"},
    "accordion": {
        "size": "accordion",
        "moves": "accordion_moves",
        "build policies": "accordion_building",
    },
    "sequences": {
        "count": "sequences",
        "direction": "sequence_direction",
        "build policy": "sequence_building",
        "fixed suit": "sequence_fixed_suit",
    },
    "": {"max rank": "max_rank", "two decks": "two_decks"},
}
_PARTIAL = "partial-if-card-above-buildable"


def read_options(data: Any) -> Options:
    """Read the rules of a JSON object.

    Raises:
        BadInput: it is no such object, or its options do not go together.
    """
    if not isinstance(data, dict):
        raise BadInput(f"rules are a JSON object with parts such as 'tableau piles', not {data!r}")
    given: dict[str, Any] = {}
    for part, value in data.items():
        if part in KEYS[""]:
            _read(given, "", part, value)
        elif part not in KEYS or not part:
            known = ", ".join(map(repr, (*filter(None, KEYS), *KEYS[""])))
            raise BadInput(f"rules have no {part!r}: expected {known}")
        elif not isinstance(value, dict):
            raise BadInput(f"{part!r} must be a JSON object, not {value!r}")
        else:
            for key, of_key in value.items():
                _read(given, part, key, of_key)
    return Options(**given)


def _read(given: dict[str, Any], part: str, key: str, value: Any) -> None:
    where = f"{key!r} in {part!r}" if part else repr(key)
    option = KEYS[part].get(key)
    if option is None:
        raise BadInput(f"{part!r} has no {key!r}: expected {', '.join(map(repr, KEYS[part]))}")
    if option in given:
        raise BadInput("'redeal' and 'redeals' in 'stock' say the same: expected one of them")
    if key == "redeal":
        if not isinstance(value, bool):
            raise BadInput(f"{where} must be true or false, not {value!r}")
        value = UNLIMITED if value else 0
    elif value == _PARTIAL and option == "groups":
        value = "yes"
    elif isinstance(value, list):
        value = tuple(value)
    elif isinstance(value, str) and option == "base" and value != RANDOM:
        value = _rank_of(value)
    elif isinstance(value, str) and option == "hole_base" and value != RANDOM:
        try:
            value = card_name(parse_card(value))
        except BadInput as error:
            raise BadInput(f"{where}: {error}") from None
    try:
        check_option(option, value)
    except BadInput as error:
        raise BadInput(f"{where}: {error}") from None
    given[option] = value


def _rank_of(text: str) -> str:
    """The letter of a rank that may be a number from 1 to 13; what is none stays as it is."""
    if text.isascii() and text.isdigit() and len(text) <= 2 and 1 <= int(text) <= len(RANKS):
        return RANKS[int(text) - 1]
    return text.upper()


def write_options(options: Options) -> dict[str, Any]:
    """Write rules as a JSON object, without what is as usual; `read_options` is the inverse."""
    usual = {field.name: field.default for field in fields(options)}
    usual["group_building"] = options.building
    data: dict[str, Any] = {}
    for part, keys in KEYS.items():
        # Redeals have two keys: "redeal" without limit, "redeals" for a number.
        for key, option in keys.items():
            value = getattr(options, option)
            if value == usual[option] or (option == "redeals" and not _says(key, value)):
                continue
            if key == "redeal":
                value = True
            at = data.setdefault(part, {}) if part else data
            at[key] = list(value) if isinstance(value, tuple) else value
    return data


def _says(key: str, redeals: int) -> bool:
    """Whether a key, of the two for redeals, is the one for their number."""
    return (key == "redeal") == (redeals == UNLIMITED)
