"""Two depths of keeping, blocks of seeds, provenance, seals, and pieces of jobs.

The digests of deals become bytes, the cards of dealt deals are dropped, solutions are compressed,
statuses and tallies are replaced by blocks, and outcomes that were stored together become a batch
with a seal. Their maker was not recorded, so that of older outcomes is empty. The times of
``dead-end`` were means over a batch, so they are dropped.
"""

from collections import defaultdict
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import numpy as np
import sqlalchemy as sa
from alembic import op

from catalogue import blocks
from catalogue.outcomes.compression import compress
from catalogue.outcomes.seals import (
    add_up,
    content_of,
    seal_of_batch,
    seal_of_bound,
    seal_of_job,
    seal_of_named,
    seal_of_outcomes,
    seal_of_regret,
)
from catalogue.schema import UtcDateTime

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None

BIG_KEY = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
MOMENT = sa.DateTime(timezone=True)
BLOCK_SIZE = 65_536
ROWS = 5_000
NAMED = ("ruleset", "dealing", "solver", "maker", "verification")
ASIDE = (
    "solution",
    "dead_end",
    "regret",
    "status",
    "bound",
    "job_solver",
    "outcome",
    "job",
    "deal",
)
UNKNOWN = dict.fromkeys(("program", "revision", "python", "numba", "processor", "machine"), "")


def upgrade() -> None:
    connection = op.get_bind()
    if connection.dialect.name == "sqlite":
        # Otherwise renaming a table would change the references to it in others.
        op.execute("PRAGMA legacy_alter_table = ON")
    for name in ASIDE:
        _set_aside(connection, name)
    op.drop_table("tally")
    op.drop_table("status_tally")
    _create()
    tables = _Tables(connection)
    _copy_deals(connection, tables)
    batches = _Batches(connection, tables)
    _copy_outcomes(connection, tables, batches)
    _copy_regrets(connection, tables, batches)
    batches.seal()
    _copy_statuses(connection, tables)
    _copy_jobs(connection, tables)
    _build_blocks(connection, tables)
    _seal_named(connection, tables)
    for name in ASIDE:
        op.drop_table(f"old_{name}")
    if connection.dialect.name == "sqlite":
        op.execute("PRAGMA legacy_alter_table = OFF")
    else:
        for name in ("deal", "dealing", "maker", "batch", "job", "bound"):
            op.execute(
                f"SELECT setval(pg_get_serial_sequence('{name}', 'id'), "
                f"coalesce(max(id), 1), max(id) IS NOT NULL) FROM {name}"
            )


def _set_aside(connection: sa.Connection, name: str) -> None:
    """Rename a table, and drop what would keep its successor from having the same names."""
    if connection.dialect.name == "sqlite":
        for index in sa.inspect(connection).get_indexes(name):
            if not str(index["name"]).startswith("sqlite_"):
                op.drop_index(str(index["name"]), name)
        op.rename_table(name, f"old_{name}")
        return
    found = sa.inspect(connection)
    for key in found.get_foreign_keys(name):
        op.drop_constraint(str(key["name"]), name)
    for unique in found.get_unique_constraints(name):
        op.drop_constraint(str(unique["name"]), name)
    for index in found.get_indexes(name):
        if not index.get("duplicates_constraint"):
            op.drop_index(str(index["name"]), name)
    op.execute(f"ALTER INDEX pk_{name} RENAME TO pk_old_{name}")
    sequence = connection.execute(
        sa.text(
            "SELECT pg_get_serial_sequence(:name, 'id') WHERE EXISTS (SELECT 1 FROM "
            "information_schema.columns WHERE table_name = :name AND column_name = 'id')"
        ),
        {"name": name},
    ).scalar()
    if sequence is not None:
        op.execute(f"ALTER SEQUENCE {sequence} RENAME TO old_{name}_id_seq")
    op.rename_table(name, f"old_{name}")


