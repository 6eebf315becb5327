"""A database user that may only read is enough for everything that only reads."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
from sqlalchemy.engine import make_url

from catalogue import database, store
from catalogue.jobs.queue import list_jobs, submit
from catalogue.limits import Limits
from catalogue.reading import bounds, deal_detail, deal_list, difficulty, overview
from catalogue.reading.alarms import alarms
from catalogue.tables.export import export
from catalogue.tables.selection import Selection
from engine.dealing.dealers import parse_sample
from engine.errors import BadInput
from engine.games import default_game

DRAW3 = "klondike-draw3"


@pytest.fixture
def reader(known: Any, new_postgres_database: Callable[[str], str]) -> Iterator[str]:
    """The URL of the known catalogue for a role that may connect, and select from its tables."""
    owner = known.catalogue.engine.url
    if owner.get_backend_name() != "postgresql":
        pytest.skip("users with different rights: PostgreSQL alone has them")
    address = owner.set(drivername="postgresql").render_as_string(hide_password=False)
    with psycopg.connect(address, autocommit=True) as connection:
        connection.execute("CREATE ROLE visitor LOGIN PASSWORD 'only-looks'")
        connection.execute("REVOKE ALL ON SCHEMA public FROM PUBLIC")
        connection.execute("GRANT USAGE ON SCHEMA public TO visitor")
        connection.execute("GRANT SELECT ON ALL TABLES IN SCHEMA public TO visitor")
        connection.execute(f"REVOKE TEMPORARY ON DATABASE {owner.database} FROM PUBLIC")
    yield (
        make_url(address)
        .set(username="visitor", password="only-looks")
        .render_as_string(hide_password=False)
    )
    with psycopg.connect(address, autocommit=True) as connection:
        connection.execute("DROP OWNED BY visitor")
        connection.execute("DROP ROLE visitor")


def test_a_role_that_may_only_select(reader: str, tmp_path: Path) -> None:
    limits = Limits(60, 100_000)
    with store.open_catalogue(reader, limits=limits) as cat:
        assert overview.overview(cat).counts.deals > 2000
        assert alarms(cat)
        assert list_jobs(cat) == []
        assert DRAW3 in overview.rulesets(cat)
        assert overview.dealers(cat)
        assert overview.solvers(cat, DRAW3)
        chosen = deal_list.DealFilter(DRAW3)
        assert deal_list.list_deals(cat, chosen, "nodes", True, 1, 50).total > 2000
        assert deal_detail.deal_detail(cat, "thoughtful-1:17", default_game()).outcomes
        assert bounds.bounds_of(cat, DRAW3, parse_sample("thoughtful-1:0-999")).n == 1000
        bounds.headline(cat)
        bounds.history_frame(cat, DRAW3, parse_sample("thoughtful-1:0-999"))
        assert difficulty.difficulty(cat, DRAW3)
        written = export(cat, tmp_path / "all", selection=Selection(DRAW3))
        assert written.rows["deals"] > 2000
        with pytest.raises(BadInput, match="permission denied"), database.answering(reader):
            submit(cat, DRAW3, parse_sample("thoughtful-1:0-9"), ["dead-end"])
    store.init(reader)  # finds nothing to do
