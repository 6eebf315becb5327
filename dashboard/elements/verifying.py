"""Verification from a page: `thoughtful verify` in a process of its own, beside the server."""

import atexit
import subprocess
import sys
import threading
from tempfile import TemporaryFile
from typing import IO

from engine.errors import BadInput

_SECONDS_TO_STOP = 10.0
# Exit codes of a verification that has a report: nothing is wrong, something stored is, stopped.
_WITH_REPORT = (0, 1, 130)


class Verifier:
    """The verification that this server has begun, one at a time."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._output: IO[bytes] | None = None

    @property
    def is_running(self) -> bool:
        return self._process is not None and self._process.poll() is None

    @property
    def failure(self) -> str | None:
        """Why the last one ended without a report, in its own sentence; None if it did not."""
        with self._lock:  # pages of several visitors ask, and read the same file
            if self._process is None or self._output is None or self.is_running:
                return None
            if self._process.returncode in _WITH_REPORT:
                return None
            self._output.seek(0)
            lines = self._output.read().decode(errors="replace").strip().splitlines()
            return lines[-1] if lines else f"it ended with exit code {self._process.returncode}"

    def begin(self, resume: bool) -> None:
        """Begin a verification of the catalogue of the settings, or go on with the last one.

        One process of those of the machine is used: the others answer visitors.

        Raises:
            BadInput: one is running.
        """
        command = [
            *(sys.executable, "-P", "-m", "thoughtful_command", "thoughtful"),
            *("verify", "--workers", "1"),
        ]
        with self._lock:
            if self.is_running:
                raise BadInput("a verification is running already")
            if self._output is not None:
                self._output.close()
            self._output = TemporaryFile()  # noqa: SIM115 (it outlives this call)
            self._process = subprocess.Popen(
                [*command, "--resume"] if resume else command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=self._output,
            )

    def stop(self) -> None:
        """Stop it, if it is running; what it has found is stored."""
        process = self._process
        if process is None or process.poll() is not None:
            return
        process.terminate()
        try:
            process.wait(_SECONDS_TO_STOP)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


VERIFIER = Verifier()
atexit.register(VERIFIER.stop)
