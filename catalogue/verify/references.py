"""Checks of foreign keys, of deals stored twice, and of the tables themselves."""

from collections.abc import Iterator
from itertools import chain

from sqlalchemy import Connection, String, and_, cast, func, select, text

from catalogue.schema import Base, DealRow
from catalogue.verify.context import Context
from catalogue.verify.values import NAMED, models


def check_references(context: Context) -> None:
    """Check that every row that a row refers to exists."""
    for model in models():
        table = model.__table__
        if context.deal_ids is not None and "deal_id" not in table.columns:
            continue
        for constraint in table.foreign_key_constraints:
            parent = constraint.referred_table.alias()
            pairs = [(each.parent, parent.c[each.column.name]) for each in constraint.elements]
            query = (
                select(*(cast(key, String) for key in table.primary_key.columns))
                .select_from(table.outerjoin(parent, and_(*(a == b for a, b in pairs))))
                .where(pairs[0][1].is_(None), *(a.is_not(None) for a, _ in pairs))
            )
            if "deal_id" in table.columns:
                query = query.where(*context.is_asked(table.c.deal_id))
            context.checked["reference"] += 1
            with context.cat.session() as session:
                rows = session.execute(query.limit(NAMED)).all()
            for row in rows:
                names = [key.name for key in table.primary_key.columns]
                key = dict(zip(names, row, strict=True))
                context.fault(
                    "reference",
                    context.row_name(model, key),
                    f"its {constraint.referred_table.name} is missing",
                )


def check_doubles(context: Context) -> None:
    """Check that no deal is stored twice."""
    cards = select(DealRow.game, DealRow.cards, func.count(), func.min(DealRow.digest))
    seeds = select(DealRow.game, DealRow.dealer, DealRow.seed, func.count())
    with context.cat.session() as session:
        imported = session.execute(
            cards.where(DealRow.dealer.is_(None), *context.is_asked(DealRow.id))
            .group_by(DealRow.game, DealRow.cards)
            .having(func.count() > 1)
            .limit(NAMED)
        ).all()
        dealt = session.execute(
            seeds.where(DealRow.dealer.is_not(None), *context.is_asked(DealRow.id))
            .group_by(DealRow.game, DealRow.dealer, DealRow.seed)
            .having(func.count() > 1)
            .limit(NAMED)
        ).all()
    context.checked["doubles"] += 1
    for game, _, count, digest in imported:
        context.fault("deal", f"deal {digest}", f"it is stored {count} times as a deal of {game}")
    for game, dealer, seed, count in dealt:
        where = f"{dealer}:{seed}"
        context.fault("deal", where, f"it is stored {count} times as a deal of {game}")


def check_tables(context: Context) -> None:
    """Check that the tables, indexes and constraints are those of this program's schema."""
    context.checked["tables"] += 1
    with context.cat.engine.connect() as connection:
        for difference in _differences(connection):
            context.fault("schema", context.cat.url, difference)
        if connection.dialect.name == "sqlite":
            found = connection.execute(text("PRAGMA integrity_check(20)")).scalars().all()
            for line in chain(*(each.splitlines() for each in found if each != "ok")):
                context.fault("schema", context.cat.url, f"SQLite finds: {line}")


def _differences(connection: Connection) -> Iterator[str]:
    """What the database lacks of the schema, or has otherwise; other tables do not matter."""
    # Imported here, because it takes longer than most checks.
    from alembic.autogenerate import compare_metadata
    from alembic.migration import MigrationContext

    migration = MigrationContext.configure(connection, opts={"compare_type": True})
    for entry in compare_metadata(migration, Base.metadata):
        # Changes of one column come as a list.
        for kind, *what in entry if isinstance(entry, list) else [entry]:
            if kind == "remove_table":
                continue
            words = kind.replace("add_", "missing ").replace("remove_", "unknown ")
            named = [getattr(each, "name", None) or each for each in what if each is not None]
            yield f"{words.replace('_', ' ')}: {' '.join(str(each) for each in named[:3])}"
