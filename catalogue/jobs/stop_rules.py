"""Rules by which a job stops before all of its sample is solved.

- ``width``: the 99 % confidence sequence of the winnable share is narrower than this many
  percentage points. A sequence, because the interval is looked at again and again.
- ``cpu_hours``: its shards have spent this many hours of CPU time.
- ``deals``: this many deals, the first of the sample, are solved.
"""

from collections.abc import Mapping
from typing import Any

from catalogue import statistics
from catalogue.reading.bounds import WIDTH
from engine.errors import BadInput
from engine.text.numbers import significant

LEVEL = 0.99
_RANGES: Mapping[str, tuple[float, float, str]] = {
    WIDTH: (0, 100, "a number of percentage points above 0, at most 100"),
    "cpu_hours": (0, 1e9, "a number of hours above 0"),
    "deals": (0, 2**63 - 1, "a whole number of deals above 0"),
}


def check_rules(until: Mapping[str, Any]) -> None:
    """Raise BadInput unless the rules can be obeyed."""
    for name, value in until.items():
        if name not in _RANGES:
            raise BadInput(f"unknown stop rule {name!r}: expected one of {', '.join(_RANGES)}")
        low, high, expected = _RANGES[name]
        fits = (
            isinstance(value, (int, float)) and not isinstance(value, bool) and low < value <= high
        )
        if not fits or (name == "deals" and not isinstance(value, int)):
            raise BadInput(f"a job cannot stop at {name} {value}: expected {expected}")


def last_deals(until: Mapping[str, Any], deals: int) -> int:
    """The number of deals of a sample that are solved at most."""
    return min(deals, int(until.get("deals", deals)))


def rules_in_words(until: Mapping[str, Any]) -> str:
    """The rules in words; empty without any."""
    words = []
    if WIDTH in until:
        words.append(f"until the 99 % interval is narrower than {significant(until[WIDTH])} points")
    if "cpu_hours" in until:
        words.append(f"until {significant(until['cpu_hours'])} CPU hours are spent")
    if "deals" in until:
        words.append(f"until {until['deals']:,} deals are solved")
    return ", ".join(words)


def spent(until: Mapping[str, Any], cpu_ms: float) -> str | None:
    """Why a job that has spent this CPU time is to stop; None if it is not."""
    hours = until.get("cpu_hours")
    if hours is None or cpu_ms < hours * 3_600_000:
        return None
    return f"stopped by its rule: {significant(hours)} CPU hours are spent"


def narrow(until: Mapping[str, Any], n: int, winnable: int, unwinnable: int) -> str | None:
    """Why a job whose sample has these counts is to stop; None if it is not."""
    width = until.get(WIDTH)
    if width is None or n == 0:
        return None
    low = statistics.interval(winnable, n, LEVEL, "sequence").low
    high = statistics.interval(n - unwinnable, n, LEVEL, "sequence").high
    found = 100 * (high - low)
    if found >= width:
        return None
    return (
        f"stopped by its rule: after {n:,} deals the 99 % interval is {significant(found, 4)} "
        f"points wide, narrower than {significant(width)}"
    )


def enough(until: Mapping[str, Any], deals: int) -> str | None:
    """Why a job with a sample of this size, of which enough is solved, stopped before its end."""
    if last_deals(until, deals) == deals:
        return None
    return f"stopped by its rule: {until['deals']:,} deals are solved"
