"""The dashboard on which the tests of the board play."""

import subprocess
import sys
from collections.abc import Iterator

import pytest

from catalogue import store
from paths import ROOT
from serving import serving


@pytest.fixture(scope="module")
def dashboard(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a dashboard without outcomes: the board needs none.

    The catalogue has a job on a game of a file, submitted by another process.
    """
    directory = tmp_path_factory.mktemp("board")
    url = f"sqlite:///{directory / 'thoughtful.db'}"
    store.init(url)
    command = [sys.executable, "-m", "thoughtful", "job", "submit", "solvitaire:0-9"]
    rules = ["--rules", str(ROOT / "docs" / "examples" / "my-game.json")]
    subprocess.run([*command, *rules, "--database", url], check=True, capture_output=True)
    with serving(url, directory) as address:
        yield address
