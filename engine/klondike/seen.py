"""Positions of Klondike of which a person sees only a part.

`KlondikePosition.observation` gives what is seen, with ``??`` for each face-down card of the
columns. Here it is read back, into the position that has the unseen cards in their places in
ascending order: a stand-in that says nothing that is not seen, for all that needs the seen cards
alone.
"""

from collections.abc import Mapping
from typing import Any

from engine.cards import HIDDEN, SUITS, card_name, make_card, parse_card
from engine.errors import BadInput
from engine.klondike.referee import KlondikePosition
from engine.klondike.rules import KlondikeRules


def stand_in(observation: Mapping[str, Any], rules: KlondikeRules) -> KlondikePosition:
    """The position that an observation leaves open, with the unseen cards in ascending order.

    Args:
        observation: the JSON of `KlondikePosition.to_json`, with ``??`` for face-down cards.
        rules: the ruleset.

    Raises:
        BadInput: a key is missing or malformed, some but not all face-down cards are named, or the
            position is impossible; cards that are missing or lie there twice are named.
    """
    try:
        columns = [list(column) for column in observation["down"]]
        heights = [int(observation["foundations"][letter]) for letter in SUITS]
        named = [
            parse_card(text)
            for pile in (*observation["up"], observation["stock"], observation["waste"])
            for text in pile
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
    if hidden == 0:
        return KlondikePosition.from_json(observation, rules)
    if hidden < len(face_down):
        known = next(text for text in face_down if text != HIDDEN)
        raise BadInput(
            f"{known} lies face down and is named, while others are {HIDDEN}: "
            f"expected {HIDDEN} for every face-down card, or a card for each"
        )
    seen = {*named, *(make_card(r, s) for s in range(4) for r in range(min(heights[s], 13)))}
    unseen = [card for card in range(52) if card not in seen]
    if len(unseen) != hidden:
        raise BadInput(
            f"{hidden} cards are {HIDDEN}, but {len(unseen)} are not seen anywhere: "
            + (" ".join(map(card_name, unseen)) or "none")
        )
    rest = map(card_name, unseen)
    filled = [[next(rest) for _ in column] for column in columns]
    return KlondikePosition.from_json({**observation, "down": filled}, rules)
