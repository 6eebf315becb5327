"""Programs that are run with other sources or numbers: what they say."""

import json
import os
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

from mutations import slipped
from mutations.mutation import Mutation, Slip
from paths import ROOT, TESTS
from patience import SECONDS

# In place of the name of a slip: there is none.
NONE = ""


def said_by(
    program: str, *arguments: str, lines: Iterable[object] = (), seconds: float = SECONDS
) -> list[str]:
    """The lines that a program prints, run without the compiler, for lines of JSON."""
    finished = subprocess.run(
        [sys.executable, program, *arguments],
        env={
            **os.environ,
            "NUMBA_DISABLE_JIT": "1",
            "PYTHONPATH": os.pathsep.join(map(str, (ROOT, TESTS))),
        },
        input="".join(json.dumps(line) + "\n" for line in lines),
        capture_output=True,
        text=True,
        check=False,
        timeout=seconds,
    )
    assert finished.returncode == 0, finished.stderr
    return finished.stdout.split("\n")[:-1]


def said_with(search: str, lines: list[tuple[Mutation, list[str]]]) -> list[list[str]]:
    """What a search says of each slip's positions with the slip in it."""
    rows = [
        [search, str(slip.path), slip.old, slip.new, slip.nodes, slip.off, positions]
        for slip, positions in lines
    ]
    found: list[list[str]] = answers(slipped.__file__, rows)
    return found


def answers(program: str, lines: Iterable[object]) -> list[Any]:
    """What a program answers to each line, with the slip of this line in its source."""
    return [json.loads(said) for said in said_by(program, lines=lines, seconds=5 * SECONDS)]


def said_of(
    program: str, folder: Path, slips: Sequence[Slip], positions: Mapping[str, Sequence[Any]]
) -> dict[str, list[str]]:
    """What a program says, by the names of slips, of their positions with the slip in its source.

    By NONE, of all positions in turn without a slip: interpreted, too, so that what a slip brings
    about is told from what Python does.

    Args:
        program: the path of the program.
        folder: that of the files of the slips.
        slips: the slips.
        positions: by their names, positions with their verdicts last.
    """
    asked = {name: [each[:-1] for each in some] for name, some in positions.items()}
    lines = [(str(folder / slip.file), slip.old, slip.new, asked[slip.name]) for slip in slips]
    path, old = lines[0][:2]
    lines.append((path, old, old, list(chain.from_iterable(asked.values()))))
    return dict(zip([*(slip.name for slip in slips), NONE], answers(program, lines), strict=True))


def wrong(found: str, verdict: str) -> bool:
    """Whether what is said is wrong; giving up is not, only no answer."""
    return found not in (verdict, "gave_up")
