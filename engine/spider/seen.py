"""Positions of Spider of which a person sees only a part.

`SpiderPosition.observation` gives what is seen, with ``??`` for each face-down card of the columns
and of the stock. Here it is read back, into the position that has the unseen cards in their places
in ascending order: a stand-in that says nothing that is not seen. Or, by `fill_in`, into one that
it leaves open, drawn at random.
"""

from collections import Counter
from collections.abc import Mapping
from random import Random
from typing import Any

from engine.cards import HIDDEN, SUITS, card_name, make_card, parse_card
from engine.errors import BadInput
from engine.spider.deal import DECKS
from engine.spider.referee import SpiderPosition
from engine.spider.rules import SpiderRules


def stand_in(observation: Mapping[str, Any], rules: SpiderRules) -> SpiderPosition:
    """The position that an observation leaves open, with the unseen cards in ascending order.

    Args:
        observation: the JSON of `SpiderPosition.to_json`, with ``??`` for the cards that are not
            seen: all that lie face down or in the stock.
        rules: the ruleset.

    Raises:
        BadInput: a key is missing or malformed, a card that is not seen is named, or the position
            is impossible.
    """
    return _filled(observation, rules, None)


def fill_in(observation: Mapping[str, Any], rules: SpiderRules, random: Random) -> SpiderPosition:
    """A position that agrees with an observation, drawn from all of these with equal chances.

    Args:
        observation: as for `stand_in`.
        rules: the ruleset.
        random: draws the cards.

    Raises:
        BadInput: as for `stand_in`.
    """
    return _filled(observation, rules, random)


def _filled(
    observation: Mapping[str, Any], rules: SpiderRules, random: Random | None
) -> SpiderPosition:
    try:
        hidden = [[list(pile) for pile in observation[key]] for key in ("down", "stock")]
        seen = Counter(parse_card(text) for pile in observation["up"] for text in pile)
        completed = {letter: int(observation["completed"][letter]) for letter in SUITS}
    except BadInput:
        raise
    except (KeyError, TypeError, ValueError, OverflowError, AttributeError) as error:
        raise BadInput(
            'what is seen of a position of Spider needs the keys "down" and "up" (ten lists of '
            'cards each), "completed" (a number for each of C D S H) and "stock" (rows of ten): '
            f"{error!r}"
        ) from None
    covered = [text for piles in hidden for pile in piles for text in pile]
    named = next((text for text in covered if text != HIDDEN), None)
    if named is not None:
        raise BadInput(
            f"{named} lies face down or in the stock: expected {HIDDEN} for each of these"
        )
    for at, letter in enumerate(SUITS):
        for of in range(13):
            seen[make_card(of, at)] += completed[letter]
    deck = Counter(rules.shown(card) for card in range(52) for _ in range(DECKS))
    unseen = sorted((deck - seen).elements())
    if len(unseen) != len(covered):
        raise BadInput(
            f"{len(covered)} cards are {HIDDEN}, but {len(unseen)} are not seen anywhere"
        )
    if random is not None:
        random.shuffle(unseen)
    rest = map(card_name, unseen)
    down, stock = ([[next(rest) for _ in pile] for pile in piles] for piles in hidden)
    return SpiderPosition.from_json({**observation, "down": down, "stock": stock}, rules)
