"""Writing outcomes and the tables derived from them; nothing else writes these tables.

`write_chunk` adds the missing outcomes of a `catalogue.outcomes.chunk.Chunk`, whose wins the
referee has replayed, and updates statuses and tallies in the same transaction.
"""

import dataclasses
import zlib
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import ColumnElement, Table, bindparam, insert, select, update
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.orm import Session

from catalogue import schema
from catalogue.outcomes.chunk import Chunk as Chunk
from catalogue.outcomes.chunk import SolverKey as SolverKey
from catalogue.outcomes.chunk import digest
from catalogue.schema import BLOCK_SIZE, MAX_STORED_SEED
from catalogue.store import lock
from engine.cards import card_name
from engine.errors import BadInput
from engine.game import Game, Rules
from solvers.outcome import Outcome, Result

# Blocks share this many advisory locks, so that a chunk of scattered seeds never needs more.
STRIPES = 256
# Values in one IN (…): far below the limit of either database.
_BATCH = 5000


class OtherCards(BadInput):
    """A deal is stored under the same dealer and seed with other cards."""


@dataclass(frozen=True, slots=True)
class Written:
    """The numbers of rows that `write_chunk` added."""

    deals: int
    outcomes: int


def write_chunk(session: Session, chunk: Chunk) -> Written:
    """`write_chunks` for a single chunk."""
    return write_chunks(session, [chunk])


def write_chunks(session: Session, chunks: Sequence[Chunk]) -> Written:
    """Add the missing outcomes of chunks, and update statuses and tallies.

    Call it inside `Catalogue.begin`, once per transaction. Existing rows are not changed, so
    writing a chunk twice, or overlapping chunks from two processes at once, is harmless.

    Raises:
        OtherCards: a dealer and seed of a chunk are stored with other cards.
        BadInput: a seed is too large to be stored.
    """
    for chunk in chunks:
        for seed in chunk.seeds:
            check_seed(seed)
    # Sorted: locks are taken in the same order by every process, which prevents deadlocks.
    ruleset_ids = {
        rules: ensure_ruleset(session, rules)
        for rules in sorted({chunk.rules for chunk in chunks}, key=str)
    }
    solvers = {solver for chunk in chunks for solver, _ in chunk.outcomes}
    solver_ids = {
        solver: ensure_solver(session, solver)
        for solver in sorted(solvers, key=lambda s: (s.name, s.version))
    }
    for stripe in sorted({stripe for chunk in chunks for stripe in _stripes(chunk)}):
        lock(session, stripe)
    written = [_write(session, chunk, ruleset_ids[chunk.rules], solver_ids) for chunk in chunks]
    return Written(sum(w.deals for w in written), sum(w.outcomes for w in written))


def check_seed(seed: int) -> None:
    """Raise BadInput unless the database can hold the seed."""
    if not 0 <= seed <= MAX_STORED_SEED:
        raise BadInput(f"seed {seed} cannot be stored: expected 0 to {MAX_STORED_SEED}")


def ensure_ruleset(session: Session, rules: Rules) -> int:
    """The id of a ruleset's row, which is added if missing."""
    assert dataclasses.is_dataclass(rules)
    options = dataclasses.asdict(rules)
    values = {"slug": rules.slug, "game": rules.game, "options": options}
    return _ensure(session, schema.RulesetRow, {"slug": rules.slug}, values)


def ensure_solver(session: Session, solver: SolverKey) -> int:
    """The id of a solver's row, which is added if missing."""
    key = {"name": solver.name, "version": solver.version}
    values = {
        **key,
        "method": solver.method,
        "parameters": dict(solver.parameters),
        "grades": solver.grades,
    }
    return _ensure(session, schema.SolverRow, key, values)


def status_of(wins: int, proofs: int) -> str:
    """The status that follows from outcomes; one win outweighs any number of proofs."""
    return "winnable" if wins else "unwinnable" if proofs else "unresolved"


def _ensure(
    session: Session,
    model: type[schema.RulesetRow] | type[schema.SolverRow],
    key: dict[str, Any],
    values: dict[str, Any],
) -> int:
    query = select(model.id).filter_by(**key)
    found = session.execute(query).scalar()
    if found is None:
        session.execute(
            _dialect_insert(session, _table(model)).values(**values).on_conflict_do_nothing()
        )
        found = session.execute(query).scalar_one()
    return found


