"""The dashboard on which the tests of the board play."""

from collections.abc import Iterator

import pytest

from catalogue import store
from serving import serving


@pytest.fixture(scope="module")
def dashboard(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a dashboard whose catalogue is empty: the board needs no outcome."""
    directory = tmp_path_factory.mktemp("board")
    url = f"sqlite:///{directory / 'thoughtful.db'}"
    store.init(url)
    with serving(url, directory) as address:
        yield address
