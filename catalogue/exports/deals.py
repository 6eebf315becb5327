"""The table of deals: the place of every card at the start."""

from collections.abc import Iterable, Sequence
from typing import Any

from sqlalchemy import select

from catalogue.exports.columns import (
    DEAL,
    TEXT,
    WHOLE,
    ExportColumn,
    ExportTable,
    Rows,
    column,
    references,
)
from catalogue.exports.selection import Selection
from catalogue.schema import DealRow, RulesetRow, StatusRow
from engine.cards import DECK, card_name
from engine.games import DEFAULT_GAME, games, get_game

_CARD_NAMES = [card_name(card) for card in DECK]


def _deals_query(selection: Selection) -> Rows:
    query = select(DealRow.game, DealRow.dealer, DealRow.seed, DealRow.digest, DealRow.cards)
    if selection.ruleset is None and selection.status is None:
        query = query.where(*selection.dealt(DealRow))
    else:
        known = select(StatusRow.deal_id).join(RulesetRow, RulesetRow.id == StatusRow.ruleset_id)
        known = known.where(*selection.ruled(), *selection.dealt(StatusRow))
        if selection.status is not None:
            known = known.where(StatusRow.status == selection.status)
        query = query.where(DealRow.id.in_(known))
    return query.order_by(DealRow.game, DealRow.dealer, DealRow.seed, DealRow.id)


def _deals_values(rows: Sequence[Any]) -> Sequence[Sequence[Any]]:
    return [
        references(rows),
        *column(rows, "game", "dealer", "seed", "digest"),
        *([_zone(row, name) for row in rows] for name in _zone_names()),
    ]


def _zone_names() -> list[str]:
    """The zones of all games, beginning with those of the first game."""
    return list(dict.fromkeys(zone.name for game in games() for zone in game.zones))


def _zone(row: Any, name: str) -> str | None:
    """The piles of a zone as text; None if the game has no such zone."""
    for zone in get_game(row.game).zones:
        if zone.name == name:
            return " | ".join(_names(row.cards[pile.start : pile.stop]) for pile in zone.piles)
    return None


def _names(cards: Iterable[int]) -> str:
    return " ".join(_CARD_NAMES[card] for card in cards)


def _zone_column(name: str) -> ExportColumn:
    told = [
        f"{game.name}: {zone.meaning}"
        for game in games()
        for zone in game.zones
        if zone.name == name
    ]
    return ExportColumn(
        name,
        TEXT,
        "cards by rank A23456789TJQK and suit CDSH, separated by spaces, piles by ` | `; "
        f"{'; '.join(told)}; empty for other games",
    )


def deals_table() -> ExportTable:
    """The table, with a column for each zone of each game."""
    sizes = ", ".join(f"{game.name} {game.cards}" for game in games())
    return ExportTable(
        "deals",
        "The deals of the selection, with the place of every card at the start.",
        (
            DEAL,
            ExportColumn(
                "game", TEXT, f"game that the cards are dealt for, such as {DEFAULT_GAME}"
            ),
            ExportColumn("dealer", TEXT, "dealer of the deal; empty for an imported deal"),
            ExportColumn("seed", WHOLE, "seed of the deal; empty for an imported deal"),
            ExportColumn(
                "digest",
                TEXT,
                "32 hexadecimal digits that identify the order of the cards: the start of the "
                "SHA-256 of one byte per card (rank × 4 + suit, ranks A–K from 0, suits C D S H), "
                f"zone by zone and pile by pile in the order of the columns here; cards: {sizes}",
            ),
            *map(_zone_column, _zone_names()),
        ),
        _deals_query,
        _deals_values,
    )
