"""How the kernels of the searches are compiled, and what they ask of the processor."""

# mypy: allow-untyped-defs, allow-untyped-calls

import os

from llvmlite import ir
from numba import njit, types
from numba.core import cgutils
from numba.extending import intrinsic

# Searches allocate nothing, so they do without the counts that Numba keeps of each array in use:
# kept atomically, those took a third of the time. Numba then refuses to compile an allocation.
search_kernel = njit(cache=True, nogil=True, _nrt=False)  # type: ignore[call-overload]

# For small functions of inner loops: an array is seven words, so that a call costs more than they.
inlined_kernel = njit(  # type: ignore[call-overload]
    cache=True, nogil=True, _nrt=False, forceinline=True
)

if os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0"):

    def fetch(array, index):
        """Nothing, without the compiler."""

else:

    @intrinsic
    def fetch(typingctx, array, index):
        """Begin to bring an element of an array into the processor's cache."""

        def codegen(context, builder, signature, args):
            data = context.make_array(signature.args[0])(context, builder, args[0]).data
            address = builder.bitcast(builder.gep(data, [args[1]]), ir.IntType(8).as_pointer())
            number = ir.IntType(32)
            function = cgutils.get_or_insert_function(
                builder.module,
                ir.FunctionType(ir.VoidType(), [address.type, number, number, number]),
                "llvm.prefetch.p0i8",
            )
            # To be read, into all levels of the cache, data.
            builder.call(function, [address, number(0), number(3), number(1)])
            return context.get_dummy_value()

        return types.void(array, types.int64), codegen
