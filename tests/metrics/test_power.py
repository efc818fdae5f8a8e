from __future__ import annotations

import pytest

from dumbbell.metrics.power import power


def test_power_is_1_at_kleinrocks_point() -> None:
    assert power(1, 0.025, 0.025) == 1
    assert power(0.9, 0.05, 0.025) == pytest.approx(0.45)
    assert power(0.9, 0, 0.025) is None