def _stripes(chunk: Chunk) -> set[int]:
    """The advisory locks of the chunk's deals."""
    base = zlib.crc32((chunk.dealer or "").encode())
    return {(base + seed // BLOCK_SIZE) % STRIPES for seed in chunk.seeds} or {base % STRIPES}


def _write(
    session: Session, chunk: Chunk, ruleset_id: int, solver_ids: dict[SolverKey, int]
) -> Written:
    deal_ids, new_deals = _write_deals(session, chunk)
    asked = [solver_ids[solver] for solver, _ in chunk.outcomes]
    present = _present(session, ruleset_id, asked, set(deal_ids))
    added = _Added(ruleset_id, chunk.game, datetime.now(UTC))
    for solver, outcomes in chunk.outcomes:
        solver_id = solver_ids[solver]
        for place, outcome in enumerate(outcomes):
            key = (solver_id, deal_ids[place])
            if outcome is not None and key not in present:
                present.add(key)
                seed = chunk.seeds[place] if chunk.seeds else None
                added.add(solver, solver_id, deal_ids[place], seed, outcome)
    _insert(session, _table(schema.OutcomeRow), added.outcomes)
    _insert(session, _table(schema.SolutionRow), added.solutions)
    _insert(session, _table(schema.DeadEndRow), added.dead_ends)
    _add_statuses(session, chunk.dealer, added)
    if chunk.dealer is not None:
        _add_tallies(session, chunk.dealer, added)
    return Written(new_deals, len(added.outcomes))


def _write_deals(session: Session, chunk: Chunk) -> tuple[list[int], int]:
    """Add missing deals; return the id of each deal of the chunk and the number of new deals."""
    digests = [digest(cards) for cards in chunk.cards]
    keys: Sequence[int | str] = chunk.seeds if chunk.dealer is not None else digests
    stored = _stored_deals(session, chunk.game, chunk.dealer, set(keys))
    missing: dict[int | str, dict[str, Any]] = {}
    for at, (key, wanted) in enumerate(zip(keys, digests, strict=True)):
        found = stored[key][1] if key in stored else missing.get(key, {}).get("digest", wanted)
        if found != wanted:
            raise OtherCards(
                f"the deal {chunk.deal_name(at)} is in the catalogue with other cards: "
                f"its digest there is {found}, here it is {wanted}"
            )
        if key not in stored and key not in missing:
            missing[key] = {
                "game": chunk.game.slug,
                "dealer": chunk.dealer,
                "seed": chunk.seeds[at] if chunk.seeds else None,
                "digest": wanted,
                "cards": chunk.cards[at].tobytes(),
            }
    if missing:
        _insert(session, _table(schema.DealRow), list(missing.values()))
        stored |= _stored_deals(session, chunk.game, chunk.dealer, set(missing))
    return [stored[key][0] for key in keys], len(missing)


def _stored_deals(
    session: Session, game: Game, dealer: str | None, keys: set[int | str]
) -> dict[int | str, tuple[int, str]]:
    """Id and digest of a game's stored deals with these seeds or, if imported, these digests."""
    column: Any = schema.DealRow.seed if dealer is not None else schema.DealRow.digest
    query = select(column, schema.DealRow.id, schema.DealRow.digest).where(
        schema.DealRow.game == game.slug, schema.DealRow.dealer == dealer
    )
    return {
        key: (deal_id, found)
        for among in _among(column, keys)
        for key, deal_id, found in session.execute(query.where(among))
    }


def _present(
    session: Session, ruleset_id: int, solver_ids: Iterable[int], deal_ids: set[int]
) -> set[tuple[int, int]]:
    """The (solver, deal) pairs among these that have an outcome."""
    query = select(schema.OutcomeRow.solver_id, schema.OutcomeRow.deal_id).where(
        schema.OutcomeRow.ruleset_id == ruleset_id
    )
    return {
        (solver_id, deal_id)
        for solver in solver_ids
        for among in _among(schema.OutcomeRow.deal_id, deal_ids)
        for solver_id, deal_id in session.execute(
            query.where(schema.OutcomeRow.solver_id == solver, among)
        )
    }


@dataclass(slots=True)
class _Known:
    """The combined result of a deal's outcomes, independent of their order."""

    seed: int | None
    solvers: int = 0
    wins: int = 0
    proofs: int = 0
    nodes: int | None = None
    solution_length: int | None = None
    dead_end: str | None = None

    def counts(self) -> tuple[int, int, int, int]:
        """The deal's contribution to a `status_tally`: deals, winnable, unwinnable, alarms."""
        won, proved = self.wins > 0, self.proofs > 0
        return 1, int(won), int(proved and not won), int(won and proved)

    def absorb(self, other: "_Known") -> None:
        self.solvers += other.solvers
        self.wins += other.wins
        self.proofs += other.proofs
        self.nodes = _least(self.nodes, other.nodes)
        self.solution_length = _least(self.solution_length, other.solution_length)
        self.dead_end = min(filter(None, (self.dead_end, other.dead_end)), default=None)


@dataclass(slots=True)
class _Added:
    """The new rows, and their contribution to the counts."""

    ruleset_id: int
    game: Game
    created_at: datetime
    outcomes: list[dict[str, Any]] = field(default_factory=list)
    solutions: list[dict[str, Any]] = field(default_factory=list)
    dead_ends: list[dict[str, Any]] = field(default_factory=list)
    known: dict[int, _Known] = field(default_factory=dict)
    tallies: dict[tuple[int, int], dict[str, float]] = field(default_factory=dict)

    def add(
        self, solver: SolverKey, solver_id: int, deal_id: int, seed: int | None, outcome: Outcome
    ) -> None:
        key = {"ruleset_id": self.ruleset_id, "solver_id": solver_id, "deal_id": deal_id}
        # Kernels return NumPy numbers, which SQLite would store as bytes.
        nodes, cpu_ms = int(outcome.nodes), float(outcome.cpu_ms)
        result = Result(outcome.result)
        self.outcomes.append(
            {
                **key,
                "result": result.value,
                "nodes": nodes,
                "cpu_ms": cpu_ms,
                "created_at": self.created_at,
            }
        )
        known = _Known(seed, solvers=1, wins=int(result == Result.WON))
        if result == Result.WON:
            moves = bytes(outcome.moves or b"")
            length = self.game.length(moves)
            known.solution_length = length
            self.solutions.append({**key, "length": length, "moves": moves})
        elif result == Result.UNWINNABLE:
            known.proofs = 1
            if outcome.dead_end is not None:
                known.dead_end = outcome.dead_end.kind
                witness = " ".join(card_name(card) for card in outcome.dead_end.witness)
                self.dead_ends.append({**key, "kind": outcome.dead_end.kind, "witness": witness})
        if solver.grades and result in (Result.WON, Result.UNWINNABLE):
            known.nodes = nodes
        if deal_id in self.known:
            self.known[deal_id].absorb(known)
        else:
            self.known[deal_id] = known
        if seed is not None:
            tally = self.tallies.setdefault(
                (solver_id, seed // BLOCK_SIZE), dict.fromkeys(_TALLY_COUNTS, 0)
            )
            tally["attempted"] += 1
            tally[result.value] += 1
            tally["nodes"] += nodes
            tally["cpu_ms"] += cpu_ms


_TALLY_COUNTS = ("attempted", "won", "lost", "unwinnable", "gave_up", "nodes", "cpu_ms")
_STATUS_TALLY_COUNTS = ("deals", "winnable", "unwinnable", "alarms")


def _add_statuses(session: Session, dealer: str | None, added: _Added) -> None:
    table = _table(schema.StatusRow)
    columns = ("solvers", "wins", "proofs", "nodes", "solution_length", "dead_end")
    query = select(table.c.deal_id, *(table.c[name] for name in columns)).where(
        table.c.ruleset_id == added.ruleset_id
    )
    before = {
        row[0]: _Known(added.known[row[0]].seed, *row[1:])
        for among in _among(table.c.deal_id, set(added.known))
        for row in session.execute(query.where(among))
        if row[0] in added.known
    }
    fresh, changed = [], []
    moved: dict[int, list[int]] = {}
    for deal_id, known in sorted(added.known.items()):
        old = before.get(deal_id)
        old_counts = (0, 0, 0, 0) if old is None else old.counts()
        if old is not None:
            known.absorb(old)
        row = {name: getattr(known, name) for name in columns}
        row["status"] = status_of(known.wins, known.proofs)
        if old is None:
            row |= {"ruleset_id": added.ruleset_id, "deal_id": deal_id}
            row |= {"dealer": dealer, "seed": known.seed}
            fresh.append(row)
        else:
            changed.append({**row, "of_deal": deal_id})
        if known.seed is not None:
            block = moved.setdefault(known.seed // BLOCK_SIZE, [0, 0, 0, 0])
            for place, (new, past) in enumerate(zip(known.counts(), old_counts, strict=True)):
                block[place] += new - past
    _insert(session, table, fresh)
    if changed:
        session.connection().execute(
            update(table).where(
                table.c.ruleset_id == added.ruleset_id, table.c.deal_id == bindparam("of_deal")
            ),
            changed,
        )
    rows = [
        {
            "ruleset_id": added.ruleset_id,
            "dealer": dealer,
            "block": block,
            **dict(zip(_STATUS_TALLY_COUNTS, counts, strict=True)),
        }
        for block, counts in sorted(moved.items())
        if any(counts)
    ]
    _add_counts(session, _table(schema.StatusTallyRow), rows, _STATUS_TALLY_COUNTS)


def _add_tallies(session: Session, dealer: str, added: _Added) -> None:
    rows = [
        {
            "ruleset_id": added.ruleset_id,
            "solver_id": solver_id,
            "dealer": dealer,
            "block": block,
            **counts,
        }
        for (solver_id, block), counts in sorted(added.tallies.items())
    ]
    _add_counts(session, _table(schema.TallyRow), rows, _TALLY_COUNTS)


def _add_counts(
    session: Session, table: Table, rows: list[dict[str, Any]], counts: Sequence[str]
) -> None:
    """Add the counts of each row to the stored row with the same key, which may be missing."""
    if not rows:
        return
    statement = _dialect_insert(session, table)
    session.execute(
        statement.on_conflict_do_update(
            index_elements=list(table.primary_key.columns),
            set_={name: table.c[name] + statement.excluded[name] for name in counts},
        ),
        rows,
    )


def _insert(session: Session, table: Table, rows: list[dict[str, Any]]) -> None:
    """Insert rows that are known to be missing."""
    if not rows:
        return
    connection = session.connection()
    if connection.dialect.name != "postgresql":
        connection.execute(insert(table), rows)
        return
    # COPY takes a fraction of the time of INSERTs.
    names = list(rows[0])
    statement = f"COPY {table.name} ({', '.join(names)}) FROM STDIN"
    cursor: Any = connection.connection.cursor()
    with cursor, cursor.copy(statement) as copy:
        for row in rows:
            copy.write_row([row[name] for name in names])


def _dialect_insert(session: Session, table: Table) -> Any:
    """An INSERT that supports ON CONFLICT, which both databases spell alike."""
    dialect = session.get_bind().dialect.name
    return postgresql.insert(table) if dialect == "postgresql" else sqlite.insert(table)


def _table(model: type[schema.Base]) -> Table:
    table = model.__table__
    assert isinstance(table, Table)
    return table


def _least(a: int | None, b: int | None) -> int | None:
    return min((value for value in (a, b) if value is not None), default=None)


def _among(column: Any, keys: Collection[Any]) -> Iterator[ColumnElement[bool]]:
    """Conditions that together select these keys and, where keys are close, some in between.

    A range is far faster to send and to look up than a list of thousands.
    """
    ordered = sorted(keys)
    if not ordered:
        return
    first, last = ordered[0], ordered[-1]
    if isinstance(first, int) and last - first < 2 * len(ordered):
        yield column.between(first, last)
        return
    for start in range(0, len(ordered), _BATCH):
        yield column.in_(ordered[start : start + _BATCH])
