"""Fixtures of several solvers' tests."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest

from paths import ROOT, TESTS


@pytest.fixture
def with_and_without_compiler(request: pytest.FixtureRequest) -> Callable[[str], tuple[Any, Any]]:
    """Run a program compiled and then by Python itself; the JSON that each prints.

    The program must set `found` to what it found. It can import whatever the test can, and the
    test's own module by its name alone.
    """
    path = os.pathsep.join(map(str, (request.path.parent, TESTS, ROOT)))

    def run(program: str) -> tuple[Any, Any]:
        answers = []
        for disabled in ("0", "1"):
            finished = subprocess.run(
                [
                    sys.executable,
                    "-W",
                    "error",
                    "-c",
                    f"import json, numba\n{program}\n"
                    "print(json.dumps([bool(numba.config.DISABLE_JIT), found]))",
                ],
                env={**os.environ, "NUMBA_DISABLE_JIT": disabled, "PYTHONPATH": path},
                capture_output=True,
                text=True,
                check=False,
            )
            assert finished.returncode == 0, finished.stderr
            answers.append(json.loads(finished.stdout))
        assert [answer[0] for answer in answers] == [False, True]
        return answers[0][1], answers[1][1]

    return run
