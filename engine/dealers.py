"""Dealers: named, versioned functions from a whole number to a deal; deal ids and samples.

A deal is identified by ``dealer:seed`` (``thoughtful-1:42``); a sample is a dealer and a contiguous
range of seeds (``thoughtful-1:0-9999``, both ends included). What a dealer deals for a seed never
changes: another shuffle is another dealer.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from engine import spider
from engine.cards import make_card
from engine.deals import COLUMN_START, KlondikeDeal
from engine.errors import BadInput
from engine.games import KLONDIKE, SPIDER, Deal, Game


@dataclass(frozen=True, slots=True)
class Dealer:
    """A function from seeds to deals.

    Attributes:
        slug: the name, such as ``thoughtful-1``.
        min_seed: the smallest seed it takes.
        max_seed: the largest seed it takes.
        summary: whose deals these are and how they are made, for lists.
    """

    slug: str
    min_seed: int
    max_seed: int
    summary: str
    _blocks: Mapping[str, Callable[[int, int], NDArray[np.uint8]]] = field(
        repr=False, compare=False
    )

    @property
    def games(self) -> tuple[str, ...]:
        """Slugs of the games that it deals."""
        return tuple(self._blocks)

    def check_seed(self, seed: int) -> None:
        """Raise BadInput unless the dealer takes the seed."""
        if not self.min_seed <= seed <= self.max_seed:
            raise BadInput(
                f"seed {seed} is out of range for dealer {self.slug}: "
                f"expected {self.min_seed} to {self.max_seed}"
            )

    def deal(self, seed: int) -> KlondikeDeal:
        """The Klondike deal of a seed.

        Raises:
            BadInput: the dealer does not take the seed.
        """
        return KlondikeDeal.of(self.deal_block(seed, 1)[0])

    def deal_of(self, game: Game, seed: int) -> Deal:
        """The deal of a seed for a game.

        Raises:
            BadInput: the dealer does not take the seed, or does not deal the game.
        """
        return game.deal(self.deal_block(seed, 1, game)[0])

    def deal_block(self, first: int, count: int, game: Game = KLONDIKE) -> NDArray[np.uint8]:
        """The deals of the seeds first, first + 1, …: flat orders, uint8[count, game.cards].

        Raises:
            BadInput: the dealer does not take one of the seeds, does not deal the game, or count is
                negative.
        """
        self.check_game(game)
        if count < 0:
            raise BadInput(f"the number of deals cannot be negative: {count}")
        if count == 0:
            return np.empty((0, game.cards), dtype=np.uint8)
        self.check_seed(first)
        self.check_seed(first + count - 1)
        return self._blocks[game.slug](first, count)

    def check_game(self, game: Game) -> None:
        """Raise BadInput unless the dealer deals the game."""
        if game.slug not in self._blocks:
            able = [dealer.slug for dealer in DEALERS.values() if game.slug in dealer.games]
            raise BadInput(
                f"dealer {self.slug} does not deal {game.name}: expected one of {', '.join(able)}"
            )


# Kernels are imported when a deal is first asked of them: loading the compiler takes longer than
# most commands.
def _thoughtful_1(first: int, count: int) -> NDArray[np.uint8]:
    from engine.philox import thoughtful_1_block

    return thoughtful_1_block(first, count)


def _thoughtful_1_spider(first: int, count: int) -> NDArray[np.uint8]:
    from engine.philox import thoughtful_1_block

    return thoughtful_1_block(first, count, SPIDER.decks)


def _klondike_solver(first: int, count: int) -> NDArray[np.uint8]:
    from engine.shuffles import klondike_solver_block

    return klondike_solver_block(first, count)


def _greenfelt(first: int, count: int) -> NDArray[np.uint8]:
    from engine.shuffles import greenfelt_block

    return greenfelt_block(first, count)


def _solvitaire(first: int, count: int) -> NDArray[np.uint8]:
    from engine.shuffles import solvitaire_block

    return solvitaire_block(first, count)


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


# PySolFC deals four rows onto all columns, then a card onto columns 1, 4, 7 and 10, then another
# row: the columns of six cards are these. Here they come first; see `SpiderDeal.from_piles`.
_PYSOLFC_LONG = (0, 3, 6, 9)


def _pysolfc_spider(first: int, count: int) -> NDArray[np.uint8]:
    from pysol_cards.cards import createCards
    from pysol_cards.random import RandomBase, shuffle

    suits = (0, 2, 3, 1)
    deals = np.empty((count, SPIDER.cards), dtype=np.uint8)
    everywhere = range(spider.COLUMNS)
    for row in range(count):
        cards = shuffle(createCards(spider.DECKS), first + row, RandomBase.DEALS_PYSOLFC)
        dealt = (make_card(card.rank - 1, suits[card.suit]) for card in reversed(cards))
        tableau: list[list[int]] = [[] for _ in everywhere]
        for columns in (*[everywhere] * 4, _PYSOLFC_LONG, everywhere):
            for column in columns:
                tableau[column].append(next(dealt))
        stock = [[next(dealt) for _ in everywhere] for _ in range(spider.ROWS)]
        deals[row] = spider.SpiderDeal.from_piles(tableau, stock).cards
    return deals


DEALERS: dict[str, Dealer] = {
    dealer.slug: dealer
    for dealer in (
        Dealer(
            "thoughtful-1",
            0,
            2**63 - 1,
            "Thoughtful's own: Philox4x64-10 keyed by the seed, Fisher–Yates",
            {"klondike": _thoughtful_1, "spider": _thoughtful_1_spider},
        ),
        Dealer(
            "pysolfc",
            1,
            10**20,
            "PySolFC's deals (up to 32000 those of Microsoft's generator), through pysol-cards",
            {"klondike": _pysolfc, "spider": _pysolfc_spider},
        ),
        Dealer(
            "solvitaire",
            0,
            2**31 - 1,
            "Solvitaire's random deals: mt19937, Fisher–Yates by Boost",
            {"klondike": _solvitaire},
        ),
        Dealer(
            "klondike-solver",
            0,
            2**31 - 1,
            "ShootMe's Klondike-Solver's games: its own generator, 269 swaps",
            {"klondike": _klondike_solver},
        ),
        # 0 and 2^31 - 1 are the two numbers on which its generator stands still.
        Dealer(
            "greenfelt",
            1,
            2**31 - 2,
            "greenfelt.net's games: Park and Miller's generator, seven passes of swaps",
            {"klondike": _greenfelt},
        ),
    )
}


def get_dealer(slug: str) -> Dealer:
    """The dealer with this slug.

    Raises:
        BadInput: there is none.
    """
    dealer = DEALERS.get(slug)
    if dealer is None:
        raise BadInput(f"unknown dealer {slug!r}: expected one of {', '.join(DEALERS)}")
    return dealer


# 40 digits are more than any dealer takes; longer texts need not become numbers to be wrong.
_DEAL_ID = re.compile(r"\s*(?P<dealer>[^:\s]+):(?P<seed>[0-9]{1,40})\s*", re.ASCII)
_SAMPLE = re.compile(
    r"\s*(?P<dealer>[^:\s]+):(?P<first>[0-9]{1,40})-(?P<last>[0-9]{1,40})\s*", re.ASCII
)


def parse_deal_id(text: str) -> tuple[Dealer, int]:
    """The dealer and the seed that ``thoughtful-1:42`` names.

    Raises:
        BadInput: malformed text, unknown dealer, or a seed the dealer does not take.
    """
    match = _DEAL_ID.fullmatch(text)
    if match is None:
        raise BadInput(f"{text!r} is not a deal: expected dealer:seed, such as 'thoughtful-1:42'")
    dealer = get_dealer(match["dealer"])
    seed = int(match["seed"])
    dealer.check_seed(seed)
    return dealer, seed


def deal_by_id(text: str) -> KlondikeDeal:
    """The deal that ``thoughtful-1:42`` names.

    Raises:
        BadInput: malformed text, unknown dealer, or a seed the dealer does not take.
    """
    dealer, seed = parse_deal_id(text)
    return dealer.deal(seed)


@dataclass(frozen=True, slots=True)
class Sample:
    """A dealer and a contiguous range of seeds.

    Attributes:
        dealer: the dealer's slug.
        first: the first seed.
        count: how many seeds, at least 1.

    Raises:
        BadInput: unknown dealer, no seeds, or seeds the dealer does not take.
    """

    dealer: str
    first: int
    count: int

    def __post_init__(self) -> None:
        dealer = get_dealer(self.dealer)
        if self.count < 1:
            raise BadInput(f"a sample of {self.dealer} needs at least one seed, not {self.count}")
        dealer.check_seed(self.first)
        dealer.check_seed(self.last)

    @property
    def last(self) -> int:
        """The last seed, itself part of the sample."""
        return self.first + self.count - 1

    @property
    def seeds(self) -> range:
        return range(self.first, self.first + self.count)

    def __str__(self) -> str:
        return f"{self.dealer}:{self.first}-{self.last}"


def parse_sample(text: str) -> Sample:
    """The sample that ``thoughtful-1:0-9999`` names (both ends included).

    Raises:
        BadInput: malformed text, unknown dealer, seeds in the wrong order, or seeds the dealer
            does not take.
    """
    match = _SAMPLE.fullmatch(text)
    if match is None:
        raise BadInput(
            f"{text!r} is not a sample: expected dealer:first-last, such as 'thoughtful-1:0-9999'"
        )
    first, last = int(match["first"]), int(match["last"])
    if last < first:
        raise BadInput(f"the seeds of {text!r} run backwards: {first} comes after {last}")
    return Sample(match["dealer"], first, last - first + 1)
