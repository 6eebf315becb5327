"""Kernels that only Python calls, as the kernel cache keeps them: machine code alone.

Numba keeps a kernel's machine code, and LLVM's code beside it, so that other kernels can be linked
with it; and loading the kernel means to read both, to import the modules of all functions that were
compiled into it, and to make the functions that count arrays in use. That takes several times as
long as a short search. Other kernels are linked with something else here
(`engine.kernels.linking`), so the machine code is enough.
"""

# Numba carries no annotations.
# mypy: allow-untyped-calls, disallow-subclassing-any=False

from collections.abc import Sequence
from importlib import import_module
from typing import Any

from numba.core.caching import CompileResultCacheImpl
from numba.core.compiler import compile_result
from numba.core.environment import Environment, lookup_environment
from numba.core.runtime.nrt import rtsys

# How names begin: those of functions that count arrays in use, and of Python's own variables.
_COUNTING = "NRT_"
_PYTHONS = ("Py", "_Py")


class KeptAlone(CompileResultCacheImpl):
    """Keeps machine code without what linking it into other kernels would take."""

    def reduce(self, compiled: Any) -> Any:
        """Return what is kept of a compiled kernel, to be pickled."""
        library = compiled.library
        linkable = library._get_module_for_linking()
        defined = [
            value.name
            for values in (linkable.functions, linkable.global_variables)
            for value in values
            if not value.is_declaration
        ]
        module = library._final_module
        counts = any(each.name.startswith(_COUNTING) for each in module.functions)
        # Variables that some module of Numba makes when it is imported: the secret of hashing.
        uses_others = any(
            each.is_declaration and not each.name.startswith(_PYTHONS)
            for each in module.global_variables
        )
        (name, _, (code, _)), *rest, environments = compiled._reduce()
        known = [
            (each.env_name, each.globals["__name__"], list(each.consts)) for each in environments
        ]
        return name, code, defined, counts, uses_others, known, rest

    def rebuild(self, target_context: Any, kept: Any) -> Any:
        """Return the compiled kernel, ready to be called from Python.

        Numba refuses to link its library with another.
        """
        name, code, defined, counts, uses_others, known, rest = kept
        fndesc, environment, signature, objectmode, lifted, type_annotation, reload_init = rest
        if counts:
            rtsys.initialize(target_context)
        for function in reload_init:
            function()
        if uses_others:
            for _, module, _ in known:
                import_module(module)
        codegen = target_context.codegen()
        library = codegen.create_library(name)
        library.enable_object_caching()
        library._set_compiled_object(code)
        library._finalize_final_module()
        codegen._engine._defined_symbols.update(defined)
        entry_point = target_context.get_executable(library, fndesc, environment)
        environments = tuple(_environment(*each) for each in known)
        for each in environments:
            codegen.set_env(each.env_name, each)
        return compile_result(
            target_context=target_context,
            typing_context=target_context.typing_context,
            library=library,
            environment=environment,
            entry_point=entry_point,
            fndesc=fndesc,
            type_annotation=type_annotation,
            signature=signature,
            objectmode=objectmode,
            lifted=lifted,
            reload_init=reload_init,
            referenced_envs=environments,
        )


def _environment(name: str, module: str, constants: Sequence[Any]) -> Any:
    """The environment of a function that was compiled into a kernel: its Python objects.

    Compiled code looks at the objects alone, so the function's module is not imported for it. Only
    its name is there, by which Numba knows that the environment can be kept.
    """
    environment = lookup_environment(name)
    if environment is None:
        environment = Environment({"__name__": module})
        environment.consts[:] = constants
        environment.env_name = name
        Environment._memo[name] = environment
    return environment
