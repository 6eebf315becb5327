"""Whether kernels are compiled in this process, or run by Python itself."""

import os

COMPILED = os.environ.get("NUMBA_DISABLE_JIT", "0") in ("", "0")
