"""Whether the packages that stand beside this one are the ones that Python would import."""

import sys
from importlib.machinery import PathFinder
from pathlib import Path

# Their names are common words, so that a folder or module of a user may have one of them, too.
PACKAGES = ("engine", "solvers", "catalogue", "dashboard", "migrations")
HOME = Path(__file__).resolve().parent.parent


def check_packages() -> None:
    """Raise ImportError if something else stands before one of our packages.

    Raises:
        ImportError: it names the package, what stands before it, and what to do.
    """
    for name in PACKAGES:
        found = _place_of(name)
        if found is not None and found.parent != HOME:
            raise ImportError(
                f"{found} stands before Thoughtful's own package {name!r}, which is in {HOME}: "
                "rename it, start Python elsewhere, or take its folder off the path (PYTHONPATH)",
                name=name,
                path=str(found),
            )


def _place_of(name: str) -> Path | None:
    """The folder or file that an import of a name takes; None if that has no place, or is ours."""
    module = sys.modules.get(name)
    spec = PathFinder.find_spec(name) if module is None else module.__spec__
    if spec is None:  # left to the finder of an installation that can be edited
        return None
    if spec.origin is not None and spec.has_location:
        place = Path(spec.origin).resolve()
        return place.parent if place.name == "__init__.py" else place
    places = [Path(each).resolve() for each in spec.submodule_search_locations or ()]
    return next((each for each in places if each.parent == HOME), next(iter(places), None))
