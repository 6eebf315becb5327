"""Former addresses of pages, which lead to where they are now."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response
    from starlette.routing import BaseRoute

# Former address -> the page that stands for it; the query is the same.
MOVED = {"ask": "check"}


def routes() -> "list[BaseRoute]":
    """The former addresses."""
    from starlette.routing import Route

    return [Route(f"/{former}", _lead_on) for former in MOVED]


async def _lead_on(request: "Request") -> "Response":
    from starlette.responses import RedirectResponse

    # Relative, as a proxy may serve all pages below an address of its own.
    target = MOVED[request.url.path.rsplit("/", 1)[-1]]
    query = f"?{request.url.query}" if request.url.query else ""
    return RedirectResponse(f"./{target}{query}")
