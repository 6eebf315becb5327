"""The Dask scheduler that jobs of the tests run on."""

from collections.abc import Iterator

import pytest

from job_runs import workers_in_this_process


@pytest.fixture(scope="module")
def scheduler() -> Iterator[str]:
    """A Dask scheduler that stands already, with two workers in this very process."""
    with workers_in_this_process() as address:
        yield address
