"""Checks of single values: their types on SQLite, which enforces none, and what each may be."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from sqlalchemy import (
    JSON,
    Boolean,
    ColumnElement,
    DateTime,
    Double,
    Integer,
    LargeBinary,
    Select,
    String,
    and_,
    case,
    cast,
    func,
    literal,
    literal_column,
    not_,
    or_,
    select,
)

from catalogue.schema import (
    Base,
    BoundRow,
    DealRow,
    JobRow,
    JobSolverRow,
    OutcomeRow,
    RegretRow,
    SolutionRow,
    StatusRow,
    StatusTallyRow,
    TallyRow,
    UtcDateTime,
)
from catalogue.verify.context import Context
from solvers.outcome import Result
from solvers.regret import RegretKind

# Rows named for each fault: a damaged column may be wrong in millions of rows.
NAMED = 20
# SQLAlchemy's text of a moment on SQLite, with any digits.
_MOMENT = "[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9] [0-2][0-9]:[0-5][0-9]:[0-5][0-9].*"
_MOST_CPU_MS = 1e13  # three centuries: more is no time

_STATES = ("queued", "running", "done", "failed", "cancelled")


class _Rule(NamedTuple):
    """A condition that makes a row wrong, its column if it is one, and what is said of it."""

    wrong: ColumnElement[bool]
    column: Any
    what: str


def check_values(context: Context) -> None:
    """Check the type of every value, and what it may be: each table is read once."""
    sqlite = context.cat.engine.dialect.name == "sqlite"
    for model in models():
        rules = [rule for of, rule in _RULES if of is model]
        if sqlite:
            rules += [_type_rule(column) for column in model.__table__.columns]
        query = _query(context, model, rules, sqlite)
        if query is None:
            continue
        keys = [key.name for key in model.__table__.primary_key.columns]
        context.checked["values"] += 1
        with context.cat.session() as session:
            rows = session.execute(query.limit(NAMED + 1)).all()
        for row in rows[:NAMED]:
            where = context.row_name(model, dict(zip(keys, row, strict=False)))
            for rule, found in zip(rules, row[len(keys) :], strict=True):
                if found is not None:
                    context.fault("value", where, rule.what.format(found=found))
        if len(rows) > NAMED:
            context.fault("value", model.__tablename__, f"more than {NAMED} of its rows are wrong")


def _query(
    context: Context, model: Any, rules: list[_Rule], sqlite: bool
) -> Select[*tuple[Any, ...]] | None:
    """Query wrong rows: their keys, and for each rule the value that breaks it."""
    table = model.__table__
    asked = table.c.get("deal_id") if model is not DealRow else table.c.id
    if not rules or (asked is None and context.deal_ids is not None):
        return None
    shown = [
        case((rule.wrong, literal("") if rule.column is None else _shown(rule.column, sqlite)))
        for rule in rules
    ]
    keys = (cast(key, String) for key in table.primary_key.columns)
    query = select(*keys, *shown).where(or_(*(rule.wrong for rule in rules)))
    return query if asked is None else query.where(*context.is_asked(asked))


def _shown(column: Any, sqlite: bool) -> ColumnElement[str]:
    """A value as text, since one of another type could not be read."""
    if sqlite:
        return func.substr(func.quote(column), 1, 40)
    return func.coalesce(cast(column, String), "NULL")


def models() -> Iterator[Any]:
    """The classes of all tables, those without foreign keys first."""
    by_table = {mapper.local_table: mapper.class_ for mapper in Base.registry.mappers}
    return (by_table[table] for table in Base.metadata.sorted_tables)


def _type_rule(column: Any) -> _Rule:
    wrong = _mistyped(column)
    wrong = and_(column.is_not(None), wrong) if column.nullable else or_(column.is_(None), wrong)
    return _Rule(wrong, column, f"{column.name} is {{found}}: expected {_expected(column.type)}")


def _expected(kind: Any) -> str:
    if isinstance(kind, UtcDateTime | DateTime):
        return "a moment"
    if isinstance(kind, String):
        return f"a text of {kind.length} characters at most" if kind.length else "a text"
    for each, words in (
        (Boolean, "0 or 1"),
        (Integer, "a whole number"),
        (Double, "a number"),
        (LargeBinary, "bytes"),
        (JSON, "JSON"),
    ):
        if isinstance(kind, each):
            return words
    raise AssertionError(kind)


def _mistyped(column: Any) -> ColumnElement[bool]:
    """The condition that SQLite holds a value of another type in a column."""
    held = func.typeof(column)
    kind = column.type
    if isinstance(kind, UtcDateTime | DateTime):
        text: Any = literal_column(f'"{column.table.name}"."{column.name}"')
        moment: ColumnElement[bool] = not_(text.op("GLOB")(_MOMENT))
        return moment
    if isinstance(kind, Boolean):
        return or_(held != "integer", column.expression.cast(Integer).not_in((0, 1)))
    if isinstance(kind, Integer):
        return held != "integer"
    if isinstance(kind, Double):
        return held.not_in(("real", "integer"))
    if isinstance(kind, LargeBinary):
        return held != "blob"
    if isinstance(kind, JSON):
        text = literal_column(f'"{column.table.name}"."{column.name}"')
        return or_(held != "text", func.json_valid(text) == 0)
    if isinstance(kind, String) and kind.length:
        return or_(held != "text", func.length(column) > kind.length)
    return held != "text"


def _ranged(model: Any, column: Any, holds: ColumnElement[bool], expected: str) -> Any:
    what = f"{column.key} is {{found}}: expected {expected}"
    return model, _Rule(not_(holds), column, what)


def _natural(model: Any, name: str) -> Any:
    column = getattr(model, name)
    return _ranged(model, column, or_(column.is_(None), column >= 0), "0 or more")


def _one_of(model: Any, name: str, values: tuple[str, ...]) -> Any:
    column = getattr(model, name)
    return _ranged(model, column, column.in_(values), f"one of {', '.join(values)}")


def _together(model: Any, holds: ColumnElement[bool], what: str) -> Any:
    return model, _Rule(not_(holds), None, what)


_RULES: tuple[tuple[Any, _Rule], ...] = (
    _one_of(OutcomeRow, "result", tuple(result.value for result in Result)),
    _one_of(StatusRow, "status", ("winnable", "unwinnable", "unresolved")),
    _one_of(JobRow, "state", _STATES),
    _one_of(JobRow, "kind", ("outcomes", "regrets")),
    _one_of(RegretRow, "kind", tuple(RegretKind)),
    _natural(DealRow, "seed"),
    _natural(OutcomeRow, "nodes"),
    _ranged(
        OutcomeRow,
        OutcomeRow.cpu_ms,
        OutcomeRow.cpu_ms.between(0, _MOST_CPU_MS),
        "a time in milliseconds",
    ),
    _natural(SolutionRow, "length"),
    _natural(RegretRow, "length"),
    _natural(RegretRow, "step"),
    *(_natural(StatusRow, name) for name in ("seed", "solvers", "wins", "proofs", "nodes")),
    *(
        _natural(TallyRow, name)
        for name in ("block", "attempted", "won", "lost", "unwinnable", "gave_up", "nodes")
    ),
    *(
        _natural(StatusTallyRow, name)
        for name in ("block", "deals", "winnable", "unwinnable", "alarms")
    ),
    *(_natural(JobRow, name) for name in ("first_seed", "done", "total")),
    _ranged(JobRow, JobRow.deals, JobRow.deals >= 1, "1 or more"),
    _natural(JobSolverRow, "place"),
    *(_natural(BoundRow, name) for name in ("first_seed", "winnable", "unwinnable")),
    _ranged(BoundRow, BoundRow.n, BoundRow.n >= 1, "1 or more"),
    # Conditions on several columns of a row.
    _together(
        DealRow,
        DealRow.dealer.is_(None) == DealRow.seed.is_(None),
        "it has a dealer without a seed, or a seed without a dealer",
    ),
    _together(
        BoundRow,
        BoundRow.winnable + BoundRow.unwinnable <= BoundRow.n,
        "it counts more deals decided than attempted",
    ),
    _together(JobRow, JobRow.done <= JobRow.total, "it has done more than its total"),
    _together(
        JobRow,
        or_(JobRow.finished_at.is_not(None), JobRow.state.in_(("queued", "running"))),
        "it has ended at no time",
    ),
    _together(
        JobRow,
        or_(JobRow.finished_at.is_(None), JobRow.state.not_in(("queued", "running"))),
        "it has a time of its end, but is still open",
    ),
    _together(
        JobRow,
        (JobRow.state == "failed") == JobRow.error.is_not(None),
        "a job has an error if it failed, and only then",
    ),
    _together(
        JobRow,
        or_(JobRow.state.not_in(("running", "done")), JobRow.started_at.is_not(None)),
        "it runs or is done, but was never started",
    ),
)
