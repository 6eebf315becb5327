"""Lists of winnable deals for programs; see `docs/lists.md`."""

import os
from typing import TYPE_CHECKING

from engine.errors import BadInput
from thoughtful.dealing import path_of
from thoughtful.frames import TEXT, WHOLE, frame
from thoughtful.reading import rules_of, span, whole

if TYPE_CHECKING:
    import pandas as pd

    from thoughtful.stored import Catalogue


def write_list(
    file: str | os.PathLike[str],
    sample: str,
    rules: str | None = None,
    *,
    form: str = "text",
    level: int | tuple[int | None, int | None] | None = None,
    stored: bool = False,
    catalogue: "Catalogue | None" = None,
    workers: int = 1,
) -> None:
    """Write which seeds of a dealer are winnable, as `thoughtful list` does.

    Args:
        file: where to; it appears when it is complete.
        sample: the seeds, such as ``pysolfc:40000-40099``.
        rules: the ruleset.
        form: ``text``, ``pysolfc``, ``json``, ``csv`` or ``binary``.
        level: list only deals of this level, or from the first of a pair to the last; needs a
            catalogue with a model of difficulty. Without, no level is predicted.
        stored: solve nothing, and list what the catalogue knows.
        catalogue: whose verdicts and levels are used; what it lacks is solved, and not stored. By
            default that of the settings, if there is one.
        workers: number of processes.

    Raises:
        BadInput: a value that is not possible, or a file that cannot be written.
    """
    from catalogue.lists import making
    from catalogue.lists.forms import get_form
    from catalogue.lists.grades import HARDEST
    from engine.dealing.dealers import parse_sample

    low, high = span(level, "level", 1, HARDEST)
    request = making.ListRequest(
        rules_of(None, rules),
        parse_sample(sample),
        None if level is None else (low or 1, high or HARDEST),
        stored=stored,
        grade=level is not None,
        workers=whole(workers, "workers", 1, 1024),
    )
    store = None if catalogue is None else catalogue.store
    making.write_list(request, get_form(form), str(path_of(file)), store)


def read_list(file: str | os.PathLike[str]) -> "pd.DataFrame":
    """Read a list in any of its formats.

    Returns:
        One row a seed that the list names: ``seed``, ``category`` (``winnable``, or why a deal is
        undecided) and ``level``. Its ``attrs`` hold what the list says of itself.

    Raises:
        BadInput: it cannot be read, or is no list, or is damaged.
    """
    from catalogue.lists.forms import detect, entries_of

    path = path_of(file)
    try:
        with path.open("rb") as stream:
            found = detect(stream).read(stream)
            rows = [
                {"seed": each.seed, "category": each.category, "level": each.level}
                for each in entries_of(found)
            ]
    except OSError as error:
        raise BadInput(f"cannot read {path}: {error.strerror}") from None
    except BadInput as error:
        raise BadInput(f"{path}: {error}") from None
    listed = frame(rows, {"seed": WHOLE, "category": TEXT, "level": WHOLE})
    listed.attrs |= found.facts
    return listed
