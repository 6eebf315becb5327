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
    """Check in about ten lines whether this installation and its catalogue are sound.

    Nothing is changed. A line begins with ✓, with ! for a remark, or with ✕ for a fault.
    Exit code 1 means that there is a fault.
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
