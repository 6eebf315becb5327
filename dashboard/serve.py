"""Serving the dashboard: Streamlit on `dashboard/pages/app.py`, from any working directory."""

import os
from pathlib import Path

# Not next to the folder `pages`: Streamlit would take every file in there for a page of its own.
APP = Path(__file__).with_name("pages") / "app.py"

# Streamlit looks for its settings file in the working directory, so they are passed as flags.
# `.streamlit/config.toml` repeats them for `streamlit run` in a checkout.
OPTIONS = {
    "server.headless": "true",
    "server.showEmailPrompt": "false",
    "server.fileWatcherType": "none",
    "browser.gatherUsageStats": "false",
    "client.toolbarMode": "viewer",
    "client.showErrorDetails": "none",
    "client.showErrorLinks": "false",
    "theme.baseRadius": "medium",
    "theme.light.primaryColor": "#1d6f5f",
    "theme.dark.primaryColor": "#4fb89f",
}


def serve(port: int = 8501, address: str = "localhost", database_url: str | None = None) -> None:
    """Serve the dashboard in this process until it is stopped; it does not return.

    Args:
        port: where it listens.
        address: the interface it listens on; ``localhost`` is this machine only.
        database_url: of the catalogue; None for the one of the settings.
    """
    from streamlit.web import cli

    if database_url is not None:
        os.environ["THOUGHTFUL_DATABASE_URL"] = database_url
    options = {**OPTIONS, "server.port": str(port), "server.address": address}
    cli.main(["run", str(APP), *(f"--{name}={value}" for name, value in options.items())])