class _Tables:
    """The tables as the database has them, with moments as moments."""

    def __init__(self, connection: sa.Connection) -> None:
        self.metadata = sa.MetaData()
        self.metadata.reflect(connection)
        for table in self.metadata.tables.values():
            for column in table.columns:
                if isinstance(column.type, sa.DateTime):
                    column.type = UtcDateTime(timezone=True)

    def __getitem__(self, name: str) -> sa.Table:
        return self.metadata.tables[name]


def _pages(connection: sa.Connection, query: Any, keys: list[Any]) -> Iterator[list[Any]]:
    """The rows of a query, whose first columns are the keys, in their order, some at a time."""
    last: tuple[Any, ...] | None = None
    while True:
        page = query.order_by(*keys).limit(ROWS)
        if last is not None:
            page = page.where(sa.tuple_(*keys) > sa.tuple_(*last))
        rows = list(connection.execute(page).all())
        if not rows:
            return
        yield rows
        last = tuple(rows[-1][: len(keys)])


def _copy_deals(connection: sa.Connection, tables: _Tables) -> None:
    old, new, dealing = tables["old_deal"], tables["deal"], tables["dealing"]
    pairs = connection.execute(sa.select(old.c.game, old.c.dealer).distinct()).all()
    ids = {}
    for number, (game, dealer) in enumerate(sorted(pairs, key=str), start=1):
        connection.execute(dealing.insert(), {"id": number, "game": game, "dealer": dealer})
        ids[game, dealer] = number
    columns = (old.c.id, old.c.game, old.c.dealer, old.c.seed, old.c.digest, old.c.cards)
    for rows in _pages(connection, sa.select(*columns), [old.c.id]):
        connection.execute(
            new.insert(),
            [
                {
                    "id": row.id,
                    "dealing_id": ids[row.game, row.dealer],
                    "seed": row.seed,
                    "digest": bytes.fromhex(row.digest),
                    "cards": row.cards if row.dealer is None else None,
                }
                for row in rows
            ],
        )


class _Batches:
    """Batches for rows that were stored at the same moment."""

    def __init__(self, connection: sa.Connection, tables: _Tables) -> None:
        self.connection = connection
        self.table = tables["batch"]
        self.moments: dict[Any, tuple[int, datetime]] = {}
        self.rows: dict[int, int] = defaultdict(int)
        self.seals: dict[int, int] = defaultdict(int)
        self.maker_id = 1
        self.maker = tables["maker"]

    def of(self, kind: str, moment: datetime) -> int:
        """The batch of the rows of a kind of one moment."""
        if (kind, moment) not in self.moments:
            number = len(self.moments) + 1
            if number == 1:
                self.connection.execute(self.maker.insert(), {"id": self.maker_id, **UNKNOWN})
            self.moments[kind, moment] = (number, moment)
            self.connection.execute(
                self.table.insert(),
                {
                    "id": number,
                    "maker_id": self.maker_id,
                    "created_at": moment,
                    "rows": 0,
                    "seal": 0,
                },
            )
        return self.moments[kind, moment][0]

    def add(self, batch: int, seal: int) -> None:
        self.rows[batch] += 1
        self.seals[batch] += seal

    def seal(self) -> None:
        """Write the seals, when all rows have been added."""
        for number, moment in self.moments.values():
            rows = self.rows[number]
            seal = add_up([self.seals[number], seal_of_batch(self.maker_id, moment, rows)])
            self.connection.execute(
                self.table.update().where(self.table.c.id == number).values(rows=rows, seal=seal)
            )


