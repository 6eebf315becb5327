"""Verdicts of a solver with slips in its source, by `mutations.slipped`."""

import json
import os
import subprocess
import sys
from collections.abc import Iterable

from mutations import slipped
from mutations.mutation import Mutation
from patience import SECONDS


def said_with(search: str, lines: list[tuple[Mutation, list[str]]]) -> list[list[str]]:
    """What a search says of each slip's positions with the slip in it."""
    rows = [
        [search, str(slip.path), slip.old, slip.new, slip.nodes, slip.off, positions]
        for slip, positions in lines
    ]
    finished = subprocess.run(
        [sys.executable, slipped.__file__],
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        input="".join(json.dumps(row) + "\n" for row in rows),
        capture_output=True,
        text=True,
        check=False,
        timeout=5 * SECONDS,
    )
    assert finished.returncode == 0, finished.stderr
    return [json.loads(line) for line in finished.stdout.splitlines()]


def answers(program: str, path: str, old: str, new: str, lines: Iterable[object]) -> list[str]:
    """What a program says of lines of JSON, with a text of its source replaced; "" for none."""
    finished = subprocess.run(
        [sys.executable, program, path, old, new],
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        input="".join(json.dumps(line) + "\n" for line in lines),
        capture_output=True,
        text=True,
        check=False,
        timeout=SECONDS,
    )
    assert finished.returncode == 0, finished.stderr
    return finished.stdout.split("\n")[:-1]


def wrong(found: str, verdict: str) -> bool:
    """Whether what is said is wrong; giving up is not, only no answer."""
    return found not in (verdict, "gave_up")
