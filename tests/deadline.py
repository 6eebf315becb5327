"""`--minutes N`: tests that would begin later than that are skipped, with the reason printed.

For machines that are lent for a limited time: where they are so busy that the thorough tier does
not fit, the most of it is run, and what was not is told, in place of a run that ends with nothing.
"""

import time

import pytest

_began = time.monotonic()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--minutes", type=float, help="skip the tests that would begin later")


@pytest.hookimpl(tryfirst=True)  # before fixtures are made
def pytest_runtest_setup(item: pytest.Item) -> None:
    minutes = item.config.getoption("--minutes")
    if minutes is not None and time.monotonic() - _began > 60 * minutes:
        pytest.skip(f"the {minutes:g} minutes of --minutes were over")
