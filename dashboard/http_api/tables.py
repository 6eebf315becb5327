"""Deals shown and drawn, bounds and rulesets: what is read, without a search."""

import random
import secrets
from contextlib import suppress
from datetime import UTC, date, datetime
from typing import Any

from catalogue.asking import Question
from catalogue.database import answering
from catalogue.difficulty.deal_of_day import deal_of_day, winnable_deals
from catalogue.difficulty.puzzles import puzzle
from catalogue.difficulty.reading import DealConditions, draw, graded
from catalogue.reading.bounds import latest
from dashboard.http_api.problems import Problem
from dashboard.http_api.questions import heading, question
from dashboard.http_api.stored import catalogue, needed
from engine.cards import card_name
from engine.dealing.dealers import get_dealer, parse_deal_id
from engine.errors import BadInput
from engine.games import game_of, games
from engine.rulesets import parse_ruleset
from solvers.choice import Ability, capable


def shown(asked: Question) -> dict[str, Any]:
    """A deal or position, its cards in every form that can hold them."""
    game, deal = game_of(asked.rules), asked.deal if asked.is_deal else None
    formats = {}
    if deal is not None:
        for codec in game.codecs:
            with suppress(BadInput):  # some programs have no such deal
                formats[codec.slug] = codec.write(deal)
    return {
        **heading(asked),
        "game": game.slug,
        "cards": None if deal is None else " ".join(map(card_name, deal.cards)),
        "board": None if game.write_table is None else game.write_table(asked.position),
        "position": asked.position.to_json(),
        "legal": list(map(str, asked.position.legal_moves())),
        "formats": formats,
        "level": _level(asked),
    }


def _level(asked: Question) -> int | None:
    cat = catalogue() if asked.is_deal and asked.name is not None else None
    if cat is None or asked.name is None:
        return None
    dealer, seed = parse_deal_id(asked.name)
    with suppress(BadInput), answering():
        for each in graded(cat, asked.rules.game, dealer.slug, seed):
            if each.ruleset == asked.rules.slug:
                return each.level
    return None


def of_day(ruleset: str, day: date | None) -> dict[str, Any]:
    """The deal of a day, by default of today.

    Raises:
        BadInput: unknown ruleset, or one that no solver plays.
    """
    found = deal_of_day(day or datetime.now(UTC).date(), ruleset)
    return shown(question(found.deal, found.ruleset)) | {
        "date": found.date,
        "weekday_level": found.weekday_level,
        "length": found.length,
    }


def puzzle_of(ruleset: str, theme: str | None, key: str | None) -> dict[str, Any]:
    """The puzzle of a key, by default of a random one.

    Raises:
        BadInput: unknown ruleset or theme, or there are no puzzles under the ruleset.
    """
    word = secrets.token_hex(8) if key is None else key
    found = puzzle(ruleset, theme, word)
    write = game_of(found.position.rules).write_table
    board = None if write is None else write(found.position)
    return found.to_json() | {"key": word, "board": board}


def drawn(
    ruleset: str, level: str | None, dealer: str | None, key: str | None, winnable: bool
) -> dict[str, Any]:
    """A random deal: any, a winnable one, or one of a level.

    Raises:
        BadInput: unknown ruleset, dealer or level.
        Problem: no deal of the catalogue matches.
    """
    rules = parse_ruleset(ruleset)
    game = game_of(rules)
    words = secrets.token_hex(16) if key is None else key
    named = game.dealings[0].dealer.slug if dealer is None else dealer
    chosen = get_dealer(named)
    chosen.check_game(game)
    if level is None and winnable:
        first = next(winnable_deals(rules, chosen, words))
        return shown(question(f"{chosen.slug}:{first.seed}", rules.slug))
    if level is None:
        seed = random.Random(f"{chosen.slug} {words}").randint(chosen.min_seed, chosen.max_seed)
        return shown(question(f"{chosen.slug}:{seed}", rules.slug))
    low, _, high = level.partition("-")
    wanted = DealConditions(
        rules.slug, None if dealer is None else chosen.slug, (int(low), int(high or low))
    )
    wanted.check()
    with answering():
        found = draw(needed(), wanted, words)
    if found is None:
        raise Problem(404, f"the catalogue has no deal of level {level} under {rules.slug}")
    return shown(question(found.deal, rules.slug))


def bounds(ruleset: str | None) -> list[dict[str, Any]]:
    """The current bound of every sample of the catalogue's jobs.

    Raises:
        BadInput: unknown ruleset.
        Problem: there is no catalogue.
    """
    slug = None if ruleset is None else parse_ruleset(ruleset).slug
    with answering():
        points = latest(needed(), slug)
    rows = []
    for point in points:
        sequence = point.intervals(method="sequence").span
        fixed = None
        if not point.stops_by_width:
            span = point.intervals().span
            fixed = (span.low, span.high)
        rows.append(
            {
                "rules": point.ruleset,
                "sample": str(point.sample),
                "deals": point.sample.count,
                "n": point.n,
                "winnable": point.winnable,
                "unwinnable": point.unwinnable,
                "unresolved": point.unresolved,
                "lower": point.lower,
                "upper": point.upper,
                "claimed": point.claims.deals,
                "claimed_by": list(point.claims.by),
                "upper_proved": point.upper_proved,
                "sequence": [sequence.low, sequence.high],
                "fixed": fixed,
            }
        )
    return rows


def rulesets() -> list[dict[str, Any]]:
    """The named rulesets of every game."""
    rows = []
    for game in games():
        for slug, rules in game.rulesets.presets.items():
            decider = capable(rules, Ability.DECIDE)
            rows.append(
                {
                    "slug": slug,
                    "game": game.slug,
                    "summary": game.rulesets.describe(rules),
                    "decided_by": None if decider is None else decider.method.slug,
                    "is_default": slug == game.rulesets.default,
                }
            )
    return rows
