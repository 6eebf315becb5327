"""`rulesets`: the named rulesets, and one in words or in the form of a program."""

from typing import Annotated

import typer

from thoughtful.terminal import completing, console, options
from thoughtful.terminal.examples import examples


@examples(
    "thoughtful rulesets",
    "thoughtful rulesets klondike-draw3-build-any-suit-spaces-any",
    "thoughtful rulesets klondike-draw3-spaces-none --to solvitaire",
)
def rulesets(
    slug: Annotated[
        str | None,
        typer.Argument(
            metavar="[RULESET]",
            autocompletion=completing.rulesets,
            help="Describe this one, named or composed of options",
        ),
    ] = None,
    to: Annotated[
        str | None,
        typer.Option("--to", metavar="FORM", help="Write it as a program reads it: solvitaire"),
    ] = None,
    read: Annotated[
        str | None,
        typer.Option("--read", metavar="FILE", help="Name the ruleset of a file of that form"),
    ] = None,
    json: options.AsJson = False,
) -> None:
    """List the named rulesets with their options, or describe, write or read one.

    Others are named by their options, such as klondike-draw3-build-any-suit-spaces-any.
    """
    import dataclasses

    from engine.errors import BadInput
    from engine.games import game_of, games
    from engine.rulesets import parse_ruleset

    if read is not None:
        if slug is not None:
            raise BadInput(f"{slug} and the file {read} are two rulesets: expected one")
        slug = _slug_in(read)
    if slug is not None:
        rules = parse_ruleset(slug)
        own = game_of(rules).rulesets
        if to is not None:
            forms = game_of(rules).rules_forms
            if to not in forms:
                raise BadInput(
                    f"{to!r} is no form of rules of {game_of(rules).name}: expected "
                    + (", ".join(forms) or "none, as there is none")
                )
            print(forms[to].write(rules))
        elif json:
            assert dataclasses.is_dataclass(rules)
            console.emit({"slug": rules.slug, "game": rules.game, **dataclasses.asdict(rules)})
        else:
            print(rules.slug)
            print(own.describe(rules))
        return
    if to is not None:
        raise BadInput(f"--to {to} needs a ruleset to write: expected its slug before it")
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


def _slug_in(path: str) -> str:
    """The slug of the ruleset in a file of another program."""
    from engine.errors import BadInput
    from engine.games import games
    from thoughtful.terminal.files import read_text

    text = read_text(path)
    problem = "no program is known"
    for game in games():
        for form in game.rules_forms.values():
            try:
                return str(form.read(text).slug)
            except BadInput as error:
                problem = str(error)
    raise BadInput(f"{path} has no rules of another program: {problem}")
