"""Dealers of patience games, and how each lays the cards out."""

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.cards import make_card
from engine.dealing.dealers import MICROSOFT, PYSOLFC, SOLVITAIRE, THOUGHTFUL_1
from engine.game import Dealing
from engine.patience.layout import PatienceLayout
from engine.patience.rules import RANDOM

# PySolFC orders its suits clubs, spades, hearts, diamonds.
_PYSOLFC_SUITS = (0, 2, 3, 1)


def dealings(layout: PatienceLayout, pysolfc: str | None) -> tuple[Dealing, ...]:
    """The dealers of a layout.

    Args:
        layout: the layout.
        pysolfc: the name by which pysol-cards deals it; None if it does not.
    """
    found = [
        Dealing(THOUGHTFUL_1, partial(_thoughtful_1, layout)),
        Dealing(SOLVITAIRE, partial(_solvitaire, layout)),
    ]
    if _is_dealt_in_rows(layout):
        # Its numbers are those that players know.
        found.insert(0, Dealing(MICROSOFT, partial(_microsoft, layout)))
    if pysolfc is not None:
        found.append(Dealing(PYSOLFC, partial(_pysolfc, layout, pysolfc)))
    return tuple(found)


def _is_dealt_in_rows(layout: PatienceLayout) -> bool:
    """Whether a deck is dealt in rows onto the columns, and what is left to cells: as FreeCell."""
    o = layout.options
    names = {zone.name for zone in layout.zones}
    plain = not (o.diagonal or o.column_sizes or o.two_decks)
    return plain and o.max_rank == 13 and "tableau" in names and names <= {"tableau", "cells"}


def lay_out(
    layout: PatienceLayout, decks: NDArray[np.uint8], rest_order: NDArray[np.int64]
) -> NDArray[np.uint8]:
    """The flat orders of shuffled decks.

    The cards of foundations and hole are taken out, a random one from the front; the first card
    from the front that it can be. Where the others of a rank are founded, the first card of the
    columns is at one end of the deck, and stays there.

    Args:
        layout: the layout.
        decks: uint8[n, deck].
        rest_order: place in the flat order of each card that is left, from the deck's back.

    Returns:
        uint8[n, cards in play].
    """
    o = layout.options
    rows = np.arange(len(decks))
    kept = np.ones(decks.shape, dtype=bool)
    is_random = RANDOM in (o.base, o.hole_base if o.hole else "")
    front = o.founded != "others" or rest_order[0] != 0
    bases = decks[:, 0 if front else -1] if is_random else np.zeros(len(decks), dtype=np.uint8)
    by_base = {int(base): layout.fixed_cards(int(base)) for base in np.unique(bases)}
    fixed = np.array([by_base[int(base)] for base in bases], dtype=np.uint8)
    fixed = fixed.reshape(len(decks), len(by_base[int(bases[0])]) if len(decks) else 0)
    for column in fixed.T:
        kept[rows, ((decks == column[:, None]) & kept).argmax(axis=1)] = False
    rest = decks[kept].reshape(len(decks), -1)[:, ::-1]
    flat = np.empty((len(decks), o.cards), dtype=np.uint8)
    flat[:, rest_order] = rest[:, : len(rest_order)]
    flat[:, [*layout.places("foundations"), *layout.places("hole")]] = fixed
    return flat


def _solvitaire(layout: PatienceLayout, first: int, count: int) -> NDArray[np.uint8]:
    # Imported with the first deal: loading the compiler takes longer than most commands.
    from engine.dealing.shuffles import solvitaire_decks

    o = layout.options
    return lay_out(layout, solvitaire_decks(first, count, o.decks, o.max_rank), layout.order)


def _thoughtful_1(layout: PatienceLayout, first: int, count: int) -> NDArray[np.uint8]:
    """The shuffled deck, without the cards of ranks that are not played, is the flat order."""
    from engine.dealing.thoughtful_1 import thoughtful_1_deals

    o = layout.options
    decks = thoughtful_1_deals(first, count, o.decks)
    decks = decks[decks < 4 * o.max_rank].reshape(count, o.deck)
    return lay_out(layout, decks, np.sort(layout.order)[::-1])


def _microsoft(layout: PatienceLayout, first: int, count: int) -> NDArray[np.uint8]:
    from engine.dealing.shuffles import microsoft_decks

    order = [*layout.order[layout.options.cells_filled :], *layout.places("cells")]
    flat = np.empty((count, 52), dtype=np.uint8)
    flat[:, order] = microsoft_decks(first, count)
    return flat


def _pysolfc(layout: PatienceLayout, name: str, first: int, count: int) -> NDArray[np.uint8]:
    from pysol_cards.deal_game import Game
    from pysol_cards.random import RandomBase

    flat = np.empty((count, layout.options.cards), dtype=np.uint8)
    for row in range(count):
        game = Game(name, first + row, RandomBase.DEALS_PYSOLFC)
        game.deal()
        getattr(game, game.game_class)()
        board: Mapping[str, Any] = vars(game.board)
        zones = {
            "tableau": [card for column in board["columns"].cols for card in column],
            "cells": [card for card in board.get("freecells", ()) if not card.empty],
            "stock": board.get("talon", []),
        }
        cards = [_card(card) for zone in zones.values() for card in zone]
        places = [place for zone in zones for place in layout.places(zone)]
        flat[row, places] = cards
        missing = sorted(set(range(52)) - set(cards))
        flat[row, [*layout.places("foundations"), *layout.places("hole")]] = missing
    return flat


def _card(card: Any) -> int:
    return make_card(card.rank - 1, _PYSOLFC_SUITS[card.suit])
