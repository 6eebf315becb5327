"""Checking a piece: a row that cannot be read is a fault, and never the end."""

from contextlib import suppress
from dataclasses import replace
from typing import Any

from sqlalchemy import String, cast, func, select
from sqlalchemy.exc import DBAPIError, SQLAlchemyError

from catalogue.store import Catalogue, is_damage
from catalogue.verify.checks import check_named
from catalogue.verify.context import Context, Findings
from catalogue.verify.pieces import CheckPiece, inside, is_missing, is_unreadable
from catalogue.verify.seals import merge
from catalogue.verify.values import models


def is_fault(error: BaseException) -> bool:
    """Whether an error comes from what is stored, not from the database or the machine.

    Of what a database says itself, only a table or a column that is missing is one, a text that
    cannot be decoded, or a page that is damaged. Whatever else a check fails with, the values that
    it met brought it about.
    """
    if isinstance(error, DBAPIError):
        return is_missing(error) or is_unreadable(error) or is_damage(error)
    return isinstance(error, Exception) and not isinstance(error, OSError | MemoryError)


def check_piece(context: Context, piece: CheckPiece) -> Findings:
    """Check a piece; if a value in it cannot be read, find the row that has it."""
    context.begin(piece)
    try:
        check_named(piece.check).run(context)
    except Exception as error:
        if not is_fault(error):
            raise
        return _narrowed(context, piece, error)
    return context.end()


def said(error: BaseException) -> str:
    """The first line of an error."""
    return f"{type(error).__name__}: {str(getattr(error, 'orig', error)).partition(chr(10))[0]}"


def failed(piece: CheckPiece, context: Context, reason: str) -> Findings:
    """The finding in a piece that cannot be checked."""
    context.begin(piece)
    context.fault("check", _name_of(context, piece), f"it cannot be checked: {reason}")
    return context.end()


def _narrowed(context: Context, piece: CheckPiece, error: Exception) -> Findings:
    whole = isinstance(error, DBAPIError) and is_missing(error)
    halves = [] if whole else _halves(context.cat, piece)
    if not halves:
        return failed(piece, context, said(error))
    first, second = (check_piece(context, half) for half in halves)
    for name in ("checked", "of", "wrong"):
        getattr(first, name).update(getattr(second, name))
    first.faults += second.faults
    first.remarks += second.remarks
    first.found += second.found
    merge(first.sums, second.sums)
    return first


def _model(piece: CheckPiece) -> Any:
    """The table of which a piece is a range; None if it is of none."""
    return next((model for model in models() if model.__tablename__ == piece.part), None)


def _halves(cat: Catalogue, piece: CheckPiece) -> list[CheckPiece]:
    """A range of rows in two; none if it is no range, or a single row."""
    model = _model(piece)
    if model is None:
        return []
    table = model.__table__
    keys = list(table.primary_key.columns)
    with suppress(SQLAlchemyError), cat.session() as session:
        rows = select(*keys).where(*inside(table, piece))
        count = session.scalar(select(func.count()).select_from(rows.subquery())) or 0
        if count >= 2:
            middle = session.execute(rows.order_by(*keys).offset(count // 2 - 1).limit(1)).one()
            if all(isinstance(value, int | str) for value in middle):
                key = tuple(middle)
                return [replace(piece, until=key), replace(piece, after=key)]
    return []


def _name_of(context: Context, piece: CheckPiece) -> str:
    """The name of the only row of a piece, or of the block that it is, or of the piece."""
    if piece.part in ("blocks", "seeds") and piece.until is not None:
        return f"{context.block_name(*piece.until[:2])} ({piece.check})"
    model = _model(piece)
    if model is not None:
        table = model.__table__
        keys = list(table.primary_key.columns)
        query = select(*(cast(key, String) for key in keys)).where(*inside(table, piece)).limit(2)
        with suppress(SQLAlchemyError), context.cat.session() as session:
            rows = session.execute(query).all()
            if len(rows) == 1:
                named = dict(zip((key.name for key in keys), rows[0], strict=True))
                return f"{context.row_name(model, named)} ({piece.check})"
    return f"{piece.check}, {piece}"
