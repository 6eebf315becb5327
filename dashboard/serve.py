"""Start the dashboard: Streamlit on `dashboard/app.py`, from whatever directory one is in."""

import os
import subprocess
import sys
from pathlib import Path

APP = Path(__file__).with_name("app.py")

# Streamlit looks for its own settings file where it is started, so they travel as flags.
# `.streamlit/config.toml` repeats them for those who call `streamlit run` in a checkout.
OPTIONS = {
    "server.headless": "true",
    "server.showEmailPrompt": "false",
    "server.fileWatcherType": "none",
    "browser.gatherUsageStats": "false",
    "client.toolbarMode": "viewer",
    "client.showErrorDetails": "none",
    "theme.light.primaryColor": "#1d6f5f",
    "theme.dark.primaryColor": "#4fb89f",
    "theme.baseRadius": "medium",
}


def command(port: int = 8501, address: str = "localhost") -> list[str]:
    """The command line that serves the dashboard with this Python."""
    options = {**OPTIONS, "server.port": str(port), "server.address": address}
    flags = [part for name, value in options.items() for part in (f"--{name}", value)]
    return [sys.executable, "-m", "streamlit", "run", str(APP), *flags]


def environment(database_url: str | None = None) -> dict[str, str]:
    """This process's environment, with the catalogue's address where one is given."""
    variables = dict(os.environ)
    if database_url is not None:
        variables["THOUGHTFUL_DATABASE_URL"] = database_url
    return variables


def start(
    port: int = 8501, address: str = "localhost", database_url: str | None = None
) -> subprocess.Popen[bytes]:
    """Start the dashboard in a process of its own and return at once.

    Args:
        port: where it listens.
        address: the interface it listens on; ``localhost`` is this machine only.
        database_url: the catalogue's; None means what the settings say.
    """
    return subprocess.Popen(command(port, address), env=environment(database_url))


def serve(port: int = 8501, address: str = "localhost", database_url: str | None = None) -> int:
    """Serve the dashboard until it is stopped, and return its exit status.

    Arguments as in `start`. Ctrl-C stops it and counts as a normal end.
    """
    process = start(port, address, database_url)
    try:
        return process.wait()
    except KeyboardInterrupt:
        # The terminal sent the signal to both; let Streamlit say its goodbyes.
        try:
            process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        return 0
    except BaseException:
        process.terminate()
        process.wait()
        raise
