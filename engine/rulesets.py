"""Lookup of rulesets by slug; each game parses the slugs of its own."""

from engine.errors import BadInput, note_renamed, one_of
from engine.game import Rules
from engine.games import games, games_with_ruleset
from engine.patience import presets

# How slugs of users' own rules begin.
OWN = presets.OWN


def named_rulesets() -> dict[str, Rules]:
    """The named rulesets of all games, by slug."""
    return {slug: rules for game in games() for slug, rules in game.rulesets.presets.items()}


def parse_ruleset(slug: str) -> Rules:
    """Parse the slug of a ruleset.

    Raises:
        BadInput: unknown ruleset.
    """
    if not isinstance(slug, str):
        raise BadInput(f"expected the slug of a ruleset, not {slug!r}")
    for game in games_with_ruleset(slug):
        rules: Rules | None = game.rulesets.parse(slug)
        if rules is not None:
            if slug in game.rulesets.renamed:
                note_renamed("ruleset", slug, rules.slug)
            return rules
    patterns = [game.rulesets.pattern for game in games() if game.rulesets.pattern]
    raise BadInput(
        f"unknown ruleset {slug!r}: expected {one_of(named_rulesets(), slug)}, "
        f"or {' or '.join(patterns)}, options in this order and only where they are not the usual"
    )


def read_rules(text: str) -> Rules:
    """Read a user's file of rules, JSON in the language of `engine.patience`.

    Its slug holds all its options, so that it is known everywhere.

    Raises:
        BadInput: the text is no JSON, or has no such rules.
    """
    return presets.read_rules_file(text)


def call_own_rules(slug: str, title: str) -> None:
    """Give a user's own rules a name for players, in this process.

    Raises:
        BadInput: the slug is none of such rules.
    """
    presets.call_own_rules(slug, title)
