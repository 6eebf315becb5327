"""The report of a verification."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Fault:
    """A stored fact that is wrong.

    Attributes:
        kind: the kind of fact: bound, cards, check, contradiction, dead end, deal, job, reference,
            regret, rerun, ruleset, schema, solution, solver, status, status tally, tally, value or
            verdict.
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
        seed: random seed of the selection.
        checked: number of rows checked, by kind.
        faults: the faults found; empty in a sound catalogue.
    """

    seed: int
    checked: dict[str, int]
    faults: tuple[Fault, ...]

    @property
    def holds(self) -> bool:
        return not self.faults

    def __str__(self) -> str:
        lines = [f"random seed of the selection: {self.seed}"]
        lines += [f"{count:>10,} checked: {kind}" for kind, count in self.checked.items()]
        lines += [str(fault) for fault in self.faults]
        count = len(self.faults)
        lines.append("no faults" if self.holds else f"{count} fault{'' if count == 1 else 's'}")
        return "\n".join(lines)
