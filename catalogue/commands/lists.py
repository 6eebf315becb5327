"""`rulesets`, `dealers`, `solvers`: what can be named."""

from catalogue.commands import console, options


def rulesets(json: options.AsJson = False) -> None:
    """List the rulesets that have a name of their own, with their options."""
    import dataclasses

    from engine.rulesets import NAMED, PRESETS, SPIDER_PRESETS

    if json:
        for slug, named in NAMED.items():
            console.emit({"slug": slug, "game": named.game, **dataclasses.asdict(named)})
        return
    console.show_table(
        ("ruleset", "draw", "redeals", "partial runs", "worrying back"),
        (
            (
                slug,
                rules.draw,
                "unlimited" if rules.redeals is None else rules.redeals,
                "yes" if rules.partial_runs else "no",
                "yes" if rules.worrying_back else "no",
            )
            for slug, rules in PRESETS.items()
        ),
        numbers=("draw",),
        title="Klondike",
    )
    console.show_table(
        ("ruleset", "suits", "a row onto empty columns"),
        (
            (slug, rules.suits, "yes" if rules.deal_onto_empty else "no")
            for slug, rules in SPIDER_PRESETS.items()
        ),
        numbers=("suits",),
        title="Spider",
    )


def dealers(json: options.AsJson = False) -> None:
    """List the dealers: who deals a deal for a number, and which numbers they take."""
    from engine.dealers import DEALERS
    from engine.games import GAMES

    if json:
        for dealer in DEALERS.values():
            console.emit(
                {
                    "slug": dealer.slug,
                    "min_seed": dealer.min_seed,
                    "max_seed": dealer.max_seed,
                    "summary": dealer.summary,
                    "games": dealer.games,
                }
            )
        return
    console.show_table(
        ("dealer", "seeds", "deals", "whose deals"),
        (
            (
                dealer.slug,
                f"{dealer.min_seed} to {dealer.max_seed}",
                ", ".join(GAMES[slug].name for slug in dealer.games),
                dealer.summary,
            )
            for dealer in DEALERS.values()
        ),
    )


def solvers(json: options.AsJson = False) -> None:
    """List the solvers and players with their parameters and what they play."""
    from solvers.registry import configure, get_method, method_slugs

    methods = [get_method(slug) for slug in method_slugs()]
    if json:
        for method in methods:
            console.emit(
                {
                    "slug": method.slug,
                    "version": method.version,
                    "sees": method.sees,
                    "default": str(configure(method, {})),
                    "parameters": method.parameters,
                    "game": method.game,
                    "rulesets": method.rulesets,
                    "source": method.source,
                    "summary": method.summary,
                }
            )
        return
    console.show_table(
        ("solver, with its defaults", "plays", "what it does", "source"),
        (
            (str(configure(method, {})), method.rulesets, method.summary, method.source or "")
            for method in methods
        ),
    )
