"""Tests of the limits of a query, on both databases."""

import time

import pytest
from sqlalchemy import bindparam, func, literal, select, text
from sqlalchemy.orm import Session

from catalogue import store
from catalogue.limits import BeyondLimit, Limits
from catalogue.schema import RulesetRow

# Hours, if nothing stopped it: counts up without an end in sight.
ENDLESS = text(
    "WITH RECURSIVE up(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM up WHERE n < 100000000000) "
    "SELECT count(*) FROM up"
)
COUNT = select(func.count()).select_from(RulesetRow)


@pytest.fixture
def filled(catalogue: store.Catalogue) -> store.Catalogue:
    """A catalogue with ten rulesets."""
    with catalogue.begin() as session:
        session.add_all([RulesetRow(slug=f"r{n}", game="klondike", options={}) for n in range(10)])
    return catalogue


def test_a_query_that_takes_too_long_is_stopped(filled: store.Catalogue) -> None:
    impatient = filled.with_limits(Limits(0.2, 100))
    for _ in range(2):
        with pytest.raises(BeyondLimit, match=r"longer than 0\.2 s .* THOUGHTFUL_QUERY_SECONDS"):
            ask(impatient)
    # The limit does not stick to the connection, which the pool hands on.
    with filled.session() as session:
        if filled.engine.dialect.name == "postgresql":
            assert session.execute(text("SHOW statement_timeout")).scalar() == "0"
        assert session.scalar(COUNT) == 10


def ask(cat: store.Catalogue) -> None:
    with cat.session() as session:
        session.execute(ENDLESS).all()


def test_the_limit_of_time_is_of_each_query(filled: store.Catalogue) -> None:
    with filled.session() as session:
        start = time.monotonic()
        sleep(session, 0.1)
        once = time.monotonic() - start
    # On a busy machine a query may take many times as long as the one before it.
    limit = 30 * once
    with filled.with_limits(Limits(limit, 100)).session() as session:
        start = time.monotonic()
        while time.monotonic() - start < 1.5 * limit:
            assert session.scalar(COUNT) == 10
            sleep(session, 0.1)


def sleep(session: Session, seconds: float) -> None:
    """Let time pass in the database where it can, so that all queries together take too long."""
    if session.connection().dialect.name == "postgresql":
        session.execute(text("SELECT pg_sleep(:s)").bindparams(bindparam("s", seconds)))
    else:
        upto = int(1e6 * seconds)
        session.execute(text(str(ENDLESS).replace("100000000000", str(upto)))).all()


def test_more_rows_than_allowed(filled: store.Catalogue) -> None:
    with filled.with_limits(Limits(10, 9)).session() as session:
        for query in (select(RulesetRow), select(RulesetRow.slug).order_by(RulesetRow.slug)):
            with pytest.raises(BeyondLimit, match=r"more than 9 rows .* THOUGHTFUL_QUERY_ROWS"):
                session.execute(query)
        # A query with a limit of its own, one of few rows, and one that reads in batches.
        assert len(session.scalars(select(RulesetRow).limit(10)).all()) == 10
        assert session.scalar(COUNT) == 10
        every = session.execute(select(RulesetRow.id).execution_options(yield_per=3))
        assert sum(map(len, every.partitions())) == 10
    with filled.with_limits(Limits(10, 10)).session() as session:
        rows = session.scalars(select(RulesetRow).order_by(RulesetRow.id)).all()
        assert [row.slug for row in rows] == [f"r{n}" for n in range(10)]
        assert session.execute(select(literal(1)).union_all(select(literal(2)))).all() == [
            (1,),
            (2,),
        ]
