"""Lists of winnable deals for programs; see `docs/lists.md`."""

import os
from contextlib import ExitStack
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
    from catalogue.lists.forms import get_form
    from catalogue.lists.grades import HARDEST
    from catalogue.lists.header import header_of
    from catalogue.lists.making import catalogue_if_there, make
    from catalogue.lists.spool import Spool
    from catalogue.streams import opened_bytes
    from engine.dealing.dealers import get_dealer, parse_sample
    from engine.games import game_of

    whole(workers, "workers", 1, 1024)
    path = path_of(file)
    low, high = span(level, "level", 1, HARDEST)
    levels = None if level is None else (low or 1, high or HARDEST)
    chosen, ruleset, wanted = get_form(form), rules_of(None, rules), parse_sample(sample)
    get_dealer(wanted.dealer).check_game(game_of(ruleset))
    # Whatever does not fit is refused before anything is solved.
    chosen.check(header_of(ruleset, wanted, levels, ()))
    with ExitStack() as stack:
        store = None if catalogue is None else catalogue.store
        if store is None:
            store = catalogue_if_there(needed=stored or levels is not None)
            if store is not None:
                stack.enter_context(store)
        spool = stack.enter_context(Spool(wanted.first, wanted.count))
        # The file is opened before anything is solved, which may take hours.
        out = stack.enter_context(opened_bytes(str(path)))
        header = make(
            spool,
            store,
            ruleset,
            wanted,
            levels,
            stored=stored,
            look=levels is not None,
            workers=workers,
        )
        chosen.write(header, spool, out)


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
