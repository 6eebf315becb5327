"""Kernels as parts of other kernels: typed and translated, but not made into machine code.

Numba makes every kernel that another one calls into a library that could be called from Python:
with a wrapper for that, made into machine code, and kept on disk. Only what Python calls needs any
of this. So a kernel here has a second dispatcher, which other kernels see: what it compiles ends as
LLVM's optimised code, and is linked into the kernel that Python calls. That saves a third of the
time that a search takes to compile. The code of the search is the same: left to be optimised in one
go at the end, which compiles faster still, `exact` was some 3 % slower.

Kept in the kernel cache are therefore only kernels that Python has called.
"""

# Numba carries no annotations.
# mypy: allow-untyped-defs, allow-untyped-calls, disallow-subclassing-any=False

import copy

from numba import version_info
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler

# It rests on the insides of Numba: with a release that it was not tried with, every kernel becomes
# machine code by itself, which is right and takes longer.
LINKED = version_info.short <= (0, 68)


class _LinkedLibrary(JITCodeLibrary):
    """A library that is only linked into others."""

    def finalize(self):
        """Take in what this one calls, optimise it, and leave machine code to the last library."""
        self._raise_if_finalized()
        for library in dict.fromkeys(self._linking_libraries):
            self._reload_init.update(library._reload_init)
            self._final_module.link_in(library._get_module_for_linking(), preserve=True)
        self._optimize_final_module()
        self._finalized = True


class PartCompiler(Compiler):
    """Numba's compiler for functions that are only called by compiled ones."""

    def __init__(self, typingctx, targetctx, library, args, return_type, flags, locals):
        targetctx = copy.copy(targetctx)
        targetctx.get_executable = _no_executable
        library = _LinkedLibrary(targetctx.codegen(), "part")
        super().__init__(typingctx, targetctx, library, args, return_type, flags, locals)


def _no_executable(library, fndesc, env):
    """A stand-in for the compiled function in Numba's registries: unique and never called."""
    return [].append
