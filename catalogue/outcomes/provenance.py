"""Who makes outcomes: this program, in its version, on this machine."""

import os
import platform
import subprocess
from dataclasses import dataclass
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

# By which the time of a deal is measured. The first one counted kernels that were compiled within a
# deal; this one stands still meanwhile (`engine.kernels.compiling.solving_time_ns`).
CLOCK = 2
_SOURCE = Path(__file__).resolve().parents[2]


@dataclass(frozen=True, slots=True)
class Provenance:
    """The provenance of outcomes; the fields are those of `catalogue.schema.ProvenanceRow`.

    Attributes:
        program: version of Thoughtful.
        revision: of its source, where it runs from a checkout; otherwise empty.
        python: version of Python.
        numba: version of Numba; empty if the compiler was off.
        processor: its model.
        machine: name of the machine.
        clock: by which it measures the time of a deal, see `CLOCK`.
    """

    program: str
    revision: str
    python: str
    numba: str
    processor: str
    machine: str
    clock: int = CLOCK

    @property
    def times_may_hold_compiling(self) -> bool:
        """Whether a CPU time of its outcomes may hold what was compiled meanwhile."""
        return self.clock < CLOCK


@cache
def this_provenance() -> Provenance:
    """The provenance of what this process computes."""
    try:
        program = version("thoughtful")
    except PackageNotFoundError:
        program = "unknown"
    compiler = "" if os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0") else version("numba")
    return Provenance(
        program[:40],
        _revision()[:40],
        platform.python_version()[:20],
        compiler[:20],
        _processor()[:120],
        (platform.node() or "unknown")[:80],
    )


def _revision() -> str:
    """The commit of the checkout that this program runs from, with a + if it has changes."""
    given = os.environ.get("THOUGHTFUL_REVISION")
    if given:
        return given
    if not (_SOURCE / ".git").exists():
        return ""
    try:
        process = subprocess.run(
            [
                "git",
                "-C",
                str(_SOURCE),
                "describe",
                "--always",
                "--abbrev=12",
                "--dirty=+",
                "--exclude=*",
            ],
            capture_output=True,
            text=True,
            timeout=10,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return process.stdout.strip() if process.returncode == 0 else ""


def _processor() -> str:
    """The model of the processor."""
    try:
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine() or "unknown"
