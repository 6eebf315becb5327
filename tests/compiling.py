"""Kernels compiled once by test processes side by side: the second one waits, and loads them."""

import fcntl
from functools import wraps
from typing import Any

from numba.core.compiler_lock import global_compiler_lock
from numba.core.dispatcher import Dispatcher

from engine.kernels.cache import kernel_folder


def compile_once() -> None:
    """Have this process hold a lock of the kernel cache while it loads or compiles a kernel.

    Two processes cannot wait for each other: a process compiles one kernel at a time, and takes
    the locks of those that it calls in the order of the calls, which has no cycle.
    """
    compile_kernel = Dispatcher.compile
    locks = kernel_folder() / "locks"
    locks.mkdir(parents=True, exist_ok=True)
    held: set[str] = set()

    @wraps(compile_kernel)
    def compile_alone(self: Any, signature: Any) -> Any:
        name = f"{self.py_func.__module__}.{self.py_func.__qualname__}"
        with global_compiler_lock:
            if name in held or len(name) > 200:
                return compile_kernel(self, signature)
            with (locks / name).open("w") as lock:
                fcntl.flock(lock, fcntl.LOCK_EX)
                held.add(name)
                try:
                    return compile_kernel(self, signature)
                finally:
                    held.discard(name)

    Dispatcher.compile = compile_alone
