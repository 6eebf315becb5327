"""Rules of rows, each a condition in SQL that must hold: types, ranges, references, belongings.

A condition that is null, since a value is, holds.
"""

import contextlib
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from sqlalchemy import (
    JSON,
    Boolean,
    DateTime,
    Double,
    ForeignKeyConstraint,
    Integer,
    LargeBinary,
    String,
    Table,
    case,
    cast,
    func,
    literal,
    literal_column,
    or_,
    select,
    text,
)
from sqlalchemy.orm import Session

from catalogue.blocks import KEEPS, RESULTS
from catalogue.outcomes.rows import table_of
from catalogue.outcomes.seals import NAMED as NAMED_SEALS
from catalogue.schema import (
    BLOCK_SIZE,
    IMPORTED,
    MAX_STORED_SEED,
    SOLVING,
    DealRow,
    SeedEnd,
    UtcDateTime,
)
from catalogue.verify.context import NAMED, Context, DealKey
from solvers.outcome import Result
from solvers.regret import RegretKind

# SQLAlchemy's text of a moment on SQLite, with any digits.
_MOMENT = "[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9] [0-2][0-9]:[0-5][0-9]:[0-5][0-9].*"
_ENDED = "('done', 'failed', 'cancelled')"
_BIGGEST = MAX_STORED_SEED

# The columns of numbers that are at least 0, and at least 1.
_LEAST = {
    0: {
        "deal": "seed",
        "outcome": "nodes",
        "solution": "length",
        "features": "seed nodes length plays winning choices critical games",
        "difficulty": "first_seed fitted spread",
        "regret": "length step reference_version",
        "block": f"block attempted {' '.join(RESULTS)} nodes cpu_us",
        "status_block": "block deals winnable unwinnable alarms checksum",
        "job": "first_seed done total cpu_ms rate inferred",
        "job_solver": "place",
        "bound": "first_seed winnable unwinnable",
        "shard": "first_seed attempts",
        "verification": "faults",
    },
    1: {
        "features": "version",
        "difficulty": "deals",
        "job": "deals",
        "bound": "n",
        "solver": "version",
        "batch": "rows",
        "runner": "workers",
        "shard": "deals",
    },
}
# The columns that have one of a few values.
_CHOICES: dict[str, Iterable[str]] = {
    "outcome.result": RESULTS,
    "job.state": ("queued", "running", "paused", "done", "failed", "cancelled"),
    "job.kind": (SOLVING, "regrets", "features"),
    "job.keep": KEEPS,
    "shard.state": ("waiting", "running", "failed"),
    "verification.state": ("running", "stopped", "done"),
    "regret.kind": tuple(RegretKind),
    "seal.kind": tuple(NAMED_SEALS),
}
# Conditions on the rows of a table, each with the sentence of the fault.
_TOGETHER = {
    "deal": {
        "seed IS NOT NULL": "it has no seed",
        "(cards IS NULL) = "
        f"((SELECT dealer FROM dealing WHERE dealing.id = dealing_id) <> '{IMPORTED}')": (
            "imported deals have their cards, and no others"
        ),
        "length(digest) = 16": "its digest has not 16 bytes",
    },
    "block": {f"block <= {_BIGGEST // BLOCK_SIZE}": "its number is larger than that of any block"},
    "bound": {"winnable + unwinnable <= n": "it counts more deals decided than attempted"},
    "job": {
        "done <= total": "it has done more than its total",
        "inferred IS NULL OR inferred <= deals": "it has inferred more than its deals",
        # The end of all seeds, 2^63, is stored as a negative number: see `SeedEnd`.
        f"CASE WHEN next_seed = -{_BIGGEST} - 1 THEN first_seed - 1 = {_BIGGEST} - deals "
        "ELSE next_seed >= first_seed AND next_seed - first_seed <= deals END": (
            "its next seed is not in its sample"
        ),
        f"finished_at IS NOT NULL OR state NOT IN {_ENDED}": "it has ended at no time",
        f"finished_at IS NULL OR state IN {_ENDED}": (
            "it has a time of its end, but is still open"
        ),
        "state <> 'failed' OR error IS NOT NULL": "it has failed, but its error is not told",
        "state NOT IN ('running', 'done') OR started_at IS NOT NULL": (
            "it runs or is done, but was never started"
        ),
        f"rate IS NULL OR state NOT IN {_ENDED}": "it has a rate, but has ended",
    },
    "runner": {"name <> ''": "it has no name"},
    "shard": {
        "(state = 'running') = (claimed_at IS NOT NULL)": (
            "a shard was claimed at some time if it runs, and only then"
        ),
        "state <> 'failed' OR error IS NOT NULL": "it has failed, but its error is not told",
        "(state = 'running') = (runner_id IS NOT NULL)": (
            "a shard has a runner if it runs, and only then"
        ),
    },
    "provenance": {"program <> '' OR machine = ''": "its machine is told, but not its program"},
}


