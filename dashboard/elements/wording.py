"""Wording of numbers, moments and rules on the pages."""

from collections.abc import Iterable
from datetime import UTC, datetime

from catalogue.difficulty.playable import PLAYED
from engine.dealing.dealers import THOUGHTFUL_1, Sample, dealers
from engine.games import DEFAULT_RULESET, game_of
from engine.rulesets import parse_ruleset
from engine.text.numbers import per_cent

RESULT_WORDS = {"won": "won", "lost": "lost", "unwinnable": "unwinnable", "gave_up": "gave up"}
# A symbol accompanies each word, so that colour is never the only cue.
STATUS_SIGNS = {"winnable": "✓", "unwinnable": "✗", "unresolved": "?", "undecided": "?"}
STATUS_COLOURS = {"winnable": "green", "unwinnable": "orange", "unresolved": "gray"}


def by_preference(slugs: Iterable[str]) -> list[str]:
    """Rulesets as the catalogue lists them: the default first, then as `for_players`."""
    return sorted(for_players(slugs), key=lambda slug: slug != DEFAULT_RULESET)


def for_players(slugs: Iterable[str]) -> list[str]:
    """Rulesets as players look for them: those that are offered for play, then others by name."""
    return sorted(
        set(slugs),
        key=lambda slug: (
            PLAYED.index(slug) if slug in PLAYED else len(PLAYED),
            ruleset_title(slug).casefold(),
        ),
    )


def percent(share: float, digits: int = 2) -> str:
    """A share of 0 to 1 as ``81.95 %``, with a no-break space; see `per_cent`."""
    return f"{per_cent(share, digits)}\N{NO-BREAK SPACE}%"


def count(number: int | float | None) -> str:
    """``12,345``; a dash where there is no number."""
    return "–" if number is None else f"{number:,.0f}"


def duration(seconds: float | None) -> str:
    """``45 s``, ``12 min``, ``3 h 20 min``, ``2 d 4 h``; a dash where it is not known."""
    if seconds is None:
        return "–"
    if round(seconds) < 60:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    if minutes < 60:
        return f"{minutes} min"
    hours, minutes = divmod(minutes, 60)
    if hours < 24:
        return f"{hours} h {minutes} min"
    return f"{hours // 24} d {hours % 24} h"


def moment(at: datetime | None) -> str:
    """A moment in UTC, to the minute."""
    return "–" if at is None else at.astimezone(UTC).strftime("%Y-%m-%d %H:%M UTC")


def status_badge(status: str) -> str:
    """A status with its symbol, as Markdown in its colour."""
    return f":{STATUS_COLOURS[status]}-badge[{STATUS_SIGNS[status]} {status}]"


def deal_title(dealer: str, seed: int) -> str:
    """The name of a deal for players: ``Deal 13``; of other dealers than ours with the dealer."""
    if dealer == THOUGHTFUL_1.slug:
        return f"Deal {seed}"
    known = dealers().get(dealer)  # that of a package may be gone
    return f"Deal {seed} of {(known.title if known else '') or dealer}"


def sample_title(sample: Sample) -> str:
    """A sample for people: ``deals 0 to 9,999``; of other dealers than ours with the dealer."""
    deals = f"deals {count(sample.first)} to {count(sample.last)}"
    if sample.count == 1:
        deals = f"deal {count(sample.first)}"
    if sample.dealer == THOUGHTFUL_1.slug:
        return deals
    known = dealers().get(sample.dealer)
    return f"{deals} of {(known.title if known else '') or sample.dealer}"


def ruleset_title(slug: str) -> str:
    """The name of a ruleset for players: ``Klondike, draw 3``."""
    rules = parse_ruleset(slug)
    return game_of(rules).rulesets.title(rules)


def rules_in_words(slug: str) -> str:
    """The rules of a ruleset's slug, in words."""
    rules = parse_ruleset(slug)
    return game_of(rules).rulesets.describe(rules)
