"""Examples of the OpenAPI document: one deal in every form in which it can be sent."""

import json
from collections.abc import Iterator
from typing import Any

from engine.dealing.dealers import deal_by_id
from engine.errors import BadInput
from engine.games import DEFAULT_RULESET, game_of
from engine.rulesets import parse_ruleset

_SEED = 42


def plain_texts() -> dict[str, Any]:
    """The deal as texts: by its name, in the forms of other programs, and as a board."""
    return {
        name: {"summary": summary, "value": text}
        for name, summary, text in _texts()
        if not text.startswith("{")
    }


def json_texts() -> dict[str, Any]:
    """The deal as JSON: by its name, in the forms that are JSON, and as a position."""
    rules = parse_ruleset(DEFAULT_RULESET)
    game = game_of(rules)
    dealer = game.dealings[0].dealer.slug
    start = game.start(deal_by_id(f"{dealer}:{_SEED}", game), rules)
    return {
        "named": {"summary": "dealer and seed", "value": {"dealer": dealer, "seed": _SEED}},
        **{
            name: {"summary": summary, "value": json.loads(text)}
            for name, summary, text in _texts()
            if text.startswith("{")
        },
        "position": {"summary": "a position in mid-game", "value": start.to_json()},
    }


def _texts() -> Iterator[tuple[str, str, str]]:
    """Name, summary and text of each."""
    rules = parse_ruleset(DEFAULT_RULESET)
    game = game_of(rules)
    name = f"{game.dealings[0].dealer.slug}:{_SEED}"
    deal = deal_by_id(name, game)
    yield "name", "dealer and seed", name
    for codec in game.codecs:
        try:
            yield codec.slug, codec.summary, codec.write(deal)
        except BadInput:
            continue  # the program has no such deal
    if game.write_table is not None:
        yield "board", "a position as a person types it", game.write_table(game.start(deal, rules))
