"""Checks of single values: their types on SQLite, which enforces none, and what each may be."""

import contextlib
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
from sqlalchemy.orm import Session

from catalogue.blocks import KEEPS, RESULTS
from catalogue.outcomes.seals import NAMED as NAMED_SEALS
from catalogue.schema import (
    BLOCK_SIZE,
    MAX_STORED_SEED,
    SOLVING,
    Base,
    BatchRow,
    BlockRow,
    BoundRow,
    DealRow,
    DifficultyRow,
    JobRow,
    JobSolverRow,
    MakerRow,
    OutcomeRow,
    PieceRow,
    RegretRow,
    RunnerRow,
    SealRow,
    SeedEnd,
    SolutionRow,
    SolverRow,
    StatusBlockRow,
    StatusRow,
    TraitRow,
    UtcDateTime,
    VerificationRow,
)
from catalogue.verify.context import NAMED, Context
from solvers.outcome import Result
from solvers.regret import RegretKind

# SQLAlchemy's text of a moment on SQLite, with any digits.
_MOMENT = "[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9] [0-2][0-9]:[0-5][0-9]:[0-5][0-9].*"
_MOST_CPU_US = 10**16  # three centuries: more is no time

_STATES = ("queued", "running", "paused", "done", "failed", "cancelled")
_ENDED = ("done", "failed", "cancelled")


class _Rule(NamedTuple):
    """A condition that makes a row wrong, its column if it is one, and what is said of it."""

    wrong: ColumnElement[bool]
    column: Any
    what: str


def check_values(context: Context) -> None:
    """Check the type of every value of a piece, and what it may be: its rows are read once."""
    sqlite = context.cat.engine.dialect.name == "sqlite"
    (model,) = (each for each in models() if each.__tablename__ == context.piece.part)
    rules = [rule for of, rule in _RULES if of is model]
    if sqlite:
        rules += [_type_rule(column) for column in model.__table__.columns]
    context.checked["values"] += 1
    if not rules:
        return
    keys = [key.name for key in model.__table__.primary_key.columns]
    with context.cat.session() as session, _any_text(session, sqlite):
        rows = session.execute(_query(context, model, rules, sqlite).limit(NAMED + 1)).all()
    for row in rows[:NAMED]:
        where = context.row_name(model, dict(zip(keys, row, strict=False)))
        for rule, found in zip(rules, row[len(keys) :], strict=True):
            if found is not None:
                context.fault("value", where, rule.what.format(found=found))
    if len(rows) > NAMED:
        context.fault("value", model.__tablename__, f"more than {NAMED} of its rows are wrong")


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


