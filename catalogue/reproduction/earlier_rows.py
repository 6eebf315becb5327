"""Rows of winnable shares as earlier runs printed them in JSON, on whichever machines they ran.

So rows that took hours each, in catalogues of their own, come into one table and one plot.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from catalogue.reproduction.definitions import Experiment, WinnabilityRow
from catalogue.reproduction.published import BLAKE_GENT_NECESSITY
from catalogue.reproduction.winnability import Necessity, ReportedRow
from catalogue.statistics import Interval
from engine.dealing.dealers import Sample, parse_sample
from engine.errors import BadInput
from engine.games import game_of
from engine.text.strict_json import parse_json


@dataclass(frozen=True, slots=True)
class EarlierRow(ReportedRow):
    """A row as an earlier run printed it.

    Attributes:
        wins: its winnable deals, or the games that its player won.
        proofs: those proved unwinnable, or lost.
        machine: where it ran.
    """

    row: WinnabilityRow
    sample: Sample
    solver: str
    version: int
    inferred: int
    cpu_ms: float | None
    wins: int
    proofs: int
    machine: str

    @property
    def deals(self) -> int:
        return self.sample.count

    @property
    def winnable(self) -> int:
        return self.wins

    @property
    def unwinnable(self) -> int:
        return self.proofs


@dataclass(frozen=True, slots=True)
class Earlier:
    """The output of earlier runs: rows in the experiment's order, and necessities in theirs."""

    rows: tuple[EarlierRow, ...]
    necessities: tuple[Necessity, ...]


def read_earlier(
    experiment: Experiment[WinnabilityRow], lines: Iterable[str], names: Iterable[str] = ()
) -> Earlier:
    """Read lines that `thoughtful reproduce … --json` printed, of one run or of several.

    Args:
        experiment: the experiment that was repeated.
        lines: of JSON; empty ones do not count.
        names: of the rows wanted; without any, all rows of the lines.

    Raises:
        BadInput: a line is not such a line, a row comes twice, or a row wanted is missing. The
            sentence names the line.
    """
    by_name = {row.name: row for row in (*experiment.rows, *experiment.further)}
    rows: dict[str, EarlierRow] = {}
    pairs: dict[tuple[str, str], Necessity] = {}
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            given = _Line(parse_json(line))
            if given.text("experiment") != experiment.name:
                raise BadInput(f"expected a row of {experiment.name}")
            if "necessity" in given.data:
                pair = _necessity(given, by_name)
                _add(pairs, (pair.lax.name, pair.strict.name), pair)
            else:
                row = _row(given, by_name)
                _add(rows, row.row.name, row)
        except BadInput as error:
            raise BadInput(f"line {number}: {error}") from None
    wanted = set(names) or set(rows)
    if missing := [name for name in by_name if name in wanted and name not in rows]:
        raise BadInput(f"no line is of {', '.join(missing)}")
    if not rows:
        raise BadInput(f"no line is of a row of {experiment.name}")
    return Earlier(
        tuple(rows[name] for name in by_name if name in wanted),
        tuple(
            pairs[lax, strict]
            for lax in by_name
            for strict in by_name
            if {lax, strict} <= wanted and (lax, strict) in pairs
        ),
    )


def _add(into: dict[Any, Any], key: object, value: object) -> None:
    if key in into:
        raise BadInput("this row has come before")
    into[key] = value


def _row(given: "_Line", by_name: Mapping[str, WinnabilityRow]) -> EarlierRow:
    row = given.row("row", by_name)
    sample = parse_sample(given.text("sample"))
    by_status = ("won", "lost") if row.player else ("winnable", "unwinnable", "undecided")
    deals, *counts = (given.count(key) for key in ("deals", *by_status))
    inferred = given.count("inferred")
    if deals != sample.count or sum(counts) != deals or inferred > deals:
        raise BadInput(f"its counts are not those of {sample.count:,} deals, {sample}")
    cpu_ms = None if given.data.get("mean_cpu_ms") is None else given.number("mean_cpu_ms")
    return EarlierRow(
        row,
        sample,
        given.text("solver"),
        given.count("version"),
        inferred,
        cpu_ms,
        counts[0],
        counts[1],
        given.text("machine"),
    )


def _necessity(given: "_Line", by_name: Mapping[str, WinnabilityRow]) -> Necessity:
    lax, strict = given.row("row", by_name), given.row("without", by_name)
    option = given.text("necessity")
    without = game_of(lax.rules).rulesets.without(lax.rules).get(option)
    if without is None or without.slug != strict.ruleset:
        raise BadInput(f"{strict.name} is not {lax.name} without {option!r}")
    needing, winnable = given.count("needing"), given.count("winnable")
    interval = Interval(*given.ends("interval"))
    known = needing / winnable if winnable else 0.0
    # Lines printed before this field was there are of deals that were decided but for a few.
    bounds = Interval(*given.ends("bounds")) if "bounds" in given.data else Interval(known, known)
    if (
        needing > winnable
        or not 0 <= interval.low <= bounds.low <= bounds.high <= interval.high <= 1
    ):
        raise BadInput("its share of needing deals is none")
    published = BLAKE_GENT_NECESSITY.get(lax.ruleset)
    return Necessity(option, lax, strict, needing, winnable, bounds, interval, published)


class _Line:
    """The fields of a line, each checked as it is read."""

    def __init__(self, data: Any) -> None:
        if not isinstance(data, dict):
            raise BadInput("expected a JSON object")
        self.data: dict[str, Any] = data

    def text(self, key: str) -> str:
        value = self.data.get(key)
        if not isinstance(value, str):
            raise BadInput(f'"{key}" must be a text')
        return value

    def number(self, key: str) -> float:
        value = self.data.get(key)
        if not isinstance(value, int | float) or isinstance(value, bool) or not 0 <= value < 1e300:
            raise BadInput(f'"{key}" must be a number of at least 0')
        return float(value)

    def count(self, key: str) -> int:
        value = self.number(key)
        if value != int(value):
            raise BadInput(f'"{key}" must be a whole number')
        return int(value)

    def ends(self, key: str) -> tuple[float, float]:
        match self.data.get(key):
            case [float() | int() as low, float() | int() as high]:
                return low, high
        raise BadInput(f'"{key}" must be two numbers')

    def row(self, key: str, by_name: Mapping[str, WinnabilityRow]) -> WinnabilityRow:
        name = self.text(key)
        if name not in by_name:
            raise BadInput(f"there is no row {name!r}")
        return by_name[name]
