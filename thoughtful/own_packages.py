"""Whether the packages that stand beside this one are the ones that Python would import."""

import sys
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

# Their names are common words, so that a folder or module of a user may have one of them, too.
PACKAGES = ("engine", "solvers", "catalogue", "dashboard", "migrations")
# The folder and not its files, which an installation may keep elsewhere.
HOME = Path(__file__).parent.resolve().parent


def check_packages() -> None:
    """Raise ImportError if something else stands before one of our packages; else load them.

    They are loaded at once, as they are small by themselves, so that nothing that comes onto the
    path later stands before them.

    Raises:
        ImportError: it names the package, what stands before it, and what to do.
    """
    for name in PACKAGES:
        place = _place_of(name)
        if place != HOME / name:
            found = "something else" if place is None else place
            raise ImportError(
                f"{found} stands before Thoughtful's own package {name!r}, which is in {HOME}: "
                "rename it, start Python elsewhere, or take its folder off the path (PYTHONPATH)",
                name=name,
                path=None if place is None else str(place),
            )
    for name in PACKAGES:
        import_module(name)


def _place_of(name: str) -> Path | None:
    """The folder or file that an import of a name takes; None if it takes none of these."""
    try:
        spec = find_spec(name)
    except ValueError:  # a module that was put there by hand
        return _path_of(getattr(sys.modules.get(name), "__file__", None))
    if spec is None:
        return None
    folders = [Path(each).resolve() for each in spec.submodule_search_locations or ()]
    if folders:
        return HOME / name if HOME / name in folders else folders[0]
    return _path_of(spec.origin)


def _path_of(file: str | None) -> Path | None:
    return None if file is None else Path(file).resolve()
