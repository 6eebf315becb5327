"""Servers that tests start: a free port, and waiting until a server answers."""

import socket
import subprocess
import urllib.request

from patience import wait_until


def free_port() -> int:
    """A port of this machine that nothing listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def wait_for_dashboard(
    port: int, process: "subprocess.Popen[str] | subprocess.Popen[bytes]"
) -> None:
    """Wait until the dashboard that a process serves answers."""
    link = f"http://localhost:{port}/_stcore/health"

    def answers() -> bool:
        assert process.poll() is None, "the dashboard ended"
        try:
            with urllib.request.urlopen(link, timeout=5) as answer:
                return bool(answer.status == 200)
        except OSError:
            return False

    wait_until(answers, f"the dashboard at {link} answers")
