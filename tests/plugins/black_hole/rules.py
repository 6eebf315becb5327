"""The rulesets of Black Hole: ``black-hole``, ``black-hole-no-wrap-same-rank``."""

import re
from dataclasses import dataclass
from typing import ClassVar

from engine.cards import RANKS
from engine.game import Option, Rulesets


@dataclass(frozen=True, slots=True)
class BlackHoleRules:
    """The options of Black Hole.

    Attributes:
        wrap: an ace follows a king and a king an ace.
        same_rank: a card also follows one of its own rank.
    """

    game: ClassVar[str] = "black-hole"

    wrap: bool = True
    same_rank: bool = False

    @property
    def slug(self) -> str:
        """The game and each option that differs from the default."""
        wrap = "" if self.wrap else "-no-wrap"
        return f"black-hole{wrap}{'-same-rank' if self.same_rank else ''}"

    def __str__(self) -> str:
        return self.slug

    def followers(self, rank: int) -> frozenset[int]:
        """The ranks that may go onto a rank."""
        near = {rank - 1, rank + 1, *([rank] if self.same_rank else [])}
        if self.wrap:
            return frozenset(each % len(RANKS) for each in near)
        return frozenset(each for each in near if 0 <= each < len(RANKS))


_SLUG = re.compile(r"black-hole(?P<no_wrap>-no-wrap)?(?P<same_rank>-same-rank)?", re.ASCII)


def parse_rules(slug: str) -> BlackHoleRules | None:
    """The rules that a slug names; None if it is no slug of Black Hole."""
    match = _SLUG.fullmatch(slug)
    return match and BlackHoleRules(match["no_wrap"] is None, match["same_rank"] is not None)


def describe(rules: BlackHoleRules) -> str:
    """The options in one sentence."""
    same = "up, down or of the same rank" if rules.same_rank else "up or down by one rank"
    ends = "around the corner" if rules.wrap else "but not from king to ace"
    return f"Black Hole, {same}, {ends}."


def title(rules: BlackHoleRules) -> str:
    """The name that players use."""
    corner = "" if rules.wrap else ", not around the corner"
    return f"Black Hole{corner}{', same rank' if rules.same_rank else ''}"


def _yes(value: bool) -> str:
    return "yes" if value else "no"


RULESETS = Rulesets(
    presets={rules.slug: rules for rules in (BlackHoleRules(), BlackHoleRules(same_rank=True))},
    default="black-hole",
    parse=parse_rules,
    pattern="black-hole[-no-wrap][-same-rank]",
    options=(
        Option("around the corner", lambda rules: _yes(rules.wrap)),
        Option("same rank", lambda rules: _yes(rules.same_rank)),
    ),
    describe=describe,
    title=title,
)
