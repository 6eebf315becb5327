"""Serving the dashboard: Streamlit on `dashboard/pages/app.py`, from any working directory."""

import os
import threading
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from streamlit.web.server.starlette.starlette_app import App

# Not next to the folder `pages`: Streamlit would take every file in there for a page of its own.
APP = Path(__file__).with_name("pages") / "app.py"

# This machine only. Not `localhost`, which may be two addresses.
ADDRESS = "127.0.0.1"
# Megabytes of a file that a visitor uploads: some 40,000 starting hands.
UPLOAD_MB = 2

# Streamlit looks for its settings file in the working directory, so they are passed as options.
# `.streamlit/config.toml` repeats them for `streamlit run` in a checkout.
OPTIONS: dict[str, str | bool | int] = {
    "server.headless": True,
    "server.showEmailPrompt": False,
    "server.fileWatcherType": "none",
    "server.maxUploadSize": UPLOAD_MB,
    "browser.gatherUsageStats": False,
    # Python collects by itself; to do so after every run of a page held up all pages for 0.15 s.
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
        from dashboard.searching import warm_up

        threading.Thread(target=warm_up, name="warm-up", daemon=True).start()
    app.run(config={**OPTIONS, "server.port": port, "server.address": address})


def make_app() -> "App":
    """The dashboard as an ASGI application, with its headers, `/healthz`, `/metrics` and `/api`."""
    from starlette.middleware import Middleware
    from streamlit.web.server.starlette.starlette_app import App

    from dashboard import api, operations
    from dashboard.headers import Headers

    routes = [*operations.routes(), *api.routes()]
    return App(APP, routes=routes, middleware=[Middleware(Headers)])
