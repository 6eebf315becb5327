"""The catalogue behind the HTTP API, which works without one too."""

import threading
import time

from catalogue.asking import StoredAnswer, known
from catalogue.limits import Limits
from catalogue.settings import get_settings
from catalogue.store import Catalogue, answering, open_catalogue
from dashboard.http_api.problems import Problem
from engine.errors import BadInput
from engine.game import Deal, Rules

# Seconds after which a catalogue that could not be opened is tried again.
_AGAIN = 10.0

_lock = threading.Lock()
_opened: tuple[str, Catalogue] | None = None
_tried = ("", -_AGAIN)


def catalogue() -> Catalogue | None:
    """The catalogue named in the settings, opened once; None if it cannot be."""
    global _opened, _tried
    settings = get_settings()
    url = settings.database_url
    with _lock:
        if _opened is not None and _opened[0] == url:
            return _opened[1]
        if _tried[0] == url and time.monotonic() - _tried[1] < _AGAIN:
            return None
        _tried = url, time.monotonic()
        try:
            found = open_catalogue(url, limits=Limits(settings.query_seconds, settings.query_rows))
        except BadInput:
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
        # Without the reason, which names the place of the database.
        raise Problem(503, "the catalogue of this server cannot be read now", round(_AGAIN))
    return found


def stored(name: str | None, deal: Deal | None, rules: Rules) -> StoredAnswer | None:
    """What the catalogue knows of a starting deal; None if nothing, or if it cannot be asked."""
    cat = None if deal is None else catalogue()
    if cat is None or deal is None:
        return None
    try:
        with answering():
            return known(cat, name, deal, rules)
    except BadInput:
        return None
