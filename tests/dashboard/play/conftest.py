"""The dashboard on which the tests play."""

from collections.abc import Iterator

import pytest

from catalogue import store
from serving import serving


@pytest.fixture(scope="module")
def dashboard(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a dashboard whose catalogue is empty: to play, none is needed."""
    directory = tmp_path_factory.mktemp("play")
    url = f"sqlite:///{directory / 'thoughtful.db'}"
    store.init(url)
    with serving(url, directory) as address:
        yield address
