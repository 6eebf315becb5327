"""Serving the dashboard: Streamlit on `dashboard/pages/app.py`, from any working directory.

The API for programs is served with it, and alone by `serve_api`.
"""

import os
import pkgutil
import threading
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from starlette.applications import Starlette
    from streamlit.web.server.starlette.starlette_app import App

# Not next to the folder `pages`: Streamlit would take every file in there for a page of its own.
APP = Path(__file__).with_name("pages") / "app.py"

# This machine only. Not `localhost`, which may be two addresses.
ADDRESS = "127.0.0.1"
# Megabytes of a file that a visitor uploads: some 40,000 starting hands.
UPLOAD_MB = 2

# Bytes of a request before its body, where the API is served alone.
ADDRESS_AND_HEADERS = 65_536

# Streamlit looks for its settings file in the working directory, so they are passed as options.
# `.streamlit/config.toml` repeats them for `streamlit run` in a checkout.
OPTIONS: dict[str, str | bool | int] = {
    "server.headless": True,
    "server.showEmailPrompt": False,
    "server.fileWatcherType": "none",
    "server.maxUploadSize": UPLOAD_MB,
    "browser.gatherUsageStats": False,
    # Python collects by itself; to do so after every run of a page holds up all pages.
    "runner.postScriptGC": False,
    "client.toolbarMode": "viewer",
    "client.showErrorDetails": "none",
    "client.showErrorLinks": False,
    "theme.baseRadius": "medium",
    "theme.light.primaryColor": "#1d6f5f",
    "theme.dark.primaryColor": "#4fb89f",
}


def serve(port: int = 8501, address: str = ADDRESS, database_url: str | None = None) -> None:
    """Serve the dashboard in this process until it is stopped; it does not return.

    Args:
        port: where it listens.
        address: the interface it listens on; ``127.0.0.1`` is this machine only.
        database_url: of the catalogue; None for the one of the settings.

    Raises:
        BadInput: a setting has an invalid value.
    """
    from catalogue import logs
    from catalogue.settings import get_settings

    if database_url is not None:
        os.environ["THOUGHTFUL_DATABASE_URL"] = database_url
    logs.configure()
    logs.hide_secrets_in_tracebacks()
    app = make_app()
    if get_settings().warm_up:
        threading.Thread(target=_warm_up, name="warm-up", daemon=True).start()
    app.run(config={**OPTIONS, "server.port": port, "server.address": address})


def make_app() -> "App":
    """The dashboard as an ASGI application, with its headers, `/healthz`, `/metrics` and `/api`."""
    from starlette.middleware import Middleware
    from starlette.routing import Mount
    from streamlit.web.server.starlette.starlette_app import App

    from dashboard.board import api
    from dashboard.http_api.app import PREFIX, make_api
    from dashboard.server import document, moved, operations
    from dashboard.server.headers import Headers

    own = (operations, moved, document, api)
    routes = [route for module in own for route in module.routes()]
    middleware = [Middleware(Headers), Middleware(document.Document)]
    return App(APP, routes=[*routes, Mount(PREFIX, make_api())], middleware=middleware)


def _warm_up() -> None:
    from dashboard.board import api
    from dashboard.http_api import answering
    from dashboard.server.searching import warm_up

    # The first page before the solvers, which take longer and would slow it down.
    _warm_up_pages()
    warm_up()
    api.warm_up()
    answering.warm_up()


def _warm_up_pages() -> None:
    """Import what pages need, and have the overview read the catalogue once."""
    from dashboard import pages
    from dashboard.pages import overview

    overview.warm_up()
    for each in pkgutil.iter_modules(pages.__path__):
        if each.name != APP.stem:  # the entry script, which draws
            import_module(f"{pages.__name__}.{each.name}")


def serve_api(port: int = 8502, address: str = ADDRESS) -> None:
    """Serve the API alone, without Streamlit, in this process until it is stopped.

    It listens once the solvers are loaded, so that the first answers are as quick as the others.

    Args:
        port: where it listens.
        address: the interface it listens on; ``127.0.0.1`` is this machine only.

    Raises:
        BadInput: a setting has an invalid value.
    """
    import uvicorn

    from catalogue import logs
    from catalogue.settings import get_settings

    logs.configure()
    logs.hide_secrets_in_tracebacks()
    app = make_api_app()
    if get_settings().warm_up:
        from dashboard.http_api import answering

        answering.warm_up()
    uvicorn.run(
        app,
        host=address,
        port=port,
        # This parser limits what a request may send before its body.
        http="h11",
        h11_max_incomplete_event_size=ADDRESS_AND_HEADERS,
        ws="none",
        lifespan="off",
        log_level="warning",
        log_config=None if logs.are_json() else uvicorn.config.LOGGING_CONFIG,
        access_log=False,
        server_header=False,
        # Longer than proxies and clients keep connections, so that none is closed as it is used.
        timeout_keep_alive=75,
        timeout_graceful_shutdown=1,
    )


def make_api_app() -> "Starlette":
    """The API as an ASGI application of its own, with its headers and `/healthz`."""
    from starlette.applications import Starlette
    from starlette.exceptions import HTTPException
    from starlette.middleware import Middleware
    from starlette.responses import JSONResponse, RedirectResponse, Response
    from starlette.routing import Mount, Route

    from catalogue.metrics import NOT_ANSWERING, health
    from dashboard.board import api
    from dashboard.http_api.app import PREFIX, make_api, no_call
    from dashboard.http_api.stored import catalogue
    from dashboard.server.headers import Headers

    def healthz(_request: object) -> Response:
        cat = catalogue()
        found = NOT_ANSWERING if cat is None else health(cat)
        return JSONResponse(found.as_json(), 200 if found.sound else 503)

    def home(_request: object) -> Response:
        return RedirectResponse(f"{PREFIX}/")

    routes = [
        Route("/", home),
        Route("/healthz", healthz),
        *api.routes(),
        Mount(PREFIX, make_api()),
    ]
    # Of an address with a line break, which no mounted application is asked for.
    handlers = {HTTPException: no_call}
    return Starlette(routes=routes, middleware=[Middleware(Headers)], exception_handlers=handlers)
