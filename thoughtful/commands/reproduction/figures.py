"""Figures of experiments in words: shares, durations, and the machine of the times."""

import os
import platform
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING

from engine.text.numbers import per_cent, significant

if TYPE_CHECKING:
    from catalogue.statistics import Interval


def say(text: str) -> None:
    """Print a paragraph."""
    print(f"{textwrap.fill(text, 100, break_on_hyphens=False)}\n")


def percent(share: float, interval: "Interval") -> str:
    return f"{per_cent(share, 2)} ({per_cent(interval.low, 2)} to {per_cent(interval.high, 2)})"


def duration(seconds: float) -> str:
    """A duration in a suitable unit: ``14.8 µs``, ``3.64 s``, ``18.1 min``, ``105 min``."""
    for unit, size, limit in (("µs", 1e-6, 1e-3), ("ms", 1e-3, 1.0), ("s", 1.0, 600.0)):
        if seconds < limit:
            return f"{significant(seconds / size)} {unit}"
    return f"{significant(seconds / 60)} min"


def machine() -> str:
    """The processor of this machine and its number of cores."""
    name = platform.processor() or platform.machine()
    try:
        listed = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        listed = []
    for line in listed:
        key, _, value = line.partition(":")
        if key.strip() == "model name":
            name = value.strip()
            break
    return f"{name}, {os.cpu_count()} cores"