def _query(
    context: Context, model: Any, rules: list[_Rule], sqlite: bool
) -> Select[*tuple[Any, ...]]:
    """Query wrong rows: their keys, and for each rule the value that breaks it."""
    table = model.__table__
    shown = [
        case((rule.wrong, literal("") if rule.column is None else _shown(rule.column, sqlite)))
        for rule in rules
    ]
    keys = (cast(key, String) for key in table.primary_key.columns)
    return select(*keys, *shown).where(or_(*(rule.wrong for rule in rules)), *context.inside(table))


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
        (Integer | SeedEnd, "a whole number"),
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
    if isinstance(kind, Integer | SeedEnd):
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
    _one_of(JobRow, "kind", (SOLVING, "regrets", "traits")),
    _one_of(JobRow, "keep", KEEPS),
    _one_of(PieceRow, "state", ("waiting", "running", "failed")),
    _one_of(VerificationRow, "state", ("running", "stopped", "done")),
    _one_of(RegretRow, "kind", tuple(RegretKind)),
    _one_of(SealRow, "kind", tuple(NAMED_SEALS)),
    _natural(DealRow, "seed"),
    _natural(OutcomeRow, "nodes"),
    _ranged(
        OutcomeRow,
        OutcomeRow.cpu_us,
        or_(OutcomeRow.cpu_us.is_(None), OutcomeRow.cpu_us.between(0, _MOST_CPU_US)),
        "a time in microseconds",
    ),
    *(_natural(SolutionRow, name) for name in ("length",)),
    *(
        _natural(TraitRow, name)
        for name in ("seed", "nodes", "length", "plays", "winning", "choices", "critical", "games")
    ),
    _ranged(TraitRow, TraitRow.version, TraitRow.version >= 1, "1 or more"),
    *(_natural(DifficultyRow, name) for name in ("first_seed", "fitted", "spread")),
    _ranged(DifficultyRow, DifficultyRow.deals, DifficultyRow.deals >= 1, "1 or more"),
    *(_natural(RegretRow, name) for name in ("length", "step", "judge_version")),
    *(_natural(StatusRow, name) for name in ("solvers", "wins", "proofs", "nodes")),
    *(_natural(BlockRow, name) for name in ("block", "attempted", *RESULTS, "nodes", "cpu_us")),
    *(
        _natural(StatusBlockRow, name)
        for name in ("block", "deals", "winnable", "unwinnable", "alarms", "checksum")
    ),
    *(
        _natural(JobRow, name)
        for name in ("first_seed", "done", "total", "cpu_ms", "rate", "inferred")
    ),
    _ranged(JobRow, JobRow.deals, JobRow.deals >= 1, "1 or more"),
    _natural(JobSolverRow, "place"),
    *(_natural(BoundRow, name) for name in ("first_seed", "winnable", "unwinnable")),
    _ranged(BoundRow, BoundRow.n, BoundRow.n >= 1, "1 or more"),
    _ranged(SolverRow, SolverRow.version, SolverRow.version >= 1, "1 or more"),
    _ranged(BatchRow, BatchRow.rows, BatchRow.rows >= 1, "1 or more"),
    _ranged(RunnerRow, RunnerRow.workers, RunnerRow.workers >= 1, "1 or more"),
    *(_natural(PieceRow, name) for name in ("first_seed", "attempts")),
    _ranged(PieceRow, PieceRow.deals, PieceRow.deals >= 1, "1 or more"),
    _natural(VerificationRow, "faults"),
    # Conditions on several columns of a row.
    _together(
        DealRow,
        DealRow.cards.is_(None) == DealRow.seed.is_not(None),
        "a deal has either a seed, from which it is dealt, or its cards",
    ),
    _together(DealRow, func.length(DealRow.digest) == 16, "its digest has not 16 bytes"),
    _together(
        BlockRow,
        BlockRow.block <= MAX_STORED_SEED // BLOCK_SIZE,
        "its number is larger than that of any block",
    ),
    _together(
        BoundRow,
        BoundRow.winnable + BoundRow.unwinnable <= BoundRow.n,
        "it counts more deals decided than attempted",
    ),
    _together(JobRow, JobRow.done <= JobRow.total, "it has done more than its total"),
    _together(
        JobRow,
        or_(JobRow.inferred.is_(None), JobRow.inferred <= JobRow.deals),
        "it has inferred more than its deals",
    ),
    _together(
        JobRow,
        # A case, since a difference to the end of all seeds, which is negative, is too large.
        case(
            (
                JobRow.next_seed == MAX_STORED_SEED + 1,
                JobRow.first_seed - 1 == MAX_STORED_SEED - JobRow.deals,
            ),
            else_=and_(
                JobRow.next_seed >= JobRow.first_seed,
                JobRow.next_seed - JobRow.first_seed <= JobRow.deals,
            ),
        ),
        "its next seed is not in its sample",
    ),
    _together(
        JobRow,
        or_(JobRow.finished_at.is_not(None), JobRow.state.not_in(_ENDED)),
        "it has ended at no time",
    ),
    _together(
        JobRow,
        or_(JobRow.finished_at.is_(None), JobRow.state.in_(_ENDED)),
        "it has a time of its end, but is still open",
    ),
    _together(
        JobRow,
        or_(JobRow.state != "failed", JobRow.error.is_not(None)),
        "it has failed, but its error is not told",
    ),
    _together(
        JobRow,
        or_(JobRow.state.not_in(("running", "done")), JobRow.started_at.is_not(None)),
        "it runs or is done, but was never started",
    ),
    _together(
        JobRow,
        or_(JobRow.rate.is_(None), JobRow.state.not_in(_ENDED)),
        "it has a rate, but has ended",
    ),
    _together(RunnerRow, RunnerRow.name != "", "it has no name"),
    _together(
        PieceRow,
        (PieceRow.state == "running") == PieceRow.claimed_at.is_not(None),
        "a piece was claimed at some time if it runs, and only then",
    ),
    _together(
        PieceRow,
        or_(PieceRow.state != "failed", PieceRow.error.is_not(None)),
        "it has failed, but its error is not told",
    ),
    _together(
        PieceRow,
        (PieceRow.state == "running") == PieceRow.runner_id.is_not(None),
        "a piece has a runner if it runs, and only then",
    ),
    _together(
        MakerRow,
        or_(MakerRow.program != "", MakerRow.machine == ""),
        "its machine is told, but not its program",
    ),
)
