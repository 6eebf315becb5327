"""`solvers`: the methods and their parameters."""

from thoughtful.terminal import console, options
from thoughtful.terminal.examples import examples


@examples(
    "thoughtful solvers",
)
def solvers(json: options.AsJson = False) -> None:
    """List the solvers and players, with their parameters and the rulesets they play."""
    from solvers.registry import get_method, method_slugs
    from solvers.solver import configure

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
