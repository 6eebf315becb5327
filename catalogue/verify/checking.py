"""Checking a piece: a row that cannot be read is a fault, and never the end."""

from contextlib import suppress

from sqlalchemy import String, cast, select
from sqlalchemy.exc import DBAPIError, SQLAlchemyError

from catalogue.schema import Base
from catalogue.verify.checks import check_named
from catalogue.verify.context import NAMED, Context, Findings
from catalogue.verify.pieces import (
    BLOCKS,
    SLICES,
    CheckPiece,
    blocks_of,
    halves,
    inside,
    is_fault,
    is_missing,
)


def check_piece(context: Context, piece: CheckPiece) -> Findings:
    """Check a piece; if a value in it cannot be read, find the row that has it."""
    context.begin(piece)
    try:
        if piece.part in (BLOCKS, SLICES) and piece.until is None:
            blocks_of(context.cat)  # of which there are none, because that fails
        check_named(piece.check).run(context)
    except Exception as error:
        if not is_fault(error):
            raise
        whole = isinstance(error, DBAPIError) and is_missing(error)
        parts = [] if whole else halves(context.cat, piece)
        if not parts:
            return failed(context, piece, said(error))
        first, second = (check_piece(context, half) for half in parts)
        first.absorb(second, 2 * NAMED)
        return first
    return context.end()


def said(error: BaseException) -> str:
    """The first line of an error."""
    return f"{type(error).__name__}: {str(getattr(error, 'orig', error)).partition(chr(10))[0]}"


def failed(context: Context, piece: CheckPiece, reason: str) -> Findings:
    """The finding in a piece that cannot be checked."""
    context.begin(piece)
    context.fault("check", _name_of(context, piece), f"it cannot be checked: {reason}")
    return context.end()


def _name_of(context: Context, piece: CheckPiece) -> str:
    """The name of the only row of a piece, or of the block that it is, or of the piece."""
    if piece.part in (BLOCKS, SLICES) and piece.until is not None:
        return f"{context.block_name(*piece.until[:2])} ({piece.check})"
    table = Base.metadata.tables.get(piece.part)
    if table is not None:
        keys = list(table.primary_key.columns)
        query = select(*(cast(key, String) for key in keys)).where(*inside(table, piece)).limit(2)
        with suppress(SQLAlchemyError), context.cat.session() as session:
            rows = session.execute(query).all()
            if len(rows) == 1:
                named = dict(zip((key.name for key in keys), rows[0], strict=True))
                return f"{context.row_name(table, named)} ({piece.check})"
    return f"{piece.check}, {piece}"
