"""`rulesets`, `dealers` and `solvers`: lists of the available names."""

from catalogue.commands import console, options


def rulesets(json: options.AsJson = False) -> None:
    """List the named rulesets with their options."""
    import dataclasses

    from engine.games import games

    for game in games():
        own = game.rulesets
        if json:
            for slug, rules in own.presets.items():
                console.emit({"slug": slug, "game": game.slug, **dataclasses.asdict(rules)})
            continue
        console.show_table(
            ("ruleset", *(option.title for option in own.options)),
            (
                (slug, *(option.text(rules) for option in own.options))
                for slug, rules in own.presets.items()
            ),
            numbers=tuple(option.title for option in own.options if option.is_number),
            title=game.name,
        )


def dealers(json: options.AsJson = False) -> None:
    """List the dealers: the program whose deals each one reproduces, and its range of seeds."""
    from engine.dealing.dealers import dealers as every_dealer

    if json:
        for dealer in every_dealer().values():
            console.emit(
                {
                    "slug": dealer.slug,
                    "min_seed": dealer.min_seed,
                    "max_seed": dealer.max_seed,
                    "summary": dealer.summary,
                    "games": [game.slug for game in dealer.games],
                }
            )
        return
    console.show_table(
        ("dealer", "seeds", "deals", "source"),
        (
            (
                dealer.slug,
                f"{dealer.min_seed} to {dealer.max_seed}",
                ", ".join(game.name for game in dealer.games),
                dealer.summary,
            )
            for dealer in every_dealer().values()
        ),
    )


def solvers(json: options.AsJson = False) -> None:
    """List the solvers and players, with their parameters and the rulesets they play."""
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
        ("solver, with its defaults", "plays", "description", "source"),
        (
            (str(configure(method, {})), method.rulesets, method.summary, method.source or "")
            for method in methods
        ),
    )
