"""Dealers: named, versioned functions from a whole number to a deal; deal ids and samples.

A deal is identified by ``dealer:seed`` (``thoughtful-1:42``); a sample is a dealer and a contiguous
range of seeds (``thoughtful-1:0-9999``, both ends included). The deal of a seed never changes: a
different shuffle is a different dealer.

Each game names its dealers and how they deal it (`engine.game.Dealing`); a dealer of one game lives
in that game's folder.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.errors import BadInput
from engine.game import Deal, Dealing, Game
from engine.games import default_game, games


@dataclass(frozen=True, slots=True)
class Dealer:
    """A function from seeds to deals.

    Attributes:
        slug: the name, such as ``thoughtful-1``.
        min_seed: the smallest valid seed.
        max_seed: the largest valid seed.
        summary: origin and method of the deals, for lists.
        library: the library that deals, if it is not our own code; a test holds it to the deals
            that it dealt before.
        title: whose numbers the seeds are, for players; empty if they know no such program.
        drawn: how many of the first seeds the deals that are chosen for players are drawn from:
            numbers that they can type, and that programs with these numbers have.
    """

    slug: str
    min_seed: int
    max_seed: int
    summary: str
    library: str | None = None
    title: str = ""
    drawn: int = 10**9

    @property
    def games(self) -> tuple[Game, ...]:
        """The games that this dealer deals."""
        return tuple(game for game in games() if self._dealing(game) is not None)

    def check_seed(self, seed: int) -> None:
        """Raise BadInput unless the seed is valid for this dealer."""
        if not self.min_seed <= seed <= self.max_seed:
            raise BadInput(
                f"seed {seed} is out of range for dealer {self.slug}: "
                f"expected {self.min_seed} to {self.max_seed}"
            )

    def check_game(self, game: Game) -> None:
        """Raise BadInput unless this dealer deals the game."""
        if self._dealing(game) is None:
            able = ", ".join(dealing.dealer.slug for dealing in game.dealings)
            raise BadInput(f"dealer {self.slug} does not deal {game.name}: expected one of {able}")

    def deal(self, seed: int, game: Game | None = None) -> Deal:
        """Deal a seed, of the default game if none is given.

        Raises:
            BadInput: the seed is out of range, or the dealer does not deal the game.
        """
        game = game or default_game()
        return game.deal(self.deal_block(seed, 1, game)[0].tolist())

    def deal_block(self, first: int, count: int, game: Game | None = None) -> NDArray[np.uint8]:
        """Deal the seeds first, first + 1, …: flat orders uint8[count, game.cards].

        Without a game they are deals of the default game.

        Raises:
            BadInput: a seed is out of range, the dealer does not deal the game, or count is
                negative.
        """
        game = game or default_game()
        dealing = self._dealing(game)
        if dealing is None:
            self.check_game(game)
            raise AssertionError("a game that is not dealt was not refused")
        if count < 0:
            raise BadInput(f"the number of deals cannot be negative: {count}")
        if count == 0:
            return np.empty((0, game.cards), dtype=np.uint8)
        self.check_seed(first)
        self.check_seed(first + count - 1)
        return dealing.block(first, count)

    def _dealing(self, game: Game) -> Dealing | None:
        return next((each for each in game.dealings if each.dealer == self), None)


THOUGHTFUL_1 = Dealer(
    "thoughtful-1",
    0,
    2**63 - 1,
    "Thoughtful's own: Philox4x64-10 keyed by the seed, Fisher–Yates",
)
PYSOLFC = Dealer(
    "pysolfc",
    1,
    10**20,
    "PySolFC's deals (up to 32000 those of Microsoft's generator), through pysol-cards",
    "pysol-cards",
)

SOLVITAIRE = Dealer(
    "solvitaire", 0, 2**31 - 1, "Solvitaire's random deals: mt19937, Fisher–Yates by Boost"
)
MICROSOFT = Dealer(
    "microsoft",
    1,
    2**33 - 1,
    "Microsoft's FreeCell numbers, continued as by PySolFC and fc-solve",
    title="Microsoft",
    drawn=1_000_000,
)


def dealers() -> dict[str, Dealer]:
    """Every dealer of every game by slug."""
    return {dealer.slug: dealer for game in games() for dealer in _dealers_of(game)}


def get_dealer(slug: str) -> Dealer:
    """The dealer with this slug.

    Raises:
        BadInput: there is none.
    """
    for game in games():
        for dealer in _dealers_of(game):
            if dealer.slug == slug:
                return dealer
    raise BadInput(f"unknown dealer {slug!r}: expected one of {', '.join(dealers())}")


def _dealers_of(game: Game) -> Iterator[Dealer]:
    for dealing in game.dealings:
        assert isinstance(dealing.dealer, Dealer)
        yield dealing.dealer


# No valid seed has 40 digits; longer texts are refused without converting them.
_DEAL_ID = re.compile(r"\s*(?P<dealer>[^:\s]+):(?P<seed>[0-9]{1,40})\s*", re.ASCII)
_SEEDS = r"\s*(?P<first>[0-9]{1,40})\s*-\s*(?P<last>[0-9]{1,40})\s*"
_SAMPLE = re.compile(rf"\s*(?P<dealer>[^:\s]+)\s*:{_SEEDS}", re.ASCII)
_RANGE = re.compile(rf"{_SEEDS}|\s*(?P<only>[0-9]{{1,40}})\s*", re.ASCII)


def parse_deal_id(text: str) -> tuple[Dealer, int]:
    """Parse a deal id such as ``thoughtful-1:42`` into dealer and seed.

    Raises:
        BadInput: malformed text, unknown dealer, or a seed out of range.
    """
    match = _DEAL_ID.fullmatch(text)
    if match is None:
        raise BadInput(f"{text!r} is not a deal: expected dealer:seed, such as 'thoughtful-1:42'")
    dealer = get_dealer(match["dealer"])
    seed = int(match["seed"])
    dealer.check_seed(seed)
    return dealer, seed


def deal_by_id(text: str, game: Game | None = None) -> Deal:
    """Deal the id ``thoughtful-1:42``, of the default game if none is given.

    Raises:
        BadInput: malformed text, unknown dealer, one that does not deal the game, or a seed out
            of range.
    """
    dealer, seed = parse_deal_id(text)
    return dealer.deal(seed, game)


@dataclass(frozen=True, slots=True)
class Sample:
    """A dealer and a contiguous range of seeds.

    Attributes:
        dealer: the dealer's slug.
        first: the first seed.
        count: number of seeds, at least 1.

    Raises:
        BadInput: unknown dealer, no seeds, or seeds out of range.
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
        """The last seed of the sample, included."""
        return self.first + self.count - 1

    @property
    def seeds(self) -> range:
        return range(self.first, self.first + self.count)

    def __str__(self) -> str:
        return f"{self.dealer}:{self.first}-{self.last}"


