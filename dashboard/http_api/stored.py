"""The catalogue behind the HTTP API, which works without one too."""

import threading
import time
from math import ceil

from catalogue.limits import Limits
from catalogue.settings import get_settings
from catalogue.store import Catalogue, open_catalogue
from dashboard.http_api.problems import Problem
from engine.errors import BadInput

# A file that is not there is looked for at every request. A database server that lets us wait
# longer than this is tried again only after the pause, so that not every request waits for it.
_SLOW_SECONDS = 1.0
_PAUSE_SECONDS = 10.0

_lock = threading.Lock()
_opened: tuple[str, Catalogue] | None = None
# A URL, and the moment before which it is not tried again.
_pause: tuple[str, float] | None = None


def catalogue() -> Catalogue | None:
    """The catalogue named in the settings, opened once; None if it cannot be.

    A file that another one has taken the place of is opened anew.
    """
    global _opened, _pause
    settings = get_settings()
    url = settings.database_url
    with _lock:
        if _opened is not None:
            if _opened[0] == url and not _opened[1].is_replaced:
                return _opened[1]
            _opened[1].close()
            _opened = None
        begun = time.monotonic()
        if _pause is not None and _pause[0] == url and begun < _pause[1]:
            return None
        try:
            found = open_catalogue(url, limits=Limits(settings.query_seconds, settings.query_rows))
        except BadInput:
            now = time.monotonic()
            _pause = (url, now + _PAUSE_SECONDS) if now - begun > _SLOW_SECONDS else None
            return None
        _opened = url, found
        return found


def needed() -> Catalogue:
    """The catalogue.

    Raises:
        Problem: there is none.
    """
    found = catalogue()
    if found is None:
        wait = 0.0 if _pause is None else _pause[1] - time.monotonic()
        # Without the reason, which names the place of the database.
        raise Problem(503, "the catalogue of this server cannot be read now", max(1, ceil(wait)))
    return found
