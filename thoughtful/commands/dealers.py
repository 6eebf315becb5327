"""`dealers`: the programs whose deals can be named."""

from thoughtful.terminal import console, options
from thoughtful.terminal.examples import examples


@examples(
    "thoughtful dealers",
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
