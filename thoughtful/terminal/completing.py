"""Values of options as the shell completes them: names alone, read without loading what they name.

Numbers of jobs are not completed: to open a database takes too long for a press of Tab.

Each function takes what is typed so far. A completion that fails would print into the line being
typed, so an error is no completion.
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import wraps


def _quietly(names: Callable[[], Iterable[str]]) -> Callable[[str], list[str]]:
    """A completion out of a function that lists all names."""

    @wraps(names)
    def complete(incomplete: str) -> list[str]:
        found: list[str] = []
        with suppress(Exception):
            found = sorted({name for name in names() if name.startswith(incomplete)})
        return found

    del complete.__wrapped__  # Typer would look at its parameters
    return complete


def rulesets(incomplete: str) -> list[str]:
    """Slugs of named rulesets, and what is typed with one option more."""
    found: set[str] = set()
    with suppress(Exception):
        from engine.games import games

        for game in games():
            own = game.rulesets
            found.update(own.presets)
            # What was typed may end in the middle of an option.
            dashes = (at for at, letter in enumerate(incomplete) if letter == "-")
            for end in (*dashes, len(incomplete)):
                rules = own.parse(incomplete[:end])
                if rules is not None:
                    found.update(str(each) for each in (rules, *own.further(rules)))
    return sorted(slug for slug in found if slug.startswith(incomplete))


@_quietly
def dealers() -> Iterable[str]:
    """Dealers."""
    from engine.dealing.dealers import dealers

    return dealers()


@_quietly
def deals() -> Iterable[str]:
    """Dealers, with the colon before the seed."""
    from engine.dealing.dealers import dealers

    return [f"{slug}:" for slug in dealers()]


@_quietly
def solvers() -> Iterable[str]:
    """Slugs of solvers and players; which of them are players shows when they are loaded."""
    from solvers.registry import method_slugs

    return method_slugs()


players = solvers


@_quietly
def counts() -> Iterator[str]:
    """Ways to count moves."""
    from engine.games import games

    yield "standard"
    for game in games():
        yield from (notation.slug for notation in game.notations)


@_quietly
def formats() -> Iterator[str]:
    """Formats of deals and positions."""
    from engine.games import games
    from engine.intake import forms

    for game in games():
        yield from forms(game)


@_quietly
def file_formats() -> Iterable[str]:
    """Formats of exports and datasets."""
    return ("parquet", "csv", "jsonl")


@_quietly
def list_formats() -> Iterable[str]:
    """Formats of lists of winnable deals."""
    return ("text", "pysolfc", "json", "csv", "binary")


@_quietly
def statuses() -> Iterable[str]:
    """The statuses of a deal."""
    return ("winnable", "unwinnable", "unresolved")


@_quietly
def notations() -> Iterator[str]:
    """Notations of moves."""
    from engine.games import games
    from engine.notations import OWN

    yield OWN
    for game in games():
        yield from (notation.slug for notation in game.notations)


@_quietly
def themes() -> Iterator[str]:
    """Themes of puzzles."""
    from engine.games import games

    for game in games():
        if game.load_puzzles is not None:
            plays = game.load_puzzles()
            yield from (*plays.doing, *plays.leaving)


@_quietly
def levels() -> Iterator[str]:
    """Levels of difficulty."""
    return (str(level) for level in range(1, 11))
