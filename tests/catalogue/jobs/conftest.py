"""The Dask scheduler that jobs of the tests run on."""

from collections.abc import Iterator

import pytest
from distributed import LocalCluster

from job_runs import IN_THIS_PROCESS


@pytest.fixture(scope="module")
def scheduler() -> Iterator[str]:
    """A Dask scheduler that stands already, with two workers in this very process."""
    with LocalCluster(**IN_THIS_PROCESS) as cluster:
        yield cluster.scheduler_address
