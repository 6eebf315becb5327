"""Tests of what the benchmark of the HTTP API counts."""

import json

import numpy as np
import pytest

import api


@pytest.mark.slow
def test_a_wrong_answer_is_counted() -> None:
    asked = []
    for seed, verdict in ((42, "winnable"), (42, "unwinnable"), (3, "undecided")):
        request = api.Asked(seed, 0.0)
        request.body = json.dumps({"verdict": verdict}).encode()
        asked.append(request)
    assert api.wrong_answers(asked) == 1


def test_percentiles_with_their_intervals() -> None:
    values = np.arange(1, 1001, dtype=float)
    assert api.percentile(values, 0.5) == "501.0 (469.0 to 532.0)"
    assert api.percentile(values, 0.99) == "991.0 (983.0 to 997.0)"
