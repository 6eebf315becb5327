"""Games, solvers and renderers of other installed packages, named by entry points."""

from collections.abc import Mapping
from functools import cache
from importlib import import_module
from typing import Any

from engine.errors import BadInput


@cache
def entry_points_of(group: str) -> Mapping[str, str]:
    """The entry points of a group by name, sorted: each a module, or ``module:name``."""
    # Here, because it takes longer to import than most commands need.
    from importlib.metadata import entry_points

    found = {point.name: point.value for point in entry_points(group=group)}
    return {name: found[name] for name in sorted(found)}


def load_entry_point(group: str, name: str, default: str) -> Any:
    """The object that an entry point names.

    Args:
        group: the group of entry points.
        name: the name of the entry point.
        default: which object of the module is meant where the entry point names none.

    Raises:
        BadInput: the package cannot be imported, or lacks the object.
    """
    where = entry_points_of(group)[name]
    module, _, attribute = where.partition(":")
    try:
        return getattr(import_module(module), attribute or default)
    except Exception as error:
        # Another package's fault, whatever it is: one sentence says whose.
        raise BadInput(
            f"{name!r}, an entry point of {group} in an installed package, cannot be loaded from "
            f"{where}: {error!r}"
        ) from error
