"""Parser of the hands that a server dealt, with the results of games and tries.

A text has one of these forms; blank lines and lines that begin with # are ignored:

- one game per line, each in one of these forms:
  - ten cards in the order of the columns, ``JC TD 9D …``, separated by spaces, commas or
    semicolons; a ten is T or 10, suits may be ♣ ♦ ♠ ♥, and with one suit may be omitted;
  - the name of a deal, ``thoughtful-1:42``, or of a sample, ``thoughtful-1:0-99``;
  - a deal as JSON, ``{"tableau": [[bottom … top] × 10], "stock": […]}`` or ``{"dealer": …,
    "seed": …}``; only the ten face-up cards are used;
- CSV, with commas or semicolons, whose first line names its columns: ``hand`` (ten cards separated
  by spaces, or the name of a deal) or ten columns ``1`` to ``10``; optionally ``won`` (yes or no);
  and optionally ``tries`` with ``wins`` (how often `look-ahead` won the hand). Other columns are
  ignored. Tries and wins may be given without hands.
"""

import csv
import json
import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from catalogue.spider.assessment import MOST, SUITS, TRIES, Share
from catalogue.spider.watch import LOST, UNKNOWN, WON
from engine.cards import card_name, parse_card
from engine.dealing.dealers import Sample, get_dealer, parse_deal_id, parse_sample
from engine.errors import BadInput
from engine.spider import GAME as SPIDER
from engine.spider.deal import COLUMNS, FACE_UP, SpiderDeal, as_counted

_SIGNS = str.maketrans(
    {"♣": "C", "♦": "D", "♠": "S", "♥": "H", "♧": "C", "♢": "D", "♤": "S", "♡": "H"}
)
# The byte order mark, and the variation selector that turns a suit into an emoji.
_UNSEEN = {0xFEFF: None, 0xFE0F: None}
_SUIT_NAMES = ("clubs", "diamonds", "spades", "hearts")
# Probability that honest hands lack a suit; below it, the number of suits must be wrong.
NO_CHANCE = 1e-6
_BETWEEN = re.compile(r"[\s,;]+")
_YES = ("1", "yes", "true", "won", "win", "y")
_NO = ("0", "no", "false", "lost", "loss", "n")
_COLUMN_NAMES = tuple(str(column) for column in range(1, COLUMNS + 1))


@dataclass(frozen=True, slots=True)
class ServerHands:
    """The hands that a server dealt, as a text has them.

    Attributes:
        suits: number of suits.
        cards: the hands uint8[n, 10] of cards as they count, in their order, or None.
        won: results of the games, int8[n] as in `catalogue.spider.watch`; None if none is known.
        hard: hands without a win in 50 tries, of those that were tried; None if none was tried.
    """

    suits: int
    cards: NDArray[np.uint8] | None
    won: NDArray[np.int8] | None = None
    hard: Share | None = None


@dataclass(slots=True)
class _Reading:
    """The contents read so far."""

    suits: int
    hands: list[NDArray[np.uint8]] = field(default_factory=list)
    won: list[int] = field(default_factory=list)
    hard: list[bool] = field(default_factory=list)

    def add(self, hand: Sequence[int] | NDArray[np.uint8]) -> None:
        """Add a hand of ten cards with their own suits."""
        if len(self.hands) == MOST:
            raise BadInput(f"more than {MOST:,} hands")
        shown = as_counted(np.array(hand, dtype=np.uint8), self.suits)
        most = 8 // self.suits
        often = [
            f"{card_name(card)} {number} times"
            for card, number in Counter(shown.tolist()).items()
            if number > most
        ]
        if often:
            raise BadInput(
                f"{', '.join(often)} in one hand, but the two decks of {self.suits}-suit Spider "
                f"hold each card {'twice' if most == 2 else f'{most} times'}: expected another "
                "number of suits, or other cards"
            )
        self.hands.append(shown)
        self.won.append(UNKNOWN)

    def end(self, won: bool) -> None:
        """Record how the game of the last hand ended."""
        self.won[-1] = WON if won else LOST


