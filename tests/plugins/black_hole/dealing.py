"""Dealers of Black Hole; each sets the ace of spades aside."""

import numpy as np
from numpy.typing import NDArray

from black_hole.deal import ACE_OF_SPADES, CARDS, PILES
from engine.cards import make_card
from engine.dealing.dealers import PYSOLFC, THOUGHTFUL_1
from engine.game import Dealing

# PySolFC orders its suits clubs, spades, hearts, diamonds.
_PYSOLFC_SUITS = (0, 2, 3, 1)


def _thoughtful_1(first: int, count: int) -> NDArray[np.uint8]:
    """The 51 other cards in the order of the shuffled deck, pile by pile."""
    # Here, because loading the compiler takes longer than most commands.
    from engine.dealing.thoughtful_1 import thoughtful_1_deals

    return _ace_first(thoughtful_1_deals(first, count))


def _pysolfc(first: int, count: int) -> NDArray[np.uint8]:
    """The 51 other cards dealt in three rounds, a card onto each pile."""
    from pysol_cards.cards import createCards
    from pysol_cards.random import RandomBase, shuffle

    decks = np.empty((count, CARDS), dtype=np.uint8)
    for row in range(count):
        cards = shuffle(createCards(1), first + row, RandomBase.DEALS_PYSOLFC)
        decks[row] = [
            make_card(card.rank - 1, _PYSOLFC_SUITS[card.suit]) for card in reversed(cards)
        ]
    deals = _ace_first(decks)
    rounds = deals[:, 1:].reshape(count, -1, PILES)
    deals[:, 1:] = rounds.transpose(0, 2, 1).reshape(count, -1)
    return deals


def _ace_first(decks: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Decks uint8[n, 52] with the ace of spades moved to the front."""
    deals = np.full_like(decks, ACE_OF_SPADES)
    deals[:, 1:] = decks[decks != ACE_OF_SPADES].reshape(-1, CARDS - 1)
    return deals


DEALINGS = (Dealing(THOUGHTFUL_1, _thoughtful_1), Dealing(PYSOLFC, _pysolfc))
