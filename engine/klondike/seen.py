"""Positions of Klondike of which a person sees only a part.

`KlondikePosition.observation` gives what is seen, with ``??`` for each face-down card of the
columns. Before the first redeal a person has not seen the stock either: then ``??`` stands for its
cards as well, and what lies in the stock and what lies face down is one set of unseen cards. Here
an observation is read back, into the position that has the unseen cards in their places in
ascending order: a stand-in that says nothing that is not seen, for all that needs the seen cards
alone. Or, by `fill_in`, into one that it leaves open, drawn at random.
"""

from collections import Counter
from collections.abc import Mapping
from random import Random
from typing import Any

from engine.cards import HIDDEN, SUITS, card_name, make_card, parse_card
from engine.errors import BadInput
from engine.klondike.referee import KlondikePosition
from engine.klondike.rules import KlondikeRules


def stand_in(observation: Mapping[str, Any], rules: KlondikeRules) -> KlondikePosition:
    """The position that an observation leaves open, with the unseen cards in ascending order.

    Args:
        observation: the JSON of `KlondikePosition.to_json`, with ``??`` for face-down cards and for
            cards of the stock that are not seen; in the columns they come first.
        rules: the ruleset.

    Raises:
        BadInput: a key is missing or malformed, some but not all face-down cards are named, or the
            position is impossible; cards that are missing or lie there twice are named.
    """
    return _filled(observation, rules, None)


def fill_in(
    observation: Mapping[str, Any], rules: KlondikeRules, random: Random
) -> KlondikePosition:
    """A position that agrees with an observation, drawn from all of these with equal chances.

    Of a deal shuffled fairly, nothing else can be known of the cards not seen: the moves made so
    far followed from what was seen.

    Args:
        observation: as for `stand_in`.
        rules: the ruleset.
        random: draws the cards.

    Raises:
        BadInput: as for `stand_in`.
    """
    return _filled(observation, rules, random)


def _filled(
    observation: Mapping[str, Any], rules: KlondikeRules, random: Random | None
) -> KlondikePosition:
    columns, hidden, unseen = _unseen(observation)
    if not hidden:
        return KlondikePosition.from_json(observation, rules)
    names = list(map(card_name, unseen))
    if random is not None:
        random.shuffle(names)
    rest = iter(names)
    down = [[next(rest) if text == HIDDEN else text for text in column] for column in columns]
    stock = [next(rest) if text == HIDDEN else text for text in observation["stock"]]
    return KlondikePosition.from_json({**observation, "down": down, "stock": stock}, rules)


def _unseen(observation: Mapping[str, Any]) -> tuple[list[list[str]], int, list[int]]:
    """The face-down cards as they are named, the number of all ``??``, and the cards not seen.

    Raises:
        BadInput: as for `stand_in`.
    """
    try:
        columns = [list(column) for column in observation["down"]]
        heights = [int(observation["foundations"][letter]) for letter in SUITS]
        named = [
            parse_card(text)
            for pile in (*observation["up"], observation["stock"], observation["waste"])
            for text in pile
            if text != HIDDEN or pile is not observation["stock"]
        ]
    except BadInput:
        raise
    except (KeyError, TypeError, ValueError, OverflowError, AttributeError) as error:
        raise BadInput(
            'what is seen of a position needs the keys "down" and "up" (seven lists of cards '
            f'each), "foundations" (a height for each of C D S H), "stock" and "waste": {error!r}'
        ) from None
    face_down = [text for column in columns for text in column]
    hidden = face_down.count(HIDDEN)
    if 0 < hidden < len(face_down):
        known = next(text for text in face_down if text != HIDDEN)
        raise BadInput(
            f"{known} lies face down and is named, while others are {HIDDEN}: "
            "expected every face-down card to be named, or none"
        )
    hidden += list(observation["stock"]).count(HIDDEN)
    if not hidden:
        return columns, 0, []
    if HIDDEN not in face_down:
        named += [parse_card(text) for text in face_down]
    known_cards = [*named, *(make_card(r, s) for s in range(4) for r in range(min(heights[s], 13)))]
    twice = sorted(card for card, times in Counter(known_cards).items() if times > 1)
    if twice:
        raise BadInput(f"these cards lie there twice: {' '.join(map(card_name, twice))}")
    unseen = [card for card in range(52) if card not in set(known_cards)]
    if len(unseen) != hidden:
        raise BadInput(
            f"{hidden} cards are {HIDDEN}, but {len(unseen)} are not seen anywhere: "
            + (" ".join(map(card_name, unseen)) or "none")
        )
    return columns, hidden, unseen
