"""Levels of deals in words, and the link to others like a deal."""

from urllib.parse import quote

from catalogue.difficulty.grading import LEVELS
from catalogue.difficulty.reading import GradedDeal
from catalogue.reading.levels import Rating
from dashboard.elements.wording import count
from engine.text.numbers import games_won
from solvers.features import VERSION


def level_in_words(deal: GradedDeal) -> str:
    """The level of a deal with what it rests on, as Markdown; empty without a level."""
    if deal.level is None or deal.difficulty is None or deal.deviation is None:
        return ""
    span = (
        ""
        if deal.level_low == deal.level_high
        else f", within one standard error {deal.level_low} to {deal.level_high}"
    )
    games = (
        "its features alone" if not deal.games else f"{count(deal.games)} games and its features"
    )
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


def features_in_words(deal: GradedDeal) -> str:
    """The level of a deal, what is special about its win, and a link to others, as Markdown."""
    parts = [level_in_words(deal)] if deal.level is not None else []
    critical = "no critical moment"
    if deal.first_critical is not None:
        moments = "one" if deal.critical == 1 else f"{deal.critical}"
        critical = f"critical moments: {moments}, the first at move {deal.first_critical + 1}"
    parts.append(f"a solution of {deal.length} moves has {critical}")
    if deal.luck_most is not None:
        won = games_won(deal.luck, deal.luck_error, deal.luck_most)
        parts.append(f"play at random wins {won}")
    if deal.needs:
        parts.append(f"it cannot be won without {', '.join(map(option_in_words, deal.needs))}")
    if deal.is_old:
        parts.append(f"all this is by features of version {deal.version}, the newest is {VERSION}")
    if deal.level is not None:
        parts.append(f"[the next deal like this one]({_next_like_it(deal)})")
    return " · ".join(parts)


def _next_like_it(deal: GradedDeal) -> str:
    """The address of the deals of the same level, after this one if it has a dealer."""
    link = f"./find?rules={quote(deal.ruleset)}&level_from={deal.level}&level_to={deal.level}"
    return link if not deal.dealer else f"{link}&after={quote(deal.deal, safe=':')}"
