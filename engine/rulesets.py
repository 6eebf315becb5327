"""Lookup of rulesets by slug; each game parses the slugs of its own."""

from engine.errors import BadInput, note_renamed
from engine.game import Rules
from engine.games import games


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
    for game in games():
        rules: Rules | None = game.rulesets.parse(slug)
        if rules is not None:
            if slug in game.rulesets.renamed:
                note_renamed("ruleset", slug, rules.slug)
            return rules
    patterns = [game.rulesets.pattern for game in games() if game.rulesets.pattern]
    raise BadInput(
        f"unknown ruleset {slug!r}: expected one of {', '.join(named_rulesets())}, "
        f"or {' or '.join(patterns)}, options in this order and only where they are not the usual"
    )
