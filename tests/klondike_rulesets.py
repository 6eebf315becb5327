"""Rulesets of Klondike that cover its options, and positions that are legal under them.

Every combination of runs, worrying back, building and spaces occurs, and every pair of values of
any two options, draw (1, 2, 3, 5, 24) and redeals (unlimited, 0, 1, 2) included.
"""

import dataclasses
import random

from engine.klondike.referee import KlondikePosition
from engine.klondike.rules import KlondikeRules, parse_klondike
from twins.search import random_late_position

COVERING_SLUGS = (
    "klondike-draw3-redeals1-whole-runs-no-worrying-back-spaces-any",
    "klondike-draw5-redeals0-whole-runs-no-worrying-back",
    "klondike-draw24-redeals2-whole-runs-no-worrying-back-spaces-none",
    "klondike-draw1-whole-runs-no-worrying-back-build-any-suit-spaces-any",
    "klondike-draw2-redeals1-whole-runs-no-worrying-back-build-any-suit",
    "klondike-draw3-redeals0-whole-runs-no-worrying-back-build-any-suit-spaces-none",
    "klondike-draw24-redeals0-whole-runs-no-worrying-back-build-same-suit-spaces-any",
    "klondike-draw3-whole-runs-no-worrying-back-build-same-suit",
    "klondike-draw5-redeals1-whole-runs-no-worrying-back-build-same-suit-spaces-none",
    "klondike-draw2-redeals2-whole-runs-spaces-any",
    "klondike-draw1-redeals1-whole-runs",
    "klondike-draw24-whole-runs-spaces-none",
    "klondike-draw5-redeals2-whole-runs-build-any-suit-spaces-any",
    "klondike-draw3-redeals2-whole-runs-build-any-suit",
    "klondike-draw1-redeals0-whole-runs-build-any-suit-spaces-none",
    "klondike-draw1-redeals2-whole-runs-build-same-suit-spaces-any",
    "klondike-draw24-redeals1-whole-runs-build-same-suit",
    "klondike-draw2-redeals0-whole-runs-build-same-suit-spaces-none",
    "klondike-draw5-no-worrying-back-spaces-any",
    "klondike-draw1-redeals2-no-worrying-back",
    "klondike-draw24-redeals0-no-worrying-back-spaces-none",
    "klondike-draw2-no-worrying-back-build-any-suit-spaces-any",
    "klondike-draw3-redeals1-no-worrying-back-build-any-suit",
    "klondike-draw24-no-worrying-back-build-any-suit-spaces-none",
    "klondike-draw3-redeals0-no-worrying-back-build-same-suit-spaces-any",
    "klondike-draw2-redeals0-no-worrying-back-build-same-suit",
    "klondike-draw5-redeals0-no-worrying-back-build-same-suit-spaces-none",
    "klondike-draw5-spaces-any",
    "klondike-draw5",
    "klondike-draw3-redeals2-spaces-none",
    "klondike-draw2-redeals1-build-any-suit-spaces-any",
    "klondike-draw3-build-any-suit",
    "klondike-draw3-redeals0-build-any-suit-spaces-none",
    "klondike-draw5-redeals0-build-same-suit-spaces-any",
    "klondike-draw1-redeals2-build-same-suit",
    "klondike-draw1-redeals0-build-same-suit-spaces-none",
)
COVERING: tuple[KlondikeRules, ...] = tuple(map(parse_klondike, COVERING_SLUGS))


def ruled_position(
    random_state: random.Random, rules: KlondikeRules, cards_left: int | None = None
) -> KlondikePosition:
    """A random late position that is legal under a ruleset, with some of its redeals used.

    cards_left: cards off the foundations; None for 4 to 32.
    """
    left = random_state.randint(4, 32) if cards_left is None else cards_left
    position = random_late_position(random_state, rules, left)
    used = random_state.randint(0, rules.redeals or 0)
    return dataclasses.replace(position, redeals_used=used)