def read_hands(text: str, suits: int) -> ServerHands:
    """Read the hands and outcomes of a text.

    Raises:
        BadInput: a line is malformed (the sentence begins with its number), or the text has no
            hands.
    """
    if suits not in SUITS:
        raise BadInput(f"Spider is played with 1, 2 or 4 suits, not {suits}")
    reading = _Reading(suits)
    lines = [
        (number, line.strip())
        for number, line in enumerate(text.translate(_UNSEEN).splitlines(), start=1)
        if line.strip() and not line.lstrip().startswith("#")
    ]
    if not lines:
        raise BadInput(
            "there are no hands: expected a line of ten cards for each game, such as "
            "JC TD 9D 4S 4H KC 2S 7D QH 5C"
        )
    delimiter = _delimiter(lines[0][1])
    heads = _heads(lines[0][1], delimiter)
    for at, (number, line) in enumerate(lines):
        try:
            if heads is None:
                _read_line(line, reading)
            elif at == 0:
                _check_heads(heads)
            else:
                _read_row(dict(_cells(heads, line, delimiter)), reading)
        except BadInput as error:
            raise BadInput(f"line {number}: {error}") from None
    if not reading.hands and not reading.hard:
        raise BadInput("the table has no hands and no tries below its header")
    _check_suits(reading)
    return ServerHands(
        suits,
        np.array(reading.hands, dtype=np.uint8) if reading.hands else None,
        np.array(reading.won, dtype=np.int8) if set(reading.won) - {UNKNOWN} else None,
        Share(sum(reading.hard), len(reading.hard)) if reading.hard else None,
    )


def _check_suits(reading: _Reading) -> None:
    """Raise BadInput if the hands lack a suit, unless that may well be chance."""
    seen = {card & 3 for hand in reading.hands for card in hand.tolist()}
    cards = COLUMNS * len(reading.hands)
    # Dealing without replacement makes other suits likelier still.
    chance = math.comb(reading.suits, len(seen)) * (len(seen) / reading.suits) ** cards
    if reading.hands and chance < NO_CHANCE:
        named = " and ".join(sorted(_SUIT_NAMES[suit] for suit in seen))
        raise BadInput(
            f"all {cards} cards are {named}, but {reading.suits} suits were asked for: expected "
            "another number of suits"
        )


def _heads(line: str, delimiter: str) -> list[str] | None:
    """The names of the columns, if the line has any known name."""
    try:
        names = [name.strip().lower() for name in _split(line, delimiter)]
    except BadInput:
        return None
    return names if {"hand", "won", "tries", "wins", "1"} & set(names) else None


def _delimiter(heads: str) -> str:
    """The delimiter of a table's cells."""
    return ";" if ";" in heads and "," not in heads else ","


def _split(line: str, delimiter: str) -> list[str]:
    try:
        return next(csv.reader([line], delimiter=delimiter))
    except csv.Error as error:
        raise BadInput(f"not CSV: {error}") from None


def _check_heads(heads: Sequence[str]) -> None:
    twice = [name for name, number in Counter(heads).items() if number > 1 and name]
    if twice:
        raise BadInput(f"the column {twice[0]!r} occurs twice")
    missing = [name for name in _COLUMN_NAMES if name not in heads]
    if "hand" not in heads and missing and len(missing) < COLUMNS:
        raise BadInput(f"the column {missing[0]!r} is missing: expected columns 1 to {COLUMNS}")
    if ("tries" in heads) != ("wins" in heads):
        raise BadInput("the columns 'tries' and 'wins' must both be given: one of them is missing")
    if "hand" not in heads and missing and "tries" not in heads:
        raise BadInput("expected a column 'hand', columns 1 to 10, or 'tries' and 'wins'")


def _cells(heads: Sequence[str], line: str, delimiter: str) -> Iterator[tuple[str, str]]:
    cells = _split(line, delimiter)
    if len(cells) != len(heads):
        raise BadInput(f"{len(cells)} cells, expected {len(heads)} as in the header")
    return zip(heads, (cell.strip() for cell in cells), strict=True)


