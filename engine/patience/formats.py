"""Text formats of patience deals: our own JSON and the board text of PySolFC and fc-solve."""

import json
from collections.abc import Callable
from typing import Any

from engine.errors import BadInput
from engine.game import Codec
from engine.patience.deal import PatienceDeal, deal_from_json
from engine.patience.layout import PatienceLayout
from engine.patience.positions import position_from_json
from engine.patience.referee import PatiencePosition
from engine.patience.rules import PatienceRules
from engine.patience.table_text import read_table, write_seen
from engine.text.board import BOARD_ALIASES, PYSOLFC, SUMMARY, looks_like_board
from engine.text.strict_json import looks_like_object, parse_json


def codecs(rules: PatienceRules, layout: PatienceLayout) -> tuple[Codec, ...]:
    """The formats of a game.

    Args:
        rules: its usual ruleset.
        layout: its layout.
    """

    def read_json(text: str) -> PatienceDeal:
        data = parse_json(text)
        if isinstance(data, dict) and data.get("game", rules.game) != rules.game:
            raise BadInput(f"this is a deal of {data['game']}: expected one of {rules.game}")
        return deal_from_json(data, rules.game, layout)

    first = layout.zones[0].name
    own = Codec(
        "json",
        f"Thoughtful's JSON: {', '.join(zone.name for zone in layout.zones)}",
        read_json,
        lambda deal: json.dumps(deal.to_json()),
        lambda text: looks_like_object(text, first),
    )
    if rules.options.sequences or rules.options.accordion:
        return (own,)  # no program's board has rows
    return own, Codec(PYSOLFC, SUMMARY, *_board(rules), looks_like_board, BOARD_ALIASES)


def _board(
    rules: PatienceRules,
) -> tuple[Callable[[str], PatienceDeal], Callable[[PatienceDeal], str]]:
    """Reader and writer of the board text of starting deals."""

    def read(text: str) -> PatienceDeal:
        data: dict[str, Any] = read_table(text, {rules.slug: rules.options})
        covered(data, rules)
        data.pop("rules", None)
        deal = position_from_json(data, rules).as_deal()
        if deal is None:
            raise BadInput("this is a position in mid-game, and a starting deal is expected")
        return deal

    def write(deal: PatienceDeal) -> str:
        data = PatiencePosition.start(deal, rules).to_json()
        del data["rules"]
        if not rules.options.cells_filled:
            data.pop("cells", None)
        data.pop("waste", None)
        return write_seen(data)

    return read, write


def covered(data: dict[str, Any], rules: PatienceRules) -> None:
    """Turn the face-down cards of a starting deal face down, where no card is marked."""
    from engine.patience.layout import layout_of

    layout = layout_of(rules.options)
    up = data.get("up", [])
    if any(data.get("down", [])) or tuple(map(len, up)) != layout.column_sizes:
        return
    data["down"] = [column[:count] for column, count in zip(up, layout.face_down, strict=True)]
    data["up"] = [column[count:] for column, count in zip(up, layout.face_down, strict=True)]
