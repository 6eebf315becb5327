"""The command line with a fresh catalogue."""

import shutil
from pathlib import Path

import pytest

from command_line import Thoughtful, command_runner


@pytest.fixture
def thoughtful(
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    tmp_path: Path,
    initialised_sqlite: Path,
) -> Thoughtful:
    """Run a command in this process, in an empty directory, with a fresh catalogue beside it."""
    place = tmp_path / "catalogue.db"
    shutil.copy(initialised_sqlite, place)
    work = tmp_path / "work"
    work.mkdir()
    monkeypatch.chdir(work)
    monkeypatch.setenv("THOUGHTFUL_DATABASE_URL", f"sqlite:///{place}")

    return command_runner(capfd)
