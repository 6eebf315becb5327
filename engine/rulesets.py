"""Rulesets: which moves are legal and what wins, named by slugs that games read for themselves."""

from engine.errors import BadInput, note_renamed
from engine.game import Rules
from engine.games import games


def named_rulesets() -> dict[str, Rules]:
    """Every ruleset that has a name of its own, of every game, by slug."""
    return {slug: rules for game in games() for slug, rules in game.rulesets.presets.items()}


def parse_ruleset(slug: str) -> Rules:
    """The rules a slug names.

    Raises:
        BadInput: no such ruleset.
    """
    for game in games():
        rules: Rules | None = game.rulesets.parse(slug)
        if rules is not None:
            if slug in game.rulesets.renamed:
                note_renamed("ruleset", slug, rules.slug)
            return rules
    patterns = [game.rulesets.pattern for game in games() if game.rulesets.pattern]
    raise BadInput(
        f"unknown ruleset {slug!r}: expected one of {', '.join(named_rulesets())}, "
        f"or {' or '.join(patterns)}"
    )