class _Rule(NamedTuple):
    """A rule of the rows of a table.

    Attributes:
        holds: the condition.
        what: the sentence of the fault, with ``{found}`` for the value.
        column: the column of the value; None if there is none.
        kind: of the fault.
    """

    holds: str
    what: str
    column: str | None = None
    kind: str = "value"


def check_rules(context: Context) -> None:
    """Check the rows of a shard by the rules of its check, which read them once."""
    sqlite = context.cat.engine.dialect.name == "sqlite"
    check, table = context.shard.check, context.table
    rules = list(
        {"values": _values, "references": _references, "belongings": _belongings}[check](table)
    )
    if check == "values" and sqlite:
        rules += map(_type_rule, table.columns)
    context.checked[check] += 1
    if not rules:
        return
    keys = list(table.primary_key.columns)
    wrong = [text(f"NOT ({rule.holds})") for rule in rules]
    shown = [literal("") if not rule.column else _shown(rule.column, sqlite) for rule in rules]
    cases = (case((each, value)) for each, value in zip(wrong, shown, strict=True))
    query = select(*(cast(key, String) for key in keys), *cases)
    query = query.where(or_(*wrong), *context.inside(table)).limit(NAMED + 1)
    with context.cat.session() as session, _any_text(session, sqlite):
        rows = session.execute(query).all()
    for row in rows[:NAMED]:
        where = context.row_name(table, {key.name: row[at] for at, key in enumerate(keys)})
        for rule, found in zip(rules, row[len(keys) :], strict=True):
            if found is not None:
                context.fault(rule.kind, where, rule.what.format(found=found))
    if len(rows) > NAMED:
        context.fault(rules[0].kind, table.name, f"more than {NAMED} of its rows are wrong")


@contextlib.contextmanager
def _any_text(session: Session, sqlite: bool) -> Iterator[None]:
    """Read texts that are no UTF-8, which SQLite holds as it holds anything, with marks in them."""
    if not sqlite:
        yield
        return
    driver: Any = session.connection().connection.driver_connection
    before = driver.text_factory
    driver.text_factory = lambda held: held.decode(errors="replace")
    try:
        yield
    finally:
        driver.text_factory = before


def _shown(column: str, sqlite: bool) -> Any:
    """A value as text, since one of another type could not be read."""
    if sqlite:
        return literal_column(f"substr(quote({column}), 1, 40)")
    return literal_column(f"coalesce(CAST({column} AS VARCHAR), 'NULL')")


def _values(table: Table) -> Iterator[_Rule]:
    for least, columns in _LEAST.items():
        for name in columns.get(table.name, "").split():
            what = f"{name} is {{found}}: expected {least} or more"
            yield _Rule(f"{name} >= {least}", what, name)
    for where, values in _CHOICES.items():
        of, name = where.split(".")
        if of == table.name:
            listed = ", ".join(f"'{value}'" for value in values)
            what = f"{name} is {{found}}: expected one of {', '.join(values)}"
            yield _Rule(f"{name} IN ({listed})", what, name)
    if table.name == "outcome":
        # Three centuries: more is no time.
        what = "cpu_us is {found}: expected a time in microseconds"
        yield _Rule("cpu_us BETWEEN 0 AND 10000000000000000", what, "cpu_us")
    for holds, what in _TOGETHER.get(table.name, {}).items():
        yield _Rule(holds, what)