def _copy_outcomes(connection: sa.Connection, tables: _Tables, batches: _Batches) -> None:
    old, won, dead = (tables[f"old_{name}"] for name in ("outcome", "solution", "dead_end"))
    games = _games(connection, tables)
    solver, deal = tables["solver"], tables["deal"]
    untimed = set(connection.scalars(sa.select(solver.c.id).where(solver.c.method == "dead-end")))
    keys = [old.c.ruleset_id, old.c.solver_id, old.c.deal_id]

    def same(table: sa.Table) -> Any:
        return sa.and_(*(table.c[key.name] == key for key in keys))

    query = (
        sa.select(
            *keys,
            old.c.result,
            old.c.nodes,
            old.c.cpu_ms,
            old.c.created_at,
            won.c.length,
            won.c.moves,
            dead.c.kind,
            dead.c.witness,
            deal.c.digest,
        )
        .select_from(old)
        .join(deal, deal.c.id == old.c.deal_id)
        .outerjoin(won, same(won))
        .outerjoin(dead, same(dead))
    )
    for rows in _pages(connection, query, keys):
        outcomes, solutions, dead_ends = [], [], []
        content = []
        for row in rows:
            key = {key.name: getattr(row, key.name) for key in keys}
            moves = None
            if row.moves is not None:
                moves = compress(games[row.ruleset_id], row.moves)
                solutions.append({**key, "length": row.length, "moves": moves})
            proof = None if row.kind is None else (row.kind, row.witness)
            if proof is not None:
                dead_ends.append({**key, "kind": row.kind, "witness": row.witness})
            content.append(content_of(moves, proof))
            outcomes.append(
                {
                    **key,
                    "result": row.result,
                    "nodes": row.nodes,
                    "cpu_us": None if row.solver_id in untimed else round(1000 * row.cpu_ms),
                    "batch_id": batches.of("outcomes", row.created_at),
                }
            )
        seals = seal_of_outcomes(
            np.array([[row[key.name] for key in keys] for row in outcomes], np.int64),
            [row.digest for row in rows],
            np.array([blocks.RESULT_CODES[row["result"]] for row in outcomes], np.uint8),
            np.array([row["nodes"] for row in outcomes], np.int64),
            np.array([-1 if r["cpu_us"] is None else r["cpu_us"] for r in outcomes], np.int64),
            np.array(content, np.int64),
        )
        for row, seal in zip(outcomes, seals.tolist(), strict=True):
            batches.add(row["batch_id"], seal)
        for name, values in (
            ("outcome", outcomes),
            ("solution", solutions),
            ("dead_end", dead_ends),
        ):
            if values:
                connection.execute(tables[name].insert(), values)


def _copy_regrets(connection: sa.Connection, tables: _Tables, batches: _Batches) -> None:
    old, new = tables["old_regret"], tables["regret"]
    games = _games(connection, tables)
    keys = [old.c.ruleset_id, old.c.solver_id, old.c.deal_id]
    rest = [column for column in old.columns if column.name not in {key.name for key in keys}]
    for rows in _pages(connection, sa.select(*keys, *rest), keys):
        values = []
        for row in rows:
            value = dict(row._mapping)
            value["moves"] = compress(games[row.ruleset_id], row.moves)
            # When they were stored is not known.
            value["batch_id"] = batches.of("regrets", datetime(1970, 1, 1, tzinfo=UTC))
            renamed = {"reference": row.judge, "reference_version": row.judge_version}
            batches.add(value["batch_id"], seal_of_regret(value | renamed))
            values.append(value)
        connection.execute(new.insert(), values)


def _copy_statuses(connection: sa.Connection, tables: _Tables) -> None:
    old, new, deal = tables["old_status"], tables["status"], tables["deal"]
    names = [column.name for column in new.columns]
    imported = sa.select(deal.c.id).where(deal.c.seed.is_(None))
    query = sa.select(*(old.c[name] for name in names)).where(old.c.deal_id.in_(imported))
    connection.execute(new.insert().from_select(names, query))