def _read_row(row: Mapping[str, str], reading: _Reading) -> None:
    hands = len(reading.hands)
    has_columns = all(name in row for name in _COLUMN_NAMES)
    if has_columns:
        reading.add(_cards([row[name] for name in _COLUMN_NAMES], reading.suits))
    elif "hand" in row and (row["hand"] or "tries" not in row):
        hand = row["hand"]
        if ":" in hand:
            reading.add(_dealt(*_named(hand)))
        elif "tries" in row and not _BETWEEN.search(hand):
            pass  # an arbitrary name for a hand of which only the tries are known
        else:
            reading.add(_cards(_BETWEEN.split(hand), reading.suits))
    if row.get("won"):
        if len(reading.hands) == hands:
            raise BadInput("the column 'won' needs the cards of the hand")
        reading.end(_yes(row["won"]))
    if row.get("tries") or row.get("wins"):
        tries, wins = _whole(row["tries"], "tries"), _whole(row["wins"], "wins")
        if tries != TRIES:
            raise BadInput(f"{tries} tries, expected {TRIES} as for the hands of the reference")
        if wins > tries:
            raise BadInput(f"{wins} wins in {tries} tries")
        reading.hard.append(wins == 0)


def _whole(text: str, what: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) <= 9):
        raise BadInput(f"{text!r} is not a number of {what}: expected a whole number")
    return int(text)


def _yes(text: str) -> bool:
    if text.lower() in _YES:
        return True
    if text.lower() in _NO:
        return False
    raise BadInput(f"{text!r} does not say whether the game was won: expected yes or no")


def _read_line(line: str, reading: _Reading) -> None:
    if line.startswith("{"):
        _read_json(line, reading)
    elif ":" in line:
        if "-" in line.rpartition(":")[2]:
            sample = parse_sample(line)
            if sample.count > MOST:
                raise BadInput(f"{sample} are {sample.count:,} hands, expected at most {MOST:,}")
            cards = _block(sample)
            for hand in cards:
                reading.add(hand)
        else:
            reading.add(_dealt(*_named(line)))
    else:
        reading.add(_cards(_BETWEEN.split(line.strip(" ,;\t")), reading.suits))


def _read_json(line: str, reading: _Reading) -> None:
    try:
        data: Any = json.loads(line)
    except json.JSONDecodeError as error:
        raise BadInput(f"not JSON: {error.msg} at character {error.pos + 1}") from None
    except (ValueError, RecursionError):
        raise BadInput("unreadable JSON: a number is too long, or nested too deeply") from None
    dealer, seed = data.get("dealer"), data.get("seed")
    if "tableau" in data:
        SpiderDeal.from_json(data)  # two full decks, in ten columns
        reading.add([parse_card(column[-1]) for column in data["tableau"]])
    elif isinstance(dealer, str) and isinstance(seed, int) and not isinstance(seed, bool):
        reading.add(_dealt(*_named(f"{dealer}:{seed}")))
    else:
        raise BadInput('a deal needs "tableau" and "stock", or "dealer" and "seed"')
    won = data.get("won")
    if isinstance(won, bool):
        reading.end(won)
    elif won is not None:
        raise BadInput(f'"won" must be true or false, not {won!r}')


def _named(text: str) -> tuple[str, int]:
    dealer, seed = parse_deal_id(text)
    return dealer.slug, seed


def _dealt(dealer: str, seed: int) -> Sequence[int]:
    hand: Sequence[int] = _block(Sample(dealer, seed, 1))[0].tolist()
    return hand


def _block(sample: Sample) -> NDArray[np.uint8]:
    deals = get_dealer(sample.dealer).deal_block(sample.first, sample.count, SPIDER)
    return deals[:, FACE_UP]


def _cards(words: Sequence[str], suits: int) -> list[int]:
    """Parse ten cards."""
    if len(words) != COLUMNS:
        raise BadInput(
            f"{len(words)} {'card' if len(words) == 1 else 'cards'}, expected {COLUMNS}: the "
            "face-up card of each column, from left to right"
        )
    return [_card(word, suits) for word in words]


def _card(word: str, suits: int) -> int:
    text = word.translate(_SIGNS)
    if text.startswith("10"):
        text = "T" + text[2:]
    if suits == 1 and len(text) == 1:
        text += "S"
    try:
        return parse_card(text)
    except BadInput:
        raise BadInput(
            f"{word!r} is not a card: expected a rank of A 2 … 9 T J Q K and a suit of C D S H, "
            "such as TC"
        ) from None
