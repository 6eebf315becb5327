"""Dealers of Klondike, and how each lays the cards out."""

import numpy as np
from numpy.typing import NDArray

from engine.cards import make_card
from engine.dealing.dealers import PYSOLFC, SOLVITAIRE, THOUGHTFUL_1, Dealer
from engine.game import Dealing
from engine.klondike.deal import COLUMN_START, COLUMNS, STOCK_SIZE

KLONDIKE_SOLVER = Dealer(
    "klondike-solver",
    0,
    2**31 - 1,
    "ShootMe's Klondike-Solver's games: its own generator, 269 swaps",
)
# 0 and 2^31 - 1 are the fixed points of its generator.
GREENFELT = Dealer(
    "greenfelt",
    1,
    2**31 - 2,
    "greenfelt.net's games: Park and Miller's generator, seven passes of swaps",
)


def _row_by_row(*, leftwards: bool) -> NDArray[np.int64]:
    """For each place of the flat order, the index of its card in the deck: int64[52].

    Row r gives one card to each column from r to 6, from the left or, if `leftwards`, the right;
    the stock is what is left.
    """
    order = np.arange(52)
    dealt = 0
    for row in range(COLUMNS):
        columns = range(row, COLUMNS)
        for column in reversed(columns) if leftwards else columns:
            order[COLUMN_START[column] + row] = dealt
            dealt += 1
    return order


_RIGHTWARDS = _row_by_row(leftwards=False)
_LEFTWARDS = _row_by_row(leftwards=True)
_TABLEAU_CARDS = 52 - STOCK_SIZE


# Imported with the first deal: loading the compiler takes longer than most commands.
def _thoughtful_1(first: int, count: int) -> NDArray[np.uint8]:
    from engine.dealing.thoughtful_1 import thoughtful_1_deals

    return thoughtful_1_deals(first, count)


def _klondike_solver(first: int, count: int) -> NDArray[np.uint8]:
    from engine.dealing.shuffles import shootme_decks

    return np.take(shootme_decks(first, count), _RIGHTWARDS, axis=1)


def _greenfelt(first: int, count: int) -> NDArray[np.uint8]:
    from engine.dealing.shuffles import greenfelt_decks

    return np.take(greenfelt_decks(first, count), _RIGHTWARDS, axis=1)


def _solvitaire(first: int, count: int) -> NDArray[np.uint8]:
    from engine.dealing.shuffles import solvitaire_decks

    decks = solvitaire_decks(first, count)
    # The tableau is dealt from its last card downwards.
    decks[:, :_TABLEAU_CARDS] = decks[:, :_TABLEAU_CARDS][:, ::-1].copy()
    return np.take(decks, _LEFTWARDS, axis=1)


def _pysolfc(first: int, count: int) -> NDArray[np.uint8]:
    from pysol_cards.deal_game import Game
    from pysol_cards.random import RandomBase

    suits = (0, 2, 3, 1)  # PySolFC orders its suits clubs, spades, hearts, diamonds
    deals = np.empty((count, 52), dtype=np.uint8)
    for row in range(count):
        game = Game("klondike", first + row, RandomBase.DEALS_PYSOLFC)
        game.deal()
        game.klondike()
        piles = [*game.board.columns.cols, game.board.talon]
        for start, pile in zip(COLUMN_START, piles, strict=True):
            flat = [make_card(card.rank - 1, suits[card.suit]) for card in pile]
            deals[row, start : start + len(flat)] = flat
    return deals


DEALINGS = (
    Dealing(THOUGHTFUL_1, _thoughtful_1),
    Dealing(PYSOLFC, _pysolfc),
    Dealing(SOLVITAIRE, _solvitaire),
    Dealing(KLONDIKE_SOLVER, _klondike_solver, "Game"),
    Dealing(GREENFELT, _greenfelt),
)
