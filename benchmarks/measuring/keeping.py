"""Writing figures to a JSON file, with everything needed to reproduce them."""

import importlib.metadata
import json
import platform
import subprocess
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from engine.errors import BadInput
from measuring.process import ROOT


def check_target(path: Path) -> None:
    """Check before hours of work that figures can be written.

    Raises:
        BadInput: they cannot.
    """
    if path.is_dir() or not path.parent.is_dir():
        reason = "it is a folder" if path.is_dir() else "its folder does not exist"
        raise BadInput(f"cannot write {path}: {reason}")


def keep(path: Path, arguments: list[str], figures: dict[str, Any]) -> None:
    """Write the figures; the file appears under its name only when it is complete."""
    record = {
        "command": ["python", "benchmarks/exact.py", *arguments],
        "at": datetime.now(UTC).isoformat(timespec="seconds"),
        "commit": _commit(),
        "python": platform.python_version(),
        "numba": importlib.metadata.version("numba"),
        "machine": f"{platform.system()} {platform.machine()}",
        **figures,
    }
    part = path.with_name(f".{path.name}.part")
    try:
        part.write_text(json.dumps(record, indent=1, default=_plain) + "\n", encoding="utf-8")
        part.replace(path)
    except OSError as error:
        raise BadInput(f"cannot write {path}: {error.strerror}") from None
    finally:
        part.unlink(missing_ok=True)


def _plain(value: Any) -> Any:
    """Convert NumPy numbers to Python numbers."""
    if isinstance(value, np.generic):
        return value.item()
    raise TypeError(f"{value!r} cannot be written as JSON")


def _commit() -> str | None:
    """The commit of this checkout, with a + if files have changed since; None without git."""
    try:
        return subprocess.run(
            ["git", "describe", "--always", "--exclude=*", "--dirty=+"],
            cwd=ROOT, capture_output=True, text=True, check=True,
        ).stdout.strip()  # fmt: skip
    except (OSError, subprocess.CalledProcessError):
        return None