def _type_rule(column: Any) -> _Rule:
    """The rule of the type of a value on SQLite, which enforces none."""
    name, kind = f'"{column.table.name}"."{column.name}"', column.type
    held = f"typeof({name})"
    if isinstance(kind, UtcDateTime | DateTime):
        holds, expected = f"{name} GLOB '{_MOMENT}'", "a moment"
    elif isinstance(kind, Boolean):
        holds, expected = f"{held} = 'integer' AND {name} IN (0, 1)", "0 or 1"
    elif isinstance(kind, Integer | SeedEnd):
        holds, expected = f"{held} = 'integer'", "a whole number"
    elif isinstance(kind, Double):
        holds, expected = f"{held} IN ('real', 'integer')", "a number"
    elif isinstance(kind, LargeBinary):
        holds, expected = f"{held} = 'blob'", "bytes"
    elif isinstance(kind, JSON):
        holds, expected = f"{held} = 'text' AND json_valid({name})", "JSON"
    elif isinstance(kind, String) and kind.length:
        holds = f"{held} = 'text' AND length({name}) <= {kind.length}"
        expected = f"a text of {kind.length} characters at most"
    else:
        holds, expected = f"{held} = 'text'", "a text"
    nulls = f"{name} IS NULL OR" if column.nullable else f"{name} IS NOT NULL AND"
    return _Rule(f"{nulls} ({holds})", f"{column.name} is {{found}}: expected {expected}", name)


def _references(table: Table) -> Iterator[_Rule]:
    for constraint in table.constraints:
        if isinstance(constraint, ForeignKeyConstraint):
            parent = constraint.referred_table.name
            pairs = [(f"{table.name}.{e.parent.name}", e.column.name) for e in constraint.elements]
            same = " AND ".join(f"other.{there} = {here}" for here, there in pairs)
            known = " OR ".join(f"{here} IS NULL" for here, _ in pairs)
            exists = f"EXISTS (SELECT 1 FROM {parent} AS other WHERE {same})"
            yield _Rule(f"{known} OR {exists}", f"its {parent} is missing", None, "reference")
    if table.name == "seal":
        for kind in NAMED_SEALS:
            exists = f"EXISTS (SELECT 1 FROM {kind} AS other WHERE other.id = row_id)"
            what = "there is a seal, but the row is missing"
            yield _Rule(f"kind <> '{kind}' OR {exists}", what, None, "seal")


def _belongings(_outcome: Table) -> Iterator[_Rule]:
    same = " AND ".join(
        f"o.{name} = outcome.{name}" for name in ("ruleset_id", "solver_id", "deal_id")
    )
    won = Result.WON.value
    for table, result in (
        ("solution", won),
        ("dead_end", Result.UNWINNABLE.value),
        ("regret", Result.LOST.value),
    ):
        holds = f"result = '{result}' OR NOT EXISTS (SELECT 1 FROM {table} AS o WHERE {same})"
        what = f"there is a {table.replace('_', ' ')}, but the outcome is {{found}}"
        yield _Rule(holds, what, "result", "outcome")
    holds = f"result <> '{won}' OR EXISTS (SELECT 1 FROM solution AS o WHERE {same})"
    yield _Rule(holds, "it is won, but there is no solution", None, "outcome")
    holds = (
        "(SELECT game FROM ruleset WHERE id = ruleset_id) = (SELECT game FROM dealing JOIN deal "
        "ON deal.dealing_id = dealing.id WHERE deal.id = deal_id)"
    )
    yield _Rule(holds, "its deal and its ruleset are of different games", None, "outcome")


def check_doubles(context: Context) -> None:
    """Check that no deal is stored twice; the indexes that forbid it may have been dropped."""
    context.checked["doubles"] += 1
    row = DealRow
    for column, which in ((row.digest, row.cards.is_not(None)), (row.seed, row.seed.is_not(None))):
        query = (
            select(DealRow.dealing_id, column, func.count())
            .where(which, *context.is_asked(table_of(DealRow)))
            .group_by(DealRow.dealing_id, column)
            .having(func.count() > 1)
            .limit(NAMED)
        )
        with context.cat.session() as session:
            rows = session.execute(query).all()
        for dealing_id, value, count in rows:
            shown: Any = value.hex() if isinstance(value, bytes) else value
            deal = context.deal_name(DealKey(shown, dealing_id, shown))
            dealing = context.dealings.get(dealing_id)
            game = "an unknown game" if dealing is None else dealing.slug
            context.fault("deal", deal, f"it is stored {count} times as a deal of {game}")
