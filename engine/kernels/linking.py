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
"""

# Numba carries no annotations.
# mypy: allow-untyped-defs, allow-untyped-calls, disallow-subclassing-any=False

import copy

from numba import types, version_info
from numba.core import ir
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler, DefaultPassBuilder
from numba.core.compiler_machinery import FunctionPass, register_pass
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


def _no_executable(library, fndesc, env):
    """A stand-in for the compiled function in Numba's registries: unique and never called."""
    return [].append