def parse_sample(text: str) -> Sample:
    """Parse a sample such as ``thoughtful-1:0-9999`` (both ends included).

    Raises:
        BadInput: malformed text, unknown dealer, seeds in the wrong order, or seeds out of range.
    """
    match = _SAMPLE.fullmatch(text) if isinstance(text, str) else None
    if match is None:
        raise BadInput(
            f"{text!r} is not a sample: expected dealer:first-last, such as 'thoughtful-1:0-9999'"
        )
    return _sample(match["dealer"], int(match["first"]), int(match["last"]), text)


def parse_seeds(dealer: str, text: str) -> Sample:
    """Parse seeds of a dealer as people type them: ``0-999``, ``0 - 3``, or ``5`` for one deal.

    Raises:
        BadInput: malformed text, unknown dealer, seeds in the wrong order, or seeds out of range.
    """
    match = _RANGE.fullmatch(text)
    if match is None:
        raise BadInput(
            f"{text!r} names no seeds: expected the first and the last, such as 0-999, or one, "
            "such as 5"
        )
    first, last = match["first"] or match["only"], match["last"] or match["only"]
    return _sample(dealer, int(first), int(last), text)


def _sample(dealer: str, first: int, last: int, text: str) -> Sample:
    if last < first:
        raise BadInput(f"the seeds of {text!r} run backwards: {first} comes after {last}")
    return Sample(dealer, first, last - first + 1)
