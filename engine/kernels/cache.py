"""Cache of compiled kernels: where they are kept, and when they are too old to be used.

Numba keeps a compiled kernel as long as the kernel's own file is unchanged, although the kernel may
have taken in functions and constants of other files. After an update such kernels would be mixed
with new ones, which can give wrong results or write where they must not. So a kernel here is valid
as long as its own file and every file of ours that this one imports, directly or through others,
are the same.
"""

# Numba carries no annotations.
# mypy: allow-untyped-calls, disallow-subclassing-any=False

import inspect
import os
import re
import shutil
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any, Self

import platformdirs
from numba.core import config as numba_config
from numba.core.caching import FunctionCache, UserProvidedCacheLocator
from numba.core.runtime.nrt import rtsys

from engine.kernels.keeping import KeptAlone

# It reads its settings from the environment, which its types know nothing of.
config: Any = numba_config

# Packages whose kernels others are built from.
_PACKAGES = frozenset({"engine", "solvers"})
# Modules that all kernels rest on, and that the decorators import with the compiler alone.
_ALWAYS = ("engine.kernels.cache", "engine.kernels.keeping", "engine.kernels.linking")
# The folders of other checkouts: this many are kept, and of the others those in use lately.
_KEPT_FOLDERS = 10
_KEPT_DAYS = 30
# Of the files that Numba keeps for a kernel: an index, and compiled code.
_SUFFIXES = (".nbi", ".nbc")
# Attributes of Numba's caches that say where a kernel is kept, and in which form.
_PLACES = frozenset({"_impl", "_cache_path", "_cache_file"})
# When this process began to read the sources.
_STARTED = time.time()
# What Numba does with functions that are not ours.
_OTHERS = (
    "UserProvidedCacheLocator,InTreeCacheLocator,UserWideCacheLocator,IPythonCacheLocator,"
    "ZipCacheLocator"
)
# An import statement at the start of a line: a kernel has nothing of a module imported later. Its
# names may stand in brackets over several lines. A test holds it against Python's own parser.
_IMPORT = re.compile(
    r"^(?:from[ \t]+([\w.]+)[ \t]+import[ \t]*(\([^)]*\)|[^\n]*)|import[ \t]+([^\n]*))",
    re.MULTILINE,
)


class KernelLocator(UserProvidedCacheLocator):
    """Locator that tells Numba where a kernel is kept, and the stamp of its sources."""

    def __init__(self, py_func: Any, py_file: str) -> None:
        self._py_file = py_file
        self._lineno = py_func.__code__.co_firstlineno
        self._cache_path = str(kernel_folder() / self.get_suitable_cache_subpath(py_file))

    def ensure_cache_path(self) -> None:
        """Make the folder of the kernel; raise OSError if nothing can be written there."""
        _ensure_writable(self._cache_path)
        os.makedirs(self._cache_path, exist_ok=True)  # somebody may have removed it since

    def get_source_stamp(self) -> str:
        """Return a digest of the kernel's file and of every file that it rests on."""
        return _stamp(self._py_file)

    def get_disambiguator(self) -> str:
        """Return the part of a file name that identifies the version of a kernel.

        Each version needs an index of its own: Numba unpickles an index before it compares stamps,
        and fails if the class of an argument has been renamed since.
        """
        return f"{self._lineno}-{self.get_source_stamp()[:16]}"

    def remove_superseded(self) -> None:
        """Remove what was compiled from other versions of the kernel's file, or from removed files.

        Kernels that the file no longer has are removed with it. A process that still runs another
        version loses nothing but time: Numba then compiles again.
        """
        _remove_superseded(self._cache_path, self._py_file, f"-{self.get_source_stamp()[:16]}.")

    @classmethod
    def from_function(cls, py_func: Any, py_file: str) -> Self | None:
        """Return the locator of a function; None if it has nothing to do with our packages."""
        if not _can_keep(py_file):
            return None
        try:
            locator = cls(py_func, py_file)
            locator.remove_superseded()
        except OSError:
            return None  # nowhere to write: Numba finds a place of its own, or says that it cannot
        return locator


