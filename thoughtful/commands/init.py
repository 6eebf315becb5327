"""`init`: a new catalogue."""

from thoughtful.terminal import options
from thoughtful.terminal.examples import examples


@examples(
    "thoughtful init",
)
def init(database: options.Database = None) -> None:
    """Create the catalogue, or upgrade an existing one to the current schema.

    It is a SQLite file in your data directory, unless THOUGHTFUL_DATABASE_URL or
    --database names another file (sqlite:///PATH) or a PostgreSQL database
    (postgresql://USER:PASSWORD@HOST/NAME).
    """
    from catalogue import store
    from catalogue.database import parse_url, shown

    store.init(database)
    print(f"the catalogue is ready: {shown(parse_url(database))}")
