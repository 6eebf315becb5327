"""Flag that says whether kernels are compiled in this process or run by the interpreter."""

import os

COMPILED = os.environ.get("NUMBA_DISABLE_JIT", "0") in ("", "0")
