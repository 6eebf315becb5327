"""What verification found."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Fault:
    """A stored fact that does not hold.

    Attributes:
        kind: what was looked at: contradiction, solution, dead end, regret, cards, verdict, status,
            tally or status tally.
        where: the row, in words.
        what: what is wrong with it.
    """

    kind: str
    where: str
    what: str

    def __str__(self) -> str:
        return f"{self.kind}: {self.where}: {self.what}"


@dataclass(frozen=True, slots=True)
class VerificationReport:
    """What was checked, and what does not hold.

    Attributes:
        checked: how many of each kind were looked at.
        faults: what was found wrong; empty is what it should be.
    """

    checked: dict[str, int]
    faults: tuple[Fault, ...]

    @property
    def holds(self) -> bool:
        return not self.faults

    def __str__(self) -> str:
        lines = [f"{count:>10,} checked: {kind}" for kind, count in self.checked.items()]
        lines += [str(fault) for fault in self.faults]
        lines.append("everything holds" if self.holds else f"{len(self.faults)} do not hold")
        return "\n".join(lines)
