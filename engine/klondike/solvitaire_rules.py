"""Rules of Klondike as Solvitaire reads them from a file: JSON of its options.

``{"tableau piles": {"count": 7, "build policy": "red-black", "spaces policy": "kings", "move built
group": "yes", "diagonal deal": true, "face up cards": "top"}, "foundations": {"removable": true},
"stock": {"size": 24, "deal count": 3, "redeal": true}}`` is `klondike-draw3`. Solvitaire has
redeals without limit or none; its moves of a whole pile are those of piles without face-down cards,
so rules by which only whole runs move have no such form. Parts of runs that move only "if the card
above is buildable" are read as parts that move: Solvitaire so leaves out moves that no win needs
(Blake and Gent 2026, section 5.4.2), and a deal is winnable with them if it is without.
"""

import json
from typing import Any

from engine.errors import BadInput
from engine.game import RulesForm
from engine.klondike.deal import COLUMNS, STOCK_SIZE
from engine.klondike.rules import KlondikeRules
from engine.text.strict_json import parse_json

_BUILDING = {"alternating": "red-black", "any-suit": "any-suit", "same-suit": "same-suit"}
_SPACES = {"kings": "kings", "any": "any", "none": "no-build"}
# What makes it Klondike, by part; the options of the rules are not among it.
_KLONDIKE: dict[str, dict[str, Any]] = {
    "tableau piles": {
        "count": COLUMNS,
        "diagonal deal": True,
        "face up cards": "top",
    },
    "stock": {"size": STOCK_SIZE},
}
# What may be there besides, if it says that there is nothing special.
_MAY_BE: dict[str, dict[str, Any]] = {
    "tableau piles": {"move built group policy": "same-as-build"},
    "foundations": {"present": True, "initial cards": "none", "base card": "A"}
    | {"complete piles": False, "only complete pile moves": False},
    "stock": {"deal type": "waste"},
}
_OPTIONS: dict[str, dict[str, tuple[Any, ...]]] = {
    "tableau piles": {
        "build policy": tuple(_BUILDING.values()),
        "spaces policy": tuple(_SPACES.values()),
        "move built group": ("yes", "partial-if-card-above-buildable"),
    },
    "foundations": {"removable": (True, False)},
    "stock": {"deal count": tuple(range(1, STOCK_SIZE + 1)), "redeal": (True, False)},
}


def read_rules(text: str) -> KlondikeRules:
    """Read the rules of a file of Solvitaire.

    Raises:
        BadInput: not such rules, or not those of Klondike.
    """
    data = parse_json(text)
    if not isinstance(data, dict) or not all(isinstance(data.get(part), dict) for part in _OPTIONS):
        raise BadInput(
            "rules of Solvitaire are a JSON object with the parts "
            + ", ".join(f'"{part}"' for part in _OPTIONS)
        )
    other = sorted(set(data) - set(_OPTIONS))
    if other:
        raise BadInput(f'Klondike has no "{other[0]}": expected {", ".join(_OPTIONS)} alone')
    for part, options in _OPTIONS.items():
        given = data[part]
        wanted = {key: (value,) for key, value in _KLONDIKE.get(part, {}).items()} | options
        allowed = wanted | {key: (value,) for key, value in _MAY_BE[part].items()}
        for key in (*wanted, *given):
            values = allowed.get(key)
            if values is None:
                raise BadInput(f'Klondike has no "{key}" in "{part}"')
            if key not in given or not _is_one_of(given[key], values):
                value = json.dumps(given[key]) if key in given else "missing"
                expected = f"{values[0]} to {values[-1]}" if len(values) > 3 else _listed(values)
                raise BadInput(f'"{key}" in "{part}" is {value}: expected {expected}')
    piles, stock = data["tableau piles"], data["stock"]
    return KlondikeRules(
        draw=stock["deal count"],
        redeals=None if stock["redeal"] else 0,
        worrying_back=data["foundations"]["removable"],
        building=next(k for k, word in _BUILDING.items() if word == piles["build policy"]),
        spaces=next(k for k, word in _SPACES.items() if word == piles["spaces policy"]),
    )


def _is_one_of(value: Any, values: tuple[Any, ...]) -> bool:
    # true is no 1 here.
    return any(type(value) is type(each) and value == each for each in values)


def _listed(values: tuple[Any, ...]) -> str:
    return " or ".join(json.dumps(value) for value in values)


def write_rules(rules: KlondikeRules) -> str:
    """Write rules for Solvitaire; `read_rules` is the inverse.

    Raises:
        BadInput: Solvitaire has no such rules.
    """
    if not rules.partial_runs:
        raise BadInput(
            f"Solvitaire cannot play {rules.slug}: it has no runs that move only as a whole"
        )
    if rules.redeals:
        raise BadInput(f"Solvitaire cannot play {rules.slug}: there redeals are unlimited or none")
    piles = {
        "count": COLUMNS,
        "build policy": _BUILDING[rules.building],
        "spaces policy": _SPACES[rules.spaces],
        "move built group": "yes",
        **_KLONDIKE["tableau piles"],
    }
    return json.dumps(
        {
            "tableau piles": piles,
            "foundations": {"removable": rules.worrying_back},
            "stock": {
                "size": STOCK_SIZE,
                "deal count": rules.draw,
                "redeal": rules.redeals is None,
            },
        }
    )


FORMS = {"solvitaire": RulesForm(read_rules, write_rules)}
