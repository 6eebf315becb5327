"""The report of a verification."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Fault:
    """A stored fact that is wrong.

    Attributes:
        kind: the kind of fact: contradiction, solution, dead end, regret, cards, verdict, status,
            tally or status tally.
        where: the row, in words.
        what: the error, in words.
    """

    kind: str
    where: str
    what: str

    def __str__(self) -> str:
        return f"{self.kind}: {self.where}: {self.what}"


@dataclass(frozen=True, slots=True)
class VerificationReport:
    """The rows checked and the faults found.

    Attributes:
        checked: number of rows checked, by kind.
        faults: the faults found; empty in a sound catalogue.
    """

    checked: dict[str, int]
    faults: tuple[Fault, ...]

    @property
    def holds(self) -> bool:
        return not self.faults

    def __str__(self) -> str:
        lines = [f"{count:>10,} checked: {kind}" for kind, count in self.checked.items()]
        lines += [str(fault) for fault in self.faults]
        count = len(self.faults)
        lines.append("no faults" if self.holds else f"{count} fault{'' if count == 1 else 's'}")
        return "\n".join(lines)
