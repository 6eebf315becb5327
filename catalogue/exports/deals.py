"""The table of deals: the place of every card at the start."""

from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha256
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import select

from catalogue.blocks import Whole
from catalogue.exports.columns import (
    DEAL,
    TEXT,
    WHOLE,
    Columns,
    ExportColumn,
    ExportTable,
    Source,
    deal_names,
    repeated,
)
from catalogue.exports.selection import StoredDealing, StoredRuleset
from catalogue.exports.statuses import blocks_of
from catalogue.reading.block_reader import read_statuses
from catalogue.reading.imported import read_imported
from catalogue.schema import BLOCK_SIZE, DealRow
from engine.cards import DECK, card_name
from engine.dealing.dealers import get_dealer
from engine.games import DEFAULT_GAME, games, get_game

_CARD_NAMES = [card_name(card) for card in DECK]
# Seeds between two deals that are dealt all the same, since dealing many at once is quicker.
_GAP = 100


def _read_deals(source: Source) -> Iterator[Columns]:
    session, selection = source.session, source.selection
    rulesets = selection.rulesets(session)
    for dealing in selection.dealings(session):
        mine = [ruleset for ruleset in rulesets if ruleset.game == dealing.game]
        if dealing.dealer is None:
            yield from _imported(source, dealing, mine)
            continue
        for seeds in _seeds(source, dealing, mine):
            for start in range(0, len(seeds), source.batch):
                some = seeds[start : start + source.batch]
                cards = np.concatenate(list(_cards(dealing, some)))
                digests = [sha256(row.tobytes()).hexdigest()[:32] for row in cards]
                yield [
                    deal_names(dealing.dealer, some),
                    repeated(dealing.game, len(some)),
                    repeated(dealing.dealer, len(some)),
                    some,
                    digests,
                    *_zones(dealing.game, cards),
                ]


def _seeds(
    source: Source, dealing: StoredDealing, rulesets: Sequence[StoredRuleset]
) -> Iterator[Whole]:
    """The seeds of the deals of a dealing that are selected, block by block."""
    blocks = {ruleset.id: blocks_of(source, ruleset.id, dealing.id) for ruleset in rulesets}
    for block in sorted({block for some in blocks.values() for block in some}):
        chosen = np.zeros(BLOCK_SIZE, dtype=np.bool_)
        for ruleset in rulesets:
            if block in blocks[ruleset.id]:
                statuses = read_statuses(source.session, ruleset.id, dealing.id, block)
                inside = slice(statuses.first, statuses.first + len(statuses))
                chosen[inside] |= source.selection.passing(statuses, block)
        yield np.flatnonzero(chosen) + block * BLOCK_SIZE


def _cards(dealing: StoredDealing, seeds: Whole) -> Iterator[NDArray[np.uint8]]:
    """The cards of deals, uint8[n, cards], a run of seeds after the other."""
    dealer, game = get_dealer(str(dealing.dealer)), get_game(dealing.game)
    for run in np.split(seeds, np.flatnonzero(np.diff(seeds) > _GAP) + 1):
        first = int(run[0])
        yield dealer.deal_block(first, int(run[-1]) - first + 1, game)[run - first]


def _imported(
    source: Source, dealing: StoredDealing, rulesets: Sequence[StoredRuleset]
) -> Iterator[Columns]:
    ids: set[int] = set()
    for ruleset in rulesets:
        imported = read_imported(source.cat, source.session, ruleset.id)
        ids.update(imported.deal_ids[source.selection.passing(imported.statuses, None)].tolist())
    query = (
        select(DealRow.id, DealRow.digest, DealRow.cards)
        .where(DealRow.dealing_id == dealing.id)
        .order_by(DealRow.id)
        .execution_options(yield_per=source.batch)
    )
    for rows in source.session.execute(query).partitions():
        mine = [row for row in rows if row.id in ids]
        if not mine:
            continue
        digests = [row.digest.hex() for row in mine]
        cards = np.array([np.frombuffer(row.cards, np.uint8) for row in mine])
        none = [None] * len(mine)
        yield [
            digests,
            repeated(dealing.game, len(mine)),
            none,
            none,
            digests,
            *_zones(dealing.game, cards),
        ]


def _count_deals(source: Source) -> int:
    session, selection = source.session, source.selection
    rulesets = selection.rulesets(session)
    total = 0
    for dealing in selection.dealings(session):
        mine = [ruleset for ruleset in rulesets if ruleset.game == dealing.game]
        if dealing.dealer is None:
            ids: set[int] = set()
            for ruleset in mine:
                ids.update(read_imported(source.cat, session, ruleset.id).deal_ids.tolist())
            total += len(ids)
        else:
            total += sum(map(len, _seeds(source, dealing, mine)))
    return total


def _zone_names() -> list[str]:
    """The zones of all games, beginning with those of the first game."""
    return list(dict.fromkeys(zone.name for game in games() for zone in game.zones))


def _zones(game: str, cards: NDArray[np.uint8]) -> list[list[Any]]:
    """For each zone of any game the piles of deals as text; None if the game has no such zone."""
    own = {zone.name: zone for zone in get_game(game).zones}
    rows = cards.tolist()
    return [
        [
            " | ".join(_names(row[pile.start : pile.stop]) for pile in own[name].piles)
            for row in rows
        ]
        if name in own
        else [None] * len(rows)
        for name in _zone_names()
    ]


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
        _read_deals,
        _count_deals,
    )