def _copy_jobs(connection: sa.Connection, tables: _Tables) -> None:
    old, new = tables["old_job"], tables["job"]
    members = tables["old_job_solver"]
    solvers: dict[int, list[int]] = defaultdict(list)
    for job_id, solver_id in connection.execute(
        sa.select(members.c.job_id, members.c.solver_id).order_by(members.c.job_id, members.c.place)
    ):
        solvers[job_id].append(solver_id)
    shared = [column.name for column in new.columns if column.name in old.c]
    for row in connection.execute(sa.select(*(old.c[name] for name in shared))).all():
        values = dict(row._mapping) | {
            "keep": "everything",
            "priority": 0,
            "until": {},
            "next_seed": row.first_seed,
            "cpu_ms": 0.0,
            "rate": None,
        }
        if row.state == "running":
            values["state"] = "queued"
        values["seal"] = seal_of_job(values, solvers[row.id])
        connection.execute(new.insert(), values)
    members = tables["job_solver"]
    names = [column.name for column in members.columns]
    source = sa.select(*(tables["old_job_solver"].c[name] for name in names))
    connection.execute(members.insert().from_select(names, source))
    old, new = tables["old_bound"], tables["bound"]
    before: dict[int | None, int] = {}
    for rows in _pages(connection, sa.select(*old.columns), [old.c.id]):
        values_of = [dict(row._mapping) for row in rows]
        for value in values_of:
            job_id = value["job_id"]
            value["seal"] = before[job_id] = seal_of_bound(value, before.get(job_id))
        connection.execute(new.insert(), values_of)


