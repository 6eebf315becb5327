"""Dealers of Spider, and how each lays the cards out."""

import numpy as np
from numpy.typing import NDArray

from engine.cards import make_card
from engine.dealing.dealers import PYSOLFC, THOUGHTFUL_1
from engine.game import Dealing
from engine.spider.deal import CARDS, COLUMNS, DECKS, ROWS, SpiderDeal

# PySolFC deals four rows onto all columns, then a card onto columns 1, 4, 7 and 10, then another
# row: the columns of six cards are these. Here they come first; see `SpiderDeal.from_piles`.
_PYSOLFC_LONG = (0, 3, 6, 9)


def _thoughtful_1(first: int, count: int) -> NDArray[np.uint8]:
    # Imported with the first deal: loading the compiler takes longer than most commands.
    from engine.dealing.thoughtful_1 import thoughtful_1_deals

    return thoughtful_1_deals(first, count, DECKS)


def _pysolfc(first: int, count: int) -> NDArray[np.uint8]:
    from pysol_cards.cards import createCards
    from pysol_cards.random import RandomBase, shuffle

    suits = (0, 2, 3, 1)  # PySolFC orders its suits clubs, spades, hearts, diamonds
    deals = np.empty((count, CARDS), dtype=np.uint8)
    everywhere = range(COLUMNS)
    for row in range(count):
        cards = shuffle(createCards(DECKS), first + row, RandomBase.DEALS_PYSOLFC)
        dealt = (make_card(card.rank - 1, suits[card.suit]) for card in reversed(cards))
        tableau: list[list[int]] = [[] for _ in everywhere]
        for columns in (*[everywhere] * 4, _PYSOLFC_LONG, everywhere):
            for column in columns:
                tableau[column].append(next(dealt))
        stock = [[next(dealt) for _ in everywhere] for _ in range(ROWS)]
        deals[row] = SpiderDeal.from_piles(tableau, stock).cards
    return deals


DEALINGS = (Dealing(THOUGHTFUL_1, _thoughtful_1), Dealing(PYSOLFC, _pysolfc))
