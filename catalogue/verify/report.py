"""The report of a verification: what was checked and found, and what that says of the rest."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from datetime import datetime
from typing import Any, Self

from catalogue.statistics import most_wrong
from engine.text.numbers import counted, significant

# Of the statements about what was checked at random.
LEVEL = 0.99


@dataclass(frozen=True, slots=True)
class Fault:
    """A stored fact that is wrong.

    Attributes:
        kind: the kind of fact, such as ``solution`` or ``alarm``; an alarm is a result that another
            run, another solver or another ruleset contradicts.
        where: the row, in words.
        what: the error, in words.
    """

    kind: str
    where: str
    what: str

    def __str__(self) -> str:
        return f"{self.kind}: {self.where}: {self.what}"


@dataclass(frozen=True, slots=True)
class Sampled:
    """Objects of one kind, of which some were checked.

    Attributes:
        of: how many there are.
        checked: how many were checked, drawn at random.
        wrong: how many of these were wrong.
    """

    of: int
    checked: int
    wrong: int

    @property
    def at_most(self) -> float | None:
        """The largest share of wrong ones that is likely (`LEVEL`); None if none was checked."""
        return most_wrong(self.wrong, self.checked, self.of, LEVEL) if self.checked else None

    def __str__(self) -> str:
        wrong = f"{self.wrong:,}" if self.wrong else "none"
        if self.checked == self.of:
            return f"all {self.of:,} were checked, {wrong} wrong"
        words = f"of {self.of:,} {self.checked:,} were checked, drawn at random"
        if self.at_most is None:
            return f"of {self.of:,} none was checked"
        millionths = 1_000_000 * self.at_most
        shown = significant(millionths, 2)
        return f"{words}, {wrong} wrong: at most {shown} in a million are wrong (99 %)"


@dataclass(frozen=True, slots=True)
class VerificationReport:
    """The objects checked, and the faults found.

    Attributes:
        seed: random seed of the selection.
        checked: number of objects checked, by kind.
        sampled: of the kinds of which only a share was to be checked, how far they were.
        found: the number of faults; of very many only the first are listed.
        faults: the faults found; empty in a sound catalogue.
        remarks: what is unusual, but wrong in no way, such as an index of one's own.
        state: ``done``, ``stopped`` or ``running``.
        options: shares and checks asked for, and the program that checked.
        started_at: when it began.
        finished_at: when it ended; None if it has not.
        number: of its row in the catalogue; None if it is not stored.
        remark: why it is not stored, if it should be.
    """

    seed: int
    checked: dict[str, int]
    sampled: dict[str, Sampled]
    found: int
    faults: tuple[Fault, ...]
    remarks: tuple[str, ...] = ()
    state: str = "done"
    options: dict[str, Any] = field(default_factory=dict, compare=False)
    started_at: datetime | None = field(default=None, compare=False)
    finished_at: datetime | None = field(default=None, compare=False)
    number: int | None = field(default=None, compare=False)
    remark: str | None = field(default=None, compare=False)

    @property
    def holds(self) -> bool:
        """Whether everything that was to be checked was, and nothing is wrong."""
        return self.found == 0 and self.state == "done"

    @classmethod
    def read(cls, row: Mapping[str, Any]) -> Self:
        """The report of a row of `verification`, given its columns."""
        checked = row["checked"]
        return cls(
            row["options"]["seed"],
            {kind: int(count) for kind, count in checked["checked"].items()},
            {kind: Sampled(*counts) for kind, counts in checked["sampled"].items()},
            row["faults"],
            tuple(Fault(*each) for each in row["findings"]["faults"]),
            tuple(row["findings"].get("remarks", ())),
            row["state"],
            row["options"],
            row["started_at"],
            row["finished_at"],
            row["id"],
        )

    def plain(self) -> dict[str, Any]:
        """The report as plain data."""
        names = ("number", "state", "started_at", "finished_at", "options", "seed", "checked")
        sampled = {
            kind: {**asdict(each), "at_most": each.at_most, "level": LEVEL}
            for kind, each in self.sampled.items()
        }
        return {
            **{name: getattr(self, name) for name in names},
            "sampled": sampled,
            "found": self.found,
            "faults": self.faults,
            "remarks": self.remarks,
        }

    def __str__(self) -> str:
        lines = []
        if self.started_at is not None:
            ended = "" if self.finished_at is None else f" to {_moment(self.finished_at)}"
            lines.append(f"from {_moment(self.started_at)}{ended}, by {made_by(self.options)}")
        lines.append(f"random seed of the selection: {self.seed}")
        lines += [f"{count:>12,} checked: {kind}" for kind, count in self.checked.items()]
        lines += [f"{kind}: {each}" for kind, each in self.sampled.items()]
        lines += [str(fault) for fault in self.faults]
        if self.found > len(self.faults):
            lines.append(f"… and {self.found - len(self.faults):,} more")
        lines += [f"remark: {remark}" for remark in self.remarks]
        if self.state != "done":
            lines.append("stopped before the end: `thoughtful verify --resume` goes on")
        if self.remark:
            lines.append(self.remark)
        lines.append(counted(self.found, "fault") if self.found else "no faults")
        return "\n".join(lines)


def samples(every: Counter[str], checked: Counter[str], wrong: Counter[str]) -> dict[str, Sampled]:
    """Of each kind of which a share was drawn, how far it was checked."""
    sampled = {}
    for kind, of in every.items():
        bad = min(wrong[kind], of)
        if of:
            sampled[kind] = Sampled(of, min(max(checked[kind], bad), of), bad)
    return sampled


def unopened(url: str, reason: str) -> VerificationReport:
    """The report on a database that is damaged where every look at it begins."""
    return VerificationReport(0, {}, {}, 1, (Fault("schema", url, reason),))


def made_by(options: Mapping[str, Any]) -> str:
    """The program that checked, and its machine, in words."""
    known = options.get("provenance", {})
    program = f"Thoughtful {known.get('program', 'unknown')} {known.get('revision', '')}".strip()
    return f"{program} on {known.get('machine', 'unknown')}"


def _moment(moment: datetime) -> str:
    return f"{moment:%Y-%m-%d %H:%M:%S} UTC"