def _build_blocks(connection: sa.Connection, tables: _Tables) -> None:
    deal, outcome, won, dead, solver = (
        tables[name] for name in ("deal", "outcome", "solution", "dead_end", "solver")
    )
    grading = set(connection.execute(sa.select(solver.c.id).where(solver.c.grades)).scalars())
    number = (deal.c.seed // BLOCK_SIZE).label("number")
    groups = connection.execute(
        sa.select(deal.c.dealing_id, number).where(deal.c.seed.is_not(None)).distinct()
    ).all()
    keys = ("ruleset_id", "solver_id", "deal_id")

    def same(table: sa.Table) -> Any:
        return sa.and_(*(table.c[name] == outcome.c[name] for name in keys))

    for dealing_id, block in sorted(groups):
        first = block * BLOCK_SIZE
        rows = connection.execute(
            sa.select(
                outcome.c.ruleset_id,
                outcome.c.solver_id,
                deal.c.seed,
                outcome.c.result,
                outcome.c.nodes,
                outcome.c.cpu_us,
                won.c.length,
                dead.c.kind,
            )
            .select_from(deal)
            .join(outcome, outcome.c.deal_id == deal.c.id)
            .outerjoin(won, same(won))
            .outerjoin(dead, same(dead))
            .where(
                deal.c.dealing_id == dealing_id,
                deal.c.seed >= first,
                deal.c.seed < first + BLOCK_SIZE,
            )
        ).all()
        found: dict[int, dict[int, list[Any]]] = defaultdict(lambda: defaultdict(list))
        for row in rows:
            found[row.ruleset_id][row.solver_id].append(row)
        for ruleset_id, of_solver in sorted(found.items()):
            known = {}
            for solver_id, mine in sorted(of_solver.items()):
                columns = _columns(mine, first)
                _add_block(connection, tables, (ruleset_id, dealing_id, block, solver_id), columns)
                known[solver_id] = columns
            statuses = blocks.combine(known, grading)
            deals, winnable, unwinnable, alarms = statuses.counts()
            connection.execute(
                tables["status_block"].insert(),
                {
                    "ruleset_id": ruleset_id,
                    "dealing_id": dealing_id,
                    "block": block,
                    "deals": deals,
                    "winnable": winnable,
                    "unwinnable": unwinnable,
                    "alarms": alarms,
                    "cells": blocks.Cells.of(statuses).encode(),
                },
            )


def _columns(rows: list[Any], block_start: int) -> blocks.Outcomes:
    rows = sorted(rows, key=lambda row: row.seed)
    first = rows[0].seed
    columns = blocks.Outcomes.empty(first - block_start, rows[-1].seed - first + 1)
    at = np.array([row.seed - first for row in rows], np.int64)
    columns.result[at] = [blocks.RESULT_CODES[row.result] for row in rows]
    columns.nodes[at] = [row.nodes for row in rows]
    columns.cpu_us[at] = [-1 if row.cpu_us is None else row.cpu_us for row in rows]
    columns.length[at] = [row.length or 0 for row in rows]
    columns.dead_end[at] = [columns.code_of(row.kind) for row in rows]
    columns.rowed[at] = True
    return columns


def _add_block(
    connection: sa.Connection,
    tables: _Tables,
    key: tuple[int, int, int, int],
    columns: blocks.Outcomes,
) -> None:
    encoded = columns.encode()
    counts = columns.counts()
    del counts["rowed"]
    tried = columns.result > 0
    totals = int(columns.nodes[tried].sum()), int(np.maximum(columns.cpu_us, 0).sum())
    connection.execute(
        tables["block"].insert(),
        {
            **dict(zip(("ruleset_id", "dealing_id", "block", "solver_id"), key, strict=True)),
            "depth": "everything",
            **counts,
            "nodes": totals[0],
            "cpu_us": totals[1],
            "made": [],
            "checksum": blocks.checksum(encoded, *key, "everything", *counts.values(), *totals, []),
            "columns": encoded,
        },
    )


def _seal_named(connection: sa.Connection, tables: _Tables) -> None:
    for kind in NAMED:
        table = tables[kind]
        rows = connection.execute(sa.select(table)).mappings().all()
        seals = [
            {"kind": kind, "row_id": row["id"], "seal": seal_of_named(kind, row)}
            for row in map(dict, rows)
        ]
        if seals:
            connection.execute(tables["seal"].insert(), seals)


def _games(connection: sa.Connection, tables: _Tables) -> dict[int, str]:
    ruleset = tables["ruleset"]
    return {row[0]: row[1] for row in connection.execute(sa.select(ruleset.c.id, ruleset.c.game))}


def _create() -> None:
    op.create_table(
        "dealing",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("game", sa.String(length=20), nullable=False),
        sa.Column("dealer", sa.String(length=40), nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_dealing"),
        sa.UniqueConstraint("game", "dealer", name="uq_dealing_game_dealer"),
    )
    op.create_index(
        "ix_dealing_imported",
        "dealing",
        ["game"],
        unique=True,
        sqlite_where=sa.text("dealer IS NULL"),
        postgresql_where=sa.text("dealer IS NULL"),
    )
    op.create_table(
        "maker",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("program", sa.String(length=40), nullable=False),
        sa.Column("revision", sa.String(length=40), nullable=False),
        sa.Column("python", sa.String(length=20), nullable=False),
        sa.Column("numba", sa.String(length=20), nullable=False),
        sa.Column("processor", sa.String(length=120), nullable=False),
        sa.Column("machine", sa.String(length=80), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_maker"),
        sa.UniqueConstraint(
            "program",
            "revision",
            "python",
            "numba",
            "processor",
            "machine",
            name="uq_maker_program_revision_python_numba_processor_machine",
        ),
    )
    op.create_table(
        "seal",
        sa.Column("kind", sa.String(length=20), nullable=False),
        sa.Column("row_id", sa.Integer(), nullable=False),
        sa.Column("seal", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("kind", "row_id", name="pk_seal"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "verification",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("state", sa.String(length=10), nullable=False),
        sa.Column("options", sa.JSON(), nullable=False),
        sa.Column("started_at", MOMENT, nullable=False),
        sa.Column("finished_at", MOMENT, nullable=True),
        sa.Column("progress", sa.JSON(), nullable=False),
        sa.Column("checked", sa.JSON(), nullable=False),
        sa.Column("faults", sa.Integer(), nullable=False),
        sa.Column("findings", sa.JSON(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_verification"),
    )
    op.create_table(
        "batch",
        sa.Column("id", BIG_KEY, nullable=False),
        sa.Column("maker_id", sa.Integer(), nullable=False),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.Column("rows", sa.Integer(), nullable=False),
        sa.Column("seal", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["maker_id"], ["maker.id"], name="fk_batch_maker_id"),
        sa.PrimaryKeyConstraint("id", name="pk_batch"),
    )
    op.create_table(
        "block",
        sa.Column("ruleset_id", sa.Integer(), nullable=False),
        sa.Column("dealing_id", sa.Integer(), nullable=False),
        sa.Column("block", sa.BigInteger(), nullable=False),
        sa.Column("solver_id", sa.Integer(), nullable=False),
        sa.Column("depth", sa.String(length=10), nullable=False),
        sa.Column("attempted", sa.Integer(), nullable=False),
        sa.Column("won", sa.Integer(), nullable=False),
        sa.Column("lost", sa.Integer(), nullable=False),
        sa.Column("unwinnable", sa.Integer(), nullable=False),
        sa.Column("gave_up", sa.Integer(), nullable=False),
        sa.Column("nodes", sa.BigInteger(), nullable=False),
        sa.Column("cpu_us", sa.BigInteger(), nullable=False),
        sa.Column("made", sa.JSON(), nullable=False),
        sa.Column("checksum", sa.BigInteger(), nullable=False),
        sa.Column("columns", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(["ruleset_id"], ["ruleset.id"], name="fk_block_ruleset_id"),
        sa.ForeignKeyConstraint(["dealing_id"], ["dealing.id"], name="fk_block_dealing_id"),
        sa.ForeignKeyConstraint(["solver_id"], ["solver.id"], name="fk_block_solver_id"),
        sa.PrimaryKeyConstraint("ruleset_id", "dealing_id", "block", "solver_id", name="pk_block"),
    )
    op.create_table(
        "deal",
        sa.Column("id", BIG_KEY, nullable=False),
        sa.Column("dealing_id", sa.Integer(), nullable=False),
        sa.Column("seed", sa.BigInteger(), nullable=True),
        sa.Column("digest", sa.LargeBinary(), nullable=False),
        sa.Column("cards", sa.LargeBinary(), nullable=True),
        sa.ForeignKeyConstraint(["dealing_id"], ["dealing.id"], name="fk_deal_dealing_id"),
        sa.PrimaryKeyConstraint("id", name="pk_deal"),
    )
    op.create_index("ix_deal_digest", "deal", ["digest"], unique=False)
    op.create_index(
        "ix_deal_imported",
        "deal",
        ["dealing_id", "digest"],
        unique=True,
        sqlite_where=sa.text("seed IS NULL"),
        postgresql_where=sa.text("seed IS NULL"),
    )
    op.create_index("ix_deal_seed", "deal", ["dealing_id", "seed"], unique=True)
    op.create_table(
        "job",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(length=10), nullable=False),
        sa.Column("ruleset_id", sa.Integer(), nullable=False),
        sa.Column("dealer", sa.String(length=40), nullable=False),
        sa.Column("first_seed", sa.BigInteger(), nullable=False),
        sa.Column("deals", sa.BigInteger(), nullable=False),
        sa.Column("keep", sa.String(length=10), nullable=False),
        sa.Column("priority", sa.Integer(), nullable=False),
        sa.Column("until", sa.JSON(), nullable=False),
        sa.Column("state", sa.String(length=10), nullable=False),
        sa.Column("total", sa.BigInteger(), nullable=False),
        sa.Column("done", sa.BigInteger(), nullable=False),
        sa.Column("next_seed", sa.BigInteger(), nullable=False),
        sa.Column("cpu_ms", sa.Double(), nullable=False),
        sa.Column("rate", sa.Double(), nullable=True),
        sa.Column("error", sa.Text(), nullable=True),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.Column("started_at", MOMENT, nullable=True),
        sa.Column("finished_at", MOMENT, nullable=True),
        sa.Column("seal", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["ruleset_id"], ["ruleset.id"], name="fk_job_ruleset_id"),
        sa.PrimaryKeyConstraint("id", name="pk_job"),
    )
    op.create_index("ix_job_state", "job", ["state"], unique=False)
    op.create_table(
        "runner",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(length=120), nullable=False),
        sa.Column("maker_id", sa.Integer(), nullable=True),
        sa.Column("workers", sa.Integer(), nullable=False),
        sa.Column("started_at", MOMENT, nullable=False),
        sa.Column("heartbeat", MOMENT, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_runner"),
        sa.UniqueConstraint("name", name="uq_runner_name"),
        sa.ForeignKeyConstraint(["maker_id"], ["maker.id"], name="fk_runner_maker_id"),
    )
    op.create_table(
        "status_block",
        sa.Column("ruleset_id", sa.Integer(), nullable=False),
        sa.Column("dealing_id", sa.Integer(), nullable=False),
        sa.Column("block", sa.BigInteger(), nullable=False),
        sa.Column("deals", sa.Integer(), nullable=False),
        sa.Column("winnable", sa.Integer(), nullable=False),
        sa.Column("unwinnable", sa.Integer(), nullable=False),
        sa.Column("alarms", sa.Integer(), nullable=False),
        sa.Column("cells", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(["ruleset_id"], ["ruleset.id"], name="fk_status_block_ruleset_id"),
        sa.ForeignKeyConstraint(["dealing_id"], ["dealing.id"], name="fk_status_block_dealing_id"),
        sa.PrimaryKeyConstraint("ruleset_id", "dealing_id", "block", name="pk_status_block"),
    )
    op.create_table(
        "bound",
        sa.Column("id", BIG_KEY, nullable=False),
        sa.Column("ruleset_id", sa.Integer(), nullable=False),
        sa.Column("dealer", sa.String(length=40), nullable=False),
        sa.Column("first_seed", sa.BigInteger(), nullable=False),
        sa.Column("n", sa.BigInteger(), nullable=False),
        sa.Column("winnable", sa.BigInteger(), nullable=False),
        sa.Column("unwinnable", sa.BigInteger(), nullable=False),
        sa.Column("job_id", sa.Integer(), nullable=True),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.Column("seal", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["ruleset_id"], ["ruleset.id"], name="fk_bound_ruleset_id"),
        sa.ForeignKeyConstraint(["job_id"], ["job.id"], name="fk_bound_job_id"),
        sa.PrimaryKeyConstraint("id", name="pk_bound"),
    )
    op.create_index(
        "ix_bound_sample", "bound", ["ruleset_id", "dealer", "first_seed", "n"], unique=False
    )
    op.create_table(
        "outcome",
        sa.Column("ruleset_id", sa.Integer(), nullable=False),
        sa.Column("solver_id", sa.Integer(), nullable=False),
        sa.Column("deal_id", BIG_KEY, nullable=False),
        sa.Column("result", sa.String(length=10), nullable=False),
        sa.Column("nodes", sa.BigInteger(), nullable=False),
        sa.Column("cpu_us", sa.BigInteger(), nullable=True),
        sa.Column("batch_id", BIG_KEY, nullable=False),
        sa.ForeignKeyConstraint(["ruleset_id"], ["ruleset.id"], name="fk_outcome_ruleset_id"),
        sa.ForeignKeyConstraint(["solver_id"], ["solver.id"], name="fk_outcome_solver_id"),
        sa.ForeignKeyConstraint(["deal_id"], ["deal.id"], name="fk_outcome_deal_id"),
        sa.ForeignKeyConstraint(["batch_id"], ["batch.id"], name="fk_outcome_batch_id"),
        sa.PrimaryKeyConstraint("ruleset_id", "solver_id", "deal_id", name="pk_outcome"),
        sqlite_with_rowid=False,
    )
    op.create_index("ix_outcome_deal", "outcome", ["deal_id"], unique=False)
    op.create_table(
        "piece",
        sa.Column("id", BIG_KEY, nullable=False),
        sa.Column("job_id", sa.Integer(), nullable=False),
        sa.Column("first_seed", sa.BigInteger(), nullable=False),
        sa.Column("deals", sa.Integer(), nullable=False),
        sa.Column("state", sa.String(length=10), nullable=False),
        sa.Column("runner_id", sa.Integer(), nullable=True),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("claimed_at", MOMENT, nullable=True),
        sa.Column("error", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(["job_id"], ["job.id"], name="fk_piece_job_id"),
        sa.ForeignKeyConstraint(["runner_id"], ["runner.id"], name="fk_piece_runner_id"),
        sa.PrimaryKeyConstraint("id", name="pk_piece"),
    )
    op.create_index("ix_piece_job", "piece", ["job_id", "state", "first_seed"], unique=False)
    op.create_table(
        "status",
        sa.Column("ruleset_id", sa.Integer(), nullable=False),
        sa.Column("deal_id", BIG_KEY, nullable=False),
        sa.Column("status", sa.String(length=10), nullable=False),
        sa.Column("solvers", sa.Integer(), nullable=False),
        sa.Column("wins", sa.Integer(), nullable=False),
        sa.Column("proofs", sa.Integer(), nullable=False),
        sa.Column("nodes", sa.BigInteger(), nullable=True),
        sa.Column("solution_length", sa.Integer(), nullable=True),
        sa.Column("dead_end", sa.String(length=40), nullable=True),
        sa.ForeignKeyConstraint(["ruleset_id"], ["ruleset.id"], name="fk_status_ruleset_id"),
        sa.ForeignKeyConstraint(["deal_id"], ["deal.id"], name="fk_status_deal_id"),
        sa.PrimaryKeyConstraint("ruleset_id", "deal_id", name="pk_status"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "regret",
        sa.Column("ruleset_id", sa.Integer(), nullable=False),
        sa.Column("solver_id", sa.Integer(), nullable=False),
        sa.Column("deal_id", BIG_KEY, nullable=False),
        sa.Column("kind", sa.String(length=10), nullable=False),
        sa.Column("step", sa.Integer(), nullable=True),
        sa.Column("action", sa.String(length=20), nullable=True),
        sa.Column("length", sa.Integer(), nullable=False),
        sa.Column("moves", sa.LargeBinary(), nullable=False),
        sa.Column("judge_version", sa.Integer(), nullable=False),
        sa.Column("judge", sa.String(length=60), nullable=False),
        sa.Column("batch_id", BIG_KEY, nullable=False),
        sa.ForeignKeyConstraint(
            ["ruleset_id", "solver_id", "deal_id"],
            ["outcome.ruleset_id", "outcome.solver_id", "outcome.deal_id"],
            name="fk_regret_ruleset_id_solver_id_deal_id",
        ),
        sa.ForeignKeyConstraint(["batch_id"], ["batch.id"], name="fk_regret_batch_id"),
        sa.PrimaryKeyConstraint("ruleset_id", "solver_id", "deal_id", name="pk_regret"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "solution",
        sa.Column("ruleset_id", sa.Integer(), nullable=False),
        sa.Column("solver_id", sa.Integer(), nullable=False),
        sa.Column("deal_id", BIG_KEY, nullable=False),
        sa.Column("length", sa.Integer(), nullable=False),
        sa.Column("moves", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(
            ["ruleset_id", "solver_id", "deal_id"],
            ["outcome.ruleset_id", "outcome.solver_id", "outcome.deal_id"],
            name="fk_solution_ruleset_id_solver_id_deal_id",
        ),
        sa.PrimaryKeyConstraint("ruleset_id", "solver_id", "deal_id", name="pk_solution"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "dead_end",
        sa.Column("ruleset_id", sa.Integer(), nullable=False),
        sa.Column("solver_id", sa.Integer(), nullable=False),
        sa.Column("deal_id", BIG_KEY, nullable=False),
        sa.Column("kind", sa.String(length=40), nullable=False),
        sa.Column("witness", sa.String(length=200), nullable=False),
        sa.ForeignKeyConstraint(
            ["ruleset_id", "solver_id", "deal_id"],
            ["outcome.ruleset_id", "outcome.solver_id", "outcome.deal_id"],
            name="fk_dead_end_ruleset_id_solver_id_deal_id",
        ),
        sa.PrimaryKeyConstraint("ruleset_id", "solver_id", "deal_id", name="pk_dead_end"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "job_solver",
        sa.Column("job_id", sa.Integer(), nullable=False),
        sa.Column("place", sa.Integer(), nullable=False),
        sa.Column("solver_id", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["job_id"], ["job.id"], name="fk_job_solver_job_id"),
        sa.ForeignKeyConstraint(["solver_id"], ["solver.id"], name="fk_job_solver_solver_id"),
        sa.PrimaryKeyConstraint("job_id", "place", name="pk_job_solver"),
    )
