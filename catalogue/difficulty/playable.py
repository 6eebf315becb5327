"""Winnable deals to play, as hard as somebody wants them: functions of a key, without a catalogue.

A key gives an endless list of winnable deals (`catalogue.difficulty.deal_of_day.winnable_deals`);
the deal of a key is the first of them whose level is in the band. So it is the same on every
installation of a version, whatever its catalogue holds. Levels are those of the shipped model of
the ruleset, and bands are ranges of them: `BANDS`. To take a level needs a tenth of a second, so
that deals whose rough level is not in the band are passed over: those near its ends are drawn less
often than others.
"""

from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from catalogue.difficulty.deal_of_day import shown_length, usual_dealer, winnable_deals
from catalogue.difficulty.grading import LEVELS
from catalogue.difficulty.prediction import DealLevel, predicted_level
from catalogue.difficulty.shipped import shipped_model, shipped_rulesets
from engine.errors import BadInput
from engine.game import Deal, Rules
from engine.games import offered_rulesets
from engine.rulesets import parse_ruleset

# Raised when the deal of a key may become another one. A test compares some with what is written
# there.
VERSION = 1
# The rulesets that are offered for play: first those with levels that no preset's file offers, then
# those that files offer, in their order.
PLAYED: tuple[str, ...] = (
    *(slug for slug in shipped_rulesets() if slug not in offered_rulesets()),
    *offered_rulesets(),
)


class Band(StrEnum):
    """How hard somebody wants a deal."""

    EASY = "easy"
    MEDIUM = "medium"
    HARD = "hard"
    ANY = "any"


# The easiest and the hardest level of each band.
BANDS = {
    Band.EASY: (1, 3),
    Band.MEDIUM: (4, 7),
    Band.HARD: (8, 10),
    Band.ANY: (1, len(LEVELS)),
}


@dataclass(frozen=True, slots=True)
class PlayableDeal:
    """A winnable deal to play.

    Attributes:
        deal: its name.
        ruleset: slug.
        level: 1 to 10; None where no model of the ruleset is shipped.
        level_name: the name of the level; None with it.
        length: moves of a win, which the referee has replayed.
    """

    deal: str
    ruleset: str
    level: int | None
    level_name: str | None
    length: int


@lru_cache(maxsize=1024)
def playable_deal(ruleset: str, band: Band, key: str) -> PlayableDeal:
    """The deal of a key under a ruleset, of a band of levels.

    Args:
        ruleset: its slug.
        band: how hard it is to be.
        key: any text.

    Raises:
        BadInput: unknown ruleset, a band where no model is shipped, or no solver wins its deals.
    """
    rules = parse_ruleset(ruleset)
    dealer = usual_dealer(rules)
    model = shipped_model(rules.slug)
    if model is None and band is not Band.ANY:
        raise BadInput(f"no levels are known under {rules.slug}: expected the band {Band.ANY}")
    low, high = BANDS[band]
    words = f"play {VERSION} {rules.slug} {key}"
    for found in winnable_deals(rules, dealer, words, dealer.drawn):
        level = None
        if model is not None:
            if band is not Band.ANY and not model.rests_on_trials:
                level = predicted_level(model, found.deal, rules, rough=True)
                if not low <= level.number <= high:
                    continue
            level = predicted_level(model, found.deal, rules)
            if not low <= level.number <= high:
                continue
        return PlayableDeal(
            f"{dealer.slug}:{found.seed}",
            rules.slug,
            None if level is None else level.number,
            None if level is None else level.name,
            shown_length(found, rules),
        )
    raise AssertionError("a list of winnable deals has no end")


def level_of(deal: Deal, rules: Rules) -> DealLevel | None:
    """The level of a winnable deal by the shipped model; None where none is shipped.

    Raises:
        BadInput: the deal cannot be won, where a solver tells plays.
    """
    model = shipped_model(rules.slug)
    return None if model is None else predicted_level(model, deal, rules)
