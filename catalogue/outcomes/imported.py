"""The statuses of imported deals, which are in no block and have rows of their own."""

from dataclasses import dataclass

from sqlalchemy import bindparam, insert, select, update
from sqlalchemy.orm import Session

from catalogue.blocks import PROVED, WON
from catalogue.outcomes.packed import PackedOutcomes
from catalogue.outcomes.rows import among, table_of
from catalogue.schema import StatusRow


def status_of(wins: int, proofs: int) -> str:
    """The status that follows from outcomes; one win outweighs any number of proofs."""
    return "winnable" if wins else "unwinnable" if proofs else "unresolved"


@dataclass(slots=True)
class Status:
    """The combined result of an imported deal's outcomes, independent of their order."""

    solvers: int = 0
    wins: int = 0
    proofs: int = 0
    nodes: int | None = None
    solution_length: int | None = None
    dead_end: str | None = None

    @classmethod
    def of(cls, each: PackedOutcomes, place: int) -> "Status":
        """The status that follows from a single outcome."""
        won, proved = each.result[place] == WON, each.result[place] == PROVED
        return cls(
            1,
            int(won),
            int(proved),
            int(each.nodes[place]) if each.solver.grades and (won or proved) else None,
            int(each.length[place]) or None if won else None,
            each.dead_ends[place][0] if place in each.dead_ends else None,
        )

    def absorb(self, other: "Status") -> None:
        """Add what other outcomes say."""
        self.solvers += other.solvers
        self.wins += other.wins
        self.proofs += other.proofs
        self.nodes = _least(self.nodes, other.nodes)
        self.solution_length = _least(self.solution_length, other.solution_length)
        self.dead_end = min(filter(None, (self.dead_end, other.dead_end)), default=None)


_STATUS_COLUMNS = ("solvers", "wins", "proofs", "nodes", "solution_length", "dead_end")


def add_statuses(session: Session, ruleset_id: int, statuses: dict[int, Status]) -> None:
    """Bring the rows of deals up to date with new outcomes, given by the id of the deal."""
    table = table_of(StatusRow)
    query = select(table.c.deal_id, *(table.c[name] for name in _STATUS_COLUMNS)).where(
        table.c.ruleset_id == ruleset_id
    )
    before = {
        row[0]: Status(*row[1:])
        for condition in among(table.c.deal_id, set(statuses))
        for row in session.execute(query.where(condition))
    }
    fresh, changed = [], []
    for deal_id, status in sorted(statuses.items()):
        if deal_id in before:
            status.absorb(before[deal_id])
        row = {name: getattr(status, name) for name in _STATUS_COLUMNS}
        row["status"] = status_of(status.wins, status.proofs)
        if deal_id in before:
            changed.append({**row, "of_deal": deal_id})
        else:
            fresh.append({**row, "ruleset_id": ruleset_id, "deal_id": deal_id})
    if fresh:
        session.execute(insert(table), fresh)
    if changed:
        session.connection().execute(
            update(table).where(
                table.c.ruleset_id == ruleset_id, table.c.deal_id == bindparam("of_deal")
            ),
            changed,
        )


def _least(a: int | None, b: int | None) -> int | None:
    return min((value for value in (a, b) if value is not None), default=None)
