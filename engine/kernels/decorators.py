"""Decorators of kernels, and the prefetching of memory.

Every kernel is decorated by one of these: importing them sets up the kernel cache. Without the
compiler they leave functions as they are and import nothing of Numba, which takes longer than most
searches that are run in this way.

Rules of kernels:

- `kernel` compiles for the types of arguments, not for constants that other kernels pass.
  `small_kernel` is for functions of a line or two, which Numba inlines before it infers types;
  `inlined_kernel` is inlined by LLVM; `search_kernel` counts no references, so it cannot allocate.
  These two, and what is inlined into them, index no array from its end: a negative index would
  read or write what lies before the array.
- Arrays and scalars only; arrays of one purpose travel in a NamedTuple, a workspace; columns of
  an array have named constants. No allocation in inner loops; explicit stacks. Slices are filled by
  `filling.py`, which compiles ten times as fast.
- Deals reach kernels as arrays that can be written to (`Solver.solve`): for a read-only one Numba
  would compile everything again.
- Sets of cards are signed 64-bit integers of 52 bits (`engine.cardset`). Signed and unsigned never
  mix in an expression: Numba would compute in float64.
- Randomness comes from a state passed in (`rng.py`), so that a game is a function of its deal,
  its parameters and its random seed.
- A compiled kernel is valid as long as its own file and every file of ours that it imports are the
  same (`cache.py`): it must not depend on an import inside a function, and a constant
  in a module that changes often makes all compile again.
- Of what only kernels call no machine code is kept (`linking.py`); of what Python calls,
  only that (`keeping.py`). The `parts` of a method are compiled side by side for the
  process that waits (`compiling.py`), while another solves without the compiler
  (`solvers.interpreted`).
- Each kernel also runs with ``NUMBA_DISABLE_JIT=1``, and has a naive twin in ``tests/twins``.
"""

# mypy: allow-untyped-defs, allow-untyped-calls

from typing import Any

from engine.kernels import compiling
from engine.kernels.compiler import COMPILED

if not COMPILED:

    def kernel(function):
        """Leave a function to the interpreter."""
        return function

    small_kernel = search_kernel = inlined_kernel = looped_kernel = kernel

    def _form(kernel: Any, arguments: tuple[Any, ...]) -> Any:
        return kernel

    def prefetch(array, index):
        """Do nothing: without the compiler there is nothing to prefetch."""

else:
    from functools import cache
    from inspect import signature

    from llvmlite import ir
    from numba import njit, typeof, types
    from numba.core import cgutils, event
    from numba.extending import intrinsic

    from engine.kernels.cache import KernelCache, LoneKernelCache, use_kernel_cache
    from engine.kernels.linking import (
        LINKED,
        PartCompiler,
        SearchCompiler,
        SearchPartCompiler,
    )

    use_kernel_cache()

    class _Listener(event.Listener):
        """Hears when Numba compiles a kernel, not when it loads one."""

        def on_start(self, event):
            compiling.kernel_begins()

        def on_end(self, event):
            compiling.kernel_ends()

    event.register("numba:compile", _Listener())

    # The types of `njit` know only its documented options.
    _njit: Any = njit
    # Nothing calls a kernel by its address, so the wrapper for that is not compiled.
    _OPTIONS = {"nogil": True, "no_cfunc_wrapper": True}
    _PART_OPTIONS = {**_OPTIONS, "no_cpython_wrapper": True}
    _SEARCH_OPTIONS = {"_nrt": False} | ({"pipeline_class": SearchCompiler} if LINKED else {})

    def _kept(cached_by=KernelCache, **options):
        """Return a decorator of functions that are kept in the kernel cache."""
        decorate = _njit(**_OPTIONS, **options)

        def compile_and_keep(function):
            # Numba asks for it twice.
            function.__signature__ = signature(function)
            dispatcher = decorate(function)
            dispatcher._cache = cached_by(function)
            compile_or_load = dispatcher.compile

            def compile_apart(signature):
                # Whenever it is first called: in the middle of a deal, too.
                with compiling.not_solving():
                    return compile_or_load(signature)

            dispatcher.compile = compile_apart
            return dispatcher

        return compile_and_keep

    def _general(compiler_of_parts=PartCompiler, **options):
        """Return a decorator of kernels that are compiled for types, not for constants.

        Numba compiles a kernel anew for every combination of constants that other kernels pass to
        it. Searches are no faster for it: LLVM moves constants into small functions by itself.
        """
        decorate = _kept(LoneKernelCache if LINKED else KernelCache, **options)
        decorate_part = _njit(**{**_PART_OPTIONS, **options, "pipeline_class": compiler_of_parts})

        def compile_for_types(function):
            dispatcher = decorate(function)
            own = dispatcher.get_call_template, dispatcher.get_overload

            @cache
            def seen():
                # What other kernels see: see `linking.py`. It is made when one of them
                # is compiled, because most processes only load kernels.
                if not LINKED:
                    return own
                part = decorate_part(function)
                return part.get_call_template, part.get_overload

            def get_call_template(args, kws):
                args = tuple(types.unliteral(arg) for arg in args)
                kws = {name: types.unliteral(arg) for name, arg in kws.items()}
                return seen()[0](args, kws)

            def get_overload(signature):
                return seen()[1](signature)

            dispatcher.get_call_template = get_call_template
            dispatcher.get_overload = get_overload
            return dispatcher

        return compile_for_types

    kernel = _general()

    # For functions of a line or two: their body stands in place of the call before types are known.
    small_kernel = _kept(inline="always")

    # Searches allocate nothing, so they do without the counts that Numba keeps of each array in
    # use: kept atomically, those took a third of the time. Numba then refuses to compile an
    # allocation.
    search_kernel = _general(SearchPartCompiler, **_SEARCH_OPTIONS)

    # For small functions of inner loops: an array is seven words, so that a call costs more than
    # they.
    inlined_kernel = _general(SearchPartCompiler, **_SEARCH_OPTIONS, forceinline=True)

    # For loops of a search that a kernel has only once: passing a workspace of many arrays to a
    # function that is not inlined costs a third of the time.
    looped_kernel = _kept(forceinline=True)

    def _form(kernel: Any, arguments: tuple[Any, ...]) -> Any:
        return kernel.compile(tuple(map(typeof, arguments)))

    @intrinsic
    def prefetch(typingctx, array, index):
        """Start loading an element of an array into the processor's cache."""

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


class SettledKernel:
    """A kernel that is called with arguments of the same types every time.

    Numba looks at the types of all arguments at each call, which with 30 arrays takes 1.7 µs of
    2.4.

    Attributes:
        made: what `form` gives, once it was asked; None before.
    """

    def __init__(self, kernel: Any) -> None:
        self._kernel = kernel
        self.made: Any = None

    def form(self, *arguments: Any) -> Any:
        """The kernel's form for the types of the first arguments asked with.

        It may be called with no others: it does not look at types. Without the compiler it is the
        function itself.
        """
        if self.made is None:
            self.made = _form(self._kernel, arguments)
        return self.made
