"""The HTML document of all pages: Streamlit's, with what an installable program needs in its head.

Streamlit asks at several addresses where its server is, one of which fails on every page but the
first; the document says it. Its pages have one name each and no folders, so that the server is
where the address of the page is. Links to our own pages open no other tab, as Streamlit's Markdown
has them do, and on a phone the menu closes when a page is chosen.
"""

import json
from importlib.resources import files
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response
    from starlette.routing import BaseRoute
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

_HEAD = """<head>
    <script>
      window.__streamlit = { BACKEND_BASE_URL: new URL("./", location.href).href };
      document.addEventListener("click", ({ target }) => {
        const link = target.closest?.("a[target=_blank]");
        if (link?.origin === location.origin) link.target = "_self";
        const page = target.closest?.("[data-testid=stSidebarNavLink]");
        const close = document.querySelector("[data-testid=stSidebarCollapseButton] button");
        if (page && innerWidth < 768) setTimeout(() => close?.click());
      }, true);
    </script>
    <link rel="manifest" href="./manifest.webmanifest" />
    <link rel="apple-touch-icon" href="./icon-180.png" />
    <meta name="theme-color" content="#1d6f5f" />
    <meta name="description" content="Solitaire deals that can be won, and how." />"""
_TITLE = "Thoughtful"
_ICONS = {
    "icon.svg": ("image/svg+xml", "any"),
    "icon-180.png": ("image/png", "180x180"),
    "icon-512.png": ("image/png", "512x512"),
}
_MANIFEST = {
    "name": "Thoughtful: solitaire that can be won",
    "short_name": "Thoughtful",
    "start_url": "./play",
    "scope": "./",
    "display": "standalone",
    "background_color": "#ffffff",
    "theme_color": "#1d6f5f",
    "icons": [
        {"src": f"./{name}", "type": kind, "sizes": size} for name, (kind, size) in _ICONS.items()
    ],
}


def routes() -> "list[BaseRoute]":
    """The manifest and the icons."""
    from starlette.routing import Route

    return [
        Route("/manifest.webmanifest", _manifest),
        *(Route(f"/{name}", _icon) for name in _ICONS),
    ]


def _manifest(_request: "Request") -> "Response":
    from starlette.responses import Response

    return Response(json.dumps(_MANIFEST), media_type="application/manifest+json")


def _icon(request: "Request") -> "Response":
    from starlette.responses import Response

    name = request.url.path.rpartition("/")[2]
    content = files("dashboard.play").joinpath(name).read_bytes()
    return Response(content, media_type=_ICONS[name][0], headers={"Cache-Control": "max-age=86400"})


class Document:
    """ASGI middleware that writes our head into the document."""

    def __init__(self, app: "ASGIApp") -> None:
        self.app = app

    async def __call__(self, scope: "Scope", receive: "Receive", send: "Send") -> None:
        if scope["type"] != "http" or not _is_navigation(scope):
            await self.app(scope, receive, send)
            return
        # So that it comes as a text, and not compressed.
        headers = [pair for pair in scope["headers"] if pair[0] != b"accept-encoding"]
        scope = {**scope, "headers": headers}
        started: Message | None = None
        body = b""

        async def rewriting(message: "Message") -> None:
            nonlocal started, body
            if message["type"] == "http.response.start":
                if _is_document(message):
                    started = message
                else:
                    await send(message)
                return
            if started is None or message["type"] != "http.response.body":
                await send(message)
                return
            body += message.get("body", b"")
            if message.get("more_body"):
                return
            # A request for the head alone has no body, and its length is that of ours all the same.
            written = rewritten(body.decode()).encode()
            kept = [
                pair
                for pair in started["headers"]
                if pair[0].lower() not in (b"content-length", b"etag", b"last-modified")
            ]
            if body:
                kept.append((b"content-length", str(len(written)).encode()))
            await send({**started, "headers": kept})
            await send({"type": "http.response.body", "body": written if body else b""})

        await self.app(scope, receive, rewriting)


def _is_navigation(scope: "Scope") -> bool:
    """Whether a browser asks for a document to show."""
    return any(name == b"accept" and b"text/html" in value for name, value in scope["headers"])


def _is_document(start: "Message") -> bool:
    kinds = [value for name, value in start["headers"] if name.lower() == b"content-type"]
    return start["status"] == 200 and any(kind.startswith(b"text/html") for kind in kinds)


def rewritten(document: str) -> str:
    """The document with our head and title."""
    return document.replace("<head>", _HEAD, 1).replace(
        "<title>Streamlit</title>", f"<title>{_TITLE}</title>", 1
    )
