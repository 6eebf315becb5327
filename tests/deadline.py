"""`--minutes N`: tests that would begin later than that are skipped, with the reason printed.

For machines that are lent for a limited time: where the thorough tier does not fit, the most of it
is run, and what was not is told, in place of a run that ends with nothing. So that it is not always
the same files which are left out, `--turn WORD` gives each word, such as a commit, an order of its
own; with pytest-xdist this needs `--no-loadscope-reorder`.
"""

import hashlib
import time

import pytest

_began = time.monotonic()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--minutes", type=float, help="skip the tests that would begin later")
    parser.addoption("--turn", metavar="WORD", help="run the files in an order that WORD decides")


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    turn = config.getoption("--turn")
    if turn is not None:
        items.sort(key=lambda item: _place(turn, item.path.relative_to(config.rootpath).as_posix()))


def _place(turn: str, file: str) -> bytes:
    """Where a file stands in the order of a turn; its tests stay together, in their own order."""
    return hashlib.sha256(f"{turn} {file}".encode()).digest()


@pytest.hookimpl(tryfirst=True)  # before fixtures are made
def pytest_runtest_setup(item: pytest.Item) -> None:
    minutes = item.config.getoption("--minutes")
    if minutes is not None and time.monotonic() - _began > 60 * minutes:
        pytest.skip(f"the {minutes:g} minutes of --minutes were over")
