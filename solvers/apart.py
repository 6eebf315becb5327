"""Work done by a process of its own, which can be ended in the middle of a search.

A kernel that runs in a thread cannot be stopped. So what may take minutes, and may be cancelled,
is sent to another process: what it is to call comes in pickled, and what that returned or raised
goes back. Its memory is given back when it ends, and it ends with the one that asked.
"""

import json
import os
import pickle
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import TypeVar

T = TypeVar("T")

# Seconds between two looks at whether the work is cancelled, or its process has ended.
_LOOK_SECONDS = 0.1
# Short answers go first.
_NICENESS = 10


class Cancelled(Exception):
    """The work was cancelled before it was done."""


def call(work: Callable[[], T], cancelled: threading.Event) -> T:
    """Call a function without arguments, such as a `partial`, in another process.

    Raises:
        Cancelled: it was cancelled, and the process is ended.
        Exception: what the function raised.
    """
    code = (
        f"import sys; sys.path[:] = {json.dumps(sys.path)}; "
        # So that nothing else of the name `solvers` on the path is taken for ours.
        "import thoughtful_command; "
        f"from solvers.apart import answer; answer({os.getpid()})"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    with process:
        asked: bytes | None = pickle.dumps(work)
        while True:
            try:
                output, _ = process.communicate(asked, timeout=_LOOK_SECONDS)
                break
            except subprocess.TimeoutExpired:
                asked = None
                if cancelled.is_set():
                    process.kill()
                    raise Cancelled from None
    if not output:
        raise RuntimeError(f"the process of a search ended with status {process.returncode}")
    result, error = pickle.loads(output)
    if error is not None:
        raise error
    found: T = result
    return found


def answer(asker: int) -> None:
    """Do the work that comes in by standard input, and end with the process that asked for it."""
    with suppress(OSError, AttributeError):
        os.nice(_NICENESS)
    threading.Thread(target=_end_with, args=(asker,), daemon=True).start()
    work: Callable[[], object] = pickle.load(sys.stdin.buffer)
    ended: tuple[object, Exception | None]
    try:
        ended = work(), None
    except Exception as error:
        ended = None, error
    pickle.dump(ended, sys.stdout.buffer)
    sys.stdout.flush()


def _end_with(asker: int) -> None:
    while os.name != "posix" or os.getppid() == asker:
        time.sleep(_LOOK_SECONDS)
    os._exit(1)
