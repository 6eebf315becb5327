"""`/healthz` and `/metrics` of the dashboard's own server."""

from typing import TYPE_CHECKING

from catalogue.metrics import CONTENT_TYPE, NOT_ANSWERING, exposition, health
from dashboard.server.connection import catalogue
from engine.errors import BadInput

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response
    from starlette.routing import BaseRoute


def routes() -> "list[BaseRoute]":
    """Both addresses; each answers in a thread, since it asks the database."""
    from starlette.routing import Route

    return [Route("/healthz", _healthz), Route("/metrics", _metrics)]


def _healthz(_request: "Request") -> "Response":
    from starlette.responses import JSONResponse

    try:
        found = health(catalogue())
    except BadInput:
        found = NOT_ANSWERING
    return JSONResponse(found.as_json(), 200 if found.sound else 503)


def _metrics(_request: "Request") -> "Response":
    from starlette.responses import Response

    try:
        cat = catalogue()
    except BadInput:
        return Response(exposition(None), media_type=CONTENT_TYPE)
    return Response(exposition(cat), media_type=CONTENT_TYPE)
