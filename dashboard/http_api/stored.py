"""The catalogue behind the HTTP API, which works without one too."""

import threading
import time
from contextlib import suppress

from catalogue.asking import Knowledge, Origin, knowledge_of
from catalogue.limits import Limits
from catalogue.reading.deal_detail import deal_detail
from catalogue.settings import get_settings
from catalogue.store import Catalogue, answering, open_catalogue
from dashboard.http_api.problems import Problem
from engine.errors import BadInput
from engine.game import Position, Rules
from engine.games import game_of

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


def knowledge(origin: Origin | None, rules: Rules) -> Knowledge:
    """What is known of positions reached from a deal, if there is a catalogue that can be asked."""
    return knowledge_of(origin, rules, None if origin is None else catalogue())


def origin_of(start: Position, digest: str) -> Origin | None:
    """The deal of a digest, if the catalogue has it and this position is its start."""
    cat = catalogue()
    if cat is None:
        return None
    game = game_of(start.rules)
    with suppress(BadInput), answering():
        deal = deal_detail(cat, digest, game, quick_seconds=0).cards
        if deal.game == game.slug and game.start(deal, start.rules) == start:
            return Origin(deal)
    return None
