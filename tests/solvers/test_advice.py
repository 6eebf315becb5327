"""Tests of the chance that advice names."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from solvers.advice import Advice, Calibration

CALIBRATION = st.builds(Calibration, st.floats(-4, 4), st.floats(0.2, 3))


@given(CALIBRATION, st.integers(1, 2_000), st.data())
def test_a_calibration_keeps_the_order_of_plays(
    calibration: Calibration, trajectories: int, data: st.DataObject
) -> None:
    fewer, more = sorted(data.draw(st.integers(0, trajectories)) for _ in range(2))
    low, high = (Advice((), wins, trajectories, calibration=calibration) for wins in (fewer, more))
    assert low.chance is not None
    assert high.chance is not None
    assert 0 < low.chance <= high.chance < 1
    assert (low.chance < high.chance) == (fewer < more)


@given(CALIBRATION, st.floats(0.01, 0.99))
def test_the_error_of_a_chance_is_that_of_the_share_times_what_the_chance_grows_by(
    calibration: Calibration, share: float
) -> None:
    step = 1e-6
    growth = (calibration.chance(share + step) - calibration.chance(share - step)) / (2 * step)
    assert calibration.error(share, 0.02) == pytest.approx(0.02 * growth, rel=1e-3, abs=1e-9)


def test_a_calibration_that_changes_nothing() -> None:
    plain, same = (Advice((), 30, 100, calibration=each) for each in (None, Calibration(0, 1)))
    assert plain.chance == 0.3
    assert same.chance == pytest.approx(30.5 / 101)
    assert same.error == pytest.approx(plain.error)


def test_what_is_certain_or_not_counted_stays_so() -> None:
    assert Advice((), 1, 1, certain=True).chance == 1
    assert Advice((), 1, 1, certain=True).error == 0
    nothing = Advice((), 0, 0, calibration=Calibration(-1, 1))
    assert nothing.chance is None
    assert nothing.error is None
