"""Tests of the memories of the exact searches as words, see `engine.kernels.records`."""

import json
import os
import subprocess
import sys

from paths import ROOT

# Without the compiler each part comes back as the very object that it was.
PROGRAM = """
import json
from engine.kernels.records import words_of
from solvers.klondike.exact.layout import new_layout
from solvers.klondike.exact.position import layout_in
from solvers.klondike.exact.workspace import (
    new_workspace, new_workspaces, workspace_by_hand, workspace_by_stocks
)

def same(memory, found):
    if isinstance(memory, tuple):
        assert type(memory) is type(found)
        return [each for pair in zip(memory, found, strict=True) for each in same(*pair)]
    return [memory is found] if memory is not None else []

layout, outer, inner = new_layout(), *new_workspaces(3, 1)
parts = same(layout, layout_in(words_of(layout)))
for workspace in (outer, inner):
    parts += same(workspace, workspace_by_stocks(words_of(workspace)))
for arranged in (False, True):
    workspace = new_workspace(3, 1, arranged)
    parts += same(workspace, workspace_by_hand(words_of(workspace)))
print(json.dumps(parts))
"""


def test_each_part_of_a_memory_is_found_among_its_words() -> None:
    finished = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        env={**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert finished.returncode == 0, finished.stderr
    parts = json.loads(finished.stdout)
    assert len(parts) == 5 + 2 * 9 + 2 * 23
    assert all(parts)
