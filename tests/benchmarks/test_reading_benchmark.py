"""The benchmark of reading fills a catalogue that verifies itself by its lists."""

from pathlib import Path

import numpy as np
import pytest

from benchmarks import reading
from catalogue import store
from catalogue.blocks import KEEPS
from catalogue.reading import deal_list, overview
from samples import sizes


@pytest.mark.slow
@pytest.mark.parametrize("keep", sizes(*KEEPS))
def test_what_is_filled_is_what_is_read(
    keep: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    url = f"sqlite:///{tmp_path / 'large.db'}"
    store.init(url)
    with store.open_catalogue(url) as cat:
        reading.fill(cat, reading.RULESET, 70_000, keep, 64)
        counts = overview.counts(cat)
        assert (counts.deals, counts.outcomes, counts.alarms) == (70_000, 140_000, 0)
        every = deal_list.DealFilter(reading.RULESET)
        by_status = [
            deal_list.list_deals(cat, deal_list.DealFilter(reading.RULESET, status=status)).total
            for status in deal_list.STATUSES
        ]
        assert sum(by_status) == deal_list.list_deals(cat, every).total == 70_000
        reading.read(cat, 70_000, 10, np.random.default_rng(3))
    answer = capsys.readouterr().out
    assert "list, any filter and order" in answer
