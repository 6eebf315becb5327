"""Levels of deals in words, and the link to others like a deal."""

from urllib.parse import quote

from catalogue.difficulty.grading import LEVELS
from catalogue.difficulty.reading import GradedDeal
from catalogue.reading.levels import Rating
from dashboard.wording import count


def level_in_words(deal: GradedDeal) -> str:
    """The level of a deal with what it rests on, as Markdown; empty without a level."""
    if deal.level is None or deal.difficulty is None or deal.deviation is None:
        return ""
    span = (
        ""
        if deal.level_low == deal.level_high
        else f", within one standard error {deal.level_low} to {deal.level_high}"
    )
    games = "its traits alone" if not deal.games else f"{count(deal.games)} games and its traits"
    return (
        f"Level **{deal.level} of {len(LEVELS)}, {deal.name}**{span} "
        f"(difficulty {deal.difficulty:+.2f} ± {deal.deviation:.2f} logits, resting on {games})"
    )


def level_in_brief(rating: Rating | None) -> str:
    """The level of a deal of a list, with its difficulty; a dash without one."""
    if rating is None:
        return "–"
    return (
        f"{rating.level} {LEVELS[rating.level - 1]}, "
        f"{rating.difficulty:+.2f} ± {rating.deviation:.2f}"
    )


def option_in_words(option: str) -> str:
    """An option of the rules that a deal needs, in words."""
    return option.replace("-", " ")


def next_like_it(deal: GradedDeal) -> str:
    """The address of the deals of the same level after one."""
    level = deal.level or 1
    return (
        f"./find?rules={quote(deal.ruleset)}&level_from={level}&level_to={level}"
        f"&after={quote(deal.deal, safe=':')}"
    )
