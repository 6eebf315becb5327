"""A server of ours, or of Streamlit's, in a process of its own."""

import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager

# A dashboard that has not answered by then will not.
SECONDS = 180.0


@contextmanager
def served(
    *words: str, port_option: str = "--port", page: str = "/_stcore/health", **variables: str
) -> Iterator[str]:
    """The address that ``python -m WORDS`` serves; it ends with the block.

    Args:
        words: a module and its arguments.
        port_option: its option for the port.
        page: what it answers once it is ready.
        variables: of its environment.

    Raises:
        SystemExit: it ended, or did not answer in time.
    """
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    process = subprocess.Popen(
        [sys.executable, "-m", *words, port_option, str(port)],
        env={**os.environ, "STREAMLIT_SERVER_HEADLESS": "true", **variables},
        stdout=subprocess.DEVNULL,
    )
    address = f"http://127.0.0.1:{port}"
    try:
        until = time.monotonic() + SECONDS
        while not _answers(address + page):
            if process.poll() is not None or time.monotonic() > until:
                raise SystemExit(f"{words[0]} did not start")
            time.sleep(0.2)
        yield address
    finally:
        process.kill()
        process.wait()


def _answers(link: str) -> bool:
    try:
        with urllib.request.urlopen(link, timeout=5) as answer:
            return bool(answer.status == 200)
    except OSError:
        return False
