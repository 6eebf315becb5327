"""Kernels as parts of other kernels: typed and translated, but not made into machine code.

Numba makes every kernel that another one calls into a library that could be called from Python:
with a wrapper for that, made into machine code, and kept on disk. Only what Python calls needs any
of this. So a kernel here has a second dispatcher, which other kernels see: what it compiles ends as
LLVM's optimised code, and is linked into the kernel that Python calls. That saves a third of the
time that a search takes to compile. The code of the search is the same: left to be optimised in one
go at the end, which compiles faster still, `exact` was some 3 % slower.

Kept in the kernel cache are therefore only kernels that Python has called.

Numba leaves out branches that an argument of None never takes, but not those that a None in a tuple
never takes: it would compile all that they call. Parts leave these out, too.

Before each access to an array Numba asks whether the index is negative, and counts from the end
then, unless its type is unsigned. Kernels of searches never count from the end, so that they are
compiled as if their indexes were unsigned, which saves up to a fifth of their time. Compiled with
checks of bounds (``NUMBA_BOUNDSCHECK=1``, in an empty kernel cache), they take a negative index for
an error, which is how tests look for one.
"""

# Numba carries no annotations.
# mypy: allow-untyped-defs, allow-untyped-calls, disallow-subclassing-any=False

import copy
import operator

from numba import types, version_info
from numba.core import ir
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler, DefaultPassBuilder
from numba.core.compiler_machinery import FunctionPass, register_pass
from numba.core.cpu import CPUContext
from numba.core.ir_utils import build_definitions, get_definition, guard
from numba.core.untyped_passes import RewriteSemanticConstants

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


@register_pass(mutates_CFG=False, analysis_only=False)
class _NoneOfTuples(FunctionPass):
    """Puts None where a field that is None by type is read of an argument that is a named tuple."""

    _name = "none_of_tuples"

    def __init__(self):
        FunctionPass.__init__(self)

    def run_pass(self, state):
        """Change the statements in place; return whether there were any."""
        code = state.func_ir
        found = [
            statement
            for block in code.blocks.values()
            for statement in block.find_insts(ir.Assign)
            if self._is_none(statement.value, state)
        ]
        for statement in found:
            statement.value = ir.Const(None, statement.loc)
        if found:
            code._definitions = build_definitions(code.blocks)
        return bool(found)

    @staticmethod
    def _is_none(value, state):
        if not isinstance(value, ir.Expr) or value.op != "getattr":
            return False
        source = guard(get_definition, state.func_ir, value.value)
        if not isinstance(source, ir.Arg):
            return False
        kind = state.args[source.index]
        return (
            isinstance(kind, types.NamedTuple)
            and value.attr in kind.fields
            and kind.types[kind.fields.index(value.attr)] == types.none
        )


class _UnsignedIndexes(CPUContext):
    """A target in which what reads or writes an element of an array takes unsigned indexes."""

    def get_function(self, fn, sig, _firstcall=True):
        """Find the function for some types: for unsigned indexes in place of signed ones."""
        is_access = (
            isinstance(fn, types.Function)
            and fn.typing_key in (operator.getitem, operator.setitem)
            and isinstance(sig.args[0], types.Array)
        )
        if not is_access or _unsigned(sig.args[1]) == sig.args[1]:
            return super().get_function(fn, sig, _firstcall)
        array, signed, *value = sig.args
        unsigned = _unsigned(signed)
        sig = fn.get_call_type(self.typing_context, (array, unsigned, *value), {})
        access = super().get_function(fn, sig)

        def access_unsigned(builder, arguments, loc=None):
            array, index, *value = arguments
            index = self.cast(builder, index, signed, unsigned)
            return access(builder, (array, index, *value), loc)

        return access_unsigned


def _unsigned(index):
    """The type of an index or of a tuple of some, of which none is negative."""
    if isinstance(index, types.Tuple | types.UniTuple):
        return types.Tuple([_unsigned(each) for each in index.types])
    return types.uintp if types.unliteral(index) in types.signed_domain else index


class SearchCompiler(Compiler):
    """Numba's compiler for kernels of searches."""

    def __init__(self, typingctx, targetctx, *others):
        targetctx = copy.copy(targetctx)
        targetctx.__class__ = _UnsignedIndexes
        super().__init__(typingctx, targetctx, *others)


class PartCompiler(Compiler):
    """Numba's compiler for functions that are only called by compiled ones."""

    def __init__(self, typingctx, targetctx, library, args, return_type, flags, locals):
        targetctx = copy.copy(targetctx)
        targetctx.get_executable = _no_executable
        library = _LinkedLibrary(targetctx.codegen(), "part")
        super().__init__(typingctx, targetctx, library, args, return_type, flags, locals)

    def define_pipelines(self):
        """Numba's own passes, with `_NoneOfTuples` before branches are left out."""
        passes = DefaultPassBuilder.define_nopython_pipeline(self.state)
        passes.add_pass_after(_NoneOfTuples, RewriteSemanticConstants)
        passes.finalize()
        return [passes]


class SearchPartCompiler(SearchCompiler, PartCompiler):
    """Numba's compiler for kernels of searches that are only called by compiled ones."""


def _no_executable(library, fndesc, env):
    """A stand-in for the compiled function in Numba's registries: unique and never called."""
    return [].append
