"""`doctor`: whether this installation is sound."""

import typer

from thoughtful.terminal import console, options
from thoughtful.terminal.examples import examples

_SIGNS = {"sound": "✓", "note": "!", "unsound": "✕"}


@examples(
    "thoughtful doctor",
    "thoughtful doctor --json",
)
def doctor(json: options.AsJson = False, database: options.Database = None) -> None:
    """Say in about ten lines whether this installation and its catalogue are sound.

    Nothing is changed. A line begins with ✓, with ! for what is worth knowing, or with ✕ for
    what should be mended. Exit code 1 means that there is such a line.
    """
    from catalogue.doctor import examine

    found = examine(database)
    if json:
        console.emit({"sound": all(each.verdict != "unsound" for each in found), "findings": found})
    else:
        for each in found:
            print(f"{_SIGNS[each.verdict]} {each.subject:<10} {each.found}")
    if any(each.verdict == "unsound" for each in found):
        raise typer.Exit(1)
