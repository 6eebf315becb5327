"""Deliberate slips in the pruning rules of the search by hand, and what catches them.

Each slip makes the condition of a rule weaker than its proof in `docs/search/` needs, leaves out
what the rule must not, or uses the rule under rulesets for which the proof does not hold. The
positions, in `tests/data/exact-by-hand-slips.json`, were found by running programs with and without
the slip on random late positions; those left are small, and judged by exhaustive search.
"""

from collections.abc import Callable, Mapping

from engine.klondike.rules import KlondikeRules
from mutations.by_hand import loop, relaxed_games, stock, tableau, whole_runs
from mutations.mutation import sharp_positions

# Families of rulesets for which conditions or code of a rule differ.
FAMILIES: Mapping[str, Callable[[KlondikeRules], bool]] = {
    "usual": lambda rules: (
        (rules.building, rules.spaces, rules.redeals) == ("alternating", "kings", None)
        and rules.worrying_back
        and rules.partial_runs
    ),
    "any suit": lambda rules: rules.building == "any-suit",
    "same suit": lambda rules: rules.building == "same-suit",
    "spaces any": lambda rules: rules.spaces == "any",
    "spaces none": lambda rules: rules.spaces == "none",
    "forward": lambda rules: not rules.worrying_back,
    "limited": lambda rules: rules.redeals is not None,
    "whole": lambda rules: not rules.partial_runs,
    "large draws": lambda rules: rules.draw > 3,
}

POSITIONS = sharp_positions("by_hand")

MUTATIONS = [
    *tableau.MUTATIONS,
    *stock.MUTATIONS,
    *relaxed_games.MUTATIONS,
    *whole_runs.MUTATIONS,
    *loop.MUTATIONS,
]

# Left out, as no verdict can be wrong:
# - with the same suit, a child overlooked, its parent taken for a pair's, or a child that sits
#   though it can go up: a place serves one card only. None comes down, and every head may rise.
# - with the same suit, a place that was just uncovered [reveals]: there was no other before.
# - spaces for any card: cards that sit, or kings that keep spaces, in the relaxation: a child moves
#   away only to a space, and once there is one, every card can be placed; a king never moves.
# - extra reach as from a larger waste: it shows less.
# - the card just brought forgotten by a table: where it has entries, all but its way back is tried.
# - one lost set, or one won, less: that only loses pruning.
#
# Left out, as some thousand positions found none that catches them, though the proofs need what
# they drop:
# - reveals with spaces for any card, without rise, after a card brought, after a step after which
#   something rose, or where something rises; a place just uncovered with any suit or spaces for
#   none; with whole runs, a reveal of the same head to another place;
# - the order of DOWNs with spaces for any card; with whole runs, no card onto one just brought; use
#   with any suit for twins alone;
# - what goes up once it is bare is not revealed;
# - in the relaxation, no space from a king that goes up, or new stock cards at once or never;
# - by hand, no card brought for a loose one to go up; a head that can go up is not placed;
# - each king counted twice among the supports with any suit;
# - where a card goes into a space, no other place is tried [whole runs];
# - a row's first bit is not compared [table]; shown as from the smallest waste [extra reach].