class KernelCache(FunctionCache):
    """Cache of a kernel that is loaded without what Numba needs to compile one.

    Numba would import all its implementations first, with SciPy among them, which takes several
    times as long as loading a search. The place of a kernel in our folder is looked up when it is
    first asked for, since most kernels are never called from Python.
    """

    def __init__(self, py_func: Any) -> None:
        py_file = inspect.getfile(py_func)
        if not _can_keep(py_file):
            super().__init__(py_func)
            return
        self._py_func = py_func
        self._name = repr(py_func)
        self.enable()
        # Of the sources as they are now, since they may change before the kernel is called.
        _stamp(py_file)

    def __getattr__(self, name: str) -> Any:
        """Look up the place when one of its attributes is first asked for."""
        if name not in _PLACES:
            raise AttributeError(name)
        enabled = self._enabled
        super().__init__(self._py_func)
        self._enabled = enabled
        return getattr(self, name)

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return what was compiled for a signature, ready to be called; None if nothing was."""
        self._prepare(target_context)
        with self._guard_against_spurious_io_errors():
            return self._load_overload(sig, target_context)
        return None

    @contextmanager
    def _guard_against_spurious_io_errors(self) -> Iterator[None]:
        """Go on with a kernel that cannot be kept or loaded: it is compiled, for this process.

        Somebody may remove the folder at any time, and the disk may be full.
        """
        with suppress(OSError):
            yield

    def _prepare(self, target_context: Any) -> None:
        """Make the functions that count arrays in use."""
        rtsys.initialize(target_context)


class LoneKernelCache(KernelCache):
    """Cache of a kernel that is never linked with another from there."""

    _impl_class: Any = KeptAlone

    def _prepare(self, target_context: Any) -> None:
        """Leave it to `KeptAlone`, which knows whether the kernel counts arrays."""


def use_kernel_cache() -> None:
    """Have Numba ask `KernelLocator` about every function that it is to keep."""
    own = f"{KernelLocator.__module__}.{KernelLocator.__qualname__}"
    others = config.CACHE_LOCATOR_CLASSES or _OTHERS
    if own not in others:
        config.CACHE_LOCATOR_CLASSES = f"{own},{others}"


def imports_of(source: str) -> Iterator[tuple[str, list[str]]]:
    """Yield the imports of a module's source: full names, and the names taken from each.

    ``from a import b, c`` gives ``("a", ["b", "c"])``, ``import a.b`` gives ``("a.b", [])``.
    Relative imports are left out: our packages have none.
    """
    for base, names, modules in _IMPORT.findall(source):
        listed = re.sub(r"#[^\n]*", "", names or modules).strip("()").split(",")
        words = [name.split()[0] for name in listed if name.strip()]
        if base:
            yield base, words
        else:
            yield from ((name, []) for name in words)


@cache
def _can_keep(py_file: str) -> bool:
    """Whether kernels of a file are kept in our folder: they are ours, and it can be written."""
    if not os.path.exists(py_file) or not _is_ours(py_file):
        return False
    try:
        _ensure_writable(str(kernel_folder() / KernelLocator.get_suitable_cache_subpath(py_file)))
    except OSError:
        return False  # Numba finds a place of its own, or says that it cannot
    return True


@cache
def _ensure_writable(folder: str) -> None:
    """Once for all kernels of a folder: a file is opened to find it out."""
    os.makedirs(folder, exist_ok=True)
    TemporaryFile(dir=folder).close()


@cache
def kernel_folder() -> Path:
    """Return the folder of kernels: the one that the user named, else one of this checkout."""
    if config.CACHE_DIR:
        return Path(config.CACHE_DIR)
    every = Path(platformdirs.user_cache_dir("thoughtful", appauthor=False)) / "kernels"
    own = every / sha256(str(Path(__file__).parents[2]).encode()).hexdigest()[:16]
    own.mkdir(parents=True, exist_ok=True)
    os.utime(own)
    _remove_unused(every)
    return own


def _remove_unused(every: Path) -> None:
    """Remove the kernels of checkouts and installations that have long not been run.

    Some are kept however old they are, and age is counted from the last use of the oldest of these:
    by a clock that is wrong, all but one would be old.
    """
    uses: dict[Path, float] = {}
    for path in every.iterdir():
        with suppress(OSError):  # another process may have removed it
            uses[path] = path.stat().st_mtime
    newest = sorted(uses, key=uses.__getitem__, reverse=True)
    for path in newest[_KEPT_FOLDERS:]:
        if uses[path] < uses[newest[_KEPT_FOLDERS - 1]] - 86_400 * _KEPT_DAYS:
            shutil.rmtree(path, ignore_errors=True)


@cache
def _remove_superseded(folder: str, py_file: str, stamp: str) -> None:
    source = Path(py_file)
    os.makedirs(folder, exist_ok=True)
    kept = [Path(name) for name in os.listdir(folder)]
    if any(path.name.startswith(f"{source.stem}.") and stamp in path.name for path in kept):
        return  # done when the first kernel of this version was about to be compiled
    modules = {path.stem for path in source.parent.glob("*.py")}
    for path in kept:
        module = path.name.partition(".")[0]
        superseded = module == source.stem and stamp not in path.name
        if path.suffix in _SUFFIXES and (superseded or module not in modules):
            place = Path(folder) / path
            # Others may have compiled a newer version since this process read the sources.
            with suppress(OSError):
                if place.stat().st_mtime < _STARTED:
                    place.unlink()


@cache
def _stamp(path: str) -> str:
    digest = sha256()
    always = set(filter(None, map(_file_of, _ALWAYS)))
    for file in sorted({path, *_rests_on(path), *always}):
        digest.update(file.encode())
        digest.update(_source_digest(file))
    return digest.hexdigest()


def _is_ours(path: str) -> bool:
    return _is_inside(path) or any(map(_is_inside, _rests_on(path)))


@cache
def _is_inside(path: str) -> bool:
    packages = (sys.modules[name] for name in _PACKAGES if name in sys.modules)
    return any(path.startswith(str(Path(each.__file__ or "").parent) + os.sep) for each in packages)


@cache
def _rests_on(path: str) -> frozenset[str]:
    """Return the files that a module's file imports, directly or through others.

    Followed are imports of our packages, and of the package that the file itself lies in.
    """
    followed = _PACKAGES
    if not _is_inside(path):
        own = (n for n, m in sys.modules.items() if getattr(m, "__file__", None) == path)
        followed |= {next(own, "").partition(".")[0]}
    found: set[str] = set()
    waiting = [path]
    while waiting:
        new = _imported_files(waiting.pop(), followed) - found
        found |= new
        waiting += new
    return frozenset(found)


@cache
def _imported_files(path: str, followed: frozenset[str]) -> frozenset[str]:
    """Return the files that a file imports from these packages."""
    found: set[str | None] = set()
    for base, names in imports_of(_source(path)):
        if base.partition(".")[0] not in followed:
            continue
        modules = [_file_of(f"{base}.{name}") for name in names]
        if not names or None in modules:
            # Something that the module itself defines.
            modules.append(_file_of(base))
        found.update(modules)
    return frozenset(file for file in found if file is not None)


@cache
def _source_digest(path: str) -> bytes:
    return sha256(_source(path).encode()).digest()


@cache
def _source(path: str) -> str:
    return Path(path).read_text(encoding="utf-8")


def _file_of(module: str) -> str | None:
    """Return the file of a loaded module; None if there is no such module."""
    return getattr(sys.modules.get(module), "__file__", None)
