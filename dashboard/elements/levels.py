"""Levels of deals in words, and the link to others like a deal."""

from urllib.parse import quote

from catalogue.difficulty.grading import LEVELS
from catalogue.difficulty.prediction import DealLevel
from catalogue.difficulty.reading import GradedDeal
from catalogue.reading.levels import Rating
from dashboard.elements.wording import count
from engine.games import game_of
from engine.rulesets import parse_ruleset
from engine.text.numbers import games_won
from solvers.features import VERSION

# Of a difficulty, wherever one stands.
_SCALE = (
    "Difficulty and strength are numbers on one scale: a bot, a program that plays by the open "
    "cards alone, wins half of the games on deals that are as hard as it is strong; on deals that "
    "are harder by one it wins one in four."
)


def for_whom(ruleset: str) -> str:
    """Words that follow *hard*: who plays, where cards lie face down; else none."""
    hides = game_of(parse_ruleset(ruleset)).hidden
    return " for somebody who does not see the face-down cards" if hides else ""


def level_in_words(deal: GradedDeal | DealLevel) -> str:
    """The level of a deal, as Markdown; empty without one."""
    number = deal.number if isinstance(deal, DealLevel) else deal.level
    return "" if number is None else f"Level **{number} of {len(LEVELS)}, {deal.name}**"


def predicted_in_words(level: DealLevel) -> str:
    """The level of a deal that nobody has played, as Markdown."""
    return f"{level_in_words(level)}, predicted"


def predicted_details(level: DealLevel) -> str:
    """The figures behind a predicted level."""
    return (
        f"The difficulty is predicted as {level.difficulty:+.2f} ± {level.deviation:.2f}, one "
        f"standard error. {_SCALE}"
    )


def level_in_brief(rating: Rating | None) -> str:
    """The level of a deal of a list; a dash without one."""
    return "–" if rating is None else f"{rating.level} {LEVELS[rating.level - 1]}"


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
    if deal.needs:
        parts.append(f"it cannot be won without {', '.join(map(option_in_words, deal.needs))}")
    if deal.level is not None:
        parts.append(f"[the next deal like this one]({_next_like_it(deal)})")
    return " · ".join(parts)


def features_details(deal: GradedDeal) -> str:
    """The figures behind the level and the features of a deal, each explained."""
    parts = ["At a critical moment just one of several plays keeps the win."]
    if deal.difficulty is not None and deal.deviation is not None:
        games = f"{count(deal.games)} games of bots and " if deal.games else ""
        span = (
            f"; within that the level is {deal.level_low} to {deal.level_high}"
            if deal.level_low != deal.level_high
            else ""
        )
        parts.append(
            f"The difficulty is {deal.difficulty:+.2f} ± {deal.deviation:.2f}, one standard "
            f"error{span}. It rests on {games}the features of the deal. {_SCALE}"
        )
    if deal.luck_most is not None:
        won = games_won(deal.luck, deal.luck_error, deal.luck_most)
        parts.append(f"Luck: play at random wins {won}.")
    if deal.is_old:
        parts.append(f"All this is by features of version {deal.version}, the newest is {VERSION}.")
    return " ".join(parts)


def _next_like_it(deal: GradedDeal) -> str:
    """The address of the deals of the same level, after this one if it has a dealer."""
    link = f"./find?rules={quote(deal.ruleset)}&level_from={deal.level}&level_to={deal.level}"
    return link if not deal.dealer else f"{link}&after={quote(deal.deal, safe=':')}"
